"""Messages of cluster-autoscaler and Karpenter: their events, which `kubectl describe` prints next to those of the
scheduler, and the lines of their logs.

Their counts are node groups, not nodes. Events: NotTriggerScaleUp, TriggeredScaleUp; FailedScheduling and Nominated of
Karpenter. Logs: core/scaleup/orchestrator of cluster-autoscaler 1.20 to 1.35 (scale_up.go before 1.27), as text or
JSON; provisioner of Karpenter 0.20 to 1.8, as JSON or with the fields as JSON after the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kschedui.waiting.foreign import ForeignMessage, ForeignPart, Say, build_part
from kschedui.waiting.message import unquote
from scheduler_core.apis.messages import Message

CLUSTER_AUTOSCALER = "cluster-autoscaler"
KARPENTER = "Karpenter"

NO_SCALE_UP, SCALE_UP = "pod didn't trigger scale-up", "pod triggered scale-up: ["
IF_ADDED = "(it wouldn't fit if a new node is added)"
KARPENTER_FAILED, NOMINATED = "Failed to schedule pod, ", "Pod should schedule on: "
# Where a message ends, by what printed it: kubectl's columns, events one after the other, and JSON.
END = re.compile(r"\n|  |\s(?:Normal|Warning)\s")
END_OF_STRING = re.compile(rf'"|{END.pattern}')
COUNTED = re.compile(r"(?:^|, )(\d{1,7}) ")
POOL = re.compile(r"""(?:(?<![/\w-])(?:nodepool|provisioner)[: (]+(?:NodePool=)?|NodePool=)"?(?P<name>[\w.-]+)"?""")
NEXT_POOL = re.compile(r"; (?=incompatible with |all available |no instance |NodePool)|; (?=[A-Za-z])")

AT_MAXIMUM = r"^max node group size reached"
IN_BACKOFF = r"^in backoff after failed scale-up"
MEANINGS: tuple[tuple[str, Message], ...] = (
    (AT_MAXIMUM, Message("The node group is as large as its maximum allows.")),
    (IN_BACKOFF, Message("A scale-up of the node group failed recently; it is tried again later.")),
    (
        r"^max cluster .*limit reached|^max total nodes in cluster reached|^max limit reached",
        Message("A limit of the whole cluster is reached."),
    ),
    (r"^not ready for scale-up", Message("The node group is not ready for a scale-up.")),
    (r"exceeds? limit", Message("The limits of the NodePool are reached.")),
    (r"^did not tolerate ", Message("Nodes of this NodePool get a taint that the pod does not tolerate.")),
    (
        r"does not have known values",
        Message(
            "The pod asks for a label that the NodePool does not set: add it to the NodePool's labels or requirements, "
            "or correct its name in the pod."
        ),
    ),
    (
        r"^incompatible requirements",
        Message("The pod's node selector or affinity contradicts the NodePool's requirements."),
    ),
    (
        r"^no instance type .* DoesNotExist",
        Message(
            "A requirement that ends in DoesNotExist has no value left: the pod, its volumes, the NodePool and its "
            "node class have no value of that label in common."
        ),
    ),
    (
        r"^no instance type ",
        Message("No machine of this NodePool meets all requirements and has room for the pod and the DaemonSet pods."),
    ),
    (
        r"^unsatisfiable topology constraint for pod affinity",
        Message("No pod that the required podAffinity looks for would be in the domain of a new node."),
    ),
    (
        r"^unsatisfiable topology constraint for pod anti-affinity",
        Message("A required podAntiAffinity excludes every domain in which a new node could be."),
    ),
    (r"^unsatisfiable topology constraint", Message("A new node would break a topology constraint of the pod.")),
    (r"^No pod can fit to", Message("No pending pod fits on a new node of this group.")),
    (r"^No expansion options", Message("No node group is left: there is no scale-up.")),
)
NOT_SCALED = Message("The counts are node groups, not nodes: more nodes of these groups would not help the pod.")
NOT_JUDGED = Message(
    "The counts are node groups, not nodes. A group at its maximum was not judged: more nodes of it may help. "
    "Raise its maximum."
)
NOT_JUDGED_NOW = Message(
    "The counts are node groups, not nodes. A group in backoff was not judged: more nodes of it may help. The events "
    "and the log of the autoscaler say why its scale-up failed."
)
NOT_EXPLAINED = Message(
    "A new node of any group would not have room for the pod, or not meet its rules. The autoscaler gives no reason."
)
SCALED = Message("New nodes are on their way; the pod is tried again when they are ready.")
NOT_PROVISIONED = Message("The scheduler has found no node for the pod, and Karpenter can create none for it.")
ON_ITS_WAY = Message(
    "Karpenter creates a node for the pod, or expects one to become free; the scheduler still decides."
)
OF_A_LOG = Message("The autoscaler judged a new node of each group for the pod; none of these groups would help it.")
OF_A_LOG_AT_MAXIMUM = Message("The autoscaler did not judge groups that are at their maximum or in backoff.")
OF_A_CHOICE = Message(
    "The autoscaler adds nodes to this group for the pods that fit there, unless a later line says otherwise."
)

# Lines of cluster-autoscaler's log.
CANNOT = re.compile(
    r"Pod (?P<pod>[\w./-]+) (?:can't|can not|cannot) be scheduled on (?P<group>[^\s,]+)"
    r"(?:, predicate checking error)?: (?P<error>[^\n]*)"
)
PREDICATE = re.compile(r"; ?predicateName=(?P<plugin>\w*)")
SKIPPED = re.compile(
    r"Skipping node group (?P<group>[^\s,]+?) ?- (?P<why>max size reached|[^\n\"]{1,200})"
    r"|Node group (?P<backed>[^\s,]+) is not ready for scale-?up ?- (?P<because>[^\n\"]{1,200})"
)
NONE_FITS = re.compile(r"No pod can fit to (?P<group>[^\s\"]+)")
NO_OPTION = re.compile(r"No expansion opti+ons")  # "optiions" up to 1.21
CHOSEN = re.compile(r"Best option to resize: (?P<group>[^\s\"]+)")
PLAN = "Final scale-up plan: ["
# Lines of Karpenter's log.
COULD_NOT = re.compile(r"[Cc]ould not schedule pod(?:, (?P<error>[^\n\t]*))?")
ERROR = re.compile(
    r"(?:incompatible with (?:nodepool|provisioner) |all available instance types exceed limits |no instance type "
    r"(?:met|satisfied|which|has) )[^\n\t]*"
)
ENTRY = frozenset({"message", "msg", "error", "errorCauses"})  # one of which an entry in JSON has
BEHIND = frozenset({"commit", "pod", "Pod"})  # of the JSON behind a line of text
MAX_OBJECTS = 500


def autoscaler_messages(text: str, plain: str, say: Say) -> Iterator[ForeignMessage]:
    """Yield the messages of autoscalers. `text`: as copied; `plain`: unquoted, with wrapped lines joined."""
    yield from _events_of_cluster_autoscaler(plain, say)
    yield from _log_of_cluster_autoscaler(plain, say)
    yield from _events_of_karpenter(plain, say)
    yield from _log_of_karpenter(text, say)


def _between(text: str, begin: str, end: re.Pattern[str]) -> list[str]:
    """Return the texts between each `begin` and the next `end`."""
    return [end.split(rest, maxsplit=1)[0] for rest in text.split(begin)[1:]]


def _events_of_cluster_autoscaler(text: str, say: Say) -> Iterator[ForeignMessage]:
    for message in _between(text, NO_SCALE_UP, END_OF_STRING):
        reasons = message.strip().removeprefix(IF_ADDED).strip().removeprefix(":").strip().rstrip(".")
        starts = list(COUNTED.finditer(reasons))
        bounds = [start.start() for start in starts[1:]] + [len(reasons)]
        parts = [
            build_part(reasons[start.end() : end], MEANINGS, say, count=int(start[1]))
            for start, end in zip(starts, bounds, strict=False)
        ]
        yield ForeignMessage(CLUSTER_AUTOSCALER, (NO_SCALE_UP + message).strip(), say(_conclusion(parts)), parts)
    yield from _scaled(text, SCALE_UP, say)


def _scaled(text: str, begin: str, say: Say) -> Iterator[ForeignMessage]:
    """Yield the messages that list the node groups that get more nodes."""
    for message in _between(text, begin, END_OF_STRING):
        inside = message.partition("]")[0]
        groups = [ForeignPart(entry.strip("{} ")) for entry in inside.split("} {")]
        yield ForeignMessage(CLUSTER_AUTOSCALER, f"{begin}{inside}]", say(SCALED), groups)


def _conclusion(parts: list[ForeignPart]) -> Message:
    """Return the conclusion: groups that were judged do not help, groups that were not judged may."""
    if not parts:
        return NOT_EXPLAINED
    for pattern, sentence in ((AT_MAXIMUM, NOT_JUDGED), (IN_BACKOFF, NOT_JUDGED_NOW)):
        if any(re.search(pattern, part.reason) for part in parts):
            return sentence
    return NOT_SCALED


def _log_of_cluster_autoscaler(text: str, say: Say) -> Iterator[ForeignMessage]:
    """Yield a message for each pod in the log, then the messages about node groups."""
    by_pod: dict[str, list[ForeignPart]] = {}
    for line in CANNOT.finditer(text):
        error = line["error"]
        named = PREDICATE.search(error)
        reason = (error[: named.start()] if named else error.partition("; ")[0]).strip(" \"'") or "-"
        part = build_part(reason, MEANINGS, say, group=line["group"])
        parts = by_pod.setdefault(line["pod"], [])
        if part not in parts:
            parts.append(part)
    skipped = [
        build_part(
            _skipped_reason(line["why"] or line["because"]), MEANINGS, say, group=line["group"] or line["backed"]
        )
        for line in SKIPPED.finditer(text)
    ]
    judged = {part.group for parts in by_pod.values() for part in parts}
    unfit = [
        build_part(line[0], MEANINGS, say, group=line["group"])
        for line in NONE_FITS.finditer(text)
        if line["group"] not in judged
    ]
    for pod, parts in by_pod.items():
        yield ForeignMessage(CLUSTER_AUTOSCALER, f"Pod {pod} can't be scheduled on a new node", say(OF_A_LOG), parts)
    if skipped:
        parts = list(dict.fromkeys(skipped))
        yield ForeignMessage(CLUSTER_AUTOSCALER, "Skipping node groups", say(OF_A_LOG_AT_MAXIMUM), parts)
    if unfit and not by_pod:
        yield ForeignMessage(CLUSTER_AUTOSCALER, "No pod can fit", say(OF_A_LOG), list(dict.fromkeys(unfit)))
    if NO_OPTION.search(text):
        part = build_part("No expansion options", MEANINGS, say)
        yield ForeignMessage(CLUSTER_AUTOSCALER, "No expansion options", part.meaning)
    for group in dict.fromkeys(CHOSEN.findall(text)):
        part = ForeignPart(group)
        yield ForeignMessage(CLUSTER_AUTOSCALER, f"Best option to resize: {group}", say(OF_A_CHOICE), [part])
    yield from _scaled(text, PLAN, say)


def _skipped_reason(words: str) -> str:
    """Return a reason from the log in the wording of events."""
    if "max size reached" in words:
        return "max node group size reached"
    if "backoff" in words or "backed off" in words:
        return "in backoff after failed scale-up"
    return f"not ready for scale-up: {words.strip()}"


def _events_of_karpenter(text: str, say: Say) -> Iterator[ForeignMessage]:
    for message in _between(text, KARPENTER_FAILED, END):
        message = message.rstrip()
        if message.count('"') % 2:  # an unpaired quote ends the JSON string that contained the message
            message = message[: message.rindex('"')]
        yield ForeignMessage(KARPENTER, KARPENTER_FAILED + message, say(NOT_PROVISIONED), _pools(message, say))
    for message in _between(text, NOMINATED, END):
        if words := message.split():
            yield ForeignMessage(KARPENTER, NOMINATED + words[0], say(ON_ITS_WAY), [ForeignPart(words[0])])


def _log_of_karpenter(text: str, say: Say) -> Iterator[ForeignMessage]:
    """Yield the errors of a log: from JSON entries, from lines that end with JSON fields, or from fragments."""
    lines, entries = _split_json(text, ENTRY)
    has_reason = False
    for fields in entries:
        failure = COULD_NOT.search(str(fields.get("message") or fields.get("msg") or ""))
        errors = list(_errors_of(fields)) or [failure["error"] or "" if failure else ""]
        if failure or any(ERROR.match(error) for error in errors):
            has_reason = True
            yield _could_not_schedule(errors, fields, say)
    for line in unquote(lines).split("\n"):
        if failure := COULD_NOT.search(line):
            has_reason = True
            error = (failure["error"] or "").partition(' {"commit"')[0]
            yield _could_not_schedule([error], next(iter(_split_json(line, BEHIND)[1]), {}), say)
    if not has_reason and KARPENTER_FAILED not in text:
        for error in dict.fromkeys(ERROR.findall(unquote(lines))):
            yield _could_not_schedule([error], {}, say)


def _could_not_schedule(errors: list[str], fields: dict[str, object], say: Say) -> ForeignMessage:
    pod = fields.get("Pod") or fields.get("pod")
    if isinstance(pod, dict):
        pod = "/".join(str(pod[name]) for name in ("namespace", "name") if pod.get(name))
    message = f"could not schedule pod {pod}" if isinstance(pod, str) and pod else "could not schedule pod"
    parts = [part for error in errors for part in _pools(error, say)]
    return ForeignMessage(KARPENTER, f"{message}: {'; '.join(errors)}".rstrip(": "), say(NOT_PROVISIONED), parts)


def _errors_of(fields: dict[str, object]) -> Iterator[str]:
    """Yield the single errors of an entry: those of errorCauses, which repeat the error, or the error."""
    causes = fields.get("errorCauses")
    errors = [cause for cause in causes if isinstance(cause, dict)] if isinstance(causes, list) else []
    if errors:
        for cause in errors:
            yield from _errors_of(cause)
    elif isinstance(fields.get("error"), str):
        yield str(fields["error"])


def _split_json(text: str, keys: frozenset[str]) -> tuple[str, list[dict[str, object]]]:
    """Return the text without the JSON objects that have one of the keys, and these objects."""
    kept, entries = [], []
    begin, start = 0, text.find("{")
    for _ in range(MAX_OBJECTS):
        if start < 0:
            break
        try:
            fields, end = json.JSONDecoder().raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            fields, end = None, start + 1
        if isinstance(fields, dict) and fields.keys() & keys:
            kept.append(text[begin:start])
            entries.append(fields)
            begin = end
        start = text.find("{", end)
    return "".join([*kept, text[begin:]]), entries


def _pools(error: str, say: Say) -> list[ForeignPart]:
    """Return the reasons in the error, each with its NodePool."""
    parts = []
    for entry in NEXT_POOL.split(error):
        pool = POOL.search(entry)
        reason = _without(entry, "incompatible with nodepool", ",")
        reason = _without(reason, "incompatible with provisioner", ",")
        reason = _without(reason, "daemonset overhead={", "}").strip()
        if reason or entry.strip():
            parts.append(build_part(reason or entry, MEANINGS, say, group=pool["name"] if pool else ""))
    return parts


def _without(text: str, begin: str, end: str) -> str:
    """Return the text without the part from `begin` to the next `end`, and the comma after it."""
    before, separator, rest = text.partition(begin)
    return before + rest.partition(end)[2].lstrip(" ,") if separator else text
