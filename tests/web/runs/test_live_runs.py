"""Worker, broker, database and websocket as real processes: streaming, lost connections, kills, cancellation,
refusals."""

import json
import os
import signal
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from websockets.exceptions import ConnectionClosed, InvalidStatus

from kschedui.supervisor.child import Child
from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.stack import Stack
from tests.builders import configuration, node, pod, scenario
from tests.conftest import StackMaker, manage, serve
from tests.faults.stacks import breakable
from tests.processes import Process, descendants
from tests.web.visitor import LONG, Follower, Visitor

MAX_POOL = 2  # processes in a pool of a breakable stack: one may do a long run, the other only small ones
QUEUE, UNACKNOWLEDGED = "kschedui:runs", "kschedui:unacked"  # the broker's keys
CONNECTIONS = Path("/proc/net/tcp")
SMALL = scenario(*(node(f"n{i}", cpu=4) for i in range(4)), *(pod(f"p{i}", cpu=1) for i in range(60)))
LARGE = scenario(
    *(node(f"n{i}", cpu=64, zone=f"z{i % 3}") for i in range(200)),
    *(pod(f"p{i}", cpu="500m", labels={"app": f"a{i % 7}"}) for i in range(2000)),
)
GATED = (
    LARGE + "\n---\n" + scenario(configuration(profiles=[{"plugins": {"reserve": {"enabled": [{"name": "Gate"}]}}}]))
)
GATE = """
import os, time
from scheduler_core.framework.status import SUCCESS

class Gate:
    name = "Gate"

    def __init__(self, args, handle):
        pass

    def reserve(self, pod, state, node_name):
        while pod.name == "p900" and not os.path.exists(os.environ["GATE"]):
            time.sleep(0.05)
        return SUCCESS

    def unreserve(self, pod, state, node_name):
        pass
"""


