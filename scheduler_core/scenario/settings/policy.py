"""A Policy document to a `SchedulerConfiguration`: which predicates and priorities run before 1.19.

kube-scheduler: pkg/scheduler/apis/config/legacy_types.go, factory.go (createFromConfig) and
framework/plugins/legacy_registry.go. Without `predicates` or `priorities` the default ones run; two predicates
always do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.messages import Message
from scheduler_core.releases import Release
from scheduler_core.scenario.fields.config_fields import POLICY
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.reading.problems import Problems, did_you_mean, invalid, show
from scheduler_core.scenario.settings.configuration import build_configuration

MANDATORY = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")
SAME_IN_CONFIGURATION = ("urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb", "weight")
Manifest = Mapping[str, Any]


def build_policy(data: Manifest, problems: Problems, release: Release) -> SchedulerConfiguration:
    """Build the configuration and report all problems."""
    if not release.policy_predicates:
        message = Message(
            "Kubernetes {release} has no {kind} of {version}", release=release.version, kind="Policy", version="v1"
        )
        problems.error(("kind",), message)
        return SchedulerConfiguration(())
    if not check(POLICY, data, (), problems, strict=True):
        return SchedulerConfiguration(())
    plugins: dict[str, Any] = {}
    if data.get("predicates") is not None:
        chosen = [*MANDATORY, *_names(data["predicates"], "predicates", release.policy_predicates, problems)]
        filters = {plugin for name in chosen for plugin in release.policy_predicates.get(name, ())}
        plugins |= _points(("pre_filter", "filter"), filters, release)
    if data.get("priorities") is not None:
        names = _names(data["priorities"], "priorities", release.policy_priorities, problems)
        weights = _weights(data["priorities"], names, release, problems)
        plugins |= _points(("pre_score", "score"), weights, release)
        for plugin in plugins["score"]["enabled"]:
            plugin["weight"] = weights[plugin["name"]]
    profile: dict[str, Any] = {"plugins": plugins}
    affinity = release.policy_priorities["InterPodAffinityPriority"]
    if (weight := data.get("hardPodAffinitySymmetricWeight")) is not None:
        profile["pluginConfig"] = [{"name": affinity, "args": {"hardPodAffinityWeight": weight}}]
    extenders = [_extender(one) for one in data.get("extenders") or ()]
    found = build_configuration({"profiles": [profile], "extenders": extenders}, problems, {}, release)
    every = bool(data.get("alwaysCheckAllPredicates"))
    return replace(found, profiles=tuple(replace(one, checks_all_filters=every) for one in found.profiles))


def _names(entries: Iterable[Manifest], field: str, known: Mapping[str, Any], problems: Problems) -> list[str]:
    """Return the names of the entries that are known; those with an argument are not simulated."""
    names = []
    for index, entry in enumerate(entries):
        name = entry.get("name") or ""
        if entry.get("argument") is not None:
            problems.error((field, index, "argument"), Message("is not simulated"))
        elif name not in known:
            problems.error(
                (field, index, "name"),
                Message(
                    "no {kind} {name} is known{hint}", kind=field, name=show(name), hint=did_you_mean(name, list(known))
                ),
            )
        else:
            names.append(name)
    return names


def _weights(entries: Iterable[Manifest], names: list[str], release: Release, problems: Problems) -> dict[str, int]:
    """Return the weights by plugin."""
    weights: dict[str, int] = {}
    for index, entry in enumerate(entries):
        weight = entry.get("weight") or 0
        if weight <= 0:
            problems.error(
                ("priorities", index, "weight"), invalid(weight, Message("must have a positive weight applied to it"))
            )
        if entry.get("name") in names:
            weights[release.policy_priorities[entry["name"]]] = weight
    return weights


def _points(points: Iterable[str], plugins: Iterable[str], release: Release) -> dict[str, Any]:
    """Return the plugin sets of extension points: nothing but these plugins, in the order of the release."""
    order = [name for name in release.plugin_points if name in set(plugins)]
    fields = {"pre_filter": "preFilter", "filter": "filter", "pre_score": "preScore", "score": "score"}
    return {
        fields[point]: {
            "disabled": [{"name": "*"}],
            "enabled": [{"name": name} for name in order if point in release.plugin_points[name]],
        }
        for point in points
    }


def _extender(found: Manifest) -> dict[str, Any]:
    """Return an extender as a KubeSchedulerConfiguration has it; `httpTimeout` was a number of nanoseconds."""
    same = {
        name: found[name]
        for name in (*SAME_IN_CONFIGURATION, "nodeCacheCapable", "managedResources", "ignorable")
        if name in found
    }
    timeout = found.get("httpTimeout")
    seconds = {"httpTimeout": f"{timeout / 10**9}s"} if timeout else {}
    return {**same, **seconds, "enableHTTPS": bool(found.get("enableHttps"))}
