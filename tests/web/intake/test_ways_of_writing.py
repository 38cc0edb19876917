"""YAML as people and programs write it: lines are dropped like data, and no style keeps a secret."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.importers.reading.dump_reader import read_dump
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import prune
from kschedui.scenarios.intake import import_source
from scheduler_core import Limits, ScenarioErrors
from tests.dumps import SECRET, as_yaml, listed

Manifest = dict[str, Any]


STYLES = {
    "flow": "metadata: {name: a, annotations: {a: SECRET}}\nspec: {containers: [{name: a, env: [{value: SECRET}]}]}",
    "quoted keys": """
metadata:
  name: a
  "annotations":
    a: SECRET
spec:
  containers:
  - "env":
    - value: SECRET
    name: a""",
    "comments": """
metadata:
  name: a
spec: # note
  containers: # note
  - name: a
    env: # note
    - value: SECRET""",
    "a literal block": """
metadata:
  name: a
  annotations: # note
    a: |
      x: SECRET

      SECRET
spec:
  containers:
  - name: a""",
    "a list over two lines": """
metadata:
  name: a
spec:
  containers:
    - args: ['SECRET',
        'SECRET']
      name: a""",
    "a text over three lines": """
metadata:
  name: a
  annotations:
    a: "SECRET

      spec: SECRET"
spec:
  containers:
  -   command:
      - SECRET
      name: a""",
    "an anchor": """
metadata: &m
  name: a
  annotations: {a: SECRET}
spec:
  containers:
  - name: a
    env: [*m]""",
    "a marked key": """
metadata:
  ? annotations
  : {a: SECRET}
  name: a
spec:
  containers:
  - name: a""",
    "dashes alone": """
metadata:
  name: a
spec:
  containers:
  -
    name: a
    env:
    -
      value: SECRET""",
    "block and flow": """
metadata:
  name: a
spec:
  containers:
  - {name: a, env: [{value: SECRET}]}""",
}


ANCHORS = """apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n0}
- apiVersion: v1
  kind: Node
  metadata: {name: n1}
  status: &room {allocatable: {cpu: "2"}}
- apiVersion: v1
  kind: Node
  metadata: {name: n2}
  status: *room
"""


def test_an_item_of_a_list_may_refer_to_an_anchor_in_an_earlier_one() -> None:
    found = list(yaml.safe_load_all(import_source(ANCHORS).text))
    assert [one.get("status") for one in found[1:3]] == [{"allocatable": {"cpu": "2"}}] * 2
    assert [one["metadata"]["name"] for one in found[:3]] == ["n0", "n1", "n2"]


def test_an_anchor_of_another_document_is_not_there_and_nothing_is_called_cut_off() -> None:
    text = ANCHORS.replace("- apiVersion: v1\n  kind: Node\n  metadata: {name: n2}", "---\nkind: Node")
    with pytest.raises(
        ScenarioErrors, match=r"line 1[0-9].*: the alias .room refers to an anchor that is not above it"
    ):
        import_source(text.replace("\n  status: *room", "\nstatus: *room"))


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_no_way_of_writing_yaml_keeps_a_secret(style: str) -> None:
    text = f"apiVersion: v1\nkind: Pod\n{style}\n".replace("SECRET", SECRET)
    found = import_source(text)
    assert SECRET not in found.text
    assert next(yaml.safe_load_all(found.text))["metadata"] == {"name": "a"}


KEYS = ("metadata", "spec", "containers", "env", "name", "labels", "annotations", "status", "resources")
TEXTS = ("a", "yes", "1", "a: b", "#", "- x", "", "two\nlines\n", "x" * 120 + " y " * 40, "'", '"', "{}")
TREES = st.recursive(
    st.sampled_from(TEXTS) | st.integers() | st.booleans() | st.none(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(KEYS), below, max_size=4),
    max_leaves=25,
)


MAPPINGS = st.dictionaries(st.sampled_from(KEYS), TREES, max_size=4)


@given(MAPPINGS, MAPPINGS, st.booleans())
def test_a_dump_is_read_as_its_data_is_pruned(metadata: Manifest, spec: Manifest, wide: bool) -> None:
    items = [{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}] * 2
    by_data = [prune(item, (counted := LeftOut())) for item in items]
    text = as_yaml(listed(items)) if wide else yaml.safe_dump(listed(items))
    dump = read_dump([text], Limits())
    assert dump.objects == by_data
    assert dump.left_out.fields == counted.fields + counted.fields


SCALARS = [
    "1",
    "01",
    "0755",
    "08",
    "-0_899",
    "1_0.5",
    ".5_0",
    "0x1f",
    "0o17",
    "1_000",
    "-0",
    "+5",
    "1e3",
    "1e3m",
    ".5",
    "-.inf",
    "12e03",
    "1.0",
    "1.10",
    "100m",
    "4Gi",
    "10.0.0.1",
    "12:30",
    "2024-01-02",
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "~",
    "null",
    "nil",
    "true",
    "'true'",
    "''",
    '""',
    "'it''s'",
    '"a\\nb"',
    "a:b",
    "a#b",
    ":a",
    "a:",
    "-a",
    "-",
    "{}",
    "[]",
    "{a}",
    "[a]",
    "*a",
    "&a",
    "!a",
    "|-",
    ">",
    "@a",
    "`a",
    "%",
    ",",
    "?",
    "1-2",
    "a/b",
]


@given(TREES)
def test_short_yaml_reads_back_as_it_was(tree: Any) -> None:
    text = compact_yaml.write_all([{"kind": "A", "tree": tree}])
    assert yaml.safe_load(text)["tree"] == tree
