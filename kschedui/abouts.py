"""The declarations of plugins (`scheduler_core.framework.about`), read from the files next to the plugins."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import msgspec
import yaml

from scheduler_core.framework.about import COLOURS, About, AboutFile, Text


def about_of(plugin: Any) -> About:
    """Return the plugin's declaration, empty if it has none.

    Raises TypeError if it is of another type, and OSError, yaml.YAMLError or msgspec.ValidationError if its file cannot
    be read.
    """
    about = getattr(plugin, "about", None)
    if about is None:
        return About()
    if isinstance(about, AboutFile):
        return read_about(folder_of(plugin, about) / about.name)
    if not isinstance(about, About):
        raise TypeError(f'plugin "{getattr(plugin, "name", plugin)}": `about` has to be an About, not {about!r}')
    return about


def folder_of(plugin: Any, about: AboutFile) -> Path:
    """Return the folder of the module that names the file, which may be that of a base class."""
    naming = next(base for base in plugin.__mro__ if vars(base).get("about") == about)
    return Path(str(sys.modules[naming.__module__].__file__)).parent


@cache
def read_about(path: Path) -> About:
    """Return the declaration in a file. Raises OSError, yaml.YAMLError, or msgspec.ValidationError with the field."""
    return msgspec.convert(_with_base(path), About)


def _with_base(path: Path) -> dict[str, Any]:
    """Return the fields of the file, which override those of its `base`; the captions of both are merged."""
    with path.open(encoding="utf-8") as file:
        fields: dict[str, Any] = _resolve(yaml.load(file, yaml.CSafeLoader))
    if base := fields.pop("base", None):
        others = _with_base(path.parent / base)
        fields = {**others, **fields, "captions": {**others.get("captions", {}), **fields.get("captions", {})}}
    return fields


def _resolve(value: Any) -> Any:
    """Return the value with each {en, zh} as a Text, and each `starter` as the function that it names."""
    if isinstance(value, list):
        return list(map(_resolve, value))
    if not isinstance(value, dict):
        return value
    if value.keys() == {"en", "zh"}:
        return Text(**value)
    return {key: resolve_name(item) if key == "starter" else _resolve(item) for key, item in value.items()}


def check(about: About) -> None:
    """Check the declaration. Raises ValueError if it cannot be used."""
    if about.colour is not None and not 0 <= about.colour < COLOURS:
        raise ValueError(f"About(colour={about.colour}): expected a number from 0 to {COLOURS - 1}")
    patterns = [reason.pattern for reason in about.reasons] + [note.pattern for note in about.post_filter_notes]
    for pattern in patterns:
        try:
            re.fullmatch(pattern, "", re.DOTALL)
        except re.error as error:
            raise ValueError(f"About: pattern {pattern!r} is not a regular expression: {error}") from error
    for key in about.captions:
        if "*" not in key.split("."):
            raise ValueError(f'About: key "{key}" of a caption needs "*" in place of the plugin\'s name')
