"""Pods that wait: the page that tells why, and the messages taken apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from kschedui.models import Chunk, Run
from kschedui.runs import frames, worker
from kschedui.scenarios import lessons
from kschedui.waiting import starter
from kschedui.waiting.message import Part, counts, decode
from kschedui.waiting.reasons import REASONS, preemption_meaning
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


CONDITION = {"type": "PodScheduled", "status": "False", "message": FULL}
IN_JSON = json.dumps({"kind": "Pod", "status": {"conditions": [CONDITION], "phase": "Pending"}}, indent=4)
EVENTS = f"""LAST SEEN   TYPE      REASON             OBJECT      MESSAGE
2m          Warning   FailedScheduling   pod/web-1   {FULL}
1m          Warning   FailedScheduling   pod/web-2   0/9 nodes are available: 9 Too many pods.
"""


@pytest.mark.parametrize("text", [FULL, DESCRIBED, FOLDED, OF_134, IN_JSON, EVENTS])
def test_a_message_is_taken_apart_wherever_it_stands(text: str) -> None:
    found = decode(text)
    assert found.total == 5
    assert [part.count for part in found.parts] == [1, 4]
    assert found.preemption is not None
    assert [part.count for part in found.preemption] == [1, 4]


def test_the_next_event_is_not_what_preemption_found() -> None:
    found = decode("a 0/2 nodes are available: 2 Insufficient cpu.\nb 0/9 nodes are available: 9 Too many pods.")
    assert (found.total, found.parts, found.preemption) == (2, [Part(2, "Insufficient cpu")], None)


def test_quotes_of_yaml_and_json_are_undone() -> None:
    said = "0/1 nodes are available: 1 node(s) didn't match pod affinity rules."
    assert decode("message: '" + said.replace("'", "''") + "'").parts == decode(said).parts
    claim = '0/1 nodes are available: persistentvolumeclaim "data" not found.'
    assert decode(json.dumps({"message": claim})).parts == decode(claim).parts


def test_who_may_not_evict_is_told() -> None:
    said = "preemption: not eligible due to preemptionPolicy=Never.."
    found = decode(f"0/3 nodes are available: 3 Insufficient cpu. {said}")
    assert found.preemption == [Part(0, "not eligible due to preemptionPolicy=Never")]
    assert found.rest == ""
    assert "evicts nobody" in str(preemption_meaning(found.preemption[0].reason))


@pytest.mark.parametrize("end", [FULL.index("cpu. ") - 8, FULL.index(", 4 Ins") + 8])
def test_a_message_that_is_cut_off_says_so(author: Browser, end: int) -> None:
    for mark in ("", " ...", "…"):
        page = author.post("/decode/", {"message": FULL[:end] + mark})
        assert page.context["cut"]
        assert [row.count for row in page.context["rows"]][:1] == [1]
    assert not author.post("/decode/", {"message": FULL.removesuffix(".")}).context["cut"]


def test_what_is_no_message_is_told(author: Browser) -> None:
    assert "There is no message of the scheduler" in author.post("/decode/", {"message": "hello"}).content.decode()


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
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match PersistentVolume's node affinity.",
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had no available volume zone.",
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't find available persistent volumes to bind.",
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) did not have enough free storage.",
    "0/3 nodes are available: 3 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).",
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) exceed max volume count.",
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had no available disk.",
    "0/3 nodes are available: 1 Insufficient cpu, 2 node has pod using PersistentVolumeClaim with the same name and "
    "ReadWriteOncePod access mode.",
    "0/3 nodes are available: 2 node(s) didn't match pod affinity/anti-affinity, 2 node(s) didn't match pod "
    "anti-affinity rules, 1 Insufficient cpu.",
    '0/3 nodes are available: persistentvolumeclaim "data" is being deleted.',
    '0/3 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv".',
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
