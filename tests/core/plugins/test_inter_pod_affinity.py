"""InterPodAffinity: each rule by example, and random clusters against the per-node reference."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.apis.config import InterPodAffinityArgs
from scheduler_core.apis.constraints import PodAffinityTerm, WeightedPodAffinityTerm
from scheduler_core.apis.core import Namespace
from scheduler_core.apis.selectors import LabelSelector, SelectorRequirement
from scheduler_core.framework.interface import Code, QueueingHint
from scheduler_core.plugins.helpers import domain_counts
from scheduler_core.plugins.inter_pod_affinity import existing_terms as affinity_owners
from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity
from tests.core.plugins.spread_world import (
    HOSTNAME,
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
from tests.reference.plugins import inter_pod_affinity as reference

FITS = ("Success", ())
UNMATCHED = ("UnschedulableAndUnresolvable", (reference.AFFINITY,))
ANTI_AFFINITY = ("Unschedulable", (reference.ANTI_AFFINITY,))
EXISTING_ANTI_AFFINITY = ("Unschedulable", (reference.EXISTING_ANTI_AFFINITY,))
WEB, DB = {"app": "web"}, {"app": "db"}
A, B = node("a", {HOSTNAME: "a", ZONE: "za"}), node("b", {HOSTNAME: "b", ZONE: "zb"})


def term(key: str = ZONE, namespaces=("default",), namespace_selector=None, **labels: str) -> PodAffinityTerm:
    return PodAffinityTerm(key, matching(**labels), frozenset(namespaces), namespace_selector)


def weighted(weight: int, *args, **labels) -> WeightedPodAffinityTerm:
    return WeightedPodAffinityTerm(weight, term(*args, **labels))


def plugin_for(cluster, **args) -> InterPodAffinity:
    return InterPodAffinity(InterPodAffinityArgs(**args), handle(cluster))


def verdicts(incoming, *items):
    cluster = cluster_of(*items, incoming)
    return verdicts_of(plugin_for(cluster), incoming, cluster)


def scores(incoming, *items, **args):
    cluster = cluster_of(*items, incoming)
    found = scores_of(plugin_for(cluster, **args), incoming, cluster, cluster.nodes.names)
    return found and found[0]


def test_affinity_wants_the_domain_of_a_matching_pod():
    incoming = pod("new", required_affinity=(term(app="web"),))
    found = verdicts(incoming, A, B, node("bare"), pod("w", WEB, node_name="a"))
    assert found == {"a": FITS, "b": UNMATCHED, "bare": UNMATCHED}


def test_the_first_pod_of_a_group_may_go_anywhere_with_the_keys():
    incoming = pod("new", WEB, required_affinity=(term(app="web"),))
    assert verdicts(incoming, A, B, node("bare")) == {"a": FITS, "b": FITS, "bare": UNMATCHED}
    assert verdicts(pod("new", DB, required_affinity=(term(app="web"),)), A) == {"a": UNMATCHED}


def test_one_pod_must_match_all_the_terms_at_once():
    incoming = pod("new", required_affinity=(term(app="web"), term(HOSTNAME, tier="1")))
    apart = [pod("w", WEB, node_name="a"), pod("t", {"tier": "1"}, node_name="a")]
    assert verdicts(incoming, A, *apart) == {"a": UNMATCHED}
    assert verdicts(incoming, A, pod("both", {**WEB, "tier": "1"}, node_name="a")) == {"a": FITS}


def test_anti_affinity_keeps_out_of_the_domain_but_allows_nodes_without_the_key():
    incoming = pod("new", required_anti_affinity=(term(app="web"),))
    found = verdicts(incoming, A, B, node("bare"), pod("w", WEB, node_name="a"))
    assert found == {"a": ANTI_AFFINITY, "b": FITS, "bare": FITS}


def test_existing_pods_anti_affinity_holds_against_newcomers():
    existing = pod("h", DB, node_name="a", required_anti_affinity=(term(app="web"),))
    assert verdicts(pod("new", WEB), A, B, existing) == {"a": EXISTING_ANTI_AFFINITY, "b": FITS}


def test_the_pods_own_terms_are_reported_before_those_of_others():
    existing = pod("h", DB, node_name="a", required_anti_affinity=(term(app="web"),))
    own = pod("new", WEB, required_anti_affinity=(term(HOSTNAME, app="db"),))
    assert verdicts(own, A, existing) == {"a": ANTI_AFFINITY}
    lonely = pod("new", WEB, required_affinity=(term(app="nobody"),), required_anti_affinity=(term(app="db"),))
    assert verdicts(lonely, A, existing) == {"a": UNMATCHED}


def test_without_any_required_term_filter_is_skipped():
    cluster = cluster_of(A, pod("h", DB, node_name="a", required_anti_affinity=(term(app="x"),)), web := pod("w", WEB))
    assert plugin_for(cluster).pre_filter(web, cluster).status.code == Code.SKIP


def test_a_namespace_selector_reaches_the_namespaces_that_it_matches():
    team = LabelSelector((SelectorRequirement("team", "In", ("a",)),))
    incoming = pod("new", required_anti_affinity=(term(namespaces=(), namespace_selector=team, app="web"),))
    items = [A, B, Namespace("other", {"team": "a"}), Namespace("third", {"team": "b"})]
    items += [pod("w1", WEB, namespace="other", node_name="a"), pod("w2", WEB, namespace="third", node_name="b")]
    assert verdicts(incoming, *items) == {"a": ANTI_AFFINITY, "b": FITS}


def test_a_namespace_selector_that_holds_without_labels_reaches_every_namespace():
    """A quirk of kube-scheduler 1.34: the selector stays after it was resolved, and is matched against no labels."""
    not_a = LabelSelector((SelectorRequirement("team", "NotIn", ("a",)),))
    incoming = pod("new", required_anti_affinity=(term(namespaces=(), namespace_selector=not_a, app="web"),))
    items = [A, Namespace("other", {"team": "a"}), pod("w1", WEB, namespace="other", node_name="a")]
    assert verdicts(incoming, *items) == {"a": ANTI_AFFINITY}


def test_the_labels_of_a_namespace_are_read_anew_when_they_change():
    team = LabelSelector((SelectorRequirement("team", "In", ("a",)),))
    own = pod("own", required_anti_affinity=(term(namespaces=(), namespace_selector=team, app="web"),))
    existing = pod("h", node_name="b", required_anti_affinity=own.required_anti_affinity)
    items = [A, B, Namespace("other", {}), existing, pod("w", WEB, namespace="other", node_name="a"), own]
    cluster = cluster_of(*items, newcomer := pod("new", WEB, namespace="other"))
    plugin = plugin_for(cluster)
    assert verdicts_of(plugin, own, cluster)["a"] == FITS
    assert verdicts_of(plugin, newcomer, cluster)["b"] == FITS
    cluster.apply(Namespace("other", {"team": "a"}))
    assert verdicts_of(plugin, own, cluster)["a"] == ANTI_AFFINITY
    assert verdicts_of(plugin, newcomer, cluster)["b"] == EXISTING_ANTI_AFFINITY


def test_imagining_the_matching_pod_away_frees_the_node():
    apart = (term(app="web"),)
    incoming = pod("new", WEB, required_anti_affinity=apart)
    cluster = cluster_of(A, matching := pod("w", WEB, node_name="a", required_anti_affinity=apart), incoming)
    slot = cluster.pods.slot_of[matching.key]
    assert verdicts_of(plugin_for(cluster), incoming, cluster)["a"] == ANTI_AFFINITY
    assert verdicts_of(plugin_for(cluster), incoming, cluster, {"a": ([slot], [])})["a"] == FITS


def test_pods_that_come_while_the_rows_are_out_of_date_are_counted():
    own = pod("own", required_affinity=(term(app="web"),))
    cluster = cluster_of(A, B, pod("w", DB, node_name="a"), own)
    plugin = plugin_for(cluster)
    assert verdicts_of(plugin, own, cluster)["a"] == UNMATCHED
    cluster.apply(B)
    cluster.apply_pod(pod("w", WEB, node_name="a"))
    cluster.snapshot()
    assert verdicts_of(plugin, own, cluster)["a"] == FITS


def test_preferred_terms_of_both_sides_add_up():
    fan = pod("fan", DB, node_name="a", preferred_affinity=(weighted(30, app="web"),))
    shy = pod("shy", WEB, node_name="b", preferred_anti_affinity=(weighted(20, app="web"),))
    incoming = pod("new", WEB, preferred_affinity=(weighted(5, app="web"),))
    assert scores(incoming, A, B, fan, shy) == {"a": 30, "b": -15}


def test_an_existing_pods_required_affinity_counts_with_the_hard_weight():
    fan = pod("fan", DB, node_name="a", required_affinity=(term(app="web"),))
    assert scores(pod("new", WEB), A, B, fan, hard_pod_affinity_weight=7) == {"a": 7, "b": 0}
    assert scores(pod("new", WEB), A, B, fan, hard_pod_affinity_weight=0) is None


def test_terms_of_existing_pods_can_be_ignored():
    fan = pod("fan", DB, node_name="a", preferred_affinity=(weighted(30, app="web"),))
    ignoring = {"ignore_preferred_terms_of_existing_pods": True}
    assert scores(pod("new", WEB), A, B, fan, **ignoring) is None
    incoming = pod("new", WEB, preferred_affinity=(weighted(5, app="db"),))
    assert scores(incoming, A, B, fan, **ignoring) == {"a": 35, "b": 0}


def test_scoring_is_skipped_when_no_term_meets_a_pod():
    assert scores(pod("new", WEB, preferred_affinity=(weighted(5, app="db"),)), A, B) is None


def test_weights_that_cancel_out_are_still_a_score():
    incoming = pod(
        "new", WEB, preferred_affinity=(weighted(5, app="db"),), preferred_anti_affinity=(weighted(5, app="db"),)
    )
    assert scores(incoming, A, B, pod("d", DB, node_name="a")) == {"a": 0, "b": 0}


def test_normalised_scores_truncate():
    weights = {"a": 1, "b": 2, "c": 3}
    nodes = [node(name, {HOSTNAME: name}) for name in weights]
    fans = [pod(f"f{n}{i}", DB, node_name=n) for n, times in weights.items() for i in range(times)]
    incoming = pod("new", WEB, preferred_affinity=(weighted(33, HOSTNAME, app="db"),))
    cluster = cluster_of(*nodes, node("d"), *fans, incoming)
    _, normalized = scores_of(plugin_for(cluster), incoming, cluster, ["a", "b", "c", "d"])
    assert normalized == {"a": 33, "b": 66, "c": 100, "d": 0}


class TestHints:
    """isSchedulableAfterPodChange and isSchedulableAfterNodeChange."""

    FRIENDLY = pod("new", required_affinity=(term(app="web"),))
    HOSTILE = pod("new", required_anti_affinity=(term(app="web"),))

    def hint(self, resource: str, incoming, old, new) -> str:
        registered = plugin_for(cluster_of()).events_to_register()
        function = next(r.hint for r in registered if r.event.resource == resource)
        assert function is not None
        found = function(incoming, old, new)
        assert isinstance(found, QueueingHint)
        return found.value

    @pytest.mark.parametrize(
        ("incoming", "old", "new", "expected"),
        [
            (FRIENDLY, None, pod("w", WEB, node_name="a"), "Queue"),
            (FRIENDLY, None, pod("w", WEB), "QueueSkip"),
            (FRIENDLY, None, pod("w", DB, node_name="a"), "QueueSkip"),
            (FRIENDLY, pod("w", DB, node_name="a"), pod("w", WEB, node_name="a"), "Queue"),
            (FRIENDLY, pod("w", WEB, node_name="a"), pod("w", {**WEB, "x": "y"}, node_name="a"), "QueueSkip"),
            (FRIENDLY, pod("w", WEB, node_name="a"), None, "QueueSkip"),
            (HOSTILE, pod("w", WEB, node_name="a"), None, "Queue"),
            (HOSTILE, pod("w", DB, node_name="a"), None, "QueueSkip"),
            (HOSTILE, None, pod("w", WEB, node_name="a"), "QueueSkip"),
            (HOSTILE, pod("w", WEB, node_name="a"), pod("w", DB, node_name="a"), "Queue"),
            (HOSTILE, pod("w", WEB, node_name="a"), pod("w", {**WEB, "x": "y"}, node_name="a"), "QueueSkip"),
        ],
    )
    def test_friends_that_come_and_foes_that_go_wake_it(self, incoming, old, new, expected):
        assert self.hint("Pod", incoming, old, new) == expected

    @pytest.mark.parametrize(
        ("incoming", "old", "new", "expected"),
        [
            (FRIENDLY, None, A, "Queue"),
            (FRIENDLY, None, node("bare"), "QueueSkip"),
            (FRIENDLY, node("a"), A, "Queue"),
            (FRIENDLY, A, node("a", {HOSTNAME: "a", ZONE: "zb"}), "Queue"),
            (FRIENDLY, A, node("a"), "QueueSkip"),
            (HOSTILE, None, node("bare"), "Queue"),
            (HOSTILE, A, node("a"), "Queue"),
            (HOSTILE, A, node("a", {HOSTNAME: "a", ZONE: "zb"}), "Queue"),
            (HOSTILE, node("a"), A, "QueueSkip"),
        ],
    )
    def test_nodes_wake_it_when_their_topology_can_help(self, incoming, old, new, expected):
        assert self.hint("Node", incoming, old, new) == expected


def test_the_facts_of_a_rejected_node_name_the_pods():
    existing = pod("h", DB, node_name="a", required_anti_affinity=(term(app="web"),))
    cluster = cluster_of(A, B, existing, incoming := pod("new", WEB))
    plugin = plugin_for(cluster)
    facts = plugin.explain_filter(incoming, plugin.pre_filter(incoming, cluster).state, cluster, 0)
    assert [(fact.key, fact.holds) for fact in facts] == [("InterPodAffinity.existing-anti-affinity", False)]
    assert "default/h" in facts[0].text


def test_the_arithmetic_of_a_score_ends_in_the_normalised_score():
    fan = pod("fan", DB, node_name="a", preferred_affinity=(weighted(30, app="web"),))
    cluster = cluster_of(A, B, fan, incoming := pod("new", WEB))
    plugin = plugin_for(cluster)
    rows = np.array([0, 1])
    state = plugin.pre_score(incoming, None, cluster.nodes, rows).state
    raw = plugin.score(incoming, state, cluster.nodes, rows)
    found = plugin.explain_score(incoming, state, cluster, rows, raw, 0)
    assert found.arithmetic == [
        f"{ZONE}=za: 1 × 30 = 30",
        "raw = 30",
        "normalized = int(100 × (30 - 0) / (30 - 0)) = 100",
    ]


def test_a_preferred_term_of_the_pod_says_where_it_stands():
    near = (weighted(20, app="cache"), weighted(10, app="web"))
    incoming = pod("new", DB, preferred_affinity=near, preferred_anti_affinity=(weighted(5, app="web"),))
    cluster = cluster_of(A, B, pod("w", WEB, node_name="a"), incoming)
    plugin = plugin_for(cluster)
    rows = np.array([0, 1])
    state = plugin.pre_score(incoming, None, cluster.nodes, rows).state
    raw = plugin.score(incoming, state, cluster.nodes, rows)
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    assert [fact.field for fact in plugin.explain_score(incoming, state, cluster, rows, raw, 0).facts] == [
        f"spec.affinity.podAffinity.{preferred}[1]",
        f"spec.affinity.podAntiAffinity.{preferred}[0]",
    ]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_random_clusters_are_judged_as_the_reference_judges_them(seed):
    compare_with_reference(seed)


@pytest.mark.parametrize("seed", range(20))
def test_counters_that_make_room_for_others_are_counted_anew(seed, monkeypatch):
    for module in (domain_counts, affinity_owners):
        monkeypatch.setattr(module, "KEPT_COUNTERS", 2)
    compare_with_reference(seed)


def test_a_pod_with_more_terms_than_counters_are_kept_is_judged_anew_in_every_cycle(monkeypatch):
    monkeypatch.setattr(domain_counts, "KEPT_COUNTERS", 2)
    terms = (term(app="web"), term(HOSTNAME, app="web"), term(app="db"), term(HOSTNAME, app="db"))
    cluster = cluster_of(A, B, pod("w", WEB), incoming := pod("new", required_anti_affinity=terms))
    plugin = plugin_for(cluster)
    assert verdicts_of(plugin, incoming, cluster) == {"a": FITS, "b": FITS}
    cluster.assume("default/w", "a")
    assert verdicts_of(plugin, incoming, cluster) == {"a": ANTI_AFFINITY, "b": FITS}


def compare_with_reference(seed: int) -> None:
    world = World(Random(seed))
    args = InterPodAffinityArgs(world.random.choice((0, 1, 50)), world.random.random() < 0.3)
    plugin = InterPodAffinity(args, handle(world.cluster))
    namespaces = {item.name: item.labels for item in world.cluster.objects("Namespace")}
    for _ in range(4):
        incoming, change, cluster = world.pending_pod(), world.what_if(), world.nodes_with_pods()
        rules, cycle = reference.InterPodAffinity(), Cycle(incoming, cluster, {plugin.name: args}, namespaces)
        expected = {n.name: rules.filter(cycle, NodeInfo(n)) for n, _ in cluster}
        found = verdicts_of(plugin, incoming, world.cluster)
        assert found == expected
        pods = world.cluster.pods.pods
        imagined = {
            n.name: rules.filter(
                cycle,
                NodeInfo(
                    n,
                    added=[pods[slot] for slot in change[n.name][1]],
                    removed=[pods[slot] for slot in change[n.name][0]],
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
        scores = rules.score(cycle, [(n, pods) for name in feasible for n, pods in cluster if n.name == name])
        assert scores_of(plugin, incoming, world.cluster, feasible) == scores
        world.change()
