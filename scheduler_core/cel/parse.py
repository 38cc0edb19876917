"""The parser: from text to syntax tree, with the messages of cel-go's parser (`parser/parser.go`).

ANTLR's runtime parses the text with the grammar in `grammar/Cel.g4`, since cel-go's syntax errors are ANTLR's messages.
Its parse tree is converted to a tree whose ids are assigned in cel-go's order: costs depend on them.
"""

from __future__ import annotations

import re
from typing import Any

from antlr4 import CommonTokenStream, InputStream
from antlr4.error.ErrorListener import ErrorListener
from antlr4.error.ErrorStrategy import DefaultErrorStrategy
from antlr4.IntervalSet import IntervalSet
from antlr4.ParserRuleContext import ParserRuleContext

from scheduler_core.cel.grammar.CelLexer import CelLexer
from scheduler_core.cel.grammar.CelParser import CelParser
from scheduler_core.cel.literals import LiteralError, parse_double, parse_int, parse_uint, unescape
from scheduler_core.cel.macros import MacroError, Macros
from scheduler_core.cel.source import NO_POSITION, Issues, Position, Source
from scheduler_core.cel.syntax import (
    Call,
    Entry,
    Expr,
    Field,
    Ident,
    ListOf,
    Literal,
    MapOf,
    Node,
    Select,
    StructLiteral,
    Tree,
    Unspecified,
)

MAX_CODE_POINTS = 100_000
MAX_DEPTH = 250
_MAX_SYNTAX_ERRORS = 100
_MAX_RECOVERIES = 30
_MAX_LOOKAHEAD = 256
_RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "package",
        "namespace",
        "null",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]
)
_OPERATORS = {
    "+": "_+_", "/": "_/_", "==": "_==_", ">": "_>_", ">=": "_>=_", "in": "@in", "<": "_<_", "<=": "_<=_",
    "%": "_%_", "*": "_*_", "!=": "_!=_", "-": "_-_",
}  # fmt: skip
_NO_VIABLE = re.compile(r"no viable alternative at input '.(true|false|null)'")


class _Abandoned(Exception):
    """Raised when parsing cannot continue; the error has been reported."""


def parse(source: Source, macros: Macros) -> tuple[Tree, Issues]:
    """Return the syntax tree and the issues; the tree must not be used if there are any."""
    issues = Issues(source)
    reader = _Reader(source, issues, macros)
    if len(source.text) > MAX_CODE_POINTS:
        root = reader.report(
            NO_POSITION,
            f"expression code point size exceeds limit: size: {len(source.text)}, limit {MAX_CODE_POINTS}",
        )
    else:
        root = reader.read()
    return Tree(source, root, reader.offsets), issues


class _Listener(ErrorListener):  # type: ignore[misc]
    """Adds ANTLR's errors to the issues."""

    def __init__(self, source: Source, issues: Issues) -> None:
        self._source, self._issues, self._reported = source, issues, 0

    def syntaxError(
        self, recognizer: object, symbol: object, line: int, column: int, message: str, error: object
    ) -> None:
        # cel-go has no position for the end of an empty text.
        at = self._source.position(self._source.offset(line, column) if self._source.text else -1)
        if "no viable alternative" in message:
            message = _NO_VIABLE.sub(r"mismatched input '\1' expecting IDENTIFIER", message)
        if self._reported >= _MAX_SYNTAX_ERRORS:
            self._issues.add(at, f"Syntax error: More than {_MAX_SYNTAX_ERRORS} syntax errors")
            raise _Abandoned
        self._reported += 1
        self._issues.add(at, f"Syntax error: {message}")


