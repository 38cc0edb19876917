#!/usr/bin/env python3
"""Measure how a cluster of 300 nodes and 8,000 pods, as kubectl prints it, is imported: on the page, with the command
line, over the API.

Prints for each way and each format of the dump the elapsed seconds, the seconds of processor time, the memory of the
largest process, and how long other visitors wait for pages meanwhile. Compare the processor time if the machine is
busy.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kschedui.supervisor.ports import free_port, wait_until  # noqa: E402
from kschedui.supervisor.stack import Stack  # noqa: E402
from tests.bench import machine  # noqa: E402
from tests.bench.process_tree import Used, measured  # noqa: E402
from tests.conftest import CHROMIUM_FLAGS, chromium_path, manage  # noqa: E402
from tests.dumps import Cluster, as_json, as_yaml, listed  # noqa: E402
from tests.web import visitor as visiting  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

PATIENCE_MS = 900_000
PIPE = "\n".join(
    re.findall(r"^    (.*)$", (ROOT / "docs" / "api.md").read_text().split("\n## Dumps\n")[1].split("\n## ")[0], re.M)
)
MAKE_TOKEN = (
    "from django.contrib.auth.models import User; from kschedui.accounts import tokens;"
    "print(tokens.make(User.objects.get_or_create(username='pipe')[0], 'pipe', ['read', 'write'])[1])"
)


def forms(nodes: int, pods: int) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) for each format of the dump; by default, it has 60 MB as YAML."""
    objects = Cluster(nodes, pods, fields=80).objects()
    half = len(objects) // 2
    text = as_yaml(listed(objects))
    yield "YAML", text.encode()
    yield "YAML, packed", gzip.compress(text.encode(), 1)
    yield "JSON", as_json(listed(objects)).encode()
    yield "two dumps in a file", (as_yaml(listed(objects[:half])) + as_json(listed(objects[half:]))).encode()
    yield "cut off", text[: len(text) * 9 // 10].encode()


def by_command(content: bytes) -> str:
    """Import the dump with `kschedui import -`. Return a text with the size of the scenario."""
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
    """Send the dump unchanged to `POST /api/v1/scenarios/import`, and wait for the first step of the run."""
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    headers = {"Content-Type": "application/octet-stream", "X-CSRFToken": token, "Referer": visitor.url}
    request = urllib.request.Request(f"{visitor.url}/api/v1/scenarios/import", content, headers, method="POST")
    status, body = visitor.send_and_wait(request)
    assert status == 201, body
    return first_step(visitor, json.loads(body)["run"])


def by_pipe(stack: Stack, visitor: Visitor, content: bytes) -> str:
    """Import with `kubectl ... | gzip | curl ...` and a token, and poll for the answer, as in docs/api.md."""
    token = manage(stack, "shell", "--verbosity", "0", "-c", MAKE_TOKEN).split()[-1]
    script = PIPE.replace("kubectl get nodes,pods -A -o yaml", "cat").replace(
        "https://kschedui.example.com", visitor.url
    )
    environment = {**os.environ, "TOKEN": token}
    done = subprocess.run(["bash", "-ec", script], input=content, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    return first_step(visitor, json.loads(done.stdout)["run"], token)


def first_step(visitor: Visitor, run: str, token: str = "") -> str:
    """Wait for the first chunk of a run, and return a text with the run's id."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    address = f"{visitor.url}/api/v1/runs/{run}/chunks/0"
    assert wait_until(lambda: visitor.send(urllib.request.Request(address, headers=headers))[0] == 200, 300)
    return f"run {run}"


def by_page(page: Page, file: Path, nodes: int) -> str:
    """Import the dump on the page, save the scenario, and wait for the player's first step."""
    begun = monotonic()
    page.set_input_files("#import-file", file)
    expect(page.locator("#import")).not_to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#status")).to_contain_text(f"{nodes:,} nodes", timeout=PATIENCE_MS)
    imported = monotonic() - begun
    page.click("#save")
    page.wait_for_selector("#player[data-ready]", timeout=PATIENCE_MS)
    return f"{imported:.1f} s until it is in the editor"


@contextmanager
def editor(url: str, path: str) -> Iterator[Page]:
    """Yield the import page in a new browser, whose memory has nothing else."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS, chromium_sandbox=False)
        page = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900}).new_page()
        page.goto("/new/?import")
        expect(page.locator("#status")).to_contain_text("No problems", timeout=PATIENCE_MS)
        yield page
        browser.close()


class Others:
    """Another visitor who opens the login page four times a second while a block runs."""

    def __init__(self, url: str) -> None:
        self.visitor = Visitor(url)
        self.delays: list[float] = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.visit)

    def __enter__(self) -> Others:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def visit(self) -> None:
        while not self.over.is_set():
            begun = monotonic()
            assert self.visitor.get("/accounts/login/")[0] == 200
            self.delays.append(1000 * (monotonic() - begun))
            self.over.wait(0.25)

    def __str__(self) -> str:
        at = statistics.quantiles(self.delays * 2, n=100)
        return f"others p50 {at[49]:.0f}, p99 {at[98]:.0f} ms of {len(self.delays)}"


def row(way: str, form: str, used: Used, made: str, others: Others) -> None:
    print(
        f"{way:9}{form:22}{used.seconds:7.1f} s   {used.processor:6.1f} s processor   "
        f"{used.largest / 2**20:6.0f} MB in {used.holder:22} {others}; {made}",
        flush=True,
    )


def measure(stack: Stack, ways: list[str], asked: argparse.Namespace) -> None:
    path = chromium_path()
    visitor = Visitor(stack.url)
    visitor.get("/new/")
    for form, content in forms(asked.nodes, asked.pods):
        if asked.forms and form not in asked.forms.split(","):
            continue
        print(f"{form}: {len(content):,} bytes")
        if "command" in ways:
            with Others(stack.url) as others, measured() as used:
                made = by_command(content)
            row("command", form, used, made, others)
        if "api" in ways:
            with Others(stack.url) as others, measured() as used:
                made = by_api(visitor, content)
            row("API", form, used, made, others)
        if "pipe" in ways and not form.endswith("packed"):
            with Others(stack.url) as others, measured() as used:
                made = by_pipe(stack, visitor, content)
            row("pipe", form, used, made, others)
        if "page" in ways and path:
            with tempfile.NamedTemporaryFile(suffix=".yaml") as file, editor(stack.url, path) as page:
                file.write(content)
                file.flush()
                with Others(stack.url) as others, measured() as used:
                    made = by_page(page, Path(file.name), asked.nodes)
            row("page", form, used, made, others)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ways", default="command,api,pipe,page")
    parser.add_argument("--forms", default="", help="only these, separated by commas")
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--pods", type=int, default=8000)
    asked = parser.parse_args()
    visiting.LONG = PATIENCE_MS / 1000
    print(machine.describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        settings = {"KSCHEDUI_DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3"}
        with Stack(settings, Path(folder)) as stack:
            stack.start_broker()
            manage(stack, "migrate", "--verbosity", "0")
            stack.start_workers(runs=2)
            stack.start_web("127.0.0.1", free_port())
            stack.wait()
            measure(stack, asked.ways.split(","), asked)


if __name__ == "__main__":
    main()
