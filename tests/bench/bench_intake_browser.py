#!/usr/bin/env python3
"""A cluster of 300 nodes and 8,000 pods, as kubectl prints it, through every door: page, command line, API.

Prints for each door and form of the dump the seconds by the clock, the seconds of processor time, and the memory of the
process that held most. Processor time is what to compare where others load the machine.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kschedui.supervisor.ports import free_port  # noqa: E402
from kschedui.supervisor.stack import Stack  # noqa: E402
from tests.bench import machine  # noqa: E402
from tests.bench.process_tree import Used, measured  # noqa: E402
from tests.conftest import CHROMIUM_FLAGS, chromium_path, manage  # noqa: E402
from tests.dumps import Cluster, as_json, as_yaml, listed  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

PATIENCE_MS = 300_000


def forms(nodes: int, pods: int) -> Iterator[tuple[str, bytes]]:
    """The dump as it may be brought: 60 MB of YAML where nothing else is asked for."""
    objects = Cluster(nodes, pods, fields=80).objects()
    half = len(objects) // 2
    text = as_yaml(listed(objects))
    yield "YAML", text.encode()
    yield "YAML, packed", gzip.compress(text.encode(), 1)
    yield "JSON", as_json(listed(objects)).encode()
    yield "two dumps in a file", (as_yaml(listed(objects[:half])) + as_json(listed(objects[half:]))).encode()
    yield "cut off", text[: len(text) * 9 // 10].encode()


def by_command(content: bytes) -> str:
    """`kschedui import -`."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as made:
        source.write(content)
        source.seek(0)
        process = os.posix_spawn(
            sys.executable,
            [sys.executable, "-m", "kschedui", "import", "--quiet", "-"],
            {**os.environ, "PYTHONPATH": str(ROOT)},
            file_actions=[(os.POSIX_SPAWN_DUP2, source.fileno(), 0), (os.POSIX_SPAWN_DUP2, made.fileno(), 1)],
        )
        assert os.waitpid(process, 0)[1] == 0
        return f"{made.tell() or os.fstat(made.fileno()).st_size:,} bytes"


def by_api(visitor: Visitor, content: bytes) -> str:
    """`POST /api/v1/import` with the dump as it is."""
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in visitor.cookies)
    headers = {"Content-Type": "application/yaml", "X-CSRFToken": token, "Referer": visitor.url, "Cookie": cookies}
    connection = http.client.HTTPConnection(urlsplit(visitor.url).netloc, timeout=PATIENCE_MS / 1000)
    connection.request("POST", "/api/v1/import", content, headers)
    answer = connection.getresponse()
    body = json.loads(answer.read())
    assert answer.status == 200, body
    return f"{len(body['text']):,} bytes"


def by_page(page: Page, file: Path, nodes: int) -> str:
    """Until the editor has the text and has checked it."""
    page.set_input_files("#import-file", file)
    expect(page.locator("#import")).not_to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#status")).to_contain_text(f"{nodes:,} nodes", timeout=PATIENCE_MS)
    return page.text_content("#status") or ""


@contextmanager
def editor(url: str, path: str) -> Iterator[Page]:
    """A fresh browser, whose memory nothing else has filled."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS, chromium_sandbox=False)
        page = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900}).new_page()
        page.goto("/new/?import")
        expect(page.locator("#status")).to_contain_text("No problems", timeout=PATIENCE_MS)
        yield page
        browser.close()


def row(door: str, form: str, used: Used, made: str) -> None:
    print(
        f"{door:9}{form:22}{used.seconds:7.1f} s   {used.processor:6.1f} s processor   "
        f"{used.largest / 2**20:6.0f} MB in {used.holder:22} {made}",
        flush=True,
    )


def measure(stack: Stack, doors: list[str], asked: argparse.Namespace) -> None:
    path = chromium_path()
    visitor = Visitor(stack.url)
    visitor.get("/new/")
    for form, content in forms(asked.nodes, asked.pods):
        print(f"{form}: {len(content):,} bytes")
        if "command" in doors:
            with measured() as used:
                made = by_command(content)
            row("command", form, used, made)
        if "api" in doors:
            with measured() as used:
                made = by_api(visitor, content)
            row("API", form, used, made)
        if "page" in doors and path:
            with tempfile.NamedTemporaryFile(suffix=".yaml") as file, editor(stack.url, path) as page:
                file.write(content)
                file.flush()
                with measured() as used:
                    made = by_page(page, Path(file.name), asked.nodes)
            row("page", form, used, made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--doors", default="command,api,page")
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--pods", type=int, default=8000)
    asked = parser.parse_args()
    print(machine.told())
    with tempfile.TemporaryDirectory() as folder:
        settings = {"KSCHEDUI_DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3"}
        with Stack(settings, Path(folder)) as stack:
            stack.start_broker()
            manage(stack, "migrate", "--verbosity", "0")
            stack.start_worker()
            stack.start_web("127.0.0.1", free_port())
            stack.wait()
            measure(stack, asked.doors.split(","), asked)


if __name__ == "__main__":
    main()
