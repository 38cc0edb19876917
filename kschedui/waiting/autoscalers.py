"""Messages of cluster-autoscaler and Karpenter, which `kubectl describe` prints beside those of the scheduler.

Their counts are node groups, not nodes. The wordings are those of the events of cluster-autoscaler (NotTriggerScaleUp,
TriggeredScaleUp) and of Karpenter (FailedScheduling, Nominated).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kschedui.waiting.message import unquote
from kschedui.waiting.reasons import reason_of
from scheduler_core.apis.messages import Message

CLUSTER_AUTOSCALER = "cluster-autoscaler"
KARPENTER = "Karpenter"

Say = Callable[[Message], str]


@dataclass(frozen=True)
class ForeignPart:
    """A reason. `count` of node groups, 0: it is that of `group`, or of the pod."""

    reason: str
    count: int = 0
    group: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class ForeignMessage:
    """A message of an autoscaler about a pod that waits."""

    source: str
    message: str
    meaning: str
    parts: list[ForeignPart] = field(default_factory=list)


END = r"(?=$|\n|\"|  +|\s+(?:Normal|Warning)\s)"
NO_SCALE_UP = re.compile(
    rf"pod didn't trigger scale-up(?: \(it wouldn't fit if a new node is added\))?(?::(.*?))?{END}"
)
SCALE_UP = re.compile(rf"pod triggered scale-up: \[(.*?)\]{END}")
KARPENTER_FAILED = re.compile(r"Failed to schedule pod, (.*?)(?=$|\n|  +|\s+(?:Normal|Warning)\s)")
NOMINATED = re.compile(r"Pod should schedule on: (\S+)")
COUNTED = re.compile(r"(?:^|, )(\d+) ")
POOL = re.compile(r"""(?:nodepool|provisioner|NodePool=)[: (]*(?:NodePool=)?"?(?P<name>[\w.-]+)"?""")

MEANINGS: tuple[tuple[str, Message], ...] = (
    (r"max node group size reached", Message("The node group is as large as its maximum allows.")),
    (
        r"in backoff after failed scale-up",
        Message("A scale-up of the node group failed recently; it is tried again later."),
    ),
    (
        r"max cluster .*limit reached.*|max total nodes in cluster reached",
        Message("A limit of the whole cluster is reached."),
    ),
    (
        r"(?:all available instance types exceed limits|.*exceeds? limits?).*",
        Message("The limits of the NodePool are reached."),
    ),
    (r"did not tolerate .*", Message("Nodes of this NodePool get a taint that the pod does not tolerate.")),
    (
        r"incompatible requirements.*",
        Message("The pod's node selector or affinity contradicts the NodePool's requirements."),
    ),
    (
        r"no instance type .*",
        Message("No machine of this NodePool meets all requirements and has room for the pod and the DaemonSet pods."),
    ),
    (r"unsatisfiable topology constraint.*", Message("A new node would break a topology constraint of the pod.")),
)
NOT_SCALED = Message("The counts are node groups, not nodes: more nodes of these groups would not help the pod.")
SCALED = Message("New nodes are on their way; the pod is tried again when they are ready.")
NOT_PROVISIONED = Message("The scheduler has found no node for the pod, and Karpenter can create none for it.")
ON_ITS_WAY = Message(
    "Karpenter creates a node for the pod, or expects one to become free; the scheduler still decides."
)


def foreign_messages(text: str, say: Say = str) -> list[ForeignMessage]:
    """All messages of autoscalers in a text, each once."""
    plain = re.sub(r"[ \t]*\n[ \t]+", " ", unquote(text))
    found = [*_of_cluster_autoscaler(plain, say), *_of_karpenter(plain, say)]
    return list({one.message: one for one in found}.values())


def _of_cluster_autoscaler(text: str, say: Say) -> Iterator[ForeignMessage]:
    for match in NO_SCALE_UP.finditer(text):
        reasons = (match[1] or "").strip().rstrip(".")
        starts = list(COUNTED.finditer(reasons))
        ends = [one.start() for one in starts[1:]] + [len(reasons)]
        parts = [
            _part(reasons[start.end() : end], say, count=int(start[1])) for start, end in zip(starts, ends, strict=True)
        ]
        yield ForeignMessage(CLUSTER_AUTOSCALER, match[0].strip(), say(NOT_SCALED), parts)
    for match in SCALE_UP.finditer(text):
        groups = [ForeignPart(one.strip("{} ")) for one in match[1].split("} {")]
        yield ForeignMessage(CLUSTER_AUTOSCALER, match[0], say(SCALED), groups)


def _of_karpenter(text: str, say: Say) -> Iterator[ForeignMessage]:
    for match in KARPENTER_FAILED.finditer(text):
        parts = []
        told = match[1].rstrip()
        told = told if told.count('"') % 2 == 0 else told[: told.rindex('"')]  # which ends a JSON string
        for one in told.split("; "):
            pool = POOL.search(one)
            reason = re.sub(r"incompatible with (?:nodepool|provisioner)[^,]*,\s*", "", one)
            reason = re.sub(r"daemonset overhead=\{.*?\},?\s*", "", reason).strip()
            parts.append(_part(reason or one, say, group=pool["name"] if pool else ""))
        yield ForeignMessage(KARPENTER, match[0].strip(), say(NOT_PROVISIONED), parts)
    for match in NOMINATED.finditer(text):
        yield ForeignMessage(KARPENTER, match[0], say(ON_ITS_WAY), [ForeignPart(match[1])])


def _part(reason: str, say: Say, *, count: int = 0, group: str = "") -> ForeignPart:
    known = reason_of(reason)
    meaning = next((words for pattern, words in MEANINGS if re.fullmatch(pattern, reason)), None)
    if meaning is None and known is not None:
        meaning = known.reason.meaning.message()
    return ForeignPart(reason, count, group, say(meaning) if meaning is not None else "")
