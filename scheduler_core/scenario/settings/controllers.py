"""The controllers that run, and the settings of kubelets and nodes, from the Scenario document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from scheduler_core.apis.core import KubernetesObject, Workload
from scheduler_core.apis.devices import DeviceTaintRule
from scheduler_core.apis.messages import Message
from scheduler_core.apis.workloads import LimitRangeSpec, RuntimeClassSpec
from scheduler_core.scenario.reading.numbers import seconds
from scheduler_core.scenario.reading.problems import Problems, did_you_mean, invalid, show
from scheduler_core.scenario.types import KubeletTimes, NodeLifecycle, ObservedDecision, TimelineEvent

# As kube-controller-manager names them (cmd/kube-controller-manager/names), in the order in which they take turns.
CONTROLLERS = (
    "deployment-controller",
    "replicaset-controller",
    "replicationcontroller-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "cronjob-controller",
    "horizontal-pod-autoscaler-controller",
    "disruption-controller",
    "node-lifecycle-controller",
    "taint-eviction-controller",
    "device-taint-eviction-controller",
    "pod-garbage-collector-controller",
    "garbage-collector-controller",
    "resourcequota-controller",
    "persistentvolume-binder-controller",
    "ephemeral-volume-controller",
    "ttl-after-finished-controller",
)
SUFFIX = "-controller"
ALL = "*"
BARE_PODS = "bare-pods"  # no controller of Kubernetes: it recreates pods that have no controller; not part of ALL
_OBJECT_VERBS = ("create", "update", "delete")


def controller_names(names: list[str] | None, problems: Problems) -> tuple[str, ...] | None:
    """Return the full names of the chosen controllers, in the order in which they take turns; None without a choice.

    As in `kube-controller-manager --controllers`, "foo" chooses a controller and "-foo" excludes it, the first mention
    counts, and "*" chooses all that are not mentioned (IsControllerEnabled). "-controller" can be omitted from a name.
    """
    if names is None:
        return None
    known = {name.removesuffix(SUFFIX): name for name in (*CONTROLLERS, BARE_PODS)}
    chosen = dict.fromkeys(CONTROLLERS, ALL in names)
    mentioned: dict[str, bool] = {}
    for index, name in enumerate(names):
        short = name.removeprefix("-").removesuffix(SUFFIX)
        if short in known:
            mentioned.setdefault(known[short], not name.startswith("-"))
        elif name != ALL:
            hint = did_you_mean(short, known)
            message = Message("no controller {name} is known{hint}", name=show(name), hint=hint)
            problems.error(("spec", "controllers", index), message)
    return tuple(name for name, is_on in (chosen | mentioned).items() if is_on)


class Settings(Protocol):
    """The part of the Scenario document that determines the running controllers."""

    @property
    def controllers(self) -> tuple[str, ...] | None: ...

    @property
    def observed(self) -> tuple[ObservedDecision, ...]: ...

    @property
    def is_live(self) -> bool: ...


def running_controllers(
    settings: Settings, objects: Iterable[KubernetesObject], events: Iterable[TimelineEvent], *, live: bool = False
) -> tuple[str, ...]:
    """Return the controllers that run: the chosen ones; without a choice, all of them or none.

    All run if `live`, or if the settings, objects or events need them. None run in the replay of a recording, which
    contains their changes.
    """
    if settings.observed:
        return ()
    if settings.controllers is not None:
        return settings.controllers
    if live or settings.is_live or any(map(_needs_controllers, objects)):
        return CONTROLLERS
    needed = any(event.action not in _OBJECT_VERBS or _needs_controllers(event.object) for event in events)
    return CONTROLLERS if needed else ()


def _needs_controllers(item: KubernetesObject | None) -> bool:
    """Return whether a controller acts on the object: a workload with a spec, or a rule that evicts pods."""
    if isinstance(item, DeviceTaintRule):
        return item.taint.effect == "NoExecute"
    return (
        isinstance(item, Workload)
        and item.spec is not None
        and not isinstance(item.spec, LimitRangeSpec | RuntimeClassSpec)
    )


def kubelet(data: Mapping[str, Any], problems: Problems) -> KubeletTimes:
    """Return the times in `spec.kubelet`; start and ready are 0 if absent."""

    def time(field: str) -> float:
        return seconds(data.get(field) or 0, ("spec", "kubelet", field), problems)

    stop = None if data.get("stopSeconds") is None else time("stopSeconds")
    return KubeletTimes(time("startSeconds"), time("readySeconds"), stop)


def node_lifecycle(data: Mapping[str, Any], problems: Problems) -> NodeLifecycle:
    """Return the flags in `spec.nodeLifecycle`, or their defaults."""
    path = ("spec", "nodeLifecycle")
    defaults = NodeLifecycle()

    def number(field: str, default: float) -> float:
        given = data.get(field)
        if given is not None and given < 0:
            problems.error((*path, field), invalid(given, Message("must be 0 or greater")))
        return default if given is None else float(given)

    period = number("monitorPeriodSeconds", defaults.monitor_seconds)
    if period == 0:  # `number` reports a negative one
        message = Message("must be greater than 0")
        problems.error((*path, "monitorPeriodSeconds"), invalid(data["monitorPeriodSeconds"], message))
    grace = data.get("monitorGracePeriodSeconds")
    return NodeLifecycle(
        period,
        None if grace is None else number("monitorGracePeriodSeconds", 0.0),
        number("evictionRate", defaults.eviction_rate),
        number("secondaryEvictionRate", defaults.secondary_eviction_rate),
        number("unhealthyZoneThreshold", defaults.unhealthy_zone_threshold),
        int(number("largeClusterSizeThreshold", defaults.large_cluster_size)),
    )
