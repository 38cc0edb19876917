"""A pod that extenders rejected is retried after any event (framework.go: defaultEnqueueExtension).

This includes the update of its own status, so it is tried twice in a row whenever its message changes.
"""

from __future__ import annotations

import pytest

from scheduler_core import decisions
from tests.builders import Manifest, configuration, node, pod
from tests.core.runs import attempts, run

REFUSAL = {"urlPrefix": "http://e", "filter": [{"reject": "no licence"}]}
CONFIGURATION = configuration(extenders=[{"urlPrefix": "http://e", "filterVerb": "f"}])


def times(*objects: Manifest, **event: object) -> list[float]:
    """Return the times of the attempts of a pod without requests on a node that the extender always rejects."""
    events = [{"at": 4, **event}]
    found = run(node("n"), pod("p"), *objects, CONFIGURATION, events=events, extenders=[REFUSAL])
    return [time for time, name, _ in attempts(found) if name == "p"]


@pytest.mark.parametrize(
    "event",
    [
        {"create": node("other")},
        {"update": node("n", labels={"a": "b"})},
        {"create": pod("elsewhere", node="n")},
        {"delete": {"kind": "Pod", "name": "old"}},
    ],
    ids=["a new node", "a label", "a pod that runs", "a pod that goes"],
)
def test_any_event_wakes_a_pod_that_an_extender_rejected(event):
    assert sorted(set(times(pod("old", node="n"), **event))) == [0, 4]


def test_its_own_new_condition_wakes_it_once_and_an_event_that_changes_nothing_does_not():
    assert times(update=node("n")) == [0, 0]


def test_the_search_goes_on_where_an_extender_turned_the_nominated_node_down():
    """The decision record then has the node that was found, not the nominated node that passed the filters."""
    refusal = {"urlPrefix": "http://e", "filter": [{"reject": "no", "pods": ["vip"], "nodes": ["n1"]}]}
    objects = [node("n1", cpu=1), pod("low", cpu=1, node="n1"), pod("vip", cpu=1, priority=5), CONFIGURATION]
    larger = {"at": 0.5, "create": node("n2", cpu=1)}
    found = [
        record for record in decisions(run(*objects, events=[larger], extenders=[refusal])) if "final" not in record
    ]
    assert [record["outcome"] for record in found[:1]] == ["Nominated"]
    assert found[-1]["node"] == "n2"
    assert found[-1]["feasible"] == ["n2"]
    assert list(found[-1]["filter"]) == ["n1"]
