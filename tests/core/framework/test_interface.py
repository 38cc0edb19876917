"""The plugin contract: the extension points of each plugin are declared, so that mypy checks them."""

from __future__ import annotations

import pytest

from scheduler_core import simulate
from scheduler_core.apis.config import EXTENSION_POINTS
from scheduler_core.framework import interface
from scheduler_core.plugins import REGISTRY
from tests.builders import node, parse, pod

PROTOCOLS = [one for one in vars(interface).values() if isinstance(one, type) and interface.Plugin in one.__mro__[1:]]


def methods(protocol):
    return [name for name, value in vars(protocol).items() if callable(value) and not name.startswith("_")]


@pytest.mark.parametrize("plugin", REGISTRY.values(), ids=REGISTRY)
def test_a_plugin_names_the_protocol_of_each_of_its_methods(plugin):
    written = {name for one in plugin.__mro__ if not getattr(one, "_is_protocol", False) for name in vars(one)}
    offered = {protocol for protocol in PROTOCOLS if methods(protocol) and methods(protocol)[0] in written}
    assert offered
    assert offered - {interface.NeedsReserve} <= set(plugin.__mro__)


def test_every_extension_point_has_a_protocol():
    assert tuple(interface.POINTS) == EXTENSION_POINTS


def test_a_plugin_without_a_name_is_refused_before_the_run():
    class Nameless:
        def __init__(self, args, handle):
            pass

    with pytest.raises(TypeError, match='plugin "NodeName" has no `name`'):
        next(simulate(parse(node("n"), pod("p")), {**REGISTRY, "NodeName": Nameless}))
