"""Messages that say what was expected of a field of a request, in place of pydantic's English ones."""

from collections.abc import Mapping
from typing import Any

from scheduler_core.apis.messages import Message

AN_INTEGER, A_NUMBER = Message("expected an integer"), Message("expected a number")
A_BOOLEAN, AN_OBJECT = Message("expected true or false"), Message("expected a JSON object")
EXPECTED = {
    "missing": Message("this field is required"),
    **dict.fromkeys(("string_too_short", "too_short"), Message("this field must not be empty")),
    "extra_forbidden": Message("there is no field of this name"),
    "string_type": Message("expected a string"),
    "list_type": Message("expected a list"),
    **dict.fromkeys(("int_type", "int_parsing", "int_parsing_size", "int_from_float"), AN_INTEGER),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), A_NUMBER),
    **dict.fromkeys(("bool_type", "bool_parsing"), A_BOOLEAN),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), AN_OBJECT),
}


def message_of(error: Mapping[str, Any]) -> str:
    """Return the message for an error of pydantic: what was expected; pydantic's own message for rare ones."""
    limits = error.get("ctx", {})
    match error["type"]:
        case "literal_error" | "enum":
            return Message("expected one of: {values}", values=limits["expected"].replace(" or ", ", "))
        case "greater_than_equal":
            return Message("expected a number of at least {least}", least=limits["ge"])
        case "less_than_equal":
            return Message("expected a number of at most {most}", most=limits["le"])
        case "string_too_long":
            return Message("expected at most {most} characters", most=limits["max_length"])
        case "too_long":
            return Message("expected a list with at most {most} entries", most=limits["max_length"])
        case "string_pattern_mismatch":
            return Message("expected a text that matches {pattern}", pattern=limits["pattern"])
        case kind:
            return EXPECTED.get(kind, str(error["msg"]))
