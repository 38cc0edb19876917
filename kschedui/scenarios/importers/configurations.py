"""The scheduler's configuration in the formats of older clusters: in a ConfigMap, as v1beta1 to v1beta3, or as `kind:
Policy`.

The replacement of each removed plugin follows kube-scheduler's `apis/config/v1beta2`, `v1beta3` and `v1`
(default_plugins.go, conversion.go) and, for Policy, `legacy_registry.go` of 1.20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers import scheduler_policy
from kschedui.scenarios.importers.cleaning import mappings_in, part
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import Manifest, prune
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.config_fields import CONFIGURATION, POINT_FIELDS
from scheduler_core.scenario.parse import Limits, ScenarioErrors
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.autoscaling import PRIORITIES, STATUS

KIND, API_VERSION = "KubeSchedulerConfiguration", "kubescheduler.config.k8s.io/v1"
POINTS = ("multiPoint", *POINT_FIELDS.values())
REMOVED = {
    **dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits"), "NodeVolumeLimits"),
    "SelectorSpread": "PodTopologySpread",
    "NodePreferAvoidPods": "TaintToleration",
    "NodeLabel": "NodeAffinity",
    "ServiceAffinity": "InterPodAffinity",
    "NodeResourcesLeastAllocated": "NodeResourcesFit",
    "NodeResourcesMostAllocated": "NodeResourcesFit",
    "RequestedToCapacityRatio": "NodeResourcesFit",
}
STRATEGIES = {
    "NodeResourcesLeastAllocated": "LeastAllocated",
    "NodeResourcesMostAllocated": "MostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
}
# The default weights of Score plugins in each version (default_plugins.go), for the plugins that v1 has.
_EQUAL = dict.fromkeys(("NodeResourcesBalancedAllocation", "ImageLocality", "NodeResourcesFit"), 1)
_FIRST = {**_EQUAL, "InterPodAffinity": 1, "NodeAffinity": 1, "TaintToleration": 1, "PodTopologySpread": 2}
_LATER = {**_EQUAL, "InterPodAffinity": 2, "NodeAffinity": 2, "TaintToleration": 3, "PodTopologySpread": 2}
WEIGHTS = {"v1beta1": _FIRST, "v1beta2": _FIRST, "v1beta3": _LATER, "v1": _LATER}


def read(objects: list[Manifest], limits: Limits, *, has_policy: bool = False) -> tuple[list[Manifest], list[Message]]:
    """Return the objects with at most one configuration, in v1, and notes about changes.

    `has_policy`: the simulated release supports a Policy, which is returned unchanged.
    """
    configurations: list[tuple[Manifest, str]] = []
    others = []
    skipped = 0  # ConfigMaps without a configuration
    notes: list[Message] = []
    for manifest in objects:
        if manifest.get("kind") in (KIND, "Policy"):
            configurations.append((manifest, ""))
        elif manifest.get("kind") == "ConfigMap" and part(manifest, "metadata").get("name") not in (PRIORITIES, STATUS):
            held = list(configurations_in(manifest, limits))
            configurations += held
            skipped += not held
        else:
            others.append(manifest)
    if skipped:
        kinds = f"{skipped:,} ConfigMap"
        notes.append(Message("Skipped, because the scheduler does not read it: {kinds}.", kinds=kinds))
    for index, (_, where) in enumerate(configurations):
        if index:
            place = where or "-"
            notes.append(Message("A scheduler has only one configuration. Skipped the one from {place}.", place=place))
    if not configurations:
        return others, notes
    configuration, where = configurations[0]
    if where:
        notes.append(Message("Read the scheduler's configuration from ConfigMap {name}.", name=where))
    if configuration.get("kind") == "Policy":
        if has_policy:
            return [configuration, *others], notes
        configuration, policy_notes = scheduler_policy.convert_policy(configuration)
        notes += policy_notes
    return [in_v1(configuration, notes), *others], notes


def configurations_in(config_map: Manifest, limits: Limits) -> Iterator[tuple[Manifest, str]]:
    """Yield the configurations that are text in a ConfigMap, each with the ConfigMap's namespace/name."""
    metadata = part(config_map, "metadata")
    where = f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"
    for text in part(config_map, "data").values():
        problems = Problems()
        try:
            documents = read_documents(str(text), limits, problems)
        except ScenarioErrors:
            continue
        for document in documents:
            if document.data.get("kind") in (KIND, "Policy") and (configuration := prune(document.data, LeftOut())):
                yield configuration, where


def in_v1(configuration: Manifest, notes: list[Message]) -> Manifest:
    """Return the configuration converted to v1. Add notes about the conversion."""
    version = str(configuration.get("apiVersion", "")).rpartition("/")[2]
    if version.startswith(("v1beta", "v1alpha")):
        notes.append(Message("Converted KubeSchedulerConfiguration {version} to v1.", version=version))
        configuration = _without_old_fields({**configuration, "apiVersion": API_VERSION}, notes)
        configuration = _with_weights_of(version, configuration, notes)
    profiles = configuration.get("profiles")
    if isinstance(profiles, list):
        configuration = {
            **configuration,
            "profiles": [
                _convert_profile(profile, notes) if isinstance(profile, dict) else profile for profile in profiles
            ],
        }
    return {name: value for name, value in configuration.items() if value is not None}


