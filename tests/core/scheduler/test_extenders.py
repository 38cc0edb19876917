"""Scripted extenders: the answer to each verb, which failures count, and the order in which extenders are called."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scheduler_core.apis.config import Extender, ManagedResource
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.explain.attempt import explain
from scheduler_core.releases import Rules
from scheduler_core.scenario.types import (
    ExtenderFailure,
    ExtenderFilterRule,
    ExtenderPreemptRule,
    ExtenderPrioritizeRule,
    ExtenderScript,
    Selection,
)
from scheduler_core.scheduler.search.extenders import (
    ExtenderError,
    bind,
    build_extenders,
    find_nodes_that_pass_extenders,
    prioritize,
    resources_ignored_by_scheduler,
)
from scheduler_core.simulation.simulation import simulate
from scheduler_core.trace.columns import decode_column
from scheduler_core.trace.decisions import decisions
from scheduler_core.trace.events import NodesFiltered, ScoresComputed
from tests import builders as manifests
from tests.core import runs

VERBS = {"filter_verb": "filter", "prioritize_verb": "prioritize", "preempt_verb": "preempt", "bind_verb": "bind"}


def pod(**requests):
    return SimpleNamespace(key="default/p", labels={"app": "web"}, requests=requests)


def nodes(*names):
    return [SimpleNamespace(name=name, labels={"disk": "ssd" if name == "n1" else "hdd"}) for name in names]


def extenders(*pairs):
    """Return extenders with all verbs from (configuration fields, script fields) pairs; url_prefix e0, e1, ..."""
    configured, scripts = [], {}
    for index, (fields, script) in enumerate(pairs):
        prefix = f"e{index}"
        configured.append(Extender(url_prefix=prefix, **{**VERBS, "weight": 1, **fields}))
        scripts[prefix] = ExtenderScript(prefix, **script)
    return build_extenders(configured, scripts.__getitem__)


def on(*names):
    return Selection(names=frozenset(names))


def test_an_extender_without_rules_passes_every_node_and_scores_zero():
    asked = extenders(({}, {}))
    assert find_nodes_that_pass_extenders(asked, pod(), nodes("n1", "n2"))[:2] == ([0, 1], [])
    assert prioritize(asked, pod(), nodes("n1", "n2"), Rules())[0].weighted.tolist() == [0, 0]


def test_a_filter_rule_rejects_its_nodes_with_its_message():
    rule = ExtenderFilterRule("no licence", nodes=Selection(selector=LabelSelector.from_labels({"disk": "ssd"})))
    kept, rejected, _ = find_nodes_that_pass_extenders(
        extenders(({}, {"filter": (rule,)})), pod(), nodes("n0", "n1", "n2")
    )
    assert kept == [0, 2]
    assert [(r.position, r.extender, r.status.code.label, r.status.message) for r in rejected] == [
        (1, "e0", "Unschedulable", "no licence")
    ]


def test_an_unresolvable_rejection_takes_precedence_over_a_plain_one():
    rules = (ExtenderFilterRule("busy"), ExtenderFilterRule("never", unresolvable=True))
    _, rejected, _ = find_nodes_that_pass_extenders(extenders(({}, {"filter": rules})), pod(), nodes("n1"))
    assert [(r.status.code.label, r.status.message) for r in rejected] == [("UnschedulableAndUnresolvable", "never")]


def test_the_second_extender_is_asked_only_about_what_the_first_left():
    first = {"filter": (ExtenderFilterRule("first", nodes=on("n1")),)}
    second = {"filter": (ExtenderFilterRule("second"),)}
    kept, rejected, _ = find_nodes_that_pass_extenders(extenders(({}, first), ({}, second)), pod(), nodes("n1", "n2"))
    assert kept == []
    assert [(r.position, r.status.message) for r in rejected] == [(0, "first"), (1, "second")]


def test_ignorable_extenders_are_asked_last():
    assert [e.name for e in extenders(({"ignorable": True}, {}), ({}, {}))] == ["e1", "e0"]


def test_an_extender_that_manages_resources_is_asked_only_for_pods_that_want_them():
    script = {"filter": (ExtenderFilterRule("no"),)}
    asked = extenders(({"managed_resources": (ManagedResource("example.com/gpu"),)}, script))
    assert find_nodes_that_pass_extenders(asked, pod(cpu=100), nodes("n1"))[0] == [0]
    assert find_nodes_that_pass_extenders(asked, pod(**{"example.com/gpu": 1}), nodes("n1"))[0] == []


def test_scores_of_zero_to_ten_count_tenfold_by_weight_and_the_first_matching_rule_gives_them():
    rules = (ExtenderPrioritizeRule(7, nodes=on("n1")), ExtenderPrioritizeRule(2))
    scores = prioritize(extenders(({"weight": 3}, {"prioritize": rules})), pod(), nodes("n1", "n2"), Rules())
    assert scores[0].scores.tolist() == [7, 2]
    assert scores[0].weighted.tolist() == [210, 60]


def test_a_failing_prioritize_call_gives_no_scores_and_no_error():
    failing = extenders(({}, {"failures": (ExtenderFailure("prioritize", "down"),)}))
    assert prioritize(failing, pod(), nodes("n1"), Rules()) == []


@pytest.mark.parametrize("ignorable", [True, False])
def test_a_failing_filter_call_ends_the_attempt_unless_the_extender_is_ignorable(ignorable):
    script = {"filter": (ExtenderFilterRule("no"),), "failures": (ExtenderFailure("filter", "down", times=1),)}
    asked = extenders(({"ignorable": ignorable}, script))
    if ignorable:
        assert find_nodes_that_pass_extenders(asked, pod(), nodes("n1"))[0] == [0]
    else:
        with pytest.raises(ExtenderError, match="down"):
            find_nodes_that_pass_extenders(asked, pod(), nodes("n1"))
    assert find_nodes_that_pass_extenders(asked, pod(), nodes("n1"))[0] == []


def test_an_extender_strikes_nodes_from_the_preemption_candidates():
    asked = extenders(({}, {"preempt": (ExtenderPreemptRule(nodes=on("n2")),)}), ({"preempt_verb": ""}, {}))
    victims = {"n1": ([], 0), "n2": ([], 0), "n3": ([], 1)}
    assert [extender.supports_preemption for extender in asked] == [True, False]
    assert asked[0].process_preemption(pod(), victims, nodes("n1", "n2", "n3")) == {"n1": ([], 0), "n3": ([], 1)}


def test_the_first_interested_binder_binds():
    assert bind(extenders(({"bind_verb": ""}, {}), ({}, {})), pod(), "n1", Rules()) == "e1"
    assert bind(extenders(({"bind_verb": ""}, {})), pod(), "n1", Rules()) is None


def test_a_failing_binder_is_skipped_when_ignorable_and_an_error_when_not():
    failing = {"failures": (ExtenderFailure("bind", "refused"),)}
    assert bind(extenders(({"ignorable": True}, failing)), pod(), "n1", Rules()) is None
    with pytest.raises(ExtenderError, match="refused"):
        bind(extenders(({}, failing)), pod(), "n1", Rules())


def test_resources_that_extenders_take_over_are_collected():
    managed = (ManagedResource("a.com/x", ignored_by_scheduler=True), ManagedResource("a.com/y"))
    assert resources_ignored_by_scheduler([Extender(managed_resources=managed)]) == {"a.com/x"}


@pytest.mark.parametrize(("ignored", "outcome"), [(True, "Scheduled"), (False, "Unschedulable")])
def test_a_resource_that_only_an_extender_manages_is_not_checked_and_replaces_ignored_resources(ignored, outcome):
    managed = [{"name": "example.com/gpu", "ignoredByScheduler": ignored}, {"name": "example.com/fpga"}]
    arguments = {"name": "NodeResourcesFit", "args": {"ignoredResources": ["example.com/other"]}}
    configuration = manifests.configuration(
        profiles=[{"pluginConfig": [arguments]}], extenders=[{"urlPrefix": "http://e", "managedResources": managed}]
    )
    gpu, other = manifests.pod("gpu"), manifests.pod("other")
    for one, resource in ((gpu, "example.com/gpu"), (other, "example.com/other")):
        one["spec"]["containers"][0]["resources"] = {"limits": {resource: 1}, "requests": {resource: 1}}
    outcomes = runs.attempts(list(simulate(manifests.parse(manifests.node("n1"), gpu, other, configuration))))
    assert [(name, result) for _, name, result in outcomes] == [
        ("gpu", outcome),
        ("other", "Unschedulable" if ignored else "Scheduled"),
    ]


def test_an_extender_s_scores_count_in_a_run_and_are_shown_on_the_scheduler_s_scale():
    extender = {"urlPrefix": "http://e", "prioritizeVerb": "prioritize", "weight": 2, "httpTimeout": "1s"}
    script = [{"urlPrefix": "http://e", "prioritize": [{"nodes": ["n2"], "score": 9}]}]
    objects = [
        manifests.node("n1"),
        manifests.node("n2"),
        manifests.pod("p"),
        manifests.configuration(extenders=[extender]),
    ]
    run = list(simulate(manifests.parse(*objects, extenders=script)))
    [scores] = [event for event in run if isinstance(event, ScoresComputed)]
    [given] = scores.extenders
    assert decode_column(given.normalized, 2).tolist() == [0, 90]
    assert decode_column(given.raw, 2).tolist() == [0, 9]
    assert (decode_column(scores.total, 2) - decode_column(scores.total, 2)[0]).tolist() == [0, 180]


def test_what_an_extender_said_of_the_nominated_node_counts_when_the_search_goes_on_from_there():
    """The node passes the filters again, but NodeToStatus keeps the extender's rejection, so it counts twice."""
    refusal = {"urlPrefix": "http://e", "filter": [{"reject": "no", "pods": ["vip"], "nodes": ["n1"]}]}
    configured = {"urlPrefix": "http://e", "filterVerb": "f"}
    selector = {"kubernetes.io/hostname": "n1"}
    found = list(
        simulate(
            manifests.parse(
                *(manifests.node(f"n{i}", cpu=1) for i in (1, 2, 3)),
                manifests.pod("low", cpu=1, node="n1"),
                manifests.pod("vip", cpu=1, priority=5, nodeSelector=selector),
                manifests.configuration(extenders=[configured]),
                events=[{"at": 3, "create": manifests.pod("next", cpu="100m")}],
                extenders=[refusal],
            )
        )
    )
    starts = [event.start for event in found if isinstance(event, NodesFiltered)]
    assert starts[:3] == [0, 0, 1]


