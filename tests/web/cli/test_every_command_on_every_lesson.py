"""Each command answers about each lesson, and about pods of it.

Commands that were tested only with ordinary pods failed for gangs, victims and pods that no profile handles.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kschedui.cli.main import main
from tests.conftest import ROOT
from tests.sampling import all_slow, rest_slow

LARGE = ("five-thousand-nodes", "thousand-nodes")
LONG = (
    "autoscaler-adds",
    "autoscaler-removes",
)  # half an hour with a pass every ten seconds, simulated by each command
LESSONS = sorted(
    path for path in (ROOT / "kschedui" / "scenarios" / "lessons").glob("*.yaml") if path.stem not in LARGE
)
ANSWERS_NO = {"fix", "capacity", "drain", "reschedule", "upgrade", "check"}  # with exit status 1 (docs/cli.md)
FORMS = (["--columns"], ["--format", "table"], ["--format", "json"], ["--format", "events"], ["--summary"])


def commands(path: Path) -> Iterator[list[str]]:
    """Yield the arguments of all commands about the file as a whole, and about its pods."""
    objects = [one for one in yaml.safe_load_all(path.read_text(encoding="utf-8")) if one]
    pods = [_key(one["metadata"]) for one in objects if one["kind"] == "Pod"]
    nodes = [one["metadata"]["name"] for one in objects if one["kind"] == "Node"]
    file = str(path)
    yield from (["simulate", file, *form] for form in ([], *FORMS))
    yield from ([command, file] for command in ("pending", "reschedule", "node-groups", "check", "import", "anonymise"))
    yield from (["diff", file, file], ["upgrade", "--to", "1.30", file], ["pending", file, "--format", "json"])
    yield from (["drain", "--node", node, file] for node in nodes[:1])
    yield from ([command, pod, file] for command in ("explain", "time") for pod in pods)
    for pod in {*pods[:1], *pods[-1:]}:
        yield from ([command, pod, file] for command in ("capacity", "fix"))
        yield from (["what-if", pod, file, "--remove", f"Node/{node}"] for node in nodes[:1])


def _key(metadata: dict[str, str]) -> str:
    return f"{metadata.get('namespace', 'default')}/{metadata['name']}"


@pytest.mark.parametrize(
    "path",
    [
        *rest_slow(4, (path for path in LESSONS if path.stem not in LONG)),
        *all_slow(path for path in LESSONS if path.stem in LONG),
    ],
    ids=lambda path: path.stem,
)
def test_a_command_answers_or_says_why_not(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in commands(path):
        status = main(command)
        out, error = capsys.readouterr()
        if status == 2:
            assert not out, command
            assert error.startswith("kschedui: "), command
        else:
            assert status == 0 or (status == 1 and command[0] in ANSWERS_NO), command
            assert out, command
