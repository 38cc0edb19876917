"""What a Kubernetes minor's kube-scheduler is: its default plugins, its feature gates, and what else differs.

A rule that differs between releases asks its release by name (`handle.release.rules`), never by number. The newest
release is written out; each older one says what differs from its newer neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from scheduler_core.apis.config import PluginRef
from scheduler_core.releases.rules import Rules

Points = tuple[str, ...]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate: its default, whether a scenario may set the other value here, and the gates that it needs."""

    default: bool
    settable: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GatedPlugins:
    """What a feature gate adds: default plugins, and extension points of plugins."""

    plugins: tuple[PluginRef, ...]
    points: Mapping[str, Points]


@dataclass(frozen=True, slots=True)
class Release:
    """`patch` "1.34.1" is the one whose recorded runs the simulation equals, `recorded` how many there are of a kind.

    `default_plugins` are what multiPoint enables, in order, with score weights (`getDefaultPlugins`). `plugin_points`
    are the plugins that exist, each with the extension points that it implements. `gates` are those that matter here
    (kube_features.go), and `gated_plugins` what else multiPoint enables with one of them on (applyFeatureGates), with
    the extension points that other plugins have only then. `rules`: everything else that differs. `registered_events`:
    where plugins had no queueing hints, which events each registered (EventsToRegister), as "Node Add|UpdateNodeLabel".
    `profiles_lack`: fields of KubeSchedulerProfile, and of its plugins' arguments, that do not exist yet;
    `configurations_lack`: those of KubeSchedulerConfiguration. `refused_plugins`: what its validation refuses by name
    (`invalidPluginsByVersion`).
    """

    patch: str
    default_plugins: tuple[PluginRef, ...]
    plugin_points: Mapping[str, Points]
    gates: Mapping[str, Gate]
    recorded: Mapping[str, int]
    rules: Rules = field(default_factory=Rules)
    registered_events: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    profiles_lack: tuple[str, ...] = ()
    configurations_lack: tuple[str, ...] = ()
    refused_plugins: tuple[str, ...] = ()
    gated_plugins: Mapping[str, GatedPlugins] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """The minor: "1.34"."""
        return self.patch.rpartition(".")[0]

    def has_on(self, gate: str) -> bool:
        """Whether the feature gate exists and is on by default."""
        return gate in self.gates and self.gates[gate].default

    def gate_is_off(self, gate: str) -> bool:
        """Whether the feature gate exists and is off by default."""
        return gate in self.gates and not self.gates[gate].default

    @property
    def recorded_runs(self) -> int:
        """How many in all."""
        return sum(self.recorded.values())

    def default_gates(self) -> dict[str, bool]:
        """The values of the gates that a scenario may set, as they are without it."""
        return {name: gate.default for name, gate in self.gates.items() if gate.settable}

    def plugins_with(self, gates: Mapping[str, bool]) -> tuple[PluginRef, ...]:
        """What multiPoint enables with these values of the gates that may be set."""
        more = [gated.plugins for name, gated in self.gated_plugins.items() if gates.get(name)]
        return sum(more, self.default_plugins)

    def points_with(self, gates: Mapping[str, bool]) -> Mapping[str, Points]:
        """The plugins that exist, with the extension points that they implement with these values of the gates."""
        points = dict(self.plugin_points)
        for gated in (gated for name, gated in self.gated_plugins.items() if gates.get(name)):
            for name, more in gated.points.items():
                points[name] = (*points.get(name, ()), *more)
        return points

    def older(
        self,
        patch: str,
        *,
        recorded: Mapping[str, int] | None = None,
        rules: Rules,
        gates: Mapping[str, Gate | None] | None = None,
        plugin_points: Mapping[str, Points | None] | None = None,
        default_plugins: Sequence[PluginRef] | None = None,
        registered_events: Mapping[str, tuple[str, ...]] | None = None,
        profiles_lack: tuple[str, ...] = (),
        configurations_lack: tuple[str, ...] = (),
        refused_plugins: tuple[str, ...] | None = None,
        gated_plugins: Mapping[str, GatedPlugins | None] | None = None,
    ) -> Release:
        """The next older release: what differs from this one. None: it has no such gate or plugin.

        A plugin that does not exist there is no default plugin either; `default_plugins` is for other changes.
        """
        points = _changed(self.plugin_points, plugin_points or {})
        defaults = self.default_plugins if default_plugins is None else default_plugins
        return Release(
            patch,
            tuple(one for one in defaults if one.name in points),
            points,
            _changed(self.gates, gates or {}),
            MappingProxyType(dict(recorded or {})),
            rules,
            _changed(self.registered_events, registered_events or {}),
            (*self.profiles_lack, *profiles_lack),
            (*self.configurations_lack, *configurations_lack),
            self.refused_plugins if refused_plugins is None else refused_plugins,
            _changed(self.gated_plugins, gated_plugins or {}),
        )


def _changed(newer: Mapping[str, Value], changes: Mapping[str, Value | None]) -> Mapping[str, Value]:
    merged = {**newer, **changes}
    return MappingProxyType({name: value for name, value in merged.items() if value is not None})
