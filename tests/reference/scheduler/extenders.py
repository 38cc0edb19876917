"""Scripted extenders, called one after another, as in findNodesThatPassExtenders, prioritizeNodes and callExtenders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from scheduler_core.apis.config import Extender, NodeResourcesFitArgs, SchedulerConfiguration
from scheduler_core.apis.core import Node, Pod
from scheduler_core.scenario.types import ExtenderScript
from tests.reference.framework.interface import ExtenderFailed, Rejection


def ignoring_managed_resources(config: SchedulerConfiguration) -> SchedulerConfiguration:
    """Return the configuration with the extenders' ignoredByScheduler resources as every profile's ignoredResources.

    They replace the profile's own, as in buildExtenders; without such resources, the configuration is unchanged.
    """
    ignored = {
        resource.name
        for extender in config.extenders
        for resource in extender.managed_resources
        if resource.ignored_by_scheduler
    }
    if not ignored:
        return config
    profiles = []
    for profile in config.profiles:
        fit = profile.plugin_args.get("NodeResourcesFit") or NodeResourcesFitArgs()
        args = {**profile.plugin_args, "NodeResourcesFit": replace(fit, ignored_resources=frozenset(ignored))}
        profiles.append(replace(profile, plugin_args=args))
    return replace(config, profiles=tuple(profiles))


@dataclass
class Extenders:
    """The extenders with their scripts, in the order of the configuration, but the ignorable ones last.

    `failures_used`: how often each scripted failure has happened, by URL prefix and index.
    """

    configured: Sequence[tuple[Extender, ExtenderScript]]
    failures_used: Counter[tuple[str, int]] = field(default_factory=Counter)
    bare: bool = False  # the last call of `filter` returned nodes without their pods and images

    def __post_init__(self) -> None:
        self.configured = sorted(self.configured, key=lambda one: one[0].ignorable)

    def __bool__(self) -> bool:
        return bool(self.configured)

    @property
    def filter_or_prioritize(self) -> bool:
        """Return whether an extender filters or prioritizes."""
        return any(extender.filter_verb or extender.prioritize_verb for extender, _ in self.configured)

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, Rejection]:
        """Return the rejections by node; each extender gets the nodes that the extenders before it accepted."""
        rejected: dict[str, Rejection] = {}
        self.bare = False
        for extender, script in self._interested(pod):
            left = [node for node in nodes if node.name not in rejected]
            if not left or not extender.filter_verb:
                continue
            if not self._called("filter", pod, extender, script):
                continue
            self.bare |= not extender.node_cache_capable
            for node in left:
                rules = [r for r in script.filter if r.pods.matches(pod.key, pod.labels)]
                rules = [r for r in rules if r.nodes.matches(node.name, node.labels)]
                hard = [r for r in rules if r.unresolvable]
                if rules:
                    code = "UnschedulableAndUnresolvable" if hard else "Unschedulable"
                    rejected[node.name] = Rejection("", code, ((hard or rules)[0].reject,))
        return rejected

    def scores(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, int]:
        """Return the points that extenders add to every node's total; a call that fails adds none."""
        totals = {node.name: 0 for node in nodes}
        for extender, script in self._interested(pod):
            if not extender.prioritize_verb:
                continue
            try:
                self._called("prioritize", pod, extender, script)
            except ExtenderFailed:
                continue
            if self._failed:
                continue
            rules = [r for r in script.prioritize if r.pods.matches(pod.key, pod.labels)]
            for node in nodes:
                mine = [r.score for r in rules if r.nodes.matches(node.name, node.labels)]
                totals[node.name] += (mine or [0])[0] * extender.weight * 10
        return totals

    def filter_candidates(self, pod: Pod, nodes: Sequence[Node]) -> set[str]:
        """Return the names of the candidates for preemption that the extenders accept."""
        left = list(nodes)
        for extender, script in self._interested(pod):
            if not extender.preempt_verb or not left:
                continue
            if not self._called("preempt", pod, extender, script):
                continue
            rules = [r for r in script.preempt if r.pods.matches(pod.key, pod.labels)]
            left = [n for n in left if not any(r.nodes.matches(n.name, n.labels) for r in rules)]
        return {node.name for node in left}

    def _interested(self, pod: Pod) -> list[tuple[Extender, ExtenderScript]]:
        found = []
        for extender, script in self.configured:
            managed = [resource.name for resource in extender.managed_resources]
            if not managed or any(name in pod.requests for name in managed):
                found.append((extender, script))
        return found

    def _called(self, verb: str, pod: Pod, extender: Extender, script: ExtenderScript) -> bool:
        """Return whether the call succeeded. Raise ExtenderFailed if it failed and the extender is not ignorable."""
        self._failed = False
        for index, failure in enumerate(script.failures):
            used_up = failure.times is not None and self.failures_used[script.url_prefix, index] >= failure.times
            if failure.verb == verb and not used_up and failure.pods.matches(pod.key, pod.labels):
                self.failures_used[script.url_prefix, index] += 1
                self._failed = True
                if not extender.ignorable:
                    raise ExtenderFailed(failure.message)
                return False
        return True
