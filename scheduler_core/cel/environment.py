"""The environment in which a release of Kubernetes compiles expressions.

Source: `k8s.io/apiserver/pkg/cel/environment/base.go`.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from scheduler_core.cel import macros, types
from scheduler_core.cel.check import Checked, check
from scheduler_core.cel.declarations import Declarations, Library
from scheduler_core.cel.libraries.authorizer import AUTHORIZATION, AUTHORIZATION_SELECTORS
from scheduler_core.cel.libraries.formats import FORMATS
from scheduler_core.cel.libraries.lists import KUBERNETES_LISTS, LISTS, SETS, TWO_VARIABLES
from scheduler_core.cel.libraries.network import CIDRS, IPS
from scheduler_core.cel.libraries.optional import OPTIONALS
from scheduler_core.cel.libraries.quantity import QUANTITIES
from scheduler_core.cel.libraries.regex import REGEX, PatternError, compile_find, compile_find_all, compile_match
from scheduler_core.cel.libraries.semver import SEMVERS
from scheduler_core.cel.libraries.standard import STANDARD, TYPE_NAMES
from scheduler_core.cel.libraries.strings import STRINGS
from scheduler_core.cel.libraries.url import URLS
from scheduler_core.cel.macros import Macros
from scheduler_core.cel.parse import parse
from scheduler_core.cel.plan import PlanError, Program, RegexFactory, plan
from scheduler_core.cel.source import Issues, Source
from scheduler_core.cel.types import CelType
from scheduler_core.cel.validate import validate

# Each library and the minor release of Kubernetes 1 that added it.
_LIBRARIES: tuple[tuple[int, Library], ...] = (
    (0, STANDARD),
    (0, URLS),
    (0, REGEX),
    (0, KUBERNETES_LISTS),
    (27, AUTHORIZATION),
    (28, OPTIONALS),
    (28, QUANTITIES),
    (0, STRINGS),
    (29, SETS),
    (30, IPS),
    (30, CIDRS),
    (31, FORMATS),
    (31, AUTHORIZATION_SELECTORS),
    (32, TWO_VARIABLES),
    (33, SEMVERS),
    (34, LISTS),
)
_MACROS = ((0, macros.STANDARD), (28, macros.OPTIONAL), (32, macros.TWO_VARIABLES), (34, macros.LISTS))
_REGEXES: dict[str, RegexFactory] = {"matches": compile_match, "find": compile_find, "findAll": compile_find_all}


class CompileError(ValueError):
    """The expression does not compile; the message is that of Kubernetes.

    `issues`: the errors of the parser and the type checker; None for other errors.
    """

    def __init__(self, message: str, issues: Issues | None = None) -> None:
        super().__init__(message)
        self.issues = issues


class Environment(msgspec.Struct, frozen=True):
    """The variables, functions and macros that an expression can use."""

    declarations: Declarations
    macros: Macros

    def check(self, text: str) -> Checked:
        """Return the checked tree of an expression. Raises CompileError."""
        source = Source(text)
        tree, issues = parse(source, self.macros)
        if not issues:
            checked, issues = check(tree, self.declarations)
            if not issues:
                issues = validate(checked)
                if not issues:
                    return checked
        raise CompileError(f"compilation failed: {issues.display()}", issues)

    def plan(self, checked: Checked) -> Program:
        """Return the program of a checked tree. Raises CompileError."""
        try:
            return plan(checked, self.declarations, _REGEXES)
        except (PlanError, PatternError) as error:
            raise CompileError(f"program instantiation failed: {error}") from None


@lru_cache(maxsize=32)
def base_environment(
    minor: int,
) -> tuple[tuple[Library, ...], tuple[dict[tuple[str, int, bool], macros.Expander], ...]]:
    """Return the libraries of Kubernetes 1.`minor`, and the expanders of its macros."""
    return (
        tuple(library for since, library in _LIBRARIES if since <= minor),
        tuple(expanders for since, expanders in _MACROS if since <= minor),
    )


def make_environment(
    minor: int,
    variables: dict[str, CelType],
    structs: dict[str, dict[str, CelType]],
    *,
    bindings: bool = True,
) -> Environment:
    """Return a release's environment with additional variables and structs; `bindings` adds cel.bind."""
    libraries, expanders = base_environment(minor)
    declarations = Declarations(variables=dict(variables), types=dict(TYPE_NAMES), structs=dict(structs))
    declarations.types |= {each.name: each for each in (types.OPTIONAL, types.IP, types.CIDR)}
    # The type checker knows these names too, but they have no values.
    declarations.types |= {"duration": types.DURATION, "timestamp": types.TIMESTAMP}
    for library in libraries:
        declarations.add(library)
    all_macros: dict[tuple[str, int, bool], macros.Expander] = {}
    for each in expanders:
        all_macros |= each
    if bindings:
        all_macros |= macros.BINDINGS
    return Environment(declarations, Macros(all_macros))
