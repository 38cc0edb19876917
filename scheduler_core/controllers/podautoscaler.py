"""horizontal-pod-autoscaler-controller (pkg/controller/podautoscaler/horizontal.go, replica_calculator.go).

It runs every 15 s. `load` events set the total use of all pods of its target, which ready pods share evenly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from scheduler_core.apis.core import Pod, Workload
from scheduler_core.apis.workloads import AutoscalerSpec, ScalingRules
from scheduler_core.cluster.statuses import Condition
from scheduler_core.controllers.api import Api, size_of
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.deployment import with_size
from scheduler_core.controllers.pods import Owned, is_active

PERIOD = 15.0
TOLERANCE = 0.1
DOWNSCALE_STABILIZATION = 300.0  # --horizontal-pod-autoscaler-downscale-stabilization
SCALE_UP_FACTOR, SCALE_UP_MINIMUM = 2, 4  # without `behavior`: to twice the size, or to four pods
STABILIZED = "recent recommendations were {} than current one, applying the {} recent recommendation"
Samples = list[tuple[float, int]]  # times, and numbers of replicas


class _Limited(NamedTuple):
    """A size within the limits, and which limit changed it."""

    size: int
    reason: str = "DesiredWithinRange"
    message: str = "the desired count is within the acceptable range"


def reconcile(autoscaler: Workload, api: Api) -> None:
    """Scale the target to the size that its load requires, within the limits (reconcileAutoscaler)."""
    spec = autoscaler.spec
    assert isinstance(spec, AutoscalerSpec)
    api.later(PERIOD, autoscaler.key)
    target = api.workload(spec.target_kind, f"{autoscaler.namespace}/{spec.target_name}")
    sync = _Sync(autoscaler, spec, api)
    size = size_of(target) if target is not None else None
    if target is None or size is None:
        message = "the HPA controller was unable to get the target's current scale"
        sync.set_condition("AbleToScale", False, "FailedGetScale", message)
        sync.write_status(0, 0)
        return
    sync.run(target, size)


def load_of(api: Api) -> dict[tuple[str, str], Mapping[str, int]]:
    """Return the total use of the pods of each target, in base units."""
    known: dict[tuple[str, str], Mapping[str, int]] = api.memory.setdefault("load", {})
    return known


def pods_under(target: Workload, api: Api) -> list[Owned]:
    """Return the active pods of a workload, including those of its ReplicaSets."""
    owners = api.owned(target.uid, "ReplicaSet") if target.kind == "Deployment" else [target]
    return [owned for owner in owners for owned in api.pods_of(owner) if is_active(*owned)]


class _Sync:
    """One sync of a HorizontalPodAutoscaler."""

    def __init__(self, autoscaler: Workload, spec: AutoscalerSpec, api: Api) -> None:
        self._autoscaler, self._spec, self._api = autoscaler, spec, api
        self._conditions = {condition.type: condition for condition in api.workload_status(autoscaler).conditions}
        self._recommendations = self._samples("recommendations")
        self._events = self._samples("events")

    def run(self, target: Workload, size: int) -> None:
        """Set the size of the target, which is `size` now."""
        spec, api = self._spec, self._api
        message = "the HPA controller was able to get the target's current scale"
        self.set_condition("AbleToScale", True, "SucceededGetScale", message)
        if not self._recommendations:
            self._recommendations.append((api.now, size))
        wanted, reason = size, ""
        if size == 0:
            message = "scaling is disabled since the replica count of the target is zero"
            self.set_condition("ScalingActive", False, "ScalingDisabled", message)
        elif size > spec.maximum:
            wanted, reason = spec.maximum, "Current number of replicas above Spec.MaxReplicas"
        elif size < spec.minimum:
            wanted, reason = spec.minimum, "Current number of replicas below Spec.MinReplicas"
        elif (load := load_of(api).get((target.kind, target.key))) is not None:
            wanted, reason = self._follow(load, target, size)
        if wanted != size:
            cause = because("load", owner=api.label(self._autoscaler), replicas=wanted)
            api.update(with_size(target, wanted), cause)
            message = f"the HPA controller was able to update the target scale to {wanted}"
            self.set_condition("AbleToScale", True, "SucceededRescale", message)
            api.record(self._autoscaler, "SuccessfulRescale", f"New size: {wanted}; reason: {reason}")
            self._events.append((api.now, wanted - size))
        self.write_status(size, wanted)

    def _follow(self, load: Mapping[str, int], target: Workload, size: int) -> tuple[int, str]:
        """Return the size that the metrics require, within the limits, and the reason to change to it."""
        pods = pods_under(target, self._api)
        proposals = [(self._proposal(metric, size, load, pods), metric) for metric in self._spec.metrics]
        proposed, (resource, kind, _) = max(proposals, key=lambda proposal: proposal[0])
        name = f"{resource} resource" + (" utilization (percentage of request)" if kind == "Utilization" else "")
        message = f"the HPA was able to successfully calculate a replica count from {name}"
        self.set_condition("ScalingActive", True, "ValidMetricFound", message)
        limited = self._with_behavior(size, proposed) if self._spec.has_behavior else self._normalized(size, proposed)
        return limited, f"{name} above target" if proposed > size else "All metrics below target"

    def _proposal(self, metric: tuple[str, str, int], size: int, load: Mapping[str, int], pods: Sequence[Owned]) -> int:
        """Return the number of replicas that a metric requires (GetResourceReplicas, GetRawResourceReplicas)."""
        resource, kind, goal = metric
        ready, unready = ([pod for pod, status in pods if status.ready is wanted] for wanted in (True, False))
        used = load.get(resource, 0)
        if not ready or goal <= 0 or (kind == "Utilization" and not all(pod.requests.get(resource) for pod in ready)):
            return size

        def ratio_of(counted: Sequence[Pod]) -> float:
            if kind == "Utilization":
                return (used * 100 // sum(pod.requests.get(resource, 0) for pod in counted)) / goal
            return used // len(counted) / goal

        ratio = ratio_of(ready)
        if not unready or ratio <= 1:
            return size if self._tolerates(ratio) else math.ceil(ratio * len(ready))
        ratio = ratio_of([*ready, *unready])  # pods that are not ready use nothing
        proposed = math.ceil(ratio * len(pods))
        return size if self._tolerates(ratio) or ratio < 1 or proposed < size else proposed

    def _tolerates(self, ratio: float) -> bool:
        down, up = (
            TOLERANCE if rules.tolerance is None else rules.tolerance for rules in (self._spec.down, self._spec.up)
        )
        return 1.0 - down <= ratio <= 1.0 + up

    # Limits

    def _normalized(self, size: int, proposed: int) -> int:
        """Return the size without `behavior` (normalizeDesiredReplicas)."""
        spec, now = self._spec, self._api.now
        self._recommendations[:] = _within(DOWNSCALE_STABILIZATION, self._recommendations, now)
        stable = max([proposed, *(replicas for _, replicas in self._recommendations)])
        self._recommendations.append((now, proposed))
        self._set_stabilized(stable == proposed, down=True)
        limit = max(SCALE_UP_FACTOR * size, SCALE_UP_MINIMUM)
        if stable < spec.minimum:
            return self._limit(stable, _too_few(spec.minimum))
        if stable > min(limit, spec.maximum):
            return self._limit(stable, _too_fast_up(limit) if spec.maximum > limit else _too_many(spec.maximum))
        return self._limit(stable, _Limited(stable))

    def _with_behavior(self, size: int, proposed: int) -> int:
        """Return the size with `behavior`: stabilized, then within rates (normalizeDesiredReplicasWithBehaviors)."""
        spec, now = self._spec, self._api.now
        up, down = spec.up.stabilization_seconds, spec.down.stabilization_seconds
        least_up = min([proposed, *(replicas for _, replicas in _within(up, self._recommendations, now))])
        most_down = max([proposed, *(replicas for _, replicas in _within(down, self._recommendations, now))])
        stable = min(max(size, least_up), most_down)
        self._recommendations[:] = _within(max(up, down), self._recommendations, now)
        self._recommendations.append((now, proposed))
        self._set_stabilized(stable == proposed, down=proposed < size)
        limited = _Limited(stable)
        if stable > size:
            limit = max(_rate_limit(spec.up, size, self._events, now, 1), size)
            if stable > min(limit, spec.maximum):
                limited = _too_fast_up(limit) if spec.maximum > limit else _too_many(spec.maximum)
        elif stable < size:
            limit = min(_rate_limit(spec.down, size, self._events, now, -1), size)
            if stable < max(limit, spec.minimum):
                limited = _too_fast_down(limit) if spec.minimum < limit else _too_few(spec.minimum)
        return self._limit(stable, limited)

    def _set_stabilized(self, unchanged: bool, *, down: bool) -> None:
        if unchanged:
            self.set_condition("AbleToScale", True, "ReadyForNewScale", "recommended size matches current size")
        elif down:
            self.set_condition("AbleToScale", True, "ScaleDownStabilized", STABILIZED.format("higher", "highest"))
        else:
            self.set_condition("AbleToScale", True, "ScaleUpStabilized", STABILIZED.format("lower", "lowest"))

    def _limit(self, stable: int, limited: _Limited) -> int:
        self.set_condition("ScalingLimited", limited.size != stable, limited.reason, limited.message)
        return limited.size

    # Status

    def _samples(self, name: str) -> Samples:
        known: dict[str, Samples] = self._api.memory.setdefault(f"autoscaler {name}", {})
        return known.setdefault(self._autoscaler.uid, [])

    def set_condition(self, name: str, status: bool, reason: str, message: str) -> None:
        """Set a condition; the time of its last transition is that of the last change of its status."""
        second = self._api.second
        new = Condition(name, str(status), reason, message, second, second)
        old = self._conditions.get(name)
        if old is not None and old.status == new.status:
            same = (old.reason, old.message) == (reason, message)
            new = old if same else replace(new, changed=old.changed)
        self._conditions[name] = new

    def write_status(self, size: int, wanted: int) -> None:
        """Write the status: both sizes and the conditions."""
        numbers = {"currentReplicas": size, "desiredReplicas": wanted}
        self._api.write_status(self._autoscaler, numbers, tuple(self._conditions.values()))


def _too_few(size: int) -> _Limited:
    return _Limited(size, "TooFewReplicas", "the desired replica count is less than the minimum replica count")


def _too_many(size: int) -> _Limited:
    return _Limited(size, "TooManyReplicas", "the desired replica count is more than the maximum replica count")


def _too_fast_up(size: int) -> _Limited:
    return _Limited(size, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")


def _too_fast_down(size: int) -> _Limited:
    return _Limited(
        size, "ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate"
    )


def _within(seconds: float, samples: Samples, now: float) -> Samples:
    """Return the samples of the last seconds, without those of exactly so long ago: the queue waits for a period after
    a sync has ended, so that these are older by then.
    """
    return [sample for sample in samples if now - sample[0] < seconds - PERIOD / 1000]


def _rate_limit(rules: ScalingRules, size: int, events: Samples, now: float, sign: int) -> int:
    """Return the size to which the policies allow scaling now (calculateScaleUpLimitWithScalingRules,
    calculateScaleDownLimitWithBehaviors).
    """
    if rules.select == "Disabled":
        return size
    limits = []
    for kind, value, seconds in rules.policies:
        before = size - sum(change for _, change in _within(seconds, events, now))
        if kind == "Pods":
            limits.append(before + sign * value)
        elif sign > 0:
            limits.append(math.ceil(before * (1 + value / 100)))
        else:
            limits.append(int(before * (1 - value / 100)))
    farthest = max if (sign > 0) == (rules.select == "Max") else min
    return farthest(limits) if limits else size
