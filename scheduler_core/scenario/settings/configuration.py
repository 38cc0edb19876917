"""Builds a `SchedulerConfiguration` from a KubeSchedulerConfiguration document.

It is decoded strictly, and gets the defaults and validation of kube-scheduler's v1 API: kube-scheduler/config/v1,
apis/config/v1/defaults.go, apis/config/validation/validation.go, and `buildExtenders` of scheduler.go. Fields and
plugins that the release does not have are errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.config import (
    Extender,
    ManagedResource,
    OutsidePluginArgs,
    PluginArgs,
    PluginRef,
    Profile,
    SchedulerConfiguration,
)
from scheduler_core.apis.messages import Message
from scheduler_core.apis.rules import Rule
from scheduler_core.releases import DEFAULT_RELEASE, Release
from scheduler_core.scenario.fields.config_fields import CONFIGURATION, PLUGIN_ARGS, POINT_FIELDS
from scheduler_core.scenario.fields.names import qualified_name
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.objects.resources import is_extended
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, invalid, name_of_type, required, show
from scheduler_core.scenario.reading.times import parse_duration
from scheduler_core.scenario.settings.plugin_args import BUILDERS, CAPACITY_SCORING, check_no_shape
from scheduler_core.scenario.settings.plugin_sets import KnownPlugins, PluginSet, resolve

Manifest = Mapping[str, Any]

DEFAULT_SCHEDULER = "default-scheduler"
_API_VERSION = "kubescheduler.config.k8s.io/v1"
_EXTENDER_TIMEOUT = 5.0  # seconds (DefaultExtenderTimeout)


def default_configuration(
    release: Release = DEFAULT_RELEASE,
    feature_gates: Mapping[str, bool] | None = None,
    rules: Sequence[Rule] = (),
) -> SchedulerConfiguration:
    """Return kube-scheduler's default configuration, with the plugins that the scenario defines (`rules`)."""
    return build_configuration({}, Problems(), {}, release, feature_gates, rules)


def build_configuration(
    data: Manifest,
    problems: Problems,
    outside_plugins: KnownPlugins,
    release: Release,
    feature_gates: Mapping[str, bool] | None = None,
    rules: Sequence[Rule] = (),
) -> SchedulerConfiguration:
    """Build the configuration and report its problems.

    If a field has an invalid type, the other checks are skipped, and the configuration has no profiles.
    `outside_plugins`: the extension points of plugins that a profile can enable, by name. `feature_gates` None: the
    release's defaults. `rules` are additional default plugins after those of the release.
    """
    if not check(CONFIGURATION, data, (), problems, strict=True):
        return SchedulerConfiguration(())
    gates = release.default_gates() if feature_gates is None else feature_gates
    own = {rule.name: rule.points for rule in rules}
    plugins: KnownPlugins = {**outside_plugins, **release.points_with(gates), **own}
    defaults = (*release.plugins_with(gates), *(PluginRef(rule.name, rule.weight) for rule in rules))
    profiles = _profiles(data.get("profiles") or [{}], plugins, release, defaults, problems)
    if not gates.get(CAPACITY_SCORING):
        check_no_shape(data.get("profiles") or (), problems)
    _check_fields(data, (), release.configurations_lack, release, problems)
    percentage = data.get("percentageOfNodesToScore")
    _check_percentage(percentage, ("percentageOfNodesToScore",), problems)
    initial, maximum = _backoff(data, problems)
    if (parallelism := data.get("parallelism")) is not None and parallelism <= 0:
        reason = Message("should be an integer value greater than zero")
        problems.error(("parallelism",), invalid(parallelism, reason))
    return SchedulerConfiguration(
        profiles=tuple(profiles),
        percentage_of_nodes_to_score=percentage or 0,
        pod_initial_backoff_seconds=float(initial),
        pod_max_backoff_seconds=float(maximum),
        extenders=_extenders(data.get("extenders") or (), problems),
    )


def _check_percentage(value: int | None, path: Path, problems: Problems) -> None:
    if value is not None and not 0 <= value <= 100:
        problems.error(path, invalid(value, Message("not in valid range [0-100]")))


