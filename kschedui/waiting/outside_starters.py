"""What rejects nodes from outside the pod's own rules, for starter scenarios: the configuration, a group, an extender.

An extender also stands in for what the simulation does not do itself, as for resource claims: it says the same words.
"""

from __future__ import annotations

import re

from kschedui.waiting.maker import Maker, Manifest, manifest
from kschedui.waiting.message import Part
from kschedui.waiting.reasons import reason_of

EXTENDER = "http://stands-in.example.com"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def enforced(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) didn't match scheduler-enforced node affinity."""
    key, names = "example.com/pool", {node["metadata"]["name"] for node in nodes}
    for node in maker.nodes:
        node["metadata"]["labels"][key] = "other" if node["metadata"]["name"] in names else "main"
    wanted = {"matchExpressions": [{"key": key, "operator": "In", "values": ["main"]}]}
    added = {REQUIRED: {"nodeSelectorTerms": [wanted]}}
    maker.arguments.append({"name": "NodeAffinity", "args": {"addedAffinity": added}})


def named(maker: Maker, *lists: list[str]) -> None:
    """The pod must run on a node that is in each of the lists."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for names in lists for name in names[:1]]
    rules = maker.spec.setdefault("affinity", {})
    rules["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": [{"matchFields": fields}]}}


def pinned(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """node(s) didn't satisfy plugin(s) [NodeAffinity]: the pod names another node."""
    others = [node["metadata"]["name"] for node in maker.nodes if node not in nodes]
    named(maker, others or ["gone"])


def contradicting(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """pod affinity terms conflict: it names two nodes at once."""
    named(maker, ["node-001"], ["node-002"])


def gang(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """waiting for minCount pods from a gang to appear in scheduling queue."""
    maker.gates |= {"GenericWorkload": True, "GangScheduling": True}
    policy = {"schedulingPolicy": {"gang": {"minCount": 2}}}
    maker.objects.append(manifest("scheduling.k8s.io/v1alpha2", "PodGroup", "group", spec=policy))
    maker.spec["schedulingGroup"] = {"podGroupName": "group"}


def gated(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """Scheduling gates, by their names where the message has them."""
    match = re.search(r"\[([^\]]+)\]", part.reason)
    maker.spec["schedulingGates"] = [{"name": name} for name in (match[1] if match else "example.com/gate").split()]


def stand_in(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    """Any words, said by an extender."""
    known = reason_of(part.reason)
    rule: Manifest = {"nodes": [node["metadata"]["name"] for node in nodes], "reject": part.reason}
    maker.rules.append({**rule, "unresolvable": True} if known and not known.helps else rule)


def configuration(maker: Maker) -> list[Manifest]:
    """The scheduler's configuration, where one is needed."""
    made: Manifest = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    if maker.arguments:
        made["profiles"] = [{"schedulerName": "default-scheduler", "pluginConfig": maker.arguments}]
    if maker.rules:
        made["extenders"] = [{"urlPrefix": EXTENDER, "filterVerb": "filter"}]
    return [made] if maker.arguments or maker.rules else []


def settings(maker: Maker) -> Manifest:
    """What the Scenario document says beside title and release."""
    found: Manifest = {"featureGates": maker.gates} if maker.gates else {}
    return {**found, "extenders": [{"urlPrefix": EXTENDER, "filter": maker.rules}]} if maker.rules else found


STARTERS = (
    ("scheduler-enforced", enforced),
    ("plugin(s) [NodeAffinity]", pinned),
    ("plugin NodeAffinity", pinned),
    ("affinity terms conflict", contradicting),
    ("scheduling gates", gated),
    ("from a gang", gang),
)
