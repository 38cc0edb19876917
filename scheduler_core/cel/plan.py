"""Plans a checked tree: converts it to steps that can be evaluated, each with its cost, as cel-go does.

Sources: `interpreter/planner.go`, `attributes.go`, `interpretable.go`, `decorators.go`, `runtimecost.go`.

Selecting a field or element creates no node: it becomes a qualifier of the attribute. Conversions of constants, lists
of constants and `in` with such a list are evaluated in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from scheduler_core.cel import costs
from scheduler_core.cel.check import Checked
from scheduler_core.cel.costs import Tracker, call_cost
from scheduler_core.cel.declarations import Declarations, Function, Implementation
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
)
from scheduler_core.cel.types import Kind
from scheduler_core.cel.values import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    MISSING,
    NO_SUCH_OVERLOAD,
    NONE,
    Accumulator,
    Cancelled,
    Error,
    Map,
    MapAccumulator,
    Optional,
    TypeValue,
    Uint,
    Value,
    equal,
    grant_steps,
    has_trait,
    hashable_key,
    is_list,
    text_of,
    type_of,
)

Variables: TypeAlias = "dict[str, Value]"
RegexFactory: TypeAlias = Callable[[str], Implementation]
_CONVERSIONS = frozenset(["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"])


class PlanError(Exception):
    """An expression that cannot be planned, for example with an undefined type; the message is the reason."""


class Program:
    """A planned expression."""

    __slots__ = ("_root",)

    def __init__(self, root: PlanNode) -> None:
        self._root = root

    def evaluate(self, variables: Variables, *, limit: int) -> tuple[Value, int]:
        """Return the result and the cost; the result is an `Error` if evaluation fails, or costs more than `limit`."""
        grant_steps()
        tracker = Tracker(limit)
        try:
            return self._root.evaluate(Scope(variables, tracker)), tracker.cost
        except Cancelled as error:
            return Error(str(error)), tracker.cost


class Scope:
    """The variables outside all comprehensions."""

    __slots__ = ("_variables", "tracker")

    def __init__(self, variables: Variables, tracker: Tracker | None) -> None:
        self._variables = variables
        self.tracker = tracker if tracker is not None else Tracker(MAX_UINT)

    def find(self, name: str) -> Value:
        """Return the value of a variable, MISSING if there is none."""
        return self._variables.get(name, MISSING)


class PlanNode:
    """A step that returns a value, pushes its id on the tracker's stack and adds its cost."""

    __slots__ = ("id",)

    def __init__(self, id_: int) -> None:
        self.id = id_

    def evaluate(self, scope: Scope) -> Value:
        """Return the value of the step, which may be an Error."""
        raise NotImplementedError


class Constant(PlanNode):
    """A value that is known when the expression is planned."""

    __slots__ = ("value",)

    def __init__(self, id_: int, value: Value) -> None:
        super().__init__(id_)
        self.value = value

    def evaluate(self, scope: Scope) -> Value:
        scope.tracker.push(self.id)
        return self.value


# Attributes: a variable, a value or a choice, with what is selected from it


class Qualifier:
    """A constant field, key or index."""

    __slots__ = ("id", "optional", "test_only", "value")

    def __init__(self, id_: int, value: Value, *, optional: bool = False, test_only: bool = False) -> None:
        self.id, self.value = id_, value
        self.optional, self.test_only = optional, test_only

    def qualify(self, scope: Scope, target: Value) -> Value:
        """Return the selected value, or an Error if there is none; with `test_only`, whether there is one."""
        value = _find(target, self.value)
        if self.test_only:
            value = value is not MISSING and not _lacks(target, self.value) if type(value) is not Error else value
        elif value is MISSING:
            value = _not_found(target, self.value)
        scope.tracker.charge(1, self.id)
        return value

    def qualify_if_present(self, scope: Scope, target: Value) -> Value:
        """Return the selected value, MISSING if there is none."""
        value = MISSING if _lacks(target, self.value) else _find(target, self.value)
        if value is not MISSING and type(value) is not Error:
            scope.tracker.charge(1, self.id)
        return value


