"""Selectors match labels as kube-scheduler matches them."""

from __future__ import annotations

import pytest

from scheduler_core.apis.selectors import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    Operator,
    SelectorRequirement,
    parse_int64,
)

LABELS = {"app": "web", "size": "10", "empty": ""}


@pytest.mark.parametrize(
    ("key", "operator", "values", "matches"),
    [
        ("app", "In", ("db", "web"), True),
        ("app", "In", ("db",), False),
        ("missing", "In", ("",), False),
        ("app", "NotIn", ("db",), True),
        ("app", "NotIn", ("web",), False),
        ("missing", "NotIn", ("web",), True),
        ("empty", "Exists", (), True),
        ("missing", "Exists", (), False),
        ("missing", "DoesNotExist", (), True),
        ("empty", "DoesNotExist", (), False),
        ("size", "Gt", ("9",), True),
        ("size", "Gt", ("10",), False),
        ("size", "Lt", ("11",), True),
        ("app", "Gt", ("1",), False),
        ("app", "Lt", ("1",), False),
        ("missing", "Lt", ("1",), False),
        ("size", "Gt", ("many",), False),
    ],
)
def test_requirement_matches(key: str, operator: Operator, values: tuple[str, ...], matches: bool) -> None:
    assert SelectorRequirement(key, operator, values).matches(LABELS) is matches


def test_absent_selector_matches_nothing_and_empty_one_everything() -> None:
    assert not LabelSelector.nothing().matches(LABELS)
    assert not LabelSelector.nothing().empty
    assert LabelSelector.everything().matches(LABELS)
    assert LabelSelector.everything().empty


def test_requirements_of_a_selector_are_anded() -> None:
    selector = LabelSelector.from_labels({"app": "web", "size": "10"})
    assert selector.matches(LABELS)
    assert not selector.matches({"app": "web"})


def test_added_requirements_narrow_a_selector_but_nothing_stays_nothing() -> None:
    extra = SelectorRequirement("size", "NotIn", ("10",))
    assert not LabelSelector.everything().and_also(extra).matches(LABELS)
    assert LabelSelector.nothing().and_also(extra) == LabelSelector.nothing()
    assert hash(LabelSelector.everything().and_also(extra)) == hash(LabelSelector((extra,)))


def test_node_selector_terms_are_ored_and_an_empty_term_matches_no_node() -> None:
    web = NodeSelectorTerm((SelectorRequirement("app", "In", ("web",)),))
    assert NodeSelector((NodeSelectorTerm(), web)).matches(LABELS, "n1")
    assert not NodeSelector((NodeSelectorTerm(),)).matches(LABELS, "n1")
    assert not NodeSelector().matches(LABELS, "n1")


def test_match_fields_look_at_the_nodes_name() -> None:
    term = NodeSelectorTerm(match_fields=(SelectorRequirement("metadata.name", "In", ("n1",)),))
    assert term.matches({}, "n1")
    assert not term.matches({}, "n2")
    assert term.node_names() == {"n1"}
    other = NodeSelectorTerm(match_fields=(SelectorRequirement("metadata.name", "NotIn", ("n1",)),))
    assert other.matches({}, "n2")
    assert other.node_names() is None


def test_bound_that_is_no_integer_makes_the_term_an_error_that_matches_nothing() -> None:
    term = NodeSelectorTerm((SelectorRequirement("size", "Gt", ("1.5",)),))
    (error,) = term.errors()
    assert error.startswith("matchExpressions[0].values[0]: Invalid value: \"1.5\": for 'Gt', 'Lt' operators")
    assert not term.matches(LABELS, "n1")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("", None),
        ("-", None),
        ("1_0", None),
        ("٧", None),
        ("9" * 30, None),
        ("9" * 19, None),
        ("-" + "0" * 5000 + "7", -7),
    ],
)
def test_integers_are_read_as_go_reads_them(text: str, number: int | None) -> None:
    assert parse_int64(text) == number


def test_selectors_print_as_kubectl_takes_them() -> None:
    selector = LabelSelector(
        (
            SelectorRequirement("a", "In", ("1",)),
            SelectorRequirement("b", "In", ("1", "2")),
            SelectorRequirement("c", "NotIn", ("1",)),
            SelectorRequirement("d", "Exists"),
            SelectorRequirement("e", "DoesNotExist"),
            SelectorRequirement("f", "Gt", ("1",)),
        )
    )
    assert str(selector) == "a=1,b in (1,2),c notin (1),d,!e,f>1"
