"""The devices of a node that is added: those that the node has which it is like, in pools of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

Manifest = Mapping[str, Any]


def slices_like(like: str, name: str, slices: Iterable[Manifest]) -> Iterator[dict[str, Any]]:
    """Yield ResourceSlices of node `name` as node `like` has them; pools that other nodes use too are left out."""
    pools: dict[tuple[Any, Any], list[Manifest]] = {}
    for one in slices:
        spec = one.get("spec") or {}
        pools.setdefault((spec.get("driver"), (spec.get("pool") or {}).get("name")), []).append(one)
    for (_, pool), pieces in pools.items():
        if all((piece.get("spec") or {}).get("nodeName") == like for piece in pieces):
            for piece in pieces:
                made: dict[str, Any] = deepcopy(dict(piece))
                metadata = made.get("metadata") or {}
                made["metadata"] = {"name": _renamed(str(metadata.get("name")), like, name)}
                made["spec"]["nodeName"] = name
                made["spec"]["pool"]["name"] = _renamed(str(pool), like, name)
                yield made


def _renamed(text: str, like: str, name: str) -> str:
    """Return the text with the node's name in place of the other's, or after it."""
    return text.replace(like, name, 1) if like in text else f"{text}-{name}"
