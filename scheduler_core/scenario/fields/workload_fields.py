"""Field tables of workloads, autoscalers, quotas, limit ranges and runtime classes."""

from __future__ import annotations

from scheduler_core.scenario.fields.common_fields import ANNOTATIONS, LABEL_SELECTOR, RESOURCE_LIST, top_level
from scheduler_core.scenario.fields.pod_fields import POD_SPEC, TOLERATION
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT32,
    INT64,
    INT_OR_STRING,
    QUANTITY,
    STRING,
    Enum,
    Fields,
    ListOf,
    MapOf,
    strings,
    unread,
)

TEMPLATE = Fields(
    "PodTemplateSpec",
    {
        "metadata": Fields(
            "TemplateMeta",
            {
                "labels": MapOf(STRING),
                "annotations": ANNOTATIONS,
                **unread("name namespace creationTimestamp generateName finalizers ownerReferences"),
            },
        ),
        "spec": POD_SPEC,
    },
)
_REPLICAS = {"replicas": INT32, "minReadySeconds": INT32}
_SELECTED = {"selector": LABEL_SELECTOR, "template": TEMPLATE}
_ROLLING = {"maxSurge": INT_OR_STRING, "maxUnavailable": INT_OR_STRING}

REPLICATION_CONTROLLER = top_level(
    "ReplicationController",
    spec=Fields("ReplicationControllerSpec", {"selector": MapOf(STRING), "template": TEMPLATE, **_REPLICAS}),
    status=ANY,
)

REPLICA_SET = top_level("ReplicaSet", spec=Fields("ReplicaSetSpec", {**_SELECTED, **_REPLICAS}), status=ANY)

DEPLOYMENT = top_level(
    "Deployment",
    spec=Fields(
        "DeploymentSpec",
        {
            **_SELECTED,
            **_REPLICAS,
            "strategy": Fields(
                "DeploymentStrategy",
                {
                    "type": Enum(("RollingUpdate", "Recreate"), "deployment strategy"),
                    "rollingUpdate": Fields("RollingUpdateDeployment", _ROLLING),
                },
            ),
            "paused": BOOLEAN,
            "progressDeadlineSeconds": INT32,
            "revisionHistoryLimit": INT32,
            **unread("rollbackTo"),
        },
        {
            "replicas": "1 when absent",
            "progressDeadlineSeconds": "600 when absent",
            "strategy": "RollingUpdate by 25% when absent",
        },
    ),
    status=ANY,
)

STATEFUL_SET = top_level(
    "StatefulSet",
    spec=Fields(
        "StatefulSetSpec",
        {
            **_SELECTED,
            **_REPLICAS,
            "podManagementPolicy": Enum(("OrderedReady", "Parallel"), "pod management policy"),
            "updateStrategy": Fields(
                "StatefulSetUpdateStrategy",
                {
                    "type": Enum(("RollingUpdate", "OnDelete"), "update strategy"),
                    "rollingUpdate": Fields(
                        "RollingUpdateStatefulSetStrategy", {"partition": INT32, "maxUnavailable": INT_OR_STRING}
                    ),
                },
            ),
            "volumeClaimTemplates": ListOf(
                Fields("PersistentVolumeClaimTemplate", unread("apiVersion kind metadata spec status"))
            ),
            "persistentVolumeClaimRetentionPolicy": Fields(
                "StatefulSetPersistentVolumeClaimRetentionPolicy",
                dict.fromkeys(("whenDeleted", "whenScaled"), Enum(("Retain", "Delete"), "retention policy")),
            ),
            "ordinals": Fields("StatefulSetOrdinals", {"start": INT32}),
            **unread("serviceName revisionHistoryLimit"),
        },
    ),
    status=ANY,
)

DAEMON_SET = top_level(
    "DaemonSet",
    spec=Fields(
        "DaemonSetSpec",
        {
            **_SELECTED,
            "minReadySeconds": INT32,
            "updateStrategy": Fields(
                "DaemonSetUpdateStrategy",
                {
                    "type": Enum(("RollingUpdate", "OnDelete"), "update strategy"),
                    "rollingUpdate": Fields("RollingUpdateDaemonSet", _ROLLING),
                },
            ),
            **unread("revisionHistoryLimit templateGeneration"),
        },
    ),
    status=ANY,
)

_POD_FAILURE_POLICY = Fields(
    "PodFailurePolicy",
    {
        "rules": ListOf(
            Fields(
                "PodFailurePolicyRule",
                {
                    "action": Enum(("FailJob", "FailIndex", "Ignore", "Count"), "action"),
                    "onExitCodes": Fields(
                        "PodFailurePolicyOnExitCodesRequirement",
                        {
                            "containerName": STRING,
                            "operator": Enum(("In", "NotIn"), "operator"),
                            "values": ListOf(INT32),
                        },
                    ),
                    "onPodConditions": ListOf(Fields("PodFailurePolicyOnPodConditionsPattern", strings("type status"))),
                },
            )
        )
    },
)
_SUCCESS_POLICY = Fields(
    "SuccessPolicy",
    {"rules": ListOf(Fields("SuccessPolicyRule", {"succeededIndexes": STRING, "succeededCount": INT32}))},
)

