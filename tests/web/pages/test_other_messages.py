"""Messages of autoscalers and batch schedulers: complete, truncated, duplicated and shuffled."""

from __future__ import annotations

import json
import re
from random import Random
from time import process_time

import pytest

from kschedui.cli.main import main
from kschedui.waiting.decoded import in_words
from kschedui.waiting.message import messages, write_message
from kschedui.waiting.others import foreign_messages
from kschedui.web.pages.decoded import decode
from tests.web.conftest import Browser
from tests.web.pages.test_decoder import DESCRIBED, EVENTS, FULL, IN_JSON

FLOOR = 0.1  # seconds of processor time below which nothing is compared
CLUSTER_AUTOSCALER = {
    "bare": "Normal  NotTriggerScaleUp  3m  cluster-autoscaler  pod didn't trigger scale-up (it wouldn't fit if a new "
    "node is added)",
    "counted": "pod didn't trigger scale-up (it wouldn't fit if a new node is added): 1 max node group size reached, "
    "2 Insufficient cpu",
    "newer": "pod didn't trigger scale-up: 1 in backoff after failed scale-up, 3 node(s) had untolerated taint {a: b}",
    "scaled": "pod triggered scale-up: [{eks-a 1->2 (max: 5)} {eks-b 0->1 (max: 3)}]",
    "log": "I0211 15:35:46.498813       1 scale_up.go:288] Pod backup-2r6cr can't be scheduled on eks-a, predicate "
    "checking error: node(s) didn't match Pod's node affinity; predicateName=NodeAffinity; reasons: x; debugInfo=\n"
    "I0211 15:35:46.498845       1 scale_up.go:437] No pod can fit to eks-a\n"
    "I0211 15:35:46.498872       1 scale_up.go:441] No expansion options",
    "newer log": "I0910 10:11:12.131415       1 orchestrator.go:546] Pod shop/web-1 can't be scheduled on ng-2, "
    "predicate checking error: Insufficient cpu, Insufficient memory; predicateName=NodeResourcesFit; reasons: x; "
    "debugInfo=\nI0910 10:11:12.131416       1 orchestrator.go:153] Skipping node group ng-3 - max size reached\n"
    "W0910 10:11:12.131417       1 orchestrator.go:601] Node group ng-4 is not ready for scaleup - backoff",
    "JSON log": json.dumps({"ts": 1.5, "caller": "orchestrator.go:546", "msg": "Pod a/b can't be scheduled on ng, "
                            "predicate checking error: Too many pods; predicateName=NodeResourcesFit; reasons: x"}),
}  # fmt: skip
ERROR = (
    'incompatible with nodepool "default", daemonset overhead={"cpu":"629m","pods":"11"}, unsatisfiable topology '
    "constraint for pod affinity, key=kubernetes.io/hostname (counts = a: 0, b: 0, podDomains = c Exists); "
    'incompatible with nodepool "batch", daemonset overhead={"cpu":"629m"}, did not tolerate app=batch:NoSchedule'
)
KARPENTER = {
    "event": f"Failed to schedule pod, {ERROR}",
    "nominated": "Pod should schedule on: nodeclaim/default-abc, node/ip-10-0-0-1",
    "JSON log": json.dumps({"level": "ERROR", "message": "could not schedule pod", "commit": "4f41a6d", "error": ERROR,
                            "Pod": {"name": "api-1", "namespace": "api"}}),
    "text log": '2023-05-01T10:11:12.131Z\tERROR\tcontroller.provisioner\tCould not schedule pod, incompatible with '
    'provisioner "default", daemonset overhead={"cpu":"1"}, no instance type satisfied resources {"cpu":"9"} and '
    'requirements a In [b] (no instance type has enough resources)\t{"commit": "abc", "pod": "shop/web-1"}',
}  # fmt: skip
BATCH = {
    "gang": "3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; Pending: "
    "2 Unschedulable, 1 Undetermined",
    "quota": "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, "
    "2 more needed, untolerated taint {gpu present NoSchedule} in flavor gpu",
    "too large": "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor gpu, "
    "request > maximum capacity (8 > 4)",
    "no queue": "LocalQueue team-a doesn't exist",
}
SCHEDULER = {
    "full": FULL, "described": DESCRIBED, "events": EVENTS, "JSON": IN_JSON,
    "old": "No nodes are available that match all of the following predicates:: MatchInterPodAffinity (3).",
    "log": '"Unable to schedule pod; no fit; waiting" pod="a/b" err="0/3 nodes are available: 3 Too many pods."',
}  # fmt: skip
EVERY = {**{f"ca {name}": text for name, text in CLUSTER_AUTOSCALER.items()},
         **{f"karpenter {name}": text for name, text in KARPENTER.items()},
         **{f"batch {name}": text for name, text in BATCH.items()},
         **{f"scheduler {name}": text for name, text in SCHEDULER.items()}}  # fmt: skip


