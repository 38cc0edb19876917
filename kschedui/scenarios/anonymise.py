"""A scenario with other names: nodes, namespaces, pods, workloads, labels, images and zones get readable made-up ones.

The same text always gets the same names, one name gets the same everywhere, and names keep their order, so that nothing
is decided otherwise: the run is the same but for its names. The mapping belongs to whoever has the original.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any

from kschedui.scenarios import compact_yaml
from scheduler_core.scenario.parse import Limits, ScenarioErrors
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems

Manifest = dict[str, Any]

# Keys of labels and taints, resources, classes and schedulers that Kubernetes gives a meaning.
PUBLIC = re.compile(r"^([a-z0-9.-]*\.)?(kubernetes|k8s|kschedui)\.io/|^(nvidia|amd|intel|google)\.com/|^system-")
KEPT = {
    "",
    "default",
    "default-scheduler",
    "true",
    "false",
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "cluster",
    "metadata.name",
}
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
PATTERNS = {
    "Node": "node",
    "Namespace": "team",
    "Pod": "pod",
    "PodGroup": "group",
    "key": "example.com/label",
    "value": "value",
    "image": "registry.example.com/image",
    "PersistentVolume": "volume",
    "PersistentVolumeClaim": "claim",
    "StorageClass": "storage",
    "PriorityClass": "priority",
    "scheduler": "scheduler",
    "url": "http://extender",
    "container": "container",
    "gate": "example.com/gate",
}
ZONES = "__"  # between the zones of a volume
LABEL_MAPS = ("labels", "matchLabels", "nodeSelector")
SPOKEN = ("title", "description")  # of the Scenario document


@dataclass
class Anonymised:
    """`mapping`: original -> made-up; `label_keys` the same for the keys of labels and taints."""

    text: str
    mapping: dict[str, str] = field(default_factory=dict)
    label_keys: dict[str, str] = field(default_factory=dict)


def anonymise(text: str, limits: Limits) -> Anonymised:
    """Raises ScenarioErrors when the text is not well-formed."""
    problems = Problems()
    documents = [document.data for document in read_documents(text, limits, problems)]
    if errors := problems.errors():
        raise ScenarioErrors(errors)
    found = Names()
    for document in documents:
        found.collect(document)
    mapping, keys = found.mapping(), found.numbered("key")
    renamed = [Renamed(mapping, keys).value(document, ()) for document in documents]
    return Anonymised(compact_yaml.write_all(renamed), mapping, keys)


class Names:
    """Every name of a scenario by what it names; one that names several things is of the first kind below."""

    def __init__(self) -> None:
        self.by_kind: dict[str, set[str]] = {kind: set() for kind in PATTERNS}

    def add(self, kind: str, name: Any) -> None:
        if isinstance(name, str) and ZONES in name:  # a volume of several zones
            for one in name.split(ZONES):
                self.add(kind, one)
        elif isinstance(name, str) and name not in KEPT and not PUBLIC.match(name) and not NUMBER.fullmatch(name):
            self.by_kind[kind if kind in PATTERNS else "value"].add(name)

    def collect(self, value: Any, key: str = "") -> None:
        """Look for names everywhere in plain data."""
        if isinstance(value, list):
            for item in value:
                self.collect(item, key)
        if not isinstance(value, dict):
            return
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and isinstance(kind := value.get("kind"), str) and kind != "Scenario":
            self.add(kind, metadata.get("name"))
            self.add("Namespace", metadata.get("namespace"))
        for name, item in value.items():
            for kind, found in _names_at(key, name, item, value):
                self.add(kind, found)
            self.collect(item, name)

    def mapping(self) -> dict[str, str]:
        """Made-up names in the order of the originals."""
        made: dict[str, str] = {}
        for kind, pattern in PATTERNS.items():
            if kind == "image":
                made |= _images(sorted(self.by_kind[kind] - made.keys()), pattern)
            elif kind != "key":
                made |= self.numbered(kind, made)
        return made

    def numbered(self, kind: str, known: Container[str] = ()) -> dict[str, str]:
        """Those of a kind that are not known yet, with as many digits as the last one needs."""
        names = sorted(name for name in self.by_kind[kind] if name not in known)
        width = len(str(len(names)))
        return {name: f"{PATTERNS[kind]}-{number:0{width}}" for number, name in enumerate(names, 1)}


def is_label_map(name: str, value: Any) -> bool:
    """Labels, or a selector that is a map of labels, as a Service's."""
    if not isinstance(value, dict):
        return False
    return name in LABEL_MAPS or (name == "selector" and not value.keys() & {"matchLabels", "matchExpressions"})


