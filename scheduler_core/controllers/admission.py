"""Admission of pods: DefaultTolerationSeconds, LimitRanger, RuntimeClass and ResourceQuota, in the API server's order.

kube-apiserver: plugin/pkg/admission/{defaulttolerationseconds,limitranger,runtimeclass} and apiserver's
pkg/admission/plugin/resourcequota. Priority is part of `scenario.objects.admission`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from scheduler_core.apis.container_resources import without_null
from scheduler_core.apis.core import Pod, PodKey, Workload
from scheduler_core.apis.quantity import format_bytes, parse_nano
from scheduler_core.apis.workloads import LimitRangeItem, LimitRangeSpec, QuotaSpec, RuntimeClassSpec
from scheduler_core.cluster.statuses import WorkloadStatus
from scheduler_core.scenario.objects.workloads import amount

Manifest = dict[str, Any]

NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
TOLERATION_SECONDS = 300
COMPUTE = ("cpu", "memory", "ephemeral-storage")


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
        limits = self._limits(namespace)
        for item in limits:
            _apply_limits(spec, item)
        _require_limits(name, spec, limits)
        return {**manifest, "spec": spec}

    def admit_resize(self, pod: Pod) -> None:
        """Check a pod with changed resources against LimitRanges and count it in quotas. Raises AdmissionRefused."""
        _require_limits(pod.name, dict(pod.manifest.get("spec") or {}), self._limits(pod.namespace))
        self.charge(pod)

    def _limits(self, namespace: str) -> list[LimitRangeItem]:
        return [
            item
            for limit_range in self._objects.workloads("LimitRange")
            if limit_range.namespace == namespace and isinstance(limit_range.spec, LimitRangeSpec)
            for item in limit_range.spec.limits
        ]

    def charge(self, pod: Pod) -> None:
        """Count the pod in the quotas of its namespace. Raises AdmissionRefused if one is exceeded (checkRequest).

        For a pod that is already counted, only the increase is checked.
        """
        quotas = [quota for quota in self._quotas(pod.namespace) if _is_in_scope(quota, pod)]
        if not quotas:
            return
        usage, counted = usage_of(pod), dict(self._charged.get(pod.key, ()))
        charges: list[tuple[str, dict[str, int]]] = []
        for quota in quotas:
            assert isinstance(quota.spec, QuotaSpec)
            hard, used = quota.spec.hard, self.used(quota)
            amounts = {name: usage.get(name, 0) for name in hard if name in usage or _must_be_specified(name)}
            missing = [name for name in amounts if name not in usage]
            if missing:
                containers = ",".join(c.get("name") or "" for c in (pod.manifest["spec"].get("containers") or ()))
                texts = ",".join(f"{name} for: {containers}" for name in sorted(missing))
                raise AdmissionRefused(
                    f'pods "{pod.name}" is forbidden: failed quota: {quota.name}: must specify {texts}'
                )
            before = counted.get(quota.key, {})
            delta = {name: number - before.get(name, 0) for name, number in amounts.items()}
            over = [name for name, more in delta.items() if more > 0 and used.get(name, 0) + more > hard[name]]
            if over:
                over.sort()
                raise AdmissionRefused(
                    f'pods "{pod.name}" is forbidden: exceeded quota: {quota.name}, '
                    f"requested: {_quantities(over, delta)}, used: {_quantities(over, used)}, "
                    f"limited: {_quantities(over, hard)}"
                )
            charges.append((quota.key, amounts))
        self._charge(pod, charges)

    def recount(self, pod: Pod) -> None:
        """Count a pod again whose containers' resources have changed (update_filter.go: hasResourcesChanged)."""
        usage, counted = usage_of(pod), self._charged.get(pod.key, ())
        self._charge(pod, [(key, {name: usage.get(name, 0) for name in amounts}) for key, amounts in counted])

    def _charge(self, pod: Pod, charges: list[tuple[str, dict[str, int]]]) -> None:
        counted = dict(self._charged.get(pod.key, ()))
        self._charged[pod.key] = charges
        for key, amounts in charges:
            used, before = self._used[key], counted.get(key, {})
            for name, number in amounts.items():
                used[name] = used.get(name, 0) + number - before.get(name, 0)
        for key, _ in charges:
            quota = self._objects.workload("ResourceQuota", key)
            if quota is not None:
                self.write(quota)

    def count(self, pod: Pod) -> None:
        """Count a pod that exists, whatever the quotas allow, unless it is counted already."""
        if pod.key in self._charged:
            return
        usage = usage_of(pod)
        for quota in self._quotas(pod.namespace):
            if _is_in_scope(quota, pod):
                assert isinstance(quota.spec, QuotaSpec)
                used = self.used(quota)
                delta = {name: usage.get(name, 0) for name in quota.spec.hard}
                for name, more in delta.items():
                    used[name] += more
                self._charged.setdefault(pod.key, []).append((quota.key, delta))

    def release(self, pod: Pod) -> None:
        """Stop counting a pod that has finished or was deleted."""
        for key, delta in self._charged.pop(pod.key, ()):
            used = self._used.get(key, {})
            for name, more in delta.items():
                used[name] = used.get(name, 0) - more
            quota = self._objects.workload("ResourceQuota", key)
            if quota is not None:
                self.write(quota)

    def used(self, quota: Workload) -> dict[str, int]:
        """Return the pods' use of a quota, by the names of its limits."""
        assert isinstance(quota.spec, QuotaSpec)
        used = self._used.setdefault(quota.key, {})
        for name in quota.spec.hard:
            used.setdefault(name, 0)
        return used

    def write(self, quota: Workload) -> None:
        """Write the status of a quota: its limits and their use."""
        assert isinstance(quota.spec, QuotaSpec)
        used = self.used(quota)
        numbers = {f"used.{name}": _format_quantity(name, used[name]) for name in quota.spec.hard}
        numbers |= {f"hard.{name}": _format_quantity(name, number) for name, number in quota.spec.hard.items()}
        self._objects.write_status(quota, numbers)

    def _quotas(self, namespace: str) -> Iterator[Workload]:
        for quota in self._objects.workloads("ResourceQuota"):
            if quota.namespace == namespace and isinstance(quota.spec, QuotaSpec):
                yield quota


