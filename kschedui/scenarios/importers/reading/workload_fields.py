"""Field tables of kinds that are imported but not part of a scenario: workloads, LimitRange, RuntimeClass."""

from __future__ import annotations

import msgspec

from scheduler_core.scenario.fields.common_fields import RESOURCE_LIST, top_level
from scheduler_core.scenario.fields.pod_fields import TOLERATION
from scheduler_core.scenario.fields.schema import ANY, BOOLEAN, INT32, STRING, Fields, ListOf, MapOf, Type, unread
from scheduler_core.scenario.fields.workload_fields import REPLICA_SET

_REPLICA_SET_SPEC = REPLICA_SET.fields["spec"]
assert isinstance(_REPLICA_SET_SPEC, Fields)
_TEMPLATE = _REPLICA_SET_SPEC.fields["template"]
_SELECTOR = _REPLICA_SET_SPEC.fields["selector"]


class MoreKind(msgspec.Struct, frozen=True):
    """A kind that an import converts to other objects; `older` are its other supported versions."""

    api_version: str
    fields: Fields
    older: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.fields.name


def _workload(name: str, others: str, **fields: Type) -> Fields:
    spec = {"template": _TEMPLATE, "selector": _SELECTOR, **fields, **unread(others)}
    return top_level(name, spec=Fields(f"{name}Spec", spec), status=ANY)


DEPLOYMENT = _workload(
    "Deployment",
    "strategy minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds rollbackTo",
    replicas=INT32,
)
DAEMON_SET = _workload("DaemonSet", "updateStrategy minReadySeconds revisionHistoryLimit templateGeneration")
JOB = _workload(
    "Job",
    "activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes "
    "manualSelector ttlSecondsAfterFinished completionMode podReplacementPolicy managedBy",
    parallelism=INT32,
    completions=INT32,
    suspend=BOOLEAN,
)
CRON_JOB = top_level("CronJob", spec=ANY, status=ANY)
CONFIG_MAP = top_level("ConfigMap", data=ANY, binaryData=ANY, immutable=ANY)

_LIMIT = Fields(
    "LimitRangeItem",
    {
        "type": STRING,
        **dict.fromkeys(("default", "defaultRequest", "min", "max"), RESOURCE_LIST),
        **unread("maxLimitRequestRatio"),
    },
)
LIMIT_RANGE = top_level("LimitRange", spec=Fields("LimitRangeSpec", {"limits": ListOf(_LIMIT)}))
RUNTIME_CLASS = top_level(
    "RuntimeClass",
    handler=STRING,
    overhead=Fields("Overhead", {"podFixed": RESOURCE_LIST}),
    scheduling=Fields("Scheduling", {"nodeSelector": MapOf(STRING), "tolerations": ListOf(TOLERATION)}),
)

MORE_KINDS = (
    MoreKind("apps/v1", DEPLOYMENT, ("apps/v1beta2", "apps/v1beta1", "extensions/v1beta1")),
    MoreKind("apps/v1", DAEMON_SET, ("apps/v1beta2", "extensions/v1beta1")),
    MoreKind("batch/v1", JOB),
    MoreKind("batch/v1", CRON_JOB, ("batch/v1beta1", "batch/v2alpha1")),
    MoreKind("v1", CONFIG_MAP),
    MoreKind("v1", LIMIT_RANGE),
    MoreKind("node.k8s.io/v1", RUNTIME_CLASS, ("node.k8s.io/v1beta1",)),
)