class ComputedQualifier(Qualifier):
    """A key or index that is itself computed: by an attribute or another node."""

    __slots__ = ("_attribute", "_node")

    def __init__(self, id_: int, node: PlanNode, *, optional: bool) -> None:
        super().__init__(id_, None, optional=optional)
        self._attribute = node.attribute if isinstance(node, AttributeNode) else None
        self._node = node

    def qualify(self, scope: Scope, target: Value) -> Value:
        key = self._key(scope)
        value = key if type(key) is Error else _find(target, key)
        if value is MISSING:
            value = _not_found(target, key)
        self._observe(scope)
        return value

    def qualify_if_present(self, scope: Scope, target: Value) -> Value:
        key = self._key(scope)
        value = key if type(key) is Error else _find(target, key)
        if value is not MISSING and type(value) is not Error:
            self._observe(scope)
        return value

    def _key(self, scope: Scope) -> Value:
        if self._attribute is not None:
            return self._attribute.resolve(scope)
        return self._node.evaluate(scope)

    def _observe(self, scope: Scope) -> None:
        if self._attribute is None:
            scope.tracker.drop(self.id)
        scope.tracker.charge(1, self.id)


class Attribute:
    """A value from which fields and elements are selected; its id is that of the last selection."""

    __slots__ = ("id", "qualifiers")

    def __init__(self, id_: int) -> None:
        self.id = id_
        self.qualifiers: list[Qualifier] = []

    def select(self, qualifier: Qualifier) -> None:
        """Add a selection from the attribute."""
        self.qualifiers.append(qualifier)
        self.id = qualifier.id

    def resolve(self, scope: Scope) -> Value:
        """Return the value of the attribute after all selections, which may be an Error."""
        raise NotImplementedError

    def _qualify(self, scope: Scope, value: Value) -> Value:
        optional = type(value) is Optional
        if optional:
            if not value.present:
                return value
            value = value.value
        for qualifier in self.qualifiers:
            optional = optional or qualifier.optional
            if optional:
                value = qualifier.qualify_if_present(scope, value)
                if value is MISSING:
                    return NONE
            else:
                value = qualifier.qualify(scope, value)
            if type(value) is Error:
                return value
        return Optional(value, present=True) if optional else value


class Variable(Attribute):
    """An attribute whose value is that of a variable."""

    __slots__ = ("_name",)

    def __init__(self, id_: int, name: str) -> None:
        super().__init__(id_)
        self._name = name

    def resolve(self, scope: Scope) -> Value:
        value = scope.find(self._name)
        if value is MISSING:
            return Error(f"no such attribute(s): {self._name}")
        if type(value) is Error:
            return value
        return self._qualify(scope, value)


class Operand(Attribute):
    """An attribute whose value is the result of a node."""

    __slots__ = ("_node",)

    def __init__(self, id_: int, node: PlanNode) -> None:
        super().__init__(id_)
        self._node = node

    def resolve(self, scope: Scope) -> Value:
        value = self._node.evaluate(scope)
        return value if type(value) is Error else self._qualify(scope, value)


class Choice(Attribute):
    """`condition ? one : other`; a selection from it is a selection from the chosen branch."""

    __slots__ = ("_call_id", "condition", "if_false", "if_true")

    def __init__(self, id_: int, condition: PlanNode, if_true: Attribute, if_false: Attribute) -> None:
        super().__init__(id_)
        self._call_id = id_
        self.condition, self.if_true, self.if_false = condition, if_true, if_false
        self._renew_id()

    def select(self, qualifier: Qualifier) -> None:
        self.if_true.select(qualifier)
        self.if_false.select(qualifier)
        self._renew_id()

    def resolve(self, scope: Scope) -> Value:
        condition = self.condition.evaluate(scope)
        if condition is True:
            return self.if_true.resolve(scope)
        if condition is False:
            return self.if_false.resolve(scope)
        return condition if type(condition) is Error else NO_SUCH_OVERLOAD

    def _renew_id(self) -> None:
        self.id = self.if_true.id if self.if_true.id == self.if_false.id else self._call_id


class AttributeNode(PlanNode):
    """Returns the value of an attribute or, with `test_only`, whether its last field exists."""

    __slots__ = ("attribute", "test_only")

    def __init__(self, attribute: Attribute) -> None:
        super().__init__(attribute.id)
        self.attribute = attribute
        self.test_only = False

    def select(self, qualifier: Qualifier) -> None:
        self.attribute.select(qualifier)
        self.id = self.attribute.id

    def evaluate(self, scope: Scope) -> Value:
        attribute, tracker = self.attribute, scope.tracker
        value = attribute.resolve(scope)
        if self.test_only and type(value) is Optional:
            value = value.present
        cost = 0
        if isinstance(attribute, Choice):
            tracker.drop(attribute.if_false.id)
            tracker.drop(attribute.if_true.id)
            tracker.drop(attribute.condition.id)
        else:
            tracker.drop(attribute.id)
            cost = costs.SELECT
        if self.test_only:
            cost -= costs.SELECT
        tracker.charge(cost, self.id)
        return value


