"""Sample clusters in which nodes are rejected by DynamicResources."""

from __future__ import annotations

import re

from scheduler_core.framework.starter import Manifest, StarterCluster


def name_missing_claim(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Add a claim that does not exist to the pod; the quoted part of the reason is its name."""
    quoted = re.search(r'"(?:[^"/]*/)?([^"]+)"', reason)
    claim = quoted[1] if quoted else "missing"
    cluster.spec["resourceClaims"] = [{"name": "device", "resourceClaimName": claim}]
    cluster.spec["containers"][0].setdefault("resources", {})["claims"] = [{"name": "device"}]
