"""Static types of the Common Expression Language, and how its type checker compares and prints them.

The rules are cel-go's (`common/types/types.go`, `checker/types.go`, `checker/format.go`).
"""

from __future__ import annotations

from enum import Enum, auto

import msgspec
from msgspec.structs import force_setattr


class Kind(Enum):
    """The shape of a type."""

    DYN = auto()
    ANY = auto()
    BOOL = auto()
    BYTES = auto()
    DOUBLE = auto()
    DURATION = auto()
    ERROR = auto()
    INT = auto()
    LIST = auto()
    MAP = auto()
    NULL = auto()
    OPAQUE = auto()
    STRING = auto()
    STRUCT = auto()
    TIMESTAMP = auto()
    TYPE = auto()
    PARAM = auto()
    UINT = auto()


class CelType(msgspec.Struct, frozen=True):
    """A type by its kind, its name at run time and its parameters (of a list, a map, a type or an opaque type)."""

    kind: Kind
    name: str
    parameters: tuple[CelType, ...] = ()
    weight: int = 1  # the number of types in it

    def __post_init__(self) -> None:
        if self.parameters:
            force_setattr(self, "weight", 1 + sum(parameter.weight for parameter in self.parameters))

    def __str__(self) -> str:
        """Return the name that Kubernetes prints for an expression's result ("map(string, google.protobuf.Any)")."""
        if self.kind is Kind.PARAM:
            return f"<{self.name}>"
        return _with_parameters(self.name, [str(parameter) for parameter in self.parameters])

    @property
    def is_dyn(self) -> bool:
        """Return whether the type of its values is only known at run time."""
        return self.kind is Kind.DYN or self.kind is Kind.ANY

    @property
    def is_optional(self) -> bool:
        """Return whether it is an optional type."""
        return self.kind is Kind.OPAQUE and self.name == "optional_type"


DYN = CelType(Kind.DYN, "dyn")
ANY = CelType(Kind.ANY, "google.protobuf.Any")
BOOL = CelType(Kind.BOOL, "bool")
BYTES = CelType(Kind.BYTES, "bytes")
DOUBLE = CelType(Kind.DOUBLE, "double")
DURATION = CelType(Kind.DURATION, "google.protobuf.Duration")
ERROR = CelType(Kind.ERROR, "error")
INT = CelType(Kind.INT, "int")
NULL = CelType(Kind.NULL, "null_type")
STRING = CelType(Kind.STRING, "string")
TIMESTAMP = CelType(Kind.TIMESTAMP, "google.protobuf.Timestamp")
TYPE = CelType(Kind.TYPE, "type")
UINT = CelType(Kind.UINT, "uint")

QUANTITY = CelType(Kind.STRUCT, "kubernetes.Quantity")
SEMVER = CelType(Kind.STRUCT, "kubernetes.Semver")
URL = CelType(Kind.STRUCT, "kubernetes.URL")
FORMAT = CelType(Kind.STRUCT, "kubernetes.NamedFormat")
IP = CelType(Kind.OPAQUE, "net.IP")
CIDR = CelType(Kind.OPAQUE, "net.CIDR")
OPTIONAL = CelType(Kind.OPAQUE, "optional_type")  # as a name, which has no parameter

_SHORT_NAMES = {
    Kind.ANY: "any",
    Kind.DURATION: "duration",
    Kind.ERROR: "!error!",
    Kind.NULL: "null",
    Kind.TIMESTAMP: "timestamp",
}
_NULLABLE = (Kind.OPAQUE, Kind.STRUCT, Kind.ANY, Kind.DURATION, Kind.TIMESTAMP)


def list_of(element: CelType) -> CelType:
    return CelType(Kind.LIST, "list", (element,))


def map_of(key: CelType, value: CelType) -> CelType:
    return CelType(Kind.MAP, "map", (key, value))


def optional_of(value: CelType) -> CelType:
    return CelType(Kind.OPAQUE, "optional_type", (value,))


def type_of_type(value: CelType) -> CelType:
    return CelType(Kind.TYPE, "type", (value,))


def parameter(name: str) -> CelType:
    return CelType(Kind.PARAM, name)


def struct(name: str) -> CelType:
    return CelType(Kind.STRUCT, name)


LIST = list_of(DYN)
MAP = map_of(DYN, DYN)


def format_type(type_: CelType) -> str:
    """Return the name that the type checker's messages use ("any", "list(int)")."""
    short = _SHORT_NAMES.get(type_.kind)
    if short is not None:
        return short
    return _with_parameters(type_.name, [format_type(parameter) for parameter in type_.parameters])


def format_signature(arguments: list[CelType], *, member: bool) -> str:
    """Return the arguments of a call as "no matching overload" prints them: "(int, string)" or "string.(int)"."""
    names = [format_type(argument) for argument in arguments]
    if member:
        return f"{names[0]}.({', '.join(names[1:])})"
    return f"({', '.join(names)})"


def unwrap_optional(type_: CelType) -> tuple[CelType, bool]:
    """Return the type inside an optional type, and whether it is one."""
    return (type_.parameters[0], True) if type_.is_optional else (type_, False)


