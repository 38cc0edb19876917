"""Label and node selectors, frozen and hashable, matching as kube-scheduler does.

The rules are those of apimachinery's `labels.Requirement.Matches`, `metav1.LabelSelectorAsSelector` and
component-helpers' `nodeaffinity` package. The parser validates operators and values before it builds these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

Operator = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]

LABEL_SELECTOR_OPERATORS: tuple[Operator, ...] = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_SELECTOR_OPERATORS: tuple[Operator, ...] = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
NODE_NAME_FIELD = "metadata.name"  # the only field that matchFields may name

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_LABEL_VALUE_LENGTH = 63
_LABEL_VALUE = re.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_LABEL_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    f"'{_LABEL_VALUE.pattern}')"
)


class SelectorRequirement(msgspec.Struct, frozen=True):
    """One condition on one label (`labels.Requirement`); `values` are sorted and unique."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether the labels match.

        NotIn and DoesNotExist match an absent label; all other operators require the label.
        """
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return value is not None and self._compare(value)

    def _compare(self, value: str) -> bool:
        """Return whether a label matches Gt or Lt, as 64-bit integers; False if it or the bound is not an integer."""
        left, right = parse_int64(value), parse_int64(self.values[0])
        if left is None or right is None:
            return False
        return left > right if self.operator == "Gt" else left < right

    def errors(self) -> list[str]:
        """Return the errors with which `labels.NewRequirement` rejects the requirement; kube-apiserver accepts it."""
        errors = []
        if self.operator in ("Gt", "Lt") and parse_int64(self.values[0]) is None:
            reason = "for 'Gt', 'Lt' operators, the value must be an integer"
            errors.append(f'values[0]: Invalid value: "{self.values[0]}": {reason}')
        for index, value in enumerate(self.values):
            reasons = []
            if len(value) > _LABEL_VALUE_LENGTH:
                reasons.append(f"must be no more than {_LABEL_VALUE_LENGTH} characters")
            if not _LABEL_VALUE.fullmatch(value):
                reasons.append(_LABEL_VALUE_RULE)
            if reasons:
                errors.append(f'values[{index}][{self.key}]: Invalid value: "{value}": {"; ".join(reasons)}')
        return errors

    def __str__(self) -> str:
        """Return the notation of `kubectl get -l`."""
        match self.operator:
            case "Exists":
                return self.key
            case "DoesNotExist":
                return f"!{self.key}"
            case "Gt" | "Lt":
                return f"{self.key}{'>' if self.operator == 'Gt' else '<'}{self.values[0]}"
            case "In" if len(self.values) == 1:
                return f"{self.key}={self.values[0]}"
            case "In":
                return f"{self.key} in ({','.join(self.values)})"
            case "NotIn":
                return f"{self.key} notin ({','.join(self.values)})"


class LabelSelector(msgspec.Struct, frozen=True):
    """A set of requirements, ANDed. Without requirements it matches everything, unless it is `nothing()`.

    kube-scheduler reads an absent selector as `nothing()` and an empty one ({}) as `everything()`.
    """

    requirements: tuple[SelectorRequirement, ...] = ()
    matches_nothing: bool = False

    @staticmethod
    def everything() -> LabelSelector:
        """Return the selector that matches all labels."""
        return _EVERYTHING

    @staticmethod
    def nothing() -> LabelSelector:
        """Return the selector that matches no labels."""
        return _NOTHING

    @staticmethod
    def from_labels(labels: Mapping[str, str]) -> LabelSelector:
        """Return a selector that requires every label with its value (`labels.SelectorFromSet`)."""
        return LabelSelector(tuple(SelectorRequirement(key, "In", (labels[key],)) for key in sorted(labels)))

    @property
    def empty(self) -> bool:
        """Return whether the selector restricts nothing (`labels.Selector.Empty`; `nothing()` is not empty)."""
        return not self.requirements and not self.matches_nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether the labels meet all requirements; False for `nothing()`."""
        if self.matches_nothing:
            return False
        return all(requirement.matches(labels) for requirement in self.requirements)

    def and_also(self, *extra: SelectorRequirement) -> LabelSelector:
        """Return the selector with more requirements (matchLabelKeys, spread constraints); `nothing()` is unchanged."""
        if self.matches_nothing or not extra:
            return self
        return LabelSelector(sorted_requirements(self.requirements + extra))

    def __str__(self) -> str:
        if self.matches_nothing:
            return "<nothing>"
        return ",".join(map(str, self.requirements)) or "<everything>"


class NodeSelectorTerm(msgspec.Struct, frozen=True):
    """Expressions over labels and over the node's name, ANDed; an empty term matches no node."""

    match_expressions: tuple[SelectorRequirement, ...] = ()
    match_fields: tuple[SelectorRequirement, ...] = ()

    @property
    def empty(self) -> bool:
        """Return whether the term has no expressions."""
        return not self.match_expressions and not self.match_fields

    def errors(self) -> list[str]:
        """Return the errors of kube-scheduler's parser. Required affinity ignores them; such a term matches nothing."""
        return [
            f"matchExpressions[{index}].{error}"
            for index, requirement in enumerate(self.match_expressions)
            for error in requirement.errors()
        ]

    def matches(self, labels: Mapping[str, str], node_name: str) -> bool:
        """Return whether a node with these labels and this name meets all expressions; False for an empty term."""
        if self.empty:
            return False
        fields = {NODE_NAME_FIELD: node_name}
        return all(r.matches(labels) for r in self.match_expressions) and all(
            r.matches(fields) for r in self.match_fields
        )

    def node_names(self) -> frozenset[str] | None:
        """Return the names that matchFields allow by operator In, None if there are none (NodeAffinity's PreFilter)."""
        names: frozenset[str] | None = None
        for requirement in self.match_fields:
            if requirement.key == NODE_NAME_FIELD and requirement.operator == "In":
                values = frozenset(requirement.values)
                names = values if names is None else names & values
        return names

    def __str__(self) -> str:
        return ",".join(map(str, self.match_expressions + self.match_fields)) or "<nothing>"


class NodeSelector(msgspec.Struct, frozen=True):
    """Terms, ORed; without a term it matches no node."""

    terms: tuple[NodeSelectorTerm, ...] = ()

    def matches(self, labels: Mapping[str, str], node_name: str) -> bool:
        """Return whether a node with these labels and this name matches one of the terms."""
        return any(term.matches(labels, node_name) for term in self.terms)

    def __str__(self) -> str:
        return " or ".join(map(str, self.terms)) or "<nothing>"


_EVERYTHING = LabelSelector()
_NOTHING = LabelSelector(matches_nothing=True)


def sorted_requirements(requirements: tuple[SelectorRequirement, ...]) -> tuple[SelectorRequirement, ...]:
    """Sort requirements by key, as `labels.NewSelector().Add` does (stable for equal keys)."""
    return tuple(sorted(requirements, key=lambda requirement: requirement.key))


def parse_int64(text: str) -> int | None:
    """Parse a 64-bit integer like Go's `strconv.ParseInt(text, 10, 64)`; None if that fails."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    significant = digits.lstrip("0")
    if not (digits.isascii() and digits.isdigit()) or len(significant) > 19:
        return None
    number = int(significant or "0") * (-1 if text.startswith("-") else 1)
    return number if _INT64_MIN <= number <= _INT64_MAX else None
