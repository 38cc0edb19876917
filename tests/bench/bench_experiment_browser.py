#!/usr/bin/env python3
"""Play an experiment of 2,000 runs in a browser: workers and the broker are killed during it, and an outlier is opened.

    python tests/bench/bench_experiment_browser.py [FOLDER FOR SCREENSHOTS]

Verifies that each run has one row, and prints how long each part took.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
folder = Path(tempfile.mkdtemp(prefix="kschedui-bench-"))
env = {"DATABASE_URL": f"sqlite:///{folder}/site.sqlite3", "KSCHEDUI_DATA_DIR": str(folder)}
env |= {"KSCHEDUI_RUN_LEASE_SECONDS": "3", "KSCHEDUI_REAPER_SECONDS": "1"}
os.environ |= {"DJANGO_SETTINGS_MODULE": "kschedui.settings", **env}

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402

from kschedui.supervisor.child import Child  # noqa: E402
from kschedui.supervisor.ports import free_port, wait_until  # noqa: E402
from kschedui.supervisor.stack import Stack  # noqa: E402
from tests.bench.machine import describe_machine  # noqa: E402
from tests.e2e.test_experiments import open_outlier, save_scenario  # noqa: E402
from tests.processes import descendants  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

LONG = 900.0
SEEDS, VALUES = 100, ", ".join(str(10 * i) for i in range(20))
SIZE = 2000
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


class Story:
    """Plays an experiment in its page: begins it, kills processes of its site meanwhile, and verifies the results."""

    def __init__(self, stack: Stack, page: Page, shots: Path | None) -> None:
        self.stack, self.page, self.shots = stack, page, shots
        self.visitor, self.eid = Visitor(stack.url), ""
        self.since = time.monotonic()

    def shoot(self, name: str) -> None:
        if self.shots is not None:
            self.page.screenshot(path=self.shots / f"{name}.png")

    def print_time(self, what: str, more: str = "") -> None:
        print(f"{time.monotonic() - self.since:7.1f} s  {what}{more}", flush=True)

    def state(self) -> dict[str, Any]:
        return dict(json.loads(self.visitor.get(f"/api/v1/experiments/{self.eid}")[1]))

    def until(self, done: int) -> None:
        assert wait_until(lambda: self.state()["done"] >= done, LONG), self.state()

    def begin(self) -> None:
        page = self.page
        page.goto(save_scenario(page))
        page.get_by_role("link", name="Vary this scenario").click()
        form = page.locator("form[data-ready]")
        form.locator("#own > summary").click()
        form.get_by_label("How many", exact=True).fill(str(SEEDS))
        form.locator("[data-factor=priority] [name=values]").fill(VALUES)
        self.shoot("1-form")
        self.since = time.monotonic()
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/experiments/*/")
        self.eid = page.url.rstrip("/").rsplit("/", 1)[1]
        self.print_time(f"{SIZE:,} runs begun")

    def disturb(self) -> None:
        """Kill all processes of the worker pool, then the broker, which stores nothing."""
        self.until(SIZE // 8)
        self.page.locator("#drawing svg").first.wait_for()
        self.shoot("2-partial")
        pool = [
            one.pid
            for one in descendants(self.stack.children["experiments"].group)
            if "kschedui.workers" in one.command
        ]
        for pid in pool:
            os.kill(pid, signal.SIGKILL)
        done = self.state()["done"]
        self.print_time(f"kill -9 of {len(pool)} processes", f", {done:,} rows there")
        self.until(max(done + 1, SIZE // 3))
        broker = self.stack.children["broker"]
        os.killpg(broker.group, signal.SIGKILL)
        broker.stop()
        self.stack.children["broker"] = Child(broker.program, self.stack.guard)
        done = self.state()["done"]
        self.print_time("the broker killed and started again", f", {done:,} rows there")
        self.shoot("3-going-on")

    def finish(self) -> None:
        page = self.page
        page.locator("#results[data-ready]").wait_for(timeout=LONG * 1000)
        self.print_time("the page has all of them")
        rows = self.visitor.get(f"/api/v1/experiments/{self.eid}/results.csv")[1].splitlines()[1:]
        assert [line.split(b",")[0] for line in rows] == [b"%d" % number for number in range(1, SIZE + 1)]
        print(
            f"           each of the {len(rows):,} runs has one row; none has an error: {self.state()['failed'] == 0}"
        )
        page.get_by_label("Measure").select_option("Pods evicted")
        page.wait_for_timeout(1000)
        self.shoot("4-distributions")
        clicked = time.monotonic()
        open_outlier(page)
        print(f"           the outlier's run is on screen {time.monotonic() - clicked:.1f} s after the click")
        self.shoot("5-outlier")


def main() -> None:
    """Run the experiment, and print how long each part took."""
    print(describe_machine())
    shots = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if shots is not None:
        shots.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0)
    with Stack(env, folder) as stack, sync_playwright() as playwright:
        stack.start_broker()
        stack.start_workers(runs=1)
        stack.start_workers(experiments=2)
        stack.start_web("127.0.0.1", free_port())
        stack.wait()
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        page = browser.new_context(base_url=stack.url, viewport={"width": 1280, "height": 720}).new_page()
        page.set_default_timeout(120_000)
        story = Story(stack, page, shots)
        story.begin()
        story.disturb()
        story.finish()
        browser.close()


if __name__ == "__main__":
    main()
