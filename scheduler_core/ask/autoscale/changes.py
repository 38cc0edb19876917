"""Single changes of a pending pod that could get it a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from scheduler_core.apis.constraints import Taint, Toleration
from scheduler_core.apis.core import Pod
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import show_amount
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS, find_untolerated_taint

Resources = Mapping[str, int]
MOST_SIZES = 5  # of a resource


def changed_pods(pod: Pod, taints: Sequence[Taint], rooms: Sequence[Resources]) -> Iterator[tuple[Message, Pod]]:
    """Yield each single change with the changed pod.

    `taints` and `rooms` are the taints and the free resources of nodes that could be added.
    """
    for taint in dict.fromkeys(taints):
        if find_untolerated_taint((taint,), pod.tolerations, HARD_EFFECTS) is not None:
            toleration = Toleration(taint.key, "Equal", taint.value, taint.effect)
            shown = f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"
            tolerant = replace(pod, tolerations=(*pod.tolerations, toleration))
            yield Message("the pod tolerates the taint {taint}", taint=shown), tolerant
    for key in pod.node_selector:
        left = {name: value for name, value in pod.node_selector.items() if name != key}
        yield Message("the pod has no nodeSelector {key}", key=key), replace(pod, node_selector=left)
    if pod.required_node_affinity is not None:
        free = replace(pod, required_node_affinity=None)
        yield Message("the pod has no required node affinity"), free
    if pod.required_affinity or pod.required_anti_affinity:
        free = replace(pod, required_affinity=(), required_anti_affinity=())
        yield Message("the pod has no required affinity to pods"), free
    if any(spread.when_unsatisfiable == "DoNotSchedule" for spread in pod.topology_spread_constraints):
        yield Message("the pod has no topology spread constraint"), replace(pod, topology_spread_constraints=())
    yield from _smaller(pod, rooms)


def _smaller(pod: Pod, rooms: Sequence[Resources]) -> Iterator[tuple[Message, Pod]]:
    """Yield changes that reduce one request to the amount that a node has, the largest amount first."""
    for name, asked in pod.requests.items():
        for most in sorted({room.get(name, 0) for room in rooms}, reverse=True)[:MOST_SIZES]:
            if not 0 < most < asked:
                continue
            sentence = Message(
                "the pod requests {most} of {resource} instead of {asked}",
                most=show_amount(name, most), resource=name, asked=show_amount(name, asked),
            )  # fmt: skip
            yield sentence, replace(pod, requests={**pod.requests, name: most})
