"""The plugins, plainly: each file has the name of its twin in `scheduler_core/plugins`, to be read beside it.

A file holds one family's PreFilter, Filter, Score and queueing hints, one node and one event at a time. Every class of
these files that has the name of one of the engine's plugins is the reference for it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

from scheduler_core.plugins import REGISTRY
from tests.reference.framework.interface import Plugin

_MODULES = [import_module(module.name) for module in walk_packages(__path__, f"{__name__}.")]

PLUGINS: dict[str, Plugin] = {
    name: found() for name in REGISTRY for module in _MODULES if (found := vars(module).get(name)) is not None
}
