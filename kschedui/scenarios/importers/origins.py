"""Errors and warnings about converted objects, at their place in the source text.

A pod created from a workload's template has the fields of the template, so that a mistake in it is reported once, at
the template's line. Fields that are missing or that the conversion added have no line of their own; their problems are
reported at the line of the deepest field above them that exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from kschedui.scenarios.importers.cleaning import part
from kschedui.scenarios.importers.workloads import name_of, namespace_of, references
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.scenario.parse import Limits, ParseWarning, ScenarioError, ScenarioErrors
from scheduler_core.scenario.reading.documents import Document, read_documents
from scheduler_core.scenario.reading.problems import Path, Problems, TooManyProblems, render_path

LONGEST = 4_000_000  # characters of a text that is read again
PART = re.compile(r"(?<=\[)[^\]]+|[^.\[\]]+")  # of a path's text: in brackets, or a field's name

Key = tuple[str, str, str]  # kind, namespace, name


class Origin(NamedTuple):
    """A document of the source, and the path in it of the value that became the converted object."""

    document: Document
    prefix: Path


def errors_at_source(errors: ScenarioErrors, converted: str, source: str, limits: Limits) -> ScenarioErrors:
    """Return the errors with documents and lines of the source; equal ones at the same place are reported once."""
    origins = _Origins(converted, source, limits)
    placed = [
        ScenarioError(place.path, place.line, error.message, place.document, place.column)
        if (place := origins.place(error.document, error.path, error.message)) is not None
        else error
        for error in errors.errors
    ]
    distinct = {(error.document, error.line, error.path, str(error.message)): error for error in reversed(placed)}
    return ScenarioErrors(reversed(distinct.values()), warnings_at_source(errors.warnings, converted, source, limits))


def warnings_at_source(
    warnings: Iterable[ParseWarning], converted: str, source: str, limits: Limits
) -> tuple[ParseWarning, ...]:
    """Return the warnings with documents and lines of the source; equal ones at the same place are reported once."""
    warnings = tuple(warnings)
    if not warnings:
        return ()
    origins = _Origins(converted, source, limits)
    placed = [
        replace(warning, document=place.document, line=place.line, path=place.path)
        if (place := origins.place(warning.document, warning.path, warning.message)) is not None
        else warning
        for warning in warnings
    ]
    distinct = {(warning.document, warning.line, warning.path, str(warning.message)): warning for warning in placed}
    return tuple(distinct.values())


class _Origins:
    """Finds the objects of a converted text in its source."""

    def __init__(self, converted: str, source: str, limits: Limits) -> None:
        readable = len(source) <= LONGEST and len(converted) <= LONGEST
        self._converted = _read(converted, limits) if readable else []
        self._source = {_key(document.data): document for document in (_read(source, limits) if readable else [])}

    def place(self, number: int, path: str, message: Any) -> ScenarioError | None:
        """Return an error at the place in the source that corresponds to a path in a converted document; None without
        one.
        """
        if not 0 < number <= len(self._converted):
            return None
        data = self._converted[number - 1].data
        origin = next(self._origins_of(data), None)
        if origin is None:
            return None
        problems = Problems()
        problems.enter(origin.document.chunk, origin.document.prefix)
        problems.error((*origin.prefix, *parse_path(data, path)), message)
        (error,) = problems.errors()
        return error

    def _origins_of(self, data: dict[str, Any]) -> Iterator[Origin]:
        """Yield the object itself in the source, or the workload whose template it was created from."""
        if (own := self._source.get(_key(data))) is not None:
            yield Origin(own, ())
            return
        hashed = str(part(part(data, "metadata"), "labels").get("pod-template-hash"))
        for owner in references(data):
            kind, name = str(owner.get("kind")), str(owner.get("name"))
            for key in (
                (kind, namespace_of(data), name),
                ("Deployment", namespace_of(data), name.removesuffix(f"-{hashed}")),
            ):
                if (workload := self._source.get(key)) is not None:
                    yield Origin(workload, ("spec", "template"))
        deployment = "Deployment", namespace_of(data), name_of(data).removesuffix(f"-{hashed}")
        if data.get("kind") == "ReplicaSet" and (workload := self._source.get(deployment)) is not None:
            yield Origin(workload, ())


def _read(text: str, limits: Limits) -> list[Document]:
    problems = Problems()
    try:
        return read_documents(text, limits, problems)
    except (TooManyProblems, ScenarioErrors):
        return []


def _key(data: dict[str, Any]) -> Key:
    return str(data.get("kind")), namespace_of(data), name_of(data)


def parse_path(data: Any, rendered: str) -> Path:
    """Return the path whose text (`render_path`) is `rendered`; its last parts may be missing in the data."""
    path: Path = ()
    while True:
        steps: Iterable[str | int] = (
            data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
        )
        fitting = [
            step for step in steps if isinstance(step, str | int) and _begins(rendered, render_path((*path, step)))
        ]
        if not fitting:
            missing = PART.findall(rendered.removeprefix(render_path(path)))
            return *path, *(name if (index := parse_int64(name)) is None else index for name in missing)
        step = max(fitting, key=lambda step: len(render_path((*path, step))))
        path, data = (*path, step), data[step]


def _begins(rendered: str, start: str) -> bool:
    return rendered == start or (rendered.startswith(start) and rendered[len(start)] in ".[")
