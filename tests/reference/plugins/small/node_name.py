"""NodeName. Rule: kube-scheduler's nodename."""

from __future__ import annotations

from tests.reference.framework.interface import FITS, UNRESOLVABLE, Cycle, NodeInfo, Plugin, Verdict


class NodeName(Plugin):
    events = {"Node": ("Add",)}

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject other nodes than the one that the pod names."""
        if cycle.pod.node_name in ("", on.node.name):
            return FITS
        return UNRESOLVABLE, ("node(s) didn't match the requested node name",)
