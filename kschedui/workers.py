"""Runs Celery workers: `python -m kschedui.workers runs=3 experiments=2`, each with up to this many processes.

This process loads the code and becomes the first worker; the others are forked from it, so that they share its memory.
If one of them ends, so do all. Celery's own command would load its shell and a terminal's toolkit in each of them.
"""

import os
import sys
from importlib import import_module
from typing import Any

from celery.signals import worker_ready
from celery.worker import state

from kschedui.celery import ALIVE_FILE, app, share_memory
from kschedui.prefork_pool import Autoscaler, Pool
from kschedui.supervisor.ports import wait_until

# What Celery, and the engine for some scenarios, would import in each process.
LATER = (
    "celery.concurrency.asynpool",
    "celery.worker.consumer",
    "kombu.transport.redis",
    "scheduler_core.autoscaling.cluster_autoscaler.loop",
    "scheduler_core.autoscaling.descheduler.descheduler",
    "scheduler_core.autoscaling.karpenter.karpenter",
    "scheduler_core.cel.device",
    "scheduler_core.cel.environment",
)
USAGE = "runs=3, experiments=2 or both"
IDLE = {"runs": 1, "experiments": 0}  # processes of a pool that stay while there is no work
WATCH_SECONDS = 1.0
STOP_SECONDS = 7.0  # in which a worker that was asked to stop ends; the supervisor waits a second longer


def main(arguments: list[str]) -> int:
    """Run the workers until they end. Return the exit status of this process's own."""
    sizes = sizes_of(arguments)
    app.loader.import_default_modules()
    for module in LATER:
        import_module(module)
    share_memory()
    first, *others = sizes.items()
    forked = [Forked(*other) for other in others]
    status = work(*first)
    wait_until(lambda: all(worker.ended() for worker in forked), STOP_SECONDS)  # they got the same signal
    return status


class Forked:
    """A worker in a process forked from this one, whose own worker ends if that one does."""

    def __init__(self, queue: str, size: int) -> None:
        self.pid = os.fork()
        if not self.pid:
            sys.exit(work(queue, size))
        worker_ready.connect(self.watch, weak=False)

    def ended(self) -> bool:
        """Return whether the process has ended."""
        if self.pid and os.waitpid(self.pid, os.WNOHANG)[0]:
            self.pid = 0
        return not self.pid

    def watch(self, sender: Any, **signal: Any) -> None:
        """Check once a second whether the process has ended. Celery does not call this after a request to stop."""
        sender.timer.call_repeatedly(WATCH_SECONDS, self.end_worker_with_it)

    def end_worker_with_it(self) -> None:
        """End the worker of this process, as a signal would, if the other one has ended."""
        if self.ended():
            state.should_terminate = 1


def sizes_of(arguments: list[str]) -> dict[str, int]:
    """Return the number of processes of each queue. Exits with a sentence if an argument is wrong."""
    sizes = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if not sizes or len(sizes) < len(arguments) or not all(size.isdecimal() and int(size) for size in sizes.values()):
        sys.exit(f"{' '.join(arguments) or 'Nothing'} is not a number of processes for each queue; expected {USAGE}.")
    if strange := sizes.keys() - IDLE.keys():
        sys.exit(f"There is no queue {', '.join(sorted(strange))}; expected {USAGE}.")
    return {queue: int(size) for queue, size in sizes.items()}


def work(queue: str, size: int) -> int:
    """Run the worker of a queue until it ends. Return its exit status."""
    if queue != app.conf.task_default_queue:
        os.environ.pop(ALIVE_FILE, None)  # which says that runs are worked on
    worker = app.Worker(
        queues=[queue],
        pool_cls=Pool,
        concurrency=size,
        autoscale=(size, IDLE[queue]),
        autoscaler_cls=Autoscaler,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
