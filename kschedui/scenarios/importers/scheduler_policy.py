"""Converts `kind: Policy`, the configuration of schedulers up to 1.22, to a KubeSchedulerConfiguration.

The plugins for each predicate and priority follow `legacy_registry.go` of kube-scheduler 1.20.
"""

from __future__ import annotations

from typing import Any

from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message

PREDICATES: dict[str, tuple[str, ...]] = {
    "GeneralPredicates": ("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"),
    "PodFitsHostPorts": ("NodePorts",),
    "PodFitsPorts": ("NodePorts",),
    "PodFitsResources": ("NodeResourcesFit",),
    "HostName": ("NodeName",),
    "MatchNodeSelector": ("NodeAffinity",),
    "NoVolumeZoneConflict": ("VolumeZone",),
    "MaxCSIVolumeCountPred": ("NodeVolumeLimits",),
    "MaxEBSVolumeCount": ("NodeVolumeLimits",),
    "MaxGCEPDVolumeCount": ("NodeVolumeLimits",),
    "MaxAzureDiskVolumeCount": ("NodeVolumeLimits",),
    "MaxCinderVolumeCount": ("NodeVolumeLimits",),
    "NoDiskConflict": ("VolumeRestrictions",),
    "PodToleratesNodeTaints": ("TaintToleration",),
    "CheckNodeUnschedulable": ("NodeUnschedulable",),
    "CheckVolumeBinding": ("VolumeBinding",),
    "MatchInterPodAffinity": ("InterPodAffinity",),
    "EvenPodsSpread": ("PodTopologySpread",),
}
MANDATORY = ("NodeUnschedulable", "TaintToleration")
PRIORITIES = {
    "LeastRequestedPriority": "NodeResourcesFit",
    "MostRequestedPriority": "NodeResourcesFit",
    "RequestedToCapacityRatioPriority": "NodeResourcesFit",
    "BalancedResourceAllocation": "NodeResourcesBalancedAllocation",
    "SelectorSpreadPriority": "PodTopologySpread",
    "ServiceSpreadingPriority": "PodTopologySpread",
    "EvenPodsSpreadPriority": "PodTopologySpread",
    "InterPodAffinityPriority": "InterPodAffinity",
    "NodeAffinityPriority": "NodeAffinity",
    "TaintTolerationPriority": "TaintToleration",
    "ImageLocalityPriority": "ImageLocality",
}
VERBS = ("filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb")
EXTENDER = ("urlPrefix", *VERBS, "weight", "nodeCacheCapable", "managedResources", "ignorable")


def convert_policy(policy: Manifest) -> tuple[Manifest, list[Message]]:
    """Return the configuration that corresponds to the policy as far as possible, and notes about the conversion."""
    became: list[str] = []
    lost: list[str] = []
    plugins: Manifest = {}
    args: list[Manifest] = []
    if isinstance(policy.get("predicates"), list):
        plugins["filter"] = _filter_plugins(policy["predicates"], became, lost)
    if isinstance(policy.get("priorities"), list):
        plugins["score"] = _score_plugins(policy["priorities"], became, lost)
        if "MostRequestedPriority" in _names(policy["priorities"]):
            resources = [{"name": name, "weight": 1} for name in ("cpu", "memory")]
            strategy = {"type": "MostAllocated", "resources": resources}
            args.append({"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}})
    if isinstance(hard := policy.get("hardPodAffinitySymmetricWeight"), int):
        args.append({"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": hard}})
    profile: Manifest = {"schedulerName": "default-scheduler", "plugins": plugins, "pluginConfig": args}
    document: Manifest = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
    }
    document["profiles"] = [profile]
    if extenders := [_extender(extender) for extender in policy.get("extenders") or () if isinstance(extender, dict)]:
        document["extenders"] = extenders
    notes = [Message("Converted kind: Policy, which was removed in Kubernetes 1.23, to a KubeSchedulerConfiguration.")]
    if became:
        notes.append(
            Message("Replaced its predicates and priorities with plugins: {became}.", became=", ".join(became))
        )
    if lost:
        notes.append(Message("Skipped, because no plugin replaces them: {lost}.", lost=", ".join(lost)))
    return document, notes


def _filter_plugins(predicates: list[Any], became: list[str], lost: list[str]) -> Manifest:
    """Return the Filter plugins for the predicates, and those that cannot be left out."""
    filters = [*MANDATORY]
    for name in _names(predicates):
        now = PREDICATES.get(name, ())
        filters += [plugin for plugin in now if plugin not in filters]
        _note_conversion(name, now, became, lost)
    return {"disabled": [{"name": "*"}], "enabled": [{"name": name} for name in filters]}


def _score_plugins(priorities: list[Any], became: list[str], lost: list[str]) -> Manifest:
    """Return the Score plugins for the priorities; of several for one plugin, the weight of the first counts."""
    weights: dict[str, int] = {}
    for priority in priorities:
        name = str(priority.get("name")) if isinstance(priority, dict) else ""
        plugin = PRIORITIES.get(name)
        _note_conversion(name, (plugin,) if plugin else (), became, lost)
        if plugin:
            weight = priority.get("weight")
            weights.setdefault(plugin, weight if isinstance(weight, int) and weight > 0 else 1)
    enabled = [{"name": name, "weight": weight} for name, weight in weights.items()]
    return {"disabled": [{"name": "*"}], "enabled": enabled}


def _names(entries: list[Any]) -> list[str]:
    return [str(entry.get("name")) for entry in entries if isinstance(entry, dict)]


def _note_conversion(name: str, now: tuple[str, ...], became: list[str], lost: list[str]) -> None:
    if now:
        became.append(f"{name} → {' + '.join(now)}")
    else:
        lost.append(name)


def _extender(extender: Manifest) -> Manifest:
    fields = {name: extender[name] for name in EXTENDER if extender.get(name) is not None}
    https = extender.get("enableHTTPS", extender.get("enableHttps"))
    timeout = extender.get("httpTimeout")
    if https is not None:
        fields["enableHTTPS"] = https
    if isinstance(timeout, int) and timeout > 0:
        fields["httpTimeout"] = f"{timeout // 10**9}s" if timeout % 10**9 == 0 else f"{timeout}ns"
    elif isinstance(timeout, str):
        fields["httpTimeout"] = timeout
    return fields
