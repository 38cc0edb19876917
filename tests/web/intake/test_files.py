"""Files as people send them: compressed, in pieces, in other encodings, truncated, or not text at all."""

import bz2
import gzip
import io
import lzma
import random
import tarfile
from zipfile import ZipFile

import pytest
import yaml

from kschedui.scenarios import file_text
from kschedui.scenarios.imported import Conversion
from kschedui.scenarios.intake import import_source
from scheduler_core import Limits, ScenarioErrors
from tests.builders import node, pod, scenario
from tests.dumps import SECRET, Cluster, as_json, as_yaml, listed

DUMP = Cluster(nodes=4, pods=110, images=6).objects()
FORMS = {"YAML": as_yaml(listed(DUMP)), "JSON": as_json(listed(DUMP))}


@pytest.mark.parametrize("form", FORMS)
def test_a_packed_dump_is_read_as_a_file(form: str) -> None:
    plain = import_source(FORMS[form])
    packed = io.BytesIO(gzip.compress(FORMS[form].encode()))
    assert import_source(packed).text == plain.text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block", [100, 4096])
def test_where_the_blocks_of_a_file_end_changes_nothing(form: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = import_source(FORMS[form])
    monkeypatch.setattr(file_text, "BLOCK", block)
    assert import_source(io.BytesIO(FORMS[form].encode())).text == whole.text


CLUSTER_INFO = (
    as_json({"kind": "NodeList", "apiVersion": "v1", "items": [node("n1")]})
    + as_json({"kind": "PodList", "apiVersion": "v1", "items": [pod("a")]})
    + f'==== START logs for container main of pod shop/a ====\n{{"token": "{SECRET}"}}\n---\nkind: Pod\n'
    + "==== END logs for container main of pod shop/a ====\n"
    + as_json({"kind": "PodList", "apiVersion": "v1", "items": [pod("b")]})
)


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_logs_in_a_cluster_info_dump_are_dropped(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_text, "BLOCK", block)
    found = import_source(io.BytesIO(CLUSTER_INFO.encode()))
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Pod", "Scenario"]
    assert SECRET not in found.text
    assert "1 container log" in found.notes[0]


@pytest.mark.parametrize("text", ["kind: Pod # 节点".encode()[:-1], "kind".encode("utf-16") + b"x"])
def test_a_file_that_ends_within_a_character_is_refused(text: bytes) -> None:
    for file in (text, gzip.compress(text)):
        with pytest.raises(ScenarioErrors, match="not text in UTF-8 or UTF-16"):
            list(file_text.texts(io.BytesIO(file), 1000))


FORBIDDEN = (
    'Error from server (Forbidden): pods is forbidden: User "x" cannot list resource "pods" at the cluster scope'
)
AROUND = {
    "Error from server (Forbidden)": FORBIDDEN,
    "error": 'error: the server doesn\'t have a resource type "foo"',
    "Warning": "Warning: v1 ComponentStatus is deprecated in v1.19+",
    "The connection to the server": "The connection to the server localhost:8080 was refused - did you specify a port?",
    "No resources found": "No resources found in shop namespace.",
    "log line": 'E1122 10:11:12.123456   12345 memcache.go:265] "Unhandled Error" err="couldn\'t get API group list"',
    "command line": "me@desk:~$ kubectl get nodes,pods -A -o yaml",
}


@pytest.mark.parametrize("form", ["YAML", "JSON", "Windows"])
@pytest.mark.parametrize("name", AROUND)
def test_what_a_terminal_shows_around_a_dump_is_left_out_and_reported(form: str, name: str) -> None:
    whole, end = WRITTEN[form], "\r\n" if form == "Windows" else "\n"
    found = import_source(f"{AROUND[name]}{end}{whole}{AROUND[name]}{end}")
    assert found.text == import_source(whole).text
    assert not found.cut
    assert found.notes[0].startswith(f"Ignored lines from kubectl or the terminal around the objects: {name} (2).")


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_an_error_between_two_dumps_is_reported(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_text, "BLOCK", block)
    for write in (as_yaml, as_json):
        text = f"```yaml\n{write(listed([node('n1')]))}{FORBIDDEN}\n{write(listed([pod('a')]))}```\n"
        found = import_source(io.BytesIO(text.encode()))
        assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Scenario"]
        assert "Error from server (Forbidden) (1)" in found.notes[0]


def test_a_text_of_errors_alone_is_refused_with_them() -> None:
    with pytest.raises(ScenarioErrors, match="only messages of kubectl: Error from server \\(Forbidden\\)"):
        import_source(FORBIDDEN)


def test_a_text_with_an_object_that_is_left_out_is_not_said_to_have_none() -> None:
    ended = {**pod("ended"), "status": {"phase": "Succeeded"}}
    with pytest.raises(ScenarioErrors, match="contains no object that the scheduler reads"):
        import_source(FORBIDDEN + as_yaml(listed([ended])))


def test_a_log_line_within_an_object_stays() -> None:
    made = node("n1")
    made["metadata"]["annotations"] = {"kschedui.io/note": f"a\nWarning: b\n{FORBIDDEN}\n"}
    for write in (as_yaml, as_json):
        notes = import_source(write(listed([made]))).notes
        assert notes == ["Removed fields that scheduling does not read: annotations (1)."]


def test_the_output_of_kubectl_describe_is_refused_by_its_name() -> None:
    with pytest.raises(ScenarioErrors, match="kubectl describe"):
        import_source(
            "Name:         web\nNamespace:    default\nPriority:     0\nEvents:  <none>\n", Conversion(Limits())
        )


def test_a_dump_that_somebody_cleaned_by_hand_is_not_taken_for_cut_off() -> None:
    text = (
        as_yaml(node("n1")) + "---\n" + as_yaml(pod("a")).replace("metadata:\n", 'metadata:\n  resourceVersion: "1"\n')
    )
    found = import_source(text)
    assert not found.cut
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Scenario"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("part", [0.3, 0.52, 0.77])
def test_a_dump_that_is_cut_off_is_read_as_far_as_it_is_whole_and_says_so(form: str, part: float) -> None:
    text = FORMS[form][: int(len(FORMS[form]) * part)]
    found = import_source(text)
    line = text.count("\n") + 1
    assert found.notes[0].startswith(f"The text is truncated: it ends at line {line:,}, in the middle of an object.")
    whole = import_source(FORMS[form]).text
    kept = list(yaml.safe_load_all(found.text))
    assert SECRET not in found.text
    assert 3 < len(kept) < len(list(yaml.safe_load_all(whole)))


def test_a_packed_dump_that_is_cut_off_says_so_too() -> None:
    packed = gzip.compress(FORMS["YAML"].encode())
    found = import_source(io.BytesIO(packed[: len(packed) // 2]))
    assert "The text is truncated" in found.notes[0]


def test_an_object_that_is_cut_off_is_refused_with_its_place() -> None:
    text = scenario(node("n1")) + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: 'web"
    with pytest.raises(ScenarioErrors, match="truncated") as caught:
        import_source(text)
    assert caught.value.line == text.count("\n") + 1


SMALL = Cluster(nodes=2, pods=6, images=2).objects()
WRITTEN = {
    "YAML": as_yaml(listed(SMALL)),
    "JSON": as_json(listed(SMALL)),
    "Windows": as_yaml(listed(SMALL)).replace("\n", "\r\n"),
    "documents": "---\n".join(as_yaml(one) for one in SMALL if one["kind"] in ("Node", "Pod", "ReplicaSet")),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_wherever_a_dump_is_cut_off_it_says_so(form: str) -> None:
    text = WRITTEN[form]
    places = random.Random(1).sample(range(100, text.rindex("phase")), 50)
    for at in places:
        try:
            found = import_source(text[:at])
            assert found.cut or "If the text is truncated there" in found.notes[0], at
        except ScenarioErrors as error:
            assert "truncated" in str(error), at  # noqa: PT017


def test_what_is_typed_behind_a_dump_is_not_taken_for_cut_off() -> None:
    found = import_source(WRITTEN["documents"] + "---\n" + as_yaml(pod("mine")).rstrip())
    assert not found.cut
    assert "name: mine" in found.text


MINE = {
    "block": as_yaml(pod("mine")),
    "flow": "apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\nspec: {containers: [{name: c, image: nginx}]}\n",
    "one line": "{apiVersion: v1, kind: Pod, metadata: {name: mine}, spec: {containers: [{name: c, image: nginx}]}}\n",
    "four columns": "apiVersion: v1\nkind: Pod\nmetadata:\n    name: mine\nspec:\n    containers:\n    -   name: c\n"
    "        image: nginx\n",
    "quoted": '"apiVersion": v1\n"kind": "Pod"\n"metadata":\n  "name": mine\n"spec":\n  "containers": [{name: c}]\n',
    "no spec": "apiVersion: v1\nkind: Node\nmetadata: {name: mine}\nstatus: {allocatable: {cpu: 1, pods: 5}}\n",
}


@pytest.mark.parametrize("style", MINE)
@pytest.mark.parametrize("trimmed", [False, True])
def test_a_manifest_of_any_style_behind_a_dump_is_read(style: str, *, trimmed: bool) -> None:
    mine = MINE[style].rstrip() if trimmed else MINE[style]
    found = import_source(WRITTEN["documents"] + "---\n" + mine)
    assert not found.cut
    assert not any("truncated" in note for note in found.notes)
    assert "name: mine" in found.text


@pytest.mark.parametrize("kind", ["Node", "Pod"])
def test_statuses_that_somebody_took_out_are_not_a_truncated_text(kind: str) -> None:
    objects = [{**one} for one in SMALL if one["kind"] in ("Node", "Pod", "ReplicaSet")]
    objects.sort(key=lambda one: one["kind"] == kind)
    for one in objects:
        if one["kind"] == kind:
            kept = {"allocatable": one["status"]["allocatable"]} if kind == "Node" else None
            one.update(status=kept) if kept else one.pop("status")
    found = import_source("---\n".join(as_yaml(one) for one in objects))
    assert not found.cut
    assert not any("truncated" in note for note in found.notes)
    whole = import_source(WRITTEN["documents"]).text
    assert found.text.count("\nkind: ") == whole.count("\nkind: ")


def test_a_status_that_is_missing_at_the_very_end_is_named_and_nothing_is_dropped() -> None:
    [last] = [one for one in SMALL if one["kind"] == "Pod"][:1]
    text = as_yaml({key: value for key, value in last.items() if key != "status"})
    found = import_source(text)
    assert not found.cut
    assert f"ends at line {text.count(chr(10))} without phase" in found.notes[0]
    assert f"name: {last['metadata']['name']}" in found.text


def test_several_packed_files_in_one_are_all_read() -> None:
    packed = b"".join(gzip.compress(text.encode()) for text in (as_yaml(listed(DUMP[:9])), as_json(listed(DUMP[9:]))))
    assert import_source(io.BytesIO(packed)).text == import_source(FORMS["YAML"]).text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_file_of_windows_is_read(encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    content = (mark + FORMS["YAML"].replace("\n", "\r\n")).encode(encoding)
    assert import_source(io.BytesIO(content)).text == import_source(FORMS["YAML"]).text


def archives() -> dict[str, bytes]:
    text = FORMS["YAML"].encode()
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with ZipFile(zipped, "w") as archive:
        archive.writestr("dump.yaml", text)
    with tarfile.open(fileobj=tarred, mode="w") as folder:
        entry = tarfile.TarInfo("dump.yaml")
        entry.size = len(text)
        folder.addfile(entry, io.BytesIO(text))
    packed = {
        "zip": zipped.getvalue(),
        "tar": tarred.getvalue(),
        "bzip2": bz2.compress(text),
        "xz": lzma.compress(text),
    }
    return {**packed, "gzip": gzip.compress(text)}


@pytest.mark.parametrize("kind", ["zip", "tar", "bzip2", "xz", "gzip"])
def test_another_archive_is_refused_by_its_name(kind: str) -> None:
    content = archives()[kind]
    for packed in (content, gzip.compress(content)) if kind != "gzip" else (gzip.compress(content),):
        with pytest.raises(ScenarioErrors, match=f"this is a {kind} file; extract it first"):
            import_source(io.BytesIO(packed))


@pytest.mark.parametrize("at", [0.5, -6])
def test_a_packed_file_that_is_damaged_is_refused(at: float) -> None:
    packed = bytearray(gzip.compress(FORMS["YAML"].encode()))
    packed[int(at if at < 0 else len(packed) * at)] ^= 0x55
    with pytest.raises(ScenarioErrors, match="this gzip file is damaged"):
        import_source(io.BytesIO(packed))


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(ScenarioErrors, match="not text in UTF-8 or UTF-16"):
        import_source(io.BytesIO(b"\x89PNG\r\n\x1a\n" + bytes(range(128, 256))))
