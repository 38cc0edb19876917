"""Determines the kind of an object, builds it from its document, and builds the initial objects of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.apis.core import KubernetesObject, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.objects.admission import SYSTEM_PRIORITY_CLASSES, Admission, claimed
from scheduler_core.scenario.objects.availability import available, entries_to_turn_on
from scheduler_core.scenario.objects.cluster_objects import implied_namespace
from scheduler_core.scenario.objects.kinds import (
    CHALLENGE,
    CLUSTER_AUTOSCALER,
    CONFIGURATION,
    DESCHEDULER,
    DRA_GATE,
    KARPENTER,
    KINDS,
    LOAD_ORDER,
    NODE_GROUP,
    OF_VERSION,
    SCENARIO,
    SCHEDULER_PLUGIN,
    UNREAD,
    Identity,
    Kind,
)
from scheduler_core.scenario.objects.pods import TERMINAL_PHASES
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.problems import Path, Problems, did_you_mean, duplicate, one_of, required, show
from scheduler_core.scenario.settings.device_references import check_device_references


def kind_of(data: Mapping[str, Any], path: Path, problems: Problems) -> Kind | None:
    """Return the kind of an object; None if it is left out (a warning), unknown or not stated (an error)."""
    version, name = data.get("apiVersion"), data.get("kind")
    for field, value in (("apiVersion", version), ("kind", name)):
        if not isinstance(value, str) or not value:
            problems.error(
                (*path, field),
                required(Message("an object needs {field}, as in apiVersion: v1, kind: Pod", field=field)),
            )
            return None
    assert isinstance(version, str)
    assert isinstance(name, str)
    if kind := OF_VERSION.get((version, name)):
        return kind
    if (version, name) in UNREAD:
        reason = Message("has no part in scheduling and is left out")
        problems.warn((*path, "kind"), Message("{name} {reason}", name=name, reason=reason))
    elif _group(version) not in _OWN_GROUPS:
        message = Message(
            "{name} of {version} is not read and is left out{hint}",
            name=name,
            version=version,
            hint=_hint(version, name),
        )
        problems.warn((*path, "kind"), message)
    else:
        problems.error(
            (*path, "kind"),
            Message(
                "no kind {value} is known in {version}{hint}",
                value=show(name),
                version=show(version),
                hint=_hint(version, name),
            ),
        )
    return None


def _group(version: str) -> str:
    return version.rpartition("/")[0]


# Unknown kinds of _OWN_GROUPS are errors. Those of other groups are left out, since they can be custom resources.
_SETTINGS = (
    SCENARIO,
    NODE_GROUP,
    CLUSTER_AUTOSCALER,
    KARPENTER,
    DESCHEDULER,
    SCHEDULER_PLUGIN,
    CHALLENGE,
    CONFIGURATION,
)
_OWN_GROUPS = {kind.group for kind in LOAD_ORDER} | {_group(SCENARIO[0]), _group(CONFIGURATION[0])}


def _hint(version: str, name: str) -> str:
    versions = [kind.api_version for kind in LOAD_ORDER if kind.name == name]
    versions += [other for other, unread in (*UNREAD, *_SETTINGS) if unread == name and other != version]
    if versions:
        return Message("; expected apiVersion {versions}", versions=one_of(sorted(set(versions))))
    return did_you_mean(name, [*KINDS, *(setting for _, setting in _SETTINGS), *(unread for _, unread in UNREAD)])


def build(kind: Kind, data: Mapping[str, Any], problems: Problems, admission: Admission) -> KubernetesObject | None:
    """Return the object; None if its document has errors or its kind is not served, both of which are reported."""
    before = problems.count
    if kind.gate and not _served(kind, problems, admission):
        return None
    if not check(kind.fields, data, (), problems):
        return None
    name = kind.fields.name
    if kind.convert is not None:
        name, data = kind.name, kind.convert(data)
    item = kind.build(available(name, data, problems, admission), problems, admission)
    return item if problems.count == before else None


def _served(kind: Kind, problems: Problems, admission: Admission) -> bool:
    """Return whether the API server serves a kind with a gate.

    A kind that the release does not have is an error; one whose gate is off is left out, with a warning.
    """
    release = admission.release.version
    if kind.came_with and kind.came_with not in admission.release.gates:
        message = Message(
            "Kubernetes {release} has no {kind} of {version}",
            release=release,
            kind=kind.name,
            version=kind.api_version,
        )
        problems.error(("kind",), message)
        return False
    if not admission.has_on(kind.gate):
        message = Message("{kind} is left out: feature gate {gate} is off", kind=kind.name, gate=kind.gate)
        gate = admission.release.gates.get(kind.gate)
        if gate is not None and gate.settable:
            message = Message(
                "{kind} is left out: feature gate {gate} is off; in spec.featureGates, {gates} would change that",
                kind=kind.name, gate=kind.gate, gates=entries_to_turn_on(admission.release, kind.gate),
            )  # fmt: skip
        problems.warn(("kind",), message)
        return False
    return True


def identity(kind: Kind, data: Mapping[str, Any]) -> Identity:
    """Return kind, namespace and name of an object from its data; one of an invalid type counts as absent."""
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    namespace, name = metadata.get("namespace"), metadata.get("name")
    namespace = namespace if isinstance(namespace, str) and namespace else "default"
    return kind.name, namespace if kind.namespaced else "", name if isinstance(name, str) else ""


class InitialObjects:
    """Builds the objects that exist at the start, kind by kind."""

    def __init__(
        self, problems: Problems, admission: Admission, report_progress: Callable[[float], None] = lambda part: None
    ) -> None:
        self._problems = problems
        self._admission = admission
        self._report_progress = report_progress  # called with the progress, from 0 to 1
        self._most = self._read = 0  # the numbers of all documents, and of those that have been read
        # The document of each object; None for objects that exist without a document.
        self.exist: dict[Identity, Document | None] = {
            ("PriorityClass", "", priority_class.name): None for priority_class in SYSTEM_PRIORITY_CLASSES
        }
        self._namespaces: dict[str, None] = {}  # the mentioned namespaces, in order
        self._nodes: set[str] = set()

    def build(self, documents: dict[tuple[str, str], list[Document]], to_come: set[Identity]) -> list[KubernetesObject]:
        """Return the objects in load order, bound pods before the others; pods that have ended are left out.

        Namespaces that objects mention are added, and volumes get the claimRef of a bound claim. `documents` are by
        apiVersion and kind; `to_come`: the objects that the timeline creates.
        """
        self._nodes |= {name for kind, _, name in to_come if kind == "Node"}
        self._most = sum(map(len, documents.values()))
        built = {kind: self._build_kind(kind, documents.get(kind.identity, [])) for kind in LOAD_ORDER}
        namespaces, volumes, claims, pods = (
            built[KINDS[name]] for name in ("Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod")
        )
        created = {namespace.name for namespace in namespaces if isinstance(namespace, Namespace)}
        namespaces += [implied_namespace(name) for name in self._namespaces if name not in created]
        volumes[:] = _with_claims(volumes, claims)
        # A stable sort: running pods come before pending ones.
        pods.sort(key=lambda pod: isinstance(pod, Pod) and not pod.node_name)
        objects = [item for kind in LOAD_ORDER for item in built[kind]]
        if self._admission.has_on(DRA_GATE):
            identities = {*self.exist, *to_come}
            check_device_references(objects, identities.__contains__, self._enter, self._problems)
        return objects

    def _enter(self, key: Identity) -> bool:
        document = self.exist.get(key)
        if document is None:
            return False
        self._problems.enter(document.chunk, document.prefix)
        return True

    def mention(self, namespace: str) -> None:
        """Add a namespace that an object uses; "" is ignored."""
        if namespace:
            self._namespaces[namespace] = None

    def _build_kind(self, kind: Kind, documents: list[Document]) -> list[KubernetesObject]:
        built_objects: list[KubernetesObject] = []
        for index, document in enumerate(documents):
            self._problems.enter(document.chunk, document.prefix)
            self._admission.pod_index = index
            self._read += 1
            self._report_progress(self._read / self._most)
            if not self._register(kind, document):
                continue
            entry = build(kind, document.data, self._problems, self._admission)
            if entry is not None and not (isinstance(entry, Pod) and entry.phase in TERMINAL_PHASES):
                built_objects.append(entry)
                self._check_node(entry)
        return built_objects

    def _check_node(self, item: KubernetesObject) -> None:
        """Remember a node; warn about a pod whose node does not exist: possible in a cluster, but likely a mistake."""
        if isinstance(item, Node):
            self._nodes.add(item.name)
        elif isinstance(item, Pod) and item.node_name and item.node_name not in self._nodes:
            message = Message("there is no node {name}: the pod uses no resources", name=show(item.node_name))
            self._problems.warn(("spec", "nodeName"), message)

    def _register(self, kind: Kind, document: Document) -> bool:
        """Record the object of a document and its namespace. Return whether it is the first object of this identity.

        An earlier document with the same kind, namespace and name is reported.
        """
        key = identity(kind, document.data)
        self.mention(key[1])
        first = self.exist.setdefault(key, document)
        if first is None or first is document:
            return True
        message = Message(
            "{problem}: {kind} {name} is already in document {number}",
            problem=duplicate(key[2]),
            kind=kind.name,
            name=key[2],
            number=first.chunk.number,
        )
        self._problems.error(("metadata", "name"), message)
        return False


def _with_claims(volumes: list[KubernetesObject], claims: list[KubernetesObject]) -> list[KubernetesObject]:
    """Return the volumes, with claimRef set on those to which a claim is bound (`claimed`)."""
    bound = {claim.volume_name: claim for claim in claims if isinstance(claim, PersistentVolumeClaim) and claim.bound}
    return [
        claimed(volume, bound[volume.name]) if isinstance(volume, PersistentVolume) and volume.name in bound else volume
        for volume in volumes
    ]
