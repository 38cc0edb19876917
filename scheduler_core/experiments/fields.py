"""The field table of an Experiment (kschedui.io/v1alpha1). Unknown fields are errors."""

from __future__ import annotations

from scheduler_core.releases import RELEASES
from scheduler_core.scenario.fields.schema import ANY, INT64, STRING, Enum, Fields, ListOf

API_VERSION, KIND = "kschedui.io/v1alpha1", "Experiment"
STRATEGIES = ("LeastAllocated", "MostAllocated")
ACTORS = ("ClusterAutoscaler", "Karpenter", "Descheduler")
# A factor has exactly one of these fields.
KEYS = ("seeds", "releases", "strategy", "weight", "disable", "nodes", "field", "flag", "variants")

FACTOR = Fields(
    "Factor",
    {
        "name": STRING,
        "seeds": ANY,  # a list of seeds, or SEEDS
        "releases": ListOf(Enum(tuple(RELEASES), "Kubernetes version")),
        "strategy": ListOf(Enum(STRATEGIES, "scoring strategy")),
        "weight": Fields("WeightFactor", {"plugin": STRING, "profile": STRING, "values": ListOf(INT64)}),
        "disable": ListOf(STRING),
        "nodes": Fields("NodesFactor", {"like": STRING, "add": ListOf(INT64)}),
        "field": Fields(
            "FieldFactor",
            {"kind": STRING, "namespace": STRING, "name": STRING, "path": ANY, "values": ANY},
        ),
        "flag": Fields("FlagFactor", {"actor": Enum(ACTORS, "actor"), "name": STRING, "values": ANY}),
        "variants": ListOf(Fields("Variant", {"label": STRING, "edits": ListOf(ANY)})),
    },
)
SEEDS = Fields("Seeds", {"from": INT64, "count": INT64})
SPEC = Fields("ExperimentSpec", {"scenario": STRING, "factors": ListOf(FACTOR)})
EXPERIMENT = Fields("Experiment", {"apiVersion": STRING, "kind": STRING, "metadata": ANY, "spec": SPEC})
