"""The Kubernetes release of a dumped cluster: the most frequent release of its nodes' kubelets.

The dump does not contain the version of the scheduler itself. A kubelet is never newer than its control plane, and at
most three minor releases older (Kubernetes' version skew policy).
"""

from __future__ import annotations

import re
from collections import Counter

from kschedui.scenarios.importers.cleaning import part
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message
from scheduler_core.releases import RELEASES

MINOR = re.compile(r"v?(\d+)\.(\d+)")


def release_of(version: str) -> str:
    """Return the release to simulate for a version such as "v1.34.2-gke.1"; the nearest one, "" without a version."""
    match = MINOR.match(version)
    if not match:
        return ""
    wanted = int(match[1]), int(match[2])
    return min(RELEASES, key=lambda name: abs(_minor(name) - wanted[1])) if wanted[0] == 1 else ""


def cluster_release(objects: list[Manifest]) -> tuple[str, list[Message]]:
    """Return the release of most nodes (in a tie, the newer), "" if no node has a version; and a note about it."""
    versions = [
        str(part(part(item, "status"), "nodeInfo").get("kubeletVersion") or "")
        for item in objects
        if item.get("kind") == "Node"
    ]
    minors = Counter(match[0].removeprefix("v") for version in versions if (match := MINOR.match(version)))
    if not minors:
        return "", []
    minor, nodes = max(minors.items(), key=lambda pair: (pair[1], _minor(pair[0])))
    release = release_of(minor)
    if not release:
        return "", []
    notes = [
        Message(
            "Kubernetes {minor} on {nodes:,} of {all:,} nodes; kube-scheduler {release} decides.",
            minor=minor, nodes=nodes, all=len(versions), release=release,
        )
    ]  # fmt: skip
    if release != minor:
        notes.append(
            Message("There is no simulation of {minor}; {release} is the nearest.", minor=minor, release=release)
        )
    return release, notes


def release_of_scenario(objects: list[Manifest]) -> str:
    """Return the release that a Scenario document names, "" if there is none."""
    versions = [part(item, "spec").get("kubernetesVersion") for item in objects if item.get("kind") == "Scenario"]
    return next((version for version in versions if isinstance(version, str)), "")


def _minor(version: str) -> int:
    return int(version.split(".")[1])
