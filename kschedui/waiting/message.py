"""A FailedScheduling message taken apart: wordings of kube-scheduler 1.20 to 1.36, also out of `kubectl describe`.

0/5 nodes are available: 1 node(s) were unschedulable, 4 Insufficient cpu. preemption: 0/5 nodes are available: ...
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

NODES = re.compile(r"0/(\d+) nodes are available:?")
PART = re.compile(r"(?:^|, )(\d+) (?=\S)")
END = re.compile(r"\.(?=\s|$)")
PREEMPTION = re.compile(r"preemption: *$")
NO_NODES = "no nodes available to schedule pods"
GATES = re.compile(r"Scheduling is blocked due to non-empty scheduling gates")


@dataclass(frozen=True)
class Part:
    """So many nodes, and the reason that they share. A count of 0: the reason is of the pod, not of single nodes."""

    count: int
    reason: str


@dataclass
class FailedMessage:
    """`total` nodes were there. `preemption`: what it said of evicting; None where it says nothing of that."""

    total: int = 0
    parts: list[Part] = field(default_factory=list)
    preemption: list[Part] | None = None
    rest: str = ""

    @property
    def understood(self) -> bool:
        return bool(self.parts)


def decode(text: str) -> FailedMessage:
    """The message in a text; without any, nothing is `understood`."""
    plain = " ".join(text.split())
    found = list(NODES.finditer(plain))
    if not found:
        return _without_nodes(plain)
    message = FailedMessage(total=int(found[0][1]))
    for index, match in enumerate(found[:2]):
        limit = found[index + 1].start() if index + 1 < len(found) else len(plain)
        body = plain[match.end() : limit]
        end = END.search(body)
        reasons = body[: end.start()] if end else body.removesuffix("preemption:")
        parts = _parts(reasons.strip().removesuffix(".").strip())
        before = plain[: match.start()]
        if index == 0 and not PREEMPTION.search(before):
            message.parts = parts
            message.rest = _rest(body[end.end() :] if end else "")
        else:
            message.preemption = parts
    return message


def _without_nodes(plain: str) -> FailedMessage:
    if NO_NODES in plain:
        return FailedMessage(parts=[Part(0, NO_NODES)])
    if match := GATES.search(plain):
        return FailedMessage(parts=[Part(0, match[0])])
    return FailedMessage()


def _parts(text: str) -> list[Part]:
    """ "1 a, 4 b" or, of the pod as a whole, "a"."""
    starts = list(PART.finditer(text))
    if not starts or starts[0].start() > 0:
        return [Part(0, text)] if text else []
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return [Part(int(match[1]), text[match.end() : end]) for match, end in zip(starts, ends, strict=True)]


def _rest(text: str) -> str:
    """What stands between the two sentences: notes of other plugins."""
    return text.strip().removesuffix("preemption:").strip().strip(",.").strip()


TAINT = re.compile(r"had (?:untolerated )?taints? \{[^}]*\}(?:,? that the pod didn't tolerate)?")


def in_any_release(reason: str) -> str:
    """A reason in words that do not depend on the release: to compare messages of two."""
    reason = TAINT.sub("had untolerated taint(s)", reason)
    if reason in ("node(s) didn't match node selector", "node(s) didn't match Pod's node affinity"):
        return "node(s) didn't match Pod's node affinity/selector"
    return reason.replace("had volume node affinity conflict", "didn't match PersistentVolume's node affinity")


def counts(message: FailedMessage) -> Counter[str]:
    """Nodes by reason, in words that do not depend on the release."""
    found: Counter[str] = Counter()
    for part in message.parts:
        found[in_any_release(part.reason)] += part.count
    return found
