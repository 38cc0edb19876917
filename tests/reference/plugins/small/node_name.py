"""NodeName. Rule: kube-scheduler's nodename."""

from __future__ import annotations

from tests.reference.framework.interface import FITS, UNRESOLVABLE, Cycle, NodeInfo, Plugin, Verdict


class NodeName(Plugin):
    events = {"Node": ("Add",)}

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject every node but the one that the pod names, if it names one."""
        if cycle.pod.node_name in ("", on.node.name):
            return FITS
        return UNRESOLVABLE, ("node(s) didn't match the requested node name",)
