"""Plugins of other packages are found by their entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from kschedui.scenarios import outside_plugins as plugins


class Picky:
    """A plugin that filters and sorts the queue."""

    name = "Picky"

    def filter(self):
        """Not called here."""

    def key(self):
        """Not called here."""


@pytest.fixture
def offer(monkeypatch):
    """Pretend that installed packages offer these entry points."""

    def offer(*entries):
        found = [EntryPoint(name, value, plugins.GROUP) for name, value in entries]
        monkeypatch.setattr(plugins, "entry_points", lambda group: found if group == plugins.GROUP else [])
        plugins.outside_plugins.cache_clear()

    yield offer
    plugins.outside_plugins.cache_clear()


def test_a_plugin_is_found_under_its_entry_point_s_name(offer):
    offer(("Picky", f"{__name__}:Picky"))
    assert dict(plugins.outside_plugins()) == {"Picky": Picky}


def test_a_plugin_that_cannot_be_loaded_is_left_out_and_logged(offer, caplog):
    offer(("Broken", "no.such.module:Plugin"), ("Picky", f"{__name__}:Picky"))
    assert list(plugins.outside_plugins()) == ["Picky"]
    assert "Broken" in caplog.text


def test_the_extension_points_of_a_plugin_are_those_whose_methods_it_has():
    assert plugins.known_plugins({"Picky": Picky}) == {"Picky": ("filter", "queue_sort")}
