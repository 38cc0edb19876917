"""Functions of lists: Kubernetes' (`library/lists.go`) and cel-go's (`ext/lists.go`, `sets.go`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key

from scheduler_core.cel.costs import COMPARABLE
from scheduler_core.cel.declarations import Function, Implementation, Library, Overload
from scheduler_core.cel.libraries.standard import add, compare, contains
from scheduler_core.cel.types import BOOL, DOUBLE, DURATION, DYN, INT, UINT, CelType, list_of, map_of, parameter
from scheduler_core.cel.values import (
    MAX_LENGTH,
    NO_SUCH_OVERLOAD,
    Cancelled,
    Duration,
    Error,
    Map,
    MapAccumulator,
    Uint,
    Value,
    equal,
    has_trait,
    is_list,
    key_of,
    spend_steps,
    text_of,
    type_of,
)

_A, _T = parameter("A"), parameter("T")
_LIST = list_of(_T)
# cel-go calls these types by shorter names in the ids of Kubernetes' overloads.
_SHORT_NAMES = {"google.protobuf.Duration": "duration", "google.protobuf.Timestamp": "timestamp"}
_ZEROS: dict[CelType, Value] = {INT: 0, UINT: Uint(0), DOUBLE: 0.0, DURATION: Duration(0)}


def _is_sorted(elements: Value) -> Value:
    previous: Value = None
    for index, element in enumerate(elements):
        if not has_trait(element, "compare"):
            return NO_SUCH_OVERLOAD
        if index and compare(previous, element) == 1:
            return False
        previous = element
    return True


def _sum(zero: Value) -> Implementation:
    def total(elements: Value) -> Value:
        sum_ = zero
        for element in elements:
            if not has_trait(element, "add"):
                return NO_SUCH_OVERLOAD
            sum_ = add(sum_, element)
            if type(sum_) is Error:
                return sum_
        return sum_

    return total


def _extreme(name: str, preferred: int) -> Implementation:
    def extreme(elements: Value) -> Value:
        best: Value = None
        for index, element in enumerate(elements):
            if not has_trait(element, "compare"):
                return NO_SUCH_OVERLOAD
            if not index or compare(best, element) == preferred:
                best = element
        return best if len(elements) else Error(f"{name} called on empty list")

    return extreme


def _index_of(elements: Value, element: Value) -> Value:
    spend_steps(len(elements))
    return next((index for index, each in enumerate(elements) if equal(each, element) is True), -1)


def _last_index_of(elements: Value, element: Value) -> Value:
    spend_steps(len(elements))
    result = -1
    for index, each in enumerate(elements):
        if equal(each, element) is True:
            result = index
    return result


def _of_each(
    ids: str, of: tuple[CelType, ...], make: Callable[[CelType], Implementation], result: CelType | None = None
) -> tuple[Overload, ...]:
    """Return an overload for lists of each type; its result is an element unless `result` is given."""
    return tuple(
        Overload(
            ids.format(_SHORT_NAMES.get(type_.name, type_.name)), (list_of(type_),), result or type_, True, make(type_)
        )
        for type_ in of
    )


KUBERNETES_LISTS = Library(
    (
        Function("isSorted", _of_each("list_{0}_is_sorted_bool", COMPARABLE, lambda _: _is_sorted, BOOL)),
        Function("sum", _of_each("list_{0}_sum_{0}", tuple(_ZEROS), lambda type_: _sum(_ZEROS[type_]))),
        Function("max", _of_each("list_{0}_max_{0}", COMPARABLE, lambda _: _extreme("max", -1))),
        Function("min", _of_each("list_{0}_min_{0}", COMPARABLE, lambda _: _extreme("min", 1))),
        Function("indexOf", (Overload("list_a_index_of_int", (list_of(_A), _A), INT, True, _index_of),)),
        Function("lastIndexOf", (Overload("list_a_last_index_of_int", (list_of(_A), _A), INT, True, _last_index_of),)),
    )
)


def _slice(elements: Value, start: Value, end: Value) -> Value:
    assert isinstance(start, int)
    assert isinstance(end, int)
    if start < 0 or end < 0:
        return Error(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        return Error(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(elements) < end:
        return Error(f"cannot slice({start}, {end}), list is length {len(elements)}")
    return list(elements)[start:end]


def _flatten(elements: Value, depth: Value = 1) -> Value:
    if not is_list(elements) or type(depth) is not int:
        arguments = "" if depth == 1 else type_of(depth).name
        return Error(f"no such overload: {type_of(elements).name}.flatten({arguments})")
    if depth < 0:
        return Error("level must be non-negative")
    flat: list[Value] = []
    waiting: list[tuple[Value, int]] = [(each, depth) for each in reversed(list(elements))]
    while waiting:
        each, left = waiting.pop()
        spend_steps(1)
        if left and is_list(each):
            waiting += [(inner, left - 1) for inner in reversed(list(each))]
        else:
            flat.append(each)
    return flat


def _sort(elements: Value) -> Value:
    return _sort_by_keys(elements, elements)


def _sort_by_keys(elements: Value, keys: Value) -> Value:
    count, key_count = len(elements), len(keys)
    if count != key_count:
        return Error(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
            f"but got {count} and {key_count} elements respectively"
        )
    if not count:
        return elements
    all_keys = list(keys)
    if not has_trait(all_keys[0], "compare"):
        return Error("list elements must be comparable")
    if any(type_of(key) != type_of(all_keys[0]) for key in all_keys):
        return Error("list elements must have the same type")
    _refuse_beyond_limit(2 * count * count)
    by_key: Callable[[int, int], int] = lambda a, b: compare(all_keys[a], all_keys[b])  # noqa: E731
    order = sorted(range(count), key=cmp_to_key(by_key))
    return [elements[index] for index in order]


def _range(count: Value) -> Value:
    assert isinstance(count, int)
    _refuse_beyond_limit(count)
    return list(range(max(count, 0)))


def _distinct(elements: Value) -> Value:
    count = len(elements)
    _refuse_beyond_limit(2 * count * count)
    unique: list[Value] = []
    for element in elements:
        if not any(equal(element, other) is True for other in unique):
            unique.append(element)
    return unique if count else elements


def _refuse_beyond_limit(steps: int) -> None:
    """Count the steps of work. Raises Cancelled for work whose cost would exceed every limit."""
    if steps > MAX_LENGTH:
        raise Cancelled("operation cancelled: actual cost limit exceeded")
    spend_steps(max(steps, 0) // 10)


LISTS = Library(
    (
        Function("slice", (Overload("list_slice", (_LIST, INT, INT), _LIST, True, _slice, variadic=True),)),
        Function(
            "flatten",
            (
                Overload("list_flatten", (list_of(_LIST),), _LIST, True, _flatten),
                Overload("list_flatten_int", (list_of(DYN), INT), list_of(DYN), True, _flatten),
            ),
            unguarded=True,
        ),
        Function(
            "sort",
            tuple(Overload(f"list_{each.name}_sort", (list_of(each),), list_of(each), True) for each in COMPARABLE),
            _sort,
            trait="index",
        ),
        Function(
            "@sortByAssociatedKeys",
            tuple(
                Overload(f"list_{each.name}_sortByAssociatedKeys", (_LIST, list_of(each)), _LIST, True)
                for each in COMPARABLE
            ),
            _sort_by_keys,
            trait="index",
        ),
        Function("lists.range", (Overload("lists_range", (INT,), list_of(INT), False, _range),)),
        Function(
            "reverse",
            (Overload("list_reverse", (_LIST,), _LIST, True, lambda elements: list(elements)[::-1]),),
        ),
        Function("distinct", (Overload("list_distinct", (_LIST,), _LIST, True, _distinct),)),
    )
)


def _set_contains(elements: Value, subset: Value) -> Value:
    _refuse_beyond_limit(len(elements) * len(subset))
    return all(contains(each, elements) is True for each in subset)


def _intersects(value: Value, other: Value) -> Value:
    _refuse_beyond_limit(len(value) * len(other))
    return any(contains(each, other) is True for each in value)


SETS = Library(
    (
        Function("sets.contains", (Overload("list_sets_contains_list", (_LIST, _LIST), BOOL, False, _set_contains),)),
        Function(
            "sets.equivalent",
            (
                Overload(
                    "list_sets_equivalent_list",
                    (_LIST, _LIST),
                    BOOL,
                    False,
                    lambda a, b: _set_contains(a, b) is True and _set_contains(b, a) is True,
                ),
            ),
        ),
        Function("sets.intersects", (Overload("list_sets_intersects_list", (_LIST, _LIST), BOOL, False, _intersects),)),
    )
)

_K, _V = parameter("K"), parameter("V")
_MAP = map_of(_K, _V)


def _insert(entries: Value, key: Value, value: Value) -> Value:
    assert isinstance(entries, Map)
    if entries.contains(key):
        return Error(f"insert failed: key {text_of(key)} already exists")
    grown = entries if isinstance(entries, MapAccumulator) else Map(entries)
    grown[key_of(key)] = value
    return grown


def _insert_all(entries: Value, other: Value) -> Value:
    assert isinstance(other, Map)
    for key in other.keys_of():
        entries = _insert(entries, key, other.find(key))
        if type(entries) is Error:
            return entries
    return entries


TWO_VARIABLES = Library(
    (
        Function(
            "cel.@mapInsert",
            (
                Overload("@mapInsert_map_key_value", (_MAP, _K, _V), _MAP, False, _insert, variadic=True),
                Overload("@mapInsert_map_map", (_MAP, _MAP), _MAP, False, _insert_all),
            ),
        ),
    )
)
