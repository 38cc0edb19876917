"""Field tables of Scenario and SchedulerPlugin (kschedui.io/v1alpha1). Unknown fields are errors."""

from __future__ import annotations

from scheduler_core.releases import RELEASES
from scheduler_core.scenario.fields.common_fields import LABEL_SELECTOR, OBJECT_META, RESOURCE_LIST, TAINT_EFFECT
from scheduler_core.scenario.fields.lesson_fields import LESSON
from scheduler_core.scenario.fields.schema import (
    ANY,
    BOOLEAN,
    INT32,
    INT64,
    LOCALIZED,
    NUMBER,
    QUANTITY,
    STRING,
    Enum,
    Fields,
    ListOf,
    MapOf,
    Shorthand,
    Type,
    strings,
)

FAULT_POINTS = ("Reserve", "Permit", "PreBind", "Bind", "Preempt")
EXTENDER_VERBS = ("filter", "prioritize", "preempt", "bind")

# A list of names, or a mapping with these fields.
SELECTION = Fields("Selection", {"names": ListOf(STRING), **LABEL_SELECTOR.fields})

_TARGET = strings("apiVersion kind namespace")
_NODE = {"node": "a node, or a list of nodes"}
_NODES = Shorthand(Fields("EventNodes", {"node": ANY}, _NODE))
_POD_NAME = {
    "pod": "its name, or web@1/0, or owner, node and index",
    "namespace": "of the pod; default when absent",
}
_POD: dict[str, Type] = {
    "pod": Shorthand(Fields("PodReference", {**strings("name namespace owner node"), "index": INT32})),
    "namespace": STRING,
    **strings("name owner node"),
    "index": INT32,
}
_ON_NODE: dict[str, Type] = {"node": ANY, "key": STRING, "value": ANY, "effect": TAINT_EFFECT}

