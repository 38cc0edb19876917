"""Questions about a moment over the API: what if, the smallest change, weights, capacity, and saving an edit."""

import json
from typing import Any

import pytest

from kschedui.ask import moments
from kschedui.models import Scenario
from kschedui.runs import worker
from kschedui.scenarios import store
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser, body_of

CPU = ["spec", "containers", 0, "resources", "requests", "cpu"]
LESS = {"type": "set", "kind": "Pod", "name": "web", "namespace": "default", "path": CPU, "value": "6"}
CORDON = {"type": "set", "kind": "Node", "name": "n2", "path": ["spec", "unschedulable"], "value": True}


@pytest.fixture
def waiting(author: Browser) -> str:
    """Return the address of the first attempt of a run in which a pod requests more than any node has."""
    saved = author.save(scenario(node("n1", cpu=4), node("n2", cpu=8), pod("web", cpu=9), title="Too large"))
    worker.execute(saved["run"])
    return f"/api/v1/runs/{saved['run']}/attempts/1"


def asked(author: Browser, address: str, *edits: dict[str, Any]) -> Any:
    return author.post_json(f"{address}/what-if", edits=list(edits))


def test_an_attempt_is_judged_with_an_edit_beside_what_happened(author: Browser, waiting: str) -> None:
    found = asked(author, waiting, LESS).json()
    assert (found["before"]["node"], found["after"]["node"]) == ("", "n2")
    assert [(one["node"], one["before"]) for one in found["gained"]] == [("n2", "NodeResourcesFit: Insufficient cpu")]
    assert asked(author, waiting).json()["counts"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        ({**LESS, "name": "nobody"}, "there is no Pod default/nobody at this moment"),
        ({**LESS, "value": "many"}, "spec.containers[0].resources.requests.cpu"),
        ({**LESS, "kind": "Pood"}, "objects of kind Pood cannot be changed here"),
        ({**LESS, "path": ["metadata", "name"]}, "only labels, annotations, spec and status can be changed"),
        ({**LESS, "path": ["metadata"], "value": None}, "only labels, annotations, spec and status can be changed"),
        ({**LESS, "path": ["spec", 4, "x"]}, "there is no spec.4.x in this object"),
        ({**LESS, "path": ["spec"], "value": None}, ""),
        ({"type": "add-nodes", "like": "n1", "count": 5000}, "add 1 to 1000 nodes"),
        ({"type": "weight", "plugin": "Nobody", "weight": 2}, ""),
        ({"type": "wish"}, "this is not a valid change"),
        ({}, "this is not a valid change"),
    ],
)
def test_an_edit_that_cannot_be_tried_is_refused_with_a_sentence(
    author: Browser, waiting: str, edit: Any, sentence: str
) -> None:
    answer = asked(author, waiting, edit)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


def test_more_edits_than_are_allowed_and_attempts_that_are_not_there_are_refused(author: Browser, waiting: str) -> None:
    assert asked(author, waiting, *[LESS] * 33).status_code == 422
    assert asked(author, waiting.replace("attempts/1", "attempts/9"), LESS).status_code == 404
    assert author.get(waiting.replace("attempts/1", "attempts/9")).status_code == 404


def test_a_panel_gets_the_fields_that_can_be_changed(author: Browser, waiting: str) -> None:
    found = author.get(waiting).json()
    assert (found["pod"], found["profile"]) == ("default/web", "default-scheduler")
    assert {"plugin": "NodeResourcesFit", "weight": 1} in found["scores"]
    assert found["manifest"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "9"


def test_the_smallest_changes_come_in_words_and_as_edits_that_do(author: Browser, waiting: str) -> None:
    found = author.get(f"{waiting}/changes").json()
    while found["done"] < found["pieces"]:
        found = author.get(f"{waiting}/changes").json()
    first = found["changes"][0]
    assert first["words"] == "Request 8 cpu instead of 9: the pod then fits on n2"
    assert asked(author, waiting, *first["edits"]).json()["after"]["node"] == "n2"


def test_a_change_that_helps_several_nodes_is_listed_once(author: Browser) -> None:
    saved = author.save(scenario(*(node(f"n{i}", cpu=2) for i in range(4)), pod("web", cpu=3)))
    address = f"/api/v1/runs/{saved['run']}/attempts/1/changes"
    while (found := author.get(address).json())["done"] < found["pieces"]:
        pass
    found = found["changes"]
    requests = [one for one in found if "Request 2 cpu" in one["words"]]
    assert [(one["node"], one["others"]) for one in requests] == [("n0", ["n1", "n2", "n3"])]
    assert requests[0]["words"] == "Request 2 cpu instead of 3: the pod then fits on n0 and 3 more"


def test_a_weight_that_decides_is_found(author: Browser) -> None:
    preferred = {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}}
    objects = node("n1"), node("n2", labels={"disk": "ssd"}), pod("old", cpu=1, node="n2")
    saved = author.save(scenario(*objects, pod("web", cpu=1, affinity=affinity)))
    found = author.get(f"/api/v1/runs/{saved['run']}/attempts/1/weights?node=n1").json()
    assert {one["plugin"]: one["before"] for one in found}["NodeAffinity"] == 2
    assert author.get(f"/api/v1/runs/{saved['run']}/attempts/1/weights?node=n9").status_code == 422


