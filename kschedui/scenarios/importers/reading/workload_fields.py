"""Kinds that are imported in older versions of the API, or that are not part of a scenario."""

from __future__ import annotations

import msgspec

from scheduler_core.scenario.fields.common_fields import RESOURCE_LIST, top_level
from scheduler_core.scenario.fields.pod_fields import TOLERATION
from scheduler_core.scenario.fields.schema import ANY, STRING, Fields, ListOf, MapOf, unread
from scheduler_core.scenario.fields.workload_fields import DAEMON_SET, DEPLOYMENT, JOB


class MoreKind(msgspec.Struct, frozen=True):
    """A kind that an import converts to other objects; `older` are its other supported versions."""

    api_version: str
    fields: Fields
    older: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.fields.name


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
