"""The differences between two releases, computed from their definitions."""

from __future__ import annotations

from dataclasses import fields

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.releases.release import Gate, Release
from scheduler_core.releases.rules import Rules
from scheduler_core.releases.rules.rule import DESCRIPTIONS, PLUGIN, SOURCE


class ReleaseDifference(msgspec.Struct, frozen=True):
    """A difference between two releases.

    `where`: the plugin or the feature gate, "" if it is neither. For a rule: its `name`, and its file and function
    (`source`).
    """

    where: str
    before: Message
    after: Message
    name: str = ""
    source: str = ""


def differences(before: Release, after: Release) -> list[ReleaseDifference]:
    """Return the differences: rules in their order, then plugins, then feature gates by name."""
    return [*_rules(before, after), *_plugins(before, after), *_gates(before, after)]


def _rules(before: Release, after: Release) -> list[ReleaseDifference]:
    rules = []
    for rule in fields(Rules):
        old, new = getattr(before.rules, rule.name), getattr(after.rules, rule.name)
        if old != new:
            descriptions = rule.metadata[DESCRIPTIONS]
            rules.append(
                ReleaseDifference(
                    rule.metadata[PLUGIN],
                    descriptions[old].message(),
                    descriptions[new].message(),
                    rule.name,
                    rule.metadata[SOURCE],
                )
            )
    return rules


def _plugins(before: Release, after: Release) -> list[ReleaseDifference]:
    names = dict.fromkeys([*before.plugin_points, *after.plugin_points])
    differences = [ReleaseDifference(name, _plugin(before, name), _plugin(after, name)) for name in names]
    return [difference for difference in differences if difference.before != difference.after]


def _plugin(release: Release, name: str) -> Message:
    if name not in release.plugin_points:
        return Message("there is no such plugin")
    default = next((plugin for plugin in release.default_plugins if plugin.name == name), None)
    if default is None:
        return Message("off by default")
    if "score" in release.plugin_points[name]:
        return Message("on by default, its scores count {weight} times", weight=default.weight or 1)
    return Message("on by default, without scores")


def _gates(before: Release, after: Release) -> list[ReleaseDifference]:
    names = sorted({*before.gates, *after.gates})
    differences = [
        ReleaseDifference(name, _gate(before.gates.get(name)), _gate(after.gates.get(name))) for name in names
    ]
    return [difference for difference in differences if difference.before != difference.after]


def _gate(gate: Gate | None) -> Message:
    if gate is None:
        return Message("there is no such feature gate")
    if gate.default:
        return Message("the feature gate is on by default")
    return Message("the feature gate is off by default")
