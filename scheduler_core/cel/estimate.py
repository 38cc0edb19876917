"""The maximum cost of an expression, estimated before it is evaluated (cel-go's `checker/cost.go`).

Includes the costs of Kubernetes' own functions (`k8s.io/apiserver/pkg/cel/library/cost.go`, `EstimateCallCost`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import NamedTuple

import msgspec

from scheduler_core.cel import costs, types
from scheduler_core.cel.check import Checked
from scheduler_core.cel.costs import COMPARABLE, REGEX, TRAVERSAL
from scheduler_core.cel.libraries import authorizer
from scheduler_core.cel.macros import ACCUMULATOR
from scheduler_core.cel.syntax import Call, Comprehension, Expr, Ident, ListOf, Literal, MapOf, Select, StructLiteral
from scheduler_core.cel.types import CelType, Kind
from scheduler_core.cel.values import MAX_UINT

_OLD_ACCUMULATOR = "__result__"
_MAX_FORMAT_LENGTH = 64
_MAX_FORMAT_PATTERN = 128
_ADDRESS_LENGTHS = (4, 16)  # bytes of an IPv4 and an IPv6 address


class Range(NamedTuple):
    """A range of costs or sizes; sums and products are capped at 2^64 - 1."""

    low: int
    high: int

    def plus(self, other: Range) -> Range:
        return Range(min(self.low + other.low, MAX_UINT), min(self.high + other.high, MAX_UINT))

    def times(self, other: Range) -> Range:
        return Range(min(self.low * other.low, MAX_UINT), min(self.high * other.high, MAX_UINT))

    def scaled(self, factor: float) -> Range:
        return Range(_scale(self.low, factor), _scale(self.high, factor))

    def union(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))


def _scale(number: int, factor: float) -> int:
    exact = float(number)
    if exact > 0 and factor > 0 and exact > float(MAX_UINT) / factor:
        return MAX_UINT
    scaled = math.ceil(exact * factor)
    return MAX_UINT if scaled >= 2**64 else scaled


def _exactly(number: int) -> Range:
    return Range(number, number)


UNKNOWN = Range(0, MAX_UINT)
_NOTHING, _ONE = _exactly(0), _exactly(1)
_unknown: ContextVar[Range] = ContextVar("unknown", default=UNKNOWN)


class Shape(msgspec.Struct, frozen=True):
    """The maximum sizes of the values of a variable or field: characters of a string, entries of a map or list."""

    size: int = 0
    fields: Mapping[str, Shape] = {}
    key: Shape | None = None
    element: Shape | None = None
    any_field: Shape | None = None  # of any other name

    def at(self, path: tuple[str, ...]) -> Shape | None:
        """Return the shape at a path, or None; "@keys", "@values" and "@items" mean all of a map or list."""
        shape: Shape | None = self
        for name in path:
            assert shape is not None
            if name in ("@items", "@values"):
                shape = shape.element
            elif name == "@keys":
                shape = shape.key
            else:
                shape = shape.fields.get(name, shape.any_field)
            if shape is None:
                return None
        return shape


class _Entries(msgspec.Struct, frozen=True):
    """The estimated sizes of the keys and values of a list or map; those of a list's indices are 1."""

    kind: Kind
    key: Range
    value: Range


class _Local(msgspec.Struct, frozen=True):
    """The estimated sizes of a variable of a comprehension."""

    path: tuple[str, ...]
    size: Range | None
    entries: _Entries | None


class _Part(msgspec.Struct, frozen=True):
    """A target or argument of a call, with its estimates."""

    expr: Expr
    type: CelType
    path: tuple[str, ...]
    size: Range | None


class _CallCost(NamedTuple):
    cost: Range
    size: Range | None = None


def estimate_cost(checked: Checked, variables: Mapping[str, Shape], *, most: int = MAX_UINT) -> int:
    """Return the estimated maximum cost of an evaluation; `variables` have the maximum sizes of their values.

    `most` is used for sizes that cel-go does not estimate, such as that of an optional's value or of `string(1)`.
    """
    before = _unknown.set(Range(0, most))
    try:
        return _Estimator(checked, variables).cost(checked.tree.root).high
    finally:
        _unknown.reset(before)


