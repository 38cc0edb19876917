"""The decisions of a cluster's scheduler, derived from its writes: bindings, nominations, conditions, events."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

Manifest = dict[str, Any]
PodKey = str

BEFORE = "the decision was made before the recording began"
IN_A_GAP = "the cluster could not be watched at that time"
DEFAULT_SCHEDULER = "default-scheduler"
REASONS = ("FailedScheduling", "Preempted", "Scheduled")
NEAR_SECONDS = 5.0  # between the writes of one attempt: the condition, the nomination, the event
PREEMPTED_BY = "Preempted by pod "


class Decision(msgspec.Struct):
    """A row of spec.observed. `order`: the position in the recording; `time`: virtual seconds."""

    order: int
    time: float
    pod: PodKey
    node: str = ""
    message: str = ""
    nominated_node: str = ""
    victims: list[PodKey] = []
    scheduler: str = DEFAULT_SCHEDULER
    note: str = ""

    def row(self) -> Manifest:
        """Return the decision in the scenario's format."""
        row: Manifest = {"at": self.time, "pod": self.pod}
        row |= {"node": self.node} if self.node else {}
        row |= {"message": self.message} if self.message else {}
        row |= {"nominatedNode": self.nominated_node} if self.nominated_node else {}
        row |= {"victims": self.victims} if self.victims else {}
        row |= {"scheduler": self.scheduler} if self.scheduler != DEFAULT_SCHEDULER else {}
        return row | ({"note": self.note} if self.note else {})


def prune_event(item: Manifest) -> Manifest | None:
    """Return the fields of an Event that are read; None if it is not a scheduler's decision."""
    about = item.get("involvedObject") or item.get("regarding") or {}
    if item.get("reason") not in REASONS or about.get("kind") != "Pod":
        return None
    series = item.get("series") or {}
    return {
        "reason": item["reason"],
        "pod": f"{about.get('namespace')}/{about.get('name')}",
        "uid": about.get("uid") or "",
        "message": item.get("message") or item.get("note") or "",
        "count": series.get("count") or item.get("count") or 1,
        "scheduler": item.get("reportingComponent") or (item.get("source") or {}).get("component") or "",
    }


class _Pod(msgspec.Struct):
    """The last known state of a pod."""

    uid: str = ""
    node: str = ""
    nominated_node: str = ""
    condition: str = ""
    scheduler: str = DEFAULT_SCHEDULER


class _Preemption(msgspec.Struct, frozen=True):
    """A Preempted event."""

    order: int
    time: float
    preemptor: str  # its uid
    victim: PodKey


