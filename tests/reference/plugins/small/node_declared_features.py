"""NodeDeclaredFeatures. Rule: kube-scheduler's nodedeclaredfeatures and component-helpers/nodedeclaredfeatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import Pod, Workload
from tests.reference.framework.cluster_event import NODE_FEATURES, Event
from tests.reference.framework.interface import FITS, SKIP, UNRESOLVABLE, Cycle, NodeInfo, Plugin, Verdict


class NodeDeclaredFeatures(Plugin):
    events = {"Node": ("Add", NODE_FEATURES), "Pod": ("Update",)}

    def pre_filter(self, cycle: Cycle) -> Verdict:
        return FITS if needed(cycle.pod) else SKIP

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject a node that does not declare all features that the pod needs."""
        declared = (on.node.manifest.get("status") or {}).get("declaredFeatures") or ()
        if needed(cycle.pod) <= set(declared):
            return FITS
        return UNRESOLVABLE, ("node(s) didn't match Pod's required features",)

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        """Return whether a node is new or declares other features, or the pod itself now needs other features."""
        if event.kind == "Pod":
            return event.new is not None and event.new.uid == pod.uid and needed(event.new) != needed(event.old)
        return event.old is None or event.old.declared_features != event.new.declared_features


def needed(pod: Pod) -> set[str]:
    spec = pod.manifest["spec"]
    found = set()
    for container in spec["containers"] + (spec.get("initContainers") or []):
        for rule in container.get("restartPolicyRules") or ():
            if rule["action"] == "RestartAllContainers":
                found.add("RestartAllContainersOnContainerExits")
    if spec.get("hostNetwork") and spec.get("hostUsers") is False:
        found.add("UserNamespacesHostNetworkSupport")
    return found
