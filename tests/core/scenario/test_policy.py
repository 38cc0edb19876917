"""A Policy of 1.15, 1.16 and 1.18: each part agrees with its rule, default names agree with no Policy, and errors.

The rules are those of kube-scheduler's source (`scheduler_core/scenario/settings/policy.py` names the files).
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import msgspec
import pytest
import yaml
from msgspec.structs import replace

from scheduler_core import ScenarioErrors, decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES, Release
from tests.builders import node, pod, priority_class, scenario
from tests.conformance.records import records_of, scenario_of

Manifest = dict[str, Any]
OLD = ("1.15", "1.16", "1.18")
NAMED = ("1.15", "1.16")  # where each entry with an argument is a plugin of its own
LABELS = ("rack", "row", "ssd")
SHAPE = [{"utilization": 0, "score": 0}, {"utilization": 60, "score": 10}, {"utilization": 100, "score": 3}]


def policy(**fields: Any) -> Manifest:
    return {"apiVersion": "v1", "kind": "Policy", **fields}


def predicate(name: str, **argument: Any) -> Manifest:
    return {"name": name, "argument": argument}


def priority(name: str, weight: int = 1, **argument: Any) -> Manifest:
    return {"name": name, "weight": weight, **({"argument": argument} if argument else {})}


def service(name: str, **selector: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"selector": selector}}


def run(release: str, *objects: Manifest, **spec: Any) -> list[dict[str, Any]]:
    """Return the decision records, including the final one."""
    return list(decisions(simulate(parse_scenario(scenario(*objects, **spec), release=RELEASES[release]))))


def attempt(release: str, *objects: Manifest, **spec: Any) -> dict[str, Any]:
    return run(release, *objects, **spec)[0]


def cluster(rng: random.Random) -> list[Manifest]:
    """Return nodes with some of the labels, services and bound pods; without zones, the nodes stay in order."""
    nodes = []
    for number in range(5):
        labels = {label: rng.choice("ab") for label in LABELS if rng.random() < 0.7}
        cpu, memory = rng.choice((2, 3, 4)), rng.choice((2, 4, 8))
        nodes.append(node(f"n{number}", cpu=cpu, memory=f"{memory}Gi", labels=labels))
    services = [service("web", app="web"), service("all", tier="x")][: rng.randint(0, 2)]
    pods = []
    for number in range(rng.randint(0, 7)):
        labels = {"app": rng.choice(("web", "db")), **({"tier": "x"} if rng.random() < 0.5 else {})}
        where = f"n{rng.randrange(5)}"
        pods.append(pod(f"old{number}", node=where, labels=labels, cpu="100m", memory=f"{rng.randint(1, 3)}00Mi"))
    return [*nodes, *services, *pods]


def of_kind(objects: list[Manifest], kind: str) -> list[Manifest]:
    return [one for one in objects if one["kind"] == kind]


def labels_of(manifest: Manifest) -> dict[str, str]:
    return {
        name: value
        for name, value in manifest["metadata"].get("labels", {}).items()
        if name in (*LABELS, "app", "tier")
    }


def selected_by(pod_labels: dict[str, str], services: list[Manifest]) -> list[Manifest]:
    return [one for one in services if one["spec"]["selector"].items() <= pod_labels.items()]


def rejected_by(record: dict[str, Any], name: str) -> set[str]:
    return {where for where, of_node in record["filter"].items() if name in str(of_node.get("predicates") or of_node)}


# --- predicates with an argument ---


@pytest.mark.parametrize("release", OLD)
@pytest.mark.parametrize("seed", range(12))
def test_labels_must_be_present_or_absent(release: str, seed: int) -> None:
    rng = random.Random(seed)
    objects = cluster(rng)
    wanted, present = rng.sample(LABELS, rng.randint(1, 3)), rng.random() < 0.5
    name = "CheckNodeLabelPresence" if release in NAMED else "OurLabels"
    rule = policy(predicates=[predicate(name, labelsPresence={"labels": wanted, "presence": present})])
    record = attempt(release, *objects, pod("p"), rule)
    expected = set()
    for one in of_kind(objects, "Node"):
        for label in wanted:
            exists = label in labels_of(one)
            if (exists and not present) or (not exists and present):
                expected.add(one["metadata"]["name"])
    assert record["filter"].keys() == expected
    for of_node in record["filter"].values():
        assert of_node["code"] == "UnschedulableAndUnresolvable"
        assert of_node["reasons"] == ["node(s) didn't have the requested labels"]


def service_affinity(
    wanted: list[str], new: Manifest, objects: list[Manifest], gone: tuple[str, ...] = (), at: str = ""
) -> set[str]:
    """Return the nodes that checkServiceAffinity rejects; the pods `gone` are removed from the node `at`."""
    nodes = {one["metadata"]["name"]: labels_of(one) for one in of_kind(objects, "Node")}
    own, services = labels_of(new), selected_by(labels_of(new), of_kind(objects, "Service"))
    matching = [
        one for where in nodes for one in of_kind(objects, "Pod")
        if one["spec"].get("nodeName") == where and own.items() <= labels_of(one).items()
    ]  # fmt: skip
    rejected = set()
    for where, labels in nodes.items():
        others = [one for one in matching if not (where == at and one["metadata"]["name"] in gone)]
        selector = {label: new["spec"]["nodeSelector"][label] for label in wanted
                    if label in new["spec"].get("nodeSelector", {})}  # fmt: skip
        if len(wanted) > len(selector) and services and others:
            first = nodes[others[0]["spec"]["nodeName"]]
            for label in wanted:
                if label not in selector and label in first:
                    selector[label] = first[label]
        if not selector.items() <= labels.items():
            rejected.add(where)
    return rejected


@pytest.mark.parametrize("release", OLD)
@pytest.mark.parametrize("seed", range(40))
def test_pods_of_a_service_stay_on_nodes_with_the_same_labels(release: str, seed: int) -> None:
    rng = random.Random(seed)
    objects = cluster(rng)
    wanted = rng.sample(LABELS, rng.randint(1, 3))
    new = pod("p", labels={"app": "web"} if rng.random() < 0.8 else {})
    if rng.random() < 0.3:
        new["spec"]["nodeSelector"] = {wanted[0]: rng.choice("ab")}
    name = "CheckServiceAffinity" if release in NAMED else "OurServices"
    rule = policy(predicates=[predicate(name, serviceAffinity={"labels": wanted})])
    record = attempt(release, *objects, new, rule)
    assert record["filter"].keys() == service_affinity(wanted, new, objects)
    for of_node in record["filter"].values():
        assert of_node["code"] == "Unschedulable"
        assert of_node["reasons"] == ["node(s) didn't match service affinity"]


@pytest.mark.parametrize("release", OLD)
def test_without_its_victim_another_pod_says_where_a_service_is(release: str) -> None:
    nodes = [node("n1", cpu=1, labels={"rack": "a"}), node("n2", cpu=1, labels={"rack": "b"})]
    victim = pod("victim", node="n1", cpu="1", labels={"app": "web"}, priority_class="low")
    other = pod("other", node="n2", cpu="1", labels={"app": "web"}, priority_class="high")
    new = pod("new", cpu="1", labels={"app": "web"}, priority_class="high")
    classes = [priority_class("low", 1), priority_class("high", 100)]
    name = "CheckServiceAffinity" if release in NAMED else "OurServices"
    chosen = [{"name": "GeneralPredicates"}, predicate(name, serviceAffinity={"labels": ["rack"]})]
    objects = [*nodes, service("web", app="web"), *classes, victim, other, new]
    assert service_affinity(["rack"], new, objects) == {"n2"}
    assert "n1" in service_affinity(["rack"], new, objects, ("victim",), "n1")
    assert attempt(release, *objects, policy(predicates=chosen[:1]))["preemption"]["nominatedNode"] == "n1"
    record = attempt(release, *objects, policy(predicates=chosen))
    assert record["outcome"] == "Unschedulable"
    assert not record["preemption"]["candidates"]


# --- priorities with an argument ---


@pytest.mark.parametrize("release", OLD)
@pytest.mark.parametrize("seed", range(12))
def test_labels_give_points(release: str, seed: int) -> None:
    rng = random.Random(seed)
    objects, weight = cluster(rng), rng.randint(1, 4)
    preferred = [(label, rng.random() < 0.5) for label in rng.sample(LABELS, rng.randint(1, 3))]
    entries = [
        priority(f"Likes{label}", weight, labelPreference={"label": label, "presence": present})
        for label, present in preferred
    ]
    record = attempt(release, *objects, pod("p"), policy(predicates=[], priorities=entries))
    scale = 10 if release in NAMED else 100
    for one in of_kind(objects, "Node"):
        name = one["metadata"]["name"]
        points = {label: scale * ((label in labels_of(one)) == present) for label, present in preferred}
        if release in NAMED:
            for label, score in points.items():
                assert record["scores"][f"Likes{label}"][name] == [score, score, score * weight]
            assert record["totals"][name] == sum(points.values()) * weight
        else:
            mean = sum(points.values()) // len(points)
            assert record["scores"]["NodeLabel"][name] == [mean, mean, mean * weight * len(points)]


@pytest.mark.parametrize("release", OLD)
@pytest.mark.parametrize("seed", range(20))
def test_pods_of_a_service_are_spread_over_values(release: str, seed: int) -> None:
    rng = random.Random(seed)
    objects = cluster(rng)
    labels = ["rack"] if release in NAMED else rng.sample(LABELS, rng.randint(1, 3))
    new = pod("p", labels={"app": "web"})
    entries = [priority(f"Over{label}", 2, serviceAntiAffinity={"label": label}) for label in labels]
    record = attempt(release, *objects, new, policy(predicates=[], priorities=entries))
    nodes = {one["metadata"]["name"]: labels_of(one) for one in of_kind(objects, "Node")}
    first = next(iter(selected_by({"app": "web"}, of_kind(objects, "Service"))), None)
    counts = {
        name: sum(
            first is not None
            and one["spec"].get("nodeName") == name
            and first["spec"]["selector"].items() <= labels_of(one).items()
            for one in of_kind(objects, "Pod")
        )
        for name in nodes
    }
    scale, total = (10 if release in NAMED else 100), sum(counts.values())
    for name, of_node in nodes.items():
        score = 0.0
        for label in labels:
            if label in of_node:
                same = sum(count for other, count in counts.items() if nodes[other].get(label) == of_node[label])
                share = float(scale) * (float(total - same) / float(total)) if total else float(scale)
                score += share / float(len(labels))
        found = record["scores"]["Overrack" if release in NAMED else "ServiceAffinity"][name]
        assert found == [counts[name], int(score), int(score) * 2 * len(labels)]


def on_lines(shape: list[tuple[int, int]], percent: int) -> int:
    """Return the result of buildBrokenLinearFunction; Go's division truncates towards zero."""
    for index, (utilization, score) in enumerate(shape):
        if percent <= utilization:
            if index == 0:
                return score
            before = shape[index - 1]
            return before[1] + int(Fraction((score - before[1]) * (percent - before[0]), utilization - before[0]))
    return shape[-1][1]


