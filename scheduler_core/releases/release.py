"""A Kubernetes minor release of kube-scheduler: default plugins, feature gates and other rules.

Code reads a rule by name (`handle.release.rules`); nothing compares version numbers. One release is complete; each
other release lists its differences from its neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec

from scheduler_core.apis.config import PluginRef
from scheduler_core.releases.rules import Rules

Points = tuple[str, ...]
Value = TypeVar("Value")


class Gate(msgspec.Struct, frozen=True):
    """A feature gate: its default, whether scenarios may set it, and the gates that it requires."""

    default: bool
    settable: bool = False
    needs: tuple[str, ...] = ()


class GatedPlugins(msgspec.Struct, frozen=True):
    """The default plugins and extension points that a feature gate adds."""

    plugins: tuple[PluginRef, ...]
    points: Mapping[str, Points]


class PolicyNames(msgspec.Struct, frozen=True):
    """The plugins for the names in a Policy (`--policy-config-file`, `--policy-configmap`).

    `predicates` are in the order in which they run, each with its plugins; a predicate without plugins is valid but is
    not checked. `default_predicates` run if the Policy names none. A priority without a plugin ("") does nothing.
    `arguments`: the plugin of each argument. `merges_arguments`: all entries with an argument of the same plugin become
    one plugin; otherwise each becomes a plugin, for a priority under the name in the Policy, and for a predicate under
    the name of the plugin. `decodes_strictly`: an unknown field is an error.
    """

    predicates: Mapping[str, tuple[str, ...]]
    default_predicates: tuple[str, ...]
    priorities: Mapping[str, str]
    arguments: Mapping[str, str]
    merges_arguments: bool
    decodes_strictly: bool


class Release(msgspec.Struct, frozen=True):
    """A release.

    `patch` ("1.34.1") is the version whose recorded runs the simulation reproduces, and `recorded` is the number of
    these runs by kind.

    `default_plugins` are enabled by multiPoint, in order, with score weights (`getDefaultPlugins`). `plugin_points` are
    the existing plugins with the extension points that each implements. `gates` are the relevant feature gates
    (kube_features.go); `gated_plugins` are the plugins that multiPoint also enables with one of them on
    (applyFeatureGates), and the extension points that other plugins have only then. `rules`: all other differences.
    `registered_events`: for releases without queueing hints, the events that each plugin registered (EventsToRegister),
    as "Node Add|UpdateNodeLabel". `profiles_lack`: fields of KubeSchedulerProfile, and of its plugins' arguments, that
    do not exist yet; `configurations_lack`: those of KubeSchedulerConfiguration. `refused_plugins`: plugins that its
    validation rejects by name (`invalidPluginsByVersion`). `policy`: the plugins for the names in a Policy, for
    releases that accept one.
    """

    patch: str
    default_plugins: tuple[PluginRef, ...]
    plugin_points: Mapping[str, Points]
    gates: Mapping[str, Gate]
    recorded: Mapping[str, int]
    rules: Rules = msgspec.field(default_factory=Rules)
    registered_events: Mapping[str, tuple[str, ...]] = {}
    profiles_lack: tuple[str, ...] = ()
    configurations_lack: tuple[str, ...] = ()
    refused_plugins: tuple[str, ...] = ()
    gated_plugins: Mapping[str, GatedPlugins] = {}
    policy: PolicyNames | None = None

    @property
    def version(self) -> str:
        """Return the minor version: "1.34"."""
        return self.patch.rpartition(".")[0]

    def has_on(self, gate: str) -> bool:
        """Return whether the feature gate exists in the release and is on by default."""
        return gate in self.gates and self.gates[gate].default

    def gate_is_off(self, gate: str) -> bool:
        """Return whether the feature gate exists in the release and is off by default."""
        return gate in self.gates and not self.gates[gate].default

    @property
    def recorded_runs(self) -> int:
        """Return the number of recorded runs."""
        return sum(self.recorded.values())

    def default_gates(self) -> dict[str, bool]:
        """Return the default values of the gates that a scenario may set."""
        return {name: gate.default for name, gate in self.gates.items() if gate.settable}

    def plugins_with(self, gates: Mapping[str, bool]) -> tuple[PluginRef, ...]:
        """Return the default plugins with these values of the settable gates."""
        plugins = list(self.default_plugins)
        for name, gated in self.gated_plugins.items():
            if gates.get(name):
                plugins += gated.plugins
        return tuple(plugins)

    def points_with(self, gates: Mapping[str, bool]) -> Mapping[str, Points]:
        """Return the extension points of all plugins with these values of the settable gates."""
        points = dict(self.plugin_points)
        for gate, gated in self.gated_plugins.items():
            if gates.get(gate):
                for name, added in gated.points.items():
                    points[name] = (*points.get(name, ()), *added)
        return points

    def derive(
        self,
        patch: str,
        *,
        recorded: Mapping[str, int] | None = None,
        rules: Rules | None = None,
        gates: Mapping[str, Gate | None] | None = None,
        plugin_points: Mapping[str, Points | None] | None = None,
        default_plugins: Sequence[PluginRef] | None = None,
        registered_events: Mapping[str, tuple[str, ...]] | None = None,
        profiles_lack: tuple[str, ...] = (),
        configurations_lack: tuple[str, ...] = (),
        refused_plugins: tuple[str, ...] | None = None,
        gated_plugins: Mapping[str, GatedPlugins | None] | None = None,
        policy: PolicyNames | None = None,
    ) -> Release:
        """Return the next older or newer release from its differences. None: the gate or plugin does not exist there.

        A plugin that does not exist is not a default plugin either; `default_plugins` is for other changes. `recorded`
        and `policy` are not inherited, and the two arguments `..._lack` add to those of this release.
        """
        points = _with_changes(self.plugin_points, plugin_points or {})
        defaults = self.default_plugins if default_plugins is None else default_plugins
        return Release(
            patch,
            tuple(default for default in defaults if default.name in points),
            points,
            _with_changes(self.gates, gates or {}),
            MappingProxyType(dict(recorded or {})),
            self.rules if rules is None else rules,
            _with_changes(self.registered_events, registered_events or {}),
            (*self.profiles_lack, *profiles_lack),
            (*self.configurations_lack, *configurations_lack),
            self.refused_plugins if refused_plugins is None else refused_plugins,
            _with_changes(self.gated_plugins, gated_plugins or {}),
            policy,
        )


def _with_changes(base: Mapping[str, Value], changes: Mapping[str, Value | None]) -> Mapping[str, Value]:
    """Return the mapping with the changes, without the entries that are changed to None."""
    merged = {**base, **changes}
    return MappingProxyType({name: value for name, value in merged.items() if value is not None})
