"""What a Kubernetes minor's kube-scheduler is: its default plugins, its feature gates, and what else differs.

A rule that differs between releases asks its release by name (`handle.release`), never by number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scheduler_core.apis.config import PluginRef


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate: its default, and whether a scenario may set the other value here."""

    default: bool
    settable: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """`version` "1.34"; `patch` "1.34.1" is the one whose recorded runs the simulation equals.

    `default_plugins` are what multiPoint enables, in order, with score weights (`getDefaultPlugins`). `gates` are those
    that matter here (kube_features.go).
    """

    version: str
    patch: str
    default_plugins: tuple[PluginRef, ...]
    gates: Mapping[str, Gate]

    def default_gates(self) -> dict[str, bool]:
        """The values of the gates that a scenario may set, as they are without it."""
        return {name: gate.default for name, gate in self.gates.items() if gate.settable}
