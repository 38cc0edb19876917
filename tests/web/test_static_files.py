"""In production every static file gets a name made of its content, inside native ES modules and stylesheets too."""

import os
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

from django.test import Client

ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(r"""^(?:import|export)\b(?:[^"';()]*\bfrom)?\s*["'](\.[^"']+)["']""", re.MULTILINE)


def imports(module: Path) -> list[Path]:
    return [(module.parent / name).resolve() for name in IMPORT.findall(module.read_text())]


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    modules = list((ROOT / "static/js").rglob("*.js"))
    TopologicalSorter({module: imports(module) for module in modules}).prepare()  # CycleError names the circle


def test_collected_modules_import_each_other_by_hashed_names(tmp_path: Path) -> None:
    env = {"KSCHEDUI_ENV": "production", "SECRET_KEY": "x" * 60, "KSCHEDUI_STATIC_ROOT": str(tmp_path)}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr  # a module that imports a file which is not there fails here
    modules = [path for path in tmp_path.glob("js/**/*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    imported = [path for module in modules for path in imports(module)]
    assert imported
    for path in imported:
        assert re.search(r"\.[0-9a-f]{12}\.js$", path.name), path
        assert path.exists()


def test_a_file_can_be_asked_for_whole_in_part_or_if_changed(client: Client) -> None:
    whole = client.get("/static/favicon.svg")
    assert whole.status_code == 200
    assert whole["Content-Type"] == "image/svg+xml"
    part = client.get("/static/favicon.svg", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, whole.content[:4])
    again = client.get("/static/favicon.svg", headers={"If-None-Match": whole["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = client.head("/static/favicon.svg")
    assert (head.status_code, head["Content-Length"]) == (200, str(len(whole.content)))
    assert client.get("/static/../manage.py").status_code == 404
    assert client.get("/favicon.ico")["Location"] == "/static/favicon.svg"
