"""Builds the settings of the Scenario document; `timeline` builds its events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES, Release, release_named
from scheduler_core.scenario.fields.names import text_map
from scheduler_core.scenario.fields.scenario_fields import EXPECTED_POD, FAULT_POINTS, SCENARIO
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.lesson import NO_LESSON, Lesson
from scheduler_core.scenario.reading.numbers import seconds
from scheduler_core.scenario.reading.problems import Path, Problems, did_you_mean, invalid, one_of, required, show
from scheduler_core.scenario.settings.controllers import controller_names, kubelet, node_lifecycle
from scheduler_core.scenario.settings.extender_scripts import extender_scripts, pod_key
from scheduler_core.scenario.settings.lesson import build_lesson
from scheduler_core.scenario.settings.lesson_annotations import convert_annotations
from scheduler_core.scenario.types import (
    Expectation,
    ExpectedPod,
    ExtenderScript,
    Fault,
    FaultPoint,
    KubeletTimes,
    NodeLifecycle,
    ObservedDecision,
    Unobserved,
)

Manifest = Mapping[str, Any]

PENDING, GONE = "pending", "gone"


class ScenarioDocument(msgspec.Struct, frozen=True):
    """The content of the Scenario document. `events` are as written; `controllers` None: not chosen."""

    name: str = ""
    annotations: Mapping[str, str] = {}
    lesson: Lesson = NO_LESSON
    release: Release = DEFAULT_RELEASE
    seed: int | None = None
    until_seconds: float | None = None
    binding_seconds: float = 0.0
    feature_gates: Mapping[str, bool] = {}
    faults: tuple[Fault, ...] = ()
    extender_scripts: tuple[ExtenderScript, ...] = ()
    expect: Expectation | None = None
    events: tuple[Manifest, ...] = ()
    observed: tuple[ObservedDecision, ...] = ()
    unobserved: tuple[Unobserved, ...] = ()
    controllers: tuple[str, ...] | None = None
    kubelet: KubeletTimes = KubeletTimes()
    node_lifecycle: NodeLifecycle = NodeLifecycle()
    is_live: bool = False  # it has spec.kubelet or spec.nodeLifecycle


def build_scenario_document(
    data: Manifest, problems: Problems, release: Release | None = None, default: Release = DEFAULT_RELEASE
) -> ScenarioDocument:
    """Build the settings. `release` takes precedence over the document's; `default` is used if there is neither.

    A document with a field of an invalid type gives default settings.
    """
    if not check(SCENARIO, data, (), problems, strict=True):
        release = release or default
        return ScenarioDocument(release=release, feature_gates=release.default_gates())
    metadata, spec = data.get("metadata") or {}, data.get("spec") or {}
    annotations = text_map(metadata.get("annotations"))
    if (seed := spec.get("seed")) is not None and seed < 0:
        problems.error(("spec", "seed"), invalid(seed, Message("must be 0 or greater")))
    until, expect = spec.get("untilSeconds"), spec.get("expect")
    named = spec.get("kubernetesVersion") or ""  # the field table allows no other type
    release = release or release_named(named) or default
    return ScenarioDocument(
        name=metadata.get("name") or "",
        annotations=annotations,
        lesson=build_lesson(convert_annotations(spec, annotations, problems), problems),
        release=release,
        seed=seed,
        until_seconds=seconds(until, ("spec", "untilSeconds"), problems) if until is not None else None,
        binding_seconds=seconds(spec.get("bindingSeconds") or 0, ("spec", "bindingSeconds"), problems),
        feature_gates=_feature_gates(spec.get("featureGates") or {}, release, problems),
        faults=_faults(spec.get("faults") or (), problems),
        extender_scripts=extender_scripts(spec.get("extenders"), ("spec", "extenders"), problems),
        expect=None if expect is None else build_expectation(expect, ("spec", "expect"), problems),
        events=tuple(spec.get("events") or ()),
        observed=_observed(spec.get("observed") or (), problems),
        unobserved=_unobserved(spec.get("unobserved") or (), problems),
        controllers=controller_names(spec.get("controllers"), problems),
        kubelet=kubelet(spec.get("kubelet") or {}, problems),
        is_live=bool(spec.get("kubelet") or spec.get("nodeLifecycle")),
        node_lifecycle=node_lifecycle(spec.get("nodeLifecycle") or {}, problems),
    )


def _feature_gates(data: Mapping[str, bool], release: Release, problems: Problems) -> dict[str, bool]:
    """Return the values of all gates that can be set in the release: the document's, or else the default."""
    gates = release.default_gates()
    for name, value in data.items():
        path = ("spec", "featureGates", name)
        gate = release.gates.get(name)
        if gate is None and any(name in other.gates for other in RELEASES.values()):
            problems.warn(
                path,
                Message("ignored: Kubernetes {release} has no feature gate {gate}", release=release.version, gate=name),
            )
        elif gate is None:
            hint = did_you_mean(name, release.gates)
            problems.error(path, Message("unrecognized feature gate: {name}{hint}", name=name, hint=hint))
        elif gate.settable:
            gates[name] = bool(value)
        elif value != gate.default:
            reason = Message("feature is locked to {value} here", value=show(gate.default))
            problems.error(
                path,
                Message(
                    "cannot set feature gate {name} to {value}, {reason}", name=name, value=show(value), reason=reason
                ),
            )
    _check_needs(gates, release, problems)
    return gates


