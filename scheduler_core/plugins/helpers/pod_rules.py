"""Which pods a spread constraint or an affinity term speaks of, and how to find them without asking every pod.

kube-scheduler: AffinityTerm.Matches (framework/types.go), countPodsMatchSelector (podtopologyspread/common.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from scheduler_core.apis.selectors import LabelSelector

Label = tuple[str, str]
T = TypeVar("T")


@dataclass(frozen=True)
class PodRule:
    """Pods in one of `namespaces` (None: in any) whose labels match `selector`."""

    namespaces: frozenset[str] | None
    selector: LabelSelector

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        return (self.namespaces is None or namespace in self.namespaces) and self.selector.matches(labels)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.namespaces, self.selector))


PodRules = tuple[PodRule, ...]  # all of them must match


def match_all(rules: PodRules, namespace: str, labels: Mapping[str, str]) -> bool:
    return all(rule.matches(namespace, labels) for rule in rules)


def anchors(selector: LabelSelector) -> tuple[Label, ...] | None:
    """Labels of which a matching pod carries exactly one; None if the selector asks for no value."""
    for requirement in selector.requirements:
        if requirement.operator == "In":
            return tuple((requirement.key, value) for value in requirement.values)
    return None


@dataclass
class SelectorIndex(Generic[T]):
    """Things that have a selector, found by the labels of a pod: a superset of those whose selector matches."""

    _anchored: dict[Label, dict[T, None]] = field(default_factory=dict)
    _loose: dict[T, None] = field(default_factory=dict)

    def add(self, selector: LabelSelector, thing: T) -> None:
        for bucket in self._buckets(selector):
            bucket[thing] = None

    def remove(self, selector: LabelSelector, thing: T) -> None:
        for bucket in self._buckets(selector):
            bucket.pop(thing, None)

    def candidates(self, labels: Mapping[str, str]) -> Iterator[T]:
        """Each thing once, in an order that depends on nothing but the order of additions and of `labels`."""
        yield from self._loose
        if self._anchored:
            for label in labels.items():
                yield from self._anchored.get(label, ())

    def _buckets(self, selector: LabelSelector) -> list[dict[T, None]]:
        found = anchors(selector)
        return [self._loose] if found is None else [self._anchored.setdefault(label, {}) for label in found]
