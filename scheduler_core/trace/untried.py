"""Attempts without an evaluated node: a group's cycle may end before it reaches a member."""

from __future__ import annotations

from scheduler_core.apis.messages import Message, NotAnswerable
from scheduler_core.trace.event import Event
from scheduler_core.trace.pod_group_events import PodGroupDecided, PodGroupMemberDecided


def no_such_attempt(attempt: int) -> NotAnswerable:
    """Return the error for an attempt that the run does not have."""
    return NotAnswerable(Message("The run has no attempt {number}.", number=attempt))


class Untried:
    """Follows a run up to the evaluation of a pod in an attempt."""

    def __init__(self, attempt: int, *, some_nodes: bool = False) -> None:
        """Create a follower. `some_nodes`: only an evaluation on some of the nodes counts."""
        self._attempt, self._some_nodes = attempt, some_nodes
        self._group = PodGroupDecided("", "Unschedulable")

    def see(self, event: Event) -> None:
        """Process an event. Raises NotAnswerable if the group's decision reaches a member that was not evaluated."""
        if isinstance(event, PodGroupDecided):
            self._group = event
        elif isinstance(event, PodGroupMemberDecided) and event.attempt == self._attempt:
            number, pod = event.attempt, event.pod
            if self._some_nodes:
                raise NotAnswerable(
                    Message("Attempt {number} tried {pod} on none of these nodes.", number=number, pod=pod)
                )
            message = self._group.message or self._group.outcome
            raise NotAnswerable(
                Message(
                    "Attempt {number} tried {pod} on no node. The result of its group: {message}",
                    number=number,
                    pod=pod,
                    message=message,
                )
            )