def _images(names: list[str], pattern: str) -> dict[str, str]:
    """An image without a tag is the one with the tag latest."""
    whole = {name: name if ":" in name.rpartition("/")[2] else f"{name}:latest" for name in names}
    numbers = {name: number for number, name in enumerate(sorted(set(whole.values())), 1)}
    width = len(str(len(numbers)))
    made = {name: f"{pattern}-{numbers[full]:0{width}}" for name, full in whole.items()}
    return {
        name: made[name] + ("" if name != full else ":latest" if full.endswith(":latest") else ":1")
        for name, full in whole.items()
    }


def _names_at(parent: str, name: str, item: Any, holder: Manifest) -> Iterator[tuple[str, Any]]:
    """What a field names: (kind, name) pairs."""
    if is_label_map(name, item):
        yield from (("key", one) for one in item)
        yield from (("value", one) for one in item.values())
    elif name in ("nodeName", "nominatedNodeName"):
        yield "Node", item
    elif name in _KEYS:
        yield from (("key", one) for one in (item if isinstance(item, list) else [item]))
    elif name == "values" and isinstance(item, list):
        yield from (("value", one) for one in item)
    elif name == "value" and "key" in holder:
        yield "value", item
    elif name == "namespaces" and isinstance(item, list):
        yield from (("Namespace", one) for one in item)
    elif name == "image" and parent in ("containers", "initContainers"):
        yield "image", item
    elif name == "names" and "sizeBytes" in holder and isinstance(item, list):
        yield from (("image", one) for one in item)
    elif (kind := _REFERENCES.get(name)) is not None:
        yield kind, item
    elif name == "name" and parent in _NAMED:
        yield _NAMED[parent], item


_REFERENCES = {
    "claimName": "PersistentVolumeClaim",
    "volumeName": "PersistentVolume",
    "persistentVolumeName": "PersistentVolume",
    "storageClassName": "StorageClass",
    "priorityClassName": "PriorityClass",
    "schedulerName": "scheduler",
    "urlPrefix": "url",
    "runtimeClassName": "value",
    "volumeHandle": "value",
    "namespace": "Namespace",
    "podGroupName": "PodGroup",
}
_NAMED = {
    "containers": "container",
    "initContainers": "container",
    "volumes": "container",
    "containerStatuses": "container",
    "schedulingGates": "gate",
    "ownerReferences": "value",
    "claimRef": "PersistentVolumeClaim",
}
_KEYS = ("key", "topologyKey", "matchLabelKeys", "mismatchLabelKeys", "topologyKeys")
_PODS = ("pod", "pods", "victims", "names")  # where a pod is called namespace/name
_WORDS = (
    "kind",
    "apiVersion",
    "operator",
    "effect",
    "type",
    "phase",
    "protocol",
    "reason",
    "plugin",
    "point",
    "verb",
    "disruptionMode",
)


class Renamed:
    """Plain data with every name replaced. `path`: the keys above."""

    def __init__(self, mapping: dict[str, str], keys: dict[str, str]) -> None:
        self.mapping = mapping
        self.keys = keys

    def value(self, value: Any, path: tuple[str, ...]) -> Any:
        if path and is_label_map(path[-1], value):
            return {self.keys.get(key, key): self.value(item, ()) for key, item in value.items()}
        if isinstance(value, dict):
            pods = path[-2:] == ("expect", "pods")
            kept = ((key, item) for key, item in value.items() if not self.is_spoken(key, item, path))
            return {self.text(key, ("pods",)) if pods else key: self.value(item, (*path, key)) for key, item in kept}
        if isinstance(value, list):
            return [self.value(item, path) for item in value]
        return self.text(value, path) if isinstance(value, str) else value

    def is_spoken(self, key: str, item: Any, path: tuple[str, ...]) -> bool:
        """What people wrote, and what a condition or an expectation quotes: names may stand in it."""
        if path and path[-1] == "annotations":
            return not PUBLIC.match(key) or key.startswith("kschedui.io/look-at")
        return (
            key == "message"
            or (path == ("spec",) and key in SPOKEN)
            or (key == "reason" and "expect" in path)
            or (key == "uid" and path[-1:] != ("ownerReferences",) and not self.mapping.get(str(item)))
        )

    def text(self, text: str, path: tuple[str, ...]) -> str:
        """A name; namespace/name where a pod is meant; or anything else as it is."""
        if path and path[-1] in _WORDS:
            return text
        if path and path[-1] in _KEYS:
            return self.keys.get(text, text)
        if path and path[-1] == "reject":
            return "rejected"
        if text in self.mapping:
            return self.mapping[text]
        if ZONES in text:
            return ZONES.join(self.mapping.get(one, one) for one in text.split(ZONES))
        namespace, slash, name = text.partition("/")
        if slash and path and path[-1] in _PODS:
            return f"{self.mapping.get(namespace, namespace)}/{self.mapping.get(name, name)}"
        return text
