"""KubeSchedulerConfiguration: profiles, plugin sets, arguments and extenders, as kube-scheduler 1.34 reads them."""

# ruff: noqa: E501 - tables of cases read best with one case a line

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.apis.config import (
    EXTENSION_POINTS,
    CoschedulingArgs,
    DefaultPreemptionArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    OutsidePluginArgs,
    PodTopologySpreadArgs,
    Profile,
    ResourceSpec,
    SchedulerConfiguration,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from scheduler_core.scenario.parse import ScenarioErrors, default_configuration, parse_scenario
from tests.builders import configuration, scenario

OUTSIDE = {"Mine": ("filter", "score"), "Sorter": ("queue_sort",)}


def config(**fields: Any) -> SchedulerConfiguration:
    return parse_scenario(scenario(configuration(**fields)), known_plugins=OUTSIDE).config


def profile(**fields: Any) -> Profile:
    return config(profiles=[fields]).profiles[0]


def names(found: Profile, point: str) -> list[str]:
    return [plugin.name for plugin in found.plugins[point]]


def weights(found: Profile) -> dict[str, int]:
    return {plugin.name: plugin.weight for plugin in found.plugins["score"]}


def plugin_set(enabled: Any = (), disabled: Any = ()) -> dict[str, Any]:
    """Return a plugin set of names, or of (name, weight) pairs."""
    listed = [{"name": one} if isinstance(one, str) else {"name": one[0], "weight": one[1]} for one in enabled]
    return {"enabled": listed, "disabled": [{"name": one} for one in disabled]}


def args(name: str, **given: Any) -> Any:
    return profile(pluginConfig=[{"name": name, "args": given}]).plugin_args[name]


def problems(**fields: Any) -> list[tuple[str, str]]:
    with pytest.raises(ScenarioErrors) as caught:
        config(**fields)
    return [(error.path, error.message) for error in caught.value.errors]


# --- the default ---


def test_default_configuration_is_that_of_kube_scheduler() -> None:
    found = default_configuration()
    assert found == config()
    assert found.percentage_of_nodes_to_score == 0
    assert (found.pod_initial_backoff_seconds, found.pod_max_backoff_seconds) == (1.0, 10.0)
    (only,) = found.profiles
    assert (only.scheduler_name, only.percentage_of_nodes_to_score) == ("default-scheduler", None)
    assert set(only.plugins) == set(EXTENSION_POINTS)
    assert names(only, "pre_enqueue") == ["SchedulingGates", "DynamicResources", "DefaultPreemption"]
    assert names(only, "filter")[:5] == [
        "NodeUnschedulable",
        "NodeName",
        "TaintToleration",
        "NodeAffinity",
        "NodePorts",
    ]
    assert names(only, "post_filter") == ["DynamicResources", "DefaultPreemption"]
    assert names(only, "permit") == []
    assert weights(only) == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "VolumeBinding": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }
    assert only.plugin_args["NodeResourcesFit"] == NodeResourcesFitArgs()
    assert only.plugin_args["DefaultPreemption"] == DefaultPreemptionArgs(10, 100)


def test_profile_is_found_by_its_scheduler_name() -> None:
    found = config(profiles=[{"schedulerName": "a"}, {"schedulerName": "b", "percentageOfNodesToScore": 30}])
    assert found.profile_for("b") is found.profiles[1]
    assert found.profiles[1].percentage_of_nodes_to_score == 30
    assert found.profile_for("default-scheduler") is None


# --- plugin sets ---


def test_plugin_disabled_at_a_point_stays_at_the_others() -> None:
    found = profile(plugins={"filter": plugin_set(disabled=["TaintToleration"])})
    assert "TaintToleration" not in names(found, "filter")
    assert "TaintToleration" in names(found, "score")


def test_star_disables_all_default_plugins_of_a_point() -> None:
    found = profile(plugins={"score": plugin_set([("NodeResourcesFit", 7), "ImageLocality"], ["*"])})
    assert weights(found) == {"NodeResourcesFit": 7, "ImageLocality": 1}
    assert "NodeResourcesFit" in names(found, "filter")


def test_explicitly_enabled_default_plugins_come_first_and_new_ones_last() -> None:
    found = profile(plugins={"filter": plugin_set(["Mine", "NodePorts", "NodeName"])})
    assert names(found, "filter")[:3] == ["NodePorts", "NodeName", "NodeUnschedulable"]
    assert names(found, "filter")[-1] == "Mine"
    assert len(names(found, "filter")) == len(names(default_configuration().profiles[0], "filter")) + 1


