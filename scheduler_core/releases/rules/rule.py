"""A difference between releases, with a name and a sentence for each side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from scheduler_core.apis.messages import Text

PLUGIN, SOURCE, SAYS = "plugin", "source", "says"  # keys of a field's metadata


def rule(plugin: str, source: str, says: Mapping[Any, Text]) -> Any:
    """Return a field of `Rules`.

    `plugin`: whose rule it is, "" for the scheduler's own. `source`: the file and function in pkg/scheduler. `says`:
    what each value means, in the present tense and without a full stop; the first is the default, which the
    release that is written out in full has.
    """
    metadata = MappingProxyType({PLUGIN: plugin, SOURCE: source, SAYS: MappingProxyType(dict(says))})
    return field(default=next(iter(says)), metadata=metadata)
