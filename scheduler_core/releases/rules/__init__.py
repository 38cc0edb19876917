"""Every difference between releases that is neither a default plugin nor a feature gate, by name.

To add one: a field with what the newest release does as its default, and the older release's value in its file. Who
follows the rule asks for it once, at construction (`handle.release.rules`).
"""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.releases.rules.cycle import CycleRules
from scheduler_core.releases.rules.plugins import PluginRules
from scheduler_core.releases.rules.pods import PodRules
from scheduler_core.releases.rules.queue import QueueRules


@dataclass(frozen=True, kw_only=True)
class Rules(PluginRules, PodRules, CycleRules, QueueRules):
    """The defaults are the newest release's; see `rule` for what a field tells."""
