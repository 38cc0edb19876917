"""The pages about autoscalers and the same over the API: the answer, the comparison, forks, refusals."""

import re
from typing import Any

import pytest
from django.test import Client

from kschedui.models import Version
from kschedui.runs import worker
from kschedui.scenarios import store
from kschedui.scenarios.access import Visitor
from tests.builders import Manifest, node, pod, scenario
from tests.core.autoscaling.builders import own
from tests.web.conftest import Browser, body_of


def group(name: str, cpu: int, *taints: str, **spec: Any) -> Manifest:
    return own("NodeGroup", name, **{"size": 0, "maximum": 5, **spec}, template=node("of", cpu=cpu, taints=taints))


PODS = [pod("a", cpu=3), pod("b", cpu=3), pod("huge", cpu=9)]
GROUPS = [group("small", 2, price=0.1), group("big", 4, price=0.5), group("kept", 16, "for=others:NoSchedule", price=2)]
CLUSTER = scenario(node("n1", cpu=1), *PODS, *GROUPS)
BARE = scenario(node("n1", cpu=4), pod("r", cpu=3, node="n1"), pod("w", cpu=2))


def page(text: str) -> str:
    made = store.create(Visitor(), text)
    return f"/s/{made.scenario.public_id}/v/{made.number}/autoscaling/"


@pytest.fixture
def address(db: None) -> str:
    return page(CLUSTER)


def seen(address: str, query: str = "", language: str = "en") -> str:
    answer = Client().get(address + query, headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_new_nodes_are_drawn_with_the_pods_that_got_them(address: str) -> None:
    found = seen(address)
    assert "2 nodes would be added, 1 an hour" in found
    drawn = re.search(r'<ul class="autoscaling-nodes">(.*?)</ul></li></ul>', found, re.DOTALL)
    assert drawn is not None
    assert re.findall(r"<b>([\w-]+)</b><ul><li>(\w+)</li>", drawn[1]) == [("big-1", "a"), ("big-2", "b")]
    assert "1 pod still waits" in found


def test_a_pod_that_gets_no_node_has_the_reason_of_each_group_and_what_would_help(address: str) -> None:
    found = seen(address)
    reasons = dict(re.findall(r"<dt>([\w-]+)</dt><dd><code>([^<]*)", found))
    assert reasons["big"] == "Insufficient cpu"
    assert reasons["kept"] == "node(s) had untolerated taint(s)"
    assert "the pod tolerates the taint for=others:NoSchedule" in found


def test_the_options_are_listed_with_the_one_that_was_chosen(address: str) -> None:
    found = seen(address)
    assert re.search(r"✓ chosen</td><th scope=\"row\">big</th><td>2</td><td>2</td>", found)


def test_one_pod_and_one_time_are_asked_about(address: str) -> None:
    found = seen(address, "?pod=a&autoscaler=karpenter")
    assert "a gets a new node of default" in found
    assert "small" in found
    assert "too small" in found
    assert "No node would be added" not in seen(address, "?at=0")


def test_a_scenario_without_an_autoscaler_gets_one_with_defaults(db: None) -> None:
    bare = page(BARE)
    for autoscaler in ("cluster-autoscaler", "karpenter"):
        found = seen(bare, f"?autoscaler={autoscaler}")
        assert "The scenario has no autoscaler." in found
        assert "1 node would be added" in found
        assert "n1" in found


def test_the_comparison_has_curves_and_the_same_numbers_as_a_table(address: str) -> None:
    found = seen(address + "comparison/")
    assert found.count('<path class="karpenter"') == 3
    assert re.search(r"Pods without a node at the end</th><td>1</td><td>1</td>", found)


@pytest.mark.parametrize("autoscaler", ["cluster-autoscaler", "karpenter"])
def test_both_runs_of_the_comparison_can_be_opened_and_have_its_numbers(author: Browser, autoscaler: str) -> None:
    saved = author.save(CLUSTER)
    worker.execute(saved["run"])
    compared = author.get(f"/api/v1/runs/{saved['run']}/autoscaling/comparison").json()["comparison"]
    outcome = next(outcome for outcome in compared["outcomes"] if outcome["actor"] == autoscaler)
    kept = {"autoscaler": autoscaler, "until": compared["seconds"]}
    answer = author.post(f"/s/{saved['id']}/v/1/autoscaling/", kept)
    assert answer.status_code == 302
    made = Version.objects.order_by("-id").first()
    assert made is not None
    run = made.runs.get()
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.outcome["pending"] == len(outcome["waiting"])
    events = body_of(author.get(f"/api/v1/runs/{run.public_id}/events")).decode()
    nodes = [line for line in events.splitlines() if '"ObjectApplied"' in line and '"kind":"Node"' in line]
    assert sum('"action":"create"' in line for line in nodes) == outcome["added"]


def test_the_api_answers_the_same(author: Browser) -> None:
    saved = author.save(CLUSTER)
    worker.execute(saved["run"])
    path = f"/api/v1/runs/{saved['run']}/autoscaling"
    found = author.get(path).json()
    assert (found["asked"], found["own"], found["price"]) == ("cluster-autoscaler", "cluster-autoscaler", 1.0)
    assert [pod["pod"] for pod in found["autoscaling"]["pods"]] == ["default/huge", "default/a", "default/b"]
    one = author.get(f"{path}?pod=default/huge&node=n1").json()["autoscaling"]
    assert (len(one["pods"]), one["nodes"][0]["reason"]) == (1, "NotAutoscaled")
    kept = author.post_json(f"{path}/keep", autoscaler="karpenter")
    assert kept.status_code == 201
    assert author.get(f"{path}?autoscaler=none").status_code == 422


@pytest.mark.parametrize("query", ["?autoscaler=hpa", "?pod=nobody", "?at=soon", "?at=-1", "?at=inf"])
def test_an_impossible_question_is_refused_with_a_sentence(address: str, query: str) -> None:
    answer = Client().get(address + query)
    assert answer.status_code == 422
    assert re.fullmatch(r"[A-Z].*\.", answer.context["sentence"])


def test_the_answer_comes_in_chinese(address: str) -> None:
    assert "将添加 2 个节点" in seen(address, "", "zh-hans")
    assert "累计费用" in seen(address + "comparison/", "", "zh-hans")
