"""FailedScheduling messages from any source are decoded, and lead to scenarios that reproduce them."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kschedui.abouts import about_of
from kschedui.scenarios import lessons
from kschedui.waiting import starter
from kschedui.waiting.decoded import in_words
from kschedui.waiting.message import Part, counts, decode, messages, write_message
from kschedui.waiting.others import foreign_messages
from kschedui.waiting.reasons import known_reasons, note_meaning, preemption_meaning
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import DEFAULT_RELEASE
from tests.web.conftest import Browser
from tests.web.pages.test_scheduler_wordings import REASONS as WORDINGS

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


def test_a_line_of_the_schedulers_log_ends_with_its_message() -> None:
    line = "factory.go:462] Unable to schedule a/b: no fit: 0/1 nodes are available: 1 Too many pods.; waiting"
    assert (decode(line).parts, decode(line).rest) == ([Part(1, "Too many pods")], "")


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


def test_a_text_without_a_message_is_reported(author: Browser) -> None:
    assert "This text contains no scheduler message" in author.post("/decode/", {"message": "hello"}).content.decode()


@pytest.mark.parametrize(
    ("said", "lesson"), [("appear in scheduling queue", "gang-waits"), ("be scheduled", "gang-too-big")]
)
def test_a_message_of_a_gang_leads_to_the_lesson_that_shows_it(author: Browser, said: str, lesson: str) -> None:
    page = author.post("/decode/", {"message": f"waiting for minCount pods from a gang to {said}"})
    assert f'href="/library/{lesson}/"' in page.content.decode()


def test_every_lesson_that_is_named_is_there() -> None:
    folder = Path(lessons.__file__).parent
    named = {known.reason.lesson for known in known_reasons()} - {""}
    assert all((folder / f"{lesson}.yaml").is_file() for lesson in named)


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
    decoded = decode(starter.simulated_message(starter.starter(message).text))
    assert decoded.total == message.total
    assert counts(decoded) == counts(message)


def test_the_starter_is_of_the_release_that_words_it_so() -> None:
    for text in MESSAGES[:2]:
        decoded = decode(starter.simulated_message(starter.starter(decode(text)).text))
        assert decoded.parts == decode(text).parts


def test_a_message_becomes_a_scenario_of_ones_own(author: Browser) -> None:
    found = author.post("/decode/", {"message": FULL})
    assert [(row.count, row.plugin, row.tried) for row in found.context["rows"]] == [
        (1, "TaintToleration", False),
        (4, "NodeResourcesFit", True),
    ]
    opened = author.post("/decode/", {"message": FULL, "open": "1"})
    assert opened.status_code == 302
    assert author.get(opened["Location"]).status_code == 200


@pytest.mark.parametrize("reason", sorted({row[3] for row in WORDINGS} - {"no nodes available to schedule pods"}))
def test_whatever_a_plugin_says_of_nodes_has_a_starter(reason: str) -> None:
    message = decode(f"0/3 nodes are available: 1 Insufficient cpu, 2 {reason}.")
    made = starter.starter(message)
    assert starter.likeness(starter.simulated_message(made.text), message) > 0


def reasons_with_a_starter() -> Iterator[Any]:
    """Yield each reason of the default plugins that has a starter scenario and a constant text."""
    for plugin in (REGISTRY[default.name] for default in DEFAULT_RELEASE.default_plugins):
        for reason in about_of(plugin).reasons:
            words = reason.pattern.replace("\\", "")
            if reason.starter and reason.about_nodes and "(?" not in words and re.fullmatch(reason.pattern, words):
                yield pytest.param(words, id=f"{plugin.name}: {words}")


@pytest.mark.parametrize("reason", [*reasons_with_a_starter()])
def test_the_plugin_gives_its_reason_in_the_starter_of_the_reason(reason: str) -> None:
    made = starter.starter(decode(f"0/3 nodes are available: 3 {reason}."))
    assert not made.stand_ins, (
        f'no plugin gives the reason "{reason}" in its starter; compare the words and the starter'
    )


OWN = (
    "node(s) had volume node affinity conflict",
    "node(s) didn't match scheduler-enforced node affinity",
    "node(s) didn't satisfy plugin(s) [NodeAffinity]",
    "Insufficient hugepages-2Mi",
)


def test_an_extender_stands_in_only_for_what_is_not_simulated(author: Browser) -> None:
    for reason in OWN:
        made = starter.starter(decode(f"0/3 nodes are available: 3 {reason}."))
        assert made.text
        assert made.stand_ins == []
    for reason in ("cannot allocate all claims", "node(s) didn't match the requested node name", "rack is too warm"):
        said_by_extender = f"0/3 nodes are available: 1 Insufficient cpu, 2 {reason}."
        assert starter.starter(decode(said_by_extender)).stand_ins == [reason]
        page = author.post("/decode/", {"message": said_by_extender}).content.decode()
        assert "An example extender reports it instead" in page
    assert "an out-of-tree plugin or an extender" in page


ALONE = {
    "waiting for scheduling gates: [example.com/a example.com/b]": "schedulingGates",
    "waiting for minCount pods from a gang to appear in scheduling queue": "schedulingGroup",
    "0/3 nodes are available: pod affinity terms conflict.": "nodeAffinity",
}


@pytest.mark.parametrize("text", ALONE)
def test_what_is_said_of_the_pod_alone_has_a_starter_too(text: str) -> None:
    made = starter.starter(decode(text))
    assert starter.simulated_message(made.text)
    assert ALONE[text] in made.text


def test_the_scenario_of_a_message_has_a_title_in_the_language_of_the_page(author: Browser) -> None:
    message = {"message": "0/3 nodes are available: 3 Insufficient cpu."}
    titles = {"en": "A pod that waits, as its message says", "zh-hans": "像消息所说那样等待的 Pod"}
    for language, title in titles.items():
        assert title in author.post("/decode/", message, headers={"Accept-Language": language}).content.decode()


MISSING_CLAIMS = (
    'could not find ResourceClaim "default/gpu"',
    'resourceclaim "gpu" not found',
    'resourceclaim.resource.k8s.io "gpu" not found',
    'resourceclaims.resource.k8s.io "gpu" not found',
)


@pytest.mark.parametrize("reason", MISSING_CLAIMS)
def test_a_missing_resource_claim_is_known_without_the_name_of_its_plugin(reason: str) -> None:
    for text in (
        reason,
        f"  Warning  FailedScheduling  5s  default-scheduler  {reason}",
        f"0/3 nodes are available: {reason}.",
    ):
        (row,) = in_words(decode(text))["rows"]
        assert (row.reason, row.plugin) == (reason, "DynamicResources")
        assert "does not exist" in row.meaning
    made = starter.starter(decode(reason))
    assert starter.simulated_message(made.text) == 'could not find ResourceClaim "default/gpu"'


def test_a_starter_never_has_another_reason() -> None:
    made = starter.starter(decode('persistentvolumeclaim "data" not found'))
    assert 'persistentvolumeclaim "data" not found' in starter.simulated_message(made.text)
    assert (
        starter.likeness("no nodes available to schedule pods", decode('persistentvolumeclaim "data" not found')) == 0
    )


ELSEWHERE = {
    "0/3 nodes are available: Insufficient cpu (3).": [Part(3, "Insufficient cpu")],
    "No nodes are available that match all of the following predicates:: Insufficient cpu (3), Too many pods (1).": [
        Part(3, "Insufficient cpu"),
        Part(1, "Too many pods"),
    ],
    " 0/5  nodes are\n available:1 Too many pods,4 Insufficient   cpu.": [
        Part(1, "Too many pods"),
        Part(4, "Insufficient cpu"),
    ],
    'error while running "VolumeBinding" filter plugin for pod "web": pod has unbound immediate '
    "PersistentVolumeClaims": [Part(0, "pod has unbound immediate PersistentVolumeClaims")],
    'err="0/3 nodes are available: 3 Too many pods."': [Part(3, "Too many pods")],
    "0/3 nodes are available: 3 Too many pods. no new claims to deallocate.": [Part(3, "Too many pods")],
}


@pytest.mark.parametrize("text", ELSEWHERE)
def test_odd_spacing_and_old_wordings_are_read(text: str) -> None:
    assert decode(text).parts == ELSEWHERE[text]


ERRORS = [
    'running PreBind plugin "VolumeBinding": binding volumes: timed out waiting for the condition',
    'running PreFilter plugin "DynamicResources": claim not found',
    'pod "web" rejected while waiting on permit: rejected due to timeout after waiting 10s at plugin Coscheduling',
    "skip schedule deleting pod: default/a",
]


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_of_a_plugin_is_explained_and_has_no_scenario(author: Browser, text: str) -> None:
    page = author.post("/decode/", {"message": f"Warning  FailedScheduling  3s  mine  {text}"})
    (row,) = page.context["rows"]
    assert row.meaning
    assert "No example cluster is available for this message" in page.content.decode()


def test_a_plugin_s_note_is_explained_and_the_next_line_is_no_note(author: Browser) -> None:
    assert decode(OF_134).rest == "no new claims to deallocate"
    assert note_meaning(decode(OF_134).rest)
    assert decode(DESCRIBED + "  Normal  NotTriggerScaleUp  2s  cluster-autoscaler  no room\n").rest == ""
    assert [one.rest for one in messages(EVENTS)] == ["", ""]


def test_several_messages_are_listed_and_each_can_be_explained(author: Browser) -> None:
    page = author.post("/decode/", {"message": EVENTS + EVENTS})
    assert page.context["others"] == ["0/9 nodes are available: 9 Too many pods."]
    again = author.post("/decode/", {"message": page.context["others"][0]})
    assert [row.reason for row in again.context["rows"]] == ["Too many pods"]
    assert write_message(decode(FULL)) == FULL


ODD = ["0/3 nodes are available: ", ".", ", ", '"', "{", "(3)", "9" * 30, "...", "preemption: ", "%s", "\n", "\\"]


def test_no_text_however_odd_is_a_failure(author: Browser) -> None:
    draw = random.Random(1)
    texts = ["0/0 nodes are available: .", f"0/{'9' * 5000} nodes are available: 1 a.", SPREAD]
    for _ in range(25):
        letters = list(draw.choice(MESSAGES))
        for _ in range(4):
            letters[draw.randrange(len(letters))] = draw.choice(ODD)
        texts.append("".join(letters))
    for text in texts:
        assert author.post("/decode/", {"message": text}).status_code == 200, text


SPREAD = "0/3 nodes are available: node(s) didn't match pod topology spread constraints."


OF_RELEASES = [  # the result of preemption and its wording depend on the release
    "0/12 nodes are available: 12 Insufficient cpu. preemption: 0/12 nodes are available: "
    "12 No preemption victims found for incoming pod.",
    "0/12 nodes are available: 12 Insufficient cpu. preemption: 0/12 nodes are available: "
    "12 No preemption victims found for incoming pod..",
    "0/5 nodes are available: 5 Insufficient cpu. no new claims to deallocate, preemption: 0/5 nodes are available: "
    "5 Preemption is not helpful for scheduling.",
    "0/5 nodes are available: 1 node(s) had untolerated taint(s), 4 Insufficient cpu. no new claims to deallocate, "
    "preemption: 0/5 nodes are available: 1 Preemption is not helpful for scheduling, 4 No preemption victims found "
    "for incoming pod.",
]


@pytest.mark.parametrize("text", OF_RELEASES)
def test_the_starter_gets_the_very_message(text: str) -> None:
    assert starter.simulated_message(starter.starter(decode(text)).text) == text


@pytest.mark.parametrize("text", OF_RELEASES)
def test_what_preemption_found_is_not_contradicted(text: str, author: Browser) -> None:
    page = author.post("/decode/", {"message": text}).content.decode()
    assert "Possibly: pods with a lower priority" not in page
    assert "No: the result of preemption is shown below." in page


DECLINED = "pod didn't trigger scale-up: 1 max node group size reached, 2 node(s) had untolerated taint {a: b}"
NO_POOL = (
    'Failed to schedule pod, incompatible with nodepool "spot", daemonset overhead={"cpu":"150m","pods":"2"}, '
    'did not tolerate dedicated=dev:NoSchedule; all available instance types exceed limits for nodepool: "big"'
)


@pytest.mark.parametrize("within", ["{}", "  Warning  FailedScheduling  46s  x  {}\n  Normal  Other  1s  y  else\n"])
def test_an_autoscalers_message_is_not_the_schedulers(within: str, author: Browser) -> None:
    [declined] = foreign_messages(within.format(DECLINED))
    assert (declined.source, [part.count for part in declined.parts]) == ("cluster-autoscaler", [1, 2])
    assert all(part.meaning for part in declined.parts)
    [failed] = foreign_messages(within.format(NO_POOL))
    assert failed.source == "Karpenter"
    assert [(part.group, part.reason) for part in failed.parts] == [
        ("spot", "did not tolerate dedicated=dev:NoSchedule"),
        ("big", 'all available instance types exceed limits for nodepool: "big"'),
    ]
    page = author.post("/decode/", {"message": within.format(NO_POOL)}).content.decode()
    assert "Message of Karpenter, not of the scheduler" in page
    assert "contains no scheduler message" not in page


def test_a_json_string_ends_where_it_ends() -> None:
    [failed] = foreign_messages(json.dumps({"message": NO_POOL}))
    assert failed.parts[-1].group == "big"


def test_what_a_described_pod_asks_for_and_other_warnings_stand_beside_the_message(author: Browser) -> None:
    text = f"""Name:             checkout
Namespace:        shop
Node:             <none>
Containers:
  main:
    Image:      shop/checkout:1
    Requests:
      cpu:        1500m
Node-Selectors:   disktype=ssd
{DESCRIBED}  Warning  FailedMount       1m    kubelet            Unable to attach or mount volumes
"""
    page = author.post("/decode/", {"message": text}).content.decode()
    assert "shop/checkout" in page
    assert "<b>cpu: 1500m</b>" in page
    assert "<b>disktype=ssd</b>" in page
    assert "FailedMount (kubelet): Unable to attach or mount volumes" in page
    assert page.index('id="parts"') < page.index('id="read"')