def test_the_capacity_comes_with_the_nodes_that_more_copies_need(author: Browser, waiting: str) -> None:
    run = waiting.partition("/attempts")[0]
    found = author.get(f"{run}/capacity?pod=default/web&replicas=2").json()
    assert (found["fit"], found["wanted"], found["more"]) == (
        0,
        2,
        [{"like": "n1", "count": None}, {"like": "n2", "count": None}],
    )
    assert author.get(f"{run}/capacity?pod=default/nobody").status_code == 422


def test_an_edit_is_kept_as_a_fork_whose_text_has_it(author: Browser, waiting: str) -> None:
    kept = author.post_json(f"{waiting}/keep", edits=[LESS])
    assert kept.status_code == 201
    found = kept.json()
    made = Scenario.objects.get(public_id=found["id"])
    assert made.fork_of is not None
    assert '"cpu": "6"' in store.newest(made).text
    assert found["url"] == f"/s/{found['id']}/v/1/#{found['step']}"
    assert worker.execute(found["run"]) is None
    assert event_at(author, found) == "HostSelected"
    assert author.post_json(f"{waiting}/keep", edits=[{**LESS, "value": "x"}]).status_code == 422


def event_at(author: Browser, kept: dict[str, Any]) -> str:
    """Return the type of the event that the link of a saved fork leads to."""
    lines = body_of(author.get(f"/api/v1/runs/{kept['run']}/events?from_step={kept['step']}")).splitlines()
    return str(json.loads(lines[0])["type"])


def test_the_link_to_a_fork_leads_to_why_its_pod_waits_or_to_whom_it_evicts(author: Browser) -> None:
    low = pod("low", cpu=4, node="n1")
    saved = author.save(scenario(node("n1", cpu=4), low, pod("web", cpu=4, priority=9)))
    address = f"/api/v1/runs/{saved['run']}/attempts/1/keep"
    worker.execute(saved["run"])
    for value, expected in (("3", "PreemptionEvaluated"), ("5", "SchedulingFailed")):
        kept = author.post_json(address, edits=[{**LESS, "value": value}]).json()
        worker.execute(kept["run"])
        assert event_at(author, kept) == expected


def test_a_saved_fork_has_another_title_than_its_origin(author: Browser, waiting: str) -> None:
    def title(*edits: dict[str, Any]) -> str:
        kept = author.post_json(f"{waiting}/keep", edits=list(edits)).json()
        return Scenario.objects.get(public_id=kept["id"]).title

    more = {"type": "add-nodes", "like": "n2", "count": 2}
    assert title(CORDON) == "Too large: n2 cordoned"
    assert title(LESS) == "Too large: web requests 6 cpu"
    assert title(CORDON, LESS) == "Too large: n2 cordoned, web requests 6 cpu"
    assert title(more, LESS, CORDON) == "Too large: 2 more nodes like n2 and 2 more changes"
    Scenario.objects.update(title="T" * 200)
    assert title(CORDON).endswith("…: n2 cordoned")


def test_what_is_done_to_a_node_later_happens_at_that_moment(author: Browser) -> None:
    late = {"at": 10, "create": pod("late", cpu=1)}
    saved = author.save(scenario(node("n1"), node("n2"), pod("web", cpu=1), events=[late]))
    kept = author.post_json(f"/api/v1/runs/{saved['run']}/attempts/2/keep", edits=[CORDON]).json()
    text = store.newest(Scenario.objects.get(public_id=kept["id"])).text
    assert '"at": 10' in text
    assert '"update"' in text
    assert '"unschedulable": true' in text


def test_a_moment_is_made_once(author: Browser, waiting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    real = moments._build_moment
    monkeypatch.setattr(moments, "_build_moment", lambda *given: made.append(given) or real(*given))
    for _ in range(3):
        assert asked(author, waiting, LESS).json()["after"]["node"] == "n2"
    assert len(made) == 1


def test_moments_are_kept_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "MAX_ROWS", 5)
    for number in range(4):
        moments.find_moment(moments.Name(str(number), "", 1), scenario(node("n1"), pod(f"web-{number}")))
    with pytest.raises(moments.NotHere):
        moments.find_moment(moments.Name("0", "", 1), None)
    assert moments.find_moment(moments.Name("3", "", 1), None).moment.pod is not None