def _find(target: Value, key: Value) -> Value:
    """Return the value at a key or index; MISSING if there is none, an Error if a list cannot have such an index."""
    if isinstance(target, Map):
        return target.find(key)
    if is_list(target):
        index = _index(key)
        if type(index) is Error:
            return index
        if 0 <= index < len(target):
            return target[index]
        return MISSING
    return MISSING


def _lacks(target: Value, key: Value) -> bool:
    return isinstance(target, Map) and target.lacks(key)


def _not_found(target: Value, key: Value) -> Error:
    return Error(f"{'index out of bounds' if is_list(target) else 'no such key'}: {text_of(key)}")


def _index(key: Value) -> Value:
    kind = type(key)
    if kind is int:
        return key
    if kind is float and key == key // 1 and MIN_INT < key < MAX_INT:
        return int(key)
    if kind is Uint and key.value <= MAX_INT:
        return key.value
    if kind in (float, Uint):
        return Error(f"unsupported index value {text_of(key)} in list")
    return Error(f"unsupported index type '{type_of(key).name}' in list")


# Operators and calls


class Logical(PlanNode):
    """`&&` and `||`: a value that decides the result overrides errors of the other side."""

    __slots__ = ("_deciding", "_terms")

    def __init__(self, id_: int, terms: list[PlanNode], *, deciding: bool) -> None:
        super().__init__(id_)
        self._terms, self._deciding = terms, deciding

    def evaluate(self, scope: Scope) -> Value:
        result: Value = not self._deciding
        for term in self._terms:
            value = term.evaluate(scope)
            if value is self._deciding:
                result = value
                break
            if type(value) is not bool and type(result) is not Error:
                result = value if type(value) is Error else NO_SUCH_OVERLOAD
        for term in self._terms:
            scope.tracker.drop(term.id)
        scope.tracker.push(self.id)
        return result


class CallNode(PlanNode):
    """A call; its cost is added if the ids of its arguments are on the stack."""

    __slots__ = ("arguments", "function", "overload")

    def __init__(self, id_: int, function: str, overload: str, arguments: list[PlanNode]) -> None:
        super().__init__(id_)
        self.function, self.overload, self.arguments = function, overload, arguments

    def evaluate(self, scope: Scope) -> Value:
        values, result = self.compute(scope)
        self._charge(scope, values, result)
        return result

    def compute(self, scope: Scope) -> tuple[tuple[Value, ...], Value]:
        """Return the values of the arguments that were evaluated, and the result."""
        raise NotImplementedError

    def _charge(self, scope: Scope, values: tuple[Value, ...], result: Value) -> None:
        tracker = scope.tracker
        is_charged = tracker.drop_arguments([argument.id for argument in self.arguments])
        cost = 0
        if is_charged and len(values) == len(self.arguments):
            cost = call_cost(self.function, self.overload, values, result)
        tracker.charge(cost, self.id)


class Equality(CallNode):
    """`==` or `!=`."""

    __slots__ = ("_negated",)

    def __init__(self, id_: int, arguments: list[PlanNode], *, negated: bool) -> None:
        super().__init__(id_, "_!=_" if negated else "_==_", "not_equals" if negated else "equals", arguments)
        self._negated = negated

    def compute(self, scope: Scope) -> tuple[tuple[Value, ...], Value]:
        left, right = self.arguments[0].evaluate(scope), self.arguments[1].evaluate(scope)
        if type(left) is Error:
            return (left, right), left
        if type(right) is Error:
            return (left, right), right
        same = equal(left, right)
        return (left, right), same if not self._negated else same is not True


