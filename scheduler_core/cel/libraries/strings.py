"""String functions (cel-go's `ext/strings.go`, version 2)."""

from __future__ import annotations

from scheduler_core.cel.declarations import Function, Implementation, Library, Overload
from scheduler_core.cel.libraries.formatting import format_text
from scheduler_core.cel.libraries.quotes import SHORT_ESCAPES
from scheduler_core.cel.types import DYN, INT, STRING, CelType, list_of
from scheduler_core.cel.values import Error, Value, allocate, check_length, text_of

_STRINGS = list_of(STRING)
_LOWER = {code: code + 32 for code in range(65, 91)}
_UPPER = {code + 32: code for code in range(65, 91)}
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def _out_of_range(index: int) -> Error:
    return Error(f"index out of range: {index}")


def _char_at(text: str, index: int) -> Value:
    return text[index : index + 1] if 0 <= index <= len(text) else _out_of_range(index)


def _index_of(text: str, part: str, start: int = 0) -> Value:
    if not part:
        return start
    if start < 0:
        return _out_of_range(start)
    return text.find(part, start) if start < len(text) else -1


def _last_index_of(text: str, part: str, start: int | None = None) -> Value:
    if not part:
        return len(text) if start is None else start
    if start is None:
        return text.rfind(part)
    if start < 0:
        return _out_of_range(start)
    return text.rfind(part, 0, start + len(part)) if start < len(text) else -1


def _replace(text: str, old: str, new: str, count: int = -1) -> Value:
    occurrences = len(text) + 1 if not old else text.count(old)
    allocate(len(text) + (occurrences if count < 0 else min(occurrences, count)) * len(new))
    return text.replace(old, new, count if count >= 0 else -1)


def _split(text: str, separator: str, count: int = -1) -> Value:
    if count == 0:
        return []
    if not separator:
        letters = list(text)
        return letters if count < 0 or count >= len(letters) else [*letters[: count - 1], "".join(letters[count - 1 :])]
    return text.split(separator, count - 1) if count > 0 else text.split(separator)


def _substring(text: str, start: int, end: int | None = None) -> Value:
    if end is not None and start > end:
        return Error(f"invalid substring range. start: {start}, end: {end}")
    if not 0 <= start <= len(text):
        return _out_of_range(start)
    if end is not None and not 0 <= end <= len(text):
        return _out_of_range(end)
    return text[start:end]


def _join(elements: Value, separator: str = "") -> Value:
    parts: list[str] = []
    length = 0
    for each in elements:
        if type(each) is not str:
            return Error(f"join: invalid input: {text_of(each)}")
        length += len(each) + len(separator)
        check_length(length)
        parts.append(each)
    allocate(length)
    return separator.join(parts)


def _quote(text: str) -> Value:
    return '"' + "".join(SHORT_ESCAPES.get(letter, letter) for letter in text) + '"'


def _member(name: str, *overloads: tuple[str, tuple[CelType, ...]], result: CelType, of: Implementation) -> Function:
    return Function(
        name,
        tuple(
            Overload(id_, parameters, result, True, of, variadic=len(parameters) > 2) for id_, parameters in overloads
        ),
    )


_TWO = (STRING, STRING)
STRINGS = Library(
    (
        _member("charAt", ("string_char_at_int", (STRING, INT)), result=STRING, of=_char_at),
        _member(
            "indexOf",
            ("string_index_of_string", _TWO),
            ("string_index_of_string_int", (*_TWO, INT)),
            result=INT,
            of=_index_of,
        ),
        _member(
            "lastIndexOf",
            ("string_last_index_of_string", _TWO),
            ("string_last_index_of_string_int", (*_TWO, INT)),
            result=INT,
            of=_last_index_of,
        ),
        _member("lowerAscii", ("string_lower_ascii", (STRING,)), result=STRING, of=lambda text: text.translate(_LOWER)),
        _member(
            "replace",
            ("string_replace_string_string", (*_TWO, STRING)),
            ("string_replace_string_string_int", (*_TWO, STRING, INT)),
            result=STRING,
            of=_replace,
        ),
        _member(
            "split",
            ("string_split_string", _TWO),
            ("string_split_string_int", (*_TWO, INT)),
            result=_STRINGS,
            of=_split,
        ),
        _member(
            "substring",
            ("string_substring_int", (STRING, INT)),
            ("string_substring_int_int", (STRING, INT, INT)),
            result=STRING,
            of=_substring,
        ),
        _member("trim", ("string_trim", (STRING,)), result=STRING, of=lambda text: text.strip(_SPACE)),
        _member("upperAscii", ("string_upper_ascii", (STRING,)), result=STRING, of=lambda text: text.translate(_UPPER)),
        Function(
            "format",
            (Overload("string_format", (STRING, list_of(DYN)), STRING, True, format_text, variadic=True),),
        ),
        Function("strings.quote", (Overload("strings_quote", (STRING,), STRING, False, _quote),)),
        _member("join", ("list_join", (_STRINGS,)), ("list_join_string", (_STRINGS, STRING)), result=STRING, of=_join),
    )
)
