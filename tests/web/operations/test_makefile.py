"""`make run` on machines that lack something: one sentence that says what, exit status not 0, no traceback.

The Makefile is copied next to an empty lock file, and small scripts replace the programs that it needs.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "requirements-dev.lock", "requirements-uv.lock"):
        (tmp_path / name).touch()
    return tmp_path


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    env["LC_ALL"] = "C"
    return subprocess.run(["make", *arguments], cwd=folder, env=env, capture_output=True, text=True)


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """Return the only line of output that is not make's own."""
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    return line


def installed_python(folder: Path, pip_output: str) -> None:
    script(folder / ".venv/bin/python", f"cat <<'END'\n{pip_output}\nEND\nexit 1")
    (folder / ".venv/.created").touch()


def test_make_alone_lists_every_target(folder: Path) -> None:
    listed = make(folder).stdout
    for target in ("run", "test", "test-slow", "test-all", "bench", "bench-browser", "lock"):
        assert f"make {target} " in listed


def test_an_old_python_is_named(folder: Path) -> None:
    python = script(folder / "old", 'case "$*" in *version_info*) exit 1;; esac')
    assert sentence(make(folder, "run", f"PYTHON={python}")).startswith("kschedui needs Python 3.11 or later")


def test_no_python_at_all_is_the_same(folder: Path) -> None:
    assert sentence(make(folder, "run", "PYTHON=no-such-python")).startswith("kschedui needs Python 3.11 or later")


def test_a_python_without_venv_is_named(folder: Path) -> None:
    python = script(folder / "bare", 'case "$*" in *ensurepip*) exit 1;; esac')
    assert "apt install python3-venv" in sentence(make(folder, "run", f"PYTHON={python}"))


def test_a_missing_compiler_is_named(folder: Path) -> None:
    installed_python(
        folder, "  error: command 'gcc' failed: No such file or directory\nERROR: Failed building wheel for x"
    )
    assert "install a C compiler" in sentence(make(folder, "run"))


def test_a_registry_that_cannot_be_reached_is_named(folder: Path) -> None:
    installed_python(folder, "ERROR: Could not find a version that satisfies the requirement x==1")
    line = sentence(make(folder, "run"))
    assert "could not be installed: ERROR: Could not find a version" in line
    assert ".venv/install.log" in line


def test_a_failed_install_is_tried_again(folder: Path) -> None:
    installed_python(folder, "ERROR: no network")
    make(folder, "venv")
    script(folder / ".venv/bin/python", "exit 0")
    script(folder / ".venv/bin/uv", "exit 0")
    assert make(folder, "venv").returncode == 0
    assert make(folder, "venv").stdout == "make: Nothing to be done for 'venv'.\n"


def test_where_uv_finds_no_packages_pip_installs_them(folder: Path) -> None:
    script(folder / ".venv/bin/python", f'echo "$@" >> {folder}/asked')
    script(folder / ".venv/bin/uv", "echo error: no route to the index >&2; exit 2")
    (folder / ".venv/.created").touch()
    assert make(folder, "venv").returncode == 0
    asked = (folder / "asked").read_text().splitlines()
    assert [line.split()[-1] for line in asked if line.endswith(".lock")] == ["requirements.lock"]
    script(folder / ".venv/bin/uv", "exit 0")
    (folder / ".venv/.installed").unlink()
    assert make(folder, "venv").returncode == 0
    assert len((folder / "asked").read_text().splitlines()) == len(asked) + 1  # for uv alone
