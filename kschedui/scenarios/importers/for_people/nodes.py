"""`kubectl describe node`: the node, and the requests of its pods."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kschedui.scenarios.importers.for_people.sections import NONE, Described, Section
from scheduler_core.apis.quantity import QuantityError, parse_nano

Manifest = dict[str, Any]

AMOUNT = re.compile(r"^\s+(?P<name>[A-Za-z0-9][\w./-]*):\s+(?P<value>\S+)\s*$")
USE = r"(\S+)(?: \(-?\d+%\))?"
POD = re.compile(rf"^\s+(\S+)\s+(\S+)\s+{USE}\s+{USE}\s+{USE}\s+{USE}(?:\s+\S+)?\s*$")
ALLOCATED = re.compile(rf"^\s+([a-z0-9][\w./-]*)\s+{USE}\s+{USE}\s*$")
CONDITION = re.compile(r"^\s+(?P<type>[A-Za-z]+)\s+(?P<status>True|False|Unknown)\s")
REST = "requests-of-other-resources"  # a pod that stands for what the table of pods does not attribute


def read_node(described: Described) -> Iterator[Manifest]:
    """Yield the node and its pods, each with one container that has its requests."""
    name = described.value("Name")
    amounts = {key.lower(): _amounts(described.section(key)) for key in ("Capacity", "Allocatable")}
    status: Manifest = {key: value for key, value in amounts.items() if value}
    if version := _kubelet_version(described):
        status["nodeInfo"] = {"kubeletVersion": version}
    spec: Manifest = {}
    if taints := list(read_taints(described.section("Taints"))):
        spec["taints"] = taints
    if described.value("Unschedulable") == "true":
        spec["unschedulable"] = True
    metadata = {"name": name, "labels": pairs(described.section("Labels"))}
    yield {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}
    yield from _pods(described, name)


def _amounts(section: Section | None) -> dict[str, str]:
    matches = (AMOUNT.match(line) for line in (section.lines if section else ()))
    return {match["name"]: match["value"] for match in matches if match}


def _kubelet_version(described: Described) -> str:
    section = described.section("System Info")
    for line in section.lines if section else ():
        if line.strip().startswith("Kubelet Version:"):
            return line.partition(":")[2].strip()
    return ""


def pairs(section: Section | None) -> dict[str, str]:
    """Return labels, which are written as key=value, one per line."""
    entries = (text.partition("=") for text in (section.values() if section else ()))
    return {key: value for key, equals, value in entries if equals}


def read_taints(section: Section | None) -> Iterator[Manifest]:
    """Yield the taints, written as key=value:Effect."""
    for text in section.values() if section else ():
        pair, _, effect = text.rpartition(":")
        key, _, value = pair.partition("=")
        if key and effect in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
            yield {"key": key, **({"value": value} if value else {}), "effect": effect}


def _pods(described: Described, node: str) -> Iterator[Manifest]:
    """Yield the pods of the table, and a pod for the requests that no row contains, such as those of extended
    resources.
    """
    section = described.section("Non-terminated Pods")
    totals = {"cpu": 0, "memory": 0}
    for line in section.lines if section else ():
        match = POD.match(line)
        if match is None or match[1] in ("Namespace", "---------"):
            continue
        namespace, name, cpu, _, memory, _ = match.groups()
        requests = {key: value for key, value in (("cpu", cpu), ("memory", memory)) if _nano(value)}
        for key, value in requests.items():
            totals[key] += _nano(value)
        yield make_pod(namespace, name, node, requests)
    rest = {
        key: _amount_text(_nano(value) - totals.get(key, 0))
        for key, value in _allocated(described).items()
        if key not in totals and _nano(value) > 0
    }
    if rest:
        yield make_pod("kube-system", f"{REST}-{node}"[:253], node, rest)


def _allocated(described: Described) -> Mapping[str, str]:
    section = described.section("Allocated resources")
    matches = (ALLOCATED.match(line) for line in (section.lines if section else ()))
    return {match[1]: match[2] for match in matches if match}


def make_pod(namespace: str, name: str, node: str, requests: Mapping[str, str]) -> Manifest:
    """Return a pod with one container that has these requests; it is pending if `node` is empty or <none>."""
    limits = {key: value for key, value in requests.items() if "/" in key}
    resources = {**({"requests": dict(requests)} if requests else {}), **({"limits": limits} if limits else {})}
    container = {"name": "all", "image": "unknown", "resources": resources}
    spec: Manifest = {"containers": [container], **({"nodeName": node} if node not in NONE else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def _nano(value: str) -> int:
    try:
        return int(parse_nano(value))
    except QuantityError:
        return 0


def _amount_text(nano: int) -> str:
    whole, part = divmod(nano, 10**9)
    return str(whole) if not part else f"{nano // 10**6}m"
