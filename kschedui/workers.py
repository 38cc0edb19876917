"""Runs Celery workers: `python -m kschedui.workers runs=3 experiments=2`, each with up to so many processes.

Several are forked from one process that has loaded the code, so that they share its memory; if one of them ends, so
does this process. Celery's own command would load its shell and a terminal's toolkit in each of them.
"""

import os
import signal
import sys
from importlib import import_module
from types import FrameType

from django.conf import settings

from kschedui.celery import ALIVE_FILE, app, share_memory

# What Celery, and the engine for some scenarios, would import in each process.
LATER = (
    "celery.concurrency.asynpool",
    "celery.concurrency.prefork",
    "celery.worker.autoscale",
    "celery.worker.consumer",
    "kombu.transport.redis",
    "scheduler_core.autoscaling.cluster_autoscaler.loop",
    "scheduler_core.autoscaling.descheduler.descheduler",
    "scheduler_core.autoscaling.karpenter.karpenter",
    "scheduler_core.cel.device",
    "scheduler_core.cel.environment",
)
USAGE = "runs=3, experiments=2 or both"
IDLE = {"runs": 1, "experiments": 0}  # processes that stay while there is no work


def main(arguments: list[str]) -> int:
    """Run the workers until they end. Return the exit status of the first that ended."""
    sizes = sizes_of(arguments)
    # After this time without a task, the other processes end. At rest, a lease is the time between two tasks.
    os.environ["AUTOSCALE_KEEPALIVE"] = str(settings.RUN_LEASE_SECONDS / 2)  # which Celery reads as it is imported
    app.loader.import_default_modules()
    for module in LATER:
        import_module(module)
    share_memory()
    if len(sizes) == 1:
        return work(*sizes.popitem())
    for queue, size in sizes.items():
        if os.fork() == 0:
            sys.exit(work(queue, size))
    signal.signal(signal.SIGTERM, wait_for_all)
    _, status = os.wait()
    return os.waitstatus_to_exitcode(status)


def sizes_of(arguments: list[str]) -> dict[str, int]:
    """Return the number of processes of each queue. Exits with a sentence if an argument is wrong."""
    sizes = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if not sizes or len(sizes) < len(arguments) or not all(size.isdigit() and int(size) for size in sizes.values()):
        sys.exit(f"{' '.join(arguments) or 'Nothing'} is no number of processes for each queue; expected {USAGE}.")
    if strange := sizes.keys() - IDLE.keys():
        sys.exit(f"There is no queue {', '.join(sorted(strange))}; expected {USAGE}.")
    return {queue: int(size) for queue, size in sizes.items()}


def work(queue: str, size: int) -> int:
    """Run the worker of a queue until it ends. Return its exit status."""
    if queue != app.conf.task_default_queue:
        os.environ.pop(ALIVE_FILE, None)  # which says that runs are worked on
    worker = app.Worker(
        queues=[queue],
        pool_cls="prefork",
        concurrency=size,
        autoscale=(size, IDLE[queue]),
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def wait_for_all(number: int, frame: FrameType | None) -> None:
    """Wait for the workers, which got the same signal, and end."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            sys.exit()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
