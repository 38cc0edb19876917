"""`kschedui plugin new`: the package is installed, passes its own test, and the site shows everything about the
plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kschedui.cli.main import main

ROOT = Path(__file__).parents[3]
ASKED = """
import django; django.setup()
from kschedui.scenarios.outside_plugins import outside_plugins
from kschedui.waiting.plugin_texts import of_other_plugins
from kschedui.web.pages.plugin_source import source_of
from kschedui.waiting.reasons import reason_of
source = source_of("TeamNodes")
print(list(outside_plugins()), [name for name, _ in source.methods], source.files[0].name)
print(of_other_plugins("en")["texts"]["question.TeamNodes"], reason_of("node(s) belonged to another team").plugin)
"""


def run(*words: str, target: Path, **more: str) -> str:
    found = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{target}{os.pathsep}{ROOT}", **more},
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def test_a_new_package_is_installed_and_gets_all_that_our_plugins_get(tmp_path: Path) -> None:
    package, target = tmp_path / "team-nodes", tmp_path / "installed"
    assert main(["plugin", "new", "TeamNodes", "--directory", str(package)]) == 0
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", str(target))
    run("-m", "pip", "install", *options, str(package), target=target)
    tests = ("-q", "-p", "no:cacheprovider", "-p", "no:django", "--rootdir", str(package), str(package / "tests"))
    assert "1 passed" in run("-m", "pytest", *tests, target=target)
    lines = run("-c", ASKED, target=target, DJANGO_SETTINGS_MODULE="kschedui.settings").splitlines()
    assert lines[0] == "['TeamNodes'] ['filter', 'explain_filter'] team_nodes/plugin.py"
    assert lines[1] == "Own team? TeamNodes"


@pytest.mark.parametrize("name", ["team", "Team-Nodes", "Ü", "../X", "T" * 64])
def test_a_name_that_cannot_be_a_plugins_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plugin", "new", name, "--directory", str(tmp_path / "x")]) == 2
    assert "is not a plugin name" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_a_folder_with_contents_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "there").write_text("mine")
    assert main(["plugin", "new", "Team", "--directory", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err
