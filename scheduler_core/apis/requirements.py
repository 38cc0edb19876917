"""Requirements of Karpenter: which values a label may have (pkg/scheduling/requirement.go, requirements.go).

A set of requirements has one for each key. Sets are never changed: `merge` returns a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from scheduler_core.apis.selectors import SelectorRequirement, parse_int64

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ARCH, OS = "kubernetes.io/arch", "kubernetes.io/os"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
NODE_POOL = "karpenter.sh/nodepool"
KWOK = "karpenter.kwok.sh"
INSTANCE_SIZE, INSTANCE_FAMILY = f"{KWOK}/instance-size", f"{KWOK}/instance-family"
INSTANCE_CPU, INSTANCE_MEMORY = f"{KWOK}/instance-cpu", f"{KWOK}/instance-memory"
WELL_KNOWN = frozenset(
    {
        *(NODE_POOL, ZONE, "topology.kubernetes.io/region", INSTANCE_TYPE, ARCH, OS, CAPACITY_TYPE),
        *("node.kubernetes.io/windows-build", INSTANCE_SIZE, INSTANCE_FAMILY, INSTANCE_CPU, INSTANCE_MEMORY),
    }
)
NORMALIZED = {
    "failure-domain.beta.kubernetes.io/zone": ZONE,
    "beta.kubernetes.io/arch": ARCH,
    "beta.kubernetes.io/os": OS,
    "beta.kubernetes.io/instance-type": INSTANCE_TYPE,
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
MOST_VALUES_SHOWN = 5


class Requirement(msgspec.Struct, frozen=True):
    """The values that a label may have: those in `values`; with `complement`, all others within the bounds.

    The bounds are integers, None for no bound. Without values and without `complement`, the label must not exist.
    `min_values`: how many values the chosen instance types must have.
    """

    key: str
    values: frozenset[str] = frozenset()
    complement: bool = False
    at_least: int | None = None
    at_most: int | None = None
    min_values: int | None = None

    @property
    def operator(self) -> str:
        """Return In, NotIn, Exists or DoesNotExist; a requirement with bounds only is Exists."""
        if self.complement:
            return "NotIn" if self.values else "Exists"
        return "In" if self.values else "DoesNotExist"

    @property
    def written(self) -> list[str]:
        """Return operator and values as a claim states them; it states bounds alone (NodeSelectorRequirement)."""
        bounds = (("Gte", self.at_least), ("Lte", self.at_most))
        stated = [text for operator, bound in bounds if bound is not None for text in (operator, str(bound))]
        return stated or [self.operator, *sorted(self.values)]

    def has(self, value: str) -> bool:
        """Return whether a value is allowed."""
        return (value in self.values) is not self.complement and self._is_within(value)

    def intersection(self, other: Requirement) -> Requirement:
        """Return the requirement for the values that both allow; the larger `min_values` applies."""
        at_least, at_most = _larger(self.at_least, other.at_least), _smaller(self.at_most, other.at_most)
        least = _larger(self.min_values, other.min_values)
        if at_least is not None and at_most is not None and at_least > at_most:
            return Requirement(self.key, min_values=least)
        complement = self.complement and other.complement
        if complement:
            values = self.values | other.values
        elif self.complement:
            values = other.values - self.values
        elif other.complement:
            values = self.values - other.values
        else:
            values = self.values & other.values
        if at_least is not None or at_most is not None:
            bounds = Requirement(self.key, at_least=at_least, at_most=at_most)
            values = frozenset(value for value in values if bounds._is_within(value))
        if not complement:
            at_least = at_most = None
        return Requirement(self.key, values, complement, at_least, at_most, least)

    def intersects(self, other: Requirement) -> bool:
        """Return whether both allow a value; for two complements, only the bounds are compared."""
        if self.complement and other.complement:
            at_least, at_most = _larger(self.at_least, other.at_least), _smaller(self.at_most, other.at_most)
            return at_least is None or at_most is None or at_least <= at_most
        return bool(self.intersection(other).values)

    def __str__(self) -> str:
        text = f"{self.key} {self.operator}"
        if self.values:
            values = sorted(self.values)
            if len(values) > MOST_VALUES_SHOWN:
                values[MOST_VALUES_SHOWN:] = [f"and {len(values) - MOST_VALUES_SHOWN} others"]
            text += f" [{' '.join(values)}]"
        if self.at_least is not None:
            text += f" >={self.at_least}"
        if self.at_most is not None:
            text += f" <={self.at_most}"
        return text if self.min_values is None else f"{text} minValues {self.min_values}"

    def _is_within(self, value: str) -> bool:
        if self.at_least is None and self.at_most is None:
            return True
        number = parse_int64(value)
        if number is None:
            return False
        return (self.at_least is None or number >= self.at_least) and (self.at_most is None or number <= self.at_most)


Requirements = Mapping[str, Requirement]
NO_REQUIREMENTS: Requirements = {}


def requirement(key: str, operator: str, values: Sequence[str] = (), min_values: int | None = None) -> Requirement:
    """Return the requirement of an expression, with `key` normalized; a bound that is no integer counts as 0."""
    key = NORMALIZED.get(key, key)
    match operator:
        case "In" | "DoesNotExist":
            return Requirement(key, frozenset(values), min_values=min_values)
        case "Gt" | "Gte":
            least = (parse_int64(values[0]) or 0) + (operator == "Gt")
            return Requirement(key, complement=True, at_least=least, min_values=min_values)
        case "Lt" | "Lte":
            most = (parse_int64(values[0]) or 0) - (operator == "Lt")
            return Requirement(key, complement=True, at_most=most, min_values=min_values)
        case _:
            return Requirement(key, frozenset(values), complement=True, min_values=min_values)


def one_of(key: str, *values: str) -> Requirement:
    """Return the requirement that a label has one of the values."""
    return Requirement(key, frozenset(values))


def of_labels(labels: Mapping[str, str]) -> Requirements:
    """Return the requirements that the labels have exactly these values."""
    return merge(one_of(NORMALIZED.get(key, key), value) for key, value in labels.items())


def of_expressions(expressions: Iterable[SelectorRequirement]) -> Requirements:
    """Return the requirements of the expressions of a node selector term."""
    return merge(requirement(e.key, e.operator, e.values) for e in expressions)


def merge(*sets: Requirements | Iterable[Requirement]) -> Requirements:
    """Return the requirements of all sets together; several for a key are intersected."""
    merged: dict[str, Requirement] = {}
    for requirements in sets:
        for entry in requirements.values() if isinstance(requirements, Mapping) else requirements:
            known = merged.get(entry.key)
            merged[entry.key] = entry if known is None or known == entry else entry.intersection(known)
    return merged


class Unknown(msgspec.Struct, frozen=True):
    """A required label that is neither known nor in `allowed`."""

    key: str
    known: Requirements
    allowed: Collection[str]

    def __str__(self) -> str:
        return f'label "{self.key}" does not have known values{self._hint()}'

    def _hint(self) -> str:
        suffix = self.key.partition("/")[2] or self.key
        for name in (*sorted(self.allowed), *self.known):
            if self.key in name or name.endswith(suffix):
                return f' (typo of "{name}"?)'
        return ""


class Disjoint(msgspec.Struct, frozen=True):
    """Keys whose values do not overlap: pairs of (required, known)."""

    pairs: tuple[tuple[Requirement, Requirement], ...]

    def __str__(self) -> str:
        return "; ".join(f"key {asked.key}, {asked} not in {known}" for asked, known in self.pairs)


def conflict(
    known: Requirements, asked: Requirements, undefined: Collection[str] = frozenset()
) -> Unknown | Disjoint | None:
    """Return the conflict of the requirements `asked` with the `known` ones, None without one (Compatible).

    Labels in `undefined` need not be known.
    """
    for key, entry in asked.items():
        if key not in known and key not in undefined and entry.operator not in ("NotIn", "DoesNotExist"):
            return Unknown(key, known, undefined)
    return disjoint(known, asked)


def disjoint(known: Requirements, asked: Requirements) -> Disjoint | None:
    """Return the keys whose values do not overlap, None if there are none (Intersects).

    A key that `known` does not have causes no conflict.
    """
    pairs = []
    for key, entry in asked.items():
        known_entry = known.get(key)
        if known_entry is None or known_entry is entry:
            continue
        if known_entry.intersects(entry) or _may_be_absent(known_entry, entry):
            continue
        pairs.append((entry, known_entry))
    return Disjoint(tuple(pairs)) if pairs else None


def _may_be_absent(first: Requirement, second: Requirement) -> bool:
    """Return whether both accept a node without the label."""
    return all(entry.operator in ("NotIn", "DoesNotExist") for entry in (first, second))


def get(requirements: Requirements, key: str) -> Requirement:
    """Return the requirement of a key; any value is allowed if there is none."""
    return requirements.get(key) or Requirement(key, complement=True)


def show(requirements: Requirements) -> str:
    """Return all requirements as Karpenter prints them, sorted, without that of the host name."""
    return ", ".join(sorted(str(entry) for key, entry in requirements.items() if key != HOSTNAME))


def _larger(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return max(first, second)


def _smaller(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)
