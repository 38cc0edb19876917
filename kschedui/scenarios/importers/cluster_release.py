"""The Kubernetes release of a dumped cluster: that of its kube-scheduler, else the most frequent of its kubelets.

Where the scheduler runs in a static pod, as kubeadm makes it, its image names the version. Managed clusters do not show
it: a kubelet is never newer than its control plane, and at most three minor releases older (Kubernetes' version skew
policy).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce

from kschedui.scenarios.importers.cleaning import mappings_in, part
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.core import Node
from scheduler_core.apis.messages import Message
from scheduler_core.releases import RELEASES, Release, release_of_kubelets
from scheduler_core.releases.differences import differences
from scheduler_core.releases.patches import most_frequent, patch_of
from scheduler_core.scenario.types import Scenario

SCHEDULER = "kube-scheduler"
MAX_IMAGE = 500  # characters
SCHEDULER_IMAGE = re.compile(r"kube-scheduler(?:-[a-z0-9]+)?:(v[0-9][^@]*)", re.ASCII)


def release_of(version: str) -> str:
    """Return the value of spec.kubernetesVersion for a version such as "v1.34.2-gke.1"; "" if it is not a version."""
    release = release_of_kubelets([version])
    return written(release) if release else ""


def written(release: Release) -> str:
    """Return the minor release, or the patch release if it decides differently from the recorded one."""
    return release.version if release is RELEASES[release.version] else release.patch


def cluster_release(objects: list[Manifest]) -> tuple[str, list[Message]]:
    """Return the release that most schedulers run, otherwise most nodes (in a tie, the newer), and notes about it.

    The release is "" if no object has a version.
    """
    kubelets = [
        str(part(part(item, "status"), "nodeInfo").get("kubeletVersion") or "")
        for item in objects
        if item.get("kind") == "Node"
    ]
    schedulers = list(scheduler_versions(objects))
    release = release_of_kubelets(schedulers or kubelets)
    if release is None:
        return "", []
    return written(release), scheduler_notes(release, schedulers) if schedulers else release_notes(release, kubelets)


def scheduler_versions(objects: list[Manifest]) -> Iterator[str]:
    """Yield the versions in the images of the pods of kube-scheduler, as in registry.k8s.io/kube-scheduler:v1.34.2."""
    for item in objects:
        metadata = part(item, "metadata")
        is_scheduler = part(metadata, "labels").get("component") == SCHEDULER
        if item.get("kind") == "Pod" and metadata.get("namespace") == "kube-system" and is_scheduler:
            for container in mappings_in(part(item, "spec"), "containers"):
                image, _, _ = str(container.get("image"))[:MAX_IMAGE].partition("@")
                if match := SCHEDULER_IMAGE.fullmatch(image.rpartition("/")[2]):
                    yield match[1]


def scenario_notes(scenario: Scenario) -> list[Message]:
    """Return notes about the release if it is that of the nodes, as it is if the text names none; [] otherwise."""
    nodes = (item for item in scenario.objects if isinstance(item, Node))
    infos = (part(part(dict(node.manifest), "status"), "nodeInfo") for node in nodes)
    versions = [str(info.get("kubeletVersion") or "") for info in infos]
    release = release_of_kubelets(versions)
    return release_notes(release, versions) if release == scenario.release else []


def release_notes(release: Release | None, versions: Sequence[str]) -> list[Message]:
    """Return the release that decides, and the rules of the nodes' patch that differ from the recorded one, as
    sentences.
    """
    version = most_frequent(versions)
    if release is None or not version:
        return []
    minor = minor_of(version)
    nodes = sum((patch_of(other) or ("",))[0] == minor for other in versions)
    return [
        Message(
            "Kubernetes {minor} on {nodes:,} of {all:,} nodes; kube-scheduler {release} decides.",
            minor=minor, nodes=nodes, all=len(versions), release=release.version,
        ),
        *difference_notes(release, version),
    ]  # fmt: skip


def scheduler_notes(release: Release, versions: Sequence[str]) -> list[Message]:
    """Return the sentences of `release_notes` for the versions of the cluster's own scheduler."""
    version = most_frequent(versions)
    return [
        Message(
            "kube-scheduler {version} runs in this cluster; kube-scheduler {release} decides.",
            version=version, release=release.version,
        ),
        *difference_notes(release, version),
    ]  # fmt: skip


def minor_of(version: str) -> str:
    """Return the minor release of a valid version."""
    patch = patch_of(version)
    assert patch is not None
    return patch[0]


def difference_notes(release: Release, version: str) -> list[Message]:
    """Return sentences about a version for which the nearest release is used, and about rules that its patch
    changed.
    """
    minor, notes = minor_of(version), []
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
                "Compared with real runs of {recorded}; your cluster runs {version}, and these rules changed in "
                "between: {rules}.",
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
