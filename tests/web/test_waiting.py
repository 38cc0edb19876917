"""Pods that wait: the page that tells why, and the messages taken apart."""

from pathlib import Path
from typing import Any

import pytest

from kschedui.models import Chunk, Run
from kschedui.runs import frames, worker
from kschedui.scenarios import lessons
from kschedui.waiting import starter
from kschedui.waiting.message import counts, decode
from kschedui.waiting.reasons import REASONS, reason_of
from scheduler_core import encode
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser

SAID = "0/3 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't tolerate, 2 Insufficient cpu."


def waiting(name: str, said: str = "", **more: Any) -> dict[str, Any]:
    made = pod(name, **more)
    if said:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
        made["status"] = {"phase": "Pending", "conditions": [condition]}
    return made


def page_of(author: Browser, *objects: dict[str, Any]) -> str:
    """The address of the page, of a run that is complete."""
    saved = author.save(scenario(*objects))
    worker.execute(Run.objects.get().public_id)
    return f"/s/{saved['id']}/v/1/pending/"


@pytest.fixture
def page(author: Browser) -> str:
    crowd = [waiting(f"crowd-{i:02}", cpu=9) for i in range(30)]
    objects = [node("n-16", cpu=4), node("n-17", cpu="4500m"), node("n-18", taints=["a=b:NoSchedule"])]
    gated = waiting("gated", gates=["example.com/wait"])
    return page_of(author, *objects, waiting("web", SAID, cpu=5), *crowd, gated)


def test_pods_stand_by_cause_with_the_nearest_nodes(author: Browser, page: str) -> None:
    found = author.get(page)
    groups = found.context["groups"]
    assert [(group["title"], group["count"]) for group in groups] == [("Too little cpu", 31), ("Scheduling gates", 1)]
    assert groups[0]["more"] == 11
    (first,) = author.get(f"{page}?q=default/web").context["groups"][0]["pods"]
    assert first["nearest"][0] == "short by 0.5 cpu on n-17"
    assert first["causes"][-1] == "2 nodes, NodeResourcesFit: Insufficient cpu"
    assert first["dumped"] == SAID
    assert first["why"] == [
        "That scheduler did not say what preemption found: it is older than 1.24, or preemption is off."
    ]


def test_the_link_goes_to_the_step_of_the_message(author: Browser, page: str) -> None:
    (row,) = author.get(f"{page}?q=default/web").context["groups"][0]["pods"]
    step = int(row["url"].split("#")[1].split("&")[0])
    event = encode(list(frames.events_of(Chunk.objects.get(seq=0).frame))[step - 1])
    assert b'"SchedulingFailed"' in event
    assert b'"default/web"' in event


def test_pods_are_found_by_name_and_by_message(author: Browser, page: str) -> None:
    assert author.get(f"{page}?q=crowd-07").context["found"] == 1
    assert author.get(f"{page}?q=taint+web").context["found"] == 1
    assert author.get(f"{page}?q=nobody").context["groups"] == []
    by_workload = author.get(f"{page}?by=workload&q=crowd").context["groups"]
    assert len(by_workload) == 30
    one = author.get(f"{page}?group=Too+little+cpu").context["groups"]
    assert [len(group["pods"]) for group in one] == [31]


def test_strangers_see_no_pods_of_a_private_scenario(author: Browser, stranger: Browser, page: str) -> None:
    author.post(f"/s/{page.split('/')[2]}/settings", {"title": "", "visibility": "private"})
    assert stranger.get(page).status_code == 403


def test_a_run_without_waiting_pods_says_so(author: Browser) -> None:
    assert "0 pods wait" in author.get(page_of(author, node("n1"), pod("a"))).content.decode()


FULL = (
    "0/5 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}, 4 Insufficient cpu. "
    "preemption: 0/5 nodes are available: 1 Preemption is not helpful for scheduling, "
    "4 No preemption victims found for incoming pod."
)
DESCRIBED = f"""Events:
  Type     Reason            Age                From               Message
  ----     ------            ----               ----               -------
  Warning  FailedScheduling  12s (x3 over 2m)   default-scheduler  {FULL}
"""
FOLDED = "    message: '" + FULL.replace("available: 1 node", "available:\n      1 node", 1) + "'\n"
OF_134 = FULL.replace(" preemption:", " no new claims to deallocate, preemption:")