def _check_needs(gates: Mapping[str, bool], release: Release, problems: Problems) -> None:
    """Report gates that are on without the gates that they depend on (kube_features.go)."""
    for name, is_on in gates.items():
        for needed in release.gates[name].needs if is_on else ():
            if not gates.get(needed):
                message = Message("feature gate {gate} needs feature gate {needed}", gate=name, needed=needed)
                problems.error(("spec", "featureGates", name), message)


def _faults(data: Any, problems: Problems) -> tuple[Fault, ...]:
    faults = []
    for index, entry in enumerate(data):
        path: Path = ("spec", "faults", index)
        pod, point, times = entry.get("pod") or "", entry.get("point") or "", entry.get("times")
        if not pod:
            problems.error((*path, "pod"), required(Message("the pod as namespace/name")))
        if not point:
            problems.error((*path, "point"), required(one_of(FAULT_POINTS)))
        if times is not None and times < 1:
            problems.error((*path, "times"), invalid(times, Message("must be at least 1")))
        message = entry.get("message") or "injected fault"
        faults.append(Fault(pod_key(pod), cast(FaultPoint, point), 1 if times is None else times, message))
    return tuple(faults)


def _observed(entries: Any, problems: Problems) -> tuple[ObservedDecision, ...]:
    """Return the observed decisions, sorted by `at`; equal times stay in document order."""
    decisions = []
    for index, entry in enumerate(entries):
        path: Path = ("spec", "observed", index)
        pod, node, at = entry.get("pod") or "", entry.get("node") or "", entry.get("at")
        if not pod:
            problems.error((*path, "pod"), required(Message("the pod as namespace/name")))
        if at is None:
            problems.error((*path, "at"), required(Message("when the decision was made, in seconds")))
        if bool(node) == bool(entry.get("message") or entry.get("nominatedNode")):
            problems.error(path, required(Message("either node, or message or nominatedNode")))
        time = seconds(at or 0, (*path, "at"), problems)
        seen = entry.get("seen")
        victims = entry.get("victims")
        decisions.append(
            ObservedDecision(
                time,
                pod_key(pod),
                node=node,
                message=entry.get("message") or "",
                nominated_node=entry.get("nominatedNode") or "",
                victims=None if victims is None else tuple(map(pod_key, victims)),
                scheduler=entry.get("scheduler") or "",
                note=entry.get("note") or "",
                seen=None if seen is None else seconds(seen, (*path, "seen"), problems),
            )
        )
    return tuple(sorted(decisions, key=lambda decision: decision.at))


def _unobserved(entries: Any, problems: Problems) -> tuple[Unobserved, ...]:
    gaps = []
    for index, entry in enumerate(entries):
        path: Path = ("spec", "unobserved", index)
        start, end = (seconds(entry.get(name) or 0, (*path, name), problems) for name in ("from", "until"))
        gaps.append(Unobserved(start, end, entry.get("what") or ""))
    return tuple(gaps)


def build_expectation(data: Manifest, path: Path, problems: Problems) -> Expectation:
    """Build an expectation; `path` is its path.

        pods: {default/a: node-1, default/b: pending, default/c: gone, d: {pending: true, reason: Insufficient cpu}}

    A name without a namespace is that of a pod or Deployment in the namespace default.
    """
    pods = {}
    for name, outcome in (data.get("pods") or {}).items():
        pods[pod_key(name)] = _expected_pod(outcome, (*path, "pods", name), problems)
    victims = data.get("victims")
    least = {pod_key(name): number for name, number in (data.get("leastAvailable") or {}).items()}
    return Expectation(pods, None if victims is None else tuple(map(pod_key, victims)), least)


def _expected_pod(data: Any, path: Path, problems: Problems) -> ExpectedPod:
    if isinstance(data, str) and data:
        return ExpectedPod("" if data in (PENDING, GONE) else data, gone=data == GONE)
    if not isinstance(data, dict):
        expected = Message("a node's name, pending, gone, or a mapping of node, pending, reason")
        problems.error(
            path, Message("{found} is not an outcome; expected {expected}", found=show(data), expected=expected)
        )
        return ExpectedPod()
    if not check(EXPECTED_POD, data, path, problems, strict=True):
        return ExpectedPod()
    node = data.get("node") or ""
    if bool(node) == bool(data.get("pending")):
        problems.error(path, required(Message("either node, or pending: true")))
    return ExpectedPod(node, data.get("reason") or "")
