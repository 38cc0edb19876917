"""`manage.py up` with real processes: one line when ready, one sentence on failure, and nothing left behind."""

import contextlib
import importlib.metadata
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from kschedui.supervisor import __main__ as supervisor
from kschedui.supervisor.errors import StartError
from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.revival import Revival
from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.conftest import ROOT
from tests.processes import Process, descendants, still_running
from tests.web.visitor import Visitor

ONE_POD = scenario(node("n1"), pod("only"))

START_SECONDS = 120
STOP_SECONDS = 120

Start = Callable[..., "Up"]


class Up:
    """A started `manage.py up`."""

    url = ""

    def __init__(self, *args: str, env: dict[str, str], cwd: Path = ROOT) -> None:
        others = ("REDIS_URL", "DATABASE_URL", "PORT", "SECRET_KEY", "PYTHONUNBUFFERED")
        inherited = {k: v for k, v in os.environ.items() if k not in others}
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "up", *args],
            cwd=cwd,
            env={**inherited, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ready(self) -> str:
        """Wait for the line that says that the site is ready, and return its address."""
        line = self.process.stdout.readline()
        match = re.fullmatch(r"kschedui is ready: (http://\S+)  \(Ctrl-C stops it\)\n", line)
        assert match, line + (self.process.stderr.read() if not line else "")
        return match[1]

    def family(self) -> list[Process]:
        """Return the descendants of the process."""
        return descendants(self.process.pid)

    def end(self) -> tuple[int, str]:
        """Wait for the end. Return exit status and standard error."""
        _, errors = self.process.communicate(timeout=STOP_SECONDS)
        return self.process.returncode, errors


@pytest.fixture
def start(tmp_path: Path, prepared_database: Path) -> Iterator[Start]:
    """Yield a function that starts `manage.py up` on a folder with a prepared database."""
    with starting(tmp_path, prepared_database) as start:
        yield start


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory, prepared_database: Path) -> Iterator[tuple[Start, Up]]:
    """Yield a function that starts `manage.py up` on a folder, and a running `manage.py up` on that folder."""
    with starting(tmp_path_factory.mktemp("lasting"), prepared_database) as start:
        up = start(KSCHEDUI_RUN_LEASE_SECONDS="2", KSCHEDUI_REAPER_SECONDS="1")
        up.url = up.ready()
        yield start, up


@contextlib.contextmanager
def starting(folder: Path, prepared_database: Path) -> Iterator[Start]:
    """Yield a function that starts `manage.py up` on the folder, and stop all of these processes at the end."""
    started: list[Up] = []
    (folder / "data").mkdir()
    shutil.copy(prepared_database, folder / "data")

    def start(*args: str, cwd: Path = ROOT, **env: str) -> Up:
        up = Up(*(args or ("--port", "0")), env={"KSCHEDUI_DATA_DIR": str(folder / "data"), **env}, cwd=cwd)
        started.append(up)
        return up

    yield start
    for up in started:
        if up.process.poll() is None:
            up.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                up.process.wait(STOP_SECONDS)
            up.process.kill()
        up.process.communicate()


def assert_refused(up: Up, sentence: str) -> None:
    status, errors = up.end()
    assert status == 1
    assert re.search(sentence, errors), errors
    assert "Traceback" not in errors


def gone(family: list[Process]) -> bool:
    return wait_until(lambda: not still_running(family), STOP_SECONDS)


def test_up_serves_and_a_second_start_finds_what_the_first_left(start: Start, tmp_path: Path) -> None:
    (tmp_path / "data/kschedui.sqlite3").unlink()
    for _ in range(2):
        up = start()
        assert becomes_well(Visitor(up.ready()))
        up.process.terminate()
        assert up.end()[0] == 0


@pytest.mark.slow
def test_it_can_be_started_from_another_folder(start: Start, tmp_path: Path) -> None:
    up = start(cwd=tmp_path, KSCHEDUI_DATA_DIR="data")
    assert becomes_well(Visitor(up.ready()))
    up.process.terminate()
    assert up.end()[0] == 0
    assert (tmp_path / "data" / "lock").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_signal_leaves_no_process(start: Start, number: signal.Signals) -> None:
    up = start()
    up.ready()
    family = up.family()
    assert sum("kschedui.workers" in process.command for process in family) >= 3  # two workers and a process for runs
    up.process.send_signal(number)
    status, errors = up.end()
    assert status == 0
    assert "Traceback" not in errors
    assert not still_running(family)


