"""Dumps of clusters: what is dropped, what is counted, what is cut off, in YAML and in JSON."""

import gzip
import io
import json
from contextlib import suppress
from textwrap import indent
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kschedui.scenarios import compact_yaml, importers
from kschedui.scenarios.importers.reading import dump_reader
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.line_filter import Unsure, kept_lines
from kschedui.scenarios.importers.reading.plain_style import composed
from kschedui.scenarios.importers.reading.pruning import pruned
from scheduler_core import Limits, ScenarioErrors, parse_scenario
from scheduler_core.apis.core import Pod
from scheduler_core.scenario.reading.documents import data_of
from tests.builders import node, pod, scenario
from tests.dumps import SECRET, Cluster, as_json, as_yaml, listed

Manifest = dict[str, Any]
DUMP = Cluster(nodes=4, pods=110, images=6).objects()
FORMS = {"YAML": as_yaml(listed(DUMP)), "JSON": as_json(listed(DUMP))}


@pytest.mark.parametrize("form", FORMS)
def test_nothing_secret_of_a_dump_is_in_the_scenario(form: str) -> None:
    assert SECRET in FORMS[form]
    found = importers.convert(FORMS[form], Limits())
    assert SECRET not in found.text + "".join(found.notes)
    kept = parse_scenario(found.text)
    assert sum(isinstance(one, Pod) for one in kept.objects) == 110
    assert not kept.warnings


def test_yaml_and_json_are_read_alike() -> None:
    one, other = (importers.convert(text, Limits()) for text in FORMS.values())
    assert one.text == other.text
    assert one.notes == other.notes


@pytest.mark.parametrize("form", FORMS)
def test_a_packed_dump_is_read_as_a_file(form: str) -> None:
    plain = importers.convert(FORMS[form], Limits())
    packed = io.BytesIO(gzip.compress(FORMS[form].encode()))
    assert importers.convert(packed, Limits()).text == plain.text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("between", ["", "---\n"])
def test_several_dumps_in_one_file_are_all_read(form: str, between: str) -> None:
    write = as_yaml if form == "YAML" else as_json
    text = between.join([write(listed([node("n1")])), write(listed([pod("a")])), write(pod("b"))])
    found = importers.convert(text, Limits())
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Pod", "Scenario"]


def test_dumps_in_both_formats_may_follow_each_other() -> None:
    for text in (
        as_yaml(listed([node("n1")])) + as_json(listed([pod("a")])),
        as_json(listed([node("n1")])) + "---\n" + as_yaml(listed([pod("a")])),
    ):
        found = importers.convert(text, Limits())
        assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Scenario"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("part", [0.3, 0.52, 0.77])
def test_a_dump_that_is_cut_off_is_read_as_far_as_it_is_whole_and_says_so(form: str, part: float) -> None:
    text = FORMS[form][: int(len(FORMS[form]) * part)]
    found = importers.convert(text, Limits())
    line = text.count("\n") + 1
    assert found.notes[0].startswith(f"The text is cut off: it ends at line {line:,} in the middle of an object.")
    whole = importers.convert(FORMS[form], Limits()).text
    kept = list(yaml.safe_load_all(found.text))
    assert SECRET not in found.text
    assert 3 < len(kept) < len(list(yaml.safe_load_all(whole)))


def test_a_packed_dump_that_is_cut_off_says_so_too() -> None:
    packed = gzip.compress(FORMS["YAML"].encode())
    found = importers.convert(io.BytesIO(packed[: len(packed) // 2]), Limits())
    assert "The text is cut off" in found.notes[0]


def test_an_object_that_is_cut_off_is_refused_with_its_place() -> None:
    text = scenario(node("n1")) + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: 'web"
    with pytest.raises(ScenarioErrors, match="cut off") as caught:
        importers.convert(text, Limits())
    assert caught.value.line == text.count("\n") + 1


def test_what_is_left_out_is_counted_by_kind_and_by_field() -> None:
    notes = importers.convert(FORMS["YAML"], Limits()).notes
    assert "2 Secret" in notes[0]
    assert "1 CustomResourceDefinition" in notes[0]
    assert "2 Widget" in notes[0]
    for count in ("annotations (", "env (", "command (", "managedFields ("):
        assert count in notes[1]


def test_items_of_a_pod_list_need_no_kind() -> None:
    bare = {name: value for name, value in pod("a").items() if name not in ("apiVersion", "kind")}
    found = {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [bare]}
    for text in (json.dumps(found), as_yaml(found)):
        made = importers.convert(text, Limits()).text
        assert [one["kind"] for one in yaml.safe_load_all(made)] == ["Pod", "Scenario"]


@pytest.mark.parametrize("write", [as_yaml, as_json])
def test_a_list_in_a_list_is_read(write: Any) -> None:
    found = importers.convert(write(listed([listed([node("n1"), pod("a")]), pod("b")])), Limits())
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Pod", "Scenario"]
    assert found.notes == []


FLOW = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}}}\n"


