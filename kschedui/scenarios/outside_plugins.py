"""Scheduler plugins from other packages, found by their entry points and passed to the engine by its callers.

A package offers a plugin in its pyproject.toml:

    [project.entry-points."kschedui.plugins"]
    MyPlugin = "my_package.my_plugin:MyPlugin"

A KubeSchedulerConfiguration enables the plugin by this name; the class implements the protocols of
`scheduler_core.framework.interface` and may declare its texts as `about` (`scheduler_core.framework.about`). A plugin
that cannot be loaded is skipped, and the error logged. The engine itself reads no files, so the search is here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

import scheduler_core
from kschedui.abouts import about_of, check
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.events import AnyEvent

GROUP = "kschedui.plugins"

_METHODS = {"key": "queue_sort"}  # methods whose names differ from those of their extension points
_POINTS = (
    "pre_enqueue",
    "pre_filter",
    "filter",
    "post_filter",
    "pre_score",
    "score",
    "reserve",
    "permit",
    "pre_bind",
    "bind",
    "post_bind",
)

logger = logging.getLogger(__name__)


@cache
def outside_plugins() -> Mapping[str, type[Any]]:
    """Return the class of every plugin in the installed packages, by name in alphabetical order."""
    plugins: dict[str, type[Any]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            plugin = entry.load()
            check(about_of(plugin))
            plugins[entry.name] = plugin
        except Exception:
            logger.exception("The scheduler plugin %s (%s) cannot be loaded", entry.name, entry.value)
    return MappingProxyType(plugins)


def registry() -> dict[str, Any]:
    """Return all plugins for a run by name, including those of other packages."""
    return {**REGISTRY, **outside_plugins()}


def simulate(scenario: Scenario) -> Iterator[AnyEvent]:
    """Yield the events of a run with these plugins."""
    return scheduler_core.simulate(scenario, registry())


def known_plugins(plugins: Mapping[str, type[Any]]) -> dict[str, tuple[str, ...]]:
    """Return the extension points of the plugins by name, as required by `parse_scenario`."""
    methods = {**{point: point for point in _POINTS}, **_METHODS}
    return {
        name: tuple(point for method, point in methods.items() if callable(getattr(plugin, method, None)))
        for name, plugin in plugins.items()
    }
