"""Plugins of other packages are found by their entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from kschedui.scenarios import outside_plugins as plugins
from kschedui.waiting import analysis, plugin_texts, reasons, words
from kschedui.waiting.message import decode
from kschedui.waiting.starter import starter
from scheduler_core.framework.about import About, Reason, Text


class Picky:
    """A plugin that filters and sorts the queue."""

    name = "Picky"

    def filter(self):
        """Do nothing; the tests do not call it."""

    def key(self):
        """Do nothing; the tests do not call it."""


@pytest.fixture
def offer(monkeypatch):
    """Yield a function that pretends that installed packages have these entry points."""

    def offer(*entries):
        found = [EntryPoint(name, value, plugins.GROUP) for name, value in entries]
        monkeypatch.setattr(plugins, "entry_points", lambda group: found if group == plugins.GROUP else [])
        plugins.outside_plugins.cache_clear()

    caches = (plugins.outside_plugins, reasons.declarations, reasons.known_reasons)
    for cached in caches:
        cached.cache_clear()
    yield offer
    for cached in caches:
        cached.cache_clear()


def test_a_plugin_is_found_under_its_entry_point_s_name(offer):
    offer(("Picky", f"{__name__}:Picky"))
    assert dict(plugins.outside_plugins()) == {"Picky": Picky}


def test_a_plugin_that_cannot_be_loaded_is_left_out_and_logged(offer, caplog):
    offer(("Broken", "no.such.module:Plugin"), ("Picky", f"{__name__}:Picky"))
    assert list(plugins.outside_plugins()) == ["Picky"]
    assert "Broken" in caplog.text


def test_the_extension_points_of_a_plugin_are_those_whose_methods_it_has():
    assert plugins.known_plugins({"Picky": Picky}) == {"Picky": ("filter", "queue_sort")}


class Warm(Picky):
    """A plugin with its own texts."""

    name = "Warm"
    about = About(
        question=Text("Cool?", "够凉？"),
        blocker=Text("Its rack is too warm", "机架太热"),
        colour=2,
        reasons=(
            Reason(
                r"rack (?P<rack>\S+) is too warm",
                Text("The rack has no air left.", "机架没有冷风了。"),
                Text("How warm it is.", "有多热。"),
                kind="warm",
                short=Text("{rack} too warm", "{rack} 太热"),
                starter=lambda cluster, nodes, reason: cluster.request("example.com/air", "1"),
            ),
        ),
        captions={"filter.*.many": Text("{n} racks are too warm.", "{n} 个机架太热。")},
    )


class Wordy(Picky):
    """A plugin with an invalid declaration."""

    about = "Cool?"


def test_the_words_of_a_plugin_reach_the_player(offer):
    assert plugin_texts.of_other_plugins("en") == {}
    offer(("Warm", f"{__name__}:Warm"))
    assert plugin_texts.of_other_plugins("zh-hans") == {
        "texts": {
            "question.Warm": "够凉？",
            "reason.Warm.warm": "{rack} 太热",
            "filter.Warm.many": "{n} 个机架太热。",
        },
        "plugins": {"Warm": {"colour": 2, "reasons": [(r"rack (?<rack>\S+) is too warm", "warm")]}},
    }


def test_a_message_with_its_reason_is_decoded(offer):
    offer(("Warm", f"{__name__}:Warm"))
    known = reasons.reason_of("rack r1 is too warm")
    assert known.plugin == "Warm"
    assert known.reason.meaning.en == "The rack has no air left."
    made = starter(decode("0/2 nodes are available: 2 rack r1 is too warm."))
    assert made.stand_ins == ["rack r1 is too warm"]  # its starter gets another message, so an extender gives this one


def test_a_pod_that_waits_because_of_it_stands_under_its_heading(offer):
    offer(("Warm", f"{__name__}:Warm"))
    causes = [analysis.Cause("Warm", ["rack r1 is too warm"], 2)]
    waiting = analysis.PendingPod(pod="default/a", owner="", requests={}, priority=0, causes=causes)
    assert words.blocker_words(waiting) == "Its rack is too warm"
    waiting.causes[0] = analysis.Cause("Unknown", ["no reason that anybody declares"], 2)
    assert words.blocker_words(waiting) == "Rejected by Unknown"


def test_a_plugin_whose_declaration_is_none_is_left_out_and_logged(offer, caplog):
    offer(("Wordy", f"{__name__}:Wordy"))
    assert not plugins.outside_plugins()
    assert "`about` has to be an About" in caplog.text