JOB_SPEC = Fields(
    "JobSpec",
    {
        "parallelism": INT32,
        "completions": INT32,
        "completionMode": Enum(("NonIndexed", "Indexed"), "completion mode"),
        "backoffLimit": INT32,
        "backoffLimitPerIndex": INT32,
        "maxFailedIndexes": INT32,
        "podFailurePolicy": _POD_FAILURE_POLICY,
        "successPolicy": _SUCCESS_POLICY,
        "podReplacementPolicy": Enum(("TerminatingOrFailed", "Failed"), "pod replacement policy"),
        "suspend": BOOLEAN,
        "activeDeadlineSeconds": INT64,
        "ttlSecondsAfterFinished": INT32,
        "template": TEMPLATE,
        "selector": LABEL_SELECTOR,
        **unread("manualSelector managedBy"),
    },
    {"parallelism": "1 when absent", "backoffLimit": "6 when absent; failures beyond it fail the Job"},
)
JOB = top_level("Job", spec=JOB_SPEC, status=ANY)

CRON_JOB = top_level(
    "CronJob",
    spec=Fields(
        "CronJobSpec",
        {
            "schedule": STRING,
            "timeZone": STRING,
            "concurrencyPolicy": Enum(("Allow", "Forbid", "Replace"), "concurrency policy"),
            "startingDeadlineSeconds": INT64,
            "suspend": BOOLEAN,
            "successfulJobsHistoryLimit": INT32,
            "failedJobsHistoryLimit": INT32,
            "jobTemplate": Fields("JobTemplateSpec", {"metadata": ANY, "spec": JOB_SPEC}),
        },
        {"schedule": "minute, hour, day of month, month, day of week; the run starts on Wednesday, 2025-01-01 00:00"},
    ),
    status=ANY,
)

_SCALING_RULES = Fields(
    "HPAScalingRules",
    {
        "stabilizationWindowSeconds": INT32,
        "selectPolicy": Enum(("Max", "Min", "Disabled"), "scaling policy selection"),
        "policies": ListOf(
            Fields(
                "HPAScalingPolicy",
                {"type": Enum(("Pods", "Percent"), "scaling policy"), "value": INT32, "periodSeconds": INT32},
            )
        ),
        "tolerance": QUANTITY,
    },
)
_METRIC = Fields(
    "MetricSpec",
    {
        "type": STRING,
        "resource": Fields(
            "ResourceMetricSource",
            {
                "name": STRING,
                "target": Fields(
                    "MetricTarget",
                    {
                        "type": Enum(("Utilization", "AverageValue", "Value"), "metric target"),
                        "averageUtilization": INT32,
                        "averageValue": QUANTITY,
                        "value": QUANTITY,
                    },
                ),
            },
        ),
        **unread("containerResource pods object external"),
    },
)
HORIZONTAL_POD_AUTOSCALER = top_level(
    "HorizontalPodAutoscaler",
    spec=Fields(
        "HorizontalPodAutoscalerSpec",
        {
            "scaleTargetRef": Fields("CrossVersionObjectReference", strings("apiVersion kind name")),
            "minReplicas": INT32,
            "maxReplicas": INT32,
            "targetCPUUtilizationPercentage": INT32,
            "metrics": ListOf(_METRIC),
            "behavior": Fields(
                "HorizontalPodAutoscalerBehavior", {"scaleUp": _SCALING_RULES, "scaleDown": _SCALING_RULES}
            ),
        },
        {"metrics": "of type Resource; `load` events say how much the pods use"},
    ),
    status=ANY,
)

RESOURCE_QUOTA = top_level(
    "ResourceQuota",
    spec=Fields(
        "ResourceQuotaSpec",
        {
            "hard": RESOURCE_LIST,
            "scopes": ListOf(STRING),
            "scopeSelector": Fields(
                "ScopeSelector",
                {
                    "matchExpressions": ListOf(
                        Fields(
                            "ScopedResourceSelectorRequirement",
                            {**strings("scopeName operator"), "values": ListOf(STRING)},
                        )
                    )
                },
            ),
        },
    ),
    status=ANY,
)

LIMIT_RANGE = top_level(
    "LimitRange",
    spec=Fields(
        "LimitRangeSpec",
        {
            "limits": ListOf(
                Fields(
                    "LimitRangeItem",
                    {
                        "type": STRING,
                        **dict.fromkeys(
                            ("default", "defaultRequest", "min", "max", "maxLimitRequestRatio"), RESOURCE_LIST
                        ),
                    },
                )
            )
        },
    ),
)

RUNTIME_CLASS = top_level(
    "RuntimeClass",
    handler=STRING,
    overhead=Fields("Overhead", {"podFixed": RESOURCE_LIST}),
    scheduling=Fields("Scheduling", {"nodeSelector": MapOf(STRING), "tolerations": ListOf(TOLERATION)}),
)
