"""Answers about Karpenter, computed by its own simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from scheduler_core.apis.core import Pod
from scheduler_core.apis.karpenter import NodePool
from scheduler_core.apis.messages import Message
from scheduler_core.apis.requirements import CAPACITY_TYPE, ZONE, get
from scheduler_core.ask.autoscale.answers import Autoscaling, NewNodes, NodeAnswer, PodAnswer, Refusal, TypeRefusal
from scheduler_core.ask.autoscale.changes import changed_pods
from scheduler_core.autoscaling.karpenter.karpenter import Karpenter
from scheduler_core.autoscaling.karpenter.solver import NewClaim
from scheduler_core.cluster.cluster import Cluster

MOST_CHANGES = 5  # of a pod
MOST_ASKED = 20  # distinct pods for which changes are tried


def ask(actor: Karpenter, cluster: Cluster) -> Autoscaling:
    """Return the actions that Karpenter would take now, with the reasons for each pod, pool, type and node."""
    pods, results = actor.plan_scale_up()
    answer = Autoscaling("karpenter")
    waiting = {pod.key for pod in pods}
    answer.new_nodes = [_new_node(actor, claim) for claim in results.claims]
    of_claim = {pod.key: claim.pool.name for claim in results.claims for pod in claim.pods}
    of_node = {pod.key: node.state.name for node in results.nodes for pod in node.pods if pod.key in waiting}
    asked: dict[object, PodAnswer] = {}
    for pod in pods:
        like = (pod.owner, str(pod.requests), pod.key in of_claim, pod.key in of_node) if pod.owner else pod.key
        known = asked.get(like)
        if known is None and pod.key not in of_node and len(asked) < MOST_ASKED:
            known = asked[like] = _explained(actor, cluster, pod, pod.key not in of_claim)
        pod_answer = PodAnswer(pod.key, "none")
        if known is not None:
            pod_answer.refusals, pod_answer.types, pod_answer.changes = known.refusals, known.types, known.changes
        if pod.key in of_claim:
            pod_answer.outcome, pod_answer.place = "new node", of_claim[pod.key]
        elif pod.key in of_node:
            pod_answer.outcome, pod_answer.place = "existing node", of_node[pod.key]
        else:
            pod_answer.reason = results.errors[pod.key][1] if pod.key in results.errors else ""
        answer.pods.append(pod_answer)
    answer.nodes = list(_nodes(actor))
    return answer


def _new_node(actor: Karpenter, claim: NewClaim) -> NewNodes:
    pods, names = [pod.key for pod in claim.pods], actor.catalogue.names(claim.types)
    launched = actor.catalogue.cheapest(claim.types, claim.requirements)
    if launched is None:
        return NewNodes(claim.pool.name, 1, pods, types=names)
    entry, offering = launched
    kind = offering.capacity_type
    return NewNodes(claim.pool.name, 1, pods, entry.name, offering.zone, kind, names, offering.price)


def _explained(actor: Karpenter, cluster: Cluster, pod: Pod, waits: bool) -> PodAnswer:
    """Return an answer: why pools and types do not help the pod and, if it `waits`, the single changes that would."""
    solver, offers = actor.offers(pod)
    answer = PodAnswer(
        pod.key, "none", refusals=[Refusal(offer.template.pool.name, offer.reason) for offer in offers if offer.reason]
    )
    chosen = next((offer for offer in offers if not offer.reason), None)
    for offer in offers:
        launched = actor.catalogue.cheapest(offer.types, offer.requirements) if offer is chosen else None
        for number, entry in enumerate(actor.catalogue.types):
            reason = solver.why_not_type(offer.template, number, pod)
            requirements = offer.requirements or offer.template.requirements
            offerings = actor.catalogue.compatible(number, requirements)
            price = min((offering.price for offering in offerings), default=None)
            if reason:
                answer.types.append(TypeRefusal(offer.template.pool.name, entry.name, reason, price))  # type: ignore[arg-type]
            elif launched is not None and entry is not launched[0]:
                answer.types.append(TypeRefusal(offer.template.pool.name, entry.name, "price", price))
    if waits:
        answer.changes = _changes(actor, cluster, pod)
    return answer


def _changes(actor: Karpenter, cluster: Cluster, pod: Pod) -> list[Message]:
    """Return single changes after which Karpenter would create a node for the pod; each is tried."""
    sentences: list[Message] = []
    for pool in actor.state.pools():
        for sentence, changed in _changed_pools(pool):
            cluster.apply(changed)
            if _helps(actor, pod):
                sentences.append(sentence)
            cluster.apply(pool)
    taints = [taint for pool in actor.state.pools() for taint in pool.taints]
    rooms = [entry.allocatable for entry in actor.catalogue.types]
    for sentence, changed_pod in changed_pods(pod, taints, rooms):
        if len(sentences) >= MOST_CHANGES:
            break
        cluster.apply(changed_pod)
        if _helps(actor, changed_pod):
            sentences.append(sentence)
        cluster.apply(pod)
    return sentences[:MOST_CHANGES]


def _changed_pools(pool: NodePool) -> Iterator[tuple[Message, NodePool]]:
    """Yield each removal of a limit or requirement of the pool, with the changed pool."""
    for name in pool.limits or {}:
        left = {other: amount for other, amount in (pool.limits or {}).items() if other != name}
        yield (
            Message("NodePool {pool} has no limit of {resource}", pool=pool.name, resource=name),
            replace(pool, limits=left or None),
        )
    for number, entry in enumerate(pool.requirements):
        others = (*pool.requirements[:number], *pool.requirements[number + 1 :])
        sentence = Message("NodePool {pool} does not require {key}", pool=pool.name, key=entry.key)
        yield sentence, replace(pool, requirements=others)


def _helps(actor: Karpenter, pod: Pod) -> bool:
    return any(not offer.reason for offer in actor.offers(pod)[1])


def _nodes(actor: Karpenter) -> Iterator[NodeAnswer]:
    for node in actor.state.nodes():
        if node.node is None:
            continue
        command, reason = actor.disruption.explain(node)
        if command is None:
            yield NodeAnswer(node.name, node.pool, "stays", reason)
        elif command.replacements:
            yield NodeAnswer(
                node.name, node.pool, "replace", _replacement(actor, command.replacements), command.savings
            )
        else:
            yield NodeAnswer(node.name, node.pool, "delete", command.reason, command.savings)


def _replacement(actor: Karpenter, claims: Sequence[NewClaim]) -> str:
    """Return the replacements of a node as text: for each, the cheapest type with its capacity type and a zone."""
    parts = []
    for claim in claims:
        launched = actor.catalogue.cheapest(claim.types, claim.requirements)
        if launched is not None:
            kinds = get(claim.requirements, CAPACITY_TYPE).values & {launched[1].capacity_type}
            zones = get(claim.requirements, ZONE).values
            parts.append(" ".join([launched[0].name, *sorted(kinds), *sorted(zones)[:1]]))
    return ", ".join(parts)
