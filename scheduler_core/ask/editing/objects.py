"""Applies edits to objects in a cluster: the parser rebuilds each object from its manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.core import KubernetesObject, Node, Pod, PodDisruptionBudget, PriorityClass, StorageClass
from scheduler_core.apis.devices import ResourceSlice
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.configuring import EMPTY, steps_of
from scheduler_core.ask.editing.edits import (
    MAX_NODES_ADDED,
    AddNodes,
    ConfigurationEdit,
    NotPossible,
    SetField,
    Step,
    apply_steps,
)
from scheduler_core.ask.editing.slices import slices_like
from scheduler_core.cluster.cluster import Cluster, key_of, kind_of
from scheduler_core.cluster.node_tree import ZONE_LABELS
from scheduler_core.releases import Release
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.kinds import CONFIGURATION, KINDS
from scheduler_core.scenario.reading.documents import Document, read_documents, split
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.cluster_state import build
from scheduler_core.scenario.settings.configuration import build_configuration
from scheduler_core.scenario.types import Scenario

HOSTNAME = "kubernetes.io/hostname"

KnownPlugins = Mapping[str, Iterable[str]]


def edit_object(item: KubernetesObject, steps: Sequence[Step], cluster: Cluster, release: Release) -> KubernetesObject:
    """Return the object after the edit; its state from the run is kept. Raises NotPossible."""
    new = build_object(kind_of(item), apply_steps(item.manifest, steps), cluster, release)
    match item, new:
        case Pod(), Pod():
            return replace(
                new,
                uid=item.uid,
                creation_timestamp=item.creation_timestamp,
                start_time=item.start_time,
                node_name=item.node_name,
                nominated_node_name=item.nominated_node_name,
                phase=item.phase,
                terminating=item.terminating,
                disruption_target=item.disruption_target,
            )
        case Node(), Node():
            return replace(new, uid=item.uid, creation_timestamp=item.creation_timestamp)
        case PodDisruptionBudget(), PodDisruptionBudget():
            return new
    uid = getattr(item, "uid", "")
    return replace(new, uid=uid) if uid else new


def set_field(edit: SetField, cluster: Cluster, release: Release) -> KubernetesObject:
    """Return the object with the field set. Raises NotPossible."""
    item = find_object(cluster, edit.kind, edit.namespace, edit.name)
    return edit_object(item, [Step(edit.path, edit.value, edit.add)], cluster, release)


def make_nodes(edit: AddNodes, nodes: Mapping[str, Node], cluster: Cluster, release: Release) -> list[KubernetesObject]:
    """Return the nodes to add, with their devices. Raises NotPossible."""
    made: list[KubernetesObject] = []
    for data in manifests_like(edit, nodes[edit.like].manifest if edit.like in nodes else None, nodes):
        made.append(build_object("Node", data, cluster, release))
        slices = slices_like(edit.like, data["metadata"]["name"], slices_of(cluster))
        made += [build_object("ResourceSlice", piece, cluster, release) for piece in slices]
    return made


def slices_of(cluster: Cluster) -> list[Mapping[str, Any]]:
    """Return the manifests of the cluster's ResourceSlices."""
    return [piece.manifest for piece in cluster.objects("ResourceSlice") if isinstance(piece, ResourceSlice)]


def manifests_like(edit: AddNodes, manifest: Mapping[str, Any] | None, taken: Iterable[str]) -> list[dict[str, Any]]:
    """Return manifests of copies of a node, each with its own name. Raises NotPossible."""
    if manifest is None:
        raise no_such("Node", edit.like)
    if not 1 <= edit.count <= MAX_NODES_ADDED:
        raise NotPossible(Message("add 1 to {most} nodes", most=MAX_NODES_ADDED))
    names, number = set(taken), 1
    manifests: list[dict[str, Any]] = []
    while len(manifests) < edit.count:
        name = f"{edit.like}-like-{number}"
        number += 1
        if name not in names:
            manifests.append(_with_name(manifest, name, edit.zone))
    return manifests


def _with_name(manifest: Mapping[str, Any], name: str, zone: str) -> dict[str, Any]:
    data = deepcopy(dict(manifest))
    metadata = {key: value for key, value in (data.get("metadata") or {}).items() if key != "uid"}
    labels = {**(metadata.get("labels") or {}), HOSTNAME: name}
    if zone:
        labels |= dict.fromkeys([key for key in ZONE_LABELS if key in labels] or ZONE_LABELS[-1:], zone)
    data["metadata"] = {**metadata, "name": name, "labels": labels}
    return data


def find_object(cluster: Cluster, kind: str, namespace: str, name: str) -> KubernetesObject:
    """Return the object in the cluster. Raises NotPossible."""
    item: KubernetesObject | None
    key = f"{namespace}/{name}" if namespace else name
    if kind == "Pod":
        item = cluster.pods.get(key)
    else:
        item = cluster.node(name) if kind == "Node" else cluster.get(kind, key)
    if item is None:
        raise no_such(kind, key)
    return item


def no_such(kind: str, name: str) -> NotPossible:
    """Return the error for an object that does not exist at this time."""
    return NotPossible(Message("there is no {kind} {name} at this moment", kind=kind, name=name))


def edit_configuration(
    scenario: Scenario, edits: Sequence[ConfigurationEdit], plugins: KnownPlugins
) -> SchedulerConfiguration:
    """Return the scenario's configuration with the edits applied. Raises NotPossible."""
    document = configuration_document(scenario.text)
    data: Mapping[str, Any] = document.data if document else EMPTY
    for edit in edits:
        data = apply_steps(data, steps_of(edit, data))
    problems = Problems()
    config = build_configuration(data, problems, plugins, scenario.release, scenario.feature_gates, scenario.rules)
    _require_no_errors(problems)
    return config


def configuration_document(text: str) -> Document | None:
    """Return the document of the scheduler's configuration without parsing the others; None if there is none."""
    for chunk in split(text):
        if CONFIGURATION[1] not in chunk.text:
            continue
        for document in read_documents(chunk.text, Limits(), Problems()):
            if (document.data.get("apiVersion"), document.data.get("kind")) == CONFIGURATION:
                return document
    return None


def build_object(kind: str, data: Mapping[str, Any], cluster: Cluster, release: Release) -> KubernetesObject:
    """Build an object from its manifest and the cluster's classes. Raises NotPossible."""
    gates = dict.fromkeys(release.default_gates(), True)  # objects that feature gates exclude are not in the cluster
    problems, admission = Problems(), Admission(release, gates)
    classes = cluster.objects("PriorityClass"), cluster.objects("StorageClass")
    admission.priority_classes |= {
        key_of(priority_class): priority_class
        for priority_class in classes[0]
        if isinstance(priority_class, PriorityClass)
    }
    admission.storage_classes |= {
        key_of(storage_class): storage_class for storage_class in classes[1] if isinstance(storage_class, StorageClass)
    }
    new = build(KINDS[kind], data, problems, admission)
    _require_no_errors(problems)
    assert new is not None
    return new


def _require_no_errors(problems: Problems) -> None:
    errors = problems.errors()
    if errors:
        raise NotPossible(Message("{path}: {message}", path=errors[0].path, message=errors[0].message))