EVENT = Fields(
    "TimelineEvent",
    {
        "at": NUMBER,
        "create": ANY,
        "update": ANY,
        "delete": Fields("ObjectName", {**_TARGET, "name": ANY, "gracePeriodSeconds": INT64}),
        "deleteFirst": STRING,
        "patch": Fields(
            "Patch",
            {
                **_TARGET,
                "name": ANY,
                "patch": ANY,
                "type": Enum(("strategic", "merge", "json"), "type of patch"),
                "body": ANY,
            },
            {"body": "a merge patch, in place of patch and type"},
        ),
        "scale": Fields("Scale", {**_TARGET, "name": STRING, "replicas": INT32}),
        "rollout": Fields(
            "Rollout",
            {
                **_TARGET,
                "name": STRING,
                "action": Enum(("restart", "undo", "pause", "resume"), "action"),
                "toRevision": INT32,
            },
        ),
        "cordon": _NODES,
        "uncordon": _NODES,
        "drain": Shorthand(
            Fields(
                "Drain",
                {"node": ANY, "force": BOOLEAN},
                {**_NODE, "force": "false leaves bare pods"},
            )
        ),
        "evict": Shorthand(Fields("EvictedPod", _POD, _POD_NAME)),
        "taint": Fields("NewTaint", _ON_NODE),
        "untaint": Fields("OldTaint", _ON_NODE),
        "failNode": _NODES,
        "recoverNode": _NODES,
        "ready": Fields(
            "Readiness", {**_POD, "value": BOOLEAN}, {**_POD_NAME, "value": "whether its containers are ready"}
        ),
        "finish": Shorthand(
            Fields(
                "FinishedPod",
                {**_POD, "exitCode": INT32, "exit": INT32, "code": INT32},
                {**_POD_NAME, "exitCode": "0 when absent", "exit": "the same as exitCode", "code": "likewise"},
            )
        ),
        "pressure": Fields(
            "Pressure",
            {
                "node": STRING,
                "resource": Enum(("memory", "disk", "pid"), "resource"),
                "forSeconds": NUMBER,
                "usage": MapOf(QUANTITY),
                "reclaim": QUANTITY,
            },
        ),
        "load": Fields("Load", {**_TARGET, "name": STRING, "usage": RESOURCE_LIST}),
    },
    {
        "at": "virtual seconds since the start",
        "create": "a whole object",
        "update": "a whole object, which replaces the one of the same name",
        "delete": "kind, namespace and name of an object; a pod of a controller is web@1/0",
        "deleteFirst": "a kind, of which the oldest object is deleted",
        "patch": "what changes in an object: patch, of the type strategic (the default), merge or json",
        "scale": "kind and name of a workload, and its new number of replicas",
        "rollout": "kubectl rollout: restart, undo, pause or resume a workload",
        "cordon": "a node, or a list of nodes",
        "uncordon": "a node, or a list of nodes",
        "drain": "a node, or a list of nodes: cordoned, then its pods are evicted; force: false leaves bare pods",
        "evict": "a pod, through the Eviction API: its name, or web@1/0, or owner, node and index",
        "taint": "node, key, value and effect",
        "untaint": "node and key of a taint, and its effect if there are several",
        "failNode": "a node, or a list of nodes, whose kubelet stops reporting",
        "recoverNode": "a node, or a list of nodes, whose kubelet reports again",
        "ready": "pod, and value: whether its containers are ready",
        "finish": "a pod whose containers end; with exitCode other than 0 they fail",
        "pressure": "node and resource under pressure: its kubelet evicts pods",
        "load": "kind and name of a workload, and what all its pods together use",
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

_OBSERVED = Fields(
    "ObservedDecision",
    {
        "at": NUMBER,
        "pod": STRING,
        "node": STRING,
        "message": STRING,
        "nominatedNode": STRING,
        "victims": ListOf(STRING),
        "scheduler": STRING,
        "seen": NUMBER,
        "note": STRING,
    },
    {
        "at": "virtual seconds since the start: when it is decided again",
        "pod": "namespace/name",
        "node": "where the cluster's scheduler bound the pod; absent: it found no node",
        "message": "of the FailedScheduling event",
        "seen": "when the decision was seen; absent: at `at`, and its moment is looked for",
        "note": "why the state of the cluster at the decision is not known",
    },
)

_UNOBSERVED = Fields("Unobserved", {"from": NUMBER, "until": NUMBER, "what": STRING})

# A value of expect.pods that is a mapping; a string is the name of a node, `pending` or `gone`.
EXPECTED_POD = Fields("ExpectedPod", {"node": STRING, "pending": BOOLEAN, "reason": STRING})
EXPECTATION = Fields(
    "Expectation",
    {"pods": MapOf(ANY), "victims": ListOf(STRING), "leastAvailable": MapOf(INT32)},
    {
        "pods": "where each pod ends: a node, pending or gone; a pod of a controller is default/web@1/0",
        "victims": "the pods that are preempted",
        "leastAvailable": "of Deployments: how many pods stay available, once there are so many",
    },
)

SPEC = Fields(
    "ScenarioSpec",
    {
        "title": LOCALIZED,
        "description": LOCALIZED,
        "kubernetesVersion": Enum(tuple(RELEASES), "Kubernetes version", patches=True),
        "seed": INT64,
        "untilSeconds": NUMBER,
        "bindingSeconds": NUMBER,
        "featureGates": MapOf(BOOLEAN),
        "events": ListOf(EVENT),
        "faults": ListOf(_FAULT),
        "extenders": ListOf(_EXTENDER),
        "observed": ListOf(_OBSERVED),
        "unobserved": ListOf(_UNOBSERVED),
        "expect": EXPECTATION,
        "lesson": LESSON,
        "controllers": ListOf(STRING),
        "kubelet": Fields(
            "Kubelet",
            {"startSeconds": NUMBER, "readySeconds": NUMBER, "stopSeconds": NUMBER},
            {
                "startSeconds": "from the binding until the containers run; 0 when absent",
                "readySeconds": "until they are ready after that; 0 when absent",
                "stopSeconds": "until a pod that is being deleted has stopped; its grace period when absent",
            },
        ),
        "nodeLifecycle": Fields(
            "NodeLifecycle",
            {
                "monitorPeriodSeconds": NUMBER,
                "monitorGracePeriodSeconds": NUMBER,
                "evictionRate": NUMBER,
                "secondaryEvictionRate": NUMBER,
                "unhealthyZoneThreshold": NUMBER,
                "largeClusterSizeThreshold": INT32,
            },
            {
                "monitorGracePeriodSeconds": "how long a node may be silent; 50 when absent, 40 before 1.32",
                "evictionRate": "nodes a second in a zone whose pods are evicted; 0.1 when absent",
            },
        ),
    },
    {
        "title": "a text, or a text for each language: en, zh",
        "description": "Markdown, or Markdown for each language: en, zh",
        "kubernetesVersion": "whose kube-scheduler decides, as in 1.34 or 1.34.2; absent: the nodes', or the newest",
        "seed": "breaks ties between equally good nodes; absent: the first of them wins",
        "untilSeconds": "virtual end; absent: the run ends when nothing can happen any more",
        "bindingSeconds": "how long a binding cycle takes; 0 when absent",
        "expect": "the promised outcome",
        "observed": "what a cluster's own scheduler decided: the run follows it and decides beside it",
        "unobserved": "what the recording of the cluster lacks",
        "controllers": 'which run: deployment, "*", -job; absent: those whose objects are in the file; []: none',
        "kubelet": "how long pods take to start and to stop",
        "nodeLifecycle": "what becomes of nodes that stop reporting",
        "lesson": "what the library and the player show: topics, captions, questions",
    },
)

SCHEDULER_PLUGIN = Fields(
    "SchedulerPlugin",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": OBJECT_META,
        "spec": Fields(
            "SchedulerPluginSpec",
            {
                "preEnqueue": STRING,
                "filter": STRING,
                "score": STRING,
                "permit": STRING,
                "message": STRING,
                "resolvable": BOOLEAN,
                "normalize": Enum(("None", "Maximum", "Reversed"), "normalization"),
                "weight": INT32,
                "requeueOn": ListOf(STRING),
            },
            {
                "preEnqueue": "CEL, true or false: whether the pod may enter the queue; it reads pod and podRequests",
                "filter": "CEL, true or false: whether the pod may run on the node",
                "score": "CEL, an integer from 0 to 100, or any that is normalized",
                "permit": "CEL, true or false: whether the pod may be bound to its node",
                "message": "CEL, a string: the reason of a rejection",
                "resolvable": "whether evicting pods may help; absent: if the filter reads pods, requested or cluster",
                "normalize": "Maximum: the largest score becomes 100; Reversed: the smallest is best",
                "weight": "of the score; 1 when absent",
                "requeueOn": "events that queue a rejected pod again, as in Node/Add; absent: from what is read",
            },
        ),
    },
)
SCENARIO = Fields("Scenario", {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT_META, "spec": SPEC})