def test_a_signal_while_starting_leaves_no_process(start: Start) -> None:
    up = start()
    assert wait_until(lambda: any("valkey-server" in process.command for process in up.family()), START_SECONDS)
    family = up.family()
    up.process.send_signal(signal.SIGINT)
    assert up.end()[0] == 0
    assert gone(family)


def test_a_stop_signal_whose_exception_was_dropped_is_not_forgotten() -> None:
    before = {number: signal.getsignal(number) for number in supervisor.STOP_SIGNALS}
    try:
        for number in before:
            signal.signal(number, supervisor.request_stop)
        supervisor.stop_if_requested()
        with contextlib.suppress(supervisor.StopRequested):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(supervisor.StopRequested):
            supervisor.stop_if_requested()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.slow
def test_kill_9_of_the_supervisor_leaves_no_process_and_the_next_start_removes_its_temporary_files(
    start: Start,
) -> None:
    with tempfile.TemporaryDirectory(prefix="up-") as temporary:  # tmp_path is too long for the address of a socket
        up = start(TMPDIR=temporary)
        up.ready()
        family, (left,) = up.family(), Path(temporary).iterdir()
        assert len(list(left.iterdir())) > 1, "the worker's places and the forkserver's socket are there"
        up.process.kill()
        assert gone(family), still_running(family)
        up = start(TMPDIR=temporary)
        up.ready()
        assert [folder.name for folder in Path(temporary).iterdir()] != [left.name]
        assert not left.exists()
        up.process.terminate()
        up.end()
        assert not list(Path(temporary).iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["worker", "broker", "web"])
def test_a_child_that_was_killed_is_started_again_and_runs_go_on(lasting: tuple[Start, Up], name: str) -> None:
    _, up = lasting
    visitor = Visitor(up.url)
    assert becomes_well(visitor)
    family = up.family()
    program = {"worker": "-m kschedui.workers", "broker": "valkey-server", "web": "-m uvicorn"}[name]
    victim = next(p for p in family if program in p.command)
    os.kill(victim.pid, signal.SIGKILL)
    assert gone([victim])
    assert becomes_well(visitor)
    run = visitor.save(ONE_POD)
    assert visitor.wait_for(run, "done", "failed")["state"] == "done"


def becomes_well(visitor: Visitor) -> bool:
    """Return whether the web server answers soon, and reports a working database and broker."""

    def is_well() -> bool:
        try:
            return visitor.get("/healthz")[0] == 200
        except OSError:
            return False

    return wait_until(is_well, START_SECONDS)


@pytest.mark.slow
def test_a_killed_guard_comes_back_and_knows_every_child(start: Start) -> None:
    up = start()
    visitor = Visitor(up.ready())
    assert becomes_well(visitor)
    children = [p for p in up.family() if p.parent == up.process.pid]
    guard = next(p for p in children if "guard.py" in p.command)
    others = {p.pid for p in children} - {guard.pid}
    assert len(others) == 3, "broker, web server and workers"
    os.kill(guard.pid, signal.SIGKILL)
    assert wait_until(lambda: any("guard.py" in p.command and p.pid != guard.pid for p in up.family()), START_SECONDS)
    assert others <= {p.pid for p in up.family()}, "the others go on"
    family = up.family()
    assert becomes_well(visitor)
    up.process.kill()
    assert gone(family), still_running(family)


