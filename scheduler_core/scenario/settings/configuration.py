"""Builds a `SchedulerConfiguration` from a KubeSchedulerConfiguration document.

Strictly decoded, defaulted and validated as by kube-scheduler 1.34: kube-scheduler/config/v1 decoding,
apis/config/v1/defaults.go, apis/config/validation/validation.go, and `buildExtenders` of scheduler.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.config import (
    Extender,
    ManagedResource,
    NodeResourcesFitArgs,
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
from scheduler_core.scenario.settings.plugin_args import BUILDERS
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
    """Return the configuration of kube-scheduler without a document, with the plugins that the scenario defines."""
    return build_configuration({}, Problems(), {}, release, feature_gates, rules)


def build_configuration(
    data: Manifest,
    problems: Problems,
    outside_plugins: KnownPlugins,
    release: Release,
    feature_gates: Mapping[str, bool] | None = None,
    rules: Sequence[Rule] = (),
) -> SchedulerConfiguration:
    """Build the configuration and report all problems. `feature_gates` None: the release's defaults.

    `rules` are additional default plugins after those of the release.
    """
    if not check(CONFIGURATION, data, (), problems, strict=True):
        return SchedulerConfiguration(())
    gates = release.default_gates() if feature_gates is None else feature_gates
    own = {rule.name: rule.points for rule in rules}
    known: KnownPlugins = {**outside_plugins, **release.points_with(gates), **own}
    defaults = (*release.plugins_with(gates), *(PluginRef(rule.name, rule.weight) for rule in rules))
    profiles = _profiles(data.get("profiles") or [{}], known, release, defaults, problems)
    _check_fields(data, (), release.configurations_lack, release, problems)
    percentage = data.get("percentageOfNodesToScore")
    _check_percentage(percentage, ("percentageOfNodesToScore",), problems)
    initial, maximum = _backoff(data, problems)
    if (parallelism := data.get("parallelism")) is not None and parallelism <= 0:
        reason = Message("should be an integer value greater than zero")
        problems.error(("parallelism",), invalid(parallelism, reason))
    extenders = _extenders(data.get("extenders") or (), problems)
    return SchedulerConfiguration(
        profiles=tuple(_ignoring_managed_resources(profile, extenders) for profile in profiles),
        percentage_of_nodes_to_score=percentage or 0,
        pod_initial_backoff_seconds=float(initial),
        pod_max_backoff_seconds=float(maximum),
        extenders=extenders,
    )


def _check_percentage(found: int | None, path: Path, problems: Problems) -> None:
    if found is not None and not 0 <= found <= 100:
        problems.error(path, invalid(found, Message("not in valid range [0-100]")))


def _backoff(data: Manifest, problems: Problems) -> tuple[int, int]:
    """Return (podInitialBackoffSeconds, podMaxBackoffSeconds)."""
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
    found: list[Manifest],
    known_plugins: KnownPlugins,
    release: Release,
    defaults: Sequence[PluginRef],
    problems: Problems,
) -> list[Profile]:
    names: dict[str, int] = {}
    profiles = []
    for index, one in enumerate(found):
        path: Path = ("profiles", index)
        name = one.get("schedulerName")
        if name is None and len(found) == 1:
            name = DEFAULT_SCHEDULER  # only a single profile gets the default name
        if not name:
            problems.error((*path, "schedulerName"), required())
        elif name in names:
            problems.error((*path, "schedulerName"), duplicate(f"profiles[{names[name]}].schedulerName"))
        names[name or ""] = index
        percentage = one.get("percentageOfNodesToScore")
        _check_percentage(percentage, (*path, "percentageOfNodesToScore"), problems)
        _check_lacking(one, path, release, problems)
        _check_removed_plugins(one.get("plugins") or {}, (*path, "plugins"), release, problems)
        plugins = resolve(one.get("plugins") or {}, (*path, "plugins"), name or "", known_plugins, defaults, problems)
        args = _plugin_args(one.get("pluginConfig") or (), (*path, "pluginConfig"), release, problems)
        profiles.append(Profile(name or "", plugins, args, percentage))
    _check_common_queue_sort(found, problems)
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


def _check_common_queue_sort(found: list[Manifest], problems: Problems) -> None:
    """Check that all profiles share one scheduling queue (`validateCommonQueueSort`)."""
    sets = [PluginSet((one.get("plugins") or {}).get("queueSort"), ()) for one in found]
    if (count := len(sets[0].enabled)) > 1:
        reason = Message("only one queue sort plugin can be enabled")
        problems.error(("profiles", 0, "plugins", "queueSort", "enabled"), invalid(count, reason))
    for index, one in enumerate(sets[1:], start=1):
        if (one.enabled, one.disabled) != (sets[0].enabled, sets[0].disabled):
            path = ("profiles", index, "plugins", "queueSort")
            names = [plugin.name for plugin in one.enabled]
            problems.error(path, invalid(names, Message("must be the same for all profiles")))


def _plugin_args(found: Any, path: Path, release: Release, problems: Problems) -> dict[str, PluginArgs]:
    """Return arguments by plugin name; kube-scheduler's own plugins always have some."""
    args: dict[str, PluginArgs] = {}
    for index, one in enumerate(found):
        name, at = one.get("name") or "", (*path, index)
        if name in args:
            problems.error(at, duplicate(name))
        if name in release.refused_plugins:
            problems.error(at, _removed(name))
        args[name] = _decode_args(name, one.get("args") or {}, (*at, "args"), problems)
    for name, build in BUILDERS.items():
        if name not in args:
            args[name] = build({}, (), problems)
    return args


