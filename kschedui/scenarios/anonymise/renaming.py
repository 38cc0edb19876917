"""Plain data with the names of a mapping."""

from __future__ import annotations

from typing import Any

from kschedui.scenarios.anonymise.names import ZONES, is_label_map, is_public
from kschedui.scenarios.anonymise.naming_table import AMOUNTS, KEYS, PODS, SPOKEN, WORDS


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
            return not is_public(key) or key.startswith("kschedui.io/look-at")
        return (
            key == "message"
            or (path == ("spec",) and key in SPOKEN)
            or (key == "reason" and "expect" in path)
            or (key == "uid" and path[-1:] != ("ownerReferences",) and not self.mapping.get(str(item)))
        )

    def text(self, text: str, path: tuple[str, ...]) -> str:
        """A name; namespace/name where a pod is meant; or anything else as it is."""
        if path and (path[-1] in WORDS or path[-1] in AMOUNTS or (path[-2:-1] and path[-2] in AMOUNTS)):
            return text
        if path and path[-1] in KEYS:
            return self.keys.get(text, text)
        if path and path[-1] == "reject":
            return "rejected"
        if text in self.mapping:
            return self.mapping[text]
        if ZONES in text:
            return ZONES.join(self.mapping.get(one, one) for one in text.split(ZONES))
        namespace, slash, name = text.partition("/")
        if slash and path and path[-1] in PODS:
            return f"{self.mapping.get(namespace, namespace)}/{self.mapping.get(name, name)}"
        return text
