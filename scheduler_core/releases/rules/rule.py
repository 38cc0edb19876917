"""One difference between releases, with a name and a sentence for either side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from scheduler_core.apis.messages import Message

PLUGIN, SOURCE, SAYS = "plugin", "source", "says"  # keys of a field's metadata


def rule(plugin: str, source: str, says: Mapping[Any, Message]) -> Any:
    """A field of `Rules`.

    `plugin`: whose rule it is, "" for the scheduler's own. `source`: the file and function in pkg/scheduler. `says`:
    what each value means, in the present tense and without a full stop; the first is what the newest release does.
    """
    metadata = MappingProxyType({PLUGIN: plugin, SOURCE: source, SAYS: MappingProxyType(dict(says))})
    return field(default=next(iter(says)), metadata=metadata)
