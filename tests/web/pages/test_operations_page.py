"""The page of questions about a whole cluster, and the same over the API: answers, forks, refusals."""

import re
from typing import Any

import pytest
from django.test import Client

from kschedui.models import Version
from kschedui.runs import worker
from kschedui.scenarios import engine, store
from kschedui.scenarios.access import Visitor
from scheduler_core.trace.events import ObjectApplied
from tests.builders import budget, node, pod, scenario
from tests.web.conftest import Browser

WEB = {"app": "web"}
NODES = [node(name, cpu=2, zone=zone) for name, zone in (("n1", "a"), ("n2", "b"), ("n3", "b"))]
RUNNING = [pod(f"web-{number}", cpu=1, node="n1", labels=WEB) for number in (1, 2)]
CLUSTER = scenario(*NODES, *RUNNING, pod("huge", cpu=9), budget("web", WEB, maxUnavailable=1))


def page(text: str) -> str:
    made = store.create(Visitor(), text)
    return f"/s/{made.scenario.public_id}/v/{made.number}/operations/"


@pytest.fixture
def address(db: None) -> str:
    return page(CLUSTER)


def seen(address: str, query: str = "", language: str = "en") -> str:
    answer = Client().get(address + query, headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_form_offers_nodes_zones_and_releases(address: str) -> None:
    assert '<option value="n3">' in seen(address)
    assert "<option>b</option>" in seen(address, "?ask=lose")
    assert "<option>1.31</option>" in seen(address, "?ask=upgrade")


def test_a_drain_is_drawn_with_what_moves_and_what_the_budget_does(address: str) -> None:
    found = seen(address, "?ask=drain&nodes=n1&go=1")
    assert "Yes: 2 pods move, and none stays pending" in found
    assert "n1 → n2" in found
    assert "default/web" in found
    assert 'class="cordoned changed"' in found
    assert "1 pod was pending before and still is" in found


def test_what_finds_no_place_has_the_schedulers_message(address: str) -> None:
    found = seen(address, "?ask=lose&zone=b&go=1")
    assert "No pod" not in found
    found = seen(address, "?ask=drain&nodes=n1, n2 n3&go=1")
    assert "Not without problems" in found
    assert "node(s) were unschedulable" in found


def test_an_upgrade_names_the_pods_and_why(db: None) -> None:
    tainted = page(scenario(node("n1", taints=["gpu=yes:NoSchedule"]), pod("web")))
    found = seen(tainted, "?ask=upgrade&to=1.31")
    assert "Kubernetes 1.31 selects another node for 0 pods" in found
    assert "default/web" in found


@pytest.mark.parametrize("query", ["?ask=add&like=n2&count=2&go=1", "?ask=reschedule&go=1"])
def test_other_questions_are_answered(address: str, query: str) -> None:
    assert "Before and after" in seen(address, query)


def test_the_node_groups_that_help_are_listed_with_a_link_to_the_answer(db: None) -> None:
    pool = node("n1", cpu=2, labels={"agentpool": "b"})
    short = page(scenario(pool, pod("w1", cpu=2), pod("w2", cpu=2)))
    found = seen(short, "?ask=groups")
    assert "1 more node" in found
    link = re.search(r'href="(\?ask=add&amp;group[^"]*)"', found)
    assert link is not None
    added = seen(short, link[1].replace("&amp;", "&"))
    assert "pending → b-new-1" in added
    assert "No node group is known" in seen(page(scenario(node("n1", cpu=1), pod("w", cpu=2))), "?ask=groups")
    assert "More nodes would not help" in seen(page(scenario(node("n1", cpu=4), pod("w", cpu=2))), "?ask=groups")
    assert "有帮助" in seen(short, "?ask=groups", "zh-hans")


def test_the_answer_comes_in_chinese(address: str) -> None:
    found = seen(address, "?ask=drain&nodes=n1&go=1", "zh-hans")
    assert "之前和之后" in found
    assert "Cannot" not in found


def test_a_cluster_without_nodes_says_so(db: None) -> None:
    assert "The cluster has no nodes" in seen(page(scenario(pod("web"))))


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?ask=drain&nodes=n9&go=1", 422),
        ("?ask=drain&nodes=&go=1", 422),
        ("?ask=lose&zone=c&go=1", 422),
        ("?ask=add&like=n1&count=x&go=1", 422),
        ("?ask=add&like=n1&count=5000&go=1", 422),
        ("?ask=wish", 404),
        ("?ask=upgrade&to=0.1", 404),
    ],
)
def test_an_impossible_question_is_refused_with_a_sentence(address: str, query: str, status: int) -> None:
    answer = Client().get(address + query)
    assert answer.status_code == status
    assert re.fullmatch(r"[A-Z].*\.", answer.context["sentence"])


def test_the_answer_is_stepped_through_as_a_fork(author: Browser) -> None:
    saved = author.save(CLUSTER)
    worker.execute(saved["run"])
    answer = author.post(f"/s/{saved['id']}/v/1/operations/?ask=drain&nodes=n1")
    assert answer.status_code == 302
    made = Version.objects.order_by("-id").first()
    assert made is not None
    assert made.scenario.public_id in answer.headers["Location"]
    step = int(answer.headers["Location"].rsplit("#", 1)[1])
    events = list(engine.simulate(engine.read(store.text_of(made.pk))))
    cordoned = events[step]
    assert isinstance(cordoned, ObjectApplied)
    assert cordoned.name == "n1"
    assert "drain n1" in made.scenario.title
    run = made.runs.get()
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.outcome["pending"] == 1


def operated(author: Browser, run: str, question: dict[str, Any]) -> Any:
    return author.post_json(f"/api/v1/runs/{run}/operations", question=question)


def test_the_api_answers_the_same(author: Browser) -> None:
    saved = author.save(CLUSTER)
    worker.execute(saved["run"])
    found = operated(author, saved["run"], {"type": "drain", "nodes": ["n1"]}).json()
    assert [one["after"] for one in found["moved"]] == ["n2", "n3"]
    assert found["rounds"] == 2  # the budget allows one eviction at a time
    assert operated(author, saved["run"], {"type": "wish"}).status_code == 422
    kept = author.post_json(f"/api/v1/runs/{saved['run']}/operations/keep", question={"type": "lose", "zone": "a"})
    assert kept.status_code == 201
    assert kept.json()["url"].endswith(f"#{kept.json()['step']}")
    assert kept.json()["step"] > 0
    upgraded = author.get(f"/api/v1/runs/{saved['run']}/upgrade?to=1.31").json()
    assert (upgraded["before"], upgraded["after"], upgraded["decided"]) == ("1.36", "1.31", 3)
    assert author.get(f"/api/v1/runs/{saved['run']}/upgrade?to=0.1").status_code == 422
