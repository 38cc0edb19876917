"""Celery's prefork pool, for workers that may be asked to end at any moment and have few processes at rest.

Celery recognises the kind of a pool by the name of its class's module, which must contain "prefork".
"""

from typing import Any

from celery.concurrency import prefork
from celery.worker import autoscale, state
from django.conf import settings


class ReconnectingPool(prefork.AsynPool):
    """The pool's processes, which Celery's loop watches again after each new connection to the broker."""

    def _track_child_process(self, proc: Any, hub: Any) -> None:
        """Watch a process, unless its exit was noticed: Kombu 5.7 would raise an error that ends the worker.

        https://github.com/celery/celery/issues/9250
        """
        if getattr(proc, "_sentinel_poll", True) is not None:
            super()._track_child_process(proc, hub)


class Pool(prefork.TaskPool):
    """A pool of processes, which a request to end may stop before Celery's loop has begun."""

    Pool = ReconnectingPool

    def did_start_ok(self) -> bool:
        """Return whether the processes started, or the pool is stopped: the loop then ends the worker."""
        return self._pool is None or super().did_start_ok()


class Autoscaler(autoscale.Autoscaler):
    """Changes the number of processes of a pool with the work.

    Half a lease after the last task, all but the minimum end. At rest, a lease is the time between two tasks.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, keepalive=settings.RUN_LEASE_SECONDS / 2, **options)

    def maybe_scale(self, request: Any = None) -> None:
        """Start or end processes, as the number of tasks requires, unless the worker is ending."""
        if not state.should_terminate:
            super().maybe_scale(request)

    def scale_down(self, n: int) -> None:
        """End `n` processes that are idle, but none while an earlier one still exits.

        The pool would choose that one again and count it twice, and another process would stay for ever.
        """
        if len(self.pool.info["processes"]) == self.processes:
            super().scale_down(n)
