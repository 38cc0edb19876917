"""Builders of autoscaler documents for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.builders import Manifest

OWN = "kschedui.io/v1alpha1"
CLASS = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}


def own(kind: str, name: str = "x", **spec: Any) -> Manifest:
    """Return a document of the kschedui.io/v1alpha1 API."""
    return {"apiVersion": OWN, "kind": kind, "metadata": {"name": name}, "spec": spec}


def karpenter(*flags: str, **spec: Any) -> Manifest:
    """Return a Karpenter document; without instance types in `spec`, it has the generic ones."""
    return own("Karpenter", flags=list(flags), **spec)


def node_class() -> Manifest:
    """Return a node class whose nodes appear two seconds after their launch."""
    return {
        "apiVersion": "karpenter.kwok.sh/v1alpha1",
        "kind": "KWOKNodeClass",
        "metadata": {"name": "default"},
        "spec": {"nodeRegistrationDelay": "2s"},
    }


def node_pool(name: str, template: Mapping[str, Any], **spec: Any) -> Manifest:
    """Return a NodePool; `template` has the metadata and spec of its claims."""
    inner = {"nodeClassRef": dict(CLASS), **(template.get("spec") or {})}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {"template": {**template, "spec": inner}, **spec},
    }


def instance_type(name: str, cpu: int, price: float, *, memory: int = 0, zones: str = "ab") -> Manifest:
    """Return an on-demand instance type in these zones, with 2 GiB for each cpu by default."""
    offerings = [{"zone": zone, "capacityType": "on-demand", "price": price} for zone in zones]
    return {"name": name, "cpu": str(cpu), "memory": f"{memory or 2 * cpu}Gi", "offerings": offerings}
