"""Scenarios with node groups and autoscalers: what is read, and what is rejected on which line."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from scheduler_core.apis.autoscaling import ClusterAutoscalerSettings, DeschedulerSettings
from scheduler_core.autoscaling.descheduler.strategies import Strategies
from scheduler_core.controllers.api import Api
from scheduler_core.scenario.fields.descheduler_fields import BALANCE, DESCHEDULE
from scheduler_core.scenario.parse import ScenarioErrors, parse_scenario
from tests.builders import Manifest, scenario

OWN = "kschedui.io/v1alpha1"
POLICY = {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": []}
TEMPLATE = {"status": {"allocatable": {"cpu": "2", "pods": "10"}}}


def own(kind: str, name: str = "x", **spec: Any) -> Manifest:
    return {"apiVersion": OWN, "kind": kind, "metadata": {"name": name}, "spec": spec}


def autoscaler(*flags: str, **spec: Any) -> Manifest:
    return own("ClusterAutoscaler", flags=list(flags), **spec)


def policy(**profile: Any) -> Manifest:
    return own("Descheduler", policy={**POLICY, "profiles": [profile]})


def problems(*objects: Manifest) -> list[tuple[str, str]]:
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(scenario(*objects))
    return [(error.path, error.message) for error in caught.value.errors]


def test_flags_that_are_absent_have_the_defaults_of_cluster_autoscaler() -> None:
    (actor,) = parse_scenario(scenario(autoscaler("--scan-interval=2s", "--expander=priority,least-waste"))).actors
    assert isinstance(actor, ClusterAutoscalerSettings)
    assert actor.flags["scan-interval"] == 2.0
    assert actor.flags["expander"] == ["priority", "least-waste"]
    assert actor.flags["scale-down-unneeded-time"] == 600.0


def test_the_descheduler_has_its_policy_and_its_interval() -> None:
    document = own("Descheduler", policy=POLICY, flags=["--descheduling-interval=1m"])
    assert parse_scenario(scenario(document)).actors == (DeschedulerSettings(POLICY, 0.0, 60.0),)


def test_a_node_group_has_its_nodes_at_the_start() -> None:
    read = parse_scenario(scenario(own("NodeGroup", "a", maximum=5, size=2, template=TEMPLATE)))
    assert [item.name for item in read.objects] == ["a-1", "a-2"]


@pytest.mark.parametrize(
    ("document", "path", "words"),
    [
        (
            autoscaler("--scan-intervall=2s"),
            "spec.flags[0]",
            "has no flag --scan-intervall;",
        ),
        (
            autoscaler("--salvo-scale-up"),
            "spec.flags[0]",
            "--salvo-scale-up=true is not simulated: one pass could enlarge several groups",
        ),
        (autoscaler("--scan-interval=soon"), "spec.flags[0]", '"soon" cannot be read; expected a value such as 10s'),
        (autoscaler("--scan-interval=0"), "spec.flags[0]", "expected at least 1s"),
        (autoscaler("--expander=cheapest"), "spec.flags", 'no expander "cheapest" is known'),
        (autoscaler(bootSeconds=-1), "spec.bootSeconds", "0"),
        (own("NodeGroup", "a", minimum=3, maximum=2), "spec.maximum", "3"),
        (
            own("NodeGroup", "a", options={"scaleDownUnneededTime": "soon"}),
            "spec.options.scaleDownUnneededTime",
            '"soon" cannot be read; expected a value such as 10s',
        ),
        (own("NodeGroup", "a", options={"unneededTime": "5m"}), "spec.options.unneededTime", "unneededTime"),
        (own("NodeGroup", "a", size=2), "spec.template", "nodes that exist at the start need one"),
        (own("Descheduler", policy={"apiVersion": "v1"}), "spec.policy.apiVersion", "expected descheduler/v1alpha2"),
        (
            policy(plugins={"deschedule": {"enabled": ["RemoveDuplicates"]}}),
            "spec.policy.profiles[0].plugins.deschedule.enabled[0]",
            "RemoveDuplicates",
        ),
        (
            policy(pluginConfig=[{"name": "PodLifeTime", "args": {"maxPodLifeTimeSeconds": "12"}}]),
            "spec.policy.profiles[0].pluginConfig[0].args.maxPodLifeTimeSeconds",
            "expected an integer",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_mistake_is_named_with_its_place(document: Manifest, path: str, words: str) -> None:
    ((found, message),) = problems(document)
    assert found == path
    assert words in message


def test_flags_without_effect_are_named() -> None:
    flags = "--v=4", "--nodes=1:5:a", "--salvo-scale-up=false", "--enable-dynamic-resource-allocation=true"
    warnings = parse_scenario(scenario(autoscaler(*flags))).warnings
    assert [str(warning.message) for warning in warnings] == [
        "--v has no effect here",
        "--nodes has no effect here; each node group is a NodeGroup",
    ]


def test_every_plugin_of_the_table_can_run() -> None:
    strategies = Strategies(cast(Api, None))
    assert set(strategies.deschedule) == set(DESCHEDULE)
    assert set(strategies.balance) == set(BALANCE)


@pytest.mark.parametrize("data", [5, "10: [a]", [5]])
def test_data_of_the_priority_expander_that_is_no_mapping_is_an_error(data: object) -> None:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "cluster-autoscaler-priority-expander"},
        "data": data,
    }
    with pytest.raises(ScenarioErrors, match="expected a mapping from priorities to lists of regular expressions"):
        parse_scenario("\n---\n".join([scenario(autoscaler("--expander=priority")), json.dumps(config_map)]))


def test_a_node_group_cannot_exceed_the_limit_of_nodes() -> None:
    group = {
        "apiVersion": "kschedui.io/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": "g"},
        "spec": {"minimum": 0, "maximum": 5, "size": 2**31 - 1, "template": {"spec": {}}},
    }
    with pytest.raises(ScenarioErrors, match="the scenario has 2,147,483,647 nodes; the limit is 5,000"):
        parse_scenario(json.dumps(group))