def reasons(text: str) -> list[tuple[str, str]]:
    """Return (group, reason) of all messages."""
    return [(part.group, part.reason) for message in foreign_messages(text) for part in message.parts]


@pytest.mark.parametrize("name", [name for name in EVERY if not name.startswith("scheduler")])
def test_each_message_is_known_and_has_a_meaning(name: str) -> None:
    found = foreign_messages(EVERY[name])
    assert found
    assert all(message.meaning for message in found)
    assert all(part.meaning for message in found for part in message.parts if "gang" not in message.message
               and "scale-up: [" not in message.message and "nodeclaim" not in part.reason)  # fmt: skip


def test_a_log_names_each_group_and_its_reason() -> None:
    assert reasons(CLUSTER_AUTOSCALER["log"]) == [("eks-a", "node(s) didn't match Pod's node affinity")]
    assert reasons(CLUSTER_AUTOSCALER["newer log"]) == [
        ("ng-2", "Insufficient cpu, Insufficient memory"),
        ("ng-3", "max node group size reached"),
        ("ng-4", "in backoff after failed scale-up"),
    ]
    assert reasons(CLUSTER_AUTOSCALER["JSON log"]) == [("ng", "Too many pods")]


@pytest.mark.parametrize("form", ["event", "JSON log"])
def test_each_pool_has_its_own_reason_in_events_and_logs(form: str) -> None:
    [first, second] = reasons(KARPENTER[form])
    assert first[0] == "default"
    assert first[1].startswith("unsatisfiable topology constraint for pod affinity")
    assert second == ("batch", "did not tolerate app=batch:NoSchedule")


def test_the_pod_of_a_log_line_is_named() -> None:
    assert "pod api/api-1" in foreign_messages(KARPENTER["JSON log"])[0].message
    [old] = foreign_messages(KARPENTER["text log"])
    assert "pod shop/web-1" in old.message
    assert old.parts[0].group == "default"
    assert old.parts[0].reason.startswith("no instance type satisfied resources")


def test_groups_that_were_not_judged_may_help_and_others_may_not() -> None:
    assert "more nodes of it may help" in foreign_messages(CLUSTER_AUTOSCALER["counted"])[0].meaning
    assert "more nodes of it may help" in foreign_messages(CLUSTER_AUTOSCALER["newer"])[0].meaning
    [judged] = foreign_messages("pod didn't trigger scale-up: 2 Insufficient cpu, 1 Insufficient memory")
    assert "would not help" in judged.meaning
    assert "gives no reason" in foreign_messages(CLUSTER_AUTOSCALER["bare"])[0].meaning


def mutilated(text: str, random: Random) -> str:
    """Return the text, truncated, duplicated, or with lines, words or characters in another order."""
    match random.randrange(6):
        case 0:
            return text[: random.randrange(len(text))]
        case 1:
            return text[random.randrange(len(text)) :]
        case 2:
            return text * 2
        case 3:
            words = text.split(" ")
            random.shuffle(words)
            return " ".join(words)
        case 4:
            at, to = sorted(random.choices(range(len(text)), k=2))
            return text[:at] + text[to:]
    letters = list(text)
    for _ in range(8):
        letters[random.randrange(len(letters))] = random.choice("{}[]()\"'0123456789,;:. \n\t/-")
    return "".join(letters)


