"""A difference between releases, with a name and a description of each value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from scheduler_core.apis.messages import Text

PLUGIN, SOURCE, DESCRIPTIONS = "plugin", "source", "descriptions"  # keys of the metadata of a field


def rule(plugin: str, source: str, descriptions: Mapping[Any, Text]) -> Any:
    """Return a field of `Rules`.

    `plugin`: the plugin with the rule, "" if it is not one of a plugin. `source`: the file and function, in
    pkg/scheduler unless the path begins with a directory of the repository.
    `descriptions`: those of each value, in the present tense and without a full stop; the first value is the default,
    that of the complete release.
    """
    metadata = MappingProxyType({PLUGIN: plugin, SOURCE: source, DESCRIPTIONS: MappingProxyType(dict(descriptions))})
    return field(default=next(iter(descriptions)), metadata=metadata)
