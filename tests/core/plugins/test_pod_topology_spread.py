"""PodTopologySpread: each rule by example, and random clusters against the per-node reference."""

from __future__ import annotations

import math
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scheduler_core.apis.config import PodTopologySpreadArgs
from scheduler_core.apis.constraints import Taint, Toleration, TopologySpreadConstraint
from scheduler_core.apis.core import OwnerReference, Workload
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.framework.interface import Code, QueueingHint
from scheduler_core.plugins.helpers.go_math import log, round_half_away
from scheduler_core.plugins.pod_topology_spread.constraints import own_constraints
from scheduler_core.plugins.pod_topology_spread.plugin import PodTopologySpread
from scheduler_core.releases import RELEASES
from tests.core.plugins.spread_world import (
    HOSTNAME,
    RACK,
    ZONE,
    World,
    cluster_of,
    handle,
    matching,
    node,
    pod,
    scores_of,
    verdicts_of,
)
from tests.reference.framework.interface import Cycle, NodeInfo
from tests.reference.plugins import pod_topology_spread as reference

SKEWED = ("Unschedulable", (reference.SKEWED,))
NO_LABEL = ("UnschedulableAndUnresolvable", (reference.MISSING_LABEL,))
FITS = ("Success", ())
WEB = {"app": "web"}


def zoned(name: str, zone: str, **fields):
    return node(name, {HOSTNAME: name, ZONE: zone}, **fields)


def hard(key: str = ZONE, skew: int = 1, selector: LabelSelector | None = None, **fields) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(skew, key, "DoNotSchedule", selector or matching(app="web"), **fields)


def soft(key: str = ZONE, skew: int = 1, selector: LabelSelector | None = None, **fields) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(skew, key, "ScheduleAnyway", selector or matching(app="web"), **fields)


def spreading(*constraints: TopologySpreadConstraint, name: str = "new", labels=None, **fields):
    return pod(name, WEB if labels is None else labels, topology_spread_constraints=constraints, **fields)


def plugin_for(cluster, args: PodTopologySpreadArgs | None = None) -> PodTopologySpread:
    return PodTopologySpread(args or PodTopologySpreadArgs(), handle(cluster))


def verdicts(incoming, *items):
    cluster = cluster_of(*items, incoming)
    return verdicts_of(plugin_for(cluster), incoming, cluster)


def test_a_domain_may_exceed_the_least_by_max_skew():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("w1", WEB, node_name="a")]
    assert verdicts(spreading(hard()), *items) == {"a": SKEWED, "b": FITS}
    assert verdicts(spreading(hard(skew=2)), *items) == {"a": FITS, "b": FITS}


def test_a_pod_that_does_not_match_its_own_selector_adds_nothing_to_the_skew():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("w1", WEB, node_name="a")]
    assert verdicts(spreading(hard(), labels={"app": "db"}), *items) == {"a": FITS, "b": FITS}


def test_a_node_without_the_key_cannot_be_helped_by_preemption():
    found = verdicts(spreading(hard()), zoned("a", "za"), node("bare"))
    assert found == {"a": FITS, "bare": NO_LABEL}


def test_pods_on_nodes_without_all_the_keys_do_not_count():
    items = [zoned("a", "za"), node("b", {ZONE: "zb"}), pod("w1", WEB, node_name="b")]
    found = verdicts(spreading(hard(), hard(HOSTNAME)), *items)
    assert found == {"a": FITS, "b": NO_LABEL}


def test_fewer_domains_than_min_domains_make_the_least_zero():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("w1", WEB, node_name="a"), pod("w2", WEB, node_name="b")]
    assert verdicts(spreading(hard(min_domains=3)), *items) == {"a": SKEWED, "b": SKEWED}
    assert verdicts(spreading(hard(min_domains=2)), *items) == {"a": FITS, "b": FITS}


def test_nodes_that_node_affinity_excludes_are_no_domains_unless_ignored():
    ssd = node("a", {HOSTNAME: "a", ZONE: "za", "disk": "ssd"})
    items = [ssd, zoned("b", "zb"), pod("w1", WEB, node_name="a")]
    assert verdicts(spreading(hard(), node_selector={"disk": "ssd"}), *items)["a"] == FITS
    ignoring = spreading(hard(node_affinity_policy="Ignore"), node_selector={"disk": "ssd"})
    assert verdicts(ignoring, *items)["a"] == SKEWED