@pytest.mark.parametrize(("cached", "least"), [(True, 50), (False, 75)])
def test_an_extender_without_a_cache_of_nodes_hands_them_back_without_their_pods_and_images(cached, least):
    """HTTPExtender.Filter makes new NodeInfos of the nodes in the answer, and these are scored."""
    configured = {"urlPrefix": "http://e", "filterVerb": "f", "nodeCacheCapable": cached}
    soft = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}
    objects = [
        *(manifests.node(f"n{i}", cpu=4, memory="4Gi", images={"big:v1": 1 << 30}) for i in (1, 2)),
        *(manifests.pod(f"on-n{i}", cpu=1, memory="1Gi", node=f"n{i}", labels={"app": "web"}) for i in (1, 2)),
        manifests.pod(
            "p",
            cpu=1,
            memory="1Gi",
            image="big:v1",
            topologySpreadConstraints=[soft | {"labelSelector": {"matchLabels": {"app": "web"}}}],
        ),
        manifests.configuration(extenders=[configured]),
    ]
    record = next(decisions(simulate(manifests.parse(*objects))))
    raw = {plugin: values["n1"][0] for plugin, values in record["scores"].items()}
    assert raw["NodeResourcesFit"] == least
    assert (raw["ImageLocality"], raw["PodTopologySpread"]) == ((100, 1) if cached else (0, 0))


def test_an_explanation_counts_what_the_extender_handed_over():
    objects = [
        *(manifests.node(f"n{i}", cpu=4, memory="4Gi") for i in (1, 2)),
        manifests.pod("on-n1", cpu=1, memory="1Gi", node="n1"),
        manifests.pod("p", cpu=1, memory="1Gi"),
        manifests.configuration(extenders=[{"urlPrefix": "http://e", "filterVerb": "f"}]),
    ]
    found = explain(manifests.parse(*objects), 1, ["n1"]).nodes[0].scores
    (fit,) = [one for one in found if one.plugin == "NodeResourcesFit"]
    assert fit.raw == 75
    assert "(4000 - 1000) * 100 / 4000 = 75" in fit.arithmetic[0]
