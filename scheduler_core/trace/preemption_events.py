"""Preemption: candidates, victims, nominations. Candidates are columns, which `static/js/trace/feed.js` also reads."""

from __future__ import annotations

from typing import Literal

from scheduler_core.trace.event import Event
from scheduler_core.trace.records import (
    BudgetNow,
    Candidate,
    DryRuns,
    MoreCandidates,
    NodeName,
    PodKey,
    Reprieve,
    Verdict,
)


class PreemptionEvaluated(Event, frozen=True, tag=True):
    """DefaultPreemption's PostFilter ran, or was not reached (see `message`).

    `unhelpful` are nodes where evicting cannot help ("Preemption is not helpful for scheduling"); `failed` are nodes
    whose dry run failed, with their verdict (if there are more than 128, the first 32; `more_failed` counts the rest).
    `message` is the text that the plugin adds to the pod's condition. If there are more than 128 candidates, only the
    32 that were dropped last are in `dry_runs`, in the candidates' order; `more` contains the others. (In schema 1 they
    are in `candidates`.)
    """

    part_of = "cycle"
    extension_point = "PostFilter"

    eligible: bool
    reason: str
    candidates: list[Candidate] = []
    dry_runs: DryRuns | None = None
    nominated_node: NodeName = ""
    victims: list[PodKey] = []
    unhelpful: int = 0
    failed: dict[NodeName, Verdict] = {}
    message: str = ""
    candidates_wanted: int = 0
    extenders: list[str] = []
    more_failed: int = 0
    more: MoreCandidates | None = None
    budgets: list[BudgetNow] = []  # the budgets that cover one of the removed pods


class VictimEvicted(Event, frozen=True, tag=True):
    """The preemptor's victim was deleted. Its termination ends at `gone_at`.

    With WorkloadAwarePreemption the preemptor is a pod group.
    """

    part_of = "cycle of the preemptor"
    updates = "pod"
    repeats = True
    extension_point = "PostFilter"

    pod: PodKey
    node: NodeName
    preemptor: PodKey
    gone_at: float


class PreemptionStarted(Event, frozen=True, tag=True):
    """SchedulerAsyncPreemption: the victims are deleted concurrently with the next cycles, one call after another."""

    part_of = "cycle"
    extension_point = "PostFilter"

    pod: PodKey  # the preemptor, which PreEnqueue keeps out of activeQ until then
    node: NodeName
    victims: list[PodKey]


class PreemptionFinished(Event, frozen=True, tag=True):
    """All calls of the preemption have been sent, or a call failed with `error` and no more are sent."""

    part_of = "run"

    pod: PodKey
    error: str = ""


class PodNominated(Event, frozen=True, tag=True):
    """The pod's status.nominatedNodeName was set: room on the node is reserved for it."""

    part_of = "cycle"
    updates = "pod"
    extension_point = "PostFilter"

    pod: PodKey
    node: NodeName


class NominationCleared(Event, frozen=True, tag=True):
    """The pod's nomination was cleared.

    The pod was assumed (cause `bound`, before it is bound) or deleted, its new attempt failed, or a pod of higher
    priority was nominated for the node.
    """

    part_of = "cycle"
    updates = "pod"
    repeats = True

    pod: PodKey
    node: NodeName
    cause: Literal["preempted-by-higher-priority", "attempt-failed", "bound", "deleted"]


def candidates_of(event: PreemptionEvaluated) -> list[Candidate]:
    """Return the candidates that are recorded in full, in their original order."""
    return event.candidates if event.dry_runs is None else _unpack(event.dry_runs)


def _unpack(runs: DryRuns) -> list[Candidate]:
    tries = list(zip(runs.tried, runs.reprieved, runs.violates_pdb, strict=True))
    numbers = (runs.pdb_violations, runs.rung, runs.highest_priority, runs.priority_sum, runs.earliest_start)
    candidates, at, victim = [], 0, 0
    for i, (node, violations, *compared) in enumerate(zip(runs.nodes, *numbers, strict=True)):
        end, last = at + runs.removed_counts[i], victim + runs.victim_counts[i]
        removed = runs.removed[at:end]
        victims = [removed[place] for place in runs.victims[victim:last]]
        reprieve = [Reprieve(removed[place], stays, violates) for place, stays, violates in tries[at:end]]
        candidates.append(Candidate(node, victims, violations, removed, reprieve, *compared))
        at, victim = end, last
    return candidates
