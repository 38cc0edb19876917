"""YAML as people and programs write it: lines are dropped as data is, and no way of writing keeps a secret."""

from contextlib import suppress
from textwrap import indent
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kschedui.scenarios import compact_yaml, importers
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.line_filter import Unsure, kept_lines
from kschedui.scenarios.importers.reading.plain_style import composed
from kschedui.scenarios.importers.reading.pruning import pruned
from scheduler_core import Limits, ScenarioErrors
from scheduler_core.scenario.reading.documents import data_of
from tests.dumps import SECRET, Cluster, as_yaml

Manifest = dict[str, Any]
DUMP = Cluster(nodes=4, pods=110, images=6).objects()


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
    found = list(yaml.safe_load_all(importers.convert(ANCHORS, Limits()).text))
    assert [one.get("status") for one in found[1:3]] == [{"allocatable": {"cpu": "2"}}] * 2
    assert [one["metadata"]["name"] for one in found[:3]] == ["n0", "n1", "n2"]


def test_an_anchor_of_another_document_is_not_there_and_nothing_is_called_cut_off() -> None:
    text = ANCHORS.replace("- apiVersion: v1\n  kind: Node\n  metadata: {name: n2}", "---\nkind: Node")
    with pytest.raises(ScenarioErrors, match=r"line 1[0-9].*: the alias .room names an anchor that is not above it"):
        importers.convert(text.replace("\n  status: *room", "\nstatus: *room"), Limits())


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_no_way_of_writing_yaml_keeps_a_secret(style: str) -> None:
    text = f"apiVersion: v1\nkind: Pod\n{style}\n".replace("SECRET", SECRET)
    found = importers.convert(text, Limits())
    assert SECRET not in found.text
    assert next(yaml.safe_load_all(found.text))["metadata"] == {"name": "a"}


KEYS = st.sampled_from(
    ["metadata", "spec", "containers", "env", "name", "labels", "annotations", "status", "resources"]
)
TEXTS = st.sampled_from(
    ["a", "yes", "1", "a: b", "#", "- x", "", "two\nlines\n", "x" * 120 + " y " * 40, "'", '"', "{}"]
)
TREES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=4),
    max_leaves=25,
)


@given(
    metadata=st.dictionaries(KEYS, TREES, max_size=4), spec=st.dictionaries(KEYS, TREES, max_size=4), wide=st.booleans()
)
def test_lines_are_dropped_as_data_is(metadata: Manifest, spec: Manifest, *, wide: bool) -> None:
    found = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    by_data = pruned(found, (counted := LeftOut()))
    try:
        text = as_yaml(found) if wide else yaml.safe_dump(found)
        kept = kept_lines(text.split("\n"), (lines := LeftOut()))
    except Unsure:
        return
    assert kept is not None
    assert yaml.safe_load("\n".join(kept[0])) == by_data
    assert lines == counted


@given(st.dictionaries(KEYS, TREES, min_size=1, max_size=5), st.booleans())
def test_plain_lines_are_read_as_a_parser_reads_them(tree: Manifest, wide: bool) -> None:
    text = as_yaml(tree) if wide else yaml.safe_dump(tree)
    with suppress(Unsure):
        assert composed(text.splitlines()) == data_of(text)


SCALARS = [
    "1",
    "01",
    "0755",
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


@pytest.mark.parametrize("scalar", SCALARS)
def test_a_plain_value_is_what_a_parser_makes_of_it(scalar: str) -> None:
    for text in (f"a: {scalar}\nb: c", f"- {scalar}", f"{scalar}: a"):
        lines = f"all:\n{indent(text, '  ')}\n".split("\n")
        with suppress(Unsure):
            assert composed(lines) == data_of("\n".join(lines))


def test_what_kubectl_prints_needs_no_parser() -> None:
    sure = [one for one in DUMP if one["kind"] in ("Node", "Pod", "ReplicaSet") and not is_told_to_wait(one)]
    assert len(sure) > 100
    for one in sure:
        kept = kept_lines(as_yaml(one).splitlines(), LeftOut())
        assert kept is not None
        assert composed(kept[0]) == pruned(one, LeftOut())


def is_told_to_wait(found: Manifest) -> bool:
    return any("message" in one for one in found.get("status", {}).get("conditions", []))


@given(TREES)
def test_short_yaml_reads_back_as_it_was(tree: Any) -> None:
    text = compact_yaml.write_all([{"kind": "A", "tree": tree}])
    assert yaml.safe_load(text)["tree"] == tree