class _DepthListener:
    """Rejects rules that are nested too deeply within themselves."""

    def __init__(self, issues: Issues) -> None:
        self._issues = issues
        self._depths: dict[int, int] = {}

    def enterEveryRule(self, context: Any) -> None:
        rule = context.getRuleIndex()
        depth = self._depths.get(rule, 0) + 1
        self._depths[rule] = depth
        if depth > MAX_DEPTH:
            self._issues.add(NO_POSITION, f"expression recursion limit exceeded: {MAX_DEPTH}")
            raise _Abandoned

    def exitEveryRule(self, context: Any) -> None:
        rule = context.getRuleIndex()
        if self._depths.get(rule, 0) > 0:
            self._depths[rule] -= 1

    def visitTerminal(self, node: object) -> None:
        pass

    def visitErrorNode(self, node: object) -> None:
        pass


class _Parser(CelParser):  # type: ignore[misc]
    """The parser; each caller gets its own set of expected tokens, since ANTLR's recovery adds to it."""

    def getExpectedTokens(self) -> IntervalSet:
        expected = IntervalSet()
        expected.addSet(super().getExpectedTokens())
        return expected


class _Consumer:
    """The parser as seen by error recovery, which can skip a limited number of tokens."""

    def __init__(self, parser: Any, issues: Issues) -> None:
        object.__setattr__(self, "_parser", parser)
        object.__setattr__(self, "_issues", issues)
        object.__setattr__(self, "_consumed", 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._parser, name, value)

    def consume(self) -> Any:
        if self._consumed >= _MAX_LOOKAHEAD:
            self._issues.add(NO_POSITION, f"error recovery token lookahead limit exceeded: {_MAX_LOOKAHEAD}")
            raise _Abandoned
        object.__setattr__(self, "_consumed", self._consumed + 1)
        return self._parser.consume()


class _ErrorStrategy(DefaultErrorStrategy):  # type: ignore[misc]
    """ANTLR's error recovery, with a limited number of attempts."""

    def __init__(self, issues: Issues) -> None:
        super().__init__()
        self._issues = issues
        self._attempts = 0

    def recover(self, recognizer: Any, error: Any) -> None:
        self._count_attempt(recognizer)
        super().recover(_Consumer(recognizer, self._issues), error)

    def recoverInline(self, recognizer: Any) -> Any:
        self._count_attempt(recognizer)
        return super().recoverInline(_Consumer(recognizer, self._issues))

    def _count_attempt(self, recognizer: Any) -> None:
        if self._attempts == _MAX_RECOVERIES:
            self._attempts += 1
            recognizer.notifyErrorListeners(f"error recovery attempt limit exceeded: {_MAX_RECOVERIES}")
            raise _Abandoned
        self._attempts += 1