class Mapping:
    """The type parameters bound so far (`checker/mapping.go`); a failed assignment does not change it."""

    __slots__ = ("_bound",)

    def __init__(self, bound: dict[CelType, CelType] | None = None) -> None:
        self._bound = bound if bound is not None else {}

    def bind(self, parameter: CelType, to: CelType) -> None:
        """Bind a type parameter, also one that is bound already."""
        self._bound[parameter] = to

    def is_assignable(self, to: CelType, from_: CelType) -> bool:
        """Return whether a type is assignable to another; bind type parameters if it is."""
        return self.are_assignable([to], [from_])

    def are_assignable(self, to: list[CelType], from_: list[CelType]) -> bool:
        """Return whether each type is assignable to its counterpart; bind type parameters if all are."""
        attempt = Mapping(dict(self._bound))
        if attempt._assign_all(to, from_):
            self._bound = attempt._bound
            return True
        return False

    def substitute(self, type_: CelType, *, parameters_to_dyn: bool) -> CelType:
        """Return the type with bound parameters replaced and, on request, unbound ones replaced by dyn."""
        bound = self._bound.get(type_)
        if bound is not None:
            return self.substitute(bound, parameters_to_dyn=parameters_to_dyn)
        if type_.kind is Kind.PARAM:
            return DYN if parameters_to_dyn else type_
        if not type_.parameters:
            return type_
        replaced = tuple(self.substitute(each, parameters_to_dyn=parameters_to_dyn) for each in type_.parameters)
        return CelType(type_.kind, type_.name, replaced)

    def _assign_all(self, to: list[CelType], from_: list[CelType]) -> bool:
        return len(to) == len(from_) and all(self._assign(a, b) for a, b in zip(to, from_, strict=True))

    def _assign(self, to: CelType, from_: CelType) -> bool:
        if from_.kind is Kind.PARAM:
            valid, bound = self._substitutes(to, from_)
            if valid or bound:
                return valid
        if to.kind is Kind.PARAM:
            return self._substitutes(from_, to)[0]
        if to.is_dyn or from_.is_dyn or to.kind is Kind.ERROR or from_.kind is Kind.ERROR:
            return True
        if to.kind is Kind.NULL:
            return from_.kind in _NULLABLE or from_.kind is Kind.NULL
        if from_.kind is Kind.NULL:
            return to.kind in _NULLABLE
        if to.kind is Kind.TYPE:
            return from_.kind is Kind.TYPE
        if to.kind in (Kind.OPAQUE, Kind.LIST, Kind.MAP):
            same = to.kind is from_.kind and to.name == from_.name
            return same and self._assign_all(list(to.parameters), list(from_.parameters))
        return to.kind is from_.kind and to.name == from_.name

    def _substitutes(self, candidate: CelType, parameter: CelType) -> tuple[bool, bool]:
        """Return whether the parameter can be the candidate, and whether it was bound before; bind it if possible."""
        if candidate == parameter:
            return True, True
        bound = self._bound.get(parameter)
        if bound is not None:
            if candidate == bound:
                return True, True
            if self._assign(candidate, bound):
                general = most_general(candidate, bound)
                if self._does_not_occur(parameter, general):
                    self._bound[parameter] = general
                return True, True
            return False, True
        if self._does_not_occur(parameter, candidate):
            self._bound[parameter] = candidate
            return True, False
        return False, False

    def _does_not_occur(self, parameter: CelType, within: CelType) -> bool:
        if parameter == within:
            return False
        if within.kind is Kind.PARAM:
            bound = self._bound.get(within)
            return bound is None or self._does_not_occur(parameter, bound)
        if within.kind in (Kind.OPAQUE, Kind.LIST, Kind.MAP, Kind.TYPE):
            return all(self._does_not_occur(parameter, each) for each in within.parameters)
        return True


def most_general(first: CelType, other: CelType) -> CelType:
    """Return the more general of two types that are assignable to each other."""
    return first if _is_equal_or_less_specific(first, other) else other


def is_equivalent(first: CelType, other: CelType) -> bool:
    """Return whether the types are equal up to the names of type parameters."""
    if first.kind is not other.kind or len(first.parameters) != len(other.parameters):
        return False
    if first.kind is not Kind.PARAM and first.name != other.name:
        return False
    return all(is_equivalent(a, b) for a, b in zip(first.parameters, other.parameters, strict=True))


def _is_equal_or_less_specific(first: CelType, other: CelType) -> bool:
    if first.is_dyn or first.kind is Kind.PARAM:
        return True
    if other.is_dyn or other.kind is Kind.PARAM or first.kind is not other.kind:
        return False
    if first.kind is Kind.TYPE:
        return True
    if first.name != other.name or len(first.parameters) != len(other.parameters):
        return False
    return all(_is_equal_or_less_specific(a, b) for a, b in zip(first.parameters, other.parameters, strict=True))


def _with_parameters(name: str, parameters: list[str]) -> str:
    return f"{name}({', '.join(parameters)})" if parameters else name
