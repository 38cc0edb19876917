"""The Kubernetes release of a dumped cluster: the most frequent release of its nodes' kubelets.

The dump does not contain the version of the scheduler itself. A kubelet is never newer than its control plane, and at
most three minor releases older (Kubernetes' version skew policy).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from kschedui.scenarios.importers.cleaning import part
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.core import Node
from scheduler_core.apis.messages import Message
from scheduler_core.releases import RELEASES, Release, release_of_kubelets
from scheduler_core.releases.differences import differences
from scheduler_core.releases.patches import most_frequent, patch_of
from scheduler_core.scenario.types import Scenario


def release_of(version: str) -> str:
    """Return what spec.kubernetesVersion says for a version such as "v1.34.2-gke.1"; "" without a version."""
    release = release_of_kubelets([version])
    return written(release) if release else ""


def written(release: Release) -> str:
    """Return the minor release, with the patch if it decides differently than the recorded one."""
    return release.version if release is RELEASES[release.version] else release.patch


def cluster_release(objects: list[Manifest]) -> tuple[str, list[Message]]:
    """Return the release of most nodes (in a tie, the newer), "" if no node has a version; and notes about it."""
    versions = [
        str(part(part(item, "status"), "nodeInfo").get("kubeletVersion") or "")
        for item in objects
        if item.get("kind") == "Node"
    ]
    release = release_of_kubelets(versions)
    return (written(release), release_notes(release, versions)) if release else ("", [])


def scenario_notes(scenario: Scenario) -> list[Message]:
    """Return notes about the release if the text names none, so that its nodes decide it."""
    nodes = (item for item in scenario.objects if isinstance(item, Node))
    infos = (part(part(dict(node.manifest), "status"), "nodeInfo") for node in nodes)
    versions = [str(info.get("kubeletVersion") or "") for info in infos]
    release = release_of_kubelets(versions)
    return release_notes(release, versions) if release is scenario.release or release == scenario.release else []


def release_notes(release: Release | None, versions: Sequence[str]) -> list[Message]:
    """Return sentences: the release that decides, and the rules of its patch that differ from the recorded one."""
    version = most_frequent(versions)
    if release is None or not version:
        return []
    patch = patch_of(version)
    assert patch is not None
    minor = patch[0]
    nodes = sum((patch_of(other) or ("",))[0] == minor for other in versions)
    notes = [
        Message(
            "Kubernetes {minor} on {nodes:,} of {all:,} nodes; kube-scheduler {release} decides.",
            minor=minor, nodes=nodes, all=len(versions), release=release.version,
        )
    ]  # fmt: skip
    if release.version != minor:
        notes.append(
            Message(
                "There is no simulation of {minor}; {release} is the nearest.", minor=minor, release=release.version
            )
        )
    recorded = RELEASES[release.version]
    changed = [difference.after for difference in differences(recorded, release)]
    if changed:
        notes.append(
            Message(
                "Compared with real runs of {recorded}; your nodes run {version}, and these rules changed in between: "
                "{rules}.",
                recorded=recorded.patch,
                version=version,
                rules=reduce(lambda before, after: Message("{before}; {after}", before=before, after=after), changed),
            )
        )
    return notes


def release_of_scenario(objects: list[Manifest]) -> str:
    """Return the release that a Scenario document names, "" if there is none."""
    versions = [part(item, "spec").get("kubernetesVersion") for item in objects if item.get("kind") == "Scenario"]
    return next((version for version in versions if isinstance(version, str)), "")