@pytest.mark.parametrize("release", OLD)
@pytest.mark.parametrize("seed", range(20))
def test_points_follow_the_share_in_use(release: str, seed: int) -> None:
    rng = random.Random(seed)
    objects = cluster(rng)
    weights = {"cpu": 1, "memory": 1}
    argument: Manifest = {"shape": SHAPE}
    if seed % 2 and release != "1.15":
        weights = {"cpu": rng.randint(1, 5), "memory": rng.randint(1, 5), "example.com/gpu": 2}
        argument["resources"] = [{"name": name, "weight": weight} for name, weight in weights.items()]
    new = pod("p", cpu=f"{rng.randint(1, 25)}00m", memory=f"{rng.randint(1, 20)}00Mi")
    entry = priority("Packing", 3, requestedToCapacityRatioArguments=argument)
    record = attempt(release, *objects, new, policy(predicates=[], priorities=[entry]))
    name = "Packing" if release in NAMED else "RequestedToCapacityRatio"
    times = 1 if release in NAMED else 10
    shape = [(point["utilization"], point["score"] * times) for point in SHAPE]
    for one in of_kind(objects, "Node"):
        where = one["metadata"]["name"]
        pods = [other for other in of_kind(objects, "Pod") if other["spec"].get("nodeName") == where]
        scores = {}
        for resource in weights:
            capacity = amount(one["status"]["allocatable"].get(resource, "0"))
            requests = [other["spec"]["containers"][0]["resources"]["requests"] for other in (*pods, new)]
            asked = sum(amount(request.get(resource, "0")) for request in requests)
            full = capacity == 0 or asked > capacity
            scores[resource] = on_lines(shape, 100 if full else 100 - (capacity - asked) * 100 // capacity)
        if release == "1.15":
            score = (scores["cpu"] + scores["memory"]) // 2
        else:
            counted = [resource for resource in weights if scores[resource] > 0]
            total = sum(weights[resource] for resource in counted)
            mean = sum(scores[resource] * weights[resource] for resource in counted) / max(total, 1)
            score = int(mean + 0.5)
        assert record["scores"][name][where] == [score, score, score * 3]


def amount(quantity: str) -> int:
    """Return the millicores or bytes of a quantity."""
    for suffix, times in {"Gi": 2**30, "Mi": 2**20}.items():
        if quantity.endswith(suffix):
            return int(quantity.removesuffix(suffix)) * times
    return int(quantity[:-1]) if quantity.endswith("m") else int(quantity) * 1000


# --- names without an argument ---


@pytest.mark.parametrize("release", OLD)
def test_empty_lists_leave_the_mandatory_predicates_and_equal_scores(release: str) -> None:
    small = node("n1", cpu=1)
    tainted = node("n2", taints=["gpu=yes:NoSchedule"])
    record = attempt(
        release, small, node("n3", cpu=1), tainted, pod("p", cpu="3"), policy(predicates=[], priorities=[])
    )
    assert record["feasible"] == ["n1", "n3"]
    assert record["filter"].keys() == {"n2"}
    assert (record["scores"], record["node"]) == ({}, "n1")


@pytest.mark.parametrize("release", NAMED)
def test_equal_priority_gives_one_point_and_service_spreading_is_selector_spreading(release: str) -> None:
    objects = [*cluster(random.Random(3)), pod("p", labels={"app": "web"})]
    names = ("EqualPriority", "ServiceSpreadingPriority", "SelectorSpreadPriority")
    scores = attempt(release, *objects, policy(predicates=[], priorities=[priority(name, 2) for name in names]))[
        "scores"
    ]
    assert set(map(tuple, scores["EqualPriority"].values())) == {(1, 1, 2)}
    assert scores["ServiceSpreadingPriority"] == scores["SelectorSpreadPriority"]


def test_equal_priority_is_skipped_in_1_18() -> None:
    objects = [node("n1"), node("n2"), pod("p")]
    names = ("EqualPriority", "ServiceSpreadingPriority")
    record = attempt("1.18", *objects, policy(priorities=[priority(name, 2) for name in names]))
    assert record["scores"].keys() == {"DefaultPodTopologySpread"}


@pytest.mark.parametrize("release", OLD)
def test_all_predicates_are_checked_if_the_policy_says_so(release: str) -> None:
    tainted = node("n1", cpu=1, taints=["gpu=yes:NoSchedule"])
    for every, number in ((False, 1), (True, 2)):
        record = attempt(release, tainted, pod("p", cpu="3"), policy(alwaysCheckAllPredicates=every))
        assert len(record["filter"]["n1"]["reasons"]) == number


@pytest.mark.parametrize("release", OLD)
def test_the_weight_of_required_affinity_is_that_of_the_policy_and_0_is_none(release: str) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    likes = pod("likes", node="n1", labels={"app": "web"})
    likes["spec"]["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    apart = pod("apart", node="n2", labels={"app": "db"})
    weighted = {"weight": 20, "podAffinityTerm": term}
    apart["spec"]["affinity"] = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}
    chosen = [priority("InterPodAffinityPriority")]
    where = {}
    for weight in (0, 1, 50, 100):
        rule = policy(priorities=chosen, hardPodAffinitySymmetricWeight=weight)
        record = attempt(release, node("n1"), node("n2"), likes, apart, pod("p", labels={"app": "web"}), rule)
        where[weight] = record["node"], record["totals"]
    assert where[0] == where[1]
    assert [where[weight][0] for weight in (1, 50, 100)] == ["n2", "n1", "n1"]


@pytest.mark.parametrize("release", OLD)
def test_extenders_of_a_policy_filter_score_and_manage_resources(release: str) -> None:
    extender = {"urlPrefix": "http://gpu", "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 3}
    extender |= {"enableHttps": True, "httpTimeout": 5_000_000_000, "nodeCacheCapable": True}
    extender["managedResources"] = [{"name": "example.com/gpu", "ignoredByScheduler": True}]
    script = {"urlPrefix": "http://gpu", "filter": [{"nodes": {"names": ["n3"]}, "reject": "no gpu"}]}
    script["prioritize"] = [{"nodes": {"names": ["n2"]}, "score": 7}]
    gpu = {"example.com/gpu": "1"}
    new = pod("p", requests=gpu, limits=gpu)
    objects = [node("n1"), node("n2"), node("n3"), new]
    record = attempt(release, *objects, policy(extenders=[extender]), extenders=[script])
    plain = attempt(release, *objects[:3], pod("p"))
    assert record["feasible"] == ["n1", "n2"]
    gained = record["totals"]["n2"] - plain["totals"]["n2"]
    assert gained == 7 * 3 * (1 if release in NAMED else 10)
    assert attempt(release, *objects)["outcome"] == "Unschedulable"


@pytest.mark.parametrize("nanoseconds", [1, 50_000, 5_000_000_000])
def test_the_timeout_of_a_policys_extender_is_in_nanoseconds(nanoseconds: int) -> None:
    extender = {"urlPrefix": "http://gpu", "filterVerb": "filter", "httpTimeout": nanoseconds}
    text = scenario(node("n1"), policy(extenders=[extender]))
    (read,) = parse_scenario(text, release=RELEASES["1.18"]).config.extenders
    assert read.http_timeout_seconds == pytest.approx(nanoseconds / 1e9)


# --- the default names ---


def default_policy(release: str) -> Manifest:
    """Return a Policy with the predicates and priorities of the default provider, in any order."""
    names = RELEASES[release].policy
    assert names is not None
    weights = {ref.name: ref.weight for ref in RELEASES[release].default_plugins}
    priorities = [priority(name, weights[plugin]) for name, plugin in names.priorities.items() if weights.get(plugin)]
    priorities = [one for one in priorities if one["name"] != "ServiceSpreadingPriority"]
    return policy(predicates=[{"name": name} for name in reversed(names.default_predicates)], priorities=priorities)


def in_order_of_policy(release: Release) -> Release:
    """Return the release with its default filters in the order of a Policy: in 1.18, spreading comes before affinity
    there."""
    names, refs = [ref.name for ref in release.default_plugins], list(release.default_plugins)
    if "PodTopologySpread" in names:
        first, second = names.index("InterPodAffinity"), names.index("PodTopologySpread")
        assert first < second
        refs[first], refs[second] = refs[second], refs[first]
    return replace(release, default_plugins=tuple(refs))


def events_of(text: str, release: Release) -> list[bytes]:
    events = []
    try:
        events.extend(map(msgspec.json.encode, simulate(parse_scenario(text, release=release))))
    except Exception as error:  # a panic that was recorded
        events.append(repr(error).encode())
    return events


DEFAULTS = [
    (release, case)
    for release in OLD
    for case in sorted(records_of(release))
    if "kind: Policy" not in scenario_of(case)
]


@pytest.mark.parametrize(("release", "case"), DEFAULTS, ids=[f"{release}/{case}" for release, case in DEFAULTS])
def test_a_policy_with_the_default_names_changes_no_byte_of_the_trace(release: str, case: str) -> None:
    text = scenario_of(case)
    named = f"{text.rstrip()}\n---\n{yaml.safe_dump(default_policy(release), sort_keys=False)}"
    ordered = in_order_of_policy(RELEASES[release])
    assert events_of(named, ordered) == events_of(text, ordered)


# --- a ConfigMap ---


CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: scheduler-policy, namespace: kube-system}
data:
  other: not read
  policy.cfg: |
"""


def in_config_map(text: str) -> str:
    return CONFIG_MAP + "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("form", [yaml.safe_dump, json.dumps, lambda data: json.dumps(data, indent=2)])
@pytest.mark.parametrize("release", OLD)
def test_a_policy_in_a_config_map_decides_as_the_document(release: str, form: Any) -> None:
    rule = policy(predicates=[], priorities=[priority("MostRequestedPriority", 2)])
    objects = scenario(node("n1"), node("n2", cpu=2), pod("p", cpu="1"))
    for text in (in_config_map(form(rule)), form(rule)):
        found = parse_scenario(f"{objects}\n---\n{text}", release=RELEASES[release])
        assert not found.warnings
        assert next(iter(decisions(simulate(found))))["node"] == "n2"


def test_a_config_map_of_something_else_is_left_out() -> None:
    text = scenario(
        node("n1"), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"b": "c"}}
    )
    (warning,) = parse_scenario(text, release=RELEASES["1.15"]).warnings
    assert str(warning.message) == "ConfigMap has no part in scheduling and is left out"


# --- errors ---


WRONG = {
    "unknown predicate": (OLD, "predicates:\n- {name: GeneralPredicate}", 4, 'did you mean "GeneralPredicates"?'),
    "unknown priority": (OLD, "priorities:\n- {name: LeastRequested, weight: 1}", 4, 'no priority "LeastRequested" is'),
    "removed predicate": (OLD, "predicates:\n- {name: CheckNodeMemoryPressure}", 4, "(TaintNodesByCondition)"),
    "no weight": (
        OLD,
        "priorities:\n- {name: LeastRequestedPriority}",
        4,
        "Invalid value: 0: must have a positive weight",
    ),
    "weight 0": (OLD, "priorities:\n- name: LeastRequestedPriority\n  weight: 0", 5, "must have a positive weight"),
    "negative weight": (OLD, "priorities:\n- {weight: -1, name: LeastRequestedPriority}", 4, "Invalid value: -1"),
    "large weight": (OLD, "priorities:\n- {name: EqualPriority, weight: 922337203685477580}", 4, "up to 2147483647"),
    "both arguments": (
        OLD,
        "predicates:\n- name: Ours\n  argument: {serviceAffinity: {labels: [a]}, labelsPresence: {labels: [b]}}",
        5,
        "expected exactly one of serviceAffinity or labelsPresence",
    ),
    "empty argument": (OLD, "priorities:\n- {name: Ours, weight: 1, argument: {}}", 4, "expected exactly one of"),
    "argument is missing": (NAMED, "predicates:\n- {name: CheckServiceAffinity}", 4, "expected serviceAffinity"),
    "no points": (
        OLD,
        "priorities:\n- {name: Ours, weight: 1, argument: {requestedToCapacityRatioArguments: {shape: []}}}",
        4,
        "at least one point must be specified",
    ),
    "points in disorder": (
        OLD,
        "priorities:\n- name: Ours\n  weight: 1\n  argument:\n    requestedToCapacityRatioArguments:\n      shape:\n"
        "      - {utilization: 50, score: 1}\n      - {utilization: 50, score: 11}",
        10,
        "values must be sorted in increasing order",
    ),
    "a name that is none": (
        NAMED,
        "priorities:\n- {name: Our_Labels, weight: 1, argument: {labelPreference: {label: a}}}",
        4,
        "two or more letters, digits and '-'",
    ),
    "an argument in the place of another rule": (
        NAMED,
        "predicates:\n- {name: PodFitsResources, argument: {labelsPresence: {labels: [a]}}}",
        4,
        "expected CheckNodeLabelPresence",
    ),
    "unequal weights": (
        ("1.18",),
        "priorities:\n- {name: One, weight: 1, argument: {labelPreference: {label: a}}}\n"
        "- {name: Two, weight: 2, argument: {labelPreference: {label: b}}}",
        5,
        "One has 1",
    ),
    "two ratios": (
        ("1.18",),
        "priorities:\n- {name: One, weight: 1, argument: &ratio {requestedToCapacityRatioArguments: "
        "{shape: [{utilization: 0, score: 0}]}}}\n- {name: Two, weight: 1, argument: *ratio}",
        5,
        "first in One",
    ),
    "a plugin twice": (
        ("1.18",),
        "predicates:\n- {name: GeneralPredicates}\n- {name: HostName}",
        5,
        "HostName and GeneralPredicates are both the plugin NodeName, which cannot be enabled twice",
    ),
    "present and absent": (
        ("1.18",),
        "predicates:\n- {name: One, argument: {labelsPresence: {labels: [a], presence: true}}}\n"
        "- {name: Two, argument: {labelsPresence: {labels: [a]}}}",
        3,
        'label "a" is to be both present and absent',
    ),
    "unknown field": (("1.18",), "predicate: []", 3, 'did you mean "predicates"?'),
    "hard affinity": (OLD, "hardPodAffinitySymmetricWeight: 101", 3, "not in valid range [0-100]"),
    "extender without weight": (
        OLD,
        "extenders:\n- {urlPrefix: a, prioritizeVerb: b}",
        4,
        "must have a positive weight",
    ),
    "a release without Policy": (("1.25", "1.36"), "priorities: []", 2, "expected KubeSchedulerConfiguration"),
}
CASES = [(release, name) for name, (releases, *_) in WRONG.items() for release in releases]


@pytest.mark.parametrize(("release", "name"), CASES)
def test_what_kube_scheduler_refuses_is_one_sentence_with_its_line(release: str, name: str) -> None:
    _, text, line, sentence = WRONG[name]
    document = f"apiVersion: v1\nkind: Policy\n{text}\n"
    with pytest.raises(ScenarioErrors) as refused:
        parse_scenario(document, release=RELEASES[release])
    assert sentence in str(refused.value.errors[0].message)
    assert refused.value.errors[0].line == line
    before = CONFIG_MAP.count("\n")
    with pytest.raises(ScenarioErrors) as embedded:
        parse_scenario(in_config_map(document), release=RELEASES[release])
    assert [(one.line, str(one.message)) for one in embedded.value.errors] == [
        (one.line + before, str(one.message)) for one in refused.value.errors
    ]
    assert len(refused.value.errors) == 1 or name in ("points in disorder",)


BESIDE = policy(priorities=[])
CONFIGURATION = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def test_a_policy_stands_beside_no_profiles_and_no_other_policy() -> None:
    profiles = {**CONFIGURATION, "profiles": [{"schedulerName": "mine"}]}
    for objects, sentence in (
        ((BESIDE, profiles), "either a Policy or KubeSchedulerConfiguration.profiles, not both"),
        ((BESIDE, BESIDE), "a file has at most one Policy; document 2 already is one"),
    ):
        with pytest.raises(ScenarioErrors, match=sentence):
            parse_scenario(scenario(node("n1"), *objects), release=RELEASES["1.18"])
    text = f"{scenario(BESIDE)}\n---\n{in_config_map(json.dumps(BESIDE))}"
    with pytest.raises(ScenarioErrors, match="a file has at most one Policy"):
        parse_scenario(text, release=RELEASES["1.18"])


def test_other_fields_of_a_configuration_count_beside_a_policy() -> None:
    beside = {**CONFIGURATION, "percentageOfNodesToScore": 30, "podInitialBackoffSeconds": 2}
    found = parse_scenario(scenario(node("n1"), BESIDE, beside), release=RELEASES["1.18"]).config
    assert (found.percentage_of_nodes_to_score, found.pod_initial_backoff_seconds) == (30, 2.0)
    assert not found.profiles[0].plugins["score"]


@pytest.mark.parametrize("content", ["predicates: [", "{", "a: b", "- 1", "", "kind: Policy\napiVersion: v2"])
def test_a_config_map_without_a_policy_is_one_sentence_with_its_line(content: str) -> None:
    with pytest.raises(ScenarioErrors) as refused:
        parse_scenario(in_config_map(content or " "), release=RELEASES["1.16"])
    (error,) = refused.value.errors
    assert 6 <= error.line <= 8


IGNORED = {
    "never in the order": (
        "1.15",
        predicate("OurLabels", labelsPresence={"labels": ["a"]}),
        "expected CheckNodeLabelPresence",
    ),
    "PodFitsPorts": ("1.16", {"name": "PodFitsPorts"}, "expected PodFitsHostPorts"),
    "a name of its own": (
        "1.18",
        predicate("CheckNodeLabelPresence", labelsPresence={"labels": ["a"], "presence": True}),
        "reads no argument of CheckNodeLabelPresence; expected another name",
    ),
}


@pytest.mark.parametrize("name", IGNORED)
def test_what_kube_scheduler_reads_and_never_checks_is_a_warning(name: str) -> None:
    release, entry, sentence = IGNORED[name]
    text = scenario(node("n1"), pod("p"), policy(predicates=[entry]))
    found = parse_scenario(text, release=RELEASES[release])
    (warning,) = found.warnings
    assert sentence in str(warning.message)
    assert next(iter(decisions(simulate(found))))["node"] == "n1"


def test_pod_fits_ports_is_pod_fits_host_ports_in_1_18() -> None:
    port = {"containerPort": 80, "hostPort": 80}
    first, second = pod("a", node="n1"), pod("b")
    for one in (first, second):
        one["spec"]["containers"][0]["ports"] = [port]
    record = attempt("1.18", node("n1"), first, second, policy(predicates=[{"name": "PodFitsPorts"}]))
    assert record["outcome"] == "Unschedulable"