@pytest.fixture
def visitor(live_stack: Stack) -> Visitor:
    """Return a visitor of the shared stack."""
    return Visitor(live_stack.url)


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Return a folder with a package whose plugin stops GATED runs in the middle until the folder has a file `open`.

    With it, a run is still going on while the test disturbs it, on fast and slow machines.
    """
    (tmp_path / "gate.py").write_text(GATE)
    about = tmp_path / "gate-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gate\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[kschedui.plugins]\nGate = gate:Gate\n")
    return tmp_path


def gated(make_stack: StackMaker, gate: Path, experiments: int = 0) -> Stack:
    """Return a breakable stack that has the plugin."""
    return breakable(make_stack, experiments=experiments, PYTHONPATH=str(gate), GATE=str(gate / "open"))


def test_a_saved_scenario_runs_and_streams(visitor: Visitor) -> None:
    follower = Follower(visitor, visitor.save(SMALL))
    follower.follow()
    assert follower.texts[0]["type"] == "hello"
    assert follower.texts[-1]["chunks"] == len(follower.taken) > 2
    assert follower.taken == visitor.frames(follower.run)


def test_a_dropped_connection_loses_and_doubles_nothing(visitor: Visitor) -> None:
    follower = Follower(visitor, visitor.save(LARGE))
    for chunks in (1, 2, 3):
        follower.follow(most=chunks)
    assert len(follower.taken) == 6
    follower.follow()
    assert follower.taken == visitor.frames(follower.run)


def test_two_viewers_and_a_late_one_see_the_same(visitor: Visitor) -> None:
    run = visitor.save(LARGE)
    followers = [Follower(Visitor(visitor.url), run) for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(Follower.follow, followers))
    late = Follower(Visitor(visitor.url), run)
    late.follow()
    assert followers[0].taken == followers[1].taken == late.taken
    assert late.texts[0]["state"] == "done"


def test_a_library_scenario_is_there_at_once(visitor: Visitor) -> None:
    status, page = visitor.get("/library/high-preempts-low/")
    assert status == 200
    boot = json.loads(page.decode().split('<script id="boot" type="application/json">')[1].split("</script>")[0])
    assert visitor.run(boot["run"])["state"] == "done"


def test_the_worker_killed_in_the_middle_gives_the_same_bytes(make_stack: StackMaker, gate: Path) -> None:
    stack = gated(make_stack, gate)
    visitor = Visitor(stack.url)
    run = visitor.save(GATED)
    follower = Follower(visitor, run)
    follower.follow(most=4)
    os.killpg(stack.children["worker"].group, signal.SIGKILL)
    before = visitor.run(run)
    assert (before["state"], before["chunks"] >= 4) == ("running", True)
    (gate / "open").touch()
    stack.start_workers(runs=1)
    follower.follow()
    after = visitor.wait_for(run, "done", "failed")
    assert after["state"] == "done"
    assert after["chunks"] > before["chunks"]
    undisturbed = visitor.save(GATED)
    visitor.wait_for(undisturbed, "done", "failed")
    assert undisturbed != run
    assert visitor.frames(run) == visitor.frames(undisturbed) == follower.taken


@pytest.mark.slow
def test_only_the_pool_process_killed_is_repaired_by_the_same_worker(make_stack: StackMaker, gate: Path) -> None:
    stack = gated(make_stack, gate)
    visitor = Visitor(stack.url)
    run = visitor.save(GATED)
    Follower(visitor, run).follow(most=3)
    main = stack.children["worker"].group
    pool = [process for process in descendants(main) if "kschedui.workers" in process.command]
    assert pool
    for process in pool:
        os.kill(process.pid, signal.SIGKILL)
    assert visitor.run(run)["state"] in ("running", "queued")
    (gate / "open").touch()
    assert visitor.wait_for(run, "done", "failed")["state"] == "done"
    follower = Follower(visitor, run)
    follower.follow()
    assert follower.taken == visitor.frames(run)


@pytest.mark.slow
def test_a_worker_that_was_busy_while_the_broker_was_away_goes_on(
    make_stack: StackMaker, capfd: pytest.CaptureFixture[str]
) -> None:
    stack = breakable(make_stack)
    broker, main = stack.children["broker"], stack.children["worker"].group
    with redis.Redis.from_url(stack.env["REDIS_URL"]) as client:

        def waits() -> bool:
            """Return whether the worker has a periodic check for lost runs for each of its processes, and more are
            queued."""
            signal_all(descendants(main), signal.SIGSTOP)  # also the processes that the pool has added meanwhile
            return client.hlen(UNACKNOWLEDGED) == MAX_POOL and client.llen(QUEUE) > 0

        assert wait_until(waits, LONG)
    os.kill(broker.group, signal.SIGKILL)
    assert wait_until(lambda: broker.poll() is not None, LONG)
    capfd.readouterr()
    signal_all(descendants(main), signal.SIGCONT)
    assert wait_until(lambda: "Couldn't ack" in capfd.readouterr().err, LONG)
    stack.children["broker"] = Child(broker.program, stack.guard)
    visitor = Visitor(stack.url)
    assert wait_until(lambda: visitor.get("/healthz")[0] == 200, LONG)
    assert visitor.wait_for(visitor.save(SMALL), "done", "failed")["state"] == "done"


def signal_all(family: list[Process], number: signal.Signals) -> None:
    for process in family:
        os.kill(process.pid, number)


@pytest.mark.slow
def test_a_step_that_takes_longer_than_the_lease_stays_with_its_worker(make_stack: StackMaker, gate: Path) -> None:
    stack = gated(make_stack, gate)
    visitor = Visitor(stack.url)
    run = visitor.save(GATED)
    Follower(visitor, run).follow(most=3)
    begun, _ = lease_and_tries(stack, run)
    assert wait_until(lambda: lease_and_tries(stack, run)[0] > begun + timedelta(seconds=6), LONG)  # three leases
    (gate / "open").touch()
    assert visitor.wait_for(run, "done", "failed")["state"] == "done"
    assert lease_and_tries(stack, run)[1] == 1


def lease_and_tries(stack: Stack, run: str) -> tuple[datetime, int]:
    """Return the end of the run's lease, and how many workers have claimed it."""
    file = stack.env["DATABASE_URL"].removeprefix("sqlite:///")
    with sqlite3.connect(file) as database:
        row = database.execute("SELECT lease_until, tries FROM kschedui_run WHERE public_id = ?", [run]).fetchone()
    return datetime.fromisoformat(row[0] or "0001-01-01"), row[1]


@pytest.mark.slow
def test_a_run_that_was_saved_while_no_worker_was_there_is_done_later(make_stack: StackMaker) -> None:
    stack = make_stack(library=False)
    serve(stack)
    visitor = Visitor(stack.url)
    run = visitor.save(SMALL)
    assert visitor.run(run)["state"] == "queued"
    stack.start_workers(runs=1)
    follower = Follower(visitor, run)
    follower.follow()
    assert follower.texts[-1]["state"] == "done"


