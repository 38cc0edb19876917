"""The known reasons in FailedScheduling messages: their meaning, what they leave open, and their plugins.

Each plugin declares its own (`kschedui.abouts`); this module has those of the scheduler itself. The wordings
are those of kube-scheduler 1.20 to 1.36. The first row whose pattern matches the whole reason applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from kschedui.abouts import about_of
from kschedui.scenarios.outside_plugins import outside_plugins
from scheduler_core.apis.messages import Message
from scheduler_core.framework.about import About, PostFilterNote, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import RELEASES


class KnownReason(NamedTuple):
    """A reason and its plugin, "" for the scheduler itself."""

    plugin: str
    reason: Reason

    def match(self, text: str) -> re.Match[str] | None:
        return re.fullmatch(self.reason.pattern, text, re.DOTALL)


def have_no_nodes(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Change nothing: the cluster already has no nodes."""


OF_THE_SCHEDULER = (
    Reason(
        r"node\(s\) didn't satisfy plugin(?:\(s\))? (?P<plugins>\[.*\]|\S+)(?: simultaneously)?",
        Text(
            "The plugin had already limited the nodes; these are not among them.",
            "插件事先已限定了可选的节点，这些节点不在其中。",
        ),
        Text(
            "By which field of the pod: a node affinity that names nodes, or a volume that is on certain ones.",
            "依据的是 Pod 的哪个字段：指名节点的节点亲和性，还是只在某些节点上的卷。",
        ),
    ),
    Reason(
        r"no nodes available to schedule pods",
        Text(
            "The cluster has no node at all, or the scheduler knows of none.",
            "集群中没有节点，或调度器不知道任何节点。",
        ),
        Text("Why there is none.", "为什么没有节点。"),
        lesson="no-nodes",
        starter=have_no_nodes,
    ),
    Reason(
        r"running (?:PreBind|Bind|Reserve) plugin .*|binding rejected: .*",
        Text(
            "A node was found, but a plugin failed before the pod was bound to it. The pod is tried again.",
            "已经选出节点，但在绑定完成之前有插件出错。之后会重新尝试这个 Pod。",
        ),
        Text("Which node it was.", "是哪个节点。"),
        lesson="bind-failure",
    ),
    Reason(
        r"running .* plugin .*",
        Text(
            "A plugin ended in an error, which says nothing about the nodes. The pod is tried again.",
            "有插件报错，这并不是对节点的判定。之后会重新尝试这个 Pod。",
        ),
        Text("What the other plugins would have said.", "其他插件会怎么判定。"),
        lesson="statuses",
    ),
    Reason(
        r'(?:rejected p|p)od "[^"]+" (?:rejected while waiting on permit|by permit plugin).*'
        r"|rejected due to timeout after waiting .*",
        Text(
            "A node was found; then a Permit plugin had the pod wait, and rejected it or waited too long.",
            "已经选出节点；随后某个 Permit 插件让 Pod 等待，最终拒绝或等待超时。",
        ),
        Text("Which node it was, and what the plugin waited for.", "是哪个节点，以及插件在等什么。"),
        lesson="permit-timeout",
    ),
    Reason(
        r"skip schedule deleting pod: .*",
        Text("The pod is being deleted: it is not tried.", "这个 Pod 正在被删除，不再尝试调度。"),
        Text("Who deletes it.", "是谁在删除它。"),
    ),
)
NOT_SIMULATED = (
    KnownReason(
        "",
        Reason(  # up to 1.16; later, taints say it
            r"node\(s\) (?:were not ready|were out of disk space|had (?:disk|memory|pid) pressure"
            r"|had unavailable network)",
            Text(
                "The node's status.conditions say so: no pod is placed there while the condition lasts.",
                "节点的 status.conditions 如此报告：该状况持续期间不会把 Pod 放到这个节点。",
            ),
            Text("Why: see the node's events and its kubelet.", "原因：请看节点的事件和 kubelet 日志。"),
        ),
    ),
)


@cache
def declarations() -> dict[str, About]:
    """Return the declaration of every plugin, by name: built-in plugins first, then those of other packages."""
    plugins = {**REGISTRY, **outside_plugins()}
    return {name: about_of(plugin) for name, plugin in plugins.items()}


@cache
def known_reasons() -> tuple[KnownReason, ...]:
    """Return the known reasons in the order in which their patterns are tried."""
    of_plugins = [KnownReason(name, reason) for name, about in declarations().items() for reason in about.reasons]
    return (*of_plugins, *NOT_SIMULATED, *(KnownReason("", reason) for reason in OF_THE_SCHEDULER))


def reason_of(text: str) -> KnownReason | None:
    """Return the reason that matches these words; None if it is unknown."""
    return next((reason for reason in known_reasons() if reason.match(text)), None)


# algorithm/predicates/error.go up to 1.9, and the words of later releases for the same verdict.
PREDICATE_FAILURES = {
    "CheckNodeLabelPresence": "node(s) didn't have the requested labels",
    "CheckServiceAffinity": "node(s) didn't match service affinity",
    "ExistingPodsAntiAffinityRulesNotMatch": "node(s) didn't satisfy existing pods anti-affinity rules",
    "HostName": "node(s) didn't match the requested hostname",
    "MatchNodeSelector": "node(s) didn't match node selector",
    "MaxVolumeCount": "node(s) exceed max volume count",
    "NoDiskConflict": "node(s) had no available disk",
    "NoVolumeBindConflict": "node(s) didn't find available persistent volumes to bind",
    "NoVolumeNodeConflict": "node(s) had volume node affinity conflict",
    "NoVolumeZoneConflict": "node(s) had no available volume zone",
    "NodeNetworkUnavailable": "node(s) had unavailable network",
    "NodeNotReady": "node(s) were not ready",
    "NodeOutOfDisk": "node(s) were out of disk space",
    "NodeUnderDiskPressure": "node(s) had disk pressure",
    "NodeUnderMemoryPressure": "node(s) had memory pressure",
    "NodeUnknownCondition": "node(s) had unknown conditions",
    "NodeUnschedulable": "node(s) were unschedulable",
    "PodAffinityRulesNotMatch": "node(s) didn't match pod affinity rules",
    "PodAntiAffinityRulesNotMatch": "node(s) didn't match pod anti-affinity rules",
    "PodFitsHostPorts": "node(s) didn't have free ports for the requested pod ports",
    "PodToleratesNodeTaints": "node(s) had taints that the pod didn't tolerate",
}


def plugin_of_predicate(name: str) -> str:
    """Return the plugin that has the rule of a predicate, which messages up to 1.9 name; "" if there is none."""
    policy = next((release.policy for release in RELEASES.values() if release.policy is not None), None)
    plugins = policy.predicates.get(name, ()) if policy else ()
    return next((plugin for plugin in plugins if plugin in REGISTRY), "")


def post_filter_notes() -> Iterator[PostFilterNote]:
    for about in declarations().values():
        yield from about.post_filter_notes


def note_meaning(text: str) -> Message | None:
    """Return the meaning of a PostFilter plugin's note in the message; None if it is unknown."""
    notes = (note for note in post_filter_notes() if re.fullmatch(note.pattern, text, re.DOTALL))
    return next((note.meaning.message() for note in notes), None)


def preemption_meaning(text: str) -> Message | None:
    """Return the meaning of a reason in the part about preemption, None if it is unknown.

    It may also be a filter's reason.
    """
    meaning = reason_of(text)
    return note_meaning(text) or (meaning.reason.meaning.message() if meaning else None)
