"""Optional values (cel-go's `cel/library.go`)."""

from __future__ import annotations

from scheduler_core.cel.declarations import Function, Implementation, Library, Overload
from scheduler_core.cel.types import BOOL, DYN, INT, STRING, list_of, map_of, optional_of, parameter
from scheduler_core.cel.values import NONE, Error, Optional, Value, is_zero, text_of

_K, _V = parameter("K"), parameter("V")
_OPTIONAL = optional_of(_V)
_LIST, _MAP = list_of(_V), map_of(_K, _V)
_OPTIONALS = list_of(_OPTIONAL)


def _of(value: Value) -> Value:
    return Optional(value, present=True)


def _value(optional: Optional) -> Value:
    return optional.value if optional.present else Error("optional.none() dereference")


def _at(index: int) -> Implementation:
    def element(elements: Value) -> Value:
        return Optional(elements[index], present=True) if len(elements) else NONE

    return element


def _unwrap(elements: Value) -> Value:
    unwrapped: list[Value] = []
    for each in elements:
        if type(each) is not Optional:
            return Error(f"value {text_of(each)} is not optional")
        if each.present:
            unwrapped.append(each.value)
    return unwrapped


OPTIONALS = Library(
    (
        Function("optional.of", (Overload("optional_of", (_V,), _OPTIONAL, False, _of),)),
        Function(
            "optional.ofNonZeroValue",
            (
                Overload(
                    "optional_ofNonZeroValue",
                    (_V,),
                    _OPTIONAL,
                    False,
                    lambda value: NONE if is_zero(value) else _of(value),
                ),
            ),
        ),
        Function("optional.none", (Overload("optional_none", (), _OPTIONAL, False, lambda: NONE),)),
        Function("value", (Overload("optional_value", (_OPTIONAL,), _V, True, _value),)),
        Function("hasValue", (Overload("optional_hasValue", (_OPTIONAL,), BOOL, True, lambda value: value.present),)),
        Function("or", (Overload("optional_or_optional", (_OPTIONAL, _OPTIONAL), _OPTIONAL, True),)),
        Function("orValue", (Overload("optional_orValue_value", (_OPTIONAL, _V), _V, True),)),
        Function("_?._", (Overload("select_optional_field", (DYN, STRING), _OPTIONAL),)),
        Function(
            "_[?_]",
            (
                Overload("list_optindex_optional_int", (_LIST, INT), _OPTIONAL),
                Overload("optional_list_optindex_optional_int", (optional_of(_LIST), INT), _OPTIONAL),
                Overload("map_optindex_optional_value", (_MAP, _K), _OPTIONAL),
                Overload("optional_map_optindex_optional_value", (optional_of(_MAP), _K), _OPTIONAL),
            ),
        ),
        Function(
            "_[_]",
            (
                Overload("optional_list_index_int", (optional_of(_LIST), INT), _OPTIONAL),
                Overload("optional_map_index_value", (optional_of(_MAP), _K), _OPTIONAL),
            ),
        ),
        Function("last", (Overload("list_last", (_LIST,), _OPTIONAL, True, _at(-1)),)),
        Function("first", (Overload("list_first", (_LIST,), _OPTIONAL, True, _at(0)),)),
        Function("optional.unwrap", (Overload("optional_unwrap", (_OPTIONALS,), _LIST, False, _unwrap),)),
        Function("unwrapOpt", (Overload("optional_unwrapOpt", (_OPTIONALS,), _LIST, True, _unwrap),)),
    )
)
