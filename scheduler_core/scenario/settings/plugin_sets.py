"""A profile's plugins: the default set merged with the profile's, and multiPoint expanded to extension points.

Sources: apis/config/v1/default_plugins.go (`getDefaultPlugins`, `mergePlugins`), framework/runtime/framework.go
(`updatePluginList`, `expandMultiPointPlugins`, `getScoreWeights`, `NewFramework`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.config import EXTENSION_POINTS, PluginRef
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.config_fields import POINT_FIELDS
from scheduler_core.scenario.reading.problems import Path, Problems, did_you_mean, show

Manifest = Mapping[str, Any]
KnownPlugins = Mapping[str, Iterable[str]]  # name -> the extension points that it implements


WEIGHTED = ("score", "placement_score")


class PluginSet:
    """The plugins `enabled` and `disabled` at one extension point, or in multiPoint."""

    def __init__(self, data: Manifest | None, path: Path) -> None:
        self.path = path
        self.enabled = [
            PluginRef(entry.get("name") or "", entry.get("weight") or 0) for entry in (data or {}).get("enabled") or ()
        ]
        self.disabled_names = [entry.get("name") or "" for entry in (data or {}).get("disabled") or ()]
        self.disabled = set(self.disabled_names)


def resolve(
    plugins: Manifest,
    path: Path,
    scheduler_name: str,
    known: KnownPlugins,
    defaults: Sequence[PluginRef],
    problems: Problems,
) -> dict[str, tuple[PluginRef, ...]]:
    """Return the plugins of each point of EXTENSION_POINTS in the order in which they run.

    Weights are set at the points in WEIGHTED, and 0 elsewhere. If an enabled plugin is unknown, no point has plugins.
    `defaults`: the plugins that multiPoint enables in this release.
    """
    multi_point = PluginSet(plugins.get("multiPoint"), (*path, "multiPoint"))
    enabled_everywhere = _merge_with_default(multi_point, defaults)
    sets = {point: PluginSet(plugins.get(name), (*path, name)) for point, name in POINT_FIELDS.items()}
    if not _all_known([multi_point, *sets.values()], known, problems):
        return dict.fromkeys(EXTENSION_POINTS, ())
    names = {
        point: _expand(point, sets[point], enabled_everywhere, multi_point.path, known, problems) for point in sets
    }
    weights = {point: _score_weights(point, [*sets[point].enabled, *enabled_everywhere], known) for point in WEIGHTED}
    name = show(scheduler_name)
    if (count := len(names["queue_sort"])) != 1:
        message = Message(
            "only one queue sort plugin required for profile with scheduler name {name}, but got {found}",
            name=name,
            found=count,
        )
        problems.error((*path, "queueSort"), message)
    if not names["bind"]:
        message = Message("at least one bind plugin is needed for profile with scheduler name {name}", name=name)
        problems.error((*path, "bind"), message)
    return {
        point: tuple(PluginRef(plugin, weights.get(point, {}).get(plugin, 0)) for plugin in names[point])
        for point in EXTENSION_POINTS
    }


def _merge_with_default(custom: PluginSet, defaults: Sequence[PluginRef]) -> list[PluginRef]:
    """Merge a set with the defaults (`mergePluginSet`): default plugins keep their place, new ones come last."""
    custom_plugins = {plugin.name: plugin for plugin in custom.enabled}
    kept = [] if "*" in custom.disabled else [default for default in defaults if default.name not in custom.disabled]
    replaced = {plugin.name for plugin in kept if plugin.name in custom_plugins}
    merged = [custom_plugins.get(plugin.name, plugin) for plugin in kept]
    # Keep a plugin that is listed twice; the expansion reports it.
    new = [
        plugin for plugin in custom.enabled if plugin.name not in replaced or plugin is not custom_plugins[plugin.name]
    ]
    return merged + new


def _all_known(sets: Iterable[PluginSet], known_plugins: KnownPlugins, problems: Problems) -> bool:
    """Return whether all enabled plugins are known; report unknown ones, and warn about unknown disabled ones."""
    fits = True
    for plugin_set in sets:
        for index, plugin in enumerate(plugin_set.enabled):
            if plugin.name not in known_plugins:
                hint = did_you_mean(plugin.name, known_plugins)
                message = Message(
                    "{kind} {value} does not exist{hint}",
                    kind=_type_name(str(plugin_set.path[-1])),
                    value=show(plugin.name),
                    hint=hint,
                )
                problems.error((*plugin_set.path, "enabled", index), message)
                fits = False
        for index, name in enumerate(plugin_set.disabled_names):
            if name != "*" and name not in known_plugins:
                hint = did_you_mean(name, known_plugins)
                message = Message("no plugin {value} exists, so nothing is disabled{hint}", value=show(name), hint=hint)
                problems.warn((*plugin_set.path, "disabled", index), message)
    return fits


def _expand(
    point: str,
    own: PluginSet,
    everywhere: list[PluginRef],
    multi_point_path: Path,
    known_plugins: KnownPlugins,
    problems: Problems,
) -> list[str]:
    """Return the plugins of one extension point in order (`updatePluginList`, then `expandMultiPointPlugins`).

    These are its own plugins that multiPoint enables, too, then those of multiPoint alone, then its other own ones.
    """
    specific: list[str] = []
    kind = _type_name(POINT_FIELDS[point])
    for index, plugin in enumerate(own.enabled):
        path = (*own.path, "enabled", index)
        if point not in known_plugins[plugin.name]:
            problems.error(
                path, Message("plugin {name} does not extend {kind} plugin", name=show(plugin.name), kind=kind)
            )
        elif plugin.name in specific:
            problems.error(path, _registered(plugin.name, kind))
        else:
            specific.append(plugin.name)
    if "*" in own.disabled:
        return specific
    overridden: list[str] = []
    inherited: list[str] = []
    for plugin in everywhere:
        if point not in known_plugins[plugin.name] or plugin.name in own.disabled:
            continue
        if plugin.name in specific:
            overridden.append(plugin.name)
        elif plugin.name in inherited:
            problems.error(multi_point_path, _registered(plugin.name, kind))
        else:
            inherited.append(plugin.name)
    first = [name for name in specific if name in overridden]
    return [*first, *inherited, *(name for name in specific if name not in overridden)]


def _registered(plugin: str, kind: str) -> Message:
    return Message("plugin {name} already registered as {kind}", name=show(plugin), kind=show(kind))


def _score_weights(point: str, plugins: Iterable[PluginRef], known_plugins: KnownPlugins) -> dict[str, int]:
    """Return the weight of each plugin at this point, that of its first occurrence; 0 means 1."""
    weights: dict[str, int] = {}
    for plugin in plugins:
        if point in known_plugins[plugin.name]:
            weights.setdefault(plugin.name, plugin.weight or 1)
    return weights


def _type_name(field: str) -> str:
    """Return the Go interface in kube-scheduler's messages: FilterPlugin for filter, PreFilterPlugin for multiPoint."""
    return "PreFilterPlugin" if field == "multiPoint" else f"{field[0].upper()}{field[1:]}Plugin"
