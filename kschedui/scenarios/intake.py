"""The steps from a text to a scenario, for page, API, command line, notebook and uploads, in four stages.

    read       `file_text`         the bytes of a file to text
    recognise  `kinds_of_text`     the kind of text, by its words
    convert    `importers`         output of a cluster or of another tool to the text of a scenario
    parse      the caller's Parse  the text of a scenario to a `Scenario`

`read_scenario` does all four, `scenario_text` the first three; so does `import_source`, but it converts any text.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from kschedui.scenarios import file_text
from kschedui.scenarios.imported import DEFAULTS, Conversion, Imported
from kschedui.scenarios.kinds_of_text import Kind, has_scenario, is_for_people, kind_of
from kschedui.work import progress
from scheduler_core import Scenario, ScenarioErrors
from scheduler_core.releases import release_named

Parse = Callable[[str], Scenario]  # raises ScenarioErrors

CONVERTING = 0.8  # of the time that a converted text takes


class ScenarioText(msgspec.Struct, frozen=True):
    """A text and its scenario, whose warnings refer to the lines of the source."""

    imported: Imported
    scenario: Scenario


def read_scenario(source: str | bytes, options: Conversion, parse: Parse, *, lenient: bool = False) -> ScenarioText:
    """Return the scenario of a text. Raises ScenarioErrors with the lines of the source.

    `lenient`: if a text without a Scenario document cannot be parsed as it is, it is converted.
    """
    text = read(source, options)
    kind = recognise(text, options)
    with progress.within(0, CONVERTING if kind is not Kind.SCENARIO else 0):
        imported = convert(text, kind, options)
    with progress.within(CONVERTING if kind is not Kind.SCENARIO else 0, 1):
        try:
            return ScenarioText(imported, _parse(imported, text, options, parse))
        except ScenarioErrors as errors:
            if not lenient or kind is not Kind.SCENARIO or has_scenario(text):
                raise
            try:
                imported = convert(text, Kind.OUTPUT, options)
                return ScenarioText(imported, _parse(imported, text, options, parse))
            except ScenarioErrors:
                raise errors from None  # their lines are those of the source


def scenario_text(source: str | bytes, options: Conversion) -> Imported:
    """Return the text of a scenario; other texts are converted. Raises ScenarioErrors."""
    text = read(source, options)
    return convert(text, recognise(text, options), options)


def import_source(source: str | BinaryIO, options: Conversion = DEFAULTS) -> Imported:
    """Convert a text of any kind; a long file is never in memory as a whole. Raises ScenarioErrors."""
    from kschedui.scenarios import importers

    most = options.max_bytes or options.limits.bytes
    if isinstance(source, str):
        blocks = file_text.blocks_of(file_text.whole_text(source, most))
    else:
        blocks = file_text.texts(source, most)
    start = next(blocks, "")
    return importers.convert(chain([start], blocks), options, Kind.OUTPUT, printed_for_people=is_for_people(start))


def read(source: str | bytes, options: Conversion) -> str:
    """Return the text of a file. Raises ScenarioErrors if it is not text, or too long."""
    return file_text.whole_text(source, options.max_bytes or options.limits.bytes)


def recognise(text: str, options: Conversion) -> Kind:
    """Return the kind of the text."""
    release = release_named(options.simulated)
    return kind_of(text, has_policy=release is not None and release.policy is not None)


def convert(text: str, kind: Kind, options: Conversion) -> Imported:
    """Return the text of the scenario that is made from a text of this kind. Raises ScenarioErrors."""
    if kind is Kind.SCENARIO:
        return Imported(text, kind=kind)
    from kschedui.scenarios import importers  # only texts that are not scenarios need it
    from kschedui.scenarios.importers.reading.raw_text import reduce_text

    if kind is Kind.PRINTED_SCENARIO:
        return Imported(reduce_text(text, options.limits), kind=kind)
    return importers.convert(file_text.blocks_of(text), options, kind, printed_for_people=is_for_people(text))


def _parse(imported: Imported, source: str, options: Conversion, parse: Parse) -> Scenario:
    """Return the parsed text; errors and warnings about a converted text refer to the lines of its source.

    Raises ScenarioErrors.
    """
    if imported.text == source:
        return parse(source)
    from kschedui.scenarios.importers.origins import errors_at_source, warnings_at_source

    try:
        scenario = parse(imported.text)
    except ScenarioErrors as errors:
        raise errors_at_source(errors, imported.text, source, options.limits) from None
    return replace(scenario, warnings=warnings_at_source(scenario.warnings, imported.text, source, options.limits))
