"""The plugins, in plain code: each file has the name of its counterpart in `scheduler_core/plugins`.

A file has the PreFilter, Filter, Score and queueing hints of one plugin or a few related ones, for one node and one
event at a time. A class with the name of one of the engine's plugins is the reference for that plugin.
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
