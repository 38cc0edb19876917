"""The message of an unschedulable pod (kube-scheduler: framework.FitError.Error)."""

from __future__ import annotations

from collections import defaultdict

from scheduler_core.apis.messages import RunEnded
from scheduler_core.framework.interface import Diagnosis


class FitError(Exception):
    """Raised if no node fits; see `diagnosis`.

    `num_all_nodes` is 1 if a single node was evaluated (Reserve, Permit).
    """

    def __init__(self, num_all_nodes: int, diagnosis: Diagnosis, *, post_filter_dot: bool = False) -> None:
        super().__init__()
        self._post_filter_end = "." if post_filter_dot else ""
        self.num_all_nodes = num_all_nodes
        self.diagnosis = diagnosis

    def __str__(self) -> str:
        """Return "0/5 nodes are available: ", the PreFilter message or counted reasons, and the PostFilter message."""
        diagnosis = self.diagnosis
        text = f"0/{self.num_all_nodes} nodes are available:"
        reasons = diagnosis.pre_filter_message or ", ".join(self._histogram())
        if reasons:
            text += f" {reasons}."
        if diagnosis.post_filter_message:
            text += f" {diagnosis.post_filter_message}{self._post_filter_end}"
        return text

    def _histogram(self) -> list[str]:
        """Return each reason after its number of nodes ("2 Insufficient cpu"), sorted as strings.

        Nodes without a status have the status `diagnosis.absent`.
        """
        counts: defaultdict[str, int] = defaultdict(int)
        explicit = self.diagnosis.verdicts.counts()
        without_status = self.num_all_nodes - sum(nodes for _, nodes in explicit)
        for status, nodes in ((self.diagnosis.absent, without_status), *explicit):
            for reason in status.reasons if nodes else ():
                counts[reason] += nodes
        return sorted(f"{count} {reason}" for reason, count in counts.items())


class SchedulingError(Exception):
    """An error other than a rejection, for example of a plugin or an extender."""


class NoNodesAvailable(Exception):
    """The cluster, or the placement of the pod group, has no nodes."""

    def __str__(self) -> str:
        return "no nodes available to schedule pods"


class PodGroupUnschedulable(Exception):
    """The pod's group does not fit, although the pod itself may fit (errPodGroupUnschedulable)."""


class SchedulerPanic(RunEnded):
    """The kube-scheduler of this release panics here."""
