"""A pytest plugin for runs with mutants: it installs the switch in pages, and passes it the name of each test."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mutants_switch as switch  # copied into the tree by mutants.py
import pytest
from playwright.sync_api import Browser

# The database of running sites, made once for all mutants by each worker of pytest-xdist.
PREPARED = Path(os.environ["MUTANTS_PREPARED"] + os.environ.get("PYTEST_XDIST_WORKER", ""))
TIMES = os.environ.get("MUTANTS_TIMES", "")
PAGE = """(() => {
  const seen = new Set();
  globalThis.__mutant = (number) => {
    if (globalThis.__reached && !seen.has(number)) { seen.add(number); globalThis.__reached(number); }
    return number === ACTIVE;
  };
})()"""


def pytest_sessionstart() -> None:
    """Prepare the database of running sites only once for all mutants, and install the switch in each page."""
    tests = sys.modules["tests.conftest"]
    make = tests.prepare

    def prepare(folder: Path) -> Path:
        if not PREPARED.exists():
            shutil.copytree(make(folder), PREPARED)
        return Path(shutil.copytree(PREPARED, folder, dirs_exist_ok=True))

    tests.prepare = prepare
    new_context = Browser.new_context

    def with_switch(browser: Browser, **how: Any) -> Any:
        context = new_context(browser, **how)
        if switch.REACHED:
            context.expose_function("__reached", switch.reach)
        context.add_init_script(PAGE.replace("ACTIVE", str(switch.ACTIVE)))
        return context

    Browser.new_context = with_switch  # type: ignore[method-assign]


failed: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        failed.add(report.nodeid)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    switch.test = item.nodeid
    if switch.TEST_FILE:
        Path(switch.TEST_FILE).write_text(item.nodeid)
    started = time.monotonic()
    result = yield
    if TIMES:
        with open(TIMES, "a", encoding="utf-8") as file:
            slow = item.get_closest_marker("slow") is not None
            row = [item.nodeid, round(time.monotonic() - started, 3), slow, item.nodeid not in failed]
            file.write(json.dumps(row) + "\n")
    return result