def test_nodes_with_untolerated_taints_are_domains_unless_taints_are_honoured():
    tainted = zoned("b", "zb", taints=(Taint("dedicated", "", "NoSchedule"),))
    items = [zoned("a", "za"), tainted, pod("w1", WEB, node_name="a")]
    honouring = hard(node_taints_policy="Honor")
    assert verdicts(spreading(hard()), *items)["a"] == SKEWED
    assert verdicts(spreading(honouring), *items)["a"] == FITS
    tolerating = spreading(honouring, tolerations=(Toleration("dedicated", "Exists"),))
    assert verdicts(tolerating, *items)["a"] == SKEWED


def test_match_label_keys_count_only_pods_of_the_same_revision():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("old", {**WEB, "rev": "1"}, node_name="a")]
    constraint = hard(match_label_keys=("rev", "absent"))
    assert verdicts(spreading(constraint, labels={**WEB, "rev": "2"}), *items)["a"] == FITS
    assert verdicts(spreading(constraint, labels={**WEB, "rev": "1"}), *items)["a"] == SKEWED


def test_terminating_pods_and_other_namespaces_do_not_count():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("gone", WEB, node_name="a", terminating=True)]
    items.append(pod("elsewhere", WEB, node_name="a", namespace="other"))
    assert verdicts(spreading(hard()), *items)["a"] == FITS


def test_removing_a_terminating_pod_counts_it_all_the_same():
    going = pod("going", WEB, node_name="a", terminating=True)
    items = [zoned("a", "za"), zoned("b", "zb"), going, pod("w1", WEB, node_name="a")]
    incoming = spreading(hard())
    cluster = cluster_of(*items, incoming)
    slot = cluster.pods.slot_of[going.key]
    assert verdicts_of(plugin_for(cluster), incoming, cluster)["a"] == SKEWED
    assert verdicts_of(plugin_for(cluster), incoming, cluster, {"a": ([slot], [])})["a"] == FITS


def test_counts_follow_pods_that_are_assumed_forgotten_and_deleted():
    incoming = spreading(hard())
    cluster = cluster_of(zoned("a", "za"), zoned("b", "zb"), incoming, pod("w1", WEB))
    plugin = plugin_for(cluster)
    assert verdicts_of(plugin, incoming, cluster)["a"] == FITS
    cluster.assume("default/w1", "a")
    assert verdicts_of(plugin, incoming, cluster)["a"] == SKEWED
    cluster.forget("default/w1")
    assert verdicts_of(plugin, incoming, cluster)["a"] == FITS


def test_without_hard_constraints_filter_is_skipped():
    cluster = cluster_of(zoned("a", "za"), lone := spreading(soft()))
    assert plugin_for(cluster).pre_filter(lone, cluster).status.code == Code.SKIP


def test_the_emptier_domain_scores_more():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("w1", WEB, node_name="a"), incoming := spreading(soft())]
    cluster = cluster_of(*items)
    raw, normalized = scores_of(plugin_for(cluster), incoming, cluster, ["a", "b"])
    assert raw == {"a": round(log(4)), "b": 0}
    assert normalized == {"a": 0, "b": 100}


def test_a_feasible_node_without_a_key_scores_nothing():
    cluster = cluster_of(zoned("a", "za"), node("bare", {HOSTNAME: "bare"}), incoming := spreading(soft()))
    raw, normalized = scores_of(plugin_for(cluster), incoming, cluster, ["a", "bare"])
    assert raw == {"a": 0, "bare": 0}
    assert normalized == {"a": 100, "bare": 0}


def test_system_defaults_spread_pods_of_a_service_and_accept_nodes_without_a_zone():
    service = Workload("Service", "web", "default", matching(app="web"))
    items = [zoned("a", "za"), node("bare"), service, pod("w1", WEB, node_name="a"), incoming := pod("new", WEB)]
    cluster = cluster_of(*items)
    raw, _ = scores_of(plugin_for(cluster), incoming, cluster, ["a", "bare"])
    assert raw == {"a": round(log(4) + 2 + log(4) + 4), "bare": 2}