class _Estimator:
    """Estimates the cost of each part of a checked expression, and the sizes that further costs depend on."""

    def __init__(self, checked: Checked, variables: Mapping[str, Shape]) -> None:
        self._checked, self._variables = checked, variables
        self._paths: dict[int, tuple[str, ...]] = {}
        self._locals: dict[str, list[_Local]] = {}
        self._sizes: dict[int, Range] = {}
        self._entries: dict[int, _Entries] = {}

    def cost(self, expr: Expr) -> Range:
        node = expr.node
        if isinstance(node, Ident):
            local = self._local(node.name)
            self._paths[expr.id] = (node.name,) if local is None else local.path
            return _exactly(costs.SELECT)
        if isinstance(node, Select):
            return self._cost_select(expr, node)
        if isinstance(node, Call):
            return self._cost_call(expr, node)
        if isinstance(node, ListOf):
            return self._cost_list(expr, node)
        if isinstance(node, MapOf):
            return self._cost_map(expr, node)
        if isinstance(node, StructLiteral):
            return self._sum([each.value for each in node.fields]).plus(_exactly(costs.MESSAGE))
        if isinstance(node, Comprehension):
            return self._cost_bind(expr, node) if _is_bind(node) else self._cost_fold(expr, node)
        return _NOTHING

    def _sum(self, exprs: list[Expr]) -> Range:
        total = _NOTHING
        for expr in exprs:
            total = total.plus(self.cost(expr))
        return total

    def _cost_select(self, expr: Expr, node: Select) -> Range:
        cost = self.cost(node.operand)
        if node.test_only:
            return cost
        if self._type(node.operand).kind in (Kind.MAP, Kind.STRUCT, Kind.PARAM):
            cost = cost.plus(_exactly(costs.SELECT))
        self._paths[expr.id] = (*self._path(node.operand), node.field)
        return cost

    # Calls

    def _cost_call(self, expr: Expr, node: Call) -> Range:
        if node.function == "dyn":
            cost = self.cost(node.arguments[0])
            self._copy_sizes(expr, node.arguments[0])
            return cost.plus(_ONE)
        argument_costs: list[Range] = []
        arguments: list[_Part] = []
        for each in node.arguments:
            argument_costs.append(self.cost(each))
            arguments.append(self._part(each))
        overloads = self._checked.overloads.get(expr.id, [])
        if not overloads:
            return _NOTHING
        cost, target = _NOTHING, None
        if node.target is not None:
            cost = self.cost(node.target)
            target = self._part(node.target)
        call_cost = Range(MAX_UINT, 0)
        size: Range | None = None
        for overload in overloads:
            overload_cost = self._cost_overload(expr, node.function, overload, target, arguments, argument_costs)
            call_cost = call_cost.union(overload_cost.cost)
            if overload_cost.size is not None:
                size = overload_cost.size if size is None else size.union(overload_cost.size)
            if overload in ("index_list", "index_map") and node.arguments:
                entries = self._entries_of(node.arguments[0])
                size = None if entries is None else entries.value
                step = "@items" if overload == "index_list" else "@values"
                self._paths[expr.id] = (*self._path(node.arguments[0]), step)
            if size is None:
                size = self._size(expr)
        self._set_size(expr, size)
        return cost.plus(call_cost)

    def _cost_overload(
        self,
        expr: Expr,
        function: str,
        overload: str,
        target: _Part | None,
        arguments: list[_Part],
        argument_costs: list[Range],
    ) -> _CallCost:
        all_arguments = _NOTHING
        for each in argument_costs:
            all_arguments = all_arguments.plus(each)
        of_list = _LIST_FUNCTIONS.get(overload)
        cost = of_list(self, target, arguments) if of_list is not None else None
        if cost is None:
            cost = self._kubernetes_cost(function, overload, target, arguments)
        if cost is not None:
            return _CallCost(cost.cost.plus(all_arguments), cost.size)
        if overload in ("logical_and", "logical_or"):
            left, right = argument_costs
            return _CallCost(Range(left.low, left.plus(right).high))
        if overload == "conditional":
            return self._cost_choice(expr, arguments, argument_costs)
        own = self._standard_cost(expr, overload, target, arguments)
        return _CallCost(own.cost.plus(all_arguments), own.size)

    def _cost_choice(self, expr: Expr, arguments: list[_Part], argument_costs: list[Range]) -> _CallCost:
        _, then, other = arguments
        self._join_entries(expr, then.expr, other.expr)
        condition, if_true, if_false = argument_costs
        size = _or_unknown(then.size).union(_or_unknown(other.size))
        return _CallCost(condition.plus(if_true.union(if_false)), size)

    def _standard_cost(self, expr: Expr, overload: str, target: _Part | None, arguments: list[_Part]) -> _CallCost:
        sizes = [_or_unknown(each.size) for each in arguments]
        if overload == "string_format" and target is not None:
            return _CallCost(_or_unknown(target.size).scaled(TRAVERSAL))
        if len(sizes) == 1:
            size = sizes[0]
            if overload == "string_to_bytes":
                return _CallCost(size.scaled(TRAVERSAL), Range(size.low, (size.high * 4) & MAX_UINT))
            if overload == "bytes_to_string":
                return _CallCost(size.scaled(TRAVERSAL), Range(size.low // 4, size.high))
            if overload == "strings_quote":
                result = Range(size.low + 2, (size.high * 2 + 2) & MAX_UINT)
                return _CallCost(size.scaled(TRAVERSAL), result)
            if overload in ("starts_with_string", "ends_with_string"):
                return _CallCost(size.scaled(TRAVERSAL))
            if overload == "matches_string" and target is not None:
                text = _or_unknown(target.size).plus(_ONE).scaled(TRAVERSAL)
                return _CallCost(text.times(size.scaled(REGEX)))
            if overload == "contains_string" and target is not None:
                return _CallCost(_or_unknown(target.size).scaled(TRAVERSAL).times(size.scaled(TRAVERSAL)))
        if len(sizes) == 2:
            if overload == "in_list":
                return _CallCost(sizes[1].scaled(1))
            if overload in ("add_string", "add_bytes", "add_list"):
                size = sizes[0].plus(sizes[1])
                self._join_entries(expr, arguments[1].expr, arguments[0].expr)
                return _CallCost(_ONE if overload == "add_list" else size.scaled(TRAVERSAL), size)
            if overload in costs.ALONG_SHORTER:
                high = min(sizes[0].high, sizes[1].high)
                return _CallCost(Range(1 if high > 0 else 0, high).scaled(TRAVERSAL))
        return _CallCost(_ONE)

    def _kubernetes_cost(
        self, function: str, overload: str, target: _Part | None, arguments: list[_Part]
    ) -> _CallCost | None:
        first = self._size_of(arguments[0]) if arguments else UNKNOWN
        if function in costs.ONE_PER_CALL:
            return _CallCost(_ONE)
        if function == "check":
            return _CallCost(Range(costs.AUTHORIZATION, costs.AUTHORIZATION))
        if function in ("fieldSelector", "labelSelector") and len(arguments) == 1:
            requirements = first.scaled(costs.REQUIREMENTS).scaled(costs.REQUIREMENT)
            return _CallCost(Range(costs.SELECTOR, costs.SELECTOR).plus(first.scaled(TRAVERSAL)).plus(requirements))
        if function in costs.OF_A_LIST and target is not None:
            return self._cost_of_elements(target)
        if function in ("url", "jsonpatch.escapeKey") and len(arguments) == 1:
            return _CallCost(first.scaled(TRAVERSAL), first)
        if function in ("lowerAscii", "upperAscii", "substring", "trim") and target is not None:
            size = self._size_of(target)
            return _CallCost(size.scaled(TRAVERSAL), size)
        if function == "replace" and target is not None and len(arguments) >= 2:
            size = self._size_of(target)
            return _CallCost(size.scaled(2 * TRAVERSAL), _replaced(size, first, self._size_of(arguments[1])))
        if function == "split" and target is not None:
            size = self._size_of(target)
            return _CallCost(size.scaled(2 * TRAVERSAL), Range(0, _literal_int(arguments[1:], size.high)))
        if function == "join" and target is not None:
            return self._cost_join(target, arguments)
        if function in ("find", "findAll") and target is not None and arguments:
            size = self._size_of(target)
            cost = size.plus(_ONE).scaled(TRAVERSAL).times(first.scaled(REGEX))
            return _CallCost(cost, Range(0, size.high))
        if function == "ip" and overload == "cidr_ip":
            return _CallCost(_ONE)
        if function in ("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver") and arguments:
            return _CallCost(first.scaled(TRAVERSAL))
        if function == "ip.isCanonical" and arguments:
            return _CallCost(first.scaled(2 * TRAVERSAL))
        if function in ("containsIP", "containsCIDR") and arguments:
            return _CallCost(_cost_of_containing(function, overload, first))
        if function == "validate" and arguments:
            return _CallCost(first.scaled(TRAVERSAL).scaled(_MAX_FORMAT_PATTERN * REGEX))
        if function == "_==_" and len(arguments) == 2 and arguments[0].type == arguments[1].type:
            return _cost_of_equality(arguments)
        return None

    def _cost_of_elements(self, target: _Part) -> _CallCost:
        """Return the cost of iterating over a list, or of searching a string."""
        size = self._size_of(target)
        if not target.type.parameters:
            return _CallCost(size.scaled(TRAVERSAL))
        each = _ONE
        if target.type.parameters[0].kind in (Kind.STRING, Kind.BYTES):
            each = each.plus(self._element_size(target).scaled(TRAVERSAL))
        return _CallCost(size.times(each))

    def _cost_join(self, target: _Part, arguments: list[_Part]) -> _CallCost:
        elements = self._size_of(target)
        size = elements.times(self._element_size(target)) if target.type.parameters else _NOTHING
        if arguments:
            separators = Range(max(elements.low - 1, 0), max(elements.high - 1, 0))
            size = size.plus(self._size_of(arguments[0]).times(separators))
        return _CallCost(size.scaled(TRAVERSAL), size)

    def _element_size(self, target: _Part) -> Range:
        path = (*target.path, "@items") if target.path else ()
        return _or_unknown(self._declared_size(path))

    # Lists, maps and comprehensions

    def _cost_list(self, expr: Expr, node: ListOf) -> Range:
        cost, size = _NOTHING, Range(MAX_UINT if node.elements else 0, 0)
        for element in node.elements:
            cost = cost.plus(self.cost(element))
            size = size.union(_or_unknown(self._size(element)))
        self._entries[expr.id] = _Entries(Kind.LIST, _ONE, size)
        return cost.plus(_exactly(costs.LIST))

    def _cost_map(self, expr: Expr, node: MapOf) -> Range:
        cost = _NOTHING
        key = value = Range(MAX_UINT if node.entries else 0, 0)
        for entry in node.entries:
            cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            key = key.union(_or_unknown(self._size(entry.key)))
            value = value.union(_or_unknown(self._size(entry.value)))
        self._entries[expr.id] = _Entries(Kind.MAP, key, value)
        return cost.plus(_exactly(costs.MAP))

    def _cost_fold(self, expr: Expr, node: Comprehension) -> Range:
        cost = self.cost(node.range).plus(self.cost(node.initial))
        self._push(node.accumulator, self._local_of(node.initial))
        self._push_iteration(node)
        loop, step = self.cost(node.condition), self.cost(node.step)
        self._locals[node.variable].pop()
        if node.second_variable:
            self._locals[node.second_variable].pop()
        cost = cost.plus(self.cost(node.result))
        self._locals[node.accumulator].pop()
        count = _or_unknown(self._size(node.range))
        cost = cost.plus(count.times(step.plus(loop)))
        if isinstance(node.initial.node, Literal):
            self._set_size(expr, self._size(node.initial))
        elif isinstance(node.initial.node, ListOf | MapOf):
            self._sizes[expr.id] = count
            entries = self._entries_of(node.step)
            if entries is not None:
                self._entries[expr.id] = entries
        return cost

    def _cost_bind(self, expr: Expr, node: Comprehension) -> Range:
        cost = self.cost(node.range).plus(self.cost(node.initial))
        self._push(node.accumulator, self._local_of(node.initial))
        cost = cost.plus(self.cost(node.result))
        self._locals[node.accumulator].pop()
        self._copy_sizes(expr, node.result)
        return cost

    def _push(self, name: str, local: _Local) -> None:
        self._locals.setdefault(name, []).append(local)

    def _local_of(self, expr: Expr) -> _Local:
        return _Local(self._path(expr), self._size(expr), self._entries_of(expr))

    def _push_iteration(self, node: Comprehension) -> None:
        entries, path = self._entries_of(node.range), self._path(node.range)
        is_list = (self._type(node.range).kind if entries is None else entries.kind) is Kind.LIST
        key_size = None if entries is None else entries.key
        value_size = None if entries is None else entries.value
        if node.second_variable:
            self._push(node.variable, _Local((*path, "@indices" if is_list else "@keys"), key_size, None))
            self._push(node.second_variable, _Local((*path, "@items" if is_list else "@values"), value_size, None))
        elif is_list:
            self._push(node.variable, _Local((*path, "@items"), value_size, None))
        else:
            self._push(node.variable, _Local((*path, "@keys"), key_size, None))

    # Sizes and paths

    def _type(self, expr: Expr) -> CelType:
        return self._checked.types.get(expr.id, types.DYN)  # the name of a field has none

    def _local(self, name: str) -> _Local | None:
        stack = self._locals.get(name)
        return stack[-1] if stack else None

    def _path(self, expr: Expr) -> tuple[str, ...]:
        if isinstance(expr.node, Ident):
            local = self._local(expr.node.name)
            if local is not None:
                return local.path
        return self._paths.get(expr.id, ())

    def _part(self, expr: Expr) -> _Part:
        path = self._path(expr)
        if path and path[0] in (ACCUMULATOR, _OLD_ACCUMULATOR):
            path = ()
        return _Part(expr, self._type(expr), path, self._size(expr))

    def _size_of(self, part: _Part) -> Range:
        return _or_unknown(part.size if part.size is not None else self._declared_size(part.path))

    def _declared_size(self, path: tuple[str, ...]) -> Range | None:
        if not path or path[0] not in self._variables:
            return None
        shape = self._variables[path[0]].at(path[1:])
        return None if shape is None else Range(0, shape.size)

    def _set_size(self, expr: Expr, size: Range | None) -> None:
        if size is not None:
            self._sizes[expr.id] = size

    def _size(self, expr: Expr) -> Range | None:
        size = self._sizes.get(expr.id)
        if size is not None:
            return size
        written = _literal_size(expr)
        if written is not None:
            return written
        declared = self._declared_size(self._path(expr))
        if declared is not None:
            self._sizes[expr.id] = declared
            return declared
        if _is_scalar(self._type(expr)):
            return _ONE
        if isinstance(expr.node, Ident):
            local = self._local(expr.node.name)
            if local is not None:
                return local.size
        return None

    def _entries_of(self, expr: Expr) -> _Entries | None:
        entries = self._entries.get(expr.id)
        if entries is None and isinstance(expr.node, Ident):
            local = self._local(expr.node.name)
            return None if local is None else local.entries
        return entries

    def _join_entries(self, expr: Expr, first: Expr, other: Expr) -> None:
        these, those = self._entries_of(first), self._entries_of(other)
        if these is not None and those is not None:
            self._entries[expr.id] = _Entries(these.kind, these.key.union(those.key), these.value.union(those.value))

    def _copy_sizes(self, to: Expr, from_: Expr) -> None:
        self._set_size(to, self._size(from_))
        entries = self._entries_of(from_)
        if entries is not None:
            self._entries[to.id] = entries


def _or_unknown(size: Range | None) -> Range:
    return _unknown.get() if size is None else size


def _is_bind(node: Comprehension) -> bool:
    never = isinstance(node.condition.node, Literal) and node.condition.node.value is False
    empty = isinstance(node.range.node, ListOf) and not node.range.node.elements
    return empty and never and node.accumulator != _OLD_ACCUMULATOR


def _literal_size(expr: Expr) -> Range | None:
    """Return the size of a literal, list or map; None for other expressions."""
    node = expr.node
    if isinstance(node, ListOf):
        return _exactly(len(node.elements))
    if isinstance(node, MapOf):
        return _exactly(len(node.entries))
    if isinstance(node, Literal):
        return _exactly(len(node.value)) if isinstance(node.value, str | bytes) else _ONE
    return None


def _is_scalar(type_: CelType) -> bool:
    if type_.is_optional:
        return _is_scalar(type_.parameters[0])
    return type_.kind in (Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT)


def _literal_int(arguments: list[_Part], default: int) -> int:
    """Return the first argument, as an unsigned number, if it is an integer literal; otherwise the default."""
    if arguments and isinstance(arguments[0].expr.node, Literal) and type(arguments[0].expr.node.value) is int:
        return arguments[0].expr.node.value & MAX_UINT
    return default


def _replaced(text: Range, old: Range, new: Range) -> Range:
    """Return the size of a string after a replacement."""
    high_count = high_kept = low_count = low_kept = 0
    if old.low == 0:
        high_count, high_kept = min(text.high + 1, MAX_UINT), text.high
    elif new.high <= old.low:
        high_kept = text.high
    else:
        high_count = _uint(math.ceil(float(text.high) / float(old.low)))
    if old.high == 0:
        low_count, low_kept = min(text.low + 1, MAX_UINT), text.low
    elif old.high <= new.low:
        low_kept = text.low
    else:
        low_count = _uint(math.ceil(float(text.low) / float(old.high)))
    return Range(low_count, high_count).times(new).plus(Range(low_kept, high_kept))


def _uint(number: int) -> int:
    """Convert a number to an unsigned integer as Go does: one that is too large becomes 2^63."""
    return number if number <= MAX_UINT else 1 << 63


def _cost_of_containing(function: str, overload: str, argument: Range) -> Range:
    address = Range(*_ADDRESS_LENGTHS)
    cost = address.plus(address).scaled(TRAVERSAL)
    if function == "containsCIDR":
        cost = cost.plus(address.scaled(TRAVERSAL)).plus(_ONE)
    if overload in ("cidr_contains_ip_string", "cidr_contains_cidr_string"):
        cost = cost.plus(argument.scaled(TRAVERSAL))
    return cost


def _cost_of_equality(arguments: list[_Part]) -> _CallCost | None:
    type_ = arguments[0].type
    if type_ in (types.IP, types.CIDR, types.QUANTITY, types.SEMVER, *authorizer.TYPES):
        return _CallCost(_ONE)
    if type_ == types.FORMAT:
        return _CallCost(Range(1, _MAX_FORMAT_LENGTH).scaled(TRAVERSAL))
    if type_ == types.URL:
        size = arguments[1].size
        return _CallCost(Range(1, 1 if size is None else size.high).scaled(TRAVERSAL))
    return None


# cel-go's own functions of lists and sets (`ext/lists.go`, `ext/sets.go`)

_ListCost = Callable[[_Estimator, "_Part | None", "list[_Part]"], "_CallCost | None"]


def _allocating(factor: float, size: Range) -> _CallCost:
    return _CallCost(size.scaled(factor).plus(_ONE).plus(_exactly(costs.LIST)), size)


def _slice(estimator: _Estimator, target: _Part | None, arguments: list[_Part]) -> _CallCost | None:
    if target is None:
        return None
    size = estimator._size_of(target)
    start, end = _natural(arguments[0], 0), _natural(arguments[1], size.high)
    return _allocating(1, _exactly((end - start) & MAX_UINT))


def _range(estimator: _Estimator, target: _Part | None, arguments: list[_Part]) -> _CallCost | None:
    return _allocating(1, _exactly(_natural(arguments[0], MAX_UINT)))


def _reverse(estimator: _Estimator, target: _Part | None, arguments: list[_Part]) -> _CallCost | None:
    return None if target is None else _allocating(1, estimator._size_of(target))


def _flatten(estimator: _Estimator, target: _Part | None, arguments: list[_Part]) -> _CallCost | None:
    if target is None:
        return None
    depth = _natural(arguments[0], MAX_UINT) if arguments else 1
    return _allocating(float(depth), estimator._size_of(target))


def _distinct(estimator: _Estimator, target: _Part | None, arguments: list[_Part]) -> _CallCost | None:
    if target is None:
        return None
    size = estimator._size_of(target)
    return _allocating(2.0, size.times(size))


def _sorting(type_: CelType, *, by_keys: bool) -> _ListCost:
    factor = 2.0 + (TRAVERSAL if type_ in (types.STRING, types.BYTES) else 0)

    def cost(estimator: _Estimator, target: _Part | None, arguments: list[_Part]) -> _CallCost | None:
        if target is None:
            return None
        size = estimator._size_of(arguments[0] if by_keys else target)
        return _allocating(factor, size.times(size))

    return cost


def _comparing(factor: float) -> _ListCost:
    def cost(estimator: _Estimator, target: _Part | None, arguments: list[_Part]) -> _CallCost | None:
        first, other = (estimator._size_of(each) for each in arguments)
        return _CallCost(first.times(other).scaled(factor).plus(_ONE))

    return cost


def _natural(part: _Part, default: int) -> int:
    """Return the argument if it is an integer literal, but at least 0; otherwise the default."""
    node = part.expr.node
    if isinstance(node, Literal) and type(node.value) is int:
        return max(node.value, 0)
    return default


_LIST_FUNCTIONS: dict[str, _ListCost] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    "list_sets_contains_list": _comparing(1),
    "list_sets_intersects_list": _comparing(1),
    "list_sets_equivalent_list": _comparing(2),
    **{f"list_{each.name}_sort": _sorting(each, by_keys=False) for each in COMPARABLE},
    **{f"list_{each.name}_sortByAssociatedKeys": _sorting(each, by_keys=True) for each in COMPARABLE},
}
