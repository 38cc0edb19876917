"""Parses FailedScheduling messages of kube-scheduler 1.20 to 1.36, wherever they were copied from.

0/5 nodes are available: 1 node(s) were unschedulable, 4 Insufficient cpu. preemption: 0/5 nodes are available: ...
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import msgspec

NUMBER = r"\d{1,7}"
NODES = re.compile(rf"0 ?/ ?({NUMBER}) nodes are (?:un)?available:?")
PART = re.compile(rf"(?:^|, ?)({NUMBER}) (?=\S)")
# Up to 1.9: "Insufficient cpu (3), MatchNodeSelector (2)", of an unknown number of nodes.
OLD = re.compile(
    r"No nodes are available that match all of the (?:following )?predicates:*|fit failure summary on nodes ?:"
)
OLD_HEADING = "No nodes are available that match all of the predicates:"
COUNTED_BEHIND = re.compile(rf"(?:^|, ?)([^,()]+(?:\(s\)[^,()]*)?) \(({NUMBER})\)")
END = re.compile(r"\.(?=[\s\"'`]|$)")
DOUBLED = re.compile(r"[^.]\.\.(?=[\s\"'`]|$)")
IN_A_LOG = re.compile(r"; (?:waiting|retrying)(?=\s|$)")  # behind the message in the scheduler's log
PREEMPTION = re.compile(r"preemption: *$")
NOT_ELIGIBLE = re.compile(r"preemption: (not eligible due to [\w =-]+|pod group for pod not found)")
CUT = re.compile(r"(?:\.\.\.|\u2026)$")  # as an event is that would be too long
NOTES = re.compile(r"no new claims to deallocate|still not schedulable|plugin disabled")
POINT = r"(?:PreFilter|Filter|PostFilter|PreScore|Score|Reserve|Permit|PreBind|Bind|(?:AddPod|RemovePod) on PreFilter)"
# Messages that count no nodes.
ALONE = re.compile(
    r"no nodes available to schedule pods"
    r"|Scheduling is blocked due to non-empty scheduling gates"
    r"|waiting for scheduling gates: \[[^\[\]]*\]"
    r"|waiting for minCount pods from a gang to (?:appear in scheduling queue|be scheduled)"
    rf"|running {POINT} plugin \"?\w+\"?: .{{1,400}}"
    r"|running \"?\w+\"? filter plugin(?: for pod \"[^\"]+\")?: .{1,400}"
    r"|(?:rejected p|p)od \"[^\"]+\" (?:rejected while waiting on permit|by permit plugin \"?\w+\"?): .{1,400}"
    r"|rejected due to timeout after waiting \S+ at plugin \w+|binding rejected: .{1,400}"
    r"|skip schedule deleting pod: \S+"
    r"|waiting for ephemeral volume controller to create the persistentvolumeclaim \"[^\"]+\""
    r"|persistentvolumeclaim \"[^\"]+\" (?:not found|is being deleted|was not created for the pod"
    r"|bound to non-existent persistentvolume \"[^\"]*\")"
    r"|pod has unbound immediate PersistentVolumeClaims"
    r"|resourceclaims?(?:\.resource\.k8s\.io)? \"[^\"]+\" (?:not found|is being deleted)"
    r"|could not find ResourceClaim \"[^\"]+\""
    r"|(?:pod \"[^\"]+\": )?ResourceClaim (?:not created yet|\S+ was not created for pod \S+ \(pod is not owner\))"
)
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"  # of 1.20, behind the name of a plugin
# Before the next row of a table of events, or the next line of a log.
NEXT_EVENT = re.compile(r"\n(?=[ \t|]*(?:\S+[ \t]+){0,3}?(?:Normal|Warning)[ \t]|[IWEF]\d{4} )")
MAX_MESSAGES = 20


class Part(msgspec.Struct, frozen=True):
    """A number of nodes and the reason that they share. A count of 0: the reason concerns the pod, not single nodes."""

    count: int
    reason: str


class FailedMessage(msgspec.Struct):
    """A message about `total` nodes. `preemption`: its part about preemption; None if there is none.

    `end`: "." if it is complete, "..." if it is truncated, otherwise "". `doubled`: it ends with two dots, like the
    PostFilter part in some releases. `rest`: notes of other plugins, between the parts of the message.
    """

    total: int = 0
    parts: list[Part] = []
    preemption: list[Part] | None = None
    rest: str = ""
    end: str = "."
    doubled: bool = False

    @property
    def understood(self) -> bool:
        return bool(self.parts)


def messages(text: str) -> list[FailedMessage]:
    """Return the distinct messages in a text, at most MAX_MESSAGES: output of kubectl, an event list, a log, a dump."""
    rows = NEXT_EVENT.split(text)
    alone = len(rows) == 1 and len(text.strip().splitlines()) == 1
    all_messages = [message for row in rows for message in _messages_of(row, alone=alone)]
    return list({write_message(message): message for message in all_messages}.values())[:MAX_MESSAGES]


def _messages_of(text: str, *, alone: bool) -> list[FailedMessage]:
    """Return the messages in one event, or in a text that has no rows of events. `alone`: it is all that was given."""
    plain = IN_A_LOG.sub("", unquote(" ".join(text.split())))
    starts = [match.start() for match in NODES.finditer(plain) if not _is_about_preemption(plain, match)]
    starts += [match.start() for match in OLD.finditer(plain)]
    between = list(pairwise([*sorted(starts), len(plain)]))[:MAX_MESSAGES]
    alone = alone and len(between) == 1
    all_messages = [_parse_counts(plain[start:end], alone=alone) for start, end in between] or [
        _parse_without_counts(plain)
    ]
    return [message for message in all_messages if message.total or message.parts]


def decode(text: str) -> FailedMessage:
    """Return the first message in a text; an empty message, which is not `understood`, if there is none."""
    return next(iter(messages(text)), FailedMessage())


def write_message(message: FailedMessage) -> str:
    """Return the message in the scheduler's format."""
    if not message.total and all(not part.count for part in message.parts):
        return " ".join(part.reason for part in message.parts)
    if not message.total:
        return f"{OLD_HEADING} {', '.join(f'{part.reason} ({part.count})' for part in message.parts)}"
    sentences = [(message.parts, message.total)]
    if message.preemption is not None:
        sentences.append((message.preemption, message.total))
    texts = (f"0/{total} nodes are available: {write_parts(parts)}." for parts, total in sentences)
    return " preemption: ".join(texts)


