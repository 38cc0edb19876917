"""Admission of pods: DefaultTolerationSeconds, LimitRanger, RuntimeClass and ResourceQuota, in the API server's order.

kube-apiserver: plugin/pkg/admission/{defaulttolerationseconds,limitranger,runtimeclass} and apiserver's
pkg/admission/plugin/resourcequota. Priority is part of `scenario.objects.admission`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from scheduler_core.apis.container_resources import Amounts, amounts, is_sidecar, without_null
from scheduler_core.apis.core import Pod, PodKey, Workload
from scheduler_core.apis.qos import qos_class
from scheduler_core.apis.quantity import Quantity, format_bytes, milli_value, show_amount
from scheduler_core.apis.workloads import LimitRangeItem, LimitRangeSpec, QuotaSpec, RuntimeClassSpec
from scheduler_core.cluster.statuses import PodStatus, WorkloadStatus
from scheduler_core.scenario.objects.resources import aggregate, is_pod_level
from scheduler_core.scenario.objects.workloads import amount

Manifest = dict[str, Any]

NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
TOLERATION_SECONDS = 300
COMPUTE = {"cpu", "memory", "ephemeral-storage"}
MUST_BE_STATED = {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}
OBJECTS = "count/pods"
Written = Mapping[str, tuple[int, str]]  # an amount of each resource in base units, and as it is printed


class AdmissionRefused(Exception):
    """The API server refused a write; the text is its message."""


class Objects(Protocol):
    """The objects that admission reads and writes."""

    def workloads(self, kind: str) -> list[Workload]: ...

    def workload(self, kind: str, key: str) -> Workload | None: ...

    def workload_status(self, workload: Any) -> WorkloadStatus: ...

    def write_status(self, item: Any, numbers: Mapping[str, int | str]) -> bool: ...


class PodAdmission:
    """Admits pods, and counts their use of the quotas."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._used: dict[str, dict[str, int]] = {}  # by quota
        self._charged: dict[PodKey, list[tuple[str, dict[str, int]]]] = {}

    def admit(self, manifest: Manifest) -> Manifest:
        """Return the manifest as changed by the admission plugins. Raises AdmissionRefused."""
        metadata, spec = manifest.get("metadata") or {}, dict(manifest.get("spec") or {})
        namespace, name = metadata.get("namespace") or "default", metadata.get("name") or ""
        _set_runtime_class(spec, name, self._objects)
        spec["tolerations"] = with_default_tolerations(spec.get("tolerations") or ())
        ranges = self._limit_ranges(namespace)
        for limit_range in ranges:
            for item in limit_range.limits:
                _apply_limits(spec, item)
        _require_limits(name, spec, ranges)
        return {**manifest, "spec": spec}

    def admit_resize(self, pod: Pod) -> None:
        """Check a pod with changed resources against LimitRanges and count it in quotas. Raises AdmissionRefused."""
        _require_limits(pod.name, dict(pod.manifest.get("spec") or {}), self._limit_ranges(pod.namespace))
        self.charge(pod)

    def _limit_ranges(self, namespace: str) -> list[LimitRangeSpec]:
        return [
            limit_range.spec
            for limit_range in self._objects.workloads("LimitRange")
            if limit_range.namespace == namespace and isinstance(limit_range.spec, LimitRangeSpec)
        ]

    def charge(self, pod: Pod) -> None:
        """Count the pod in the quotas of its namespace. Raises AdmissionRefused if one is exceeded (CheckRequest).

        A pod that is already counted is only checked if it uses more of something.
        """
        quotas = [quota for quota in self._quotas(pod.namespace) if _is_in_scope(quota, pod)]
        if not quotas:
            return
        usage, counted = usage_of(pod), dict(self._charged.get(pod.key, ()))
        for quota in quotas:
            if missing := _missing(quota, pod):
                raise AdmissionRefused(
                    f'pods "{pod.name}" is forbidden: failed quota: {quota.name}: must specify {missing}'
                )
        charges: list[tuple[str, dict[str, int]]] = []
        for quota in quotas:
            hard, used = _spec(quota).hard, self.used(quota)
            own = {name: usage[name] for name in hard if name in usage}
            before = counted.get(quota.key, {})
            delta = {name: max(number - before.get(name, 0), 0) for name, number in own.items()}
            over = sorted(name for name, more in delta.items() if used.get(name, 0) + more > hard[name])
            if over and any(delta.values()):
                raise AdmissionRefused(
                    f'pods "{pod.name}" is forbidden: exceeded quota: {quota.name}, '
                    f"requested: {_quantities(over, delta)}, used: {_quantities(over, used)}, "
                    f"limited: {_quantities(over, hard)}"
                )
            charges.append((quota.key, own))
        self._charge(pod, charges)

    def recount(self, pod: Pod) -> None:
        """Count a pod again whose containers' resources have changed (update_filter.go: hasResourcesChanged)."""
        usage, counted = usage_of(pod), self._charged.get(pod.key, ())
        self._charge(pod, [(key, {name: usage.get(name, 0) for name in own}) for key, own in counted])

    def _charge(self, pod: Pod, charges: list[tuple[str, dict[str, int]]]) -> None:
        """Count these amounts by quota instead of what was counted for the pod, and write the quotas' status."""
        counted = dict(self._charged.get(pod.key, ()))
        self._charged[pod.key] = charges
        for key, after in charges:
            used, before = self._used.setdefault(key, {}), counted.get(key, {})
            for name in {**before, **after}:
                used[name] = used.get(name, 0) + after.get(name, 0) - before.get(name, 0)
        for key, _ in charges:
            quota = self._objects.workload("ResourceQuota", key)
            if quota is not None:
                self.write(quota)

    def count(self, pod: Pod) -> None:
        """Count a pod that exists, whatever the quotas allow, unless it is counted already."""
        if pod.key not in self._charged:
            for quota in self._quotas(pod.namespace):
                self._add(quota, pod, usage_of(pod))

    def recalculate(self, quota: Workload, pods: Iterable[tuple[Pod, PodStatus]]) -> None:
        """Count the use of a quota again by all pods of its namespace, and write its status (syncResourceQuota)."""
        self._used[quota.key] = {}
        for pod, status in pods:
            self._charged[pod.key] = [charge for charge in self._charged.get(pod.key, ()) if charge[0] != quota.key]
            self._add(quota, pod, {OBJECTS: 1} if status.phase in ("Succeeded", "Failed") else usage_of(pod))
        self.write(quota)

    def _add(self, quota: Workload, pod: Pod, usage: Mapping[str, int]) -> None:
        if _is_in_scope(quota, pod):
            used = self.used(quota)
            own = {name: usage[name] for name in _spec(quota).hard if name in usage}
            for name, number in own.items():
                used[name] += number
            self._charged.setdefault(pod.key, []).append((quota.key, own))

    def finish(self, pod: Pod) -> None:
        """Stop counting what a pod uses that has finished; its object still counts as `count/pods`."""
        charges = self._charged.get(pod.key, ())
        self._charge(pod, [(key, {OBJECTS: 1} if OBJECTS in own else {}) for key, own in charges])

    def release(self, pod: Pod) -> None:
        """Stop counting a pod that was deleted."""
        self._charge(pod, [(key, {}) for key, _ in self._charged.get(pod.key, ())])
        self._charged.pop(pod.key, None)

    def used(self, quota: Workload) -> dict[str, int]:
        """Return the pods' use of a quota, by the names of its limits."""
        used = self._used.setdefault(quota.key, {})
        for name in _spec(quota).hard:
            used.setdefault(name, 0)
        return used

    def write(self, quota: Workload) -> None:
        """Write the status of a quota: its limits and their use."""
        hard, used = _spec(quota).hard, self.used(quota)
        numbers = {f"used.{name}": _format_quantity(name, used[name]) for name in hard}
        numbers |= {f"hard.{name}": _format_quantity(name, number) for name, number in hard.items()}
        self._objects.write_status(quota, numbers)

    def _quotas(self, namespace: str) -> Iterator[Workload]:
        for quota in self._objects.workloads("ResourceQuota"):
            if quota.namespace == namespace and isinstance(quota.spec, QuotaSpec):
                yield quota