def test_list_defaults_can_reject_and_select_by_the_owner():
    owner = Workload("ReplicaSet", "web-1", "default", matching(app="web"))
    items = [zoned("a", "za"), zoned("b", "zb"), owner, pod("w1", WEB, node_name="a")]
    incoming = pod("new", WEB, owner=OwnerReference("ReplicaSet", "web-1", "apps/v1"))
    cluster = cluster_of(*items, incoming)
    args = PodTopologySpreadArgs("List", (hard(selector=LabelSelector.nothing()),))
    assert verdicts_of(plugin_for(cluster, args), incoming, cluster)["a"] == SKEWED


def test_defaults_do_not_apply_to_a_pod_that_nothing_selects():
    cluster = cluster_of(zoned("a", "za"), incoming := pod("new", WEB))
    assert scores_of(plugin_for(cluster), incoming, cluster, ["a"]) is None


def test_go_log_differs_from_the_c_library_only_in_the_last_bit():
    found = [n for n in range(2, 5003) if log(n) != math.log(n)]
    assert 0 < len(found) < 100
    assert all(abs(log(n) - math.log(n)) <= math.ulp(math.log(n)) for n in found)


def test_rounding_takes_halves_away_from_zero():
    values = np.array([0.0, 0.49999999999999994, 0.5, 1.5, 2.5, 2.4])
    assert round_half_away(values).tolist() == [0, 0, 1, 2, 3, 2]


class TestHints:
    """isSchedulableAfterPodChange and isSchedulableAfterNodeChange."""

    def hint(self, resource: str, incoming, old, new) -> QueueingHint:
        registered = plugin_for(cluster_of()).events_to_register()
        function = next(r.hint for r in registered if r.event.resource == resource)
        assert function is not None
        return function(incoming, old, new)

    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            (None, pod("w", WEB, node_name="a"), "Queue"),
            (None, pod("w", WEB), "QueueSkip"),
            (None, pod("w", WEB, node_name="a", namespace="other"), "QueueSkip"),
            (None, pod("w", {"app": "db"}, node_name="a"), "QueueSkip"),
            (pod("w", WEB, node_name="a"), None, "Queue"),
            (pod("w", {"app": "db"}, node_name="a"), None, "QueueSkip"),
            (pod("w", WEB, node_name="a"), pod("w", {"app": "db"}, node_name="a"), "Queue"),
            (pod("w", WEB, node_name="a"), pod("w", {**WEB, "x": "y"}, node_name="a"), "QueueSkip"),
        ],
    )
    def test_pods_of_the_namespace_that_match_wake_it(self, old, new, expected):
        assert self.hint("Pod", spreading(hard()), old, new).value == expected

    @pytest.mark.parametrize(("release", "expected"), [("1.35", "QueueSkip"), ("1.36", "Queue")])
    def test_a_pod_that_loses_its_nomination_wakes_it_since_1_36(self, release, expected):
        plugin = PodTopologySpread(
            PodTopologySpreadArgs(), SimpleNamespace(cluster=cluster_of(), release=RELEASES[release])
        )
        function = plugin.events_to_register()[0].hint
        assert function is not None
        nominated = pod("w", WEB, nominated_node_name="a")
        assert function(spreading(hard()), nominated, None).value == expected
        assert function(spreading(hard()), replace(nominated, namespace="other"), None).value == "QueueSkip"

    @pytest.mark.parametrize(("policy", "expected"), [("Honor", "Queue"), ("Ignore", "QueueSkip")])
    def test_its_own_new_toleration_wakes_it_when_taints_are_honoured(self, policy, expected):
        old = spreading(hard(node_taints_policy=policy))
        new = spreading(hard(node_taints_policy=policy), tolerations=(Toleration("x", "Exists"),))
        assert self.hint("Pod", old, old, new).value == expected

    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            (None, zoned("a", "za"), "Queue"),
            (None, node("a"), "QueueSkip"),
            (zoned("a", "za"), None, "Queue"),
            (node("a"), None, "QueueSkip"),
            (node("a"), zoned("a", "za"), "Queue"),
            (zoned("a", "za"), node("a"), "Queue"),
            (zoned("a", "za"), zoned("a", "zb"), "Queue"),
            (zoned("a", "za"), zoned("a", "za"), "QueueSkip"),
            (zoned("a", "za"), zoned("a", "za", taints=(Taint("x", "", "NoSchedule"),)), "Queue"),
            (node("a"), node("a", taints=(Taint("x", "", "NoSchedule"),)), "QueueSkip"),
        ],
    )
    def test_nodes_wake_it_when_its_topology_changes(self, old, new, expected):
        assert self.hint("Node", spreading(hard()), old, new).value == expected