def write_parts(parts: list[Part]) -> str:
    """Format counts: 1 node(s) were unschedulable, 4 Insufficient cpu."""
    return ", ".join(f"{part.count} {part.reason}" if part.count else part.reason for part in parts)


def _parse_counts(plain: str, *, alone: bool) -> FailedMessage:
    """Return the message at the beginning of a text. `alone`: nothing follows it."""
    headings = list(NODES.finditer(plain))
    if not headings:
        return _parse_without_counts(plain)
    message = FailedMessage(total=int(headings[0][1]))
    preempting = len(headings) > 1 and _is_about_preemption(plain, headings[1])
    body = plain[headings[0].end() : headings[1].start() if preempting else len(plain)]
    message.parts, rest, message.end = _sentence(body)
    message.rest = _rest(rest) if preempting or alone else _known_notes(rest)
    if preempting:
        sentence = plain[headings[1].end() :]
        message.preemption, _, message.end = _sentence(sentence)
        message.doubled = DOUBLED.search(sentence) is not None
    elif match := NOT_ELIGIBLE.search(rest):
        message.preemption = [Part(0, match[1].strip())]
        message.rest = _rest(rest[: match.start()]) if alone else _known_notes(rest)
    return message


def _parse_without_counts(plain: str) -> FailedMessage:
    """Return a message without "0/5 nodes"."""
    if old := OLD.search(plain):
        parts, _, end = _sentence(plain[old.end() :])
        return FailedMessage(parts=parts, end=end)
    uncounted = ALONE.search(plain)
    if not uncounted:
        return FailedMessage()
    reason = UNBOUND if " filter plugin " in uncounted[0] and UNBOUND in uncounted[0] else uncounted[0].strip()
    return FailedMessage(parts=[Part(0, reason)])


