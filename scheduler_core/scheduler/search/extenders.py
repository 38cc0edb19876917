"""Scheduler extenders with scripted answers (`spec.extenders`); no server is called.

`ScriptedExtender` implements the interface's `Extender`. The scheduling cycle uses this module in the same places as
kube-scheduler (schedule_one.go, extender.go):

    once per run: `build_extenders(scenario.config.extenders, scenario.script_for)`; each extender counts its failures
    findNodesThatPassFilters: if an extender `filters` or `prioritizes`, the search does not stop at the first node
    findNodesThatPassExtenders: `find_nodes_that_pass_extenders(extenders, pod, nodes)` after the filters, and for the
        nominated node that is tried first. An extender that is not nodeCacheCapable returns nodes without pods and
        images, and the nodes are scored without them. Rejections are node statuses without a plugin; if there are any,
        "Extender" (`EXTENDER_NAME`) is added to the pod's unschedulable plugins. nextStartNodeIndex does not change.
    prioritizeNodes: `prioritize(extenders, pod, nodes)` adds `score * weight * 10` to the plugins' totals (before
        1.18 `score * weight`)
    bind: `bind(extenders, pod, node_name)` precedes the Bind plugins; it returns None if no extender binds this pod

`nodes` are the feasible nodes in the order found; positions index into that sequence. The `ExtenderError` of an
extender that is not ignorable ends the attempt (SchedulerError); its text is the script's message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis import config
from scheduler_core.apis.core import Node, Pod
from scheduler_core.framework.interface import Code, Extender, ExtenderError, ExtenderFilterResult, Status
from scheduler_core.releases import Rules
from scheduler_core.scenario.types import ExtenderScript, ExtenderVerb

MAX_EXTENDER_PRIORITY = 10
MAX_NODE_SCORE = 100
SCALE = MAX_NODE_SCORE // MAX_EXTENDER_PRIORITY

Victims = tuple[Sequence[Pod], int]  # the pods, and the number of them that violate a PodDisruptionBudget


class ScriptedExtender:
    """An HTTPExtender with a script in place of the server."""

    def __init__(self, configured: config.Extender, script: ExtenderScript) -> None:
        self.name = configured.url_prefix
        self.weight = configured.weight
        self.ignorable = configured.ignorable
        self.filters = bool(configured.filter_verb)
        self.prioritizes = bool(configured.prioritize_verb)
        self.supports_preemption = bool(configured.preempt_verb)
        self.binds = bool(configured.bind_verb)
        self.returns_bare_nodes = self.filters and not configured.node_cache_capable
        self._managed = configured.managed_resources
        self._script = script
        self._raised: Counter[int] = Counter()  # the number of times that each scripted failure was raised

    def is_interested(self, pod: Pod) -> bool:
        """Return whether the extender manages all resources, or one that the pod requests."""
        return not self._managed or any(resource.name in pod.requests for resource in self._managed)

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFilterResult:
        """Return the rejected nodes with the first matching rule, unresolvable rules first. Raises ExtenderError."""
        if not self.filters:
            return ExtenderFilterResult()
        self._call("filter", pod)
        rules = [rule for rule in self._script.filter if rule.pods.matches(pod.key, pod.labels)]
        failed: dict[str, str] = {}
        unresolvable: dict[str, str] = {}
        for node in nodes:
            matching = [rule for rule in rules if rule.nodes.matches(node.name, node.labels)]
            for rule in sorted(matching, key=lambda rule: not rule.unresolvable)[:1]:
                (unresolvable if rule.unresolvable else failed)[node.name] = rule.reject
        return ExtenderFilterResult(failed, unresolvable)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Return the score of the first matching rule by node (0 to 10), 0 without a match. Raises ExtenderError."""
        self._call("prioritize", pod)
        rules = [rule for rule in self._script.prioritize if rule.pods.matches(pod.key, pod.labels)]
        return {n.name: next((r.score for r in rules if r.nodes.matches(n.name, n.labels)), 0) for n in nodes}

    def process_preemption(self, pod: Pod, victims: Mapping[str, Victims], nodes: Sequence[Node]) -> dict[str, Victims]:
        """Return the candidates that no rule rejects; `nodes` are the candidates' nodes. Raises ExtenderError."""
        self._call("preempt", pod)
        rules = [rule for rule in self._script.preempt if rule.pods.matches(pod.key, pod.labels)]
        accepted = (n.name for n in nodes if not any(rule.nodes.matches(n.name, n.labels) for rule in rules))
        return {name: victims[name] for name in accepted if name in victims}

    def bind(self, pod: Pod, node_name: str) -> None:
        """Bind the pod to the node. Raises ExtenderError for a scripted failure."""
        self._call("bind", pod)

    def _call(self, verb: ExtenderVerb, pod: Pod) -> None:
        """Raise ExtenderError if the script has a failure left for this verb and pod."""
        for index, failure in enumerate(self._script.failures):
            has_more = failure.times is None or self._raised[index] < failure.times
            if failure.verb == verb and has_more and failure.pods.matches(pod.key, pod.labels):
                self._raised[index] += 1
                raise ExtenderError(failure.message)