@pytest.mark.parametrize("name", EVERY)
def test_every_decoder_takes_mutilated_messages(name: str) -> None:
    random = Random(name)
    for _ in range(300):
        text = mutilated(EVERY[name], random)
        if random.random() < 0.3:
            text += random.choice(("\n", " ", "")) + mutilated(random.choice(list(EVERY.values())), random)
        for message in messages(text):
            assert isinstance(write_message(message), str)
            assert in_words(message)["overlap"] >= 0
        assert all(found.message and found.source for found in foreign_messages(text))


@pytest.mark.parametrize("name", EVERY)
def test_the_command_and_the_page_take_whole_and_mutilated_messages(
    name: str, author: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    random = Random(name)
    for number in range(6):
        text = mutilated(EVERY[name], random) if number else EVERY[name]
        assert main(["decode", text or "-x"]) in (0, 2)
        assert isinstance(decode(text)["foreign"], list)
    assert "Traceback" not in capsys.readouterr().err
    assert author.post("/decode/", {"message": EVERY[name]}).status_code == 200


@pytest.mark.parametrize("name", EVERY)
def test_a_message_twice_is_one_message(name: str) -> None:
    once, twice = foreign_messages(EVERY[name]), foreign_messages(f"{EVERY[name]}\n{EVERY[name]}")
    assert [message.message for message in once] == [message.message for message in twice]
    assert [message.parts for message in once] == [message.parts for message in twice]


POOLS = [
    'incompatible with nodepool "gpu", daemonset overhead={"cpu":"370m"}, did not tolerate team=ml:NoSchedule',
    'incompatible with nodepool "spot", daemonset overhead={"cpu":"1"}, incompatible requirements, label "tier" does '
    "not have known values",
    'all available instance types exceed limits for nodepool: "large"',
]
POOL_NAMES = ["gpu", "spot", "large"]
ENTRY = {"level": "ERROR", "message": "could not schedule pod", "Pod": {"name": "a-1", "namespace": "shop"}}
CAUSES = [{"error": pool} for pool in POOLS]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({**ENTRY, "error": "; ".join(POOLS)}, indent=3),
        json.dumps({**ENTRY, "error": "; ".join(POOLS), "errorCauses": CAUSES}),
        json.dumps({**ENTRY, "error": "x", "errorCauses": [{"error": "y", "errorCauses": CAUSES}]}),
        f'"{json.dumps({"message": "Could not schedule pod, " + "; ".join(POOLS), "pod": "shop/a-1"})}"',
        f'ERROR controller Could not schedule pod, {"; ".join(POOLS)} {{"commit": "7", "pod": "shop/a-1"}}',
    ],
    ids=["JSON over several lines", "errorCauses", "nested errorCauses", "JSON in quotes", "text with JSON behind"],
)
def test_a_log_of_karpenter_is_read_in_each_form(text: str) -> None:
    (message,) = foreign_messages(text)
    assert message.message.startswith("could not schedule pod shop/a-1: ")
    assert [part.group for part in message.parts] == POOL_NAMES
    assert "taint" in message.parts[0].meaning
    assert "does not set" in message.parts[1].meaning


def test_a_fragment_of_karpenters_error_is_known() -> None:
    fragment = (
        '{"error":"no instance type met the scheduling requirements or had a required offering, requirements='
        'a In [b], topology.kubernetes.io/zone DoesNotExist, resources={\\"cpu\\":\\"4\\"}"}]}'
    )
    for text in (fragment, "no instance type satisfied resources {} and requirements zone DoesNotExist ()"):
        (message,) = foreign_messages(text)
        assert "no value left" in message.parts[0].meaning


