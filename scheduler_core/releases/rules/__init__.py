"""Differences between releases that are neither default plugins nor feature gates, by name.

To add one: add a field whose first value is the behaviour of 1.36, and set the other value in the file of the release
that has it. The code that follows the rule reads it once, in its constructor (`handle.release.rules`).
"""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.releases.rules.before_1_19 import RulesBefore119
from scheduler_core.releases.rules.controllers import ControllerRules
from scheduler_core.releases.rules.cycle import CycleRules
from scheduler_core.releases.rules.devices import DeviceRules
from scheduler_core.releases.rules.plugins import PluginRules
from scheduler_core.releases.rules.pods import PodRules
from scheduler_core.releases.rules.queue import QueueRules


@dataclass(frozen=True, kw_only=True)
class Rules(PluginRules, DeviceRules, PodRules, CycleRules, QueueRules, ControllerRules, RulesBefore119):
    """The rules of a release. The defaults are those of the complete release; see `rule`."""