def _require_limits(name: str, spec: Manifest, limits: Sequence[LimitRangeItem]) -> None:
    if problems := [problem for item in limits for problem in _violations(spec, item)]:
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
    """Yield the reasons why a pod violates a LimitRange (PodValidateLimitFunc)."""
    if item.type == "Container":
        for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
            resources = container.get("resources") or {}
            requests, limits = (without_null(resources.get(field)) for field in ("requests", "limits"))
            yield from _limit_violations(requests, limits, item)
    elif item.type == "Pod":
        yield from _limit_violations(_sum(spec, "requests"), _sum(spec, "limits"), item)


def _limit_violations(requests: Mapping[str, Any], limits: Mapping[str, Any], item: LimitRangeItem) -> Iterator[str]:
    for name, least in item.minimum.items():
        given, bound = requests.get(name), limits.get(name)
        if given is None:
            yield f"minimum {name} usage per {item.type} is {least}.  No request is specified"
        elif parse_nano(str(given)) < parse_nano(str(least)):
            yield f"minimum {name} usage per {item.type} is {least}, but request is {given}"
        elif bound is not None and parse_nano(str(bound)) < parse_nano(str(least)):
            yield f"minimum {name} usage per {item.type} is {least}, but limit is {bound}"
    for name, most in item.maximum.items():
        given, bound = requests.get(name), limits.get(name)
        if bound is None:
            yield f"maximum {name} usage per {item.type} is {most}.  No limit is specified"
        elif parse_nano(str(bound)) > parse_nano(str(most)):
            yield f"maximum {name} usage per {item.type} is {most}, but limit is {bound}"
        elif given is not None and parse_nano(str(given)) > parse_nano(str(most)):
            yield f"maximum {name} usage per {item.type} is {most}, but request is {given}"
    for name, ratio in item.ratio.items():
        given, bound = requests.get(name), limits.get(name)
        text = f"{name} max limit to request ratio per {item.type} is {ratio}, but"
        if not given or not bound:
            yield f"{text} no request is specified or request is 0"
            continue
        share = parse_nano(str(bound)) / max(parse_nano(str(given)), 1)
        if share > parse_nano(str(ratio)) / 1e9:
            yield f"{text} provided ratio is {share:f}"