def unquote(text: str) -> str:
    """Return the text without the quoting of YAML or JSON."""
    return text.replace('\\"', '"').replace("\\u0026", "&").replace("''", "'")


def _is_about_preemption(text: str, match: re.Match[str]) -> bool:
    return PREEMPTION.search(text, 0, match.start()) is not None


def _sentence(body: str) -> tuple[list[Part], str, str]:
    """Return the parts of the sentence, the text after it, and how it ends."""
    end = END.search(body)
    mark = CUT.search(body)
    if mark and (end is None or end.start() >= mark.start()):
        return _parts(body[: mark.start()].strip()), "", "..."
    if end is None:
        return _parts(body.strip().removesuffix("preemption:").strip()), "", ""
    return _parts(body[: end.start()].strip()), body[end.end() :], "."


def _parts(text: str) -> list[Part]:
    """Parse "1 a, 4 b" or, for the pod as a whole, "a"."""
    starts = list(PART.finditer(text))
    if not starts or starts[0].start() > 0:
        behind = list(COUNTED_BEHIND.finditer(text))
        if behind and "".join(match[0] for match in behind) == text:
            return [Part(int(match[2]), match[1].strip()) for match in behind]
        return [Part(0, text)] if text else []
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return [Part(int(match[1]), text[match.end() : end]) for match, end in zip(starts, ends, strict=True)]


def _known_notes(text: str) -> str:
    """Return the known plugin note with which the text after a sentence begins; "" if there is none."""
    note = NOTES.match(text.strip())
    return note[0] if note else ""


def _rest(text: str) -> str:
    """Return the text between the two sentences: notes of other plugins."""
    return text.strip().removesuffix("preemption:").strip().strip(",.").strip()


# Wordings of some releases, and the wording of the others.
SAME = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"had (?:untolerated )?taints? \{[^{}]*\}(?:,? that the pod didn't tolerate)?", "had untolerated taint(s)"),
        (r"had taints that the pod didn't tolerate", "had untolerated taint(s)"),
        (r"didn't match (?:node selector|Pod's node affinity)$", "didn't match Pod's node affinity/selector"),
        (r"didn't satisfy plugin ([A-Z]\w+)$", r"didn't satisfy plugin(s) [\1]"),
        (r"had volume node affinity conflict", "didn't match PersistentVolume's node affinity"),
        (r"didn't match the requested hostname", "didn't match the requested node name"),
        (
            r"^node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
            "another pod",
        ),
        (r'^resourceclaims?(?:\.resource\.k8s\.io)? "([^"]+)" not found', r'could not find ResourceClaim "\1"'),
        (r'^could not find ResourceClaim "[^"/]+/([^"]+)"', r'could not find ResourceClaim "\1"'),
        (r"^waiting for scheduling gates: .*", "Scheduling is blocked due to non-empty scheduling gates"),
    )
)


def in_any_release(reason: str) -> str:
    """Return a reason in a form that does not depend on the release, to compare messages of two releases."""
    for pattern, words in SAME:
        reason = pattern.sub(words, reason)
    return reason


# In 1.20 and 1.21, beside the reason that says which of the two failed.
GENERAL = re.compile(r"node\(s\) didn't match pod affinity/anti-affinity(?: rules)?")


def precise_parts(message: FailedMessage) -> list[Part]:
    """Return the parts without those that repeat another one less precisely.

    If there is no more precise part, such a part is named as that of the affinity rules.
    """
    parts = [part for part in message.parts if not GENERAL.fullmatch(part.reason)]
    if any("affinity rules" in part.reason for part in parts):
        return parts
    named = "node(s) didn't match pod affinity rules"
    return [Part(part.count, named) if GENERAL.fullmatch(part.reason) else part for part in message.parts]


def counts(message: FailedMessage) -> Counter[str]:
    """Return the number of nodes by reason, in a form that does not depend on the release."""
    by_reason: Counter[str] = Counter()
    for part in precise_parts(message):
        by_reason[in_any_release(part.reason)] += part.count
    return by_reason
