"""`kubectl describe pod`: the parts of the pod that it prints. Affinity and scheduling gates are not among them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers.for_people.events import NOT_SCHEDULED, SeenEvent, last_of_scheduler
from kschedui.scenarios.importers.for_people.nodes import pairs
from kschedui.scenarios.importers.for_people.sections import NONE, Described, Section, field_of
from kschedui.scenarios.importers.for_people.tables import DELETED
from scheduler_core.apis.selectors import parse_int64

Manifest = dict[str, Any]

TOLERATION = re.compile(
    r"^(?P<key>(?!op=)[^\s:=]+)?(?:=(?P<value>[^\s:]*))?(?::(?P<effect>\w+))?(?: ?op=(?P<op>\w+))?"
    r"(?: for (?P<seconds>\d{1,18})s)?$"
)
SPREAD = re.compile(
    r"^(?P<key>[^\s:]+):(?P<when>DoNotSchedule|ScheduleAnyway) when max skew (?P<skew>\d{1,9}) is exceeded"
    r"(?: for selector (?P<selector>.+))?$"
)
CONDITION = re.compile(r"^\s+(?P<type>[A-Za-z]\S*)\s+(?P<status>True|False|Unknown)\s*$")
PHASES = ("Pending", "Running", "Succeeded", "Failed")


def read_pod(described: Described, events: list[SeenEvent]) -> Manifest:
    """Return the pod. `events`: the events printed below it."""
    metadata: Manifest = {"name": described.value("Name"), "namespace": described.value("Namespace") or "default"}
    if labels := pairs(described.section("Labels")):
        metadata["labels"] = labels
    kind, _, owner = described.value("Controlled By").partition("/")
    if owner:
        version = "batch/v1" if kind == "Job" else "apps/v1"
        reference = {"apiVersion": version, "kind": kind, "name": owner, "uid": f"{kind}-{owner}", "controller": True}
        metadata["ownerReferences"] = [reference]
    spec: Manifest = {"containers": list(_containers(described.section("Containers")))}
    if init := list(_containers(described.section("Init Containers"))):
        spec["initContainers"] = init
    node = described.value("Node").partition("/")[0]
    if node not in NONE:
        spec["nodeName"] = node
    if priority := parse_int64(described.value("Priority")):
        spec["priority"] = priority
    if selector := pairs(described.section("Node-Selectors")):
        spec["nodeSelector"] = selector
    if tolerations := list(_tolerations(described.section("Tolerations"))):
        spec["tolerations"] = tolerations
    if spread := list(_spread(described.section("Topology Spread Constraints"))):
        spec["topologySpreadConstraints"] = spread
    if volumes := list(_claims(described.section("Volumes"))):
        spec["volumes"] = volumes
    if described.value("Status").startswith("Terminating"):
        metadata["deletionTimestamp"] = DELETED
        grace = parse_int64(described.value("Termination Grace Period").removesuffix("s"))
        if grace is not None:
            metadata["deletionGracePeriodSeconds"] = grace
    status = _status(described)
    if "nodeName" not in spec:
        add_message(status, events)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def add_message(status: Manifest, events: list[SeenEvent]) -> None:
    """Add the PodScheduled condition of a pending pod, if the newest event of the scheduler contains the reason."""
    event = last_of_scheduler(events)
    if event is not None and event.reason == NOT_SCHEDULED:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": event.message}
        status["conditions"] = [*status.get("conditions", ()), condition]


def _status(described: Described) -> Manifest:
    text = described.value("Status")
    expected = "Running" if described.value("Node") else "Pending"
    status: Manifest = {"phase": text if text in PHASES else expected}
    if nominated := described.value("NominatedNodeName"):
        status["nominatedNodeName"] = nominated
    conditions = described.section("Conditions")
    matches = (CONDITION.match(line) for line in (conditions.lines if conditions else ()))
    if described.value("Node") and any(
        match and match["type"] == "Ready" and match["status"] != "True" for match in matches
    ):
        status["conditions"] = [{"type": "Ready", "status": "False"}]
    return status


def _containers(section: Section | None) -> Iterator[Manifest]:
    """Yield the containers. A name is indented by two columns, its fields by four, its amounts by six."""
    container: Manifest | None = None
    inside = ""
    for line in section.lines if section else ():
        depth = len(line) - len(line.lstrip())
        field = field_of(line)
        if field is None:
            continue
        key, value = field
        if depth <= 3 and not value:
            if container is not None:
                yield container
            container, inside = {"name": key, "image": "unknown"}, ""
        elif container is None:
            continue
        elif depth <= 5:
            inside = key if key in ("Limits", "Requests") else ""
            if key == "Image" and value:
                container["image"] = value
            elif key in ("Host Port", "Host Ports"):
                _add_host_ports(container, value)
        elif inside and value:
            container.setdefault("resources", {}).setdefault(inside.lower(), {})[key] = value
    if container is not None:
        yield container


def _add_host_ports(container: Manifest, value: str) -> None:
    for entry in value.split(", "):
        number, _, protocol = entry.partition("/")
        if port := parse_int64(number):
            ports = container.setdefault("ports", [])
            ports.append({"containerPort": port, "hostPort": port, "protocol": protocol or "TCP"})


def _tolerations(section: Section | None) -> Iterator[Manifest]:
    for text in section.values() if section else ():
        if match := TOLERATION.match(text):
            toleration: Manifest = {key: match[key] for key in ("key", "value", "effect") if match[key]}
            toleration["operator"] = match["op"] or ("Equal" if match["key"] else "Exists")
            if match["seconds"]:
                toleration["tolerationSeconds"] = int(match["seconds"])
            yield toleration


def _spread(section: Section | None) -> Iterator[Manifest]:
    for text in section.values() if section else ():
        if match := SPREAD.match(text):
            constraint: Manifest = {"maxSkew": int(match["skew"]), "topologyKey": match["key"]}
            constraint["whenUnsatisfiable"] = match["when"]
            if match["selector"]:
                constraint["labelSelector"] = _selector(match["selector"])
            yield constraint


def _selector(text: str) -> Manifest:
    """Return a label selector from its short form (metav1.FormatLabelSelector): a=b,c in (d,e),!f,g."""
    labels: dict[str, str] = {}
    expressions: list[Manifest] = []
    for part in re.split(r",(?![^(]*\))", text):
        words = part.strip()
        if match := re.fullmatch(r"(\S+) (in|notin) \(([^)]*)\)", words):
            operator = {"in": "In", "notin": "NotIn"}[match[2]]
            expressions.append({"key": match[1], "operator": operator, "values": match[3].split(",")})
        elif "!=" in words:
            key, _, value = words.partition("!=")
            expressions.append({"key": key, "operator": "NotIn", "values": [value]})
        elif "=" in words:
            key, _, value = words.partition("=")
            labels[key] = value
        elif words.startswith("!"):
            expressions.append({"key": words[1:], "operator": "DoesNotExist"})
        elif words and words not in NONE:
            expressions.append({"key": words, "operator": "Exists"})
    selector = {"matchLabels": labels, "matchExpressions": expressions}
    return {key: value for key, value in selector.items() if value}


def _claims(section: Section | None) -> Iterator[Manifest]:
    """Yield the volumes that refer to claims."""
    name = ""
    for line in section.lines if section else ():
        field = field_of(line)
        if field is None:
            continue
        key, value = field
        if len(line) - len(line.lstrip()) <= 3 and not value:
            name = key
        elif key == "ClaimName" and name:
            yield {"name": name, "persistentVolumeClaim": {"claimName": value}}
