"""The page that explains why pods are pending."""

from typing import Any
from urllib.parse import quote

import pytest

from kschedui.models import Chunk, Run
from kschedui.runs import frames, worker
from kschedui.web.pages.analysis.pending_groups import MOST, OTHERS
from scheduler_core import encode
from tests.builders import node, pod, scenario
from tests.core.controllers.worlds import node as live_node
from tests.core.controllers.worlds import template, text, workload
from tests.web.conftest import Browser

SAID = "0/3 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't tolerate, 2 Insufficient cpu."


def waiting(name: str, said: str = "", **more: Any) -> dict[str, Any]:
    made = pod(name, **more)
    if said:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
        made["status"] = {"phase": "Pending", "conditions": [condition]}
    return made


def page_of(author: Browser, *objects: dict[str, Any]) -> str:
    """Save a scenario of these objects, run it to its end, and return the address of its page of pending pods."""
    saved = author.save(scenario(*objects))
    worker.execute(Run.objects.get().public_id)
    return f"/s/{saved['id']}/v/1/pending/"


SHORT = "Too little cpu. On other nodes: Taints that it does not tolerate"


@pytest.fixture
def page(author: Browser) -> str:
    crowd = [waiting(f"crowd-{i:02}", cpu=9) for i in range(30)]
    objects = [node("n-16", cpu=4), node("n-17", cpu="4500m"), node("n-18", taints=["a=b:NoSchedule"])]
    gated = waiting("gated", gates=["example.com/wait"])
    return page_of(author, *objects, waiting("web", SAID, cpu=5), *crowd, gated)


def test_pods_stand_by_cause_with_the_nearest_nodes(author: Browser, page: str) -> None:
    found = author.get(page)
    groups = found.context["groups"]
    assert [(group["title"], group["count"]) for group in groups] == [(SHORT, 31), ("Scheduling gates", 1)]
    assert groups[0]["more"] == 11
    (first,) = author.get(f"{page}?q=default/web").context["groups"][0]["pods"]
    assert first["nearest"][0] == "n-17: Request 4.5 cpu instead of 5"
    assert first["causes"][-1] == "2 nodes, NodeResourcesFit: Insufficient cpu"
    assert first["dumped"] == SAID
    assert first["why"] == [
        "That scheduler did not report the result of preemption: it is older than 1.24, or preemption is off."
    ]


def test_the_link_goes_to_the_step_of_the_message(author: Browser, page: str) -> None:
    (row,) = author.get(f"{page}?q=default/web").context["groups"][0]["pods"]
    step = int(row["url"].split("#")[1].split("&")[0])
    assert row["ask"].endswith(f"#{step}")
    event = encode(list(frames.events_of(Chunk.objects.get(seq=0).frame))[step])
    assert b'"SchedulingFailed"' in event
    assert b'"default/web"' in event


def test_pods_are_found_by_name_and_by_message(author: Browser, page: str) -> None:
    assert author.get(f"{page}?q=crowd-07").context["matching"] == 1
    assert author.get(f"{page}?q=taint+web").context["matching"] == 1
    assert author.get(f"{page}?q=nobody").context["groups"] == []
    by_workload = author.get(f"{page}?by=workload&q=crowd").context["groups"]
    assert len(by_workload) == 30
    one = author.get(f"{page}?group={quote(SHORT)}").context["groups"]
    assert [len(group["pods"]) for group in one] == [31]
    odd = author.get(f"{page}?group=nonsense").context
    assert (odd["group"], sum(group["count"] for group in odd["groups"])) == ("", odd["matching"])


def test_strangers_see_no_pods_of_a_private_scenario(author: Browser, stranger: Browser, page: str) -> None:
    author.post(f"/s/{page.split('/')[2]}/settings", {"title": "", "visibility": "private"})
    assert stranger.get(page).status_code == 403


def test_a_run_without_waiting_pods_says_so(author: Browser) -> None:
    assert "0 pods are pending" in author.get(page_of(author, node("n1"), pod("a"))).content.decode()


def test_pods_of_a_workload_that_wait_for_the_same_reason_stand_together(author: Browser) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "u", "controller": True}
    crowd = [waiting(f"web-{i}", cpu=9) for i in range(7)]
    for one in crowd:
        one["metadata"]["ownerReferences"] = [owner]
    crowd[6]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "8"
    address = page_of(author, node("n1", cpu=4), *crowd, waiting("other", cpu=9))
    (group,) = author.get(address).context["groups"]
    assert group["count"] == 8
    assert [len(row["others"]) for row in group["pods"]] == [5, 0, 0]
    assert "and 5 pods of the same workload, for the same reason" in author.get(address).content.decode()
    links = [row["url"] for row in [group["pods"][0], *group["pods"][0]["others"]]]
    assert len(set(links)) == 6


def test_an_attempt_without_a_verdict_on_a_node_is_not_said_to_be_missing(author: Browser) -> None:
    (group,) = author.get(page_of(author, pod("web"))).context["groups"]
    assert group["title"] == "Its last attempt failed: no nodes available to schedule pods"


def test_a_page_has_an_upper_limit_of_pods(author: Browser) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "u", "controller": True}
    alike = [waiting(f"web-{i}", cpu=9) for i in range(OTHERS + 3)]
    for one in alike:
        one["metadata"]["ownerReferences"] = [owner]
    address = page_of(author, node("n1", cpu=4), *alike, *(waiting(f"own-{i}", cpu=9) for i in range(MOST + 4)))
    found = author.get(address)
    (group,) = found.context["groups"]
    assert (len(group["pods"]), found.context["hidden"]) == (MOST, 5)
    first = group["pods"][0]
    assert (first["count"], len(first["others"]), first["more"]) == (OTHERS + 2, OTHERS, 2)
    assert "5 more pods are not shown" in found.content.decode()
    by_workload = author.get(f"{address}?by=workload").context
    assert [len(group["pods"]) for group in by_workload["groups"]] == [1] * MOST
    assert by_workload["hidden"] == 5


def test_pods_that_a_deployment_made_in_the_run_are_grouped_by_it(author: Browser) -> None:
    web = workload("Deployment", "web", template("web", "3"), replicas=3)
    saved = author.save(text(live_node("n1"), web))
    worker.execute(saved["run"])
    page = author.get(f"/s/{saved['id']}/v/1/pending/?by=workload")
    assert [(group["key"], group["count"]) for group in page.context["groups"]] == [("default/Deployment/web", 2)]
    assert "Rollouts that stand still" in page.content.decode()
