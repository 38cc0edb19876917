"""`kschedui match`: the devices that CEL expressions select, as in the scheduler."""

import io
import json
import lzma
from pathlib import Path

import pytest

from kschedui.cli.main import main
from tests.conftest import ROOT
from tests.core.cel.test_devices import COST_IS_DRAWN
from tests.dumps import as_yaml, listed

TABLE = ROOT / "tests" / "core" / "cel" / "devices"
SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "node-a"},
    "spec": {
        "driver": "gpu.example.com",
        "pool": {"name": "node-a", "generation": 1, "resourceSliceCount": 1},
        "nodeName": "node-a",
        "devices": [
            {"name": "gpu-0", "attributes": {"model": {"string": "a100"}}, "capacity": {"memory": {"value": "40Gi"}}},
            {"name": "gpu-1", "basic": {"attributes": {"model": {"string": "h100"}}}},
        ],
    },
}


def answers(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("release", ["1.34", "1.36"])
def test_the_expressions_of_the_file_are_answered_as_recorded(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "--devices", str(TABLE / "input.json"), "--kubernetes-version", release]) == 0
    lines = capsys.readouterr().out.splitlines()
    with lzma.open(TABLE / f"expected-{release}.jsonl.xz", "rt") as recorded:
        for line, expected in zip(lines, recorded.read().splitlines(), strict=True):
            if json.loads(expected)["expression"] not in COST_IS_DRAWN:
                assert line == expected


def test_the_devices_of_a_dump_are_named_by_driver_and_pool(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(as_yaml(listed([pod, SLICE])).encode())))
    expression = 'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))'
    assert main(["match", "--devices", "-", expression, "device.attributes['gpu.example.com'].model == 'h100'"]) == 0
    memory, model = answers(capsys)
    assert memory["results"]["gpu.example.com/node-a/gpu-0"]["matches"] is True
    assert memory["results"]["gpu.example.com/node-a/gpu-1"]["error"] == "no such key: memory"
    assert [answer["matches"] for answer in model["results"].values()] == [False, True]


def test_an_error_in_an_answer_fails_only_when_strict(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["match", "--devices", str(TABLE / "input.json"), "device.drive == ''"]
    assert main(ask) == 0
    assert main([*ask, "--strict"]) == 1
    assert "undefined field 'drive'" in answers(capsys)[0]["compileError"]


def table(*devices: dict, **fields: object) -> str:
    return json.dumps({"devices": [{"name": "a", "driver": "d", **device} for device in devices], **fields})


REFUSED = {
    "{": "not valid YAML",
    '{"devices": 3}': "devices: 3 is a number; expected a list",
    table({"driver": ""}): "devices[0].driver: Required value",
    table({"attributes": {"x": {"int": True}}}): "devices[0].attributes.x.int: true is a boolean",
    table({"attributes": {"x": {}}}): "must have exactly one of string, version, int and bool",
    table({"capacity": {"x": {"value": "1Gb"}}}): '"1Gb" is not a quantity',
    table({"capacity": {"x": {}}}): "devices[0].capacity.x.value: Required value",
    table({"attributes": []}): "[] is a list; expected a mapping",
    table(expressions=[1]): "expressions[0]: 1 is a number; expected a string",
    table({}, {}): "devices[1].name: Duplicate value",
    table(): "has no expressions, and none is given",
    '{"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1"}': "spec.driver: Required value",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=[str(index) for index in range(len(REFUSED))])
def test_a_file_that_is_no_table_of_devices_ends_with_a_sentence(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "devices.json"
    file.write_text(text)
    assert main(["match", "--devices", str(file)]) == 2
    assert message in capsys.readouterr().err
