"""The cost of an evaluation, in the units of the limits of Kubernetes.

Rules: cel-go's `interpreter/runtimecost.go` and `common/cost.go`, and the costs of Kubernetes' own functions
(`k8s.io/apiserver/pkg/cel/library/cost.go`, `CallCost`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scheduler_core.cel import types
from scheduler_core.cel.values import (
    RUNTIME_TYPES,
    Cancelled,
    Error,
    Map,
    Optional,
    Value,
    is_list,
    size_of,
    spend_steps,
    type_of,
)

SELECT = 1
LIST = 10
MAP = 30
MESSAGE = 40
TRAVERSAL = 0.1  # per character of a string that is traversed
REGEX = 0.25  # per character of a pattern
AUTHORIZATION = 350_000  # per check, so that the limit of an expression allows two
SELECTOR = 10  # of a field or label selector, to which its requirements are added
REQUIREMENTS = 0.5  # per character of a selector
REQUIREMENT = 50.0

ONE_PER_CALL = frozenset(
    [
        "serviceAccount",
        "path",
        "group",
        "resource",
        "subresource",
        "namespace",
        "name",
        "allowed",
        "reason",
        "error",
        "errored",
        "masked",
        "prefixLength",
        "family",
        "isUnspecified",
        "isLoopback",
        "isLinkLocalMulticast",
        "isLinkLocalUnicast",
        "isGlobalUnicast",
        "format.named",
        "sign",
        "asInteger",
        "isInteger",
        "asApproximateFloat",
        "isGreaterThan",
        "isLessThan",
        "compareTo",
        "add",
        "sub",
        "major",
        "minor",
        "patch",
        "getScheme",
        "getHostname",
        "getHost",
        "getPort",
        "getEscapedPath",
        "getQuery",
    ]
)
_ONE_TRAVERSAL = frozenset(
    [
        "url",
        "lowerAscii",
        "upperAscii",
        "substring",
        "trim",
        "jsonpatch.escapeKey",
        "cidr",
        "isIP",
        "isCIDR",
        "quantity",
        "isQuantity",
        "semver",
        "isSemver",
    ]
)
OF_A_LIST = frozenset(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"])
_ALONG_FIRST = frozenset(
    ["starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string", "strings_quote", "string_format"]
)
ALONG_SHORTER = frozenset(
    [
        f"{relation}_{of}"
        for relation in ("less", "greater", "less_equals", "greater_equals")
        for of in ("string", "bytes")
    ]
    + ["equals", "not_equals"]
)
_KUBERNETES_TYPES = frozenset(
    (types.QUANTITY.name, types.IP.name, types.CIDR.name, types.FORMAT.name, types.URL.name, types.SEMVER.name)
)


class Tracker:
    """The cost so far, and the ids of the values that cel-go keeps on a stack during evaluation.

    A call is charged only if the ids of all its arguments are on the stack. So the cost of an expression depends on the
    way in which cel-go removes the ids that `&&` and comprehensions leave there.
    """

    __slots__ = ("_at", "_ids", "cost", "limit")

    def __init__(self, limit: int) -> None:
        self.cost = 0
        self.limit = limit
        self._ids: list[int] = []
        self._at: dict[int, list[int]] = {}

    def push(self, id_: int) -> None:
        """Push the id of a value on the stack."""
        self._at.setdefault(id_, []).append(len(self._ids))
        self._ids.append(id_)

    def charge(self, cost: int, id_: int) -> None:
        """Add the cost of a step, and push the id of its value. Raises Cancelled above the limit."""
        self.cost += cost
        self.push(id_)
        if self.cost > self.limit:
            raise Cancelled("operation cancelled: actual cost limit exceeded")

    def drop(self, id_: int) -> bool:
        """Remove the last entry of an id from the stack and everything above it; return False if there is none."""
        places = self._at.get(id_)
        if not places:
            return False
        place = places[-1]
        for above in self._ids[place:]:
            self._at[above].pop()
        del self._ids[place:]
        return True

    def drop_arguments(self, ids: list[int]) -> bool:
        """Remove the arguments of a call, the last first; return False as soon as one is not on the stack."""
        return all(self.drop(id_) for id_ in reversed(ids))


def call_cost(function: str, overload: str, arguments: tuple[Value, ...], result: Value) -> int:
    """Return the cost of a call, without that of its arguments. Raises Cancelled where cel-go panics."""
    tracked = _TRACKED.get(overload)
    if tracked is not None:
        return tracked(arguments, result)
    cost = _kubernetes_cost(function, overload, arguments, result)
    if cost is not None:
        return cost
    if overload in _ALONG_FIRST:
        return math.ceil(_size(arguments[0]) * TRAVERSAL)
    if overload == "in_list":
        return _size(arguments[1])
    if overload in ALONG_SHORTER:
        return math.ceil(min(_size(arguments[0]), _size(arguments[1])) * TRAVERSAL)
    if overload in ("add_string", "add_bytes"):
        return math.ceil((_size(arguments[0]) + _size(arguments[1])) * TRAVERSAL)
    if overload == "matches_string":
        return math.ceil((1.0 + _size(arguments[0])) * TRAVERSAL) * math.ceil(_size(arguments[1]) * REGEX)
    if overload == "contains_string":
        return math.ceil(_size(arguments[0]) * TRAVERSAL) * math.ceil(_size(arguments[1]) * TRAVERSAL)
    return 1


def _kubernetes_cost(function: str, overload: str, arguments: tuple[Value, ...], result: Value) -> int | None:
    """Return the cost of a call of one of Kubernetes' own functions; None for other functions (`CallCost`)."""
    first = _plain_size(arguments[0]) if arguments else 0
    if function in ONE_PER_CALL:
        return 1
    if function == "check":
        return AUTHORIZATION
    if function in ("fieldSelector", "labelSelector"):
        size = _plain_size(arguments[1])
        return SELECTOR + math.ceil(size * TRAVERSAL) + math.ceil(math.ceil(size * REQUIREMENTS) * REQUIREMENT)
    if function in OF_A_LIST:
        return _traversal(arguments[0])
    if function in _ONE_TRAVERSAL:
        return math.ceil(first * TRAVERSAL)
    if function in ("replace", "split", "ip.isCanonical"):
        return math.ceil(first * 2 * TRAVERSAL)
    if function == "join":
        return math.ceil(_plain_size(result) * 2 * TRAVERSAL)
    if function in ("find", "findAll"):
        return math.ceil((1.0 + first) * TRAVERSAL) * math.ceil(_plain_size(arguments[1]) * REGEX)
    if function == "ip":
        return 1 if overload == "cidr_ip" else math.ceil(first * TRAVERSAL)
    if function in ("containsIP", "containsCIDR"):
        cost = math.ceil((first + first) * TRAVERSAL)
        if function == "containsCIDR":
            cost += math.ceil(first * TRAVERSAL) + 1
        if overload in ("cidr_contains_ip_string", "cidr_contains_cidr_string"):
            cost += math.ceil(_plain_size(arguments[1]) * TRAVERSAL)
        return cost
    if function == "validate" and type_of(arguments[0]) == types.FORMAT:
        pattern: int = arguments[0].pattern_length
        return math.ceil((1.0 + _plain_size(arguments[1])) * TRAVERSAL) * math.ceil(pattern * REGEX)
    if function == "_==_" and type_of(arguments[0]).name in _KUBERNETES_TYPES:
        return 1
    return None


