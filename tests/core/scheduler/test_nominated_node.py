"""A pod with a nominated node tries that node first (schedule_one.go: findNodesThatFitPod).

The plugin that rejects it there is then named in the message for nodes that PreFilter left out; an extender is not.
"""

from __future__ import annotations

import pytest

from scheduler_core.trace.events import SchedulingFailed
from tests.builders import configuration, node, parse, pod
from tests.core.runs import only, run
from tests.reference.scheduler.replay import difference

ON_A = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [ON_A]}}}
REFUSAL = {"urlPrefix": "http://e", "filter": [{"reject": "no licence", "pods": ["high"]}]}


@pytest.mark.parametrize(
    ("termination_seconds", "extenders", "expected"),
    [
        (
            "9",
            [],
            "1 Too many pods, 2 node(s) didn't satisfy plugin(s) [NodeAffinity NodeResourcesFit].",
        ),
        ("0", [REFUSAL], "1 no licence, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]."),
    ],
    ids=["a plugin", "an extender"],
)
def test_the_message_tells_which_plugin_rejected_the_nominated_node(termination_seconds, extenders, expected):
    victim = pod("low", node="a", annotations={"kschedui.io/termination-seconds": termination_seconds})
    verbs = configuration(extenders=[{"urlPrefix": "http://e", "filterVerb": "f"}] if extenders else [])
    objects = [node("a", pods=1), node("b"), victim, pod("high", priority=10, affinity=AFFINITY), verbs]
    spec = {"events": [{"at": 2, "create": node("c")}], "untilSeconds": 5, "extenders": extenders}
    spec["kubernetesVersion"] = "1.36"  # as the reference
    second = only(SchedulingFailed, run(*objects, **spec), "high")[1]
    assert second.message.partition(": ")[2].startswith(expected)
    assert difference(parse(*objects, **spec)) == ""