class DecisionReader:
    """Processes the pods and events of a recording in order; `decisions` returns the rows afterwards."""

    def __init__(self) -> None:
        self._pods: dict[PodKey, _Pod] = {}
        self._uids: dict[str, PodKey] = {}
        self._counts: dict[str, int] = {}
        self._rows: list[Decision] = []
        self._failures: dict[PodKey, list[Decision]] = defaultdict(list)
        self._conditions: list[Decision] = []
        self._nominations: list[Decision] = []
        self._announcements: list[Decision] = []  # nominations that came without another condition
        self._preemptions: list[_Preemption] = []

    def pod_listed(self, key: PodKey, pod: Manifest) -> None:
        """Process a pod of the first list."""
        self._pods[key] = _state_of(pod)
        self._uids[self._pods[key].uid] = key

    def pod_applied(self, key: PodKey, pod: Manifest, order: int, time: float, note: str = "") -> None:
        """Process a created or changed pod; `note`: why its previous state is unknown."""
        now = _state_of(pod)
        stored = self._pods.get(key)
        before = stored if stored is not None and stored.uid == now.uid else _Pod(now.uid)
        made_by_others = stored is None and not note and now.node  # created with its node: nobody scheduled it
        self._pods[key] = now
        self._uids[now.uid] = key
        if now.node and not before.node and not made_by_others:
            self._rows.append(Decision(order, time, key, node=now.node, scheduler=now.scheduler, note=note))
        if now.node:
            return
        if now.nominated_node and now.nominated_node != before.nominated_node:
            alone = now.condition == before.condition
            (self._announcements if alone else self._nominations).append(
                Decision(order, time, key, message=now.condition, nominated_node=now.nominated_node)
            )
        if now.condition and now.condition != before.condition:
            self._conditions.append(
                Decision(order, time, key, message=now.condition, scheduler=now.scheduler, note=note)
            )

    def pod_deleted(self, key: PodKey) -> None:
        self._pods.pop(key, None)

    def event_applied(self, name: str, event: Manifest, order: int, time: float, note: str = "") -> None:
        """Process an event that was created, or counted again."""
        counted = self._counts.get(name, 0)
        self._counts[name] = max(event["count"], counted)
        if event["count"] <= counted:
            return
        row = Decision(order, time, event["pod"], scheduler=event["scheduler"] or DEFAULT_SCHEDULER, note=note)
        if event["reason"] == "FailedScheduling":
            pod = self._pods.get(row.pod)
            # The events of a series keep the message of the first; the condition has the last one.
            row.message = pod.condition if counted and pod is not None and pod.condition else event["message"]
            self._rows.append(row)
            self._failures[row.pod].append(row)
        elif event["reason"] == "Scheduled" and note == BEFORE:
            row.node = event["message"].rpartition(" to ")[2]
            self._rows.append(row)
        elif event["reason"] == "Preempted" and event["message"].startswith(PREEMPTED_BY):
            uid = event["message"].removeprefix(PREEMPTED_BY).split(" ", 1)[0]
            self._preemptions.append(_Preemption(order, time, uid, event["pod"]))

    def decisions(self) -> list[Decision]:
        """Return every decision in order; nominations and victims are in the row of the attempt that made them."""
        rows_of: dict[PodKey, list[Decision]] = defaultdict(list)
        for row in self._rows:
            rows_of[row.pod].append(row)
        preempting: dict[PodKey, list[_Preemption]] = defaultdict(list)
        for preemption in self._preemptions:
            preempting[self._uids.get(preemption.preemptor, "")].append(preemption)
        for nomination in self._announcements:
            binding = _announced_binding(nomination, rows_of[nomination.pod], preempting[nomination.pod])
            if binding is None:
                self._nominations.append(nomination)
            else:
                binding.order, binding.time = nomination.order, nomination.time
        for nomination in self._nominations:
            failure = self._failure_near(nomination)
            if failure is None:
                self._rows.append(nomination)
                self._failures[nomination.pod].append(nomination)
            else:
                failure.nominated_node = nomination.nominated_node
        for condition in self._conditions:
            if self._failure_near(condition) is None:
                self._rows.append(condition)
                self._failures[condition.pod].append(condition)
        for preemption in self._preemptions:
            nominated = [row for row in self._failures[self._uids.get(preemption.preemptor, "")] if row.nominated_node]
            if nominated:
                min(nominated, key=lambda row: abs(row.order - preemption.order)).victims.append(preemption.victim)
        return sorted(self._rows, key=lambda row: row.order)

    def _failure_near(self, decision: Decision) -> Decision | None:
        """Return the failed attempt with the same message at nearly the same time, None if there is none."""
        same = [
            row
            for row in self._failures[decision.pod]
            if row.message == decision.message and abs(row.time - decision.time) <= NEAR_SECONDS
        ]
        return min(same, key=lambda row: abs(row.order - decision.order), default=None)


def _announced_binding(nomination: Decision, rows: list[Decision], preemptions: list[_Preemption]) -> Decision | None:
    """Return the binding that a nomination announces; None if there is none, as when preemption nominated the node.

    A scheduler that first has to prepare devices or volumes announces this by nominating the selected node (KEP-5278,
    NominatedNodeNameForExpectation); the pod's condition does not change.
    """
    if any(abs(preemption.time - nomination.time) <= NEAR_SECONDS for preemption in preemptions):
        return None
    later = [row for row in rows if row.order >= nomination.order]
    following = min(later, key=lambda row: row.order, default=None)
    return following if following is not None and following.node == nomination.nominated_node else None


def _state_of(pod: Manifest) -> _Pod:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    waiting: Manifest = next(
        (
            condition
            for condition in status.get("conditions") or ()
            if condition.get("type") == "PodScheduled" and condition.get("status") == "False"
        ),
        {},
    )
    gated = waiting.get("reason") == "SchedulingGated"
    return _Pod(
        uid=str((pod.get("metadata") or {}).get("uid") or ""),
        node=spec.get("nodeName") or "",
        nominated_node=status.get("nominatedNodeName") or "",
        condition="" if gated else waiting.get("message") or "",
        scheduler=spec.get("schedulerName") or DEFAULT_SCHEDULER,
    )
