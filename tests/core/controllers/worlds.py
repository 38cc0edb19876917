"""Builders of scenarios with workloads, and the events of their runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace.actor_rows import actor_rows

Manifest = Mapping[str, Any]


def node(name: str, cpu: str = "4", **spec: Any) -> Manifest:
    amounts = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name}
    status = {"capacity": amounts, "allocatable": amounts}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": status,
    }


def template(
    name: str, cpu: str = "500m", image: str = "v1", annotations: Manifest | None = None, **spec: Any
) -> Manifest:
    container = {"name": "c", "image": image, "resources": {"requests": {"cpu": cpu}}}
    metadata: dict[str, Any] = {"labels": {"app": name}}
    if annotations:
        metadata["annotations"] = {f"kschedui.io/{key}": value for key, value in annotations.items()}
    return {"metadata": metadata, "spec": {"containers": [container], **spec}}


def workload(kind: str, name: str, of: Manifest | None = None, **spec: Any) -> Manifest:
    version = {"Job": "batch/v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": name}}}
    body = {**selector, "template": of or template(name), **spec}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": body}


def text(*objects: Manifest, events: list[Manifest] | None = None, **spec: Any) -> str:
    own = {"untilSeconds": 60, "kubelet": {"startSeconds": 1, "stopSeconds": 1}, "events": events or [], **spec}
    scenario = {"apiVersion": "kschedui.io/v1alpha1", "kind": "Scenario", "metadata": {"name": "test"}, "spec": own}
    return yaml.safe_dump_all([*objects, scenario], sort_keys=False)


def rows(*objects: Manifest, **more: Any) -> list[dict[str, Any]]:
    return list(actor_rows(simulate(parse_scenario(text(*objects, **more)))))


def rows_of(rows: list[dict[str, Any]], *what: str) -> list[tuple[float, str, str]]:
    """Return time, action and name of the rows of these kinds."""
    return [(row["t"], row["what"], row["name"]) for row in rows if row["what"] in what]


def final(rows: list[dict[str, Any]]) -> dict[str, Any]:
    assert rows[-1]["what"] == "final"
    return rows[-1]
