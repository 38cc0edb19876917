"""The workers of one machine are forked from one process, in pools that grow and shrink with the work."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kschedui import workers
from kschedui.supervisor.commands import WORKER_ENV
from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.stack import Stack
from tests.conftest import StackMaker, serve
from tests.faults.test_experiments_survive import start_experiment, state
from tests.processes import Process, descendants
from tests.web.runs.test_live_runs import GATED, SMALL, gate, gated
from tests.web.visitor import LONG, Visitor

__all__ = ["gate"]


def workers_of(stack: Stack) -> list[Process]:
    """Return the processes that the first worker's process has forked: the other workers, and those of all pools.

    The fork server that a process keeps after a large request (kschedui/uploads/worker.py) is left out.
    """
    return [one for one in descendants(stack.children["worker"].group) if "kschedui.workers" in one.command]


@pytest.mark.slow
def test_pools_grow_with_the_work_and_shrink_again(make_stack: StackMaker, gate: Path) -> None:
    stack = gated(make_stack, gate, experiments=2)
    visitor = Visitor(stack.url)
    at_rest = 2  # the other worker, and one process for runs
    assert wait_until(lambda: len(workers_of(stack)) == at_rest, LONG)
    waits = visitor.save(GATED)
    visitor.wait_for(waits, "running")
    assert visitor.wait_for(visitor.save(SMALL), "done", "failed")["state"] == "done", "in another process"
    assert len(workers_of(stack)) > at_rest
    eid = start_experiment(visitor)
    assert wait_until(lambda: state(visitor, eid)["done"] > 0, LONG)
    assert len(workers_of(stack)) > at_rest + 1
    (gate / "open").touch()
    assert visitor.wait_for(waits, "done", "failed")["state"] == "done"
    assert wait_until(lambda: state(visitor, eid)["state"] == "done", LONG)
    assert wait_until(lambda: len(workers_of(stack)) == at_rest, LONG)


@pytest.mark.slow
def test_the_memory_of_a_large_request_is_given_back(make_stack: StackMaker) -> None:
    """A process that has answered one keeps a server with all code for the next one, and ends it when it is idle."""
    stack = make_stack(library=False)
    stack.env["KSCHEDUI_WORK_IDLE_SECONDS"] = "1"
    stack.env["KSCHEDUI_MAX_DIRECT_BYTES"] = "100"
    stack.start_workers(runs=1)
    serve(stack)
    visitor = Visitor(stack.url)
    visitor.wait_for(visitor.save(SMALL), "done", "failed")

    def servers() -> list[Process]:
        return [
            one for one in descendants(stack.children["worker"].group) if "multiprocessing.forkserver" in one.command
        ]

    assert servers()
    assert wait_until(lambda: not servers(), LONG)
    visitor.wait_for(visitor.save(SMALL), "done", "failed")
    assert servers(), "and it starts again"


EXITS_SLOWLY = """
import os, signal
from kschedui.celery import app
from kschedui.supervisor.ports import wait_until
from kschedui.prefork_pool import Autoscaler, Pool

pool = Pool(3, app=app, initargs=(app, "worker"))
pool.start()
scaler = Autoscaler(pool, 3)
scaler.keepalive = -1.0
scaler.on_task_received(None)
slow = pool.info["processes"][0]
os.kill(slow, signal.SIGSTOP)
scaler.scale_down(1)
scaler.scale_down(1)
os.kill(slow, signal.SIGCONT)
assert wait_until(lambda: len(pool.info["processes"]) == pool.num_processes, 60.0), pool.info
scaler.scale_down(1)
assert wait_until(lambda: len(pool.info["processes"]) == pool.num_processes == 1, 60.0), pool.info
pool.terminate()
"""


def test_a_process_that_exits_slowly_is_not_counted_twice() -> None:
    subprocess.run([sys.executable, "-c", EXITS_SLOWLY], check=True)


RECONNECTED = """
from kombu.asynchronous import Hub
from kschedui.celery import app
from kschedui.prefork_pool import Pool

pool = Pool(2, app=app, initargs=(app, "worker"), threads=False)
pool.start()
hub = Hub()
pool.register_with_event_loop(hub)
pool._pool._untrack_child_process(pool._pool._pool[0], hub)  # as when the loop notices its exit
pool.register_with_event_loop(Hub())
pool.terminate()
"""


def test_a_worker_reconnects_to_the_broker_while_one_of_its_processes_exits() -> None:
    subprocess.run([sys.executable, "-c", RECONNECTED], check=True)


STOPPED_EARLY = """
import os, signal, sys
from celery import signals
from kschedui.workers import main

def stop(**_):
    os.kill(os.getpid(), signal.SIGTERM)

getattr(signals, sys.argv[1]).connect(stop)
sys.exit(main(["runs=1"]))
"""


@pytest.mark.parametrize("moment", ["worker_ready", "task_received"])
def test_a_worker_that_is_stopped_at_any_moment_logs_no_error(make_stack: StackMaker, moment: str) -> None:
    """The signal arrives before Celery's loop begins, or before the pool grows for the first task."""
    environment = make_stack(library=False).env | WORKER_ENV | {"KSCHEDUI_REAPER_SECONDS": "1"}
    command = [sys.executable, "-c", STOPPED_EARLY, moment]
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.slow
def test_workers_end_together_so_that_the_supervisor_starts_them_again(make_stack: StackMaker) -> None:
    stack = make_stack(library=False)
    stack.start_workers(runs=1, experiments=1)
    serve(stack)
    child = stack.children["worker"]
    assert wait_until(lambda: len(workers_of(stack)) == 2, LONG)
    experiments = min(one.pid for one in workers_of(stack) if one.parent == child.group)
    os.kill(experiments, signal.SIGKILL)
    assert wait_until(lambda: child.poll() is not None, LONG)
    assert wait_until(lambda: not workers_of(stack), LONG)


@pytest.mark.parametrize("arguments", [[], ["runs"], ["runs=0"], ["runs=many"], ["runs=2", "runs=3"], ["walks=2"]])
def test_a_wrong_argument_is_one_sentence(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"^[^\n]+; expected runs=3, experiments=2 or both\.$"):
        workers.sizes_of(arguments)


def test_arguments_are_numbers_of_processes() -> None:
    assert workers.sizes_of(["runs=3", "experiments=2"]) == {"runs": 3, "experiments": 2}
