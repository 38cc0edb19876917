"""Edits that would contradict facts about machines or the cloud."""

from __future__ import annotations

from typing import Literal

from scheduler_core.apis.vendor_labels import OF_OPERATORS, OF_THE_CLOUD
from scheduler_core.ask.editing.edits import Edit, SetField

False_ = Literal["", "cloud", "machine", "condition", "health"]

# Taints that a controller sets as long as the node has the condition, or until its agent is ready.
CONDITIONS = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/unregistered")
AGENT = "agent-not-ready"  # ends the keys of startup taints: node.cilium.io/agent-not-ready, ebs.csi.aws.com/...
PODS = "pods"  # a setting of the kubelet; all other resources are those of the machine


def is_of_the_cloud(key: str) -> bool:
    """Return whether a kubelet or cloud provider sets the label."""
    domain = key.rpartition("/")[0]
    return domain not in OF_OPERATORS and any(
        domain == suffix or domain.endswith(f".{suffix}") for suffix in OF_THE_CLOUD
    )


def is_condition(taint_key: str) -> bool:
    """Return whether a controller removes the taint when the node is healthy again."""
    return taint_key.startswith(CONDITIONS) or taint_key.endswith(AGENT)


def find_contradicted_fact(edit: Edit, kind: str, taint_key: str = "") -> False_:
    """Return the kind of fact that the edit would contradict, "" if it contradicts none."""
    if not isinstance(edit, SetField) or edit.kind != "Node":
        return ""
    match kind, edit.path:
        case "label", ("metadata", "labels", str(key)) if is_of_the_cloud(key):
            return "cloud"
        case "room", (_, _, str(resource)) if resource != PODS:
            return "machine"
        case "taint", _ if is_condition(taint_key):
            return "condition"
    return ""
