"""Macros: calls that are expanded to larger expressions (cel-go's `parser/macro.go`, `ext`).

Each creates its nodes in cel-go's order, since ids are assigned in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from scheduler_core.cel.syntax import (
    Call,
    Comprehension,
    Entry,
    Expr,
    Field,
    Ident,
    ListOf,
    Literal,
    MapOf,
    Node,
    Select,
    StructLiteral,
)

ACCUMULATOR = "@result"
UNUSED = "#unused"
_OLD_ACCUMULATOR = "__result__"


class MacroError(Exception):
    """The arguments of the macro are invalid; `id` is that of the node to which the message applies."""

    def __init__(self, id_: int, message: str) -> None:
        super().__init__(message)
        self.id, self.message = id_, message


class Numbering(Protocol):
    """Assigns ids to nodes and stores their positions."""

    offsets: dict[int, int]

    def new_id(self, offset: int) -> int: ...


class Maker:
    """Creates the nodes of a macro, all at the position of its call."""

    def __init__(self, numbering: Numbering, call_id: int) -> None:
        self._numbering = numbering
        self._offset = numbering.offsets.get(call_id, -1)

    def new(self, node: Node) -> Expr:
        return Expr(self._numbering.new_id(self._offset), node)

    def literal(self, value: object) -> Expr:
        return self.new(Literal(value))

    def ident(self, name: str) -> Expr:
        return self.new(Ident(name))

    def accumulator(self) -> Expr:
        return self.ident(ACCUMULATOR)

    def call(self, function: str, *arguments: Expr) -> Expr:
        return self.new(Call(function, list(arguments)))

    def member_call(self, function: str, target: Expr, *arguments: Expr) -> Expr:
        return self.new(Call(function, list(arguments), target))

    def list(self, *elements: Expr) -> Expr:
        return self.new(ListOf(list(elements)))

    def copy(self, expr: Expr) -> Expr:
        """Return a copy of the expression with new ids, at the positions of the old ones."""
        new_id = self._numbering.new_id(self._numbering.offsets.get(expr.id, 0))
        return Expr(new_id, self._copy_node(expr.node))

    def _copy_node(self, node: Node) -> Node:
        if isinstance(node, Select):
            return Select(self.copy(node.operand), node.field, node.test_only)
        if isinstance(node, Call):
            arguments = [self.copy(each) for each in node.arguments]
            return Call(node.function, arguments, None if node.target is None else self.copy(node.target))
        if isinstance(node, ListOf):
            return ListOf([self.copy(each) for each in node.elements], node.optional)
        if isinstance(node, MapOf):
            return MapOf([self._copy_entry(each) for each in node.entries])
        if isinstance(node, StructLiteral):
            return StructLiteral(node.type_name, [self._copy_field(each) for each in node.fields])
        if isinstance(node, Comprehension):
            range_, initial, condition = self.copy(node.range), self.copy(node.initial), self.copy(node.condition)
            step, result = self.copy(node.step), self.copy(node.result)
            return Comprehension(
                range_, node.variable, node.second_variable, node.accumulator, initial, condition, step, result
            )
        return node

    def _copy_entry(self, entry: Entry) -> Entry:
        id_ = self._numbering.new_id(self._offset)
        return Entry(id_, self.copy(entry.key), self.copy(entry.value), entry.optional)

    def _copy_field(self, field: Field) -> Field:
        id_ = self._numbering.new_id(self._offset)
        return Field(id_, field.name, self.copy(field.value), field.optional)


Expander = Callable[[Maker, "Expr | None", "list[Expr]"], "Expr | None"]


class Macros:
    """The macros of an environment by name, number of arguments, and whether they have a target."""

    def __init__(self, macros: dict[tuple[str, int, bool], Expander]) -> None:
        self._macros = macros

    def expand(
        self, numbering: Numbering, call_id: int, function: str, target: Expr | None, arguments: list[Expr]
    ) -> Expr | None:
        """Return the expansion of a call, None if it is not a macro. Raises MacroError."""
        expander = self._macros.get((function, len(arguments), target is not None))
        return None if expander is None else expander(Maker(numbering, call_id), target, arguments)


def _has(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    selected = arguments[0].node
    if not isinstance(selected, Select):
        raise MacroError(arguments[0].id, "invalid argument to has() macro")
    return make.new(Select(selected.operand, selected.field, test_only=True))


def _all(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    variable, second = _variables(arguments, "argument must be a simple name")
    initial = make.literal(True)
    condition = make.call("@not_strictly_false", make.accumulator())
    step = make.call("_&&_", make.accumulator(), arguments[-1])
    return _fold(make, target, variable, second, initial, condition, step, make.accumulator())


def _exists(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    variable, second = _variables(arguments, "argument must be a simple name")
    initial = make.literal(False)
    condition = make.call("@not_strictly_false", make.call("!_", make.accumulator()))
    step = make.call("_||_", make.accumulator(), arguments[-1])
    return _fold(make, target, variable, second, initial, condition, step, make.accumulator())


def _exists_one(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    variable, second = _variables(arguments, "argument must be a simple name")
    initial = make.literal(0)
    condition = make.literal(True)
    one_more = make.call("_+_", make.accumulator(), make.literal(1))
    step = make.call("_?_:_", arguments[-1], one_more, make.accumulator())
    result = make.call("_==_", make.accumulator(), make.literal(1))
    return _fold(make, target, variable, second, initial, condition, step, result)


def make_map(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    """Expand `list.map(x, transform)` or `list.map(x, predicate, transform)`. Raises MacroError."""
    variable = _variable(arguments[0], "argument is not an identifier")
    return _into_list(make, target, variable, "", arguments[1:])


def _transform_list(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    variable, second = _variables(arguments[:3], "")
    return _into_list(make, target, variable, second, arguments[2:])


def _into_list(make: Maker, target: Expr | None, variable: str, second: str, arguments: list[Expr]) -> Expr:
    initial, condition = make.list(), make.literal(True)
    step = make.call("_+_", make.accumulator(), make.list(arguments[-1]))
    if len(arguments) == 2:
        step = make.call("_?_:_", arguments[0], step, make.accumulator())
    return _fold(make, target, variable, second, initial, condition, step, make.accumulator())


def _filter(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    variable = _variable(arguments[0], "argument is not an identifier")
    initial, condition = make.list(), make.literal(True)
    step = make.call("_+_", make.accumulator(), make.list(arguments[0]))
    step = make.call("_?_:_", arguments[1], step, make.accumulator())
    return _fold(make, target, variable, "", initial, condition, step, make.accumulator())


def _transform_map(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    variable, second = _variables(arguments[:3], "")
    step = make.call("cel.@mapInsert", make.accumulator(), make.ident(variable), arguments[-1])
    return _into_map(make, target, variable, second, step, arguments)


def _transform_map_entry(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    variable, second = _variables(arguments[:3], "")
    step = make.call("cel.@mapInsert", make.accumulator(), arguments[-1])
    return _into_map(make, target, variable, second, step, arguments)


def _into_map(make: Maker, target: Expr | None, variable: str, second: str, step: Expr, arguments: list[Expr]) -> Expr:
    if len(arguments) == 4:
        step = make.call("_?_:_", arguments[2], step, make.accumulator())
    initial, condition = make.new(MapOf([])), make.literal(True)
    return _fold(make, target, variable, second, initial, condition, step, make.accumulator())


def _bind(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr | None:
    if target is None or not isinstance(target.node, Ident) or target.node.name != "cel":
        return None
    variable = arguments[0].node
    if not isinstance(variable, Ident):
        raise MacroError(arguments[0].id, "cel.bind() variable names must be simple identifiers")
    return bind(make, variable.name, arguments[1], arguments[2])


def bind(make: Maker, name: str, value: Expr, result: Expr) -> Expr:
    """Return the result with a name bound to the value, which is evaluated on first use."""
    empty, never = make.list(), make.literal(False)
    return make.new(Comprehension(empty, UNUSED, "", name, value, never, make.ident(name), result))


def _opt_map(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    return _optional(make, target, arguments, "optMap", wrapped=True)


def _opt_flat_map(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    return _optional(make, target, arguments, "optFlatMap", wrapped=False)


def _optional(make: Maker, target: Expr | None, arguments: list[Expr], name: str, *, wrapped: bool) -> Expr:
    assert target is not None
    variable = arguments[0].node
    if not isinstance(variable, Ident):
        raise MacroError(arguments[0].id, f"{name}() variable name must be a simple identifier")
    has_value = make.member_call("hasValue", target)
    empty = make.list()
    value = make.member_call("value", make.copy(target))
    never = make.literal(False)
    step = make.ident(variable.name)
    result = make.new(Comprehension(empty, UNUSED, "", variable.name, value, never, step, arguments[1]))
    if wrapped:
        result = make.call("optional.of", result)
    return make.call("_?_:_", has_value, result, make.call("optional.none"))


def _sort_by(make: Maker, target: Expr | None, arguments: list[Expr]) -> Expr:
    assert target is not None
    input_ = make.ident("@__sortBy_input__")
    if not isinstance(target.node, ListOf | Select | Ident | Comprehension | Call):
        raise MacroError(
            target.id, "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        )
    keys = make_map(make, make.copy(input_), arguments)
    call = make.member_call("@sortByAssociatedKeys", make.copy(input_), keys)
    empty, never = make.list(), make.literal(False)
    return make.new(Comprehension(empty, UNUSED, "", "@__sortBy_input__", target, never, input_, call))


def _fold(
    make: Maker,
    target: Expr | None,
    variable: str,
    second: str,
    initial: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
) -> Expr:
    assert target is not None
    return make.new(Comprehension(target, variable, second, ACCUMULATOR, initial, condition, step, result))


def _variables(arguments: list[Expr], message: str) -> tuple[str, str]:
    """Return the variables of a macro: one of two arguments (and ""), or two of three. Raises MacroError."""
    if len(arguments) == 2:
        return _variable(arguments[0], message), ""
    names = []
    for argument in arguments[:2]:
        if not isinstance(argument.node, Ident):
            raise MacroError(argument.id, "argument must be a simple name")
        names.append(argument.node.name)
    if names[0] == names[1]:
        raise MacroError(arguments[1].id, f"duplicate variable name: {names[0]}")
    for argument, name in zip(arguments[:2], names, strict=True):
        if name in (ACCUMULATOR, _OLD_ACCUMULATOR):
            raise MacroError(argument.id, "iteration variable overwrites accumulator variable")
    return names[0], names[1]


def _variable(argument: Expr, message: str) -> str:
    """Return the name that an argument is. Raises MacroError, with `message` if it is not a name."""
    if not isinstance(argument.node, Ident):
        raise MacroError(argument.id, message)
    if argument.node.name in (ACCUMULATOR, _OLD_ACCUMULATOR):
        raise MacroError(argument.id, "iteration variable overwrites accumulator variable")
    return argument.node.name


STANDARD: dict[tuple[str, int, bool], Expander] = {
    ("has", 1, False): _has,
    ("all", 2, True): _all,
    ("exists", 2, True): _exists,
    ("exists_one", 2, True): _exists_one,
    ("map", 2, True): make_map,
    ("map", 3, True): make_map,
    ("filter", 2, True): _filter,
}
OPTIONAL: dict[tuple[str, int, bool], Expander] = {
    ("optMap", 2, True): _opt_map,
    ("optFlatMap", 2, True): _opt_flat_map,
}
TWO_VARIABLES: dict[tuple[str, int, bool], Expander] = {
    ("all", 3, True): _all,
    ("exists", 3, True): _exists,
    ("existsOne", 3, True): _exists_one,
    ("exists_one", 3, True): _exists_one,
    ("transformList", 3, True): _transform_list,
    ("transformList", 4, True): _transform_list,
    ("transformMap", 3, True): _transform_map,
    ("transformMap", 4, True): _transform_map,
    ("transformMapEntry", 3, True): _transform_map_entry,
    ("transformMapEntry", 4, True): _transform_map_entry,
}
BINDINGS: dict[tuple[str, int, bool], Expander] = {("bind", 3, True): _bind}
LISTS: dict[tuple[str, int, bool], Expander] = {("sortBy", 2, True): _sort_by}
