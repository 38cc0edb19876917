"""The plan of an experiment, checked before anything is stored: its factors, and the limits on its size."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.conf import settings
from msgspec.structs import replace

from kschedui.models import Experiment, Version
from kschedui.runs import store as runs
from kschedui.scenarios import engine, yaml_text
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins
from scheduler_core.apis.core import Node, Pod, PriorityClass
from scheduler_core.apis.messages import Message, WithSentence
from scheduler_core.experiments.cells import BaseText, Cells, find_invalid_level, text_of
from scheduler_core.experiments.design import Design
from scheduler_core.experiments.reading import read_factors
from scheduler_core.scenario.parse import Limits, Scenario

BATCH_SECONDS = 2.0  # of work that a batch should take at most
LAST_SECONDS = 0.2  # that the last batches should take: for shorter ones, the overhead would be too large
MAX_BATCH = 400  # cells
SHARE = 6  # of what is left, so that several workers end together
MAX_OFFERED = 200
NUL = r"\u0000"  # as JSON writes it; PostgreSQL stores no such text


class ExperimentTooLarge(WithSentence):
    """The experiment exceeds a limit, or cannot be stored; the sentence says why."""


class Planned(NamedTuple):
    """An experiment that can start. `kubernetes`: the release of all cells, "" for the release in the text."""

    version: Version
    factors: Any
    design: Design
    kubernetes: str


def plan(version: Version, factors: Any, kubernetes: str | None) -> Planned:
    """Plan an experiment; `kubernetes` None: on the version's release. Raises ScenarioErrors or ExperimentTooLarge."""
    design = read_factors(factors)
    if NUL in json.dumps(factors).replace(r"\\", ""):
        raise ExperimentTooLarge(Message("The factors of an experiment cannot contain the character NUL."))
    limits, summary = settings.LIMITS, version.summary
    if design.size > (most := limits["experiment_cells"]):
        raise ExperimentTooLarge(
            Message("This experiment has {size:,} runs; the limit is {most:,}.", size=design.size, most=most)
        )
    for name, count in (("nodes", summary.get("nodes", 0)), ("pods", summary.get("pods", 0))):
        if count > (most := limits[f"experiment_{name}"]):
            raise ExperimentTooLarge(
                Message(
                    "The scenario of an experiment can have at most {nodes:,} nodes and {pods:,} pods.",
                    nodes=limits["experiment_nodes"],
                    pods=limits["experiment_pods"],
                )
            )
    if version.bytes > (most := limits["experiment_text_bytes"]):
        raise ExperimentTooLarge(
            Message("The text of an experiment's scenario can have at most {most:,} bytes.", most=most)
        )
    return Planned(version, factors, design, runs.own_release(version) if kubernetes is None else kubernetes)


def cell_limits() -> Limits:
    """Return the limits on the scenario of one cell, added nodes included."""
    limits = settings.LIMITS
    return replace(engine.limits(), nodes=limits["experiment_nodes"], pods=limits["experiment_pods"])


def cells(text: str, kubernetes: str) -> Cells:
    """Return the object that runs the cells of a stored text."""
    base = BaseText(text, yaml_text.write, cell_limits(), known_plugins(outside_plugins()), kubernetes)
    return Cells(base, engine.simulate)


def first_invalid_level(text: str, kubernetes: str, factors: Any) -> tuple[str, str, Message] | None:
    """Return the first level that is invalid for the scenario on its own, as (factor, level, error); None if all are
    valid.
    """
    return find_invalid_level(cells(text, kubernetes), read_factors(factors))


def batch_sizes(summary: dict[str, Any], size: int) -> Iterator[int]:
    """Yield the sizes of the batches: large ones first and smaller ones at the end, so that no worker is left with a
    long batch.

    Sizes are estimated from the duration of such a run: 2 ms, plus 0.3 ms for each pod, plus 0.3 µs for each pod and
    node.
    """
    nodes, pods = summary.get("nodes", 0), summary.get("pods", 0)
    seconds = 0.002 + pods * (0.0003 + nodes * 3e-7)
    most = max(1, min(MAX_BATCH, int(BATCH_SECONDS / seconds)))
    least = max(1, min(most, int(LAST_SECONDS / seconds), -(-size // SHARE)))
    while size > 0:
        count = min(size, max(least, min(most, size // SHARE)))
        yield count
        size -= count


def design_of(experiment: Experiment) -> Design:
    """Return the design of a stored experiment, whose factors were checked when it was created."""
    return read_factors(experiment.factors)


def text_of_cell(text: str, factors: Any, number: int) -> tuple[str, str]:
    """Return a cell's text, and its release ("": the experiment's). Raises NotPossible."""
    cell = read_factors(factors).cell(number)
    return text_of(text, cell, yaml_text.write), cell.release


def list_choices(scenario: Scenario) -> dict[str, Any]:
    """Return everything that the form can vary: {nodes, classes: [[name, value]], pods, plugins (that score), actors,
    drawn}.

    `nodes`, `classes` and `pods` have at most MAX_OFFERED entries. `drawn`: whether the seed has an effect. Since 1.35,
    ties are broken at random only if there are extenders.
    """
    objects = [*scenario.objects, *(event.object for event in scenario.events if event.action == "create")]
    classes = [[item.name, item.value] for item in objects if isinstance(item, PriorityClass)]
    scoring = {plugin.name for profile in scenario.config.profiles for plugin in profile.plugins.get("score", ())}
    return {
        "nodes": [item.name for item in objects if isinstance(item, Node)][:MAX_OFFERED],
        "classes": [entry for entry in classes if not str(entry[0]).startswith("system-")][:MAX_OFFERED],
        "pods": [item.key for item in objects if isinstance(item, Pod)][:MAX_OFFERED],
        "plugins": sorted(scoring),
        "actors": [type(actor).__name__ for actor in scenario.actors],
        "drawn": scenario.release.rules.ties_are_broken_at_random or bool(scenario.config.extenders),
    }
