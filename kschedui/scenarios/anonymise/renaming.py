"""Replaces the names in plain data by those of a mapping."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from kschedui.scenarios.anonymise.names import ZONES, is_label_map
from kschedui.scenarios.anonymise.naming_table import AMOUNTS, ANNOTATIONS_KEPT, KEYS, PODS, SPOKEN, WORDS

DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"


class Renaming:
    """Replaces every name in plain data. `owners`: uids that are kept."""

    def __init__(self, mapping: dict[str, str], keys: dict[str, str], owners: Set[str] = frozenset()) -> None:
        self.mapping = mapping
        self.keys = keys
        self.owners = owners

    def value(self, value: Any, path: tuple[str, ...]) -> Any:
        """Return the value with its names replaced. `path`: the keys above it."""
        if path and is_label_map(path[-1], value):
            return {self.keys.get(key, key): self.value(item, ()) for key, item in value.items()}
        if isinstance(value, dict):
            pods = path[-2:] == ("expect", "pods")
            items = ((key, item) for key, item in value.items() if not self.is_dropped(key, item, path))
            return {
                self.text(key, ("pods",)) if pods else self.resource(key): self.value(item, (*path, key))
                for key, item in items
            }
        if isinstance(value, list):
            return [self.value(item, path) for item in value]
        return self.text(value, path) if isinstance(value, str) else value

    def resource(self, key: str) -> str:
        """Return the name of a resource; in that of an extended resource of a DeviceClass, the class is replaced."""
        name = key.removeprefix(DEVICE_CLASS_PREFIX)
        return key if name == key else DEVICE_CLASS_PREFIX + self.mapping.get(name, name)

    def is_dropped(self, key: str, item: Any, path: tuple[str, ...]) -> bool:
        """Return whether a field is dropped: free text, a text that quotes names (as conditions do), or an
        unused uid.
        """
        if path and path[-1] == "annotations":
            return key not in ANNOTATIONS_KEPT
        return (
            key == "message"
            or (path == ("spec",) and key in SPOKEN)
            or (key == "reason" and "expect" in path)
            or (key == "uid" and str(item) not in self.owners and not self.mapping.get(str(item)))
        )

    def text(self, text: str, path: tuple[str, ...]) -> str:
        """Return the replacement of a name, of several zones, or of namespace/name for a pod; other texts stay.

        The message of a rejection becomes "rejected".
        """
        if path and (path[-1] in WORDS or path[-1] in AMOUNTS or (path[-2:-1] and path[-2] in AMOUNTS)):
            return text
        if path[-2:] == ("firstAvailable", "name"):
            return text  # a subrequest: results name it, too
        if path and path[-1] in KEYS:
            return self.keys.get(text, text)
        if path and path[-1] == "reject":
            return "rejected"
        if text in self.mapping:
            return self.mapping[text]
        if ZONES in text:
            return ZONES.join(self.mapping.get(part, part) for part in text.split(ZONES))
        namespace, slash, name = text.partition("/")
        if slash and path and path[-1] in PODS:
            return f"{self.mapping.get(namespace, namespace)}/{self.mapping.get(name, name)}"
        return text