class _Reader:
    """Converts ANTLR's parse tree to nodes; each `_visit_` method is named after a rule or alternative."""

    def __init__(self, source: Source, issues: Issues, macros: Macros) -> None:
        self._source, self._issues, self._macros = source, issues, macros
        self.offsets: dict[int, int] = {}
        self._next_id = 1
        self._depth = 0

    def read(self) -> Expr:
        """Return the root of the tree; a placeholder if parsing was abandoned."""
        listener = _Listener(self._source, self._issues)
        lexer = CelLexer(InputStream(self._source.text))
        lexer.getErrorDisplay = str  # ANTLR for Go shows line breaks as they are
        lexer.removeErrorListeners()
        lexer.addErrorListener(listener)
        parser = _Parser(CommonTokenStream(lexer))
        parser.removeErrorListeners()
        parser.addErrorListener(listener)
        parser.addParseListener(_DepthListener(self._issues))
        parser._errHandler = _ErrorStrategy(self._issues)
        try:
            return self._visit(parser.start().expr())
        except _Abandoned:
            return Expr(0, Unspecified())

    # Ids and positions

    def new_id(self, offset: int) -> int:
        """Return the next id for a node that begins at an offset."""
        new_id = self._next_id
        self.offsets[new_id] = offset
        self._next_id += 1
        return new_id

    def new(self, offset: int, node: Node) -> Expr:
        return Expr(self.new_id(offset), node)

    def forget(self, id_: int) -> None:
        """Forget the position of a macro's call, which is not in the tree; if its id is the last, it is used again."""
        self.offsets.pop(id_, None)
        if id_ == self._next_id - 1:
            self._next_id -= 1

    def position(self, id_: int) -> Position:
        offset = self.offsets.get(id_)
        return NO_POSITION if offset is None else self._source.position(offset)

    def report(self, at: Any, message: str) -> Expr:
        """Report an error at a token, a rule's context or a position, and return a placeholder node."""
        expr = self._unspecified(at)
        self._issues.add(at if isinstance(at, Position) else self.position(expr.id), message)
        return expr

    def _offset(self, at: Any) -> int:
        if isinstance(at, Position):
            return self._source.offset(at.line, at.column)
        token = at.start if isinstance(at, ParserRuleContext) else at
        return self._source.offset(token.line, token.column)

    def _id(self, at: Any) -> int:
        return -1 if at is None else self.new_id(self._offset(at))

    def _make(self, at: Any, node: Node) -> Expr:
        return Expr(self._id(at), node)

    def _unspecified(self, at: Any) -> Expr:
        return self._make(at, Unspecified())

    # Rules

    def _visit(self, context: Any) -> Expr:
        context = _unnest(context)
        name = type(context).__name__.removesuffix("Context")
        if name in _COUNTED:
            self._depth += 1
            if self._depth > MAX_DEPTH:
                self._issues.add(NO_POSITION, "max recursion depth exceeded")
                raise _Abandoned
            expr: Expr = getattr(self, f"_visit_{name}")(context)
            self._depth -= 1
            return expr
        visit = getattr(self, f"_visit_{name}", None)
        if visit is not None:
            result: Expr = visit(context)
            return result
        if not self._issues:
            kind = "<<nil>>" if context is None else f"<<*gen.{name}Context>>"
            return self.report(NO_POSITION, f"unknown parse element encountered: {kind}")
        return self._unspecified(NO_POSITION)

    def _visit_Expr(self, context: Any) -> Expr:
        condition = self._visit(context.conditionalOr(0))
        if context.op is None:
            return condition
        id_ = self._id(context.op)
        if_true = self._visit(context.conditionalOr(1))
        if_false = self._visit(context.expr())
        return self._call(id_, "_?_:_", None, [condition, if_true, if_false])

    def _visit_ConditionalOr(self, context: Any) -> Expr:
        return self._logical(context, "_||_", "||", context.conditionalAnd())

    def _visit_ConditionalAnd(self, context: Any) -> Expr:
        return self._logical(context, "_&&_", "&&", context.relation())

    def _logical(self, context: Any, function: str, sign: str, parts: list[Any]) -> Expr:
        terms = [self._visit(parts[0] if parts else None)]
        operators: list[int] = []
        for index, operator in enumerate(context.ops):
            if index + 1 >= len(parts):
                return self.report(context, f"unexpected character, wanted '{sign}'")
            terms.append(self._visit(parts[index + 1]))
            operators.append(self._id(operator))
        return _balance(function, terms, operators, 0, len(operators) - 1) if operators else terms[0]

    def _visit_Relation(self, context: Any) -> Expr:
        return self._binary(context, context.relation)

    def _visit_Calc(self, context: Any) -> Expr:
        return self._binary(context, context.calc)

    def _binary(self, context: Any, part: Any) -> Expr:
        function = _OPERATORS.get(context.op.text) if context.op is not None else None
        if function is None:
            return self.report(context, "operator not found")
        left = self._visit(part(0))
        id_ = self._id(context.op)
        right = self._visit(part(1))
        return self._call(id_, function, None, [left, right])

    def _visit_Unary(self, context: Any) -> Expr:
        return self._make(context, Literal("<<error>>"))

    def _visit_LogicalNot(self, context: Any) -> Expr:
        return self._unary(context, "!_")

    def _visit_Negate(self, context: Any) -> Expr:
        return self._unary(context, "-_")

    def _unary(self, context: Any, function: str) -> Expr:
        if len(context.ops) % 2 == 0:
            return self._visit(context.member())
        id_ = self._id(context.ops[0])
        return self._call(id_, function, None, [self._visit(context.member())])

    def _visit_Select(self, context: Any) -> Expr:
        operand = self._visit(context.member())
        if context.field is None or context.op is None:
            return self._unspecified(context)
        name = self._identifier(context.field)
        if name is None:
            self.report(context.field, _why_no_identifier(context.field))
            name = ""
        if context.opt is not None:
            id_ = self._id(context.op)
            return Expr(id_, Call("_?._", [operand, self._make(context.field, Literal(name))]))
        return self._make(context.op, Select(operand, name))

    def _visit_MemberCall(self, context: Any) -> Expr:
        target = self._visit(context.member())
        if context.name is None:
            return self._unspecified(context)
        id_ = self._id(context.paren)
        return self._call(id_, context.name.text, target, self._arguments(context.args))

    def _visit_Index(self, context: Any) -> Expr:
        target = self._visit(context.member())
        if context.op is None:
            return self._unspecified(context)
        id_ = self._id(context.op)
        index = self._visit(context.index)
        return self._call(id_, "_[_]" if context.opt is None else "_[?_]", None, [target, index])

    def _visit_Ident(self, context: Any) -> Expr:
        if context.name is None:
            return self._unspecified(context)
        if context.name.text in _RESERVED:
            return self.report(context, f"reserved identifier: {context.name.text}")
        return self._make(context.name, Ident(_dot(context) + context.name.text))

    def _visit_GlobalCall(self, context: Any) -> Expr:
        if context.name is None:
            return self._unspecified(context)
        if context.name.text in _RESERVED:
            return self.report(context, f"reserved identifier: {context.name.text}")
        id_ = self._id(context.op)
        return self._call(id_, _dot(context) + context.name.text, None, self._arguments(context.args))

    def _visit_CreateList(self, context: Any) -> Expr:
        id_ = self._id(context.op)
        elements = context.elems.optExpr() if context.elems is not None else []
        optional = frozenset(index for index, element in enumerate(elements) if element.opt is not None)
        return Expr(id_, ListOf([self._visit(element.expr()) for element in elements], optional))

    def _visit_CreateMap(self, context: Any) -> Expr:
        id_ = self._id(context.op)
        entries: list[Entry] = []
        read = context.entries
        for index, colon in enumerate(read.cols if read is not None and read.keys else []):
            entry_id = self._id(colon)
            if index >= len(read.keys) or index >= len(read.values):
                return Expr(id_, MapOf([]))
            key = self._visit(read.keys[index].expr())
            value = self._visit(read.values[index])
            entries.append(Entry(entry_id, key, value, read.keys[index].opt is not None))
        return Expr(id_, MapOf(entries))

    def _visit_CreateMessage(self, context: Any) -> Expr:
        name = _dot(context) + ".".join(token.text for token in context.ids)
        id_ = self._id(context.op)
        fields: list[Field] = []
        read = context.entries
        for index, entry in enumerate(read.fields if read is not None else []):
            if index >= len(read.cols) or index >= len(read.values):
                return Expr(id_, StructLiteral(name, []))
            field_id = self._id(read.cols[index])
            field_name = self._identifier(entry.escapeIdent())
            if field_name is None:
                self.report(read, _why_no_identifier(entry.escapeIdent()))
                continue
            fields.append(Field(field_id, field_name, self._visit(read.values[index]), entry.opt is not None))
        return Expr(id_, StructLiteral(name, fields))

    def _visit_Int(self, context: Any) -> Expr:
        return self._literal(context, lambda: parse_int(_signed(context)))

    def _visit_Uint(self, context: Any) -> Expr:
        return self._literal(context, lambda: parse_uint(context.tok.text))

    def _visit_Double(self, context: Any) -> Expr:
        return self._literal(context, lambda: parse_double(_signed(context)))

    def _visit_String(self, context: Any) -> Expr:
        return self._literal(context, lambda: unescape(context.tok.text), instead=context.tok.text)

    def _visit_Bytes(self, context: Any) -> Expr:
        return self._literal(context, lambda: unescape(context.tok.text[1:], as_bytes=True), instead=b"")

    def _visit_BoolTrue(self, context: Any) -> Expr:
        return self._make(context, Literal(True))

    def _visit_BoolFalse(self, context: Any) -> Expr:
        return self._make(context, Literal(False))

    def _visit_Null(self, context: Any) -> Expr:
        return self._make(context, Literal(None))

    def _literal(self, context: Any, read: Any, instead: object = None) -> Expr:
        try:
            value = read()
        except LiteralError as error:
            reported = self.report(context, str(error))
            if instead is None:
                return reported
            value = instead
        return self._make(context, Literal(value))

    def _arguments(self, context: Any) -> list[Expr]:
        return [] if context is None else [self._visit(each) for each in context.expr()]

    def _identifier(self, context: Any) -> str | None:
        """Return the name of a field.

        None if there is none, or if it is in backticks, which Kubernetes does not allow.
        """
        simple = type(context).__name__ == "SimpleIdentifierContext" and context.name is not None
        return context.name.text if simple else None

    def _call(self, id_: int, function: str, target: Expr | None, arguments: list[Expr]) -> Expr:
        """Return the expansion of a macro's call, the call of a function, or a placeholder after an error."""
        try:
            expanded = self._macros.expand(self, id_, function, target, arguments)
        except MacroError as error:
            at = self.position(error.id)
            self.forget(id_)
            return self.report(at, error.message)
        if expanded is None:
            return Expr(id_, Call(function, arguments, target))
        self.forget(id_)
        return expanded


