"""Recordings of other tools, read by the formats that their sources define.

kube-scheduler-simulator's recorder (simulator/recorder/recorder.go) writes a line of JSON for each change: `time`,
`event` (Add, Update, Delete) and `resource`, an object. SimKube (sk-store's ExportedTrace, MessagePack) exports the
workloads of a cluster, not its pods: `events` of `ts`, `applied_objs` and `deleted_objs`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Literal

import msgspec

from kschedui.recording.recording import Recording
from kschedui.recording.reflector import Seen
from kschedui.recording.resources import resource_of
from kschedui.scenarios.importers import pod_admission, workloads
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import prune
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.parse import Limits

Manifest = dict[str, Any]
Action = Literal["applied", "deleted"]

RECORDED_EVENTS = ("Add", "Update", "Delete")
SIMULATOR_LACKS = (
    Message(
        "A recording of kube-scheduler-simulator has no Events: attempts that failed again for the same reason, "
        "victims of preemption and the scheduler's release are not in it."
    ),
    Message(
        "A recording of kube-scheduler-simulator has no PodDisruptionBudgets, Services, CSI objects or ResourceClaims."
    ),
)
SIMKUBE_LACKS = (
    Message("A SimKube trace has no nodes; its pods are made here from the workloads, as their controllers make them."),
    Message("A SimKube trace has no decisions: there is nothing to replay."),
)


class NoRecording(Exception):
    """The file was not written by the tool; the text is a sentence."""


def is_simulator_recording(head: bytes) -> bool:
    """Return whether the first line is a change in the format of kube-scheduler-simulator."""
    try:
        first = json.loads(head.split(b"\n", 1)[0])
    except ValueError:
        return False
    return isinstance(first, dict) and {"time", "event", "resource"} <= first.keys()


def is_simkube_trace(head: bytes) -> bool:
    """Return whether the file begins with a MessagePack map that has the field `version`."""
    return head[:1] in (b"\x85", b"\x86", b"\x87") and b"version" in head[:16]


def read_simulator_recording(lines: Iterable[bytes]) -> Recording:
    """Return a recording of kube-scheduler-simulator. Raises NoRecording."""
    recording, left_out = Recording(), LeftOut()
    recording.notes += map(str, SIMULATOR_LACKS)
    began: float | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        time, event, resource = _simulator_change(line, number)
        began = time if began is None else began
        metadata = resource.get("metadata") or {}
        item = None if event == "Delete" else prune(resource, left_out)
        if event != "Delete" and item is None:
            continue  # a kind that the scheduler does not read
        created = _seconds(metadata.get("creationTimestamp"))
        action: Literal["initial", "applied", "deleted"]
        if event == "Delete":
            action = "deleted"
        elif event == "Add" and (created is None or created < began):
            action = "initial"
        else:
            action = "applied"
        recording.take(
            Seen(
                resource_of(str(resource.get("apiVersion")), str(resource.get("kind"))),
                action,
                (str(metadata.get("namespace") or ""), str(metadata.get("name") or "")),
                str(number),  # lines are in the order in which the recorder heard of the changes
                max(time - began, 0.0),
                item,
            )
        )
    if began is None:
        raise NoRecording("the recording is empty")
    return recording


def _simulator_change(line: bytes, number: int) -> tuple[float, str, Manifest]:
    try:
        change = json.loads(line)
        time, event, resource = _seconds(change["time"]), change["event"], change["resource"]
    except (ValueError, KeyError, TypeError):
        raise NoRecording(f"line {number}: expected JSON with time, event and resource") from None
    if time is None or event not in RECORDED_EVENTS or not isinstance(resource, dict):
        raise NoRecording(f"line {number}: expected a time, one of {', '.join(RECORDED_EVENTS)}, and an object")
    return time, event, resource


def _seconds(text: object) -> float | None:
    """Return the Unix time of an RFC 3339 time with any number of decimals; None if it is invalid."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return None


class _TraceEvent(msgspec.Struct):
    """The changes of an ExportedTrace at one time; `ts` is in seconds."""

    ts: int
    applied_objs: list[dict[str, Any]] = []
    deleted_objs: list[dict[str, Any]] = []


class _Trace(msgspec.Struct):
    """The fields of an ExportedTrace that are read; others are skipped."""

    version: int
    events: list[_TraceEvent]
    initial_state: list[dict[str, Any]] = []


def read_simkube_trace(data: bytes, limits: Limits) -> Recording:
    """Return a trace that SimKube exported in its format 2 or later. Raises NoRecording."""
    try:
        trace = msgspec.msgpack.decode(data, type=_Trace)
    except (msgspec.MsgspecError, ValueError) as error:
        raise NoRecording(f"not a trace that SimKube 2 or later exports: {error}") from None
    recording, traced_workloads = Recording(), _Workloads(limits)
    recording.notes += map(str, SIMKUBE_LACKS)
    first = _TraceEvent(trace.events[0].ts if trace.events else 0, trace.initial_state)
    number = 0
    for index, event in enumerate([first, *trace.events]):
        changes = [change for item in event.deleted_objs for change in traced_workloads.deleted(item)]
        changes += [change for item in event.applied_objs for change in traced_workloads.applied(item)]
        for action, item in changes:
            number += 1
            metadata = item.get("metadata") or {}
            recording.take(
                Seen(
                    resource_of(str(item.get("apiVersion")), str(item.get("kind"))),
                    "initial" if index <= 1 and action == "applied" else action,
                    (str(metadata.get("namespace") or ""), str(metadata.get("name") or "")),
                    str(number),
                    float(event.ts - first.ts),
                    None if action == "deleted" else item,
                )
            )
    return recording


class _Workloads:
    """The pods that represent each workload of the trace."""

    def __init__(self, limits: Limits) -> None:
        self._budget = workloads.PodBudget(limits)
        self._left_out = LeftOut()
        self._objects: dict[tuple[str, str, str], dict[str, Manifest]] = {}  # by owner: its objects by kind and name

    def applied(self, item: Manifest) -> Iterator[tuple[Action, Manifest]]:
        """Yield the changes for a new state of a workload: objects that differ are deleted and created again.

        Raises NoRecording.
        """
        manifest = prune(item, self._left_out)
        before = self._objects.get(_key(item), {})
        now = {_name(pod): pod for pod in self._made_of(manifest)} if manifest else {}
        self._objects[_key(item)] = now
        for name, old in before.items():
            if now.get(name) != old:
                yield "deleted", old
        for name, new in now.items():
            if before.get(name) != new:
                yield "applied", new

    def deleted(self, item: Manifest) -> Iterator[tuple[Action, Manifest]]:
        """Yield the deletions of the objects of a deleted workload."""
        for old in self._objects.pop(_key(item), {}).values():
            yield "deleted", old

    def _made_of(self, item: Manifest) -> list[Manifest]:
        if item.get("kind") not in workloads.MAKERS or not workloads.is_whole(item):
            return [item] if item.get("kind") in KINDS else []
        try:
            pods = list(workloads.made_of(item, [], self._budget, pod_admission.PodAdmission([])))
        except workloads.TooManyPods as error:
            raise NoRecording(str(error)) from None
        return [pod for pod in pods if pod["kind"] in KINDS]


def _key(item: Manifest) -> tuple[str, str, str]:
    """Return the kind, the namespace and the name of an object."""
    metadata = item.get("metadata") or {}
    return str(item.get("kind")), str(metadata.get("namespace") or ""), str(metadata.get("name") or "")


def _name(item: Manifest) -> str:
    return "/".join(_key(item))
