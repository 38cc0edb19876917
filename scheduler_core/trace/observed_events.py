"""The event of a replay: an observed decision of the cluster's own scheduler, and the simulated one."""

from __future__ import annotations

from typing import Literal

from scheduler_core.trace.event import Event
from scheduler_core.trace.records import NodeName, PodKey

Verdict = Literal["equal", "tie", "different", "unknowable"]
Cause = Literal["", "score", "rejected", "feasible", "message", "nomination", "sampling", "moment", "scheduler", "gone"]


class DecisionObserved(Event, frozen=True, tag=True):
    """An observed decision of the cluster's own scheduler about this attempt's pod, with the simulated decision.

    `node` is the node to which it bound the pod, "" if there was none; then `message` is that of its FailedScheduling
    event, and `nominated_node` the node that its preemption nominated. `simulated_node` (or the simulated nomination),
    `simulated_message` and `simulated_victims` are the simulated outcome. `seen`: the time of the observation.

    `verdict` tie: another node with the same score, or victims of the same priority and start time. The `cause` of the
    verdicts different and unknowable: score: the observed node scores `points` less than the simulated one, most of it
    by `plugin`; rejected: `plugin` rejects the observed node with `reasons`; feasible: a node fits where the cluster's
    scheduler found none; message: neither finds a node, for different reasons; nomination: preemption chooses another
    node or other victims; sampling: the observed node scores less, but the cluster's scheduler scores only some of its
    nodes; moment: the cluster's state at the decision is unknown, for the reason in `note`; scheduler: no profile of
    this configuration is the pod's scheduler, which is in `note`; gone: the node or the pod does not exist at this
    moment, or the pod is not waiting.
    """

    part_of = "cycle of its pod"

    pod: PodKey
    verdict: Verdict
    cause: Cause = ""
    node: NodeName = ""
    message: str = ""
    nominated_node: NodeName = ""
    victims: list[PodKey] = []
    simulated_node: NodeName = ""
    simulated_message: str = ""
    simulated_victims: list[PodKey] = []
    plugin: str = ""
    points: int = 0
    reasons: list[str] = []
    note: str = ""
    seen: float = 0.0