def test_rows_of_events_are_not_joined() -> None:
    rows = (
        "Events:\n"
        "  Warning  Unschedulable  18s (x12 over 29s)  volcano  1/1 tasks in gang unschedulable: job is not ready, "
        "1 Pending, 1 minAvailable; Pending: 1 Unschedulable\n"
        "  Normal   Unschedulable  17s (x13 over 29s)  volcano  resource in cluster is overused\n"
        "  3m\t\t7s\t22\tcluster-autoscaler\t\tNormal\tNotTriggerScaleUp\tpod didn't trigger scale-up (it wouldn't fit "
        "if a new node is added)\n"
        "  4m\t\t0s\t17\tdefault-scheduler\tWarning\tFailedScheduling\tNo nodes are available\n"
        "| Normal | NotTriggerScaleUp | 3m | cluster-autoscaler | pod didn't trigger scale-up: 2 max limit reached |\n"
    )
    texts = {message.message for message in foreign_messages(rows)}
    assert texts == {
        "1/1 tasks in gang unschedulable: job is not ready, 1 Pending, 1 minAvailable; Pending: 1 Unschedulable",
        "resource in cluster is overused",
        "pod didn't trigger scale-up (it wouldn't fit if a new node is added)",
        "pod didn't trigger scale-up: 2 max limit reached",
    }
    assert ("", "Pending: 1 Unschedulable") in reasons(rows)
    assert ("", "max limit reached") in reasons(rows)
    of_a_form = rows.replace("\n", "\r\n")
    assert foreign_messages(of_a_form) == foreign_messages(rows)


@pytest.mark.parametrize(("exact", "word"), [("anti-affinity", "excludes"), ("affinity", "asks for")])
def test_the_more_exact_of_two_reasons_decides_the_meaning(exact: str, word: str) -> None:
    general = "node(s) didn't match pod affinity/anti-affinity"
    line = (
        f"Pod a can't be scheduled on ng, predicate checking error: {general}, node(s) didn't match pod {exact} rules"
    )
    (message,) = foreign_messages(line + "; predicateName=x")
    assert word in message.parts[0].meaning


def test_a_group_that_the_autoscaler_chose_is_named() -> None:
    log = "I1 scale_up.go:456] Best option to resize: ng-1\nI1 scale_up.go:460] Estimated 2 nodes\n"
    assert reasons(log) == [("", "ng-1")]
    misspelt = "I1 scale_up.go:441] No expansion optiions"
    assert [message.message for message in foreign_messages(misspelt)] == ["No expansion options"]


def test_refused_evictions_and_the_console_are_not_the_scheduler() -> None:
    drain = (
        'error when evicting pods/"a" (will retry after 5s): Cannot evict pod as it would violate the pod\'s '
        "disruption budget."
    )
    assert [message.source for message in foreign_messages(drain)] == ["kubectl drain"]
    (whole,) = foreign_messages("Cannot schedule pods: node(s) had volume node affinity conflict.")
    (cut,) = foreign_messages("Cannot schedule pods: Insufficient nvidia")
    assert whole.parts[0].meaning
    assert not cut.parts[0].meaning, "which resource it is, is cut away"


@pytest.mark.parametrize(
    "text",
    [
        "fit failure summary on nodes : MatchNodeSelector (2), PodToleratesNodeTaints (1)",
        "0/5 nodes are available: 1 NodeUnschedulable, 2 NodeNotReady, 1 MaxVolumeCount, 1 PodFitsHostPorts.",
    ],
)
def test_old_names_of_predicates_have_their_meaning_and_are_whole(text: str) -> None:
    (message,) = messages(text)
    words = in_words(message)
    assert all(row.meaning for row in words["rows"])
    assert not words["cut"]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_pasted_text_takes_time_in_proportion_to_its_length(name: str) -> None:
    """Each message many times over, and its most frequent part alone."""
    text = EVERY[name]
    tokens = re.findall(r"[\w']+|[^\w\s]", text)
    frequent = sorted(set(tokens), key=lambda token: (tokens.count(token), token))[-3:]
    line = text.replace("\n", " ")
    for unit in (text + "\n", line + " ", line + ", ", *(f"{token} " for token in frequent)):
        seconds = []
        for length in (20_000, 80_000):
            pasted = (text + "\n" + unit * (length // len(unit) + 1))[:length]
            begun = process_time()
            decode(pasted)
            seconds.append(process_time() - begun)
        assert seconds[1] < 10 * max(seconds[0], FLOOR), (unit, seconds)
