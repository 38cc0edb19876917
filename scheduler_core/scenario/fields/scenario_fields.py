"""The field table of our own kind, Scenario (kschedui.io/v1alpha1). Unknown fields are errors in it."""

from __future__ import annotations

from scheduler_core.releases import RELEASES
from scheduler_core.scenario.fields.common_fields import LABEL_SELECTOR, OBJECT_META
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT32,
    INT64,
    NUMBER,
    STRING,
    Enum,
    Fields,
    ListOf,
    MapOf,
    strings,
)

FAULT_POINTS = ("Reserve", "Permit", "PreBind", "Bind", "Preempt")
EXTENDER_VERBS = ("filter", "prioritize", "preempt", "bind")

# A list of names, or a mapping of this shape.
SELECTION = Fields("Selection", {"names": ListOf(STRING), **LABEL_SELECTOR.fields})

_EVENT = Fields(
    "TimelineEvent",
    {
        "at": NUMBER,
        "create": ANY,
        "update": ANY,
        "delete": Fields("ObjectName", strings("apiVersion kind namespace name")),
    },
    {
        "at": "virtual seconds since the start",
        "create": "a whole object",
        "update": "a whole object, which replaces the one of the same name",
        "delete": "kind, namespace and name of an object",
    },
)

_FAULT = Fields(
    "Fault",
    {"pod": STRING, "point": Enum(FAULT_POINTS, "fault point"), "times": INT32, "message": STRING},
    {"pod": "namespace/name", "times": "how many times it fails; 1 when absent"},
)

_EXTENDER = Fields(
    "ExtenderScript",
    {
        "urlPrefix": STRING,
        "filter": ListOf(
            Fields("ExtenderFilterRule", {"pods": ANY, "nodes": ANY, "reject": STRING, "unresolvable": BOOLEAN})
        ),
        "prioritize": ListOf(Fields("ExtenderPrioritizeRule", {"pods": ANY, "nodes": ANY, "score": INT32})),
        "preempt": ListOf(Fields("ExtenderPreemptRule", {"pods": ANY, "nodes": ANY})),
        "failures": ListOf(
            Fields(
                "ExtenderFailure",
                {"verb": Enum(EXTENDER_VERBS, "extender verb"), "pods": ANY, "message": STRING, "times": INT32},
            )
        ),
    },
    {
        "urlPrefix": "that of the extender in KubeSchedulerConfiguration",
        "filter": "nodes that it rejects",
        "prioritize": "scores 0 to 10 that it gives; the first rule that matches counts",
        "preempt": "nodes that it strikes from the preemption candidates",
        "failures": "calls that fail",
    },
)

_EXPECTED_POD = Fields("ExpectedPod", {"node": STRING, "pending": BOOLEAN, "reason": STRING})

SPEC = Fields(
    "ScenarioSpec",
    {
        "title": STRING,
        "description": STRING,
        "kubernetesVersion": Enum(tuple(RELEASES), "Kubernetes version"),
        "seed": INT64,
        "untilSeconds": NUMBER,
        "bindingSeconds": NUMBER,
        "featureGates": MapOf(BOOLEAN),
        "events": ListOf(_EVENT),
        "faults": ListOf(_FAULT),
        "extenders": ListOf(_EXTENDER),
        "expect": Fields("Expectation", {"pods": MapOf(ANY), "victims": ListOf(STRING)}),
    },
    {
        "description": "Markdown",
        "kubernetesVersion": "whose kube-scheduler decides, as in 1.34; absent: the newest that is complete",
        "seed": "breaks ties between equally good nodes; absent: the first of them wins",
        "untilSeconds": "virtual end; absent: the run ends when nothing can happen any more",
        "bindingSeconds": "how long a binding cycle takes; 0 when absent",
        "expect": "the promised outcome",
    },
)

SCENARIO = Fields("Scenario", {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT_META, "spec": SPEC})

# What the values of expect.pods may be besides a node's name and `pending`.
EXPECTED_POD = _EXPECTED_POD
