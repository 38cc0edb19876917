"""Declarations of an environment: functions with overloads, variables, types; and the overload resolution of calls.

Rules: cel-go's `common/decls/decls.go`. An overload declares a function for certain argument types. The type checker
selects the overloads that may match; a call whose argument types are only known at run time is resolved then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from scheduler_core.cel.types import CelType, Kind
from scheduler_core.cel.values import Error, Map, Value, is_list, type_of

Implementation: TypeAlias = Callable[..., Value]


class Overload(msgspec.Struct, frozen=True):
    """A signature of a function; `implementation` is None if all overloads of the function share one.

    `variadic`: cel-go binds it as a function of any number of arguments, which stops at the first argument that is an
    error.
    """

    id: str
    parameters: tuple[CelType, ...]
    result: CelType
    member: bool = False
    implementation: Implementation | None = None
    variadic: bool = False

    def accepts(self, arguments: tuple[Value, ...], *, unguarded: bool) -> bool:
        """Return whether the overload takes the arguments; `unguarded` skips the check of types, but not of errors."""
        if len(arguments) != len(self.parameters):
            return False
        if any(type(argument) is Error for argument in arguments):
            return False
        return unguarded or all(
            is_assignable_at_run_time(parameter, argument)
            for parameter, argument in zip(self.parameters, arguments, strict=True)
        )


class Function(msgspec.Struct, frozen=True):
    """A function and its overloads in the order of their declaration.

    `singleton` is the implementation of all overloads, `trait` the operation that its first argument must support.
    `unguarded` functions check their arguments themselves; `accepts_errors` functions accept errors as arguments.
    """

    name: str
    overloads: tuple[Overload, ...]
    singleton: Implementation | None = None
    trait: str = ""
    unguarded: bool = False
    accepts_errors: bool = False

    def merge(self, other: Function) -> Function:
        """Return the function with another library's overloads appended."""
        return Function(
            self.name,
            self.overloads + other.overloads,
            self.singleton or other.singleton,
            self.trait or other.trait,
            self.unguarded or other.unguarded,
            self.accepts_errors or other.accepts_errors,
        )

    def dispatch(self, *arguments: Value) -> Value:
        """Return the result of the first overload that accepts the arguments; if none does, an Error."""
        for overload in self.overloads:
            if overload.implementation is not None and overload.accepts(arguments, unguarded=self.unguarded):
                return overload.implementation(*arguments)
        return no_such_overload(self.name, arguments)

    def guard(self, overload: Overload) -> Implementation:
        """Return the overload's implementation, preceded by a check of the argument types unless it is unguarded."""
        implementation = overload.implementation
        assert implementation is not None
        if self.unguarded or not overload.parameters:
            return implementation
        parameters = overload.parameters

        def guarded(*arguments: Value) -> Value:
            for parameter, argument in zip(parameters, arguments, strict=True):
                if not is_assignable_at_run_time(parameter, argument):
                    return no_such_overload(self.name, arguments)
            return implementation(*arguments)

        return guarded


def no_such_overload(name: str, arguments: tuple[Value, ...]) -> Error:
    """Return the first error among the arguments, or an error that no overload matches their types."""
    for argument in arguments:
        if type(argument) is Error:
            return argument
    return Error(f"no such overload: {name}({', '.join(type_of(argument).name for argument in arguments)})")


def is_assignable_at_run_time(declared: CelType, value: Value) -> bool:
    """Return whether a value has a declared type; of a list or map, cel-go checks only the first element."""
    if declared.kind in (Kind.DYN, Kind.ANY, Kind.PARAM):
        return True
    if declared.name != type_of(value).name:
        return False
    if declared.kind is Kind.LIST and is_list(value):
        first = next(iter(value), _NOTHING)
        return first is _NOTHING or is_assignable_at_run_time(declared.parameters[0], first)
    if declared.kind is Kind.MAP and isinstance(value, Map):
        key = next(value.keys_of(), _NOTHING)
        if key is _NOTHING:
            return True
        fits = is_assignable_at_run_time(declared.parameters[0], key)
        return fits and is_assignable_at_run_time(declared.parameters[1], value.find(key))
    return True


_NOTHING = object()


class Library(msgspec.Struct, frozen=True):
    """Functions that are added to an environment together."""

    functions: tuple[Function, ...]


class Declarations(msgspec.Struct):
    """All names that an expression can use.

    `variables` maps names to their types, `types` names of types to the types, and `structs` each struct to the types
    of its fields.
    """

    functions: dict[str, Function] = {}
    variables: dict[str, CelType] = {}
    types: dict[str, CelType] = {}
    structs: dict[str, dict[str, CelType]] = {}

    def add(self, library: Library) -> None:
        """Add the functions of a library; a known function gets more overloads."""
        for function in library.functions:
            existing = self.functions.get(function.name)
            self.functions[function.name] = function if existing is None else existing.merge(function)