def test_cancel_ends_the_run_and_tells_its_followers(make_stack: StackMaker, gate: Path) -> None:
    visitor = Visitor(gated(make_stack, gate).url)
    run = visitor.save(GATED)
    follower = Follower(visitor, run)
    follower.follow(most=2)
    status, answer = visitor.post(f"/api/v1/runs/{run}/cancel")
    assert (status, answer) == (200, {"cancelled": True})
    follower.follow()
    assert follower.texts[-1]["state"] == "cancelled"
    assert follower.taken == visitor.frames(run)
    assert Visitor(visitor.url).post(f"/api/v1/runs/{run}/cancel")[0] == 403
    (gate / "open").touch()  # so that the worker notices, and stops at once


def test_a_page_of_another_site_gets_no_websocket(visitor: Visitor) -> None:
    for origin in ("http://evil.example", "null"):
        with pytest.raises(InvalidStatus) as refused:
            visitor.socket(origin=origin)
        assert refused.value.response.status_code == 403


def test_unknown_and_private_runs_are_closed_with_their_codes(visitor: Visitor) -> None:
    assert close_code(visitor, "nothinghere") == 4004
    status, preview = visitor.post("/api/v1/preview", text=SMALL)
    assert status == 200
    assert close_code(Visitor(visitor.url), preview["run"]) == 4001
    follower = Follower(visitor, preview["run"])
    follower.follow()
    assert follower.texts[-1]["state"] == "done"


def close_code(visitor: Visitor, run: str) -> int | None:
    """Return the code with which the server closes after a subscription, or None without a code."""
    with visitor.socket() as connection:
        connection.send(json.dumps({"type": "subscribe", "run": run, "cursor": 0}))
        return drained(connection)


def drained(connection: Any) -> int | None:
    """Read until the server closes the connection. Return the close code, or None if there is none."""
    try:
        while True:
            connection.recv(timeout=LONG)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


FILL = """
import os
from kschedui.runs import frames, store as runs
from kschedui.models import Chunk, Run
run = runs.claim("{run}") or Run.objects.get(public_id="{run}")
Chunk.objects.filter(run=run).delete()
for seq in range(40):
    body = os.urandom(1024 * 1024)
    known = (frames.MAGIC, 1, frames.CHECKED, seq, seq, 1, len(body))
    frame = frames.HEADER.pack(*known, frames.checksum_of(frames.HEADER.pack(*known, 0), body)) + body
    Chunk.objects.create(run=run, seq=seq, first_step=seq, events=1, frame=frame)
Run.objects.filter(pk=run.pk).update(chunks=40, steps=40, bytes=40 * 1024 * 1024, state="done")
"""


@pytest.mark.skipif(not CONNECTIONS.exists(), reason="only Linux lists connections in a file")
def test_a_viewer_that_takes_nothing_is_closed_and_others_are_not_held_up(make_stack: StackMaker) -> None:
    stack = breakable(make_stack, KSCHEDUI_WEBSOCKET_SEND_SECONDS="5")
    visitor = Visitor(stack.url)
    run = visitor.save(SMALL)
    visitor.wait_for(run, "done")
    manage(stack, "shell", "-v", "0", "-c", FILL.format(run=run))
    address = urlsplit(stack.url)
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
    narrow.connect((address.hostname, address.port))
    with visitor.socket(sock=narrow, max_queue=1, ping_interval=None) as slow:
        slow.send(json.dumps({"type": "subscribe", "run": run, "cursor": 0}))
        follower = Follower(visitor, run)
        follower.follow()
        assert len(follower.taken) == 40
        assert wait_until(lambda: not established(stack, narrow.getsockname()[1]), LONG), "still open"
        narrow_end = drained(slow)
    assert narrow_end in (4008, None)


def established(stack: Stack, port: int) -> bool:
    """Return whether the web server still has the connection from this port."""
    status, body = Visitor(stack.url).get("/healthz")
    assert status == 200, body
    server = f":{urlsplit(stack.url).port:04X}"
    rows = [line.split() for line in CONNECTIONS.read_text().splitlines()[1:]]
    return any(row[1].endswith(server) and row[2].endswith(f":{port:04X}") and row[3] == "01" for row in rows)
