"""A release is its neighbour with differences; every difference has a name and a description of either side."""

from __future__ import annotations

from dataclasses import fields

import pytest

from scheduler_core.releases import RELEASES, Rules
from scheduler_core.releases.release import Release
from scheduler_core.releases.rules.rule import DESCRIPTIONS, PLUGIN, SOURCE
from scheduler_core.releases.v1_36 import V1_36

CHAIN = tuple(RELEASES.values())  # oldest first


def test_the_release_that_is_written_out_in_full_has_the_defaults_of_all_rules() -> None:
    assert V1_36.rules == Rules()


@pytest.mark.parametrize("release", CHAIN, ids=lambda release: release.version)
def test_each_rule_has_words_for_what_a_release_does(release: Release) -> None:
    for rule in fields(Rules):
        assert getattr(release.rules, rule.name) in rule.metadata[DESCRIPTIONS], rule.name


def test_each_rule_names_its_source_and_a_plugin_that_exists() -> None:
    for rule in fields(Rules):
        assert ".go: " in rule.metadata[SOURCE]
        assert rule.metadata[PLUGIN] in {"", *(name for release in CHAIN for name in release.plugin_points)}


def test_what_an_older_release_does_not_have_is_nowhere_in_it() -> None:
    older = V1_36.derive(
        "1.0.0", recorded={}, rules=V1_36.rules, gates={"PodLevelResources": None}, plugin_points={"NodeName": None}
    )
    assert older.version == "1.0"
    assert "PodLevelResources" not in older.gates
    assert "NodeName" not in older.plugin_points
    assert "NodeName" not in {plugin.name for plugin in older.default_plugins}