def test_weight_at_score_wins_over_the_one_of_multi_point() -> None:
    plugins = {
        "multiPoint": plugin_set([("NodeAffinity", 5), ("TaintToleration", 6)]),
        "score": plugin_set([("NodeAffinity", 9)]),
    }
    found = weights(profile(plugins=plugins))
    assert (found["NodeAffinity"], found["TaintToleration"], found["InterPodAffinity"]) == (9, 6, 2)


def test_plugin_enabled_by_multi_point_runs_wherever_it_can() -> None:
    found = profile(plugins={"multiPoint": plugin_set([("Mine", 4)])})
    assert names(found, "filter")[-1] == "Mine"
    assert weights(found)["Mine"] == 4


def test_plugin_disabled_by_multi_point_can_be_enabled_at_one_point() -> None:
    plugins = {"multiPoint": plugin_set(disabled=["NodeAffinity"]), "filter": plugin_set(["NodeAffinity"])}
    found = profile(plugins=plugins)
    assert names(found, "filter")[-1] == "NodeAffinity"
    assert "NodeAffinity" not in names(found, "score") + names(found, "pre_filter")


def test_all_default_plugins_can_be_replaced() -> None:
    plugins = {"multiPoint": plugin_set(["NodeName", "PrioritySort", "DefaultBinder"], ["*"])}
    found = profile(plugins=plugins)
    assert {point: names(found, point) for point in EXTENSION_POINTS if names(found, point)} == {
        "queue_sort": ["PrioritySort"],
        "filter": ["NodeName"],
        "bind": ["DefaultBinder"],
    }


def test_coscheduling_brings_its_own_queue_sort() -> None:
    plugins = {"multiPoint": plugin_set(["Coscheduling"]), "queueSort": plugin_set(["Coscheduling"], ["*"])}
    found = profile(plugins=plugins)
    assert names(found, "queue_sort") == ["Coscheduling"]
    assert names(found, "permit") == ["Coscheduling"]
    assert names(found, "post_filter") == ["DynamicResources", "DefaultPreemption", "Coscheduling"]
    assert found.plugin_args["Coscheduling"] == CoschedulingArgs(60, 0)


@pytest.mark.parametrize(
    ("plugins", "path", "message"),
    [
        ({"filter": plugin_set(["Nodename"])}, "filter.enabled[0]", 'FilterPlugin "Nodename" does not exist; did you mean "NodeName"?'),
        ({"bind": plugin_set(["NodeName"])}, "bind.enabled[0]", 'plugin "NodeName" does not extend BindPlugin plugin'),
        ({"filter": plugin_set(["NodeName", "NodeName"])}, "filter.enabled[1]", 'plugin "NodeName" already registered as "FilterPlugin"'),
        ({"multiPoint": plugin_set(["Mine", "Mine"])}, "multiPoint", 'plugin "Mine" already registered as "FilterPlugin"'),
        ({"queueSort": plugin_set(["Sorter"])}, "queueSort", 'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 2'),
        ({"queueSort": plugin_set(disabled=["*"])}, "queueSort", 'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0'),
        ({"bind": plugin_set(disabled=["*"])}, "bind", 'at least one bind plugin is needed for profile with scheduler name "default-scheduler"'),
        ({"filter": {"enabeld": []}}, "filter.enabeld", 'unknown field "enabeld"; did you mean "enabled"?'),
    ],
)  # fmt: skip
def test_plugin_set_that_kube_scheduler_refuses(plugins: dict[str, Any], path: str, message: str) -> None:
    assert (f"profiles[0].plugins.{path}", message) in problems(profiles=[{"plugins": plugins}])


# --- arguments ---


def test_plugin_arguments_are_read_and_defaulted() -> None:
    strategy = {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 3}, {"name": "example.com/gpu"}]}
    fit = args(
        "NodeResourcesFit",
        scoringStrategy=strategy,
        ignoredResources=["example.com/a"],
        ignoredResourceGroups=["b.com"],
    )
    assert fit == NodeResourcesFitArgs(
        frozenset({"example.com/a"}),
        frozenset({"b.com"}),
        "MostAllocated",
        (ResourceSpec("cpu", 3), ResourceSpec("example.com/gpu", 1)),
    )
    ratio = {
        "type": "RequestedToCapacityRatio",
        "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]},
    }
    assert args("NodeResourcesFit", scoringStrategy=ratio).shape == (
        UtilizationShapePoint(0, 0),
        UtilizationShapePoint(100, 10),
    )
    assert args("InterPodAffinity", hardPodAffinityWeight=0) == InterPodAffinityArgs(0, False)
    assert args("DefaultPreemption", minCandidateNodesAbsolute=5) == DefaultPreemptionArgs(10, 5)
    assert args("NodeResourcesBalancedAllocation", resources=[{"name": "cpu"}]) == NodeResourcesBalancedAllocationArgs(
        (ResourceSpec("cpu"),)
    )
    assert args("VolumeBinding", bindTimeoutSeconds=5) == VolumeBindingArgs(5)
    assert args("Mine", anything={"goes": 1}) == OutsidePluginArgs({"anything": {"goes": 1}})