def _backoff(data: Manifest, problems: Problems) -> tuple[int, int]:
    """Return (podInitialBackoffSeconds, podMaxBackoffSeconds), 1 and 10 by default; invalid ones are reported."""
    initial, maximum = data.get("podInitialBackoffSeconds"), data.get("podMaxBackoffSeconds")
    initial = 1 if initial is None else initial
    maximum = 10 if maximum is None else maximum
    if initial <= 0:
        problems.error(("podInitialBackoffSeconds",), invalid(initial, Message("must be greater than 0")))
    if maximum < initial:
        reason = Message("must be greater than or equal to PodInitialBackoffSeconds")
        problems.error(("podMaxBackoffSeconds",), invalid(maximum, reason))
    return initial, maximum


# --- profiles ---


def _profiles(
    data: list[Manifest],
    known_plugins: KnownPlugins,
    release: Release,
    defaults: Sequence[PluginRef],
    problems: Problems,
) -> list[Profile]:
    names: dict[str, int] = {}
    profiles = []
    for index, entry in enumerate(data):
        path: Path = ("profiles", index)
        name = entry.get("schedulerName")
        if name is None and len(data) == 1:
            name = DEFAULT_SCHEDULER  # only a single profile gets the default name
        if not name:
            problems.error((*path, "schedulerName"), required())
        elif name in names:
            problems.error((*path, "schedulerName"), duplicate(f"profiles[{names[name]}].schedulerName"))
        names[name or ""] = index
        percentage = entry.get("percentageOfNodesToScore")
        _check_percentage(percentage, (*path, "percentageOfNodesToScore"), problems)
        _check_lacking(entry, path, release, problems)
        _check_removed_plugins(entry.get("plugins") or {}, (*path, "plugins"), release, problems)
        plugins = resolve(entry.get("plugins") or {}, (*path, "plugins"), name or "", known_plugins, defaults, problems)
        args = _plugin_args(entry.get("pluginConfig") or (), (*path, "pluginConfig"), release, problems)
        profiles.append(Profile(name or "", plugins, args, percentage))
    _check_common_queue_sort(data, problems)
    return profiles


def _check_removed_plugins(plugins: Manifest, path: Path, release: Release, problems: Problems) -> None:
    """Report plugins that the release rejects (`validatePluginSetForInvalidPlugins`)."""
    for field in POINT_FIELDS.values():
        for index, plugin in enumerate((plugins.get(field) or {}).get("enabled") or ()):
            if plugin.get("name") in release.refused_plugins:
                problems.error((*path, field, "enabled", index), _removed(plugin["name"]))


def _removed(name: str) -> Message:
    version = show(_API_VERSION)
    return invalid(
        name,
        Message("was invalid in version {version} (KubeSchedulerConfiguration is version {version})", version=version),
    )


def _check_common_queue_sort(data: list[Manifest], problems: Problems) -> None:
    """Check that all profiles have the same queue sort plugin, and at most one (`validateCommonQueueSort`)."""
    sets = [PluginSet((entry.get("plugins") or {}).get("queueSort"), ()) for entry in data]
    if (count := len(sets[0].enabled)) > 1:
        reason = Message("only one queue sort plugin can be enabled")
        problems.error(("profiles", 0, "plugins", "queueSort", "enabled"), invalid(count, reason))
    for index, entry in enumerate(sets[1:], start=1):
        if (entry.enabled, entry.disabled) != (sets[0].enabled, sets[0].disabled):
            path = ("profiles", index, "plugins", "queueSort")
            names = [plugin.name for plugin in entry.enabled]
            problems.error(path, invalid(names, Message("must be the same for all profiles")))


def _plugin_args(data: Any, path: Path, release: Release, problems: Problems) -> dict[str, PluginArgs]:
    """Return arguments by plugin name; plugins in BUILDERS have defaults, others only the arguments that are given."""
    args: dict[str, PluginArgs] = {}
    for index, entry in enumerate(data):
        name, at = entry.get("name") or "", (*path, index)
        if name in args:
            problems.error(at, duplicate(name))
        if name in release.refused_plugins:
            problems.error(at, _removed(name))
        args[name] = _decode_args(name, entry.get("args") or {}, (*at, "args"), problems)
    for name, build in BUILDERS.items():
        if name not in args:
            args[name] = build({}, (), problems)
    return args