def test_the_facts_of_a_rejected_node_name_the_skew():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("w1", WEB, node_name="a"), incoming := spreading(hard())]
    cluster = cluster_of(*items)
    plugin = plugin_for(cluster)
    state = plugin.pre_filter(incoming, cluster).state
    facts = plugin.explain_filter(incoming, state, cluster, cluster.nodes.row_of["a"])
    assert [fact.holds for fact in facts] == [True, False]
    assert (facts[1].left, facts[1].op, facts[1].right) == ("1 + 1 - 0 = 2", "≤", "1")
    assert facts[1].field == "spec.topologySpreadConstraints[0].maxSkew"
    assert all(fact.holds for fact in plugin.explain_filter(incoming, state, cluster, cluster.nodes.row_of["b"]))


def test_the_arithmetic_of_a_score_ends_in_the_normalised_score():
    items = [zoned("a", "za"), zoned("b", "zb"), pod("w1", WEB, node_name="a"), incoming := spreading(soft(skew=2))]
    cluster = cluster_of(*items)
    plugin = plugin_for(cluster)
    rows = np.array([0, 1])
    state = plugin.pre_score(incoming, None, cluster.nodes, rows).state
    raw = plugin.score(incoming, state, cluster.nodes, rows)
    found = plugin.explain_score(incoming, state, cluster, rows, raw, 0)
    assert found.arithmetic[-1] == "normalized = 100 × (2 + 1 - 2) / 2 = 50"
    assert found.facts[0].values["count"] == 1


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_random_clusters_are_judged_as_the_reference_judges_them(seed):
    world = World(Random(seed))
    args = world.random.choice(
        [
            PodTopologySpreadArgs(),
            PodTopologySpreadArgs("List"),
            PodTopologySpreadArgs("List", (hard(RACK, 2), soft(HOSTNAME, 1), hard(ZONE, 1, min_domains=None))),
        ]
    )
    plugin = plugin_for(world.cluster, args)
    for _ in range(4):
        incoming, workloads = world.pending_pod(), world.workloads()
        change, cluster = world.what_if(), world.nodes_with_pods()
        rules = reference.PodTopologySpread()
        cycle = Cycle(incoming, cluster, {plugin.name: args}, workloads=workloads)
        expected = {n.name: rules.filter(cycle, NodeInfo(n)) for n, _ in cluster}
        found = verdicts_of(plugin, incoming, world.cluster)
        assert found == expected
        pods = world.cluster.pods.pods
        imagined = {
            n.name: rules.filter(
                cycle,
                NodeInfo(
                    n,
                    added=[pods[s] for s in change[n.name][1]],
                    removed=[pods[s] for s in change[n.name][0]],
                ),
            )
            for n, _ in cluster
        }
        assert verdicts_of(plugin, incoming, world.cluster, change) == imagined
        state = plugin.pre_filter(incoming, world.cluster).state
        for row, name in enumerate(world.cluster.nodes.names):
            facts = plugin.explain_filter(incoming, state, world.cluster, row)
            assert all(fact.holds for fact in facts) == (found[name] == FITS)
        feasible = world.feasible()
        places = {node.name: (node, pods) for node, pods in cluster}
        scores = rules.score(cycle, [places[name] for name in feasible])
        assert scores_of(plugin, incoming, world.cluster, feasible) == scores
        world.change()


def test_own_constraints_keep_their_order():
    incoming = spreading(hard(), soft(), hard(HOSTNAME))
    assert [c.topology_key for c in own_constraints(incoming, "DoNotSchedule")] == [ZONE, HOSTNAME]
