"""A small scenario whose pod gets the same FailedScheduling message, with the same node counts for each reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from kschedui.scenarios import compact_yaml
from kschedui.waiting.message import FailedMessage, Part, counts, decode, precise_parts
from kschedui.waiting.reasons import reason_of
from scheduler_core import RunEnded, ScenarioErrors, parse_scenario, simulate
from scheduler_core.apis.messages import Text
from scheduler_core.framework.starter import POD, Manifest, StarterCluster
from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import PodGated, SchedulingFailed

MAX_NODES = 500
LONGEST = 300  # characters of a reason
TITLE = Text("A pod that waits, as its message says", "像消息所说那样等待的 Pod").message()
NO_NODES = "no nodes available to schedule pods"

Make = Callable[[StarterCluster, list[Manifest]], None]


class Starter(NamedTuple):
    """A scenario's text.

    `stand_ins`: reasons that an extender returns, in place of conditions that are not simulated.
    """

    text: str = ""
    stand_ins: list[str] = []


def starter(message: FailedMessage, title: str = TITLE) -> Starter:
    """Return a scenario that results in the message; without a text if there is none, or too many nodes are needed."""
    message = replace(message, parts=precise_parts(message))
    if not message.parts or message.total > MAX_NODES:
        return Starter()
    stand_ins = [stand_in(message, part) for part in message.parts]
    mixed = [own_maker(part) or other for part, other in zip(message.parts, stand_ins, strict=True)]
    for makers in (mixed, stand_ins):
        similarity, built = build_starter(message, makers, title)
        if similarity < len(LIKE) and message.preemption:
            small = build_starter(message, makers, title, small=True)
            similarity, built = max((similarity, built), small, key=lambda pair: pair[0])
        if similarity:
            return built
    return Starter()


def own_maker(part: Part) -> Make | None:
    """Return the plugin's own starter for this reason; None if it has none."""
    meaning = reason_of(part.reason)
    if meaning is None or meaning.reason.starter is None or (meaning.reason.about_nodes and not part.count):
        return None
    make = meaning.reason.starter
    return lambda cluster, nodes: make(cluster, nodes, part.reason)


def stand_in(message: FailedMessage, part: Part) -> Make | None:
    """Return a function that adds an extender's rule with this reason to a cluster; None if that is not possible.

    It is not if no nodes are counted, the message is truncated, or the reason is too long.
    """
    if not part.count or message.end != "." or len(part.reason) >= LONGEST:
        return None
    meaning = reason_of(part.reason)
    unresolvable = meaning is not None and not meaning.reason.preemption_helps

    def make(cluster: StarterCluster, nodes: list[Manifest]) -> None:
        rule: Manifest = {"nodes": [node["metadata"]["name"] for node in nodes], "reject": part.reason}
        cluster.extender_rules.append({**rule, "unresolvable": True} if unresolvable else rule)

    return make


def build_starter(
    message: FailedMessage, makers: list[Make | None], title: str, *, small: bool = False
) -> tuple[int, Starter]:
    """Return the similarity of a scenario's message to this one, 0 if it counts other nodes, and the scenario.

    `small`: nodes without room are too small, so that no eviction would help.
    """
    cluster = StarterCluster(message.total, [part.reason for part in message.parts], small=small)
    nodes = message.total or int(message.parts[0].reason != NO_NODES)  # a reason of the pod alone counts none
    for _ in range(nodes):
        cluster.add_node()
    shares = share_nodes(message)
    if shares is None:
        return 0, Starter()
    for make, (start, end) in zip(makers, shares, strict=True):
        if make is None:
            return 0, Starter()
        make(cluster, cluster.nodes[start:end])
    texts = (
        compact_yaml.write_all(cluster.documents(title=str(title), kubernetesVersion=version))
        for version in reversed(RELEASES)
    )
    similarity, text = best(texts, message)
    return similarity, Starter(text, [rule["reject"] for rule in cluster.extender_rules])


def best(texts: Iterator[str], message: FailedMessage) -> tuple[int, str]:
    """Return the highest similarity of a text's message to this one, and the first text that reaches it."""
    most, best_text = 0, ""
    for text in texts:
        similarity = likeness(simulated_message(text), message)
        if similarity > most:
            most, best_text = similarity, text
        if similarity == len(LIKE):
            break
    return most, best_text


LIKE: tuple[Callable[[FailedMessage, FailedMessage], bool], ...] = (  # each only counts after those before it
    # Of a message that counts no nodes, only the reasons; as a Counter, one of 0 nodes would be none.
    lambda decoded, message: message.total in (decoded.total, 0) and dict(counts(decoded)) == dict(counts(message)),
    lambda decoded, message: sorted(map(str, decoded.parts)) == sorted(map(str, message.parts)),
    lambda decoded, message: (
        message.preemption is None or sorted(map(str, decoded.preemption or ())) == sorted(map(str, message.preemption))
    ),
    lambda decoded, message: (
        message.preemption is None or (decoded.rest, decoded.doubled) == (message.rest, message.doubled)
    ),
)


def likeness(text: str, message: FailedMessage) -> int:
    """Return the number of criteria in LIKE that two messages meet, up to the first one that they do not meet."""
    decoded = decode(text)
    return next((number for number, alike in enumerate(LIKE) if not alike(decoded, message)), len(LIKE))


def share_nodes(message: FailedMessage) -> list[tuple[int, int]] | None:
    """Return the range of nodes of each part; parts overlap if a node can have both reasons. None: they do not fit."""
    amounts = [part for part in message.parts if (meaning := reason_of(part.reason)) and meaning.reason.beside_others]
    others = sum(part.count for part in message.parts if part not in amounts)
    room = message.total - others
    together = sum(part.count for part in amounts) > room
    if others > message.total or any(part.count > room for part in amounts):
        return None
    shares, at, turn = [], 0, 0
    for part in message.parts:
        if part in amounts and together:
            turn += 1
            shares.append((others, others + part.count) if turn % 2 else (message.total - part.count, message.total))
        elif part in amounts:
            before = sum(amount.count for amount in amounts[: amounts.index(part)])
            shares.append((others + before, others + before + part.count))
        else:
            shares.append((at, at + part.count))
            at += part.count
    return shares


def simulated_message(text: str) -> str:
    """Return the simulated message for the starter's pod; "" if that release cannot run it."""
    try:
        failed = [event for event in simulate(parse_scenario(text)) if isinstance(event, SchedulingFailed | PodGated)]
    except (RunEnded, ScenarioErrors):
        return ""
    return next((event.message for event in failed if event.pod == f"default/{POD}"), "")
