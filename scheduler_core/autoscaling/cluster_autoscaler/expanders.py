"""Expanders: choose one of the options (expander/)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from scheduler_core.apis.autoscaling import ClusterAutoscalerSettings, Pricing
from scheduler_core.apis.core import Pod
from scheduler_core.autoscaling.cloud import Group
from scheduler_core.autoscaling.cluster_autoscaler.templates import Template
from scheduler_core.cel.libraries.regex import compile_pattern

GIB = 1 << 30
GPU = "nvidia.com/gpu"
STABILISATION_CPU, STABILISATION_MEMORY = 0.5, 500 * (1 << 20)  # the pod that damps prices (price.go)
GPU_UNFITNESS = 1000.0
PREFERRED_CPU = ((2, 1), (6, 2), (20, 4), (60, 8), (200, 16))  # up to so many nodes: so many cpus (preferred.go)
LARGEST_PREFERRED_CPU = 32
LOWEST_PRIORITY = -1  # of groups in the ConfigMap of the priority expander


class Option(msgspec.Struct, frozen=True):
    """Nodes of a group that would help pods."""

    group: Group
    template: Template
    nodes: int
    pods: Sequence[Pod]


Expander = Callable[[Sequence[Option]], Sequence[Option]]


class Expanders:
    """The chain of expanders. `node_count` is that of the cluster."""

    def __init__(self, settings: ClusterAutoscalerSettings, rng: np.random.Generator | None) -> None:
        self._settings = settings
        self._rng = rng
        self.node_count = 0
        self.warnings: list[tuple[str, str]] = []  # of the priority expander: reason and message
        known: Mapping[str, Expander] = {
            "least-waste": lambda options: _lowest(options, wasted),
            "most-pods": lambda options: _lowest(options, lambda option: -len(option.pods)),
            "least-nodes": lambda options: _lowest(options, lambda option: option.nodes),
            "price": lambda options: _lowest(options, self._price_score),
            "priority": self._by_priority,
            "random": self._any,
        }
        self._chain = [known[name] for name in settings.flags["expander"]]

    def best(self, options: Sequence[Option]) -> Option:
        """Return the option left at the end of the chain; the last tie is broken at random, or without a seed
        by order.
        """
        for expander in self._chain:
            options = expander(options)
            if len(options) == 1:
                return options[0]
        return self._any(options)[0]

    def scores(self, options: Sequence[Option]) -> list[dict[str, float]]:
        """Return the values that each expander of the chain compares, by option; `random` compares none."""
        known: Mapping[str, Callable[[Option], float | None]] = {
            "least-waste": wasted,
            "most-pods": lambda option: len(option.pods),
            "least-nodes": lambda option: option.nodes,
            "price": self._price_score,
            "priority": lambda option: max(self._priorities_of(option), default=None),
        }
        names = [name for name in self._settings.flags["expander"] if name in known]
        all_scores = [{name: known[name](option) for name in names} for option in options]
        return [{name: score for name, score in scores.items() if score is not None} for scores in all_scores]

    def _any(self, options: Sequence[Option]) -> Sequence[Option]:
        return [options[0 if self._rng is None else int(self._rng.integers(len(options)))]]

    def _by_priority(self, options: Sequence[Option]) -> Sequence[Option]:
        """Return the options of the highest priority whose expressions match one, or all without a match (priority.go).

        Priorities below -1 are never chosen. Groups that no expression matches are added to `warnings`.
        """
        if self._settings.priorities is None:
            return options
        by_priority: dict[int, list[Option]] = {}
        for option in options:
            matching = self._priorities_of(option)
            if not matching:
                text = f"node group {option.group.name} not found in priority expander configuration. "
                self.warnings.append(("PriorityConfigMapNotMatchedGroup", f"{text}The group won't be used."))
            for priority in matching:
                if priority >= LOWEST_PRIORITY:
                    by_priority.setdefault(priority, []).append(option)
        if not by_priority:
            text = "no priorities info found for any of the expansion options. No options filtered."
            self.warnings.append(("PriorityConfigMapNoGroupMatched", text))
            return options
        return by_priority[max(by_priority)]

    def _priorities_of(self, option: Option) -> list[int]:
        return [
            priority
            for priority, names in (self._settings.priorities or {}).items()
            if any(compile_pattern(name).search(option.group.name) for name in names)
        ]

    def _price_score(self, option: Option) -> float:
        pricing = self._settings.pricing or Pricing()
        stabilisation = STABILISATION_CPU * pricing.cpu + STABILISATION_MEMORY / GIB * pricing.memory
        nodes = option.nodes * (option.group.spec.price or 0.0)
        pods = sum(pod_price(pod, pricing) for pod in option.pods)
        ratio = (nodes + stabilisation) / (pods + stabilisation) if pods + stabilisation else math.inf
        return ratio * self._damped_unfitness(option)

    def _damped_unfitness(self, option: Option) -> float:
        capacity = option.template.node.capacity
        if capacity.get(GPU):
            return GPU_UNFITNESS
        preferred = next((cpu for most, cpu in PREFERRED_CPU if self.node_count <= most), LARGEST_PREFERRED_CPU)
        cpu = capacity.get("cpu", 0) / 1000
        unfitness = max(preferred / cpu, cpu / preferred) if cpu else math.inf
        return (unfitness - 1) * (1 - math.tanh((option.nodes - 1) / 15)) + 1


def pod_price(pod: Pod, pricing: Pricing) -> float:
    """Return the price of a pod per hour."""
    requests = pod.requests
    return (
        requests.get("cpu", 0) / 1000 * pricing.cpu
        + requests.get("memory", 0) / GIB * pricing.memory
        + requests.get(GPU, 0) * pricing.gpu
    )


def wasted(option: Option) -> float:
    """Return the sum of the shares of cpu and memory that the pods of an option leave unused, at most 2 (waste.go)."""
    waste = 0.0
    for name in ("cpu", "memory"):
        available = option.nodes * option.template.node.capacity.get(name, 0)
        requested = sum(pod.requests.get(name, 0) for pod in option.pods)
        waste += (available - requested) / available if available else 0.0
    return waste


def _lowest(options: Sequence[Option], score: Callable[[Option], float]) -> Sequence[Option]:
    scores = [score(option) for option in options]
    return [option for option, value in zip(options, scores, strict=True) if value == min(scores)]
