"""The time of a pod (`Duration`) without one of its causes: the scenario is run again without that cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.apis.messages import Message, NotAnswerable
from scheduler_core.ask.durations import Cause, Duration, Durations
from scheduler_core.scenario.objects.kinds import SCENARIO
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.trace.events import AnyEvent

PREFIX = "kschedui.io/"
# By cause: seconds of spec.kubelet that become 0, and the annotations of pods that state the same.
KUBELET: dict[str, tuple[str, tuple[str, ...]]] = {
    "victims": ("stopSeconds", ("stop-seconds", "termination-seconds")),
    "starting": ("startSeconds", ("start-seconds",)),
    "not ready": ("readySeconds", ("ready-after-seconds",)),
}
# By kind: the seconds that a node takes.
CLOUD = {
    "NodeGroup": ("bootSeconds", "readySeconds"),
    "ClusterAutoscaler": ("bootSeconds", "readySeconds"),
    "Karpenter": ("readySeconds",),
}
QUOTA = "ResourceQuota"
REMOVABLE = frozenset((*KUBELET, "node", "gated", "quota"))

Run = Callable[[str], Iterable[AnyEvent]]
Dump = Callable[[Iterable[Any]], str]  # writes documents as YAML


class WithoutCause(msgspec.Struct, frozen=True):
    """The time of a pod as it was, and in a run without the cause."""

    before: Duration
    after: Duration


def run_without(cause: Cause, pod: PodKey, text: str, run: Run, dump: Dump) -> WithoutCause:
    """Run a scenario as it is and without the cause, and return the pod's times in both runs.

    `run` simulates a text. In the second run the pod is found by what its owner calls it, such as web@1/2, since its
    name may be another one. Raises NotAnswerable if the cause cannot be removed or the pod is in one of the runs only.
    """
    if cause not in REMOVABLE:
        raise NotAnswerable(
            Message(
                "{cause} is not a setting that can be removed; expected one of {names}",
                cause=cause if cause in get_args(Cause) else repr(cause),
                names=", ".join(sorted(REMOVABLE)),
            )
        )
    before = _durations(run(text))
    called = before.called.get(pod, pod)
    documents = [document.data for document in read_documents(text, Limits(), Problems())]
    after = _durations(run(dump(_without(cause, documents))))
    again = next((key for key, name in after.called.items() if name == called), pod)
    duration, other = before.of.get(pod), after.of.get(again)
    if duration is None or other is None:
        raise NotAnswerable(Message("{pod} was not created in both runs", pod=pod))
    return WithoutCause(duration, other)


def _durations(events: Iterable[AnyEvent]) -> Durations:
    durations = Durations()
    for step, event in enumerate(events):
        durations.take(step, event)
    return durations


def _without(cause: Cause, documents: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    """Yield the documents without the cause; the Scenario document is added if a setting of it is needed."""
    field, annotations = KUBELET.get(cause, ("", ()))
    missing = bool(field)
    for document in documents:
        if cause == "quota" and document.get("kind") == QUOTA:
            continue
        data = _cleaned(document, {PREFIX + name for name in annotations}, gates=cause == "gated")
        if field and (data.get("apiVersion"), data.get("kind")) == SCENARIO:
            spec = data.get("spec") or {}
            data["spec"] = spec | {"kubelet": (spec.get("kubelet") or {}) | {field: 0}}
            missing = False
        if cause == "quota" and (data.get("apiVersion"), data.get("kind")) == SCENARIO:
            spec = data.get("spec") or {}
            data["spec"] = spec | {"events": [event for event in spec.get("events") or () if not _is_of_quota(event)]}
        if cause == "node" and data.get("kind") in CLOUD:
            data["spec"] = (data.get("spec") or {}) | dict.fromkeys(CLOUD[data["kind"]], 0)
        yield data
    if missing:
        api_version, kind = SCENARIO
        yield {"apiVersion": api_version, "kind": kind, "spec": {"kubelet": {field: 0}}}


def _is_of_quota(event: Mapping[str, Any]) -> bool:
    return any(isinstance(about, Mapping) and about.get("kind") == QUOTA for about in event.values())


def _cleaned(data: Any, annotations: set[str], *, gates: bool) -> Any:
    """Return a copy without the annotations, and without scheduling gates if asked for."""
    if isinstance(data, Mapping):
        return {
            key: _cleaned(value, annotations, gates=gates)
            for key, value in data.items()
            if key not in annotations and not (gates and key == "schedulingGates")
        }
    if isinstance(data, list):
        return [_cleaned(item, annotations, gates=gates) for item in data]
    return data
