"""Devices for an added node: copies of the devices of an existing node, in new pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

Manifest = Mapping[str, Any]


def slices_like(like: str, name: str, slices: Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """Yield copies of node `like`'s ResourceSlices for node `name`; pools that other nodes also use are left out."""
    pools: dict[tuple[Any, Any], list[Manifest]] = {}
    for resource_slice in slices:
        spec = resource_slice.get("spec") or {}
        pools.setdefault((spec.get("driver"), (spec.get("pool") or {}).get("name")), []).append(resource_slice)
    for (_, pool), pieces in pools.items():
        if all((piece.get("spec") or {}).get("nodeName") == like for piece in pieces):
            for piece in pieces:
                manifest: dict[str, Any] = deepcopy(dict(piece))
                metadata = manifest.get("metadata") or {}
                manifest["metadata"] = {"name": _renamed(str(metadata.get("name")), like, name)}
                manifest["spec"]["nodeName"] = name
                manifest["spec"]["pool"]["name"] = _renamed(str(pool), like, name)
                yield manifest


def _renamed(text: str, like: str, name: str) -> str:
    """Return the text with the other node's name replaced by the node's name, or with the name appended."""
    return text.replace(like, name, 1) if like in text else f"{text}-{name}"
