"""The CEL language, beyond the selectors that were recorded."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.cel.device import MAX_COST, CelDevice, Evaluation, compile_device_selector
from scheduler_core.cel.environment import CompileError

DEVICE = CelDevice(
    "gpu.example.com",
    {"model": ("string", "a100"), "index": ("int", 3), "driverVersion": ("version", "535.161.8")},
    {"memory": "40Gi", "bandwidth": "1500m"},
)
TRUE = (
    # numbers, strings, bytes
    "7 / -2 == -3 && 7 % -2 == 1 && -7 % 2 == -1",
    "9223372036854775807 > 9223372036854775806.0 || true",
    "dyn(1) == 1.0 && dyn(1u) == 1 && dyn(1) in [1.0] && {1: 2}[dyn(1.0)] == 2",
    "'a' + \"b\" == 'ab' && r'\\n' == '\\\\n' && '\\u00fc' == 'ü'",
    "b'\\xff' == bytes('\\u00ff') || size(b'\\xff') == 1",
    "size('äöü') == 3 && 'äöü'.charAt(1) == 'ö'",
    "string(1e6) == '1e+06' && string(0.1) == '0.1' && string(123456.0) == '123456'",
    # times
    "duration('1h30m') == duration('90m') && duration('1.5s').getMilliseconds() == 1500",
    "timestamp('2024-02-29T12:30:45.5Z') - timestamp('2024-02-28T12:30:45Z') == duration('24h0m0.5s')",
    "timestamp('2024-02-29T23:30:00Z').getDate('+01:00') == 1",
    "timestamp('9999-12-31T23:59:59Z').getFullYear('+05:00') == 10000",
    "timestamp('9999-12-31T23:59:59Z').getHours('Europe/Zurich') == 0",
    "timestamp('0001-01-01T00:00:00Z').getFullYear('America/New_York') == 0",
    "timestamp('2024-01-01T00:00:00Z').getHours('99999999999:00') == 9",
    "timestamp('2024-01-01T00:00:00Z').getFullYear('99999999999:00') == 1813",
    "timestamp('9999-12-31T00:00:00Z').getFullYear('2000000:00') == 10228",
    "timestamp('0001-01-01T00:00:00Z').getFullYear('-2000000:00') == -228",
    "string(timestamp('2024-01-01T00:00:00+02:00')) == '2024-01-01T00:00:00+02:00'",
    # long texts
    f"int('-{'0' * 5000}7') == -7 && uint('{'0' * 5000}7') == 7u && double('{'0' * 5000}7') == 7.0",
    # lists, maps, comprehensions
    "[1, 2, 3].filter(x, x > 1).map(x, x * x) == [4, 9]",
    "{'a': 1, 'b': 2}.all(k, v, v > 0) && {'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
    "[3, 1, 2].sort() == [1, 2, 3] && ['bb', 'a'].sortBy(s, s.size()) == ['a', 'bb']",
    "[[1], [2, 3]].flatten() == lists.range(4).slice(1, 4)",
    "cel.bind(x, 20, x + x) == 40",
    "[1, 2].exists_one(x, x == 1) && sets.equivalent([1, 1], [1])",
    # optional values
    "optional.of(1).optMap(x, x + 1).value() == 2 && optional.none().orValue(5) == 5",
    "device.attributes['gpu.example.com'].?nothere.or(optional.of('x')).value() == 'x'",
    "[?optional.none(), ?optional.of(1)] == [1] && {?'a': optional.none()}.size() == 0",
    # Kubernetes' libraries
    "quantity('1.5Gi').add(quantity('512Mi')) == quantity('2Gi') && !quantity('1000m').isInteger()",
    "semver('v1.2', true).compareTo(semver('1.2.0-rc.1')) == 1",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && ip('::1').isLoopback()",
    "url('https://u@example.com:80/a%20b?x=1&x=2').getQuery() == {'x': ['1', '2']}",
    "'a-b'.matches('^[a-z]-[a-z]$') && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
    "format.labelValue().validate('a b').value()[0].startsWith('a valid label')",
    "'%s|%d|%.1f|%x'.format([[1, 'a'], 2, 1.25, 255]) == '[1, \"a\"]|2|1.2|ff'",
    # errors that are absorbed
    "device.attributes['gpu.example.com'].nothere == 1 || true",
    "!(device.attributes['gpu.example.com'].nothere == 1 && false)",
    "[1, 0].exists(x, 1 / x == 1)",
)
ERRORS = {
    "1 / 0 == 1": "division by zero",
    "[1][3] == 1": "index out of bounds: 3",
    "{1: 2}[5] == 2": "no such key: 5",
    "9223372036854775807 + 1 > 0": "integer overflow",
    "1u - 2u == 0u": "unsigned integer overflow",
    "dyn('a') < 1": "no such overload",
    "dyn(1).size() == 1": "no such overload: size",
    "optional.none().value() == 1": "optional.none() dereference",
    "[].max() == 1": "max called on empty list",
    "'abc'.substring(2, 1) == ''": "invalid substring range. start: 2, end: 1",
    "'a'.matches(device.driver + '(')": "error parsing regexp: missing closing ): `gpu.example.com(`",
    "quantity('1kk') == quantity('1')": "unable to parse quantity's suffix",
    "device.attributes['gpu.example.com'].driverVersion == 'a'": "no such overload",
    "device.attributes['gpu.example.com'].driverVersion in {'a': 1}": "internal error: runtime error: "
    "hash of unhashable type cel.Semver",
    "lists.range(1000000000).size() > 0": "operation cancelled: actual cost limit exceeded",
}
REFUSED = {
    "device.attributes['a'].all(k)": "undeclared reference to 'all'",
    "[1, 'a'].size() == 2": "expected type 'int' but found 'string'",
    "has(device)": "invalid argument to has() macro",
    "optional_type": "must evaluate to bool or the unknown type, not type(optional_type)",
    "[1].all(a.b, true)": "argument must be a simple name",
    "'a'.name('x')": "found no matching overload for 'name' applied to 'string.(string)'",
    "dyn('a').check('get')": "must evaluate to bool or the unknown type, not kubernetes.authorization.Decision",
    "device.`driver` == ''": "unsupported syntax: '`'",
    "duration('x') == duration('1s')": "invalid duration argument",
    "'%.99999999999999999999f'.format([1.0]) == ''": 'parsing "99999999999999999999": value out of range',
    "'%d'.format(['a']) == ''": "decimal clause can only be used on integers, was given string",
    "'a'.find('(') == ''": "program instantiation failed: error parsing regexp: missing closing ): `(`",
    "(" * 300 + "true" + ")" * 300: "expression recursion limit exceeded: 250",
    "1 +" * 400 + "1 > 0": "max recursion depth exceeded",
    "true" + " " * 100_000: "expression code point size exceeds limit: size: 100004, limit 100000",
    "\n\n  device.drive == ''": "ERROR: <input>:3:9: undefined field 'drive'\n |   device.drive == ''\n | ........^",
}


def evaluated(expression: str) -> Evaluation:
    return compile_device_selector(expression, 36).evaluate(DEVICE)


@pytest.mark.parametrize("expression", TRUE)
def test_what_the_language_says_is_so(expression: str) -> None:
    assert evaluated(expression).error is None
    assert evaluated(expression).matches is True


@pytest.mark.parametrize(("expression", "error"), ERRORS.items())
def test_an_error_while_evaluating_is_the_schedulers(expression: str, error: str) -> None:
    assert evaluated(expression).error == error


@pytest.mark.parametrize(("expression", "message"), REFUSED.items(), ids=[name[:20] for name in REFUSED])
def test_what_does_not_compile_is_refused_in_the_schedulers_words(expression: str, message: str) -> None:
    with pytest.raises(CompileError) as refused:
        compile_device_selector(expression, 36)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("expression", "max_cost", "cost"),
    [
        ("dyn('a').check('get').error() == 'x' || true", 350003, 350002),
        ("dyn('a').resource('x').fieldSelector('x').labelSelector('y').check('get').allowed() || true", 350125, 350124),
        ("dyn('a').name('x') == dyn('b').name('x') || true", 5, 3),
    ],
)
def test_functions_of_the_authorizer_cost_what_they_cost_in_admission(
    expression: str, max_cost: int, cost: int
) -> None:
    assert compile_device_selector(expression, 36).max_cost == max_cost
    assert evaluated(expression).cost == cost


def test_a_library_is_known_from_the_release_that_brought_it() -> None:
    with pytest.raises(CompileError):
        compile_device_selector("semver('1.2.3').major() == 1", 32)
    assert compile_device_selector("semver('1.2.3').major() == 1", 33).evaluate(DEVICE).matches


def test_messages_do_not_depend_on_what_was_compiled_before() -> None:
    def refuse() -> str:
        with pytest.raises(CompileError) as refused:
            compile_device_selector.__wrapped__("f(!)", 36)
        return str(refused.value)

    first = refuse()
    for text in ("[!]", "{a b}", "(!", "a ? b"):
        with pytest.raises(CompileError):
            compile_device_selector.__wrapped__(text, 36)
    assert refuse() == first


HOSTILE = (
    "cel.bind(a, 1, "
    + "".join(f"cel.bind({chr(98 + i)}, {{{chr(97 + i)}: {chr(97 + i)}}}, " for i in range(24))
    + "y.size() > 0"
    + ")" * 25,
    "lists.range(3000).map(x, '" + "a" * 1000 + "'.replace('', '" + "b" * 4990 + "').size()).sum() > 0",
    "quantity('" + "9" * 9000 + "').isInteger() || duration('" + "9" * 900 + "s') > duration('1s')",
    "string(device.driver) == '\ud800'",
    "[1,2,3,4,5,6,7,8,9,10]" + ".map(x, [1,2,3,4,5,6,7,8,9,10]" * 5 + ".map(y, y)" + ")" * 5 + ".size() > 0",
    "cel.bind(a, [1, 2], "
    + "".join(f"cel.bind({chr(98 + i)}, {chr(97 + i)} + {chr(97 + i)}, " for i in range(24))
    + "y == y && 5 in y"
    + ")" * 25,
    "cel.bind(a, [1], "
    + "".join(f"cel.bind({chr(98 + i)}, [{chr(97 + i)}, {chr(97 + i)}], " for i in range(24))
    + "y == y"
    + ")" * 25,
    "cel.bind(a, 'xxxxxxxxxx', "
    + "".join(f"cel.bind({chr(98 + i)}, {chr(97 + i)}.replace('', {chr(97 + i)}), " for i in range(12))
    + "m.size() > 0"
    + ")" * 13,
    "lists.range(2000).sortBy(x, -x).distinct().size() > 0",
    "lists.range(900000).map(x, x).size() > 0",
    "'" + "a" * 5000 + "'.matches('(a*)*(a*)*(a*)*b')",
    "'%.999999999f'.format([1.0]) == ''",
    "quantity('1e999999999').add(1).isInteger()",
    "quantity('1e-999999999').isGreaterThan(quantity('0'))",
    "[" * 240 + "]" * 240 + " == []",
    "!" * 9000 + "true",
    "-" * 9001 + "1 == 1",
    "true" + " || true" * 1200,
    "device" + ".a" * 3000,
    "f(" * 200,
    "[" + "1," * 4000 + "1].size() > 0",
    "{" + ",".join(f"{i}: {i}" for i in range(900)) + "}.size() > 0",
)


@pytest.mark.parametrize("expression", HOSTILE, ids=[str(index) for index in range(len(HOSTILE))])
def test_an_expression_made_to_take_long_ends_with_a_sentence(expression: str) -> None:
    _ends_with_a_sentence(expression)


def _ends_with_a_sentence(expression: str) -> None:
    answer = _evaluate(expression)
    if isinstance(answer, CompileError):
        assert str(answer)
        return
    assert answer.matches is not None or answer.error
    # The last step may cost more than what is left.
    assert answer.cost <= MAX_COST or answer.error == "operation cancelled: actual cost limit exceeded"


def _evaluate(expression: str) -> Evaluation | CompileError:
    try:
        selector = compile_device_selector.__wrapped__(expression, 36)
    except CompileError as error:
        return error
    return selector.evaluate(DEVICE)


NAMES = ("device", "device.driver", "x", "y", "device.attributes", 'device.attributes["gpu.example.com"]', "e", "int")
LITERALS = st.one_of(
    st.sampled_from(
        ("true", "false", "null", "0", "-1", "9223372036854775807", "1u", "1.5", "b'a'", "[]", "{}", "'('")
    ),
    st.text(string.printable, max_size=6).map(json.dumps),
)
FUNCTIONS = ("size", "string", "int", "quantity", "semver", "type", "dyn", "duration", "timestamp", "lists.range", "f")
METHODS = ("size", "matches", "contains", "split", "join", "sort", "flatten", "first", "format", "replace", "asInteger")
MACROS = ("all", "exists", "map", "filter", "exists_one", "sortBy", "optMap")
OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", ">=", "in", "&&", "||")


def _larger(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def made(pattern: str, *parts: Any) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda values: pattern.format(*values))

    return st.one_of(
        made("({} {} {})", part, st.sampled_from(OPERATORS), part),
        made("({} ? {} : {})", part, part, part),
        made("{}({})", st.sampled_from(FUNCTIONS), part),
        made("{}.{}({})", part, st.sampled_from(METHODS), part),
        made("{}.{}()", part, st.sampled_from(METHODS)),
        made("{}.{}(x, {})", part, st.sampled_from(MACROS), part),
        made("cel.bind(y, {}, {})", part, part),
        made("[{}, {}]", part, part),
        made("{{{}: {}}}", part, part),
        made("{}[{}]", part, part),
        made("{}.?a.orValue({})", part, part),
        made("has({}.a)", part),
        made("!{}", part),
    )


EXPRESSIONS = st.recursive(st.one_of(st.sampled_from(NAMES), LITERALS), _larger, max_leaves=12)
MISSPELT = st.tuples(EXPRESSIONS, st.integers(0, 60), st.text(string.printable, max_size=3)).map(
    lambda made: made[0][: made[1]] + made[2] + made[0][made[1] + 1 :]
)


@settings(max_examples=700)
@given(st.one_of(EXPRESSIONS, MISSPELT))
def test_every_generated_expression_ends_with_an_answer_or_a_sentence(expression: str) -> None:
    _ends_with_a_sentence(expression)


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_every_text_ends_with_an_answer_or_a_sentence(text: str) -> None:
    _ends_with_a_sentence(text)
