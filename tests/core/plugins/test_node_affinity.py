"""Node affinity terms that kube-apiserver accepts and kube-scheduler cannot parse; terms with weight 0."""

from __future__ import annotations

from typing import Any

from scheduler_core import decisions
from tests.builders import Manifest, configuration, node, pod
from tests.core.runs import attempts, message, run

NO_NUMBER: Manifest = {"matchExpressions": [{"key": "gen", "operator": "Gt", "values": ["new"]}]}
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def preferring(*terms: Manifest, cpu: str = "1") -> Manifest:
    weighted = [{"weight": 10, "preference": term} for term in terms]
    return pod("a", cpu=cpu, affinity={"nodeAffinity": {PREFERRED: weighted}})


def requiring(*terms: Manifest) -> Manifest:
    return pod("a", affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}})


def test_a_preferred_term_that_cannot_be_parsed_ends_the_attempt_where_there_is_something_to_score() -> None:
    events = run(node("n1"), node("n2"), preferring({}, NO_NUMBER))
    assert attempts(events)[0] == (0, "a", "Error")
    assert message(events, "a") == (
        'running PreScore plugin "NodeAffinity": [1].matchExpressions[0].values[0]: Invalid value: "new": '
        "for 'Gt', 'Lt' operators, the value must be an integer"
    )
    assert attempts(run(node("n1"), node("n2", cpu="500m"), preferring({}, NO_NUMBER))) == [(0, "a", "Scheduled")]


def test_all_terms_that_cannot_be_parsed_are_reported() -> None:
    no_label = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["-"]}]}
    error = message(run(node("n1"), node("n2"), preferring(NO_NUMBER, no_label)), "a")
    assert error.startswith('running PreScore plugin "NodeAffinity": [[0].matchExpressions[0].values[0]: Invalid value')
    assert ', [1].matchExpressions[0].values[0][disk]: Invalid value: "-": a valid label must be' in error
    assert error.endswith("]")


def test_a_change_of_a_node_wakes_a_pod_with_a_required_term_that_cannot_be_parsed() -> None:
    def tried(*terms: Manifest) -> list[float]:
        changed: Any = [{"at": 5, "update": node("n1", labels={"gen": "3"})}]
        return [at for at, _, _ in attempts(run(node("n1"), requiring(*terms), events=changed))]

    other = {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}
    assert tried(other) == [0]
    assert tried(other, NO_NUMBER) == [0, 5]


def test_an_added_preference_of_weight_0_counts_nothing_and_is_scored_all_the_same() -> None:
    term = {"preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}
    args = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "NodeAffinityArgs",
        "addedAffinity": {PREFERRED: [term]},
    }
    profile = {"schedulerName": "default-scheduler", "pluginConfig": [{"name": "NodeAffinity", "args": args}]}
    events = run(configuration(profiles=[profile]), node("n1", labels={"disk": "ssd"}), node("n2"), pod("a"))
    assert next(decisions(events))["scores"]["NodeAffinity"] == {"n1": [0, 0, 0], "n2": [0, 0, 0]}
