"""Completions for an editor: kinds, fields and fixed values, from the tables that the parser uses."""

from __future__ import annotations

from typing import Any

from scheduler_core.releases import DEFAULT_RELEASE, RELEASES, Release, names_in_policies
from scheduler_core.scenario.fields.autoscaling_fields import CLUSTER_AUTOSCALER, DESCHEDULER, NODE_GROUP
from scheduler_core.scenario.fields.challenge_fields import CHALLENGE
from scheduler_core.scenario.fields.config_fields import CONFIGURATION as CONFIGURATION_FIELDS
from scheduler_core.scenario.fields.config_fields import PLUGIN_ARGS, POLICY
from scheduler_core.scenario.fields.karpenter_fields import KARPENTER
from scheduler_core.scenario.fields.scenario_fields import (
    EXPECTED_POD,
    SCENARIO,
    SCHEDULER_PLUGIN,
    SELECTION,
)
from scheduler_core.scenario.fields.schema import Enum, Fields, ListOf, Localized, MapOf, Shorthand, Type
from scheduler_core.scenario.objects.availability import fields_without
from scheduler_core.scenario.objects.kinds import CHALLENGE as CHALLENGE_KIND
from scheduler_core.scenario.objects.kinds import CLUSTER_AUTOSCALER as CLUSTER_AUTOSCALER_KIND
from scheduler_core.scenario.objects.kinds import CONFIGURATION, LOAD_ORDER, POLICIES
from scheduler_core.scenario.objects.kinds import DESCHEDULER as DESCHEDULER_KIND
from scheduler_core.scenario.objects.kinds import KARPENTER as KARPENTER_KIND
from scheduler_core.scenario.objects.kinds import NODE_GROUP as NODE_GROUP_KIND
from scheduler_core.scenario.objects.kinds import SCENARIO as SCENARIO_KIND
from scheduler_core.scenario.objects.kinds import SCHEDULER_PLUGIN as SCHEDULER_PLUGIN_KIND
from scheduler_core.scenario.settings.controllers import ALL, CONTROLLERS, SUFFIX


def field_catalogue() -> dict[str, Any]:
    """Return the catalogue as plain data for JSON:

    kinds    [{"apiVersion", "kind", "type"}], in load order, then the documents that are not objects
    types    {type name: {field: description}}; a description has "type" (a name in `types`, or string, integer,
             integer or percentage, number, boolean, quantity, time, duration, enum, any), "list": True for a list and
             "map": True for a mapping of that type, "keys" of a mapping to suggest, "values" of an enum or to suggest,
             and "hint"
    plugins  {plugin name: [extension points]}, those of the default release
    releases [{"version", "default", "fields", "plugins", "gates"}], newest first: the fields that the release does not
             have or turns off by a feature gate, and the default plugins and settable gates of the default release
             that it does not have
    """
    types: dict[str, dict[str, Any]] = {}
    kinds = [{"apiVersion": kind.api_version, "kind": kind.name, "type": kind.fields.name} for kind in LOAD_ORDER]
    documents = (
        CONFIGURATION,
        POLICIES[0],
        SCENARIO_KIND,
        NODE_GROUP_KIND,
        CLUSTER_AUTOSCALER_KIND,
        KARPENTER_KIND,
        DESCHEDULER_KIND,
        SCHEDULER_PLUGIN_KIND,
        CHALLENGE_KIND,
    )
    kinds += [{"apiVersion": version, "kind": name, "type": name} for version, name in documents]
    tables = [kind.fields for kind in LOAD_ORDER]
    own = (
        *(SCENARIO, NODE_GROUP, CLUSTER_AUTOSCALER, KARPENTER, DESCHEDULER, SCHEDULER_PLUGIN, CHALLENGE),
        *(SELECTION, EXPECTED_POD),
    )
    for fields in (*tables, CONFIGURATION_FIELDS, POLICY, *own, *PLUGIN_ARGS.values()):
        _describe(fields, types)
    for entry, names in zip(("PredicatePolicy", "PriorityPolicy"), names_in_policies(), strict=True):
        types[entry]["name"]["values"] = names
    types["ScenarioSpec"]["controllers"]["values"] = [ALL, *(name.removesuffix(SUFFIX) for name in CONTROLLERS)]
    return {
        "kinds": kinds,
        "types": types,
        "plugins": {name: list(points) for name, points in DEFAULT_RELEASE.plugin_points.items()},
        "releases": [_entry_of(release) for release in reversed(RELEASES.values())],
    }


def _entry_of(release: Release) -> dict[str, Any]:
    """Return the entry of a release in the catalogue's `releases`."""
    default = DEFAULT_RELEASE
    names = {plugin.name for plugin in release.default_plugins}
    return {
        "version": release.version,
        "default": release is default,
        "fields": [*fields_without(release), *release.profiles_lack, *release.configurations_lack],
        "plugins": [plugin.name for plugin in default.default_plugins if plugin.name not in names],
        "gates": [name for name in default.default_gates() if name not in release.gates],
    }


def _describe(fields: Fields, types: dict[str, dict[str, Any]]) -> None:
    if fields.name in types:
        return
    described: dict[str, Any] = {}
    types[fields.name] = described
    for name, kind in fields.fields.items():
        described[name] = _type(kind, types)
        if hint := fields.hints.get(name):
            described[name]["hint"] = hint


def _type(kind: Type, types: dict[str, dict[str, Any]]) -> dict[str, Any]:
    match kind:
        case Fields():
            _describe(kind, types)
            return {"type": kind.name}
        case Shorthand():
            return _type(kind.fields, types)
        case Localized():
            _describe(kind.languages, types)
            return {"type": kind.languages.name}
        case ListOf():
            return {**_type(kind.item, types), "list": True}
        case MapOf():
            return {**_type(kind.item, types), "map": True, **({"keys": dict(kind.keys)} if kind.keys else {})}
        case Enum():
            return {"type": "enum", "values": list(kind.values)}
        case _:
            return {"type": kind.name}
