"""Fixtures for all tests: the complete running stack, and a browser.

`live_stack` is started once, from the real programs: the embedded broker, a Celery worker process, uvicorn, and a
SQLite file with the scenario library. Tests use it over HTTP and websockets at `live_stack.url`; the ORM in this
process has another database. `browser_page` is a page of Chromium: of its headless shell where that is installed, or of
the browser that KSCHEDUI_CHROMIUM names.
"""

import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

import pytest
from django.conf import settings
from hypothesis import HealthCheck
from hypothesis import settings as examples
from playwright.sync_api import Browser, Page, expect, sync_playwright

from kschedui.supervisor.errors import StartError
from kschedui.supervisor.ports import free_port
from kschedui.supervisor.stack import Stack
from tests.web.visitor import LONG, Visitor

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ROOT / "tests/faults"
PATIENCE_MS = 120_000  # until a page must show what a test expects; reached only if something is broken
PORT_TRIES = 5
# The headless shell first: it has the same engine, and takes two thirds of the processor time for each new page.
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# The same examples every time, so that a failure is due to a change; `make fuzz` tries new ones.
PATIENT = [HealthCheck.too_slow]
examples.register_profile("same", derandomize=True, database=None, deadline=None, suppress_health_check=PATIENT)
examples.register_profile("new", examples.get_profile("same"), derandomize=False, print_blob=True)
examples.load_profile("new" if "KSCHEDUI_FUZZ_EXAMPLES" in os.environ else "same")


