"""Creator and deletion of pods, and why a rollout is stuck, over the API."""

from __future__ import annotations

from typing import Any

import pytest

from kschedui.runs import worker
from tests.core.controllers.worlds import node, template, text, workload
from tests.web.conftest import Browser


@pytest.fixture
def history(author: Browser) -> str:
    """Return the address of the history of a run with a Deployment whose second revision does not fit on the node."""
    web = workload("Deployment", "web", template("web", "2"), replicas=2)
    large = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "v2"}]}}}}
    patch = {"at": 10, "patch": {"kind": "Deployment", "name": "web", "patch": large}}
    saved = author.save(text(node("n1", cpu="4"), web, events=[patch]))
    worker.execute(saved["run"])
    return f"/api/v1/runs/{saved['run']}/history"


def test_pods_of_a_workload_tell_who_made_them_and_why_its_rollout_stands_still(author: Browser, history: str) -> None:
    answer: dict[str, Any] = author.get(f"{history}?of=deploy/web").json()
    made = [pod["made"] for pod in answer["pods"]]
    assert len(made) == 3
    assert all("replicaset-controller made it: ReplicaSet web@" in sentence for sentence in made)
    assert any("0/1 nodes are available" in reason for reason in answer["rollouts"])
    assert answer["pods"][0]["rollout"] == answer["rollouts"]
    assert author.get(history).json() == {"pods": [], "rollouts": answer["rollouts"]}


def test_the_earlier_address_has_the_same_answer(author: Browser, history: str) -> None:
    earlier = history.removesuffix("history") + "lives"
    assert author.get(f"{earlier}?of=web").json() == author.get(f"{history}?of=web").json()


def test_a_pod_is_named_by_its_owner_and_number(author: Browser, history: str) -> None:
    by_number = author.get(f"{history}?of=web@2/0").json()["pods"]
    assert len(by_number) == 1
    assert author.get(f"{history}?of={by_number[0]['pod']}").json()["pods"] == by_number


def test_a_deleted_pod_tells_by_whom_and_what_took_its_place(author: Browser) -> None:
    web = workload("ReplicaSet", "web", replicas=1)
    saved = author.save(text(node("n1"), web, events=[{"at": 5, "delete": {"kind": "Pod", "name": "web/0"}}]))
    worker.execute(saved["run"])
    (pod,) = author.get(f"/api/v1/runs/{saved['run']}/history?of=web/0").json()["pods"]
    assert pod["deleted"] == "At 5 s kubectl deleted it: somebody asked for it."
    assert pod["replacedBy"] != pod["pod"]
    chinese = author.get(f"/api/v1/runs/{saved['run']}/history?of=web/0", HTTP_ACCEPT_LANGUAGE="zh-hans").json()
    assert "有人请求了它" in chinese["pods"][0]["deleted"]


def test_a_name_that_the_run_does_not_know_is_not_found(author: Browser, history: str) -> None:
    answer = author.get(f"{history}?of=nobody")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "The run has no pod or workload nobody."


def test_an_unfinished_run_is_refused(author: Browser) -> None:
    saved = author.save(text(node("n1")))
    assert author.get(f"/api/v1/runs/{saved['run']}/history").status_code == 409