def _sum(spec: Manifest, field: str) -> dict[str, str]:
    """Return the sum of each resource over the containers, at least the amount of any init container, in nano units."""
    total: dict[str, int] = {}
    for container in spec.get("containers") or ():
        for name, quantity in without_null((container.get("resources") or {}).get(field)).items():
            total[name] = total.get(name, 0) + parse_nano(str(quantity))
    for container in spec.get("initContainers") or ():
        for name, quantity in without_null((container.get("resources") or {}).get(field)).items():
            total[name] = max(total.get(name, 0), parse_nano(str(quantity)))
    return {name: f"{number}n" for name, number in total.items()}


def usage_of(pod: Pod) -> dict[str, int]:
    """Return the pod's use of everything that a quota can limit, in base units (PodUsageFunc)."""
    usage = {"pods": 1, "count/pods": 1}
    given = _sum(dict(pod.manifest.get("spec") or {}), "requests")
    for name, number in pod.requests.items():
        if name in given or name not in COMPUTE:
            usage[f"requests.{name}"] = number
            if name in COMPUTE:
                usage[name] = number
    for name, quantity in _sum(dict(pod.manifest.get("spec") or {}), "limits").items():
        usage[f"limits.{name}"] = amount(name, quantity)
        if name in COMPUTE and name not in usage:
            usage[name] = usage[f"requests.{name}"] = usage[f"limits.{name}"]
    return usage


def _must_be_specified(name: str) -> bool:
    """Return whether a pod must specify this resource if a quota limits it."""
    return name in COMPUTE[:2] or name.startswith(("requests.cpu", "requests.memory", "limits.cpu", "limits.memory"))


def _is_in_scope(quota: Workload, pod: Pod) -> bool:
    assert isinstance(quota.spec, QuotaSpec)
    return all(_matches_scope(scope, operator, values, pod) for scope, operator, values in quota.spec.scopes)


def _matches_scope(scope: str, operator: str, values: tuple[str, ...], pod: Pod) -> bool:
    spec = pod.manifest.get("spec") or {}
    best_effort = not _sum(dict(spec), "requests") and not _sum(dict(spec), "limits")
    terminating = spec.get("activeDeadlineSeconds") is not None
    if scope in ("BestEffort", "NotBestEffort"):
        return best_effort is (scope == "BestEffort")
    if scope in ("Terminating", "NotTerminating"):
        return terminating is (scope == "Terminating")
    if scope == "PriorityClass":
        name = pod.priority_class_name
        return {
            "Exists": bool(name),
            "DoesNotExist": not name,
            "In": name in values,
            "NotIn": name not in values,
        }.get(operator, True)
    return True


def _quantities(names: Sequence[str], amounts: Mapping[str, int]) -> str:
    return ",".join(f"{name}={_format_quantity(name, amounts.get(name, 0))}" for name in names)


def _format_quantity(name: str, number: int) -> str:
    if name.rpartition(".")[2] == "cpu":
        return f"{number}m" if number % 1000 else str(number // 1000)
    if name.rpartition(".")[2] in ("memory", "ephemeral-storage", "storage"):
        return format_bytes(number)
    return str(number)