def test_yaml_that_begins_with_a_brace_is_read() -> None:
    found = importers.convert(FLOW + "---\n" + as_yaml(pod("a")), Limits())
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Scenario"]


@pytest.mark.parametrize("head", ["NAME    READY   STATUS", "NAMESPACE   NAME   READY", "LAST SEEN   TYPE     REASON"])
def test_a_table_of_kubectl_is_told_what_to_ask_for(head: str) -> None:
    with pytest.raises(ScenarioErrors, match="ask kubectl for -o yaml"):
        importers.convert(f"{head}\na   b   c: d\n", Limits())


def test_a_slip_reaches_the_checker() -> None:
    slipped = pod("a")
    slipped["spec"]["nodeSelektor"] = {"disk": "ssd"}
    slipped["spec"]["containers"][0]["resource"] = {"requests": {"cpu": "1"}}
    for text in (json.dumps(slipped), as_yaml(slipped), yaml.safe_dump(slipped)):
        warned = parse_scenario(importers.convert(text, Limits()).text).warnings
        assert ["nodeSelektor" in str(one.message) or "resource" in str(one.message) for one in warned] == [True, True]


def test_a_slip_of_what_is_dropped_is_dropped() -> None:
    slipped = pod("a")
    slipped["spec"]["containers"][0]["envs"] = [{"name": "A", "value": SECRET}]
    slipped["metadata"]["annotation"] = {"a": SECRET}
    for text in (json.dumps(slipped), as_yaml(slipped)):
        assert SECRET not in importers.convert(text, Limits()).text


def test_an_unknown_field_is_left_out_and_counted() -> None:
    later = pod("a")
    later["spec"]["fieldOfTheFuture"] = {"token": SECRET}
    found = importers.convert(as_yaml(later), Limits())
    assert SECRET not in found.text
    assert any("does not have them: fieldOfTheFuture (1)" in note for note in found.notes)


def test_a_custom_resource_with_a_name_of_ours_is_not_ours() -> None:
    service = {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {}}
    found = importers.convert(scenario(node("n1"), service), Limits())
    assert "1 serving.knative.dev/Service" in found.notes[0]


def test_a_kind_with_a_slip_is_named() -> None:
    found = importers.convert(scenario(node("n1"), {**pod("a"), "kind": "Pdo"}), Limits())
    assert [str(note) for note in found.notes if "Pdo" in note]


def test_older_versions_of_an_api_are_read() -> None:
    budget = {
        "apiVersion": "policy/v1beta1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "a"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    parse_scenario(importers.convert(scenario(node("n1"), budget), Limits()).text)


def test_an_object_of_a_later_dump_replaces_that_of_an_earlier() -> None:
    found = importers.convert(scenario(node("n1", cpu=2), node("n1", cpu=8)), Limits())
    assert "Objects that are there twice are read once: 1 Node." in found.notes
    assert parse_scenario(found.text).objects[0].allocatable["cpu"] == 8000


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
    return "message" in str(found.get("status"))


CLUSTER_INFO = (
    as_json({"kind": "NodeList", "apiVersion": "v1", "items": [node("n1")]})
    + as_json({"kind": "PodList", "apiVersion": "v1", "items": [pod("a")]})
    + f'==== START logs for container main of pod shop/a ====\n{{"token": "{SECRET}"}}\n---\nkind: Pod\n'
    + "==== END logs for container main of pod shop/a ====\n"
    + as_json({"kind": "PodList", "apiVersion": "v1", "items": [pod("b")]})
)


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_logs_in_a_cluster_info_dump_are_dropped(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_reader, "BLOCK", block)
    found = importers.convert(io.BytesIO(CLUSTER_INFO.encode()), Limits())
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Pod", "Scenario"]
    assert SECRET not in found.text
    assert "1 container log" in found.notes[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block", [100, 4096])
def test_where_the_blocks_of_a_file_end_changes_nothing(form: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = importers.convert(FORMS[form], Limits())
    monkeypatch.setattr(dump_reader, "BLOCK", block)
    assert importers.convert(io.BytesIO(FORMS[form].encode()), Limits()).text == whole.text


@given(TREES)
def test_short_yaml_reads_back_as_it_was(tree: Any) -> None:
    text = compact_yaml.write_all([{"kind": "A", "tree": tree}])
    assert yaml.safe_load(text)["tree"] == tree
