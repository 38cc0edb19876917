"""Builds workloads, Services, autoscalers, quotas, limits and runtime classes with the API server's rules and defaults.

Sources: pkg/apis/apps, batch, autoscaling, core and node. A workload whose pod template has no containers is only a
selector: its `spec` is None, and no pods are created for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any

from scheduler_core.apis.container_resources import without_null
from scheduler_core.apis.core import Workload
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import milli_value, parse_nano, value
from scheduler_core.apis.schedules import schedule_fields
from scheduler_core.apis.selectors import LabelSelector, parse_int64
from scheduler_core.apis.workloads import (
    AutoscalerSpec,
    CronJobSpec,
    DaemonSetSpec,
    DeploymentSpec,
    FailureRule,
    IntOrPercent,
    JobSpec,
    LimitRangeItem,
    LimitRangeSpec,
    QuotaSpec,
    ReplicaSetSpec,
    RuntimeClassSpec,
    ScalingRules,
    StatefulSetSpec,
    SuccessRule,
    WorkloadSpec,
    scaled,
)
from scheduler_core.scenario.fields.names import check_labels, check_metadata, text_map
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.label_selectors import label_selector
from scheduler_core.scenario.objects.pods import build_pod, controller
from scheduler_core.scenario.reading.problems import Path, Problems, forbidden, invalid, not_supported, required

Manifest = Mapping[str, Any]

_PERCENT = re.compile(r"[0-9]+%", re.ASCII)
MAX_INDEXES = 100_000  # of a Job: more than a scenario can have pods


def build_workload(data: Manifest, problems: Problems, admission: Admission) -> Workload:
    """Build a Service, or an object of a kind in SPECS.

    PodTopologySpread (system defaults) and SelectorSpread read the selector.
    """
    metadata, spec = data.get("metadata") or {}, data.get("spec") or {}
    check_metadata(metadata, ("metadata",), problems)
    kind = data["kind"]
    selector = _selector(kind, spec, problems)
    built = SPECS[kind](data, problems) if kind in SPECS else None
    if kind in _WITH_TEMPLATE:
        template = spec.get("template") or {}
        if not (template.get("spec") or {}).get("containers"):
            built = None
        else:
            _check_template(kind, template, selector, problems, admission)
    return Workload(
        kind=kind,
        name=metadata.get("name") or "",
        namespace="" if kind in _OF_CLUSTER else metadata.get("namespace") or "default",
        selector=selector,
        uid=admission.uid(metadata),
        manifest=data,
        spec=built,
        owner=controller(metadata),
        creation_timestamp=admission.creation(metadata),
    )


def _selector(kind: str, spec: Manifest, problems: Problems) -> LabelSelector:
    path = ("spec", "selector")
    if kind in ("Job", "CronJob", *_WITHOUT_SELECTOR):
        return LabelSelector.nothing()
    if kind in ("ReplicaSet", "StatefulSet", "Deployment", "DaemonSet"):
        selector = label_selector(spec.get("selector"), path, problems)
        if selector.empty or selector.matches_nothing:
            problems.error(
                path, invalid(spec.get("selector"), Message("empty selector is invalid for {kind}", kind=kind))
            )
        return selector
    labels = text_map(spec.get("selector"))
    if not labels and kind == "ReplicationController":
        template = (spec.get("template") or {}).get("metadata") or {}
        labels = text_map(template.get("labels"))
    check_labels(labels, path, problems)
    return LabelSelector.from_labels(labels) if labels else LabelSelector.nothing()


def _check_template(
    kind: str, template: Manifest, selector: LabelSelector, problems: Problems, admission: Admission
) -> None:
    """Check the pod template (`ValidatePodTemplateSpec`), its labels and its restartPolicy."""
    path: Path = ("spec", "template")
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    labels = text_map(metadata.get("labels"))
    if not selector.matches_nothing and not selector.matches(labels):
        message = Message("`selector` does not match template `labels`")
        problems.error((*path, "metadata", "labels"), invalid(labels, message))
    policy = spec.get("restartPolicy") or "Always"
    if kind == "Job" and policy not in ("OnFailure", "Never"):
        if spec.get("restartPolicy"):
            problems.error((*path, "spec", "restartPolicy"), not_supported(policy, ("OnFailure", "Never")))
        else:
            message = Message('valid values: "OnFailure", "Never"')
            problems.error((*path, "spec", "restartPolicy"), required(message))
    elif kind != "Job" and policy != "Always":
        problems.error((*path, "spec", "restartPolicy"), not_supported(policy, ("Always",)))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, "name": "template"}, "spec": spec}
    with problems.inside(path), admission.template():
        build_pod(pod, problems, admission)


def _count(spec: Manifest, field: str, default: int, problems: Problems, path: Path = ("spec",)) -> int:
    """Return a number of 0 or more; the default if it is absent, or negative (an error). `path` is that of `spec`."""
    number = spec.get(field)
    if number is None:
        return default
    if number < 0:
        problems.error((*path, field), invalid(number, Message("must be greater than or equal to 0")))
        return default
    return int(number)


def _optional(spec: Manifest, field: str, problems: Problems) -> int | None:
    """Return a number of 0 or more; None if it is absent, 0 if it is negative (an error)."""
    return None if spec.get(field) is None else _count(spec, field, 0, problems)


def _share(data: Manifest, field: str, default: IntOrPercent, path: Path, problems: Problems) -> IntOrPercent:
    """Return a number or percentage (`ValidatePositiveIntOrPercent`); the default if it is absent or malformed."""
    given = data.get(field)
    if given is None:
        return default
    check_int_or_percent(given, (*path, field), problems)
    return given if isinstance(given, int) or _PERCENT.fullmatch(given) else default


def check_int_or_percent(given: IntOrPercent | None, path: Path, problems: Problems) -> None:
    """Check a number of pods that may be a percentage (`ValidatePositiveIntOrPercent`, `IsNotMoreThan100Percent`)."""
    if isinstance(given, int) and given < 0:
        problems.error(path, invalid(given, Message("must be greater than or equal to 0")))
    elif isinstance(given, str):
        if not _PERCENT.fullmatch(given):
            reason = Message("a valid percent string must be a numeric string followed by an ending '%' (such as 93%)")
            problems.error(path, invalid(given, reason))
        elif len(given) > 4 or int(given[:-1]) > 100:
            problems.error(path, invalid(given, Message("must not be greater than 100%")))


def _replica_set(data: Manifest, problems: Problems) -> WorkloadSpec:
    spec = data.get("spec") or {}
    return ReplicaSetSpec(
        replicas=_count(spec, "replicas", 1, problems),
        template=spec.get("template") or {},
        min_ready_seconds=_count(spec, "minReadySeconds", 0, problems),
    )


def _deployment(data: Manifest, problems: Problems) -> WorkloadSpec:
    spec = data.get("spec") or {}
    strategy = spec.get("strategy") or {}
    kind: Any = strategy.get("type") or "RollingUpdate"
    rolling = strategy.get("rollingUpdate")
    path: Path = ("spec", "strategy")
    if kind == "Recreate" and rolling is not None:
        message = Message("may not be specified when strategy `type` is '{kind}'", kind=kind)
        problems.error((*path, "rollingUpdate"), forbidden(message))
    rolling, path = rolling or {}, (*path, "rollingUpdate")
    surge = _share(rolling, "maxSurge", "25%", path, problems)
    unavailable = _share(rolling, "maxUnavailable", "25%", path, problems)
    if scaled(surge, 100, up=True) == 0 and scaled(unavailable, 100, up=True) == 0:
        message = Message("may not be 0 when `maxSurge` is 0")
        problems.error((*path, "maxUnavailable"), invalid(unavailable, message))
    ready = _count(spec, "minReadySeconds", 0, problems)
    deadline = _count(spec, "progressDeadlineSeconds", 600, problems)
    if deadline <= ready and spec.get("progressDeadlineSeconds") is not None:
        message = Message("must be greater than minReadySeconds")
        problems.error(("spec", "progressDeadlineSeconds"), invalid(deadline, message))
    return DeploymentSpec(
        replicas=_count(spec, "replicas", 1, problems),
        template=spec.get("template") or {},
        strategy=kind,
        max_surge=surge,
        max_unavailable=unavailable,
        min_ready_seconds=ready,
        paused=bool(spec.get("paused")),
        progress_deadline_seconds=deadline,
        revision_history_limit=_count(spec, "revisionHistoryLimit", 10, problems),
    )


def _stateful_set(data: Manifest, problems: Problems) -> WorkloadSpec:
    spec = data.get("spec") or {}
    strategy, retention = spec.get("updateStrategy") or {}, spec.get("persistentVolumeClaimRetentionPolicy") or {}
    rolling, path = strategy.get("rollingUpdate") or {}, ("spec", "updateStrategy", "rollingUpdate")
    return StatefulSetSpec(
        replicas=_count(spec, "replicas", 1, problems),
        template=spec.get("template") or {},
        parallel=spec.get("podManagementPolicy") == "Parallel",
        on_delete=strategy.get("type") == "OnDelete",
        partition=_count(rolling, "partition", 0, problems, path),
        max_unavailable=_share(rolling, "maxUnavailable", 1, path, problems),
        min_ready_seconds=_count(spec, "minReadySeconds", 0, problems),
        start=_count(spec.get("ordinals") or {}, "start", 0, problems, ("spec", "ordinals")),
        claim_templates=tuple(spec.get("volumeClaimTemplates") or ()),
        delete_claims=(retention.get("whenScaled") == "Delete", retention.get("whenDeleted") == "Delete"),
    )


def _daemon_set(data: Manifest, problems: Problems) -> WorkloadSpec:
    spec = data.get("spec") or {}
    strategy = spec.get("updateStrategy") or {}
    rolling, path = strategy.get("rollingUpdate") or {}, ("spec", "updateStrategy", "rollingUpdate")
    surge = _share(rolling, "maxSurge", 0, path, problems)
    unavailable = _share(rolling, "maxUnavailable", 1, path, problems)
    some_surge, some_unavailable = scaled(surge, 100, up=True) > 0, scaled(unavailable, 100, up=True) > 0
    if some_surge and some_unavailable and rolling.get("maxUnavailable") is not None:
        message = Message("may not be set when maxUnavailable is non-zero")
        problems.error((*path, "maxSurge"), invalid(surge, message))
    elif not some_surge and not some_unavailable:
        problems.error((*path, "maxUnavailable"), required(Message("cannot be 0 when maxSurge is 0")))
    return DaemonSetSpec(
        template=spec.get("template") or {},
        on_delete=strategy.get("type") == "OnDelete",
        max_surge=surge,
        max_unavailable=0 if some_surge else unavailable,
        min_ready_seconds=_count(spec, "minReadySeconds", 0, problems),
    )


def _job(data: Manifest, problems: Problems) -> WorkloadSpec:
    return job_spec(data.get("spec") or {}, problems)


def job_spec(spec: Manifest, problems: Problems) -> JobSpec:
    """Build the spec of a Job (`SetDefaults_Job`, `ValidateJobSpec`)."""
    indexed = spec.get("completionMode") == "Indexed"
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    if completions is None and parallelism is None:
        completions = parallelism = 1
    if indexed and completions is None:
        message = Message("when completion mode is Indexed")
        problems.error(("spec", "completions"), required(message))
    per_index, most_failed = (
        _optional(spec, field, problems) for field in ("backoffLimitPerIndex", "maxFailedIndexes")
    )
    if per_index is not None and not indexed:
        message = Message("requires indexed completion mode")
        problems.error(("spec", "backoffLimitPerIndex"), invalid(per_index, message))
    if most_failed is not None and per_index is None:
        problems.error(("spec", "backoffLimitPerIndex"), required(Message("when maxFailedIndexes is specified")))
    failures, successes = spec.get("podFailurePolicy"), spec.get("successPolicy")
    restart_policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy")
    if failures is not None and restart_policy != "Never":
        message = Message('only "Never" is supported when podFailurePolicy is specified')
        problems.error(("spec", "template", "spec", "restartPolicy"), invalid(restart_policy, message))
    if successes is not None and not indexed:
        message = Message("requires indexed completion mode")
        problems.error(("spec", "successPolicy"), invalid(successes, message))
    replacement = spec.get("podReplacementPolicy")
    if failures is not None and replacement == "TerminatingOrFailed":
        problems.error(("spec", "podReplacementPolicy"), not_supported(replacement, ("Failed",)))
    default_limit = 2**31 - 1 if per_index is not None else 6
    return JobSpec(
        parallelism=_count({"parallelism": parallelism}, "parallelism", 1, problems),
        completions=None if completions is None else _count({"completions": completions}, "completions", 1, problems),
        template=spec.get("template") or {},
        indexed=indexed,
        backoff_limit=_count(spec, "backoffLimit", default_limit, problems),
        backoff_limit_per_index=per_index,
        max_failed_indexes=most_failed,
        failure_rules=None if failures is None else tuple(map(_failure_rule, failures.get("rules") or ())),
        success_rules=None if successes is None else tuple(map(_success_rule, successes.get("rules") or ())),
        replaces_failed_only=replacement == "Failed" or (replacement is None and failures is not None),
        suspend=bool(spec.get("suspend")),
        active_deadline_seconds=_optional(spec, "activeDeadlineSeconds", problems),
        ttl_seconds=_optional(spec, "ttlSecondsAfterFinished", problems),
    )


def _failure_rule(rule: Manifest) -> FailureRule:
    codes = rule.get("onExitCodes")
    return FailureRule(
        action=rule.get("action") or "Count",
        exit_codes=None if codes is None else tuple(codes.get("values") or ()),
        exit_codes_in=(codes or {}).get("operator") != "NotIn",
        container=(codes or {}).get("containerName") or "",
        conditions=tuple(
            (pattern.get("type") or "", pattern.get("status") or "True")
            for pattern in rule.get("onPodConditions") or ()
        ),
    )


def _success_rule(rule: Manifest) -> SuccessRule:
    indexes = rule.get("succeededIndexes")
    return SuccessRule(None if indexes is None else parse_indexes(indexes), rule.get("succeededCount"))


def parse_indexes(text: str) -> tuple[int, ...]:
    """Return the first MAX_INDEXES indexes of a text such as "0-2,5", in its order.

    Parts that are no number or range are left out.
    """
    parts = ([parse_int64(end) for end in part.split("-")] for part in text.split(","))
    numbers = ([end for end in ends if end is not None] for ends in parts if None not in ends)
    ranges = (range(ends[0], ends[-1] + 1) for ends in numbers)
    return tuple(islice(chain.from_iterable(ranges), MAX_INDEXES))


def _cron_job(data: Manifest, problems: Problems) -> WorkloadSpec:
    spec = data.get("spec") or {}
    template = spec.get("jobTemplate") or {}
    schedule = spec.get("schedule") or ""
    if not schedule:
        problems.error(("spec", "schedule"), required())
    elif not schedule.startswith("@every ") and schedule_fields(schedule) is None:
        message = Message("expected five fields: minute, hour, day of month, month, day of week")
        problems.error(("spec", "schedule"), invalid(schedule, message))
    with problems.inside(("spec", "jobTemplate")):
        job_spec(template.get("spec") or {}, problems)
    return CronJobSpec(
        schedule=schedule,
        job=template,
        concurrency=spec.get("concurrencyPolicy") or "Allow",
        starting_deadline_seconds=_optional(spec, "startingDeadlineSeconds", problems),
        suspend=bool(spec.get("suspend")),
        successful_history=_count(spec, "successfulJobsHistoryLimit", 3, problems),
        failed_history=_count(spec, "failedJobsHistoryLimit", 1, problems),
    )


def _autoscaler(data: Manifest, problems: Problems) -> WorkloadSpec:
    spec = data.get("spec") or {}
    target, behavior = spec.get("scaleTargetRef") or {}, spec.get("behavior") or {}
    for field in ("kind", "name"):
        if not target.get(field):
            problems.error(("spec", "scaleTargetRef", field), required())
    minimum, maximum = _count(spec, "minReplicas", 1, problems), _count(spec, "maxReplicas", 0, problems)
    if maximum < 1:
        problems.error(("spec", "maxReplicas"), invalid(maximum, Message("must be greater than 0")))
    elif maximum < minimum:
        message = Message("must be greater than or equal to `minReplicas`")
        problems.error(("spec", "maxReplicas"), invalid(maximum, message))
    metrics = _metrics(spec, problems)
    return AutoscalerSpec(
        target_kind=target.get("kind") or "",
        target_name=target.get("name") or "",
        minimum=minimum,
        maximum=maximum,
        metrics=metrics,
        up=_scaling(behavior.get("scaleUp") or {}, (("Percent", 100, 15), ("Pods", 4, 15)), 0),
        down=_scaling(behavior.get("scaleDown") or {}, (("Percent", 100, 15),), 300),
        has_behavior=spec.get("behavior") is not None,
    )


def _metrics(spec: Manifest, problems: Problems) -> tuple[tuple[str, Any, int], ...]:
    """Return (resource, type of target, target) of each metric; by default, a utilization of 80% of the cpu requests.

    The target is a percentage, or an amount (`amount`) for AverageValue.
    """
    if not spec.get("metrics"):
        return (("cpu", "Utilization", spec.get("targetCPUUtilizationPercentage") or 80),)
    metrics: list[tuple[str, Any, int]] = []
    for index, metric in enumerate(spec["metrics"]):
        resource = metric.get("resource") if isinstance(metric, dict) and metric.get("type") == "Resource" else None
        if not isinstance(resource, dict):
            message = Message("only metrics of type Resource are supported here")
            problems.error(("spec", "metrics", index), invalid(metric, message))
            continue
        target = resource.get("target") or {}
        name = resource.get("name") or "cpu"
        if target.get("type") == "AverageValue":
            metrics.append((name, "AverageValue", amount(name, target.get("averageValue") or 0)))
        else:
            metrics.append((name, "Utilization", int(target.get("averageUtilization") or 80)))
    return tuple(metrics)


def _scaling(rules: Manifest, default: Sequence[tuple[Any, int, int]], stabilization: int) -> ScalingRules:
    policies: tuple[tuple[Any, int, int], ...] = tuple(
        (policy.get("type") or "Pods", policy.get("value") or 0, policy.get("periodSeconds") or 15)
        for policy in rules.get("policies") or ()
    )
    window, tolerance = rules.get("stabilizationWindowSeconds"), rules.get("tolerance")
    return ScalingRules(
        policies=policies or tuple(default),
        stabilization_seconds=stabilization if window is None else window,
        select=rules.get("selectPolicy") or "Max",
        tolerance=None if tolerance is None else parse_nano(str(tolerance)) / 1e9,
    )


def amount(name: str, quantity: Any) -> int:
    """Return a quantity rounded up: in millicores for cpu, requests.cpu and limits.cpu, in whole units otherwise."""
    nano = parse_nano(str(quantity))
    return milli_value(nano) if name.rpartition(".")[2] == "cpu" else value(nano)


def _quota(data: Manifest, problems: Problems) -> WorkloadSpec:
    spec = data.get("spec") or {}
    hard = {name: amount(name, quantity) for name, quantity in without_null(spec.get("hard")).items()}
    for name, number in hard.items():
        if number < 0:
            message = Message("must be greater than or equal to 0")
            problems.error(("spec", "hard", name), invalid(spec["hard"][name], message))
    scopes = [(scope, "Exists", ()) for scope in spec.get("scopes") or ()]
    for expression in (spec.get("scopeSelector") or {}).get("matchExpressions") or ():
        values = tuple(expression.get("values") or ())
        scopes.append((expression.get("scopeName") or "", expression.get("operator") or "Exists", values))
    return QuotaSpec(hard, tuple(scopes))


LIMITS = ("default", "defaultRequest", "min", "max", "maxLimitRequestRatio")


def _limit_range(data: Manifest, problems: Problems) -> WorkloadSpec:
    return LimitRangeSpec(
        tuple(
            LimitRangeItem(
                item.get("type") or "",
                *(without_null(item.get(field)) for field in LIMITS),
            )
            for item in (data.get("spec") or {}).get("limits") or ()
        )
    )


def _runtime_class(data: Manifest, problems: Problems) -> WorkloadSpec:
    scheduling = data.get("scheduling") or {}
    return RuntimeClassSpec(
        without_null((data.get("overhead") or {}).get("podFixed")),
        text_map(scheduling.get("nodeSelector")),
        tuple(scheduling.get("tolerations") or ()),
    )


SPECS = {
    "ReplicaSet": _replica_set,
    "ReplicationController": _replica_set,
    "Deployment": _deployment,
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "Job": _job,
    "CronJob": _cron_job,
    "HorizontalPodAutoscaler": _autoscaler,
    "ResourceQuota": _quota,
    "LimitRange": _limit_range,
    "RuntimeClass": _runtime_class,
}
_WITH_TEMPLATE = ("ReplicaSet", "ReplicationController", "Deployment", "StatefulSet", "DaemonSet", "Job")
_WITHOUT_SELECTOR = ("HorizontalPodAutoscaler", "ResourceQuota", "LimitRange", "RuntimeClass")
_OF_CLUSTER = ("RuntimeClass",)
