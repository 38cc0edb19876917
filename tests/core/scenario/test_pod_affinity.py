"""A pod's affinity, spreading and tolerations as kube-apiserver stores them, and what it rejects."""

# ruff: noqa: E501 - tables of cases read best with one case a line

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.apis.constraints import Toleration
from scheduler_core.apis.selectors import LabelSelector, SelectorRequirement
from tests.builders import pod, spread
from tests.core.scenario.pod_documents import container, parsed, problems


def affinity_term(**fields: Any) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "zone", **fields}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_label_keys_of_affinity_terms_are_merged_into_the_selector() -> None:
    affinity = affinity_term(matchLabelKeys=["hash", "absent"], mismatchLabelKeys=["tenant"])
    labels = {"app": "web", "hash": "1", "tenant": "t"}
    term = parsed(pod("a", labels=labels, affinity=affinity)).required_anti_affinity[0]
    assert term.selector == LabelSelector(
        (
            SelectorRequirement("app", "In", ("web",)),
            SelectorRequirement("hash", "In", ("1",)),
            SelectorRequirement("tenant", "NotIn", ("t",)),
        )
    )


def test_pod_from_a_cluster_has_its_label_keys_merged_already() -> None:
    merged = {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "hash", "operator": "In", "values": ["1"]}]}
    affinity = affinity_term(labelSelector=merged, matchLabelKeys=["hash"])
    found = parsed(pod("a", labels={"hash": "1"}, affinity=affinity)).required_anti_affinity[0]
    assert found.selector == LabelSelector(
        (SelectorRequirement("app", "In", ("web",)), SelectorRequirement("hash", "In", ("1",)))
    )
    refused = problems(pod("a", labels={"hash": "2"}, affinity=affinity))
    assert refused[0][1] == 'Invalid value: "hash": exists in both matchLabelKeys and labelSelector'


def test_a_selector_may_name_a_label_key_that_the_pod_itself_lacks() -> None:
    named = [{"key": "hash", "operator": "In", "values": ["1", "2"]}]
    affinity = affinity_term(labelSelector={"matchExpressions": named}, matchLabelKeys=["hash"])
    found = parsed(pod("a", affinity=affinity)).required_anti_affinity[0]
    assert found.selector == LabelSelector((SelectorRequirement("hash", "In", ("1", "2")),))
    assert problems(pod("a", labels={"hash": "1"}, affinity=affinity))
    assert problems(
        pod("a", affinity=affinity_term(labelSelector={"matchExpressions": named * 2}, matchLabelKeys=["hash"]))
    )


def test_label_keys_of_spread_constraints_are_left_to_the_plugin() -> None:
    constraint = spread({"app": "web"}, matchLabelKeys=["hash"])
    found = parsed(pod("a", labels={"hash": "1"}, topologySpreadConstraints=[constraint])).topology_spread_constraints[
        0
    ]
    assert found.match_label_keys == ("hash",)
    assert found.selector == LabelSelector.from_labels({"app": "web"})
    assert (found.node_affinity_policy, found.node_taints_policy, found.min_domains) == ("Honor", "Ignore", None)