def _size(value: Value) -> int:
    if type(value) is Optional and value.present:
        return _size(value.value)
    return _plain_size(value)


def _plain_size(value: Value) -> int:
    size = size_of(value)
    return 1 if size is None else size


def _traversal(value: Value) -> int:
    """Return the cost of traversing a value with all its elements. Raises Cancelled if it has too many."""
    kind = type(value)
    if kind is str:
        return int(len(value.encode()) * TRAVERSAL)
    if kind is bytes:
        return int(len(value) * TRAVERSAL)
    if is_list(value):
        spend_steps(len(value))
        return sum(_traversal(each) for each in value)
    if isinstance(value, Map):
        spend_steps(len(value))
        return sum(_traversal(key) + _traversal(value.find(key)) for key in value.keys_of())
    return 1


def _list_call(factor: float, size: int) -> int:
    return int(size * factor) + 1 + LIST


def _result_size(arguments: tuple[Value, ...], result: Value) -> int:
    return _list_call(1, _plain_size(result))


def _flatten(arguments: tuple[Value, ...], result: Value) -> int:
    if type(arguments[-1]) is Error and len(arguments) == 2:
        raise Cancelled("internal error: interface conversion: ref.Val is *types.Err, not types.Int")
    depth = float(arguments[1]) if len(arguments) == 2 else 1.0
    return _list_call(depth, _plain_size(arguments[0]))


def _compare_all(of: int) -> Callable[[tuple[Value, ...], Value], int]:
    def cost(arguments: tuple[Value, ...], result: Value) -> int:
        elements = arguments[of]
        if not is_list(elements):
            # cel-go's error for an error in place of a list.
            raise Cancelled("internal error: interface conversion: *types.Err is not traits.Lister: missing method Add")
        size = _plain_size(elements)
        factor = 2.0
        if size and RUNTIME_TYPES[type(elements[0])].type in (types.STRING, types.BYTES):
            factor += TRAVERSAL
        return _list_call(factor, size * size)

    return cost


def _sets(factor: float) -> Callable[[tuple[Value, ...], Value], int]:
    def cost(arguments: tuple[Value, ...], result: Value) -> int:
        return 1 + int(_plain_size(arguments[0]) * _plain_size(arguments[1]) * factor)

    return cost


COMPARABLE = (
    types.INT, types.UINT, types.DOUBLE, types.BOOL, types.DURATION, types.TIMESTAMP, types.STRING, types.BYTES,
)  # fmt: skip
_TRACKED: dict[str, Callable[[tuple[Value, ...], Value], int]] = {
    "list_slice": _result_size,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _result_size,
    "list_reverse": _result_size,
    "list_distinct": _compare_all(0),
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    **{f"list_{each.name}_sort": _compare_all(0) for each in COMPARABLE},
    **{f"list_{each.name}_sortByAssociatedKeys": _compare_all(1) for each in COMPARABLE},
}
