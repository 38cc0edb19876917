"""Scheduler plugins from other packages: found by their entry points, handed to the engine by whoever runs it.

A package offers a plugin in its pyproject.toml:

    [project.entry-points."kschedui.plugins"]
    MyPlugin = "my_package.my_plugin:MyPlugin"

The name is the one that a KubeSchedulerConfiguration enables; the class implements the protocols of
`scheduler_core.framework.interface`. A plugin that cannot be loaded is left out, with an error in the log. The engine
itself reads no files, so the search stands here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

GROUP = "kschedui.plugins"

_METHODS = {"key": "queue_sort"}  # where the method is not called as the extension point is
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
    """Name -> class of every plugin that the installed packages offer, in order of their names."""
    found: dict[str, type[Any]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            found[entry.name] = entry.load()
        except Exception:
            logger.exception("The scheduler plugin %s (%s) cannot be loaded", entry.name, entry.value)
    return MappingProxyType(found)


def known_plugins(plugins: Mapping[str, type[Any]]) -> dict[str, tuple[str, ...]]:
    """Name -> the extension points that the class implements: what `parse_scenario` wants to know about them."""
    methods = {**{point: point for point in _POINTS}, **_METHODS}
    return {
        name: tuple(point for method, point in methods.items() if callable(getattr(plugin, method, None)))
        for name, plugin in plugins.items()
    }