class FixedCall(CallNode):
    """A call with zero, one or two arguments, which are all evaluated."""

    __slots__ = ("_implementation", "_strict", "_trait")

    def __init__(
        self,
        id_: int,
        function: str,
        overload: str,
        arguments: list[PlanNode],
        implementation: Implementation | None,
        *,
        trait: str = "",
        strict: bool = True,
    ) -> None:
        super().__init__(id_, function, overload, arguments)
        self._implementation, self._trait, self._strict = implementation, trait, strict

    def compute(self, scope: Scope) -> tuple[tuple[Value, ...], Value]:
        values = tuple([argument.evaluate(scope) for argument in self.arguments])
        if self._strict:
            for value in values:
                if type(value) is Error:
                    return values, value
        return values, self._call(values)

    def _call(self, values: tuple[Value, ...]) -> Value:
        if self._implementation is not None and (
            not values or not self._trait or type(values[0]) is Error or has_trait(values[0], self._trait)
        ):
            return self._implementation(*values)
        if has_trait(values[0], "receive"):
            return NO_SUCH_OVERLOAD
        return Error(f"no such overload: {self.function}")


class VariadicCall(CallNode):
    """A call with any number of arguments; evaluation stops at the first error."""

    __slots__ = ("_implementation", "_strict")

    def __init__(
        self,
        id_: int,
        function: str,
        overload: str,
        arguments: list[PlanNode],
        implementation: Implementation | None,
        *,
        strict: bool = True,
    ) -> None:
        super().__init__(id_, function, overload, arguments)
        self._implementation, self._strict = implementation, strict

    def compute(self, scope: Scope) -> tuple[tuple[Value, ...], Value]:
        values: list[Value] = []
        for argument in self.arguments:
            value = argument.evaluate(scope)
            values.append(value)
            if self._strict and type(value) is Error:
                return tuple(values), value
        if self._implementation is not None:
            return tuple(values), self._implementation(*values)
        if has_trait(values[0], "receive"):
            return tuple(values), NO_SUCH_OVERLOAD
        return tuple(values), Error(f"no such overload: {self.function} {self.id}")


class OptionalOr(PlanNode):
    """`optional.or(optional)` and `optional.orValue(value)`, which cost nothing themselves."""

    __slots__ = ("_left", "_right", "_unwrap")

    def __init__(self, id_: int, left: PlanNode, right: PlanNode, *, unwrap: bool) -> None:
        super().__init__(id_)
        self._left, self._right, self._unwrap = left, right, unwrap

    def evaluate(self, scope: Scope) -> Value:
        value = self._left.evaluate(scope)
        if type(value) is Optional:
            if not value.present:
                value = self._right.evaluate(scope)
            elif self._unwrap:
                value = value.value
        scope.tracker.push(self.id)
        return value


class Membership(PlanNode):
    """`in` with a list of constants: a lookup in a set, which costs nothing."""

    __slots__ = ("_argument", "_members")

    def __init__(self, id_: int, argument: PlanNode, members: frozenset[object]) -> None:
        super().__init__(id_)
        self._argument, self._members = argument, members

    def evaluate(self, scope: Scope) -> Value:
        value = self._argument.evaluate(scope)
        if type(value) is not Error:
            value = _member_key(value) in self._members
        scope.tracker.push(self.id)
        return value


# Lists, maps and comprehensions


class ListNode(PlanNode):
    """A list whose elements are evaluated; it is an Error if one of them is."""

    __slots__ = ("elements", "optional")

    def __init__(self, id_: int, elements: list[PlanNode], optional: frozenset[int]) -> None:
        super().__init__(id_)
        self.elements, self.optional = elements, optional

    def evaluate(self, scope: Scope) -> Value:
        value = self.build(scope)
        scope.tracker.drop_arguments([element.id for element in self.elements])
        scope.tracker.charge(costs.LIST, self.id)
        return value

    def build(self, scope: Scope) -> Value:
        """Return the list, or an Error."""
        values: list[Value] = []
        for index, element in enumerate(self.elements):
            value = element.evaluate(scope)
            if type(value) is Error:
                return value
            if index in self.optional:
                if type(value) is not Optional:
                    return Error(f"cannot initialize optional list element from non-optional value {text_of(value)}")
                if not value.present:
                    continue
                value = value.value
            values.append(value)
        return values


