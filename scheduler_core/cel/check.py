"""The type checker (cel-go's `checker/checker.go`): the type of each node, and the overloads each call may match."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scheduler_core.cel import types
from scheduler_core.cel.declarations import Declarations, Function, Overload
from scheduler_core.cel.source import NO_POSITION, Issues, Position
from scheduler_core.cel.syntax import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListOf,
    Literal,
    MapOf,
    Select,
    StructLiteral,
    Tree,
    qualified_name,
)
from scheduler_core.cel.types import CelType, Kind, Mapping, format_signature, format_type, unwrap_optional
from scheduler_core.cel.values import type_of

_MAX_WEIGHT = 2000  # the largest number of types in a type


class Checked(msgspec.Struct):
    """A tree with, by id, the type of each node, the ids of the overloads that a call may match, and declared names."""

    tree: Tree
    types: dict[int, CelType] = {}
    overloads: dict[int, list[str]] = {}
    names: dict[int, str] = {}

    @property
    def result(self) -> CelType:
        """Return the type of the whole expression."""
        return self.types[self.tree.root.id]

    def position(self, id_: int) -> Position:
        """Return the position of a node in the text; NO_POSITION if the id has none."""
        offset = self.tree.offsets.get(id_)
        return NO_POSITION if offset is None else self.tree.source.position(offset)


def check(tree: Tree, declarations: Declarations) -> tuple[Checked, Issues]:
    """Return the checked tree and the issues; the tree must not be used if there are any."""
    checker = _Checker(tree, declarations)
    try:
        checker.check(tree.root)
    except _TooLarge:
        return checker.checked, checker.issues
    checked = checker.checked
    for id_, type_ in checked.types.items():
        checked.types[id_] = checker.mapping.substitute(type_, parameters_to_dyn=True)
    return checked, checker.issues


class _TooLarge(Exception):
    """Raised for a type that is too large; nested maps can double it at each level."""


class _Checker:
    """Checks the parts of a tree, and keeps their types and issues."""

    def __init__(self, tree: Tree, declarations: Declarations) -> None:
        self.checked = Checked(tree)
        self.issues = Issues(tree.source)
        self.mapping = Mapping()
        self._declarations = declarations
        self._scopes: list[dict[str, CelType]] = []
        self._free_variables = 0

    def check(self, expr: Expr) -> None:
        node = expr.node
        if isinstance(node, Literal):
            self._set_type(expr, type_of(node.value))
        elif isinstance(node, Ident):
            self._check_ident(expr, node)
        elif isinstance(node, Select):
            self._check_select(expr, node)
        elif isinstance(node, Call):
            self._check_call(expr, node)
        elif isinstance(node, ListOf):
            self._check_list(expr, node)
        elif isinstance(node, MapOf):
            self._check_map(expr, node)
        elif isinstance(node, StructLiteral):
            self._check_message(expr, node)
        elif isinstance(node, Comprehension):
            self._check_comprehension(expr, node)

    def _report(self, id_: int, message: str, names: Iterable[str] = ()) -> None:
        self.issues.add(self.checked.position(id_), message, names)

    def _set_type(self, expr: Expr, type_: CelType) -> None:
        if type_.weight > _MAX_WEIGHT:
            self._report(expr.id, "the type of this part is too large")
            raise _TooLarge
        self.checked.types[expr.id] = type_

    def _type(self, expr: Expr) -> CelType:
        return self.checked.types[expr.id]

    def _new_variable(self) -> CelType:
        variable = types.parameter(f"_var{self._free_variables}")
        self._free_variables += 1
        return variable

    # Names

    def _find_name(self, name: str) -> tuple[str, CelType] | None:
        """Return the name without a leading dot and its type, from the innermost scope that has it, or None."""
        name = name.removeprefix(".")
        for scope in reversed(self._scopes):
            if name in scope:
                return name, scope[name]
        declared = self._declarations.variables.get(name)
        if declared is not None:
            return name, declared
        type_ = self._declarations.types.get(name)
        if type_ is not None:
            return name, types.type_of_type(type_)
        if name in self._declarations.structs:
            return name, types.type_of_type(types.struct(name))
        return None

    def _check_ident(self, expr: Expr, node: Ident) -> None:
        declared = self._find_name(node.name)
        if declared is None:
            self._set_type(expr, types.ERROR)
            self._undeclared(expr.id, node.name)
            return
        self._set_ident(expr, *declared)

    def _set_ident(self, expr: Expr, name: str, type_: CelType) -> None:
        expr.node = Ident(name)
        self.checked.names[expr.id] = name
        self._set_type(expr, type_)

    def _undeclared(self, id_: int, name: str) -> None:
        names = [*self._declarations.variables, *self._declarations.functions]
        self._report(id_, f"undeclared reference to '{name}' (in container '')", names)

    def _check_select(self, expr: Expr, node: Select) -> None:
        name = qualified_name(expr)
        declared = None if name is None else self._find_name(name)
        if declared is not None:
            self._set_ident(expr, *declared)
            return
        result = self._field_type(expr, node.operand, node.field, optional=False)
        if node.test_only:
            result = types.BOOL
        self._set_type(expr, self.mapping.substitute(result, parameters_to_dyn=False))

    def _field_type(self, expr: Expr, operand: Expr, name: str, *, optional: bool) -> CelType:
        self.check(operand)
        target, was_optional = unwrap_optional(self.mapping.substitute(self._type(operand), parameters_to_dyn=False))
        result = types.ERROR
        if target.kind is Kind.MAP:
            result = target.parameters[1]
        elif target.kind is Kind.STRUCT:
            result = self._struct_field(expr.id, target.name, name) or types.ERROR
        elif target.kind is Kind.PARAM:
            self.mapping.is_assignable(types.DYN, target)
            result = types.DYN
        else:
            if not target.is_dyn and target.kind is not Kind.ERROR:
                self._report(expr.id, f"type '{format_type(target)}' does not support field selection")
            result = types.DYN
        return types.optional_of(result) if was_optional or optional else result

    def _struct_field(self, id_: int, struct: str, name: str) -> CelType | None:
        fields = self._declarations.structs.get(struct)
        if fields is None:
            self._report(id_, f"unexpected failed resolution of '{struct}'")
            return None
        if name not in fields:
            self._report(id_, f"undefined field '{name}'", fields)
            return None
        return fields[name]

    # Calls

    def _check_call(self, expr: Expr, node: Call) -> None:
        if node.function == "_?._":
            self._check_optional_select(expr, node)
            return
        for argument in node.arguments:
            self.check(argument)
        if node.target is None:
            name = node.function.removeprefix(".")
            function = self._declarations.functions.get(name)
            if function is None:
                self._set_type(expr, types.ERROR)
                self._undeclared(expr.id, node.function)
                return
            expr.node = Call(name, node.arguments)
            self._resolve(expr, function, None, node.arguments)
            return
        prefix = qualified_name(node.target)
        if prefix is not None:
            qualified = f"{prefix}.{node.function}".removeprefix(".")
            function = self._declarations.functions.get(qualified)
            if function is not None:
                expr.node = Call(qualified, node.arguments)
                self._resolve(expr, function, None, node.arguments)
                return
        self.check(node.target)
        function = self._declarations.functions.get(node.function)
        if function is None:
            self._set_type(expr, types.ERROR)
            self._undeclared(expr.id, node.function)
            return
        self._resolve(expr, function, node.target, node.arguments)

    def _check_optional_select(self, expr: Expr, node: Call) -> None:
        operand, name = node.arguments
        assert isinstance(name.node, Literal)
        assert isinstance(name.node.value, str)
        result = self._field_type(expr, operand, name.node.value, optional=True)
        self._set_type(expr, self.mapping.substitute(result, parameters_to_dyn=False))
        self.checked.overloads[expr.id] = ["select_optional_field"]

    def _resolve(self, expr: Expr, function: Function, target: Expr | None, arguments: list[Expr]) -> None:
        argument_types = [self._type(each) for each in ([target] if target is not None else []) + arguments]
        if function.name in ("_&&_", "_||_"):
            self._resolve_logical(expr, function, arguments, argument_types)
            return
        result: CelType | None = None
        ids: list[str] = []
        for overload in function.overloads:
            if overload.member != (target is not None):
                continue
            parameters, returned = self._instantiate(overload)
            if not self.mapping.are_assignable(argument_types, parameters):
                continue
            ids.append(overload.id)
            returned = self.mapping.substitute(returned, parameters_to_dyn=False)
            if result is None:
                result = returned
            elif not result.is_dyn and returned != result:
                result = types.DYN
        if result is None:
            shown = [self.mapping.substitute(each, parameters_to_dyn=True) for each in argument_types]
            signature = format_signature(shown, member=target is not None)
            self._report(expr.id, f"found no matching overload for '{function.name}' applied to '{signature}'")
            self._set_type(expr, types.ERROR)
            return
        self._set_type(expr, result)
        self.checked.overloads[expr.id] = ids

    def _resolve_logical(
        self, expr: Expr, function: Function, arguments: list[Expr], argument_types: list[CelType]
    ) -> None:
        fits = True
        for argument, type_ in zip(arguments, argument_types, strict=True):
            if not self.mapping.is_assignable(type_, types.BOOL):
                self._mismatch(argument.id, types.BOOL, type_)
                fits = False
        self._set_type(expr, types.BOOL if fits else types.ERROR)
        if fits:
            self.checked.overloads[expr.id] = [function.overloads[0].id]

    def _instantiate(self, overload: Overload) -> tuple[list[CelType], CelType]:
        """Return the overload's parameters and result with fresh variables for its type parameters."""
        names = _type_parameters([overload.result, *overload.parameters])
        if not names:
            return list(overload.parameters), overload.result
        fresh = Mapping({types.parameter(name): self._new_variable() for name in names})
        parameters = [fresh.substitute(each, parameters_to_dyn=False) for each in overload.parameters]
        return parameters, fresh.substitute(overload.result, parameters_to_dyn=False)

    def _mismatch(self, id_: int, expected: CelType, actual: CelType) -> None:
        self._report(id_, f"expected type '{format_type(expected)}' but found '{format_type(actual)}'")

    # Literals of lists, maps and messages

    def _check_list(self, expr: Expr, node: ListOf) -> None:
        joined: CelType | None = None
        for index, element in enumerate(node.elements):
            self.check(element)
            type_ = self._type(element)
            if index in node.optional:
                type_ = self._unwrap(element, type_)
            joined = self._join(joined, type_)
        self._set_type(expr, types.list_of(self._new_variable() if joined is None else joined))

    def _check_map(self, expr: Expr, node: MapOf) -> None:
        keys: CelType | None = None
        values: CelType | None = None
        for entry in node.entries:
            self.check(entry.key)
            keys = self._join(keys, self._type(entry.key))
            self.check(entry.value)
            type_ = self._type(entry.value)
            if entry.optional:
                type_ = self._unwrap(entry.value, type_)
            values = self._join(values, type_)
        if keys is None or values is None:
            keys, values = self._new_variable(), self._new_variable()
        self._set_type(expr, types.map_of(keys, values))

    def _check_message(self, expr: Expr, node: StructLiteral) -> None:
        declared = self._find_name(node.type_name)
        if declared is None:
            self._undeclared(expr.id, node.type_name)
            self._set_type(expr, types.ERROR)
            return
        name, type_ = declared
        expr.node = StructLiteral(name, node.fields)
        result = types.ERROR
        if type_.kind is not Kind.TYPE:
            self._report(expr.id, f"'{type_.name}' is not a type")
        elif type_.parameters[0].kind is not Kind.STRUCT:
            self._report(expr.id, f"'{type_.parameters[0].name}' is not a message type")
        else:
            result = type_.parameters[0]
        self._set_type(expr, result)
        for entry in node.fields:
            self.check(entry.value)
            field_type = self._struct_field(entry.id, name, entry.name) or types.ERROR
            value = self._type(entry.value)
            if entry.optional:
                value = self._unwrap(entry.value, value)
            if not self.mapping.is_assignable(field_type, value):
                self._report(
                    entry.id,
                    f"expected type of field '{entry.name}' is '{format_type(field_type)}' "
                    f"but provided type is '{format_type(value)}'",
                )

    def _unwrap(self, expr: Expr, type_: CelType) -> CelType:
        """Return the type inside the optional type of an element with a question mark; report others but dyn."""
        inner, is_optional = unwrap_optional(type_)
        if not is_optional and not inner.is_dyn:
            self._mismatch(expr.id, types.optional_of(inner), inner)
        return inner

    def _join(self, previous: CelType | None, current: CelType) -> CelType:
        """Return the common type of elements, dyn if there is none. `validate` checks that they have one type."""
        if previous is None:
            return current
        if self.mapping.is_assignable(previous, current):
            return types.most_general(previous, current)
        return types.DYN

    # Comprehensions

    def _check_comprehension(self, expr: Expr, node: Comprehension) -> None:
        self.check(node.range)
        self.check(node.initial)
        range_ = self.mapping.substitute(self._type(node.range), parameters_to_dyn=False)
        accumulated = self._type(node.initial)
        self._scopes.append({node.accumulator: accumulated})
        self._scopes.append(self._iteration_variables(node, range_))
        self.check(node.condition)
        self._assert_type(node.condition, types.BOOL)
        self.check(node.step)
        self._assert_type(node.step, accumulated)
        self._scopes.pop()
        self.check(node.result)
        self._scopes.pop()
        self._set_type(expr, self.mapping.substitute(self._type(node.result), parameters_to_dyn=False))

    def _iteration_variables(self, node: Comprehension, range_: CelType) -> dict[str, CelType]:
        first = second = types.DYN
        if range_.kind is Kind.LIST:
            first = second = range_.parameters[0]
            if node.second_variable:
                first = types.INT
        elif range_.kind is Kind.MAP:
            first, second = range_.parameters
        elif range_.kind in (Kind.DYN, Kind.ERROR, Kind.PARAM):
            self.mapping.is_assignable(types.DYN, range_)
        else:
            first = second = types.ERROR
            self._report(
                node.range.id,
                f"expression of type '{format_type(range_)}' cannot be range of a comprehension "
                "(must be list, map, or dynamic)",
            )
        variables = {node.variable: first}
        if node.second_variable:
            variables[node.second_variable] = second
        return variables

    def _assert_type(self, expr: Expr, type_: CelType) -> None:
        if not self.mapping.is_assignable(type_, self._type(expr)):
            self._mismatch(expr.id, type_, self._type(expr))


def _type_parameters(of: list[CelType]) -> list[str]:
    """Return the names of the type parameters in these types, each once."""
    names: dict[str, None] = {}
    waiting = list(of)
    while waiting:
        type_ = waiting.pop(0)
        if type_.kind is Kind.PARAM:
            names[type_.name] = None
        waiting.extend(type_.parameters)
    return list(names)