def _spec(quota: Workload) -> QuotaSpec:
    assert isinstance(quota.spec, QuotaSpec)
    return quota.spec


def _require_limits(name: str, spec: Manifest, ranges: Sequence[LimitRangeSpec]) -> None:
    """Raise AdmissionRefused with all violations of the first LimitRange that the pod violates."""
    for limit_range in ranges:
        if problems := [problem for item in limit_range.limits for problem in _violations(spec, item)]:
            text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
            raise AdmissionRefused(f'pods "{name}" is forbidden: {text}')


def with_default_tolerations(tolerations: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the tolerations, with those for 300 s on nodes that are not ready or unreachable, unless others apply."""
    missing = [key for key in (NOT_READY, UNREACHABLE) if not any(_covers(entry, key) for entry in tolerations)]
    added = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": TOLERATION_SECONDS}
    return [*tolerations, *({"key": key, **added} for key in missing)]


def _covers(toleration: Mapping[str, Any], key: str) -> bool:
    return (toleration.get("key") or key) == key and (toleration.get("effect") or "NoExecute") == "NoExecute"


def _set_runtime_class(spec: Manifest, name: str, objects: Objects) -> None:
    class_name = spec.get("runtimeClassName")
    if not class_name or "overhead" in spec:  # which only admission sets
        return
    runtime_class = objects.workload("RuntimeClass", class_name)
    if runtime_class is None or not isinstance(runtime_class.spec, RuntimeClassSpec):
        raise AdmissionRefused(f'pods "{name}" is forbidden: pod rejected: RuntimeClass "{class_name}" not found')
    if runtime_class.spec.overhead:
        spec["overhead"] = dict(runtime_class.spec.overhead)
    if runtime_class.spec.node_selector:
        spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **runtime_class.spec.node_selector}
    if runtime_class.spec.tolerations:
        spec["tolerations"] = [*(spec.get("tolerations") or ()), *runtime_class.spec.tolerations]


def _apply_limits(spec: Manifest, item: LimitRangeItem) -> None:
    """Set the default requests and limits of containers (mergePodResourceRequirements)."""
    if item.type != "Container":
        return
    limits = {**item.maximum, **item.default}
    requests = {**item.minimum, **limits, **item.default_request}
    if not limits and not requests:
        return
    for field in ("initContainers", "containers"):
        if spec.get(field):
            spec[field] = [_with_defaults(container, requests, limits) for container in spec[field]]


def _with_defaults(container: Mapping[str, Any], requests: Mapping[str, Any], limits: Mapping[str, Any]) -> Manifest:
    resources = container.get("resources") or {}
    own_limits = resources.get("limits") or {}
    own_requests = {**own_limits, **(resources.get("requests") or {})}
    return {
        **container,
        "resources": {**resources, "requests": {**requests, **own_requests}, "limits": {**limits, **own_limits}},
    }


def _violations(spec: Manifest, item: LimitRangeItem) -> Iterator[str]:
    """Yield the reasons why a pod violates an item of a LimitRange (PodValidateLimitFunc)."""
    if item.type == "Container":
        for container in _containers(spec):
            resources = container.get("resources") or {}
            requests, limits = (_as_written(without_null(resources.get(field))) for field in ("requests", "limits"))
            yield from _limit_violations(requests, limits, item)
    elif item.type == "Pod":
        requests, limits = (
            {name: (number, show_amount(name, number)) for name, number in _totals(spec, field).items()}
            for field in ("requests", "limits")
        )
        yield from _limit_violations(requests, limits, item)


def _containers(spec: Manifest) -> list[Manifest]:
    return [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]


def _as_written(resources: Mapping[str, Any]) -> Written:
    return {name: (amount(name, text), str(Quantity.parse(str(text)))) for name, text in resources.items()}


def _limit_violations(requests: Written, limits: Written, item: LimitRangeItem) -> Iterator[str]:
    nothing = (0, "")
    for name, (least, text) in _as_written(item.minimum).items():
        (given, request), (bound, limit) = requests.get(name, nothing), limits.get(name, nothing)
        usage = f"minimum {name} usage per {item.type} is {text}"
        if not request:
            yield f"{usage}.  No request is specified"
        elif given < least:
            yield f"{usage}, but request is {request}"
        elif limit and bound < least:
            yield f"{usage}, but limit is {limit}"
    for name, (most, text) in _as_written(item.maximum).items():
        (given, request), (bound, limit) = requests.get(name, nothing), limits.get(name, nothing)
        usage = f"maximum {name} usage per {item.type} is {text}"
        if not limit:
            yield f"{usage}.  No limit is specified"
        elif bound > most:
            yield f"{usage}, but limit is {limit}"
        elif given > most:
            yield f"{usage}, but request is {request}"
    for name, quantity in item.ratio.items():
        (given, _), (bound, _) = requests.get(name, nothing), limits.get(name, nothing)
        ratio = Quantity.parse(str(quantity))
        text = f"{name} max limit to request ratio per {item.type} is {ratio}, but"
        if not given:
            yield f"{text} no request is specified or request is 0"
        elif not bound:
            yield f"{text} no limit is specified or limit is 0"
        elif bound / given * 1000 > milli_value(ratio.nano):
            yield f"{text} provided ratio is {bound / given:f}"


def _totals(spec: Manifest, field: Literal["requests", "limits"]) -> Amounts:
    """Return the requests or limits of a pod, without overhead (limitranger's podRequests and podLimits)."""

    def own(container: Mapping[str, Any]) -> Amounts:
        return amounts((container.get("resources") or {}).get(field))

    containers = [own(container) for container in spec.get("containers") or ()]
    init_containers = [(own(container), is_sidecar(container)) for container in spec.get("initContainers") or ()]
    of_pod = {name: number for name, number in own(spec).items() if is_pod_level(name)}
    return {**aggregate(containers, init_containers), **of_pod}


def usage_of(pod: Pod) -> dict[str, int]:
    """Return the pod's use of everything that a quota can limit, in base units (PodUsageFunc)."""
    usage = {"pods": 1, OBJECTS: 1}
    spec = dict(pod.manifest.get("spec") or {})
    given, limits, overhead = _totals(spec, "requests"), _totals(spec, "limits"), amounts(spec.get("overhead"))
    for name, number in pod.requests.items():
        if name in given or name not in COMPUTE:
            usage[f"requests.{name}"] = number
            if name in COMPUTE or name.startswith("hugepages-"):
                usage[name] = number
    for name in limits.keys() & COMPUTE:
        usage[f"limits.{name}"] = limits[name] + overhead.get(name, 0)
        if name not in usage:
            usage[name] = usage[f"requests.{name}"] = usage[f"limits.{name}"]
    return usage


def _missing(quota: Workload, pod: Pod) -> str:
    """Return the cpu and memory that the quota limits and containers do not state, each with these containers; "" if
    there is none, or the pod states resources of its own (podEvaluator.Constraints).
    """
    spec = dict(pod.manifest.get("spec") or {})
    if any(map(is_pod_level, _stated(spec, "requests", "limits"))):
        return ""
    texts = []
    for required in sorted(MUST_BE_STATED & _spec(quota).hard.keys()):
        field, _, name = required.rpartition(".")
        fields = ("limits",) if field == "limits" else ("requests", "limits")  # a missing request is the limit
        silent = {c.get("name") or "" for c in _containers(spec) if name not in _stated(c, *fields)}
        if silent:
            texts.append(f"{required} for: {','.join(sorted(silent))}")
    return "; ".join(texts)


def _stated(owner: Mapping[str, Any], *fields: str) -> set[str]:
    """Return the resources that these fields of a container, or of a pod's spec, name."""
    resources = owner.get("resources") or {}
    return {name for field in fields for name in resources.get(field) or ()}


def _is_in_scope(quota: Workload, pod: Pod) -> bool:
    return all(_matches_scope(scope, operator, values, pod) for scope, operator, values in _spec(quota).scopes)


def _matches_scope(scope: str, operator: str, values: tuple[str, ...], pod: Pod) -> bool:
    """Return whether a pod is in the scope (podMatchesScopeFunc)."""
    spec = pod.manifest.get("spec") or {}
    match scope:
        case "BestEffort" | "NotBestEffort":
            return (qos_class(spec) == "BestEffort") is (scope == "BestEffort")
        case "Terminating" | "NotTerminating":
            return (spec.get("activeDeadlineSeconds") is not None) is (scope == "Terminating")
        case "PriorityClass":
            name = pod.priority_class_name
            matches = {
                "Exists": bool(name),
                "DoesNotExist": not name,
                "In": name in values,
                "NotIn": name not in values,
            }
            return matches.get(operator, True)
        case "CrossNamespacePodAffinity":
            return any("namespaces" in term or "namespaceSelector" in term for term in _affinity_terms(spec))
        case _:
            return False


def _affinity_terms(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the terms of a pod's affinity and anti-affinity to pods, required and preferred."""
    for field in ("podAffinity", "podAntiAffinity"):
        rules = (spec.get("affinity") or {}).get(field) or {}
        yield from rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ()
        for weighted in rules.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
            yield weighted.get("podAffinityTerm") or {}


def _quantities(names: Sequence[str], amounts: Mapping[str, int]) -> str:
    return ",".join(f"{name}={_format_quantity(name, amounts.get(name, 0))}" for name in names)


def _format_quantity(name: str, number: int) -> str:
    if name.rpartition(".")[2] == "cpu":
        return f"{number}m" if number % 1000 else str(number // 1000)
    if name.rpartition(".")[2] in ("memory", "ephemeral-storage", "storage"):
        return format_bytes(number)
    return str(number)