def test_what_never_stays_is_given_up_after_longer_and_longer_pauses(tmp_path: Path) -> None:
    now, said = 0.0, []
    with Stack({}, tmp_path) as stack:
        stack._start("web", [sys.executable, "-c", "raise SystemExit(3)"], {}, grace=1)
        revival = Revival(stack, said.append, clock=lambda: now)
        for _ in range(16):  # eight pauses, and a start after each
            assert wait_until(lambda: stack.children["web"].poll() is not None, START_SECONDS)
            revival.look()
            now += 40
        assert wait_until(lambda: stack.children["web"].poll() is not None, START_SECONDS)
        with pytest.raises(StartError, match=r"The web ended unexpectedly \(exit status 3\)"):
            revival.look()
    pauses = [float(line.split(" in ")[1].removesuffix(" s.")) for line in said]
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_a_taken_port_is_one_sentence(start: Start) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert_refused(start("--port", str(port)), f"^Port {port} on 127.0.0.1 is taken by another program: .*\n$")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--port", "99999"], r"^There is no port 99999: they go from 1 to 65535\.\n$"),
        (["--host", "no-such-host.invalid", "--port", "0"], r"^Cannot listen on no-such-host.invalid port \d+: .*\n$"),
        (["--host", "0.0.0.0", "--port", "0"], r"^Development mode's error pages tell secrets: .*\n$"),
    ],
)
def test_an_impossible_address_is_one_sentence(start: Start, arguments: list[str], sentence: str) -> None:
    assert_refused(start(*arguments), sentence)


def test_a_second_instance_is_refused(lasting: tuple[Start, Up]) -> None:
    start, first = lasting
    assert_refused(start(), rf"^Another kschedui already uses the data folder \S+ \(process {first.process.pid}\)\.\n$")


def test_an_unwritable_folder_is_one_sentence(start: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert_refused(
        start(KSCHEDUI_DATA_DIR=str(tmp_path / "file" / "data")), r"^The data folder \S+ cannot be written: .*\n$"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_one_sentence(start: Start, tmp_path: Path) -> None:
    (tmp_path / "data").chmod(0o500)
    assert_refused(start(), r"^The data folder \S+ cannot be written: Permission denied\.\n$")


def test_a_broken_database_is_one_sentence(start: Start, tmp_path: Path) -> None:
    (tmp_path / "data" / "kschedui.sqlite3").write_text("no database at all, " * 100)
    assert_refused(start(), r"The database \S+ cannot be used: file is not a database\.\n$")


def test_a_silent_broker_is_one_sentence(start: Start) -> None:
    assert_refused(start(REDIS_URL="redis://127.0.0.1:1/0"), r"^The broker at REDIS_URL does not answer: .*\n$")


def test_production_without_a_secret_key_is_refused(start: Start) -> None:
    assert_refused(start(KSCHEDUI_ENV="production"), r"^kschedui cannot start: production mode needs SECRET_KEY .*\n$")


def test_the_embedded_broker_asks_for_a_password(lasting: tuple[Start, Up]) -> None:
    _, up = lasting
    assert becomes_well(Visitor(up.url))
    broker = next(p for p in up.family() if "valkey-server" in p.command)
    port = int(re.search(r":(\d+)", broker.command)[1])
    with redis.Redis(port=port) as stranger, pytest.raises(redis.AuthenticationError):
        stranger.ping()


@pytest.mark.slow
def test_redis_url_is_used_instead_of_the_embedded_broker(start: Start, broker_url: str) -> None:
    up = start(REDIS_URL=broker_url)
    up.ready()
    assert not any("valkey-server" in process.command for process in up.family())


BLOCKER = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"{{name}} is in the development lock only", name=name)
sys.meta_path.insert(0, Blocker())
"""


def locked(file: str) -> set[str]:
    return set(re.findall(r"^([A-Za-z0-9_.-]+)==", (ROOT / file).read_text(), re.MULTILINE))


@pytest.mark.slow
def test_up_needs_nothing_but_what_the_lock_for_running_brings(start: Start, tmp_path: Path) -> None:
    extra = locked("requirements-dev.lock") - locked("requirements.lock")
    assert "pytest" in extra
    modules = {
        module
        for module, distributions in importlib.metadata.packages_distributions().items()
        if {re.sub(r"[-_.]+", "-", name).lower() for name in distributions} <= extra
    }
    (tmp_path / "sitecustomize.py").write_text(BLOCKER.format(names=modules))
    up = start(PYTHONPATH=str(tmp_path))
    up.ready()
    up.process.terminate()
    assert up.end()[0] == 0
