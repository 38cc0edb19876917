"""Experiments whose workers or broker are killed have one row for every cell, as without the fault."""

import json
import os
import signal
from collections.abc import Callable
from typing import Any

from kschedui.supervisor.child import Child
from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.stack import Stack
from tests.conftest import StackMaker, serve
from tests.processes import descendants
from tests.web.experiments import OUTLIERS, outlier_factors
from tests.web.visitor import LONG, Visitor

SEEDS, PRIORITIES = 100, 12
SIZE = SEEDS * PRIORITIES


def start_experiment(visitor: Visitor) -> str:
    run = visitor.save(OUTLIERS)
    scenario = visitor.run(run)["scenario"]["id"]
    factors = outlier_factors(seeds=SEEDS, priorities=PRIORITIES)
    status, answer = visitor.post("/api/v1/experiments", scenario=scenario, factors=factors)
    assert status == 201, answer
    found: str = answer["id"]
    return found


def state(visitor: Visitor, eid: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(visitor.get(f"/api/v1/experiments/{eid}")[1])
    return found


def table(visitor: Visitor, eid: str) -> list[bytes]:
    """Wait until the experiment is done, and return the lines of the results table."""
    assert wait_until(lambda: state(visitor, eid)["state"] != "running", LONG), state(visitor, eid)
    found = state(visitor, eid)
    assert (found["state"], found["done"], found["failed"]) == ("done", SIZE, 0)
    return visitor.get(f"/api/v1/experiments/{eid}/results.csv")[1].splitlines()


def start_stack(make_stack: StackMaker) -> Stack:
    stack = make_stack(library=False, KSCHEDUI_RUN_LEASE_SECONDS="2", KSCHEDUI_REAPER_SECONDS="1")
    stack.start_workers(runs=1)
    stack.start_workers(experiments=2)
    serve(stack)
    return stack


def kill_pool(stack: Stack) -> None:
    """Kill the processes that simulate cells, but not the worker that started them."""
    pool = [one for one in descendants(stack.children["experiments"].group) if "kschedui.workers" in one.command]
    assert pool
    for process in pool:
        os.kill(process.pid, signal.SIGKILL)


def kill_worker(stack: Stack) -> None:
    os.killpg(stack.children["experiments"].group, signal.SIGKILL)
    stack.children.pop("experiments").stop()
    stack.start_workers(experiments=2)


def restart_broker(stack: Stack) -> None:
    """Kill and restart the broker, which stores nothing: every message is lost."""
    broker = stack.children["broker"]
    os.killpg(broker.group, signal.SIGKILL)
    broker.stop()
    stack.children["broker"] = Child(broker.program, stack.guard)


def test_after_kills_in_the_middle_each_cell_is_done_once(make_stack: StackMaker) -> None:
    stack = start_stack(make_stack)
    visitor = Visitor(stack.url)
    eid, done = start_experiment(visitor), 0
    faults: list[Callable[[Stack], None]] = [kill_pool, restart_broker, kill_worker, kill_pool]
    for fault in faults:
        assert wait_until(lambda: state(visitor, eid)["done"] > done, LONG)  # noqa: B023
        assert state(visitor, eid)["state"] == "running", "the experiment is not done before the fault"
        fault(stack)
        done = state(visitor, eid)["done"]
    disturbed = table(visitor, eid)
    assert [line.split(b",")[0] for line in disturbed[1:]] == [b"%d" % number for number in range(1, SIZE + 1)]
    assert disturbed == table(visitor, start_experiment(visitor))
