"""Answers about Cluster Autoscaler, computed by its own passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

from msgspec.structs import replace

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.autoscale.answers import Autoscaling, NewNodes, NodeAnswer, PodAnswer, Refusal, ScoredOption
from scheduler_core.ask.autoscale.changes import changed_pods
from scheduler_core.autoscaling.cluster_autoscaler.loop import ClusterAutoscaler
from scheduler_core.autoscaling.cluster_autoscaler.scale_up import Plan
from scheduler_core.autoscaling.cluster_autoscaler.templates import Template
from scheduler_core.cluster.cluster import Cluster

MOST_CHANGES = 5  # of a pod
MOST_ASKED = 20  # distinct pods for which changes are tried
MOST_PASSES = 50  # each orders nodes of one kind
MAXIMUM_REACHED = "max node group size reached"
QUOTA = "exceeded quota"


def ask(actor: ClusterAutoscaler, cluster: Cluster) -> Autoscaling:
    """Return the actions of Cluster Autoscaler's next passes, with the reasons for each pod, group and node."""
    answer = Autoscaling("cluster-autoscaler", nodes=list(_nodes(actor)))
    groups = actor.cloud.groups.values()
    sizes = {group.name: group.target for group in groups}
    places: dict[PodKey, str] = {}
    with actor.imagined() as order:
        waiting, plan, templates = actor.plan_scale_up()
        pods = waiting
        answer.options = _options(actor, plan)
        for _ in range(MOST_PASSES):
            if plan.option is None or not plan.resizes:
                break
            order(plan)
            places |= dict.fromkeys((pod.key for pod in plan.option.pods), plan.option.group.name)
            waiting, plan, templates = actor.plan_scale_up()
        left = {pod.key for pod in waiting}
        grown = {group.name: group.target - sizes[group.name] for group in groups if group.target > sizes[group.name]}
        for pod in pods:
            if pod.key in left:
                answer.pods.append(_pod(pod, plan))
            else:  # the next pass may place others than those for which it ordered nodes
                answer.pods.append(PodAnswer(pod.key, "new node", places.get(pod.key) or next(iter(grown), "")))
        for name, count in grown.items():
            helped = [
                pod_answer.pod
                for pod_answer in answer.pods
                if pod_answer.outcome == "new node" and pod_answer.place == name
            ]
            answer.new_nodes.append(NewNodes(name, count, helped, price=actor.cloud.groups[name].spec.price))
        asked: dict[object, list[Message]] = {}
        for pod, pod_answer in zip(pods, answer.pods, strict=True):
            like = (pod.owner, tuple(sorted(pod.node_selector.items())), str(pod.requests)) if pod.owner else pod.key
            if pod_answer.outcome == "none" and like not in asked and len(asked) < MOST_ASKED:
                asked[like] = _changes(actor, cluster, pod, templates, pod_answer.refusals, left)
            if pod_answer.outcome == "none":
                pod_answer.changes = asked.get(like, [])
    return answer


def _options(actor: ClusterAutoscaler, plan: Plan) -> list[ScoredOption]:
    return [
        ScoredOption(option.group.name, option.nodes, len(option.pods), scores, option is plan.option)
        for option, scores in zip(plan.options, actor.scores(plan), strict=True)
    ]


def _pod(pod: Pod, plan: Plan) -> PodAnswer:
    """Return the answer for a pod that no group helps, with the reasons by group."""
    against = plan.against.get(pod.key, {})
    counted = Counter(plan.remaining.get(pod.key, against.values()))
    reason = ", ".join(f"{count} {text}" for text, count in counted.items())
    refusals = [Refusal(group, text) for group, text in against.items()]
    return PodAnswer(pod.key, "none", "", f"pod didn't trigger scale-up: {reason}" if reason else "", refusals)


def _nodes(actor: ClusterAutoscaler) -> Iterator[NodeAnswer]:
    unneeded, stays = actor.plan_scale_down()
    for name in unneeded:
        group = actor.cloud.group_of(name)
        yield NodeAnswer(name, group.name if group else "", "delete", "", group.spec.price if group else None)
    for name, reason in stays.items():
        if name not in unneeded:
            group = actor.cloud.group_of(name)
            yield NodeAnswer(name, group.name if group else "", "stays", reason)


def _changes(
    actor: ClusterAutoscaler,
    cluster: Cluster,
    pod: Pod,
    templates: dict[str, Template],
    refusals: list[Refusal],
    left: Set[PodKey],
) -> list[Message]:
    """Return single changes after which a pass would add a node for the pod; each is tried.

    `left`: the pods that get no node without a change.
    """
    sentences: list[Message] = []
    for refusal in refusals:
        if refusal.reason == MAXIMUM_REACHED and len(sentences) < MOST_CHANGES:
            group = actor.cloud.groups[refusal.group]
            before, maximum = group.spec, group.maximum
            group.spec = replace(before, maximum=group.target + 1)
            if _helps(actor, pod, left):
                sizes = {"group": group.name, "more": group.target + 1, "maximum": maximum}
                sentences.append(Message("the maximum of {group} is {more} instead of {maximum}", **sizes))
            group.spec = before
    if any(refusal.reason.startswith(QUOTA) for refusal in refusals) and len(sentences) < MOST_CHANGES:
        with actor.without_totals():
            if _helps(actor, pod, left):
                sentences.append(Message("--cores-total and --memory-total allow one node more"))
    taints = [taint for template in templates.values() for taint in template.node.taints]
    rooms = [_room(template) for template in templates.values()]
    for sentence, changed in changed_pods(pod, taints, rooms):
        if len(sentences) >= MOST_CHANGES:
            break
        cluster.apply(changed)
        if _helps(actor, changed, left):
            sentences.append(sentence)
        cluster.apply(pod)
    return sentences


def _helps(actor: ClusterAutoscaler, pod: Pod, left: Set[PodKey]) -> bool:
    """Return whether a group or an existing node takes the pod now, and no other pod loses its place."""
    pods, plan, _ = actor.plan_scale_up()
    groups, waiting = len(actor.cloud.groups), {other.key for other in pods}
    if any(len(plan.against.get(key, {})) == groups for key in waiting - left):
        return False
    return pod.key not in waiting or len(plan.against.get(pod.key, {})) < groups


def _room(template: Template) -> dict[str, int]:
    taken: Counter[str] = Counter()
    for pod in template.daemon_pods:
        taken.update(pod.requests)
    return {name: amount - taken[name] for name, amount in template.node.allocatable.items()}
