"""The names in a scenario by the kind of object, and a generated name for each."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any

from kschedui.scenarios.anonymise.naming_table import (
    DRIVERS,
    KEPT,
    KEYS,
    LABEL_MAPS,
    NAMED,
    NUMBER,
    PATTERNS,
    PUBLIC,
    REFERENCES,
)

Manifest = dict[str, Any]
PUBLIC_NAME, NUMBER_ONLY = re.compile(PUBLIC), re.compile(NUMBER)
ZONES = "__"  # between the zones of a volume


def is_public(name: str) -> bool:
    """Return whether the name is defined by Kubernetes or by the vendor of a device."""
    return PUBLIC_NAME.match(name) is not None


class Names:
    """All names of a scenario by the kind of object; a name of several kinds belongs to the first of them in
    PATTERNS.
    """

    def __init__(self) -> None:
        self.by_kind: dict[str, set[str]] = {kind: set() for kind in PATTERNS}
        self.drivers: set[str] = set()  # of devices
        self.owners: set[str] = set()  # uids
        self.hashed: set[tuple[str, str, str]] = set()  # (ReplicaSet, Deployment, hash)

    def add(self, kind: str, name: Any) -> None:
        """Add a name of a kind ("value" if PATTERNS lacks it), unless it is public, a number, or kept as it is."""
        if isinstance(name, str) and ZONES in name:  # a volume of several zones
            for part in name.split(ZONES):
                self.add(kind, part)
        elif isinstance(name, str) and name not in KEPT and not is_public(name) and not NUMBER_ONLY.match(name):
            self.by_kind[kind if kind in PATTERNS else "value"].add(name)

    def collect(self, value: Any, key: str = "") -> None:
        """Collect names everywhere in plain data."""
        if isinstance(value, list):
            for item in value:
                self.collect(item, key)
        if not isinstance(value, dict):
            return
        self.note_hashed(value)
        metadata, spec = value.get("metadata"), value.get("spec")
        kind_of_drivers, driver = DRIVERS
        if value.get("kind") == kind_of_drivers and isinstance(spec, dict) and isinstance(spec.get(driver), str):
            self.drivers.add(spec[driver])
        if isinstance(metadata, dict) and isinstance(kind := value.get("kind"), str) and kind != "Scenario":
            self.add(kind, metadata.get("name"))
            self.add("Namespace", metadata.get("namespace"))
        if key == "ownerReferences":
            self.owners.add(str(value.get("uid")))
        for name, item in value.items():
            for kind, text in _names_at(key, name, item, value):
                self.add(kind, text)
            self.collect(item, name)

    def mapping(self) -> dict[str, str]:
        """Return the generated name of each name but the keys of labels, in the order of the originals.

        Drivers of devices keep their names.
        """
        for names in self.by_kind.values():
            names -= self.drivers
        mapping: dict[str, str] = {}
        for kind, pattern in PATTERNS.items():
            if kind == "image":
                mapping |= _images(sorted(self.by_kind[kind] - mapping.keys()), pattern)
            elif kind != "key":
                mapping |= self.number(kind, mapping)
        for name, owner, template_hash in sorted(self.hashed):
            if owner in mapping:
                mapping[name] = f"{mapping[owner]}-{mapping.get(template_hash, template_hash)}"
        return mapping

    def note_hashed(self, value: Manifest) -> None:
        """Record the owner's name if it consists of a Deployment's name and a hash, so that the two parts
        still match.
        """
        metadata = value.get("metadata")
        labels = metadata.get("labels") if isinstance(metadata, dict) else None
        template_hash = labels.get("pod-template-hash") if isinstance(labels, dict) else None
        owners = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
        for owner in owners if isinstance(owners, list) else ():
            name = owner.get("name") if isinstance(owner, dict) else None
            if isinstance(template_hash, str) and isinstance(name, str) and name.endswith(f"-{template_hash}"):
                self.hashed.add((name, name.removesuffix(f"-{template_hash}"), template_hash))

    def number(self, kind: str, taken: Container[str] = ()) -> dict[str, str]:
        """Return generated names for the names of a kind that are not in `taken`: numbered, and padded to
        equal length.
        """
        names = sorted(name for name in self.by_kind[kind] if name not in taken)
        width = len(str(len(names)))
        return {name: f"{PATTERNS[kind]}-{number:0{width}}" for number, name in enumerate(names, 1)}


def is_label_map(name: str, value: Any) -> bool:
    """Return whether the mapping contains labels, or is a selector that is a map of labels, as in a Service."""
    if not isinstance(value, dict) or "nodeSelectorTerms" in value:
        return False
    return name in LABEL_MAPS or (name == "selector" and not value.keys() & {"matchLabels", "matchExpressions"})


def _images(names: list[str], pattern: str) -> dict[str, str]:
    """Return a generated name for each image. A name without a tag is the same image as with the tag latest."""
    whole = {name: name if ":" in name.rpartition("/")[2] else f"{name}:latest" for name in names}
    numbers = {name: number for number, name in enumerate(sorted(set(whole.values())), 1)}
    width = len(str(len(numbers)))
    images = {name: f"{pattern}-{numbers[full]:0{width}}" for name, full in whole.items()}
    return {name: images[name] + _generated_tag(name, full) for name, full in whole.items()}


def _generated_tag(name: str, whole: str) -> str:
    """Return the tag of an image's generated name, "" if its original name has none."""
    if name != whole:
        return ""
    return ":latest" if whole.endswith(":latest") else ":1"


def _names_at(parent: str, name: str, item: Any, holder: Manifest) -> Iterator[tuple[str, Any]]:
    """Yield the (kind, name) pairs that a field refers to."""
    if is_label_map(name, item):
        yield from (("key", text) for text in item)
        yield from (("value", text) for text in item.values())
    elif name in KEYS:
        yield from (("key", text) for text in (item if isinstance(item, list) else [item]))
    elif name == "values" and isinstance(item, list):
        yield from (("value", text) for text in item)
    elif name == "value" and "key" in holder:
        yield "value", item
    elif name == "namespaces" and isinstance(item, list):
        yield from (("Namespace", text) for text in item)
    elif name == "image" and parent in ("containers", "initContainers"):
        yield "image", item
    elif name == "names" and "sizeBytes" in holder and isinstance(item, list):
        yield from (("image", text) for text in item)
    elif (kind := REFERENCES.get(name)) is not None:
        yield kind, item
    elif name == "name" and parent in NAMED:
        yield NAMED[parent], item