def _decode_args(name: str, found: Any, path: Path, problems: Problems) -> PluginArgs:
    """Decode the arguments (`PluginConfig.decodeNestedObjects`)."""
    if not isinstance(found, dict):
        problems.error(
            path, Message("{value} is {type}; expected a mapping", value=show(found), type=name_of_type(found))
        )
        return OutsidePluginArgs()
    if name not in PLUGIN_ARGS:
        return OutsidePluginArgs(found)
    table = PLUGIN_ARGS[name]
    if not check(table, found, path, problems, strict=True):
        return OutsidePluginArgs(found)
    if (kind := found.get("kind") or table.name) != table.name:
        problems.error(
            (*path, "kind"),
            Message(
                "args for plugin {name} were not of type {type}, got {kind}", name=name, type=table.name, kind=kind
            ),
        )
    if (version := found.get("apiVersion") or _API_VERSION) != _API_VERSION:
        message = Message(
            "no kind {name} is registered for version {version}; expected {expected}",
            name=show(table.name),
            version=show(version),
            expected=_API_VERSION,
        )
        problems.error((*path, "apiVersion"), message)
    return BUILDERS[name](found, path, problems)


# --- extenders ---


def _extenders(found: Any, problems: Problems) -> tuple[Extender, ...]:
    """Build the extenders, ignorable ones last (`validateExtenders`)."""
    managed: set[str] = set()
    extenders: list[Extender] = []
    for index, one in enumerate(found):
        path: Path = ("extenders", index)
        extender = _extender(one)
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
    if (binders := sum(1 for one in extenders if one.bind_verb)) > 1:
        value = f"found {binders} extenders implementing bind"  # in quotes, as in the API
        reason = Message("only one extender can implement bind")
        problems.error(("extenders",), invalid(value, reason))
    return tuple(sorted(extenders, key=lambda extender: extender.ignorable))


def _extender(found: Manifest) -> Extender:
    timeout = found.get("httpTimeout")
    return Extender(
        url_prefix=found.get("urlPrefix") or "",
        filter_verb=found.get("filterVerb") or "",
        preempt_verb=found.get("preemptVerb") or "",
        prioritize_verb=found.get("prioritizeVerb") or "",
        bind_verb=found.get("bindVerb") or "",
        weight=found.get("weight") or 0,
        enable_https=bool(found.get("enableHTTPS")),
        http_timeout_seconds=(parse_duration(timeout) if timeout else 0.0) or _EXTENDER_TIMEOUT,
        node_cache_capable=bool(found.get("nodeCacheCapable")),
        managed_resources=tuple(
            ManagedResource(resource.get("name") or "", bool(resource.get("ignoredByScheduler")))
            for resource in found.get("managedResources") or ()
        ),
        ignorable=bool(found.get("ignorable")),
    )


def _ignoring_managed_resources(profile: Profile, extenders: tuple[Extender, ...]) -> Profile:
    """Return the configuration with NodeResourcesFit's ignoredResources replaced by those that extenders manage
    (`buildExtenders`).
    """
    names = frozenset(
        resource.name
        for extender in extenders
        for resource in extender.managed_resources
        if resource.ignored_by_scheduler
    )
    args = profile.plugin_args.get("NodeResourcesFit")
    if not names or not isinstance(args, NodeResourcesFitArgs):
        return profile
    return replace(
        profile, plugin_args={**profile.plugin_args, "NodeResourcesFit": replace(args, ignored_resources=names)}
    )


def _check_lacking(one: Manifest, path: Path, release: Release, problems: Problems) -> None:
    """Report fields of profiles and arguments that the release does not have."""
    found: list[tuple[Manifest, Path]] = [(one, path), (one.get("plugins") or {}, (*path, "plugins"))]
    for index, config in enumerate(one.get("pluginConfig") or ()):
        found.append((config.get("args") or {}, (*path, "pluginConfig", index, "args")))
    for fields, at in found:
        _check_fields(fields, at, release.profiles_lack, release, problems)


def _check_fields(fields: Manifest, at: Path, lacking: Iterable[str], release: Release, problems: Problems) -> None:
    for name in lacking:
        if fields.get(name) is not None:
            problems.error((*at, name), Message("Kubernetes {release} has no such field", release=release.version))