class MapNode(PlanNode):
    """A map whose entries are evaluated; it is an Error if a key or value is."""

    __slots__ = ("_optional", "entries")

    def __init__(self, id_: int, entries: list[tuple[PlanNode, PlanNode]], optional: frozenset[int]) -> None:
        super().__init__(id_)
        self.entries, self._optional = entries, optional

    def evaluate(self, scope: Scope) -> Value:
        value = self.build(scope)
        scope.tracker.drop_arguments([part.id for entry in self.entries for part in entry])
        scope.tracker.charge(costs.MAP, self.id)
        return value

    def build(self, scope: Scope) -> Value:
        """Return the map, or an Error."""
        entries = Map()
        for index, (key_node, value_node) in enumerate(self.entries):
            key = key_node.evaluate(scope)
            if type(key) is Error:
                return key
            value = value_node.evaluate(scope)
            if type(value) is Error:
                return value
            if index in self._optional:
                if type(value) is not Optional:
                    return Error(
                        f"cannot initialize optional entry '{text_of(key)}' from non-optional value {text_of(value)}"
                    )
                if not value.present:
                    entries.pop(hashable_key(key), None)
                    continue
                value = value.value
            entries[hashable_key(key)] = value
        return entries


class MessageNode(PlanNode):
    """A message. Kubernetes declares none that can be constructed."""

    __slots__ = ("_name", "_values")

    def __init__(self, id_: int, name: str, values: list[PlanNode]) -> None:
        super().__init__(id_)
        self._name, self._values = name, values

    def evaluate(self, scope: Scope) -> Value:
        result: Value = Error(f"unknown type '{self._name}'")
        for value in self._values:
            entry_value = value.evaluate(scope)
            if type(entry_value) is Error:
                result = entry_value
                break
        scope.tracker.drop_arguments([value.id for value in self._values])
        scope.tracker.charge(costs.MESSAGE, self.id)
        return result


class Fold(PlanNode):
    """A comprehension, evaluated element by element."""

    __slots__ = ("accumulator", "condition", "initial", "range", "result", "second_variable", "step", "variable")

    def __init__(self, id_: int, node: Comprehension, plan: Callable[[Expr], PlanNode]) -> None:
        super().__init__(id_)
        self.accumulator, self.variable, self.second_variable = node.accumulator, node.variable, node.second_variable
        self.initial, self.range = plan(node.initial), plan(node.range)
        self.condition, self.step, self.result = plan(node.condition), plan(node.step), plan(node.result)

    def evaluate(self, scope: Scope) -> Value:
        value = self._fold(scope)
        scope.tracker.drop(self.range.id)
        scope.tracker.push(self.id)
        return value

    def _fold(self, scope: Scope) -> Value:
        range_ = self.range.evaluate(scope)
        if type(range_) is Error:
            return range_
        if not has_trait(range_, "iterate"):
            if self.second_variable:
                return Error(f"unsupported comprehension range type: {go_type_name(range_)}")
            return Error(f"got '{go_type_name(range_)}', expected iterable type")
        inner = FoldScope(self, scope)
        for inner.first, inner.second in self._items(range_):
            condition = self.condition.evaluate(inner)
            if type(condition) is bool and not condition:
                break
            inner.set(self.step.evaluate(inner))
        inner.folding = False
        result = self.result.evaluate(inner)
        if type(result) is Accumulator:
            return list(result)
        return Map(result) if type(result) is MapAccumulator else result

    def _items(self, range_: Value) -> Iterator[tuple[Value, Value]]:
        """Yield the values of the one or two variables of a comprehension for each element."""
        if isinstance(range_, Map):
            for key in range_.keys_of():
                yield key, range_.find(key) if self.second_variable else None
        elif self.second_variable:
            yield from enumerate(range_)
        else:
            for element in range_:
                yield element, None


class FoldScope(Scope):
    """The variables within a comprehension; the accumulator is initialized on first use."""

    __slots__ = ("_fold", "_outer", "_value", "first", "folding", "second")

    def __init__(self, fold: Fold, outer: Scope) -> None:
        self._fold, self._outer = fold, outer
        self.tracker = outer.tracker
        self._value: Value = MISSING
        self.first: Value = None
        self.second: Value = None
        self.folding = True

    def set(self, value: Value) -> None:
        """Set the accumulator."""
        self._value = value

    def find(self, name: str) -> Value:
        fold = self._fold
        if name == fold.accumulator:
            if self._value is MISSING:
                value = fold.initial.evaluate(self._outer)
                if is_list(value) and not len(value):
                    value = Accumulator()
                elif isinstance(value, Map) and not value:
                    value = MapAccumulator()
                self._value = value
            return self._value
        if self.folding:
            if name == fold.variable:
                return self.first
            if name == fold.second_variable:
                return self.second
        return self._outer.find(name)