def _with_weights_of(version: str, configuration: Manifest, notes: list[Message]) -> Manifest:
    """Return the configuration with the default weights of its version written out, where v1 differs; add a note."""
    weights = {name: own for name, own in WEIGHTS.get(version, {}).items() if own != WEIGHTS["v1"][name]}
    profiles = configuration.get("profiles") or [{}]
    if not weights or not isinstance(profiles, list):
        return configuration
    notes.append(
        Message(
            "Plugins without a weight keep the default weights of {version}: {weights}.",
            version=version,
            weights=", ".join(f"{name} {own} (v1: {WEIGHTS['v1'][name]})" for name, own in weights.items()),
        )
    )
    enabled = [{"name": name, "weight": own} for name, own in weights.items()]
    return {**configuration, "profiles": [_with_weights(profile, enabled) for profile in profiles]}


def _with_weights(profile: Any, enabled: list[Manifest]) -> Any:
    """Return the profile with these weights for all plugins that its own multiPoint does not mention."""
    if not isinstance(profile, dict):
        return profile
    plugins = part(profile, "plugins")
    multi_point = part(plugins, "multiPoint")
    named = {entry.get("name") for name in ("enabled", "disabled") for entry in mappings_in(multi_point, name)}
    more = [] if "*" in named else [entry for entry in enabled if entry["name"] not in named]
    own = multi_point.get("enabled") or []
    if not more or not isinstance(own, list):
        return profile
    multi_point = {**multi_point, "enabled": [*own, *more]}
    return {**profile, "plugins": {**plugins, "multiPoint": multi_point}}


def _without_old_fields(configuration: Manifest, notes: list[Message]) -> Manifest:
    old = sorted(name for name in configuration if name not in CONFIGURATION.fields)
    if old:
        notes.append(Message("Skipped {fields}, which v1 does not have.", fields=", ".join(old)))
    return {name: value for name, value in configuration.items() if name not in old}


def _convert_profile(profile: Manifest, notes: list[Message]) -> Manifest:
    plugins = dict(part(profile, "plugins"))
    removed: set[str] = set()
    for point in POINTS:
        chosen = plugins.get(point)
        if isinstance(chosen, dict):
            plugins[point] = {name: _without_removed(entries, removed) for name, entries in chosen.items()}
    args = [entry for entry in profile.get("pluginConfig") or () if isinstance(entry, dict)]
    removed |= {str(entry["name"]) for entry in args if entry.get("name") in REMOVED}
    strategies = [(STRATEGIES[entry["name"]], part(entry, "args")) for entry in args if entry.get("name") in STRATEGIES]
    plugin_config = [_convert_args(entry) for entry in args if entry.get("name") not in REMOVED]
    plugin_config = _with_strategy(plugin_config, strategies, sorted(removed & STRATEGIES.keys()))
    notes += [
        Message("Plugin {name} no longer exists. {instead} replaces it.", name=name, instead=REMOVED[name])
        for name in sorted(removed)
    ]
    changed = {**profile, "plugins": plugins} if plugins else profile
    return {**changed, "pluginConfig": plugin_config} if plugin_config or args else changed


def _without_removed(entries: Any, removed: set[str]) -> Any:
    """Return a list of plugins without the removed ones, whose names are added to `removed`."""
    if not isinstance(entries, list):
        return entries
    gone = [plugin for plugin in entries if isinstance(plugin, dict) and plugin.get("name") in REMOVED]
    removed.update(plugin["name"] for plugin in gone)
    return [plugin for plugin in entries if plugin not in gone]


def _convert_args(entry: Manifest) -> Manifest:
    """Return an entry of pluginConfig with its arguments in v1; null ones, which have no effect, are left out."""
    args = entry.get("args")
    if not isinstance(args, dict):
        return entry
    cleaned = {name: value for name, value in args.items() if value is not None}
    if str(cleaned.get("apiVersion", "")).startswith("kubescheduler.config.k8s.io/"):
        cleaned["apiVersion"] = API_VERSION
    return {**entry, "args": cleaned}


def _with_strategy(args: list[Manifest], strategies: list[tuple[str, Manifest]], names: list[str]) -> list[Manifest]:
    """Return the arguments with v1beta1's scoring plugins as a strategy of NodeResourcesFit, unless it has one."""
    if not names or any(
        entry.get("name") == "NodeResourcesFit" and part(entry, "args").get("scoringStrategy") for entry in args
    ):
        return args
    kind, arguments = strategies[0] if strategies else (STRATEGIES[names[0]], {})
    strategy: Manifest = {"type": kind}
    if isinstance(arguments.get("resources"), list):
        strategy["resources"] = arguments["resources"]
    if kind == "RequestedToCapacityRatio":
        strategy["requestedToCapacityRatio"] = {"shape": arguments.get("shape") or []}
    own = next((part(entry, "args") for entry in args if entry.get("name") == "NodeResourcesFit"), {})
    others = [entry for entry in args if entry.get("name") != "NodeResourcesFit"]
    return [*others, {"name": "NodeResourcesFit", "args": {**own, "scoringStrategy": strategy}}]
