"""An expression of a rule: compiled and evaluated within limits.

The limits of Kubernetes (`k8s.io/apiserver/pkg/apis/cel`: PerCallLimit, RuntimeCELCostBudget) are a cost of a million
per evaluation and ten million per request. Here the expression is evaluated for each node, so the limit per evaluation
is a tenth.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.cel import types
from scheduler_core.cel.check import Checked
from scheduler_core.cel.environment import CompileError, Environment
from scheduler_core.cel.estimate import estimate_cost
from scheduler_core.cel.plan import Program, Variables
from scheduler_core.cel.reads import Path, read_paths
from scheduler_core.cel.recursion import deep_recursion
from scheduler_core.cel.shape_limits import FormLimits, find_excess
from scheduler_core.cel.source import Position
from scheduler_core.cel.syntax import Comprehension, Expr, Tree, children
from scheduler_core.cel.types import CelType, Kind, format_type
from scheduler_core.cel.values import Error, Value, steps_spent
from scheduler_core.scenario.reading.problems import did_you_mean
from scheduler_core.scenario.rules.variables import environment, shapes

MAX_LENGTH = 2048  # characters
FORM = FormLimits(parts=1000, depth=50, nesting=3)
MAX_COST = 100_000  # per evaluation
MAX_UNKNOWN_SIZE = 256  # the size that the estimate assumes for values of unknown size; MAX_COST stops larger ones
MAX_COST_OF_RUN = 10_000_000  # of all evaluations of a rule in a run
STEPS_PER_COST = 20  # comparisons and copies that cost 1; they are not part of CEL's costs

Use = Literal["preEnqueue", "filter", "score", "permit", "message", "messageOfPod"]
_RESULTS: dict[Use, CelType] = {"score": types.INT, "message": types.STRING, "messageOfPod": types.STRING}
_OF_POD_ALONE = ("preEnqueue", "messageOfPod")


class RuleError(ValueError):
    """The expression cannot be used; `problems` are its errors with their positions, lines and columns from 1."""

    def __init__(self, problems: list[tuple[Position, Message]]) -> None:
        super().__init__(problems)
        self.problems = problems


class Expression(msgspec.Struct, frozen=True, eq=False):
    """A compiled expression, the paths that it reads, and the estimated maximum cost of an evaluation."""

    text: str
    checked: Checked
    program: Program
    environment: Environment
    paths: tuple[Path, ...]
    max_cost: int

    def evaluate(self, variables: Variables) -> tuple[Value, int]:
        """Return the value, which is an Error if the evaluation fails, and the cost, at least 1."""
        with deep_recursion():
            value, cost = self.program.evaluate(variables, limit=MAX_COST)
        return value, 1 + cost + steps_spent() // STEPS_PER_COST

    def part(self, expr: Expr) -> Expression:
        """Return a part of the expression, which must be outside all macros, as an expression of its own.

        Raises CompileError if the part cannot be planned alone.
        """
        checked, tree = self.checked, self.checked.tree
        within = Checked(Tree(tree.source, expr, tree.offsets), checked.types, checked.overloads, checked.names)
        return Expression(self.text, within, self.environment.plan(within), self.environment, self.paths, self.max_cost)

    def find_error(self, variables: Variables) -> Position:
        """Return the position of an evaluation error: of the innermost part that fails, or of the macro around it."""
        expr = self.checked.tree.root
        while (inner := self._failing(expr, variables)) is not None:
            expr = inner
        return _from_one(self.checked.position(expr.id))

    def _failing(self, expr: Expr, variables: Variables) -> Expr | None:
        """Return the first part of `expr` that fails; None if none does, or if a part cannot be evaluated alone."""
        if isinstance(expr.node, Comprehension):
            parts = [expr.node.range]
        else:
            parts = children(expr)
        for part in parts:
            try:
                value, _ = self.part(part).evaluate(variables)
            except CompileError:
                return None
            if type(value) is Error:
                return part
        return None


@lru_cache(maxsize=512)
def compile_expression(text: str, use: Use, minor: int) -> Expression:
    """Compile the expression for Kubernetes 1.`minor`. Raises RuleError if it is invalid or exceeds a limit."""
    if len(text) > MAX_LENGTH:
        raise _error(Position(1, 1), Message("the expression is longer than {limit:,} characters", limit=MAX_LENGTH))
    cel_environment = environment(minor, of_pod_alone=use in _OF_POD_ALONE)
    with deep_recursion():
        try:
            checked = cel_environment.check(text)
            program = cel_environment.plan(checked)
        except CompileError as error:
            raise _compile_error(error) from None
        excess = find_excess(checked, FORM)
        if excess is not None:
            position, measure, limit = excess
            raise _error(_from_one(position), _excess(measure, limit))
        _check_result(checked, _RESULTS.get(use, types.BOOL))
        cost = estimate_cost(checked, shapes(), most=MAX_UNKNOWN_SIZE)
    if cost > MAX_COST:
        sentence = Message(
            "an evaluation may cost {cost}; the limit is {limit:,}",
            cost=f"{cost:,}" if cost < 2**53 else "∞",
            limit=MAX_COST,
        )
        raise _error(_from_one(checked.position(checked.tree.root.id)), sentence)
    return Expression(text, checked, program, cel_environment, tuple(read_paths(checked)), cost)


def _excess(measure: str, limit: int) -> Message:
    if measure == "parts":
        return Message("the expression has more than {limit:,} parts", limit=limit)
    if measure == "depth":
        return Message("the expression is more than {limit} levels deep", limit=limit)
    return Message("more than {limit} macros are nested (all, exists, map, filter, ...)", limit=limit)


def _check_result(checked: Checked, expected: CelType) -> None:
    if checked.result.kind not in (expected.kind, Kind.DYN, Kind.ANY):
        sentence = Message(
            "the result is {type}; expected {expected}",
            type=format_type(checked.result),
            expected=format_type(expected),
        )
        raise _error(_from_one(checked.position(checked.tree.root.id)), sentence)


def _compile_error(error: CompileError) -> RuleError:
    if error.issues is None:
        return _error(Position(1, 1), Message("{error}", error=str(error)))
    return RuleError(
        [
            (
                _from_one(issue.position),
                Message("{problem}{hint}", problem=issue.message, hint=_hint(issue.message, issue.known)),
            )
            for issue in sorted(error.issues.issues, key=lambda issue: issue.position)
        ]
    )


def _hint(message: str, known: tuple[str, ...]) -> str:
    """Return a suggestion for the unknown name, which the message has in quotes; "" if no known name is similar."""
    names = [name for name in known if name.isidentifier()]
    return did_you_mean(message.split("'")[1], names) if names and "'" in message else ""


def _error(position: Position, sentence: Message) -> RuleError:
    return RuleError([(position, sentence)])


def _from_one(position: Position) -> Position:
    """Return a position whose column counts from 0 as one whose column counts from 1; an unknown one is (1, 1)."""
    return Position(max(position.line, 1), max(position.column, 0) + 1)