def go_type_name(value: Value) -> str:
    """Return Go's name for the type of a value that cannot be iterated."""
    return _GO_TYPES.get(type_of(value).name, type_of(value).name)


_GO_TYPES = {
    "bool": "types.Bool", "bytes": "types.Bytes", "double": "types.Double", "int": "types.Int", "uint": "types.Uint",
    "null_type": "types.Null", "string": "types.String", "type": "*types.Type", "optional_type": "*types.Optional",
    "google.protobuf.Duration": "types.Duration", "google.protobuf.Timestamp": "types.Timestamp",
    "kubernetes.Quantity": "cel.Quantity", "kubernetes.Semver": "cel.Semver", "kubernetes.URL": "cel.URL",
    "net.IP": "cel.IP", "net.CIDR": "cel.CIDR", "kubernetes.NamedFormat": "cel.Format",
}  # fmt: skip


def _member_key(value: Value) -> object:
    key = hashable_key(value)
    return (type(key), key)


# Planning


class Planner:
    """Converts a checked tree to steps."""

    def __init__(self, checked: Checked, declarations: Declarations, regexes: dict[str, RegexFactory]) -> None:
        self._checked, self._declarations, self._regexes = checked, declarations, regexes

    def plan(self, expr: Expr) -> PlanNode:
        """Return the step of a part of the tree. Raises PlanError."""
        node = expr.node
        if isinstance(node, Literal):
            return Constant(expr.id, node.value)
        if isinstance(node, Ident):
            return self._plan_ident(expr, node)
        if isinstance(node, Select):
            attribute = self._attribute(self.plan(node.operand))
            attribute.select(Qualifier(expr.id, node.field, test_only=node.test_only))
            if node.test_only:
                return _test_only(attribute, expr.id)
            return attribute
        if isinstance(node, Call):
            return self._plan_call(expr, node)
        if isinstance(node, ListOf):
            return self._plan_list(expr, node)
        if isinstance(node, MapOf):
            return self._plan_map(expr, node)
        if isinstance(node, Comprehension):
            return Fold(expr.id, node, self.plan)
        if isinstance(node, StructLiteral):
            return MessageNode(expr.id, node.type_name, [self.plan(each.value) for each in node.fields])
        raise PlanError(f"unsupported expr: {type(node).__name__}")

    def _plan_ident(self, expr: Expr, node: Ident) -> PlanNode:
        type_ = self._checked.types[expr.id]
        if type_.kind is Kind.TYPE and node.name not in self._declarations.variables:
            declared = self._declarations.types.get(node.name)
            if declared is None or declared.name != node.name:
                raise PlanError(f"reference to undefined type: {node.name}")
            return Constant(expr.id, TypeValue(declared.name))
        return AttributeNode(Variable(expr.id, node.name))

    def _attribute(self, node: PlanNode) -> AttributeNode:
        if isinstance(node, AttributeNode) and not node.test_only:
            return node
        return AttributeNode(Operand(node.id, node))

    def _plan_call(self, expr: Expr, node: Call) -> PlanNode:
        arguments = [self.plan(each) for each in ([node.target] if node.target is not None else [])]
        arguments += [self.plan(each) for each in node.arguments]
        name = node.function
        if name in ("_&&_", "_||_"):
            return Logical(expr.id, arguments, deciding=name == "_||_")
        if name == "_?_:_":
            condition, then, other = arguments
            return AttributeNode(Choice(expr.id, condition, _branch(then), _branch(other)))
        if name in ("_==_", "_!=_"):
            return Equality(expr.id, arguments, negated=name == "_!=_")
        if name in ("_[_]", "_?._", "_[?_]"):
            return self._plan_index(expr, arguments, optional=name != "_[_]")
        if name in ("or", "orValue"):
            return OptionalOr(expr.id, arguments[0], arguments[1], unwrap=name == "orValue")
        ids = self._checked.overloads.get(expr.id, [])
        return self._optimize(self._make_call(expr.id, self._declarations.functions[name], ids, arguments))

    def _plan_index(self, expr: Expr, arguments: list[PlanNode], *, optional: bool) -> PlanNode:
        target, index = self._attribute(arguments[0]), arguments[1]
        if isinstance(index, Constant):
            target.select(Qualifier(expr.id, index.value, optional=optional))
        else:
            target.select(ComputedQualifier(expr.id, index, optional=optional))
        return target

    def _make_call(self, id_: int, function: Function, overloads: list[str], arguments: list[PlanNode]) -> CallNode:
        name = overloads[0] if len(overloads) == 1 else ""
        strict = not function.accepts_errors
        if function.singleton is not None:
            return FixedCall(
                id_, function.name, name, arguments, function.singleton, trait=function.trait, strict=strict
            )
        bound = [each for each in function.overloads if each.implementation is not None]
        overload = next((each for each in bound if each.id == name), bound[0] if len(bound) == 1 else None)
        if overload is None:
            return VariadicCall(id_, function.name, name, arguments, function.dispatch, strict=strict)
        implementation = function.guard(overload)
        if len(arguments) > 2 or overload.variadic:
            return VariadicCall(id_, function.name, name, arguments, implementation, strict=strict)
        return FixedCall(id_, function.name, name, arguments, implementation, strict=strict)

    def _optimize(self, call: CallNode) -> PlanNode:
        if call.overload == "in_list" and isinstance(call.arguments[1], Constant):
            members = _constant_members(call.arguments[1].value)
            if members is not None and not members:
                return Constant(call.id, False)
            if members is not None:
                return Membership(call.id, call.arguments[0], members)
        if call.function in _CONVERSIONS and len(call.arguments) == 1 and isinstance(call.arguments[0], Constant):
            value = call.evaluate(Scope({}, None))
            if type(value) is Error:
                raise PlanError(value.message)
            return Constant(call.id, value)
        factory = self._regexes.get(call.function)
        if factory is not None and len(call.arguments) > 1 and isinstance(call.arguments[1], Constant):
            pattern = call.arguments[1].value
            if type(pattern) is str:
                return VariadicCall(call.id, call.function, call.overload, call.arguments, factory(pattern))
        return call

    def _plan_list(self, expr: Expr, node: ListOf) -> PlanNode:
        planned = ListNode(expr.id, [self.plan(each) for each in node.elements], node.optional)
        if all(isinstance(each, Constant) for each in planned.elements):
            return Constant(expr.id, planned.build(Scope({}, None)))
        return planned

    def _plan_map(self, expr: Expr, node: MapOf) -> PlanNode:
        entries = [(self.plan(each.key), self.plan(each.value)) for each in node.entries]
        optional = frozenset(index for index, each in enumerate(node.entries) if each.optional)
        planned = MapNode(expr.id, entries, optional)
        if all(isinstance(part, Constant) for entry in entries for part in entry):
            return Constant(expr.id, planned.build(Scope({}, None)))
        return planned


