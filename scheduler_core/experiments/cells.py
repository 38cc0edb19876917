"""Runs the cells of an experiment without a trace, and returns their measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.ask.editing.edits import DisablePlugin, Edit, NotPossible
from scheduler_core.ask.editing.text import Dump, apply_edits, set_seed
from scheduler_core.ask.measures import Measures, Tally
from scheduler_core.ask.prices import Prices
from scheduler_core.experiments.design import Cell, Design, Level
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Limits, Scenario, ScenarioErrors, parse_scenario
from scheduler_core.scenario.reading.problems import did_you_mean
from scheduler_core.trace.events import AnyEvent

MAX_TRIED = 60  # the largest number of levels that are checked before the first run

Simulate = Callable[[Scenario], Iterator[AnyEvent]]
Watch = Callable[[Iterator[AnyEvent]], Iterator[AnyEvent]]  # yields the events of a run, and may raise to stop it


class Row(NamedTuple):
    """The result of a cell: its measures, or the error that prevented them."""

    measures: Measures | None
    error: Message | None = None


class BaseText(NamedTuple):
    """The text on which all cells are based.

    `dump` writes YAML; `release` is that of cells without one of their own, "" for the text's.
    """

    text: str
    dump: Dump
    limits: Limits
    known_plugins: Mapping[str, Iterable[str]]
    release: str = ""


class Cells:
    """Runs the cells of a text. Consecutive cells that differ only in their seed share the parsed scenario."""

    def __init__(self, text: BaseText, simulate: Simulate) -> None:
        self.text = text
        self.simulate = simulate
        # The edits and the release of the last scenario, and the scenario.
        self._last: tuple[tuple[tuple[Edit, ...], str], Scenario | Message] | None = None

    def row(self, cell: Cell, watch: Watch = iter) -> Row:
        """Run the cell and return its row. Of the errors that `watch` raises, only RunEnded is caught."""
        scenario = self.scenario(cell)
        if isinstance(scenario, Message):
            return Row(None, scenario)
        tally = Tally(Prices(scenario))
        try:
            for event in watch(self.simulate(scenario)):
                tally.take(event)
        except RunEnded as error:
            return Row(None, error.sentence)
        return Row(tally.measures())

    def scenario(self, cell: Cell) -> Scenario | Message:
        """Return the scenario with the cell's edits, release and seed; the error if that is not a valid scenario."""
        key = (cell.edits, cell.release)
        if self._last is None or self._last[0] != key:
            self._last = key, self._scenario(cell)
        scenario = self._last[1]
        return scenario if isinstance(scenario, Message) or cell.seed is None else replace(scenario, seed=cell.seed)

    def _scenario(self, cell: Cell) -> Scenario | Message:
        release = RELEASES.get(cell.release or self.text.release)
        try:
            text = apply_edits(self.text.text, cell.edits, self.text.dump)
            return parse_scenario(text, self.text.limits, self.text.known_plugins, release)
        except NotPossible as error:
            return error.sentence
        except ScenarioErrors as errors:
            first = errors.errors[0]
            return Message("{path}: {message}", path=first.path, message=first.message) if first.path else first.message


def find_invalid_level(runner: Cells, design: Design) -> tuple[str, str, Message] | None:
    """Return (factor, level, error) of the first of MAX_TRIED levels that is invalid alone, None if all are valid."""
    levels = [
        (factor.name, level) for factor in design.factors for level in factor.levels if level.edits or level.release
    ]
    for name, level in levels[:MAX_TRIED]:
        result = _unknown_plugin(level, runner) or runner.scenario(Cell(level.edits, None, level.release))
        if isinstance(result, Message):
            return name, level.label, result
    return None


def _unknown_plugin(level: Level, runner: Cells) -> Message | None:
    """Return the error if a level disables an unknown plugin, otherwise None; kube-scheduler ignores such a name."""
    disabled = [edit for edit in level.edits if isinstance(edit, DisablePlugin)]
    if not disabled:
        return None
    scenario = runner.scenario(Cell((), None, level.release))
    rules = [] if isinstance(scenario, Message) else [rule.name for rule in scenario.rules]
    plugins = [*REGISTRY, *runner.text.known_plugins, *rules]
    for edit in disabled:
        if edit.plugin not in plugins:
            return Message("there is no plugin {name}{hint}", name=edit.plugin, hint=did_you_mean(edit.plugin, plugins))
    return None


def text_of(text: str, cell: Cell, dump: Dump) -> str:
    """Return the scenario of a cell as text, without its release. Raises NotPossible."""
    new_text = apply_edits(text, cell.edits, dump)
    return new_text if cell.seed is None else set_seed(new_text, cell.seed, dump)