class ExtenderRejection(msgspec.Struct, frozen=True):
    """A node that an extender rejected: `position` in the given nodes; `status` has no plugin."""

    position: int
    extender: str
    status: Status


class ExtenderScores(msgspec.Struct, frozen=True):
    """The scores (0 to 10) of an extender for the given nodes; each counts `score * weight * scale`."""

    extender: str
    weight: int
    scores: NDArray[np.int64]
    scale: int = SCALE

    @property
    def normalized(self) -> NDArray[np.int64]:
        """Return the scores on the scheduler's scale: 0 to 100, or to 10 (`extenders_score_from_0_to_10`)."""
        return self.scores * self.scale

    @property
    def weighted(self) -> NDArray[np.int64]:
        return self.normalized * self.weight


def build_extenders(
    configured: Sequence[config.Extender], script_for: Callable[[str], ExtenderScript]
) -> tuple[ScriptedExtender, ...]:
    """Return the extenders of a run, ignorable ones last (buildExtenders)."""
    ordered = sorted(configured, key=lambda extender: extender.ignorable)
    return tuple(ScriptedExtender(extender, script_for(extender.url_prefix)) for extender in ordered)


def resources_ignored_by_scheduler(configured: Sequence[config.Extender]) -> frozenset[str]:
    """Return the managedResources with ignoredByScheduler, which replace ignoredResources of the plugin."""
    return frozenset(r.name for extender in configured for r in extender.managed_resources if r.ignored_by_scheduler)


def find_nodes_that_pass_extenders(
    extenders: Sequence[Extender], pod: Pod, nodes: Sequence[Node]
) -> tuple[list[int], list[ExtenderRejection], bool]:
    """Return the positions of the remaining nodes, the rejections, and whether the nodes lost their pods and images.

    kube-scheduler: findNodesThatPassExtenders. Each extender filters the nodes that the previous ones left. Raises
    ExtenderError if a call fails, unless the extender is ignorable.
    """
    remaining = list(range(len(nodes)))
    rejections: list[ExtenderRejection] = []
    bare = False
    for extender in extenders:
        if not remaining:
            break
        if not extender.is_interested(pod):
            continue
        try:
            result = extender.filter(pod, [nodes[position] for position in remaining])
        except ExtenderError:
            if extender.ignorable:
                continue
            raise
        bare |= extender.returns_bare_nodes
        for position in remaining:
            status = _status(result, nodes[position].name)
            if status is not None:
                rejections.append(ExtenderRejection(position, extender.name, status))
        rejected = result.failed.keys() | result.failed_unresolvable.keys()
        remaining = [position for position in remaining if nodes[position].name not in rejected]
    return remaining, rejections, bare


def prioritize(extenders: Sequence[Extender], pod: Pod, nodes: Sequence[Node], rules: Rules) -> list[ExtenderScores]:
    """Return the scores of all interested extenders that score; a failed call leaves one out (prioritizeNodes)."""
    all_scores, scale = [], 1 if rules.extenders_score_from_0_to_10 else SCALE
    for extender in extenders:
        if not extender.prioritizes or not extender.is_interested(pod):
            continue
        try:
            scores = extender.prioritize(pod, nodes)
        except ExtenderError:
            continue
        column = np.fromiter((scores.get(node.name, 0) for node in nodes), np.int64, len(nodes))
        all_scores.append(ExtenderScores(extender.name, extender.weight, column, scale))
    return all_scores


def bind(extenders: Sequence[Extender], pod: Pod, node_name: str, rules: Rules) -> str | None:
    """Bind by the first interested extender that binds pods. Return its name, None if there is none.

    Raises ExtenderError if it fails; since 1.30, the next one follows if it is ignorable.
    """
    for extender in extenders:
        if not extender.binds or not extender.is_interested(pod):
            continue
        try:
            extender.bind(pod, node_name)
        except ExtenderError:
            if extender.ignorable and rules.ignorable_extenders_may_fail_to_bind:
                continue
            raise
        return extender.name
    return None


def _status(result: ExtenderFilterResult, node_name: str) -> Status | None:
    """Return the status of a rejected node, None if the node passes; an unresolvable rejection takes precedence."""
    if node_name in result.failed_unresolvable:
        return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (result.failed_unresolvable[node_name],))
    if node_name in result.failed:
        return Status(Code.UNSCHEDULABLE, (result.failed[node_name],))
    return None