def test_namespaces_of_affinity_terms() -> None:
    own = parsed(pod("a", namespace="shop", affinity=affinity_term())).required_anti_affinity[0]
    assert (own.namespaces, own.namespace_selector) == ({"shop"}, None)
    every = parsed(pod("a", affinity=affinity_term(namespaceSelector={}))).required_anti_affinity[0]
    assert (every.namespaces, every.namespace_selector) == (frozenset(), LabelSelector.everything())
    named = parsed(pod("a", affinity=affinity_term(namespaces=["x", "y"]))).required_anti_affinity[0]
    assert named.namespaces == {"x", "y"}
    without = affinity_term()
    del without["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]["labelSelector"]
    assert parsed(pod("a", affinity=without)).required_anti_affinity[0].selector == LabelSelector.nothing()


def node_affinity(expression: dict[str, Any], field: str = "matchExpressions") -> dict[str, Any]:
    required = {"nodeSelectorTerms": [{field: [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


NODE_TERM = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
POD_TERM = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"


@pytest.mark.parametrize(
    ("spec", "path", "part"),
    [
        ({"affinity": node_affinity({"key": "a", "operator": "Is"})}, f"{NODE_TERM}.matchExpressions[0].operator", "not a valid selector operator"),
        ({"affinity": node_affinity({"key": "a", "operator": "In"})}, f"{NODE_TERM}.matchExpressions[0].values", "must be specified when"),
        ({"affinity": node_affinity({"key": "a", "operator": "Exists", "values": ["b"]})}, f"{NODE_TERM}.matchExpressions[0].values", "may not be specified"),
        ({"affinity": node_affinity({"key": "a", "operator": "Gt", "values": ["1", "2"]})}, f"{NODE_TERM}.matchExpressions[0].values", "single value"),
        ({"affinity": node_affinity({"key": "-", "operator": "Exists"})}, f"{NODE_TERM}.matchExpressions[0].key", "name part must consist"),
        ({"affinity": node_affinity({"key": "metadata.uid", "operator": "In", "values": ["a"]}, "matchFields")}, f"{NODE_TERM}.matchFields[0].key", "not a valid field selector key"),
        ({"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 0, "preference": {}}]}}}, "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight", "must be in the range 1-100"),
        ({"affinity": affinity_term(topologyKey="")}, f"{POD_TERM}.topologyKey", "can not be empty"),
        ({"affinity": affinity_term(labelSelector={"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]})}, f"{POD_TERM}.labelSelector.matchExpressions[0].operator", "not a valid selector operator"),
        ({"affinity": affinity_term(labelSelector={"matchLabels": {"app": "a"}, "matchExpressions": [{"key": "app", "operator": "Exists"}]}, matchLabelKeys=["app"])}, f"{POD_TERM}.matchLabelKeys[0]", "exists in both matchLabelKeys and labelSelector"),
        ({"affinity": affinity_term(labelSelector=None, matchLabelKeys=["app"])}, f"{POD_TERM}.matchLabelKeys", "must not be specified when labelSelector is not set"),
        ({"topologySpreadConstraints": [spread({}, maxSkew=-1)]}, "spec.topologySpreadConstraints[0].maxSkew", "must be greater than zero"),
        ({"topologySpreadConstraints": [spread({}, whenUnsatisfiable="Maybe")]}, "spec.topologySpreadConstraints[0].whenUnsatisfiable", 'supported values: "DoNotSchedule", "ScheduleAnyway"'),
        ({"topologySpreadConstraints": [spread({}, whenUnsatisfiable=None)]}, "spec.topologySpreadConstraints[0].whenUnsatisfiable", "Unsupported value"),
        ({"topologySpreadConstraints": [spread({}, key="")]}, "spec.topologySpreadConstraints[0].topologyKey", "can not be empty"),
        ({"topologySpreadConstraints": [spread({}), spread({})]}, "spec.topologySpreadConstraints[1]", "Duplicate value"),
        ({"topologySpreadConstraints": [spread({}, whenUnsatisfiable="ScheduleAnyway", minDomains=2)]}, "spec.topologySpreadConstraints[0].minDomains", "can only use minDomains if"),
        ({"tolerations": [{"key": "", "operator": "Equal"}]}, "spec.tolerations[0].operator", "operator must be Exists"),
        ({"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}, "spec.tolerations[0].operator", "value must be empty"),
        ({"tolerations": [{"key": "a", "effect": "Never"}]}, "spec.tolerations[0].effect", "Unsupported value"),
        ({"tolerations": [{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 5}]}, "spec.tolerations[0].effect", "must be 'NoExecute'"),
        ({"gates": ["a b"]}, "spec.schedulingGates[0]", "name part must consist"),
        ({"gates": ["a", "a"]}, "spec.schedulingGates[1]", 'Duplicate value: "a"'),
        ({"gates": ["a"], "node": "n1"}, "spec.nodeName", "cannot be set until all schedulingGates have been cleared"),
        ({"nodeSelector": {"a": "not a value"}}, "spec.nodeSelector.a", "a valid label must be"),
        ({"node": "Node_1"}, "spec.nodeName", "lowercase RFC 1123"),
        ({"preemptionPolicy": "Sometimes"}, "spec.preemptionPolicy", "Unsupported value"),
        ({"image": ""}, "spec.containers[0].image", "Required value"),
        ({"host_port": 70000}, "spec.containers[0].ports[0].containerPort", "must be between 1 and 65535, inclusive"),
        ({"volumes": [{"name": "v", "persistentVolumeClaim": {}}]}, "spec.volumes[0].persistentVolumeClaim.claimName", "Required value"),
        ({"volumes": [{"name": "v"}, {"name": "v"}]}, "spec.volumes[1].name", "Duplicate value"),
        ({"volumes": [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]}, "spec.volumes[0].hostPath", "more than 1 volume type"),
        ({"containers": []}, "spec.containers", "Required value"),
        ({"containers": [container("a"), container("a")]}, "spec.containers[1].name", "Duplicate value"),
        ({"containers": [None]}, "spec.containers[0]", "null is not allowed in a list"),
        ({"priority": 2**31}, "spec.priority", "out of range"),
        ({"labels": {"app": "a b"}}, "metadata.labels.app", "a valid label must be"),
        ({"labels": {"a/b/c": "d"}}, "metadata.labels[a/b/c]", "a qualified name must consist"),
    ],
)  # fmt: skip
def test_pod_that_the_api_server_refuses(spec: dict[str, Any], path: str, part: str) -> None:
    found = problems(pod("a", **spec))
    assert found[0][0] == path
    assert part in found[0][1]


def test_tolerations_default_to_equal() -> None:
    found = parsed(pod("a", tolerations=[{"key": "a", "value": "b"}, {"operator": "Exists"}]))
    assert found.tolerations == (Toleration("a", "Equal", "b", ""), Toleration("", "Exists", "", ""))
