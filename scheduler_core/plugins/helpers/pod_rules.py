"""Rules that select pods, as spread constraints and affinity terms do, and an index of items by their selectors.

kube-scheduler: AffinityTerm.Matches (framework/types.go), countPodsMatchSelector (podtopologyspread/common.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import msgspec

from scheduler_core.apis.selectors import LabelSelector

Label = tuple[str, str]
T = TypeVar("T")


class PodRule(msgspec.Struct, frozen=True, cache_hash=True):
    """A rule that selects pods in one of `namespaces` (None: any) with labels that match `selector`."""

    namespaces: frozenset[str] | None
    selector: LabelSelector

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        return (self.namespaces is None or namespace in self.namespaces) and self.selector.matches(labels)


PodRules = tuple[PodRule, ...]  # all of them must match


def match_all(rules: PodRules, namespace: str, labels: Mapping[str, str]) -> bool:
    return all(rule.matches(namespace, labels) for rule in rules)


def anchors(selector: LabelSelector) -> tuple[Label, ...] | None:
    """Return labels of which each matching pod has exactly one; None if no requirement has the operator In."""
    for requirement in selector.requirements:
        if requirement.operator == "In":
            return tuple((requirement.key, value) for value in requirement.values)
    return None


class SelectorIndex(msgspec.Struct, Generic[T]):
    """Finds items with a selector by a pod's labels; the result may include items that do not match."""

    _anchored: dict[Label, dict[T, None]] = {}
    _loose: dict[T, None] = {}

    def add(self, selector: LabelSelector, item: T) -> None:
        for bucket in self._buckets(selector):
            bucket[item] = None

    def remove(self, selector: LabelSelector, item: T) -> None:
        for bucket in self._buckets(selector):
            bucket.pop(item, None)

    def candidates(self, labels: Mapping[str, str]) -> Iterator[T]:
        """Yield each item once, in an order that depends only on the additions and on `labels`."""
        yield from self._loose
        if self._anchored:
            for label in labels.items():
                yield from self._anchored.get(label, ())

    def _buckets(self, selector: LabelSelector) -> list[dict[T, None]]:
        anchor_labels = anchors(selector)
        return (
            [self._loose]
            if anchor_labels is None
            else [self._anchored.setdefault(label, {}) for label in anchor_labels]
        )