_COUNTED = frozenset(("Expr", "Relation", "Calc", "Select", "MemberCall", "Index"))


def _unnest(context: Any) -> Any:
    """Return the first context that is more than a wrapper of a single other context; None if there is none."""
    while context is not None:
        name = type(context).__name__.removesuffix("Context")
        if name == "Expr" and context.op is None:
            context = context.conditionalOr(0)
        elif name == "ConditionalOr" and not context.ops:
            context = context.conditionalAnd(0)
        elif name == "ConditionalAnd" and not context.ops:
            context = context.relation(0)
        elif name == "Relation" and context.op is None:
            context = context.calc()
        elif name == "Calc" and context.op is None:
            context = context.unary()
        elif name == "MemberExpr":
            context = context.member()
        elif name == "PrimaryExpr":
            context = context.primary()
        elif name == "Nested":
            context = context.expr()
        elif name == "Constant":
            context = context.literal()
        else:
            return context
    return None


def _balance(function: str, terms: list[Expr], operators: list[int], low: int, high: int) -> Expr:
    """Return the terms of a chain of && or || as a balanced tree, with the ids of its operators."""
    middle = (low + high + 1) // 2
    left = terms[middle] if middle == low else _balance(function, terms, operators, low, middle - 1)
    right = terms[middle + 1] if middle == high else _balance(function, terms, operators, middle + 1, high)
    return Expr(operators[middle], Call(function, [left, right]))


def _dot(context: Any) -> str:
    return "." if context.leadingDot is not None else ""


def _signed(context: Any) -> str:
    sign = "-" if context.sign is not None else ""
    return f"{sign}{context.tok.text}"


def _why_no_identifier(context: Any) -> str:
    escaped = type(context).__name__ == "EscapedIdentifierContext"
    return "unsupported syntax: '`'" if escaped else "unsupported ident kind"
