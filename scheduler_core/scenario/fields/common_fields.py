"""Field tables that several kinds share: metadata, selectors, resources (apimachinery meta/v1, core/v1)."""

from __future__ import annotations

from scheduler_core.apis.selectors import LABEL_SELECTOR_OPERATORS, NODE_SELECTOR_OPERATORS
from scheduler_core.scenario.fields.schema import (
    BOOLEAN,
    INT64,
    QUANTITY,
    STRING,
    TIME,
    Enum,
    Fields,
    ListOf,
    MapOf,
    ResourceList,
    Type,
    strings,
    unread,
)

OWNER_REFERENCE = Fields(
    "OwnerReference",
    {**strings("apiVersion kind name uid"), "controller": BOOLEAN, "blockOwnerDeletion": BOOLEAN},
)

ANNOTATIONS = MapOf(
    STRING,
    keys={
        "kschedui.io/start-seconds": "from the binding of the pod until its containers run",
        "kschedui.io/ready": "false: its containers are never ready",
        "kschedui.io/ready-after-seconds": "until they are ready after that",
        "kschedui.io/run-seconds": "how long its containers run before they end by themselves",
        "kschedui.io/exit-code": "of its containers when they end; 0 when absent",
        "kschedui.io/exit-ordinals": "numbers of pods whose containers fail, as in 0,2-3",
        "kschedui.io/exit-indexes": "indexes of a Job whose containers fail, as in 0,2-3",
        "kschedui.io/stop-seconds": "how long it takes to stop; its grace period when absent",
        "kschedui.io/termination-seconds": "the same, as older scenarios say it",
        "kschedui.io/restart-count": "how often its containers have restarted as the run begins",
        "kschedui.io/binding": "of a claim, what its driver answers: ok, fail, fail-first",
        "kschedui.io/binding-device": "the device of fail-first",
    },
)

OBJECT_META = Fields(
    "ObjectMeta",
    {
        **strings("name generateName namespace uid"),
        "labels": MapOf(STRING),
        "annotations": ANNOTATIONS,
        "creationTimestamp": TIME,
        "deletionTimestamp": TIME,
        "deletionGracePeriodSeconds": INT64,
        "ownerReferences": ListOf(OWNER_REFERENCE),
        "finalizers": ListOf(STRING),
        **unread("selfLink resourceVersion generation managedFields"),
    },
    {
        "name": "unique among the objects of its kind in its namespace",
        "namespace": "default when absent",
        "creationTimestamp": "T0, the start of the simulation, is 2025-01-01T00:00:00Z",
    },
)

RESOURCE_LIST = ResourceList(QUANTITY)

LABEL_SELECTOR = Fields(
    "LabelSelector",
    {
        "matchLabels": MapOf(STRING),
        "matchExpressions": ListOf(
            Fields(
                "LabelSelectorRequirement",
                {"key": STRING, "operator": STRING, "values": ListOf(STRING)},
                {"operator": ", ".join(LABEL_SELECTOR_OPERATORS)},
            )
        ),
    },
)

_NODE_SELECTOR_REQUIREMENT = Fields(
    "NodeSelectorRequirement",
    {"key": STRING, "operator": STRING, "values": ListOf(STRING)},
    {"operator": ", ".join(NODE_SELECTOR_OPERATORS)},
)

NODE_SELECTOR_TERM = Fields(
    "NodeSelectorTerm",
    {
        "matchExpressions": ListOf(_NODE_SELECTOR_REQUIREMENT),
        "matchFields": ListOf(_NODE_SELECTOR_REQUIREMENT),
    },
)

NODE_SELECTOR = Fields("NodeSelector", {"nodeSelectorTerms": ListOf(NODE_SELECTOR_TERM)})

OBJECT_REFERENCE = Fields("ObjectReference", strings("kind namespace name uid apiVersion resourceVersion fieldPath"))

ACCESS_MODE = Enum(("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"), "access mode")
VOLUME_MODE = Enum(("Block", "Filesystem"), "volume mode")
PREEMPTION_POLICY = Enum(("PreemptLowerPriority", "Never"), "preemption policy")
TAINT_EFFECT = Enum(("NoSchedule", "PreferNoSchedule", "NoExecute"), "taint effect")


def top_level(name: str, **fields: Type) -> Fields:
    """Return the field table of a kind: apiVersion, kind, metadata and the given fields."""
    return Fields(name, {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT_META, **fields})