def test_default_spread_constraints_and_added_affinity() -> None:
    constraint = {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    spread = args("PodTopologySpread", defaultConstraints=[constraint], defaultingType="List")
    assert isinstance(spread, PodTopologySpreadArgs)
    assert (spread.defaulting_type, spread.default_constraints[0].max_skew) == ("List", 2)
    assert spread.default_constraints[0].selector.matches_nothing
    expression = {"key": "disk", "operator": "In", "values": ["ssd"]}
    term = {"matchExpressions": [expression]}
    affinity = args("NodeAffinity", addedAffinity={
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]},
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 0, "preference": term}, {"weight": 5, "preference": term}],
    })  # fmt: skip
    assert isinstance(affinity, NodeAffinityArgs)
    assert affinity.added_required
    assert affinity.added_required.matches({"disk": "ssd"}, "n1")
    assert [one.weight for one in affinity.added_preferred] == [0, 5]


@pytest.mark.parametrize(
    ("name", "given", "path", "part"),
    [
        ("NodeResourcesFit", {"scoringStrategy": {"type": "Best"}}, "scoringStrategy.type", 'Unsupported value: "Best": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"'),
        ("NodeResourcesFit", {"scoringStrategy": {}}, "scoringStrategy.type", 'Unsupported value: ""'),
        ("NodeResourcesFit", {"scoringStrategy": {"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": 101}]}}, "scoringStrategy.resources[0].weight", "resource weight of cpu not in valid range (0, 100]"),
        ("NodeResourcesFit", {"ignoredResourceGroups": ["a.com/b"]}, "ignoredResourceGroups[0]", "resource group name can't contain '/'"),
        ("NodeResourcesFit", {"scoringStrategy": {"type": "RequestedToCapacityRatio"}}, "scoringStrategy.requestedToCapacityRatio.shape", "at least one point must be specified"),
        ("NodeResourcesFit", {"scoringStrategy": {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": [{"utilization": 5, "score": 11}, {"utilization": 5, "score": 0}]}}}, "scoringStrategy.requestedToCapacityRatio.shape[0].score", "not in valid range [0, 10]"),
        ("NodeResourcesFit", {"scoringStratgy": {}}, "scoringStratgy", 'did you mean "scoringStrategy"?'),
        ("NodeResourcesFit", {"kind": "OtherArgs"}, "kind", "args for plugin NodeResourcesFit were not of type NodeResourcesFitArgs, got OtherArgs"),
        ("NodeResourcesBalancedAllocation", {"resources": [{"name": "cpu", "weight": 2}]}, "resources[0].weight", "must be 1"),
        ("NodeResourcesBalancedAllocation", {"resources": [{"name": "cpu"}, {"name": "cpu"}]}, "resources[1].name", "Duplicate value"),
        ("InterPodAffinity", {"hardPodAffinityWeight": 101}, "hardPodAffinityWeight", "not in valid range [0, 100]"),
        ("DefaultPreemption", {"minCandidateNodesPercentage": 101}, "minCandidateNodesPercentage", "not in valid range [0, 100]"),
        ("DefaultPreemption", {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0}, "minCandidateNodesPercentage", "cannot be zero at the same time as minCandidateNodesAbsolute"),
        ("PodTopologySpread", {"defaultingType": "Some"}, "defaultingType", 'supported values: "System", "List"'),
        ("PodTopologySpread", {"defaultConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}]}, "defaultingType", "when .defaultConstraints are not empty"),
        ("PodTopologySpread", {"defaultingType": "List", "defaultConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}]}, "defaultConstraints[0].labelSelector", "constraint must not define a selector"),
        ("NodeAffinity", {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Is"}]}]}}}, "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator", "not a valid selector operator"),
        ("VolumeBinding", {"bindTimeoutSeconds": -1}, "bindTimeoutSeconds", "should not be a negative value"),
        ("Coscheduling", {"permitWaitingTimeSeconds": -1}, "permitWaitingTimeSeconds", "must be greater than 0"),
    ],
)  # fmt: skip
def test_arguments_that_kube_scheduler_refuses(name: str, given: dict[str, Any], path: str, part: str) -> None:
    found = dict(problems(profiles=[{"pluginConfig": [{"name": name, "args": given}]}]))
    assert part in found[f"profiles[0].pluginConfig[0].args.{path}"]


def test_the_shape_of_volume_binding_needs_its_feature_gate() -> None:
    profiles = [{"pluginConfig": [{"name": "VolumeBinding", "args": {"shape": [{"utilization": 0, "score": 1}]}}]}]
    text = scenario(configuration(profiles=profiles), featureGates={"StorageCapacityScoring": False})
    with pytest.raises(ScenarioErrors, match="turn on the feature gate StorageCapacityScoring"):
        parse_scenario(text)


# --- the rest ---


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        ({"percentageOfNodesToScore": 101}, "percentageOfNodesToScore", "Invalid value: 101: not in valid range [0-100]"),
        ({"profiles": [{"percentageOfNodesToScore": -1}]}, "profiles[0].percentageOfNodesToScore", "Invalid value: -1: not in valid range [0-100]"),
        ({"podInitialBackoffSeconds": 0}, "podInitialBackoffSeconds", "Invalid value: 0: must be greater than 0"),
        ({"podMaxBackoffSeconds": 0}, "podMaxBackoffSeconds", "Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds"),
        ({"parallelism": 0}, "parallelism", "Invalid value: 0: should be an integer value greater than zero"),
        ({"profiles": [{"schedulerName": "a"}, {}]}, "profiles[1].schedulerName", "Required value"),
        ({"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]}, "profiles[1].schedulerName", 'Duplicate value: "profiles[0].schedulerName"'),
        ({"profiles": [{"pluginConfig": [{"name": "Mine"}, {"name": "Mine"}]}]}, "profiles[0].pluginConfig[1]", 'Duplicate value: "Mine"'),
        ({"profiles": [{"pluginConfig": [{"name": "EBSLimits"}]}]}, "profiles[0].pluginConfig[0]", 'Invalid value: "EBSLimits": was invalid in version "kubescheduler.config.k8s.io/v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")'),
        ({"profile": []}, "profile", 'unknown field "profile"; did you mean "profiles"?'),
        ({"podMaxBackoffSeconds": "10"}, "podMaxBackoffSeconds", '"10" is a string; expected an integer'),
        ({"extenders": [{"prioritizeVerb": "p"}]}, "extenders[0].weight", "Invalid value: 0: must have a positive weight applied to it"),
        ({"extenders": [{"bindVerb": "b"}, {"bindVerb": "b"}]}, "extenders", 'Invalid value: "found 2 extenders implementing bind": only one extender can implement bind'),
        ({"extenders": [{"managedResources": [{"name": "cpu"}]}]}, "extenders[0].managedResources[0].name", 'Invalid value: "cpu": is an invalid extended resource name'),
        ({"extenders": [{"httpTimeout": "00"}]}, "extenders[0].httpTimeout", '"00" is not a duration; expected one such as 5s or 1m30s'),
        ({"extenders": [{"httpTimeout": "soon"}]}, "extenders[0].httpTimeout", '"soon" is not a duration; expected one such as 5s or 1m30s'),
    ],
)  # fmt: skip
def test_configuration_that_kube_scheduler_refuses(fields: dict[str, Any], path: str, message: str) -> None:
    assert (path, message) in problems(**fields)


def test_all_profiles_share_one_queue_sort() -> None:
    sorted_otherwise = {"schedulerName": "b", "plugins": {"queueSort": plugin_set(["Sorter"], ["*"])}}
    found = problems(profiles=[{"schedulerName": "a"}, sorted_otherwise])
    assert found == [("profiles[1].plugins.queueSort", 'Invalid value: ["Sorter"]: must be the same for all profiles')]


def test_another_version_is_refused() -> None:
    old = {**configuration(), "apiVersion": "kubescheduler.config.k8s.io/v1beta3"}
    with pytest.raises(ScenarioErrors, match=r"expected apiVersion kubescheduler\.config\.k8s\.io/v1$"):
        parse_scenario(scenario(old))


def test_extenders_that_may_be_ignored_come_last() -> None:
    found = config(
        extenders=[
            {"urlPrefix": "http://first", "ignorable": True, "filterVerb": "f"},
            {"urlPrefix": "http://second", "httpTimeout": "1m30s"},
        ],
    )
    assert [one.url_prefix for one in found.extenders] == ["http://second", "http://first"]
    assert (found.extenders[0].http_timeout_seconds, found.extenders[1].http_timeout_seconds) == (90.0, 5.0)
