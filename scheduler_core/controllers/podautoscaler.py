"""horizontal-pod-autoscaler-controller (pkg/controller/podautoscaler/horizontal.go, replica_calculator.go).

It runs every 15 s. `load` events set the total use of all pods of its target, which ready pods share evenly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scheduler_core.apis.core import Workload
from scheduler_core.apis.workloads import AutoscalerSpec, ScalingRules
from scheduler_core.cluster.statuses import Condition
from scheduler_core.controllers.api import Api, size_of
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.deployment import with_size
from scheduler_core.controllers.pods import Owned, is_active

PERIOD = 15.0
TOLERANCE = 0.1
Samples = list[tuple[float, int]]  # times, and numbers of replicas


def reconcile(autoscaler: Workload, api: Api) -> None:
    """Scale the target to the size that its load requires, within the limits (reconcileAutoscaler)."""
    spec = autoscaler.spec
    assert isinstance(spec, AutoscalerSpec)
    api.later(PERIOD, autoscaler.key)
    target = api.workload(spec.target_kind, f"{autoscaler.namespace}/{spec.target_name}")
    load = load_of(api).get((spec.target_kind, f"{autoscaler.namespace}/{spec.target_name}"))
    size = size_of(target) if target is not None else None
    if target is None or size is None:
        _write_status(autoscaler, 0, 0, "FailedGetScale", api)
        return
    if size == 0:
        _write_status(autoscaler, size, 0, "ScalingDisabled", api)
        return
    wanted = size
    if size > spec.maximum:
        wanted = spec.maximum
    elif size < spec.minimum:
        wanted = spec.minimum
    elif load is not None:
        proposed = max(_proposal(spec, metric, size, load, target, api) for metric in spec.metrics)
        wanted = _limited_size(autoscaler, spec, size, proposed, api)
    if wanted != size:
        cause = because("load", owner=api.label(autoscaler), replicas=wanted)
        api.update(with_size(target, wanted), cause)
        _samples(api, "events", autoscaler).append((api.now, wanted - size))
        api.record(autoscaler, "SuccessfulRescale", f"New size: {wanted}")
    _write_status(autoscaler, size, wanted, "", api)


def load_of(api: Api) -> dict[tuple[str, str], Mapping[str, int]]:
    """Return the total use of the pods of each target, in base units."""
    known: dict[tuple[str, str], Mapping[str, int]] = api.memory.setdefault("load", {})
    return known


def pods_under(target: Workload, api: Api) -> list[Owned]:
    """Return the active pods of a workload, including those of its ReplicaSets."""
    owners = api.owned(target.uid, "ReplicaSet") if target.kind == "Deployment" else [target]
    return [owned for owner in owners for owned in api.pods_of(owner) if is_active(*owned)]


def _proposal(
    spec: AutoscalerSpec, metric: tuple[str, str, int], size: int, load: Mapping[str, int], target: Workload, api: Api
) -> int:
    """Return the number of replicas that a metric requires (GetResourceReplicas, GetRawResourceReplicas)."""
    resource, kind, goal = metric
    ready = [pod for pod, status in pods_under(target, api) if status.ready]
    used = load.get(resource, 0)
    if not ready or goal <= 0:
        return size
    if kind == "Utilization":
        requested = sum(pod.requests.get(resource, 0) for pod in ready)
        if requested == 0:
            return size
        ratio = (used * 100 / requested) / goal
    else:
        ratio = used / (goal * len(ready))
    rules = spec.up if ratio > 1 else spec.down
    tolerance = TOLERANCE if rules.tolerance is None else rules.tolerance
    if abs(1.0 - ratio) <= tolerance:
        return size
    proposed = math.ceil(round(ratio * len(ready), 9))
    goes_back = (ratio < 1 and proposed > size) or (ratio > 1 and proposed < size)
    return size if goes_back else proposed


def _limited_size(autoscaler: Workload, spec: AutoscalerSpec, size: int, proposed: int, api: Api) -> int:
    """Return the replicas after stabilization, rates and limits (normalizeDesiredReplicasWithBehaviors)."""
    samples = _samples(api, "samples", autoscaler)
    samples.append((api.now, proposed))
    longest = max(spec.up.stabilization_seconds, spec.down.stabilization_seconds)
    samples[:] = [sample for sample in samples if sample[0] >= api.now - longest]
    least_up = min(proposal for at, proposal in samples if at >= api.now - spec.up.stabilization_seconds)
    most_down = max(proposal for at, proposal in samples if at >= api.now - spec.down.stabilization_seconds)
    stable = min(max(size, least_up), max(most_down, least_up))
    events = _samples(api, "events", autoscaler)
    if stable > size:
        return min(stable, _rate_limit(spec.up, size, events, api.now, 1), spec.maximum)
    if stable < size:
        return max(stable, _rate_limit(spec.down, size, events, api.now, -1), spec.minimum)
    return min(max(size, spec.minimum), spec.maximum)


def _rate_limit(rules: ScalingRules, size: int, events: Samples, now: float, sign: int) -> int:
    """Return the size to which the policies allow scaling now (calculateScaleUpLimitWithScalingRules)."""
    if rules.select == "Disabled":
        return size
    limits = []
    for kind, value, seconds in rules.policies:
        changed = sum(change for at, change in events if at > now - seconds and change * sign > 0)
        before = size - changed
        if kind == "Pods":
            limits.append(before + sign * value)
        elif sign > 0:
            limits.append(math.ceil(before * (1 + value / 100)))
        else:
            limits.append(math.floor(before * (1 - value / 100)))
    farthest = max if (sign > 0) == (rules.select == "Max") else min
    return farthest(limits) if limits else size


def _samples(api: Api, name: str, autoscaler: Workload) -> Samples:
    """Return the autoscaler's list of "events" or "samples", to which the caller adds."""
    known: dict[str, Samples] = api.memory.setdefault(f"autoscaler {name}", {})
    return known.setdefault(autoscaler.uid, [])


def _write_status(autoscaler: Workload, size: int, wanted: int, problem: str, api: Api) -> None:
    second = api.second
    able = Condition("AbleToScale", "False" if problem == "FailedGetScale" else "True", problem or "ReadyForNewScale")
    numbers: dict[str, Any] = {"currentReplicas": size, "desiredReplicas": wanted}
    old = api.workload_status(autoscaler).condition("AbleToScale")
    if old is not None and (old.status, old.reason) == (able.status, able.reason):
        second = old.changed
    condition = Condition(able.type, able.status, able.reason, "", second, second)
    api.write_status(autoscaler, numbers, (condition,))
