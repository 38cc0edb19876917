"""A FailedScheduling message taken apart: wordings of kube-scheduler 1.20 to 1.36, wherever it was copied from.

0/5 nodes are available: 1 node(s) were unschedulable, 4 Insufficient cpu. preemption: 0/5 nodes are available: ...
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

NODES = re.compile(r"0/(\d+) nodes are available:?")
PART = re.compile(r"(?:^|, )(\d+) (?=\S)")
END = re.compile(r"\.(?=[\s\"']|$)")
PREEMPTION = re.compile(r"preemption: *$")
NOT_ELIGIBLE = re.compile(r"preemption: (not eligible due to [\w =-]+|pod group for pod not found)")
CUT = re.compile(r"\s*(?:\.\.\.|\u2026)$")  # as an event is that would be too long
# Messages that count no nodes.
ALONE = re.compile(
    r"no nodes available to schedule pods"
    r"|Scheduling is blocked due to non-empty scheduling gates"
    r"|waiting for scheduling gates: \[[^\]]*\]"
    r"|waiting for ephemeral volume controller to create the persistentvolumeclaim \"[^\"]+\""
    r"|persistentvolumeclaim \"[^\"]+\" (?:not found|is being deleted|was not created for the pod"
    r"|bound to non-existent persistentvolume \"[^\"]*\")"
    r"|pod has unbound immediate PersistentVolumeClaims"
)


@dataclass(frozen=True)
class Part:
    """So many nodes, and the reason that they share. A count of 0: the reason is of the pod, not of single nodes."""

    count: int
    reason: str


@dataclass
class FailedMessage:
    """`total` nodes were there. `preemption`: what it said of evicting; None where it says nothing of that. `end`: "."
    where it is whole, "..." where a mark says that more followed, else "".
    """

    total: int = 0
    parts: list[Part] = field(default_factory=list)
    preemption: list[Part] | None = None
    rest: str = ""
    end: str = "."

    @property
    def understood(self) -> bool:
        return bool(self.parts)


def decode(text: str) -> FailedMessage:
    """The first message in a text, with what it says of preemption; without any, nothing is `understood`."""
    plain = unquoted(" ".join(text.split()))
    found = list(NODES.finditer(plain))
    first = next((one for one, match in enumerate(found) if not _of_preemption(plain, match)), None)
    if first is None:
        alone = ALONE.search(plain)
        return FailedMessage(parts=[Part(0, alone[0])] if alone else [])
    message = FailedMessage(total=int(found[first][1]))
    after = found[first + 1 : first + 2]
    body = plain[found[first].end() : after[0].start() if after else len(plain)]
    message.parts, rest, message.end = _sentence(body)
    message.rest = _rest(rest)
    if after and _of_preemption(plain, after[0]):
        end = found[first + 2].start() if first + 2 < len(found) else len(plain)
        message.preemption, _, message.end = _sentence(plain[after[0].end() : end])
    elif match := NOT_ELIGIBLE.search(rest):
        message.preemption = [Part(0, match[1].strip())]
        message.rest = _rest(rest[: match.start()])
    return message


def unquoted(text: str) -> str:
    """As it was before YAML or JSON quoted it."""
    return text.replace('\\"', '"').replace("\\u0026", "&").replace("''", "'")


def _of_preemption(text: str, match: re.Match[str]) -> bool:
    return PREEMPTION.search(text, 0, match.start()) is not None


def _sentence(body: str) -> tuple[list[Part], str, str]:
    """The parts of it, what follows it, and how it ends."""
    end = END.search(body)
    mark = CUT.search(body)
    if mark and (end is None or end.start() >= mark.start()):
        return _parts(body[: mark.start()].strip()), "", "..."
    if end is None:
        return _parts(body.removesuffix("preemption:").strip()), "", ""
    return _parts(body[: end.start()].strip()), body[end.end() :], "."


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


# Words of some releases for what the others say otherwise.
SAME = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"had (?:untolerated )?taints? \{[^}]*\}(?:,? that the pod didn't tolerate)?", "had untolerated taint(s)"),
        (r"had taints that the pod didn't tolerate", "had untolerated taint(s)"),
        (r"didn't match (?:node selector|Pod's node affinity)$", "didn't match Pod's node affinity/selector"),
        (r"had volume node affinity conflict", "didn't match PersistentVolume's node affinity"),
        (r"didn't match the requested hostname", "didn't match the requested node name"),
        (
            r"^node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
            "another pod",
        ),
        (r"^waiting for scheduling gates: .*", "Scheduling is blocked due to non-empty scheduling gates"),
    )
)


def in_any_release(reason: str) -> str:
    """A reason in words that do not depend on the release: to compare messages of two."""
    for pattern, words in SAME:
        reason = pattern.sub(words, reason)
    return reason


# Of 1.20 and 1.21, beside the one that says which of the two.
GENERAL = re.compile(r"node\(s\) didn't match pod affinity/anti-affinity(?: rules)?")


def exact(message: FailedMessage) -> list[Part]:
    """The parts without one that only says again, less exactly, what another says."""
    kept = [part for part in message.parts if not GENERAL.fullmatch(part.reason)]
    if any("affinity rules" in part.reason for part in kept):
        return kept
    named = "node(s) didn't match pod affinity rules"
    return [Part(part.count, named) if GENERAL.fullmatch(part.reason) else part for part in message.parts]


def counts(message: FailedMessage) -> Counter[str]:
    """Nodes by reason, in words that do not depend on the release."""
    found: Counter[str] = Counter()
    for part in exact(message):
        found[in_any_release(part.reason)] += part.count
    return found
