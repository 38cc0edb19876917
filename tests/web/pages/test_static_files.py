"""Addresses of static files depend on content, in modules and stylesheets too; in development, on the work tree."""

import asyncio
import os
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.staticfiles.finders import get_finder
from django.test import override_settings

from kschedui.asgi import application
from kschedui.web.http.static_storage import TreeStorage, _tree
from tests.conftest import ROOT
from tests.web.sockets import PATIENCE

IMPORT = re.compile(r"""^(?:import|export)\b(?:[^"';()]*\bfrom)?\s*["'](\.[^"']+)["']""", re.MULTILINE)


def imports(module: Path) -> list[Path]:
    return [(module.parent / name).resolve() for name in IMPORT.findall(module.read_text())]


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    modules = list((ROOT / "static/js").rglob("*.js"))
    TopologicalSorter({module: imports(module) for module in modules}).prepare()  # CycleError names the circle


@pytest.mark.slow
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


@pytest.mark.django_db
def test_in_development_an_address_changes_with_the_files_and_is_kept(tmp_path: Path) -> None:
    module = tmp_path / "one.js"
    module.write_text("1")
    (tmp_path / ".#one.js").symlink_to("nobody@nowhere")  # as Emacs locks a file
    with override_settings(STATICFILES_DIRS=[tmp_path]):
        get_finder.cache_clear()
        try:
            before = TreeStorage().url("one.js")
            assert re.fullmatch("/static/tree-[0-9a-f]{12}/one.js", before)
            status, headers, body = ask(before)
            assert (status, body, headers["cache-control"]) == (200, b"1", "max-age=31536000, public, immutable")
            assert "immutable" not in ask("/static/one.js")[1]["cache-control"]

            module.write_text("22")
            _tree.cache_clear()
            status, headers, body = ask(before)  # from a page that was loaded before
            assert (status, body) == (200, b"22")
            assert "immutable" not in headers["cache-control"]
            after = TreeStorage().url("one.js")
            assert after != before
            assert "immutable" in ask(after)[1]["cache-control"]
            assert ask(after.replace("one.js", "../manage.py"))[0] == ask("/static/tree-/one.js")[0] == 404
        finally:
            get_finder.cache_clear()
            _tree.cache_clear()


def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the ASGI application's answer."""
    given = {"host": "localhost", **headers}
    fields = [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": fields}

    async def talk() -> list[Any]:
        server = ApplicationCommunicator(application, scope)
        await server.send_input({"type": "http.request"})
        return [await server.receive_output(timeout=PATIENCE), await server.receive_output(timeout=PATIENCE)]

    start, end = asyncio.run(talk())
    return start["status"], {name.decode().lower(): value.decode() for name, value in start["headers"]}, end["body"]


@pytest.mark.django_db  # a missing file is answered with Django's page
def test_a_file_can_be_asked_for_whole_in_part_or_if_changed() -> None:
    status, headers, whole = ask("/static/favicon.svg")
    assert (status, headers["content-type"], headers["x-content-type-options"]) == (200, "image/svg+xml", "nosniff")
    assert int(headers["content-length"]) == len(whole) > 0
    assert ask("/static/favicon.svg", range="bytes=0-3")[::2] == (206, whole[:4])
    assert ask("/static/favicon.svg", if_none_match=headers["etag"])[::2] == (304, b"")
    status, head, body = ask("/static/favicon.svg", "HEAD")
    assert (status, head["content-length"], body) == (200, headers["content-length"], b"")
    assert ask("/static/favicon.svg", "POST")[0] == 405
    for path in ("/static/../manage.py", "/static/", "/static/nothing.js"):
        assert ask(path)[0] == 404
    assert ask("/favicon.ico")[1]["location"] == "/static/favicon.svg"