@pytest.mark.parametrize("text", [FULL, DESCRIBED, FOLDED, OF_134])
def test_a_message_is_taken_apart_wherever_it_stands(text: str) -> None:
    found = decode(text)
    assert found.total == 5
    assert [part.count for part in found.parts] == [1, 4]
    assert found.preemption is not None
    assert [part.count for part in found.preemption] == [1, 4]


def test_what_is_no_message_is_told(author: Browser) -> None:
    assert "There is no message of the scheduler" in author.post("/decode/", {"message": "hello"}).content.decode()


WORDINGS = [
    "Insufficient cpu",
    "Insufficient nvidia.com/gpu",
    "Too many pods",
    "node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate",
    "node(s) had untolerated taint {dedicated: gpu}",
    "node(s) had untolerated taint(s)",
    "node(s) were unschedulable",
    "node(s) didn't match node selector",
    "node(s) didn't match Pod's node affinity",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't have free ports for the requested pod ports",
    "node(s) didn't match pod topology spread constraints",
    "node(s) didn't match pod topology spread constraints (missing required label)",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod affinity/anti-affinity",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
    "node(s) had volume node affinity conflict",
    "node(s) had no available volume zone",
    "node(s) didn't find available persistent volumes to bind",
    "node(s) exceed max volume count",
    "pod has unbound immediate PersistentVolumeClaims",
    'persistentvolumeclaim "data" not found',
]


@pytest.mark.parametrize("wording", WORDINGS)
def test_every_wording_of_kube_scheduler_is_known(wording: str) -> None:
    assert reason_of(wording) is not None


def test_every_lesson_that_is_named_is_there() -> None:
    folder = Path(lessons.__file__).parent
    assert all((folder / f"{reason.lesson}.yaml").is_file() for reason in REASONS if reason.lesson)


MESSAGES = [
    FULL,
    "0/6 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector, "
    "3 Insufficient memory.",
    "0/5 nodes are available: 3 Insufficient cpu, 4 Insufficient memory.",
    "0/4 nodes are available: 1 Too many pods, 1 node(s) didn't have free ports for the requested pod ports, "
    "2 node(s) didn't match pod anti-affinity rules.",
    "0/4 nodes are available: 4 node(s) didn't match pod topology spread constraints.",
    "0/4 nodes are available: 1 node(s) had untolerated taint {a: b}, "
    "3 node(s) didn't match pod topology spread constraints.",
    "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label), "
    "2 node(s) didn't match pod topology spread constraints.",
    "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.",
    "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.",
    "0/3 nodes are available: 2 node(s) had volume node affinity conflict, 1 Insufficient cpu.",
    "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
    '0/3 nodes are available: persistentvolumeclaim "data" not found.',
    "0/8 nodes are available: 2 Insufficient nvidia.com/gpu, 6 node(s) had taint {a: }, that the pod didn't tolerate.",
    "no nodes available to schedule pods",
]


@pytest.mark.parametrize("text", MESSAGES)
def test_the_starter_gets_the_same_message(text: str) -> None:
    message = decode(text)
    told = decode(starter.told_by(starter.starter(message)))
    assert told.total == message.total
    assert counts(told) == counts(message)


def test_the_starter_is_of_the_release_that_words_it_so() -> None:
    for text in MESSAGES[:2]:
        told = decode(starter.told_by(starter.starter(decode(text))))
        assert told.parts == decode(text).parts


def test_a_message_becomes_a_scenario_of_ones_own(author: Browser) -> None:
    found = author.post("/decode/", {"message": FULL})
    assert [(row.count, row.plugin, row.helps) for row in found.context["rows"]] == [
        (1, "TaintToleration", False),
        (4, "NodeResourcesFit", True),
    ]
    opened = author.post("/decode/", {"message": FULL, "open": "1"})
    assert opened.status_code == 302
    assert author.get(opened["Location"]).status_code == 200
