"""Edits of the configuration, converted to steps in its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import (
    MAX_WEIGHT,
    ConfigurationEdit,
    DisablePlugin,
    NotPossible,
    SetStrategy,
    SetWeight,
    Step,
)
from scheduler_core.scenario.reading.problems import show

EMPTY = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
DEFAULT_SCHEDULER = "default-scheduler"


def steps_of(edit: ConfigurationEdit, data: Mapping[str, Any]) -> list[Step]:
    """Return the steps of the edit in a configuration's data, which may be EMPTY. Raises NotPossible."""
    steps: list[Step] = []
    index = _profile(edit.profile, data, steps)
    profile = ((data.get("profiles") or [{}])[index]) or {}
    at = ("profiles", index)
    match edit:
        case SetWeight():
            steps += _weight_steps(edit, profile, at)
        case DisablePlugin():
            steps += _disabling_steps(edit.plugin, profile, at)
        case SetStrategy():
            steps += _strategy_steps(edit, profile, at)
    return steps


def _profile(name: str, data: Mapping[str, Any], steps: list[Step]) -> int:
    """Return the index of the profile; if there are no profiles, add a step for the default one. Raises NotPossible."""
    profiles = data.get("profiles") or []
    if not profiles and name == DEFAULT_SCHEDULER:
        steps.append(Step(("profiles",), [{"schedulerName": name}]))
        return 0
    for index, profile in enumerate(profiles):
        if (profile.get("schedulerName") or DEFAULT_SCHEDULER) == name:
            return index
    raise NotPossible(Message("the configuration has no profile {name}", name=show(name)))


def _weight_steps(edit: SetWeight, profile: Mapping[str, Any], at: tuple[str | int, ...]) -> list[Step]:
    """Return the step that sets the weight of a plugin, which is enabled if no extension point names it.

    Raises NotPossible.
    """
    if not 1 <= edit.weight <= MAX_WEIGHT:
        raise NotPossible(Message("a weight is a number from 1 to {most:,}", most=MAX_WEIGHT))
    plugins = profile.get("plugins") or {}
    for point in ("score", "multiPoint"):
        for index, entry in enumerate((plugins.get(point) or {}).get("enabled") or ()):
            if entry.get("name") == edit.plugin:
                return [Step((*at, "plugins", point, "enabled", index, "weight"), edit.weight)]
    return [Step((*at, "plugins", "multiPoint", "enabled"), {"name": edit.plugin, "weight": edit.weight}, add=True)]


def _disabling_steps(plugin: str, profile: Mapping[str, Any], at: tuple[str | int, ...]) -> list[Step]:
    """Return the steps that disable the plugin at all extension points."""
    steps = []
    for point, plugin_set in (profile.get("plugins") or {}).items():
        enabled: Sequence[Any] = (plugin_set or {}).get("enabled") or ()
        left = [entry for entry in enabled if entry.get("name") != plugin]
        if len(left) < len(enabled):
            steps.append(Step((*at, "plugins", point, "enabled"), left))
    return [*steps, Step((*at, "plugins", "multiPoint", "disabled"), {"name": plugin}, add=True)]


def _strategy_steps(edit: SetStrategy, profile: Mapping[str, Any], at: tuple[str | int, ...]) -> list[Step]:
    where = (*at, "pluginConfig")
    for index, entry in enumerate(profile.get("pluginConfig") or ()):
        if entry.get("name") == "NodeResourcesFit":
            return [Step((*where, index, "args", "scoringStrategy", "type"), edit.strategy)]
    strategy = {"type": edit.strategy, "resources": [{"name": name, "weight": 1} for name in ("cpu", "memory")]}
    return [Step(where, {"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}, add=True)]