def _decode_args(name: str, data: Any, path: Path, problems: Problems) -> PluginArgs:
    """Build the arguments (`PluginConfig.decodeNestedObjects`); those of plugins without a table stay as written."""
    if not isinstance(data, dict):
        problems.error(
            path, Message("{value} is {type}; expected a mapping", value=show(data), type=name_of_type(data))
        )
        return OutsidePluginArgs()
    if name not in PLUGIN_ARGS:
        return OutsidePluginArgs(data)
    table = PLUGIN_ARGS[name]
    if not check(table, data, path, problems, strict=True):
        return OutsidePluginArgs(data)
    if (kind := data.get("kind") or table.name) != table.name:
        problems.error(
            (*path, "kind"),
            Message(
                "args for plugin {name} were not of type {type}, got {kind}", name=name, type=table.name, kind=kind
            ),
        )
    if (version := data.get("apiVersion") or _API_VERSION) != _API_VERSION:
        message = Message(
            "no kind {name} is registered for version {version}; expected {expected}",
            name=show(table.name),
            version=show(version),
            expected=_API_VERSION,
        )
        problems.error((*path, "apiVersion"), message)
    return BUILDERS[name](data, path, problems)


# --- extenders ---


def _extenders(data: Any, problems: Problems) -> tuple[Extender, ...]:
    """Build the extenders, ignorable ones last, otherwise in order (`validateExtenders`, `buildExtenders`)."""
    managed: set[str] = set()
    extenders: list[Extender] = []
    for index, entry in enumerate(data):
        path: Path = ("extenders", index)
        extender = _extender(entry)
        if extender.prioritize_verb and extender.weight <= 0:
            reason = Message("must have a positive weight applied to it")
            problems.error((*path, "weight"), invalid(extender.weight, reason))
        for position, resource in enumerate(extender.managed_resources):
            at = (*path, "managedResources", position, "name")
            if unfit := qualified_name(resource.name):
                problems.error(at, invalid(resource.name, unfit))
            elif not is_extended(resource.name):
                problems.error(at, invalid(resource.name, Message("is an invalid extended resource name")))
            if resource.name in managed:
                problems.error(at, invalid(resource.name, Message("duplicate extender managed resource name")))
            managed.add(resource.name)
        extenders.append(extender)
    if (binders := sum(1 for extender in extenders if extender.bind_verb)) > 1:
        value = f"found {binders} extenders implementing bind"  # in quotes, as in the API
        reason = Message("only one extender can implement bind")
        problems.error(("extenders",), invalid(value, reason))
    return tuple(sorted(extenders, key=lambda extender: extender.ignorable))


def _extender(data: Manifest) -> Extender:
    timeout = data.get("httpTimeout")
    return Extender(
        url_prefix=data.get("urlPrefix") or "",
        filter_verb=data.get("filterVerb") or "",
        preempt_verb=data.get("preemptVerb") or "",
        prioritize_verb=data.get("prioritizeVerb") or "",
        bind_verb=data.get("bindVerb") or "",
        weight=data.get("weight") or 0,
        enable_https=bool(data.get("enableHTTPS")),
        http_timeout_seconds=(parse_duration(timeout) if timeout else 0.0) or _EXTENDER_TIMEOUT,
        node_cache_capable=bool(data.get("nodeCacheCapable")),
        managed_resources=tuple(
            ManagedResource(resource.get("name") or "", bool(resource.get("ignoredByScheduler")))
            for resource in data.get("managedResources") or ()
        ),
        ignorable=bool(data.get("ignorable")),
    )


def _check_lacking(entry: Manifest, path: Path, release: Release, problems: Problems) -> None:
    """Report fields of a profile, its plugins and their arguments that the release does not have."""
    mappings: list[tuple[Manifest, Path]] = [(entry, path), (entry.get("plugins") or {}, (*path, "plugins"))]
    for index, config in enumerate(entry.get("pluginConfig") or ()):
        args = config.get("args")
        mappings.append((args if isinstance(args, dict) else {}, (*path, "pluginConfig", index, "args")))
    for fields, at in mappings:
        _check_fields(fields, at, release.profiles_lack, release, problems)


def _check_fields(fields: Manifest, at: Path, lacking: Iterable[str], release: Release, problems: Problems) -> None:
    for name in lacking:
        if fields.get(name) is not None:
            problems.error((*at, name), Message("Kubernetes {release} has no such field", release=release.version))
