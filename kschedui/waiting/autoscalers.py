"""Messages of cluster-autoscaler and Karpenter, which `kubectl describe` prints next to those of the scheduler.

Their counts are node groups, not nodes. The wordings are those of the events of cluster-autoscaler (NotTriggerScaleUp,
TriggeredScaleUp) and of Karpenter (FailedScheduling, Nominated).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from kschedui.waiting.message import unquote
from kschedui.waiting.reasons import reason_of
from scheduler_core.apis.messages import Message

CLUSTER_AUTOSCALER = "cluster-autoscaler"
KARPENTER = "Karpenter"

Say = Callable[[Message], str]


class ForeignPart(msgspec.Struct, frozen=True):
    """A reason. `count` is a number of node groups; 0: the reason applies to `group`, or to the pod."""

    reason: str
    count: int = 0
    group: str = ""
    meaning: str = ""


class ForeignMessage(msgspec.Struct, frozen=True):
    """A message of an autoscaler about a pending pod."""

    source: str
    message: str
    meaning: str
    parts: list[ForeignPart] = []


NO_SCALE_UP, SCALE_UP = "pod didn't trigger scale-up", "pod triggered scale-up: ["
IF_ADDED = " (it wouldn't fit if a new node is added)"
KARPENTER_FAILED, NOMINATED = "Failed to schedule pod, ", "Pod should schedule on: "
# Where a message ends, by what printed it: kubectl's columns, events one after the other, and JSON.
END = re.compile(r"\n|  |\s(?:Normal|Warning)\s")
END_OF_STRING = re.compile(rf'"|{END.pattern}')
COUNTED = re.compile(r"(?:^|, )(\d+) ")
POOL = re.compile(r"""(?:nodepool|provisioner|NodePool=)[: (]*(?:NodePool=)?"?(?P<name>[\w.-]+)"?""")

MEANINGS: tuple[tuple[str, Message], ...] = (
    (r"^max node group size reached$", Message("The node group is as large as its maximum allows.")),
    (
        r"^in backoff after failed scale-up$",
        Message("A scale-up of the node group failed recently; it is tried again later."),
    ),
    (
        r"^max cluster .*limit reached|^max total nodes in cluster reached$",
        Message("A limit of the whole cluster is reached."),
    ),
    (r"exceeds? limit", Message("The limits of the NodePool are reached.")),
    (r"^did not tolerate ", Message("Nodes of this NodePool get a taint that the pod does not tolerate.")),
    (
        r"^incompatible requirements",
        Message("The pod's node selector or affinity contradicts the NodePool's requirements."),
    ),
    (
        r"^no instance type ",
        Message("No machine of this NodePool meets all requirements and has room for the pod and the DaemonSet pods."),
    ),
    (r"^unsatisfiable topology constraint", Message("A new node would break a topology constraint of the pod.")),
)
NOT_SCALED = Message("The counts are node groups, not nodes: more nodes of these groups would not help the pod.")
SCALED = Message("New nodes are on their way; the pod is tried again when they are ready.")
NOT_PROVISIONED = Message("The scheduler has found no node for the pod, and Karpenter can create none for it.")
ON_ITS_WAY = Message(
    "Karpenter creates a node for the pod, or expects one to become free; the scheduler still decides."
)


def foreign_messages(text: str, say: Say = str) -> list[ForeignMessage]:
    """Return all distinct messages of autoscalers in a text."""
    lines = "\n".join(line.rstrip(" \t") for line in unquote(text).split("\n"))
    plain = re.sub(r"\n[ \t]+", " ", lines)
    all_messages = [*_of_cluster_autoscaler(plain, say), *_of_karpenter(plain, say)]
    return list({message.message: message for message in all_messages}.values())


def _between(text: str, begin: str, end: re.Pattern[str]) -> list[str]:
    """Return the texts between each `begin` and the next `end`."""
    return [end.split(rest, maxsplit=1)[0] for rest in text.split(begin)[1:]]


def _of_cluster_autoscaler(text: str, say: Say) -> Iterator[ForeignMessage]:
    for message in _between(text, NO_SCALE_UP, END_OF_STRING):
        reasons = message.removeprefix(IF_ADDED).removeprefix(":").strip().rstrip(".")
        starts = list(COUNTED.finditer(reasons))
        ends = [start.start() for start in starts[1:]] + [len(reasons)]
        parts = [
            _part(reasons[start.end() : end], say, count=int(start[1])) for start, end in zip(starts, ends, strict=True)
        ]
        yield ForeignMessage(CLUSTER_AUTOSCALER, (NO_SCALE_UP + message).strip(), say(NOT_SCALED), parts)
    for message in _between(text, SCALE_UP, END_OF_STRING):
        inside = message.partition("]")[0]
        groups = [ForeignPart(entry.strip("{} ")) for entry in inside.split("} {")]
        yield ForeignMessage(CLUSTER_AUTOSCALER, f"{SCALE_UP}{inside}]", say(SCALED), groups)


def _of_karpenter(text: str, say: Say) -> Iterator[ForeignMessage]:
    for message in _between(text, KARPENTER_FAILED, END):
        message = message.rstrip()
        parts = []
        message = message if message.count('"') % 2 == 0 else message[: message.rindex('"')]  # which ends a JSON string
        for entry in message.split("; "):
            pool = POOL.search(entry)
            reason = _without(entry, "incompatible with nodepool", ",")
            reason = _without(reason, "incompatible with provisioner", ",")
            reason = _without(reason, "daemonset overhead={", "}").strip()
            parts.append(_part(reason or entry, say, group=pool["name"] if pool else ""))
        yield ForeignMessage(KARPENTER, KARPENTER_FAILED + message, say(NOT_PROVISIONED), parts)
    for message in _between(text, NOMINATED, END):
        if words := message.split():
            yield ForeignMessage(KARPENTER, NOMINATED + words[0], say(ON_ITS_WAY), [ForeignPart(words[0])])


def _without(text: str, begin: str, end: str) -> str:
    """Return the text without the part from `begin` to the next `end`, and the comma after it."""
    before, separator, rest = text.partition(begin)
    return before + rest.partition(end)[2].lstrip(" ,") if separator else text


def _part(reason: str, say: Say, *, count: int = 0, group: str = "") -> ForeignPart:
    known = reason_of(reason)
    meaning = next((words for pattern, words in MEANINGS if re.search(pattern, reason)), None)
    if meaning is None and known is not None:
        meaning = known.reason.meaning.message()
    return ForeignPart(reason, count, group, say(meaning) if meaning is not None else "")