@pytest.fixture(scope="session")
def prepared_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a SQLite file with all tables and the library, whose lessons are simulated.

    Stacks copy it, because it takes seconds to create. Next to it, empty.sqlite3 has only the tables.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # shared by all test processes, the first of which creates the file
    file = folder / "prepared" / "kschedui.sqlite3"
    with (folder / "prepared.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            prepare(tmp_path_factory.mktemp("preparing")).rename(file.parent)
    return file


def prepare(folder: Path) -> Path:
    """Create the files of `prepared_database` in the folder, and return the folder."""
    file = folder / "kschedui.sqlite3"
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{file}"}
    run_manage(env, "migrate", "--verbosity", "0")
    shutil.copy(file, file.with_name("empty.sqlite3"))
    run_manage(env, "load_library", "--verbosity", "0")
    return folder


@pytest.fixture(scope="session")
def broker_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a broker without workers."""
    with Stack({}, tmp_path_factory.mktemp("broker")) as stack:
        yield stack.start_broker()


@pytest.fixture(scope="session")
def stack_maker(tmp_path_factory: pytest.TempPathFactory, prepared_database: Path) -> "StackMaker":
    """Return the factory of this session's stacks."""
    return StackMaker(tmp_path_factory, prepared_database)


@pytest.fixture
def make_stack(stack_maker: "StackMaker") -> Iterator["StackMaker"]:
    """Yield a factory of stacks that a test may break, and stop them after the test.

    A new stack has only a broker running.
    """
    before = list(stack_maker.stacks)
    yield stack_maker
    for stack in stack_maker.stacks:
        if stack not in before:
            stack.stop()


@pytest.fixture(scope="session")
def live_stack(stack_maker: "StackMaker") -> Iterator[Stack]:
    """Yield the complete running stack, shared by all tests of the session, which must not stop its processes.

    The rate limits are raised, because all requests come from one address.
    """
    with stack_maker(**{f"KSCHEDUI_RATE_{kind.upper()}": "1000000" for kind in settings.RATE_LIMITS}) as stack:
        stack.start_workers(runs=2, experiments=1)
        serve(stack)
        warm(stack)
        yield stack


class StackMaker:
    """A factory of stacks, each with its own SQLite file and broker unless `env` names others.

    `library=False` leaves out the scenarios of the library.
    """

    def __init__(self, folders: pytest.TempPathFactory, database: Path) -> None:
        self.folders = folders
        self.database = database
        self.stacks: list[Stack] = []

    def __call__(self, *, library: bool = True, **env: str) -> Stack:
        folder = self.folders.mktemp("stack")
        file = shutil.copy(self.database if library else self.database.with_name("empty.sqlite3"), folder)
        stack = Stack({"KSCHEDUI_DATA_DIR": str(folder), "DATABASE_URL": f"sqlite:///{file}", **env}, folder)
        self.stacks.append(stack)
        if "REDIS_URL" not in env:
            stack.start_broker()
        return stack


def serve(stack: Stack) -> None:
    """Start the web server, and wait until the stack is ready.

    Another port is tried if a process has taken the first.
    """
    for tries_left in reversed(range(PORT_TRIES)):
        web = stack.start_web("127.0.0.1", free_port())
        try:
            stack.wait(LONG)
            return
        except StartError:
            if web.poll() is None or not tries_left:
                raise
            stack.children.pop("web").stop()


def warm(stack: Stack) -> None:
    """Wait for a first answer: the work pool loads the engine after the server has started."""
    status, answer = Visitor(stack.url).post("/api/v1/check", text="kind: Cluster")
    assert status == 200, answer


def manage(stack: Stack, *arguments: str) -> str:
    """Run `manage.py` with the stack's database and broker. Return its output."""
    return run_manage(stack.env, *arguments)


def run_manage(env: Mapping[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def chromium_path() -> str | None:
    """Return the path of the browser for tests, or None if there is none."""
    named = os.environ.get("KSCHEDUI_CHROMIUM")
    return named or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def missing_for_browser_tests(message: str) -> NoReturn:
    """Skip the test, or fail it where no browser test may be left out (KSCHEDUI_REQUIRE_BROWSER=1)."""
    if os.environ.get("KSCHEDUI_REQUIRE_BROWSER") == "1":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield a Chromium for all browser tests.

    They run last, because Playwright's event loop stays, and Django's ORM refuses to work in a thread with one.
    """
    path = chromium_path()
    if path is None:
        missing_for_browser_tests("no Chromium found: install it (chromium-headless-shell) or set KSCHEDUI_CHROMIUM")
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS, chromium_sandbox=False)
        yield browser
        browser.close()


@pytest.fixture
def browser_page(browser: Browser, live_stack: Stack) -> Iterator[Page]:
    """Yield a page in its own context, with addresses relative to `live_stack`. Errors on the page fail the test."""
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 1360, "height": 850})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
    page.on(
        "console", lambda said: errors.append(f"{said.text} {said.location['url']}") if said.type == "error" else None
    )
    yield page
    context.close()
    assert not errors, errors


@pytest.fixture
def phone(browser: Browser, live_stack: Stack) -> Iterator[Page]:
    """Yield a page with the width of a phone and a touch screen. Errors on the page do not fail the test."""
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 390, "height": 844}, has_touch=True)
    yield context.new_page()
    context.close()


def pytest_collection_finish() -> None:
    """Freeze the collected tests: they live until the end, and each garbage collection would traverse them."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their fixtures, and run those with a running site after the others, and those with a browser last.

    `make test` runs the tests that are not marked `slow`; of the browser tests, those marked `quick`. Browser tests are
    retried once. Their files with the most tests come first, so that the processes end at about the same time.
    """
    sizes = Counter(item.path for item in items)
    order: dict[pytest.Item, tuple[int, int]] = {}
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        order[item] = (0, 0)
        if "browser" in fixtures:
            item.add_marker("browser")
            item.add_marker(pytest.mark.flaky(reruns=1))
            order[item] = (2, -sizes[item.path])
        if {"prepared_database", "broker_url", "postgres_url"} & fixtures:
            item.add_marker("live")
            order[item] = max(order[item], (1, 0))
        if FAULTS in item.path.parents or ("browser" in fixtures and item.get_closest_marker("quick") is None):
            item.add_marker("slow")
    items.sort(key=order.__getitem__)