def plan(checked: Checked, declarations: Declarations, regexes: dict[str, RegexFactory]) -> Program:
    """Return the program of a checked tree.

    Raises PlanError. `regexes` are functions whose constant patterns are compiled in advance.
    """
    try:
        return Program(Planner(checked, declarations, regexes).plan(checked.tree.root))
    except Cancelled as error:
        raise PlanError(str(error)) from None


def _test_only(node: AttributeNode, id_: int) -> AttributeNode:
    node.test_only = True
    node.id = id_
    return node


def _branch(node: PlanNode) -> Attribute:
    """Return a branch of a conditional: the attribute, without the cost of its node, or the result of another node."""
    if isinstance(node, AttributeNode):
        return node.attribute
    return Operand(node.id, node)


def _constant_members(elements: Value) -> frozenset[object] | None:
    """Return the elements as a set, with equal numbers of other types; None if one is not a bool, number or string."""
    members: set[object] = set()
    for element in elements:
        kind = type(element)
        if kind not in (bool, float, int, str, Uint):
            return None
        members.add(_member_key(element))
        if kind is float:
            if element == element // 1 and MIN_INT < element < MAX_INT:
                members.add(_member_key(int(element)))
            if element == element // 1 and 0 <= element < 2.0**64:
                members.add(_member_key(Uint(int(element))))
        elif kind is int:
            members.add(_member_key(float(element)))
            if element >= 0:
                members.add(_member_key(Uint(element)))
        elif kind is Uint:
            members.add(_member_key(float(element.value)))
            if element.value <= MAX_INT:
                members.add(_member_key(element.value))
    return frozenset(members)
