"""Reads the levels of each kind of factor from its data.

Each reader returns the default name of the factor and its levels. After an error, which it reports, there may be none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import (
    MAX_NODES_ADDED,
    MAX_WEIGHT,
    AddNodes,
    DisablePlugin,
    Edit,
    SetField,
    SetFlag,
    SetStrategy,
    SetWeight,
    Strategy,
)
from scheduler_core.experiments.design import Level
from scheduler_core.experiments.fields import ACTORS, SEEDS
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.objects.kinds import KINDS, OF_AUTOSCALING
from scheduler_core.scenario.reading.problems import Path, Problems, invalid, not_supported, required, show

MAX_CELLS = 20_000
MAX_EDITS = 50  # edits per variant
LARGEST_SEED = 2**31 - 1  # all programs read it exactly in JSON and YAML
AS_IT_IS = "unchanged"

Data = Mapping[str, Any]
_STEP = re.compile(r"([^.\[\]]+)((?:\[\d{1,9}\])*)")

NamedLevels = tuple[str, list[Level]]  # the default name of the factor, and its levels


def _seeds(data: Any, path: Path, problems: Problems) -> NamedLevels:
    if isinstance(data, dict):
        if not check(SEEDS, data, path, problems, strict=True):
            return "seed", []
        first, count = data.get("from", 1), data.get("count") or 0
        if not 1 <= count <= MAX_CELLS:
            problems.error((*path, "count"), invalid(count, Message("from 1 to {most:,}", most=MAX_CELLS)))
            return "seed", []
        data = range(first, first + count) if isinstance(first, int) else [first]
    if not isinstance(data, list | range):
        problems.error(path, Message("{value}: expected a list of seeds, or from and count", value=show(data)))
        return "seed", []
    for seed in data:
        if type(seed) is not int or not 0 <= seed <= LARGEST_SEED:
            problems.error(path, invalid(seed, Message("a seed is a number from 0 to {most}", most=LARGEST_SEED)))
            return "seed", []
    return "seed", [Level(str(seed), seed=seed) for seed in data]


def _releases(data: Any, path: Path, problems: Problems) -> NamedLevels:
    return "Kubernetes", [Level(version, release=version) for version in data]


def _strategy(data: Any, path: Path, problems: Problems) -> NamedLevels:
    return "strategy", [Level(strategy, (SetStrategy(cast(Strategy, strategy)),)) for strategy in data]


def _weight(data: Data, path: Path, problems: Problems) -> NamedLevels:
    plugin, values = data.get("plugin") or "", data.get("values") or []
    if not plugin:
        problems.error((*path, "plugin"), required(Message("a Score plugin's name")))
    for index, value in enumerate(values):
        if not 0 <= value <= MAX_WEIGHT:
            reason = Message("a weight is a number from 1 to {most:,}; 0 turns the plugin off", most=MAX_WEIGHT)
            problems.error((*path, "values", index), invalid(value, reason))
    profile = {"profile": data["profile"]} if data.get("profile") else {}
    edits: list[Edit] = [
        SetWeight(plugin, value, **profile) if value else DisablePlugin(plugin, **profile) for value in values
    ]
    return f"weight of {plugin}", [Level(str(value), (edit,)) for value, edit in zip(values, edits, strict=True)]


def _disable(data: Any, path: Path, problems: Problems) -> NamedLevels:
    return "plugin off", [Level("none"), *(Level(plugin, (DisablePlugin(plugin),)) for plugin in data)]


def _nodes(data: Data, path: Path, problems: Problems) -> NamedLevels:
    like, values = data.get("like") or "", data.get("add") or []
    if not like:
        problems.error((*path, "like"), required(Message("the name of the node to copy")))
    for index, value in enumerate(values):
        if not 0 <= value <= MAX_NODES_ADDED:
            reason = Message("from 0 to {most:,} nodes", most=MAX_NODES_ADDED)
            problems.error((*path, "add", index), invalid(value, reason))
    return "nodes added", [Level(str(value), (AddNodes(like, value),) if value else ()) for value in values]


def _field(data: Data, path: Path, problems: Problems) -> NamedLevels:
    kind, name, values = data.get("kind") or "", data.get("name") or "", data.get("values")
    steps = _steps(data.get("path"))
    if kind not in KINDS and kind not in OF_AUTOSCALING:
        problems.error((*path, "kind"), not_supported(kind, (*KINDS, *OF_AUTOSCALING)))
        return name, []
    if not name:
        problems.error((*path, "name"), required(Message("the object's name")))
    if not steps:
        problems.error((*path, "path"), required(Message("as in spec.priority, or a list of names")))
    if not isinstance(values, list):
        problems.error((*path, "values"), required(Message("a list of values")))
        return name, []
    namespace = data.get("namespace") or ("default" if kind in KINDS and KINDS[kind].namespaced else "")
    levels = [Level(_label(value), (SetField(kind, name, steps, value, namespace),)) for value in values]
    last_steps = steps[-2:] if len(steps) > 2 else steps[-1:]
    return f"{name} {'.'.join(map(str, last_steps))}", levels


def _flag(data: Data, path: Path, problems: Problems) -> NamedLevels:
    actor, name, values = data.get("actor") or ACTORS[0], (data.get("name") or "").lstrip("-"), data.get("values")
    if not name:
        problems.error((*path, "name"), required(Message("the name of the flag, such as scale-down-unneeded-time")))
    if not isinstance(values, list):
        problems.error((*path, "values"), required(Message("a list of values")))
        return name, []
    return name, [Level(_label(value), (SetFlag(actor, name, _label(value)),)) for value in values]


def _label(value: Any) -> str:
    return value if isinstance(value, str) else show(value)


def _steps(data: Any) -> tuple[str | int, ...]:
    """Return the steps of a path; () if it is invalid.

    The path is a string such as `spec.containers[0].resources.requests.cpu`, or a list of its steps.
    """
    if isinstance(data, list):
        return tuple(data) if all(isinstance(part, str | int) for part in data) else ()
    if not isinstance(data, str):
        return ()
    steps: list[str | int] = []
    for part in data.split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            return ()
        steps += [match[1], *map(int, re.findall(r"\d+", match[2]))]
    return tuple(steps)


def _variants(data: Any, path: Path, problems: Problems) -> NamedLevels:
    levels = []
    for index, variant in enumerate(data):
        edits = variant.get("edits") or []
        if len(edits) > MAX_EDITS:
            problems.error((*path, index, "edits"), invalid(len(edits), Message("at most {most}", most=MAX_EDITS)))
            continue
        try:
            converted = msgspec.convert(edits, tuple[Edit, ...])
        except msgspec.ValidationError as error:
            reason = Message("this is not an edit: {reason}", reason=str(error))
            problems.error((*path, index, "edits"), reason)
            continue
        levels.append(Level(variant.get("label") or (f"variant {index + 1}" if converted else AS_IT_IS), converted))
    return "variant", levels


READERS: Mapping[str, Callable[[Any, Path, Problems], NamedLevels]] = {
    "seeds": _seeds,
    "releases": _releases,
    "strategy": _strategy,
    "weight": _weight,
    "disable": _disable,
    "nodes": _nodes,
    "field": _field,
    "flag": _flag,
    "variants": _variants,
}
