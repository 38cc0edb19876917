"""What kubectl prints for people, written plainly after pkg/describe/describe.go and the printers of `kubectl get`.

Only what those print is here, in their order; columns are aligned as by text/tabwriter with a padding of 2 (describe)
or 3 (get).
"""

# ruff: noqa: E501 -- lines are as long as the printed ones
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.quantity import format_bytes, format_cpu, milli_value, parse_nano, value

Manifest = dict[str, Any]
NONE = "<none>"


def describe_node(node: Manifest, pods: Sequence[Manifest], *, age: bool = True) -> str:
    """`kubectl describe node`. `age`: the table of pods has the column Age, as since 1.18."""
    metadata, spec, status = (node.get(key) or {} for key in ("metadata", "spec", "status"))
    lines = [f"Name:\t{metadata['name']}", f"Roles:\t{NONE}"]
    lines += several("Labels", [f"{key}={text}" for key, text in sorted((metadata.get("labels") or {}).items())])
    lines += several(
        "Annotations", [f"{key}: {text}" for key, text in sorted((metadata.get("annotations") or {}).items())]
    )
    lines.append("CreationTimestamp:\tTue, 18 Jun 2024 18:00:26 +0900")
    lines += several("Taints", [taint_text(taint) for taint in spec.get("taints") or ()])
    lines.append(f"Unschedulable:\t{str(bool(spec.get('unschedulable'))).lower()}")
    lines += [
        "Conditions:",
        "  Type\tStatus\tLastHeartbeatTime\tReason\tMessage",
        "  ----\t------\t----\t------\t-------",
    ]
    lines += ["  Ready \tTrue \tTue, 15 Oct 2024 18:12:09 +0900 \tKubeletReady \tkubelet is posting ready status"]
    lines += ["Addresses:", "  InternalIP:\t192.0.2.4", f"  Hostname:\t{metadata['name']}"]
    capacity = status.get("capacity") or {}
    allocatable = status.get("allocatable") or capacity
    for title, amounts in (("Capacity", capacity), ("Allocatable", allocatable)):
        lines += [f"{title}:", *(f"  {name}:\t{text}" for name, text in sorted(amounts.items()))]
    info = status.get("nodeInfo") or {}
    lines += ["System Info:", f"  Kubelet Version:\t{info.get('kubeletVersion', 'v1.31.2')}"]
    lines.append(f"Non-terminated Pods:\t({len(pods)} in total)")
    lines.append(
        "  Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits" + ("\tAge" if age else "")
    )
    lines.append(
        "  ---------\t----\t\t------------\t----------\t---------------\t-------------" + ("\t---" if age else "")
    )
    totals: dict[str, int] = {}
    for pod in pods:
        requests = requests_of(pod)
        for name, amount in requests.items():
            totals[name] = totals.get(name, 0) + amount
        cpu, memory = format_cpu(requests.get("cpu", 0)), format_bytes(requests.get("memory", 0))
        meta = pod["metadata"]
        row = f"  {meta.get('namespace') or 'default'}\t{meta['name']}\t\t{cpu} (1%)\t0 (0%)\t{memory} (1%)\t0 (0%)"
        lines.append(row + ("\t3d" if age else ""))
    lines += ["Allocated resources:", "  (Total limits may be over 100 percent, i.e., overcommitted.)"]
    lines += ["  Resource\tRequests\tLimits", "  --------\t--------\t------"]
    for name in ("cpu", "memory", "ephemeral-storage"):
        amount = format_cpu(totals.get(name, 0)) if name == "cpu" else format_bytes(totals.get(name, 0))
        lines.append(f"  {name}\t{amount} (1%)\t0 (0%)")
    lines += [f"  {name}\t{totals.get(name, 0)}\t{totals.get(name, 0)}" for name in sorted(allocatable) if "/" in name]
    return aligned([*lines, f"Events:\t{NONE}"])


def describe_pod(pod: Manifest, message: str = "") -> str:
    """`kubectl describe pod`, with a FailedScheduling event for `message`."""
    metadata, spec, status = (pod.get(key) or {} for key in ("metadata", "spec", "status"))
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace') or 'default'}"]
    lines.append(f"Priority:\t{spec.get('priority', 0)}")
    lines.append("Service Account:\tdefault")
    lines.append(f"Node:\t{spec['nodeName']}/192.0.2.4" if spec.get("nodeName") else f"Node:\t{NONE}")
    lines += several("Labels", [f"{key}={text}" for key, text in sorted((metadata.get("labels") or {}).items())])
    lines += several("Annotations", [])
    lines += [
        f"Status:\t{status.get('phase') or ('Running' if spec.get('nodeName') else 'Pending')}",
        "IP:\t",
        f"IPs:\t{NONE}",
    ]
    for owner in metadata.get("ownerReferences") or ():
        lines.append(f"Controlled By:\t{owner['kind']}/{owner['name']}")
    for title, field in (("Init Containers", "initContainers"), ("Containers", "containers")):
        if spec.get(field):
            lines += [f"{title}:", *(line for container in spec[field] for line in container_lines(container))]
    lines += ["Conditions:", "  Type\tStatus", "  PodScheduled \tFalse"]
    claims = [volume for volume in spec.get("volumes") or () if volume.get("persistentVolumeClaim")]
    lines.append("Volumes:" if claims else f"Volumes:\t{NONE}")
    for volume in claims:
        lines += [f"  {volume['name']}:", "    Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the "
                  "same namespace)", f"    ClaimName:\t{volume['persistentVolumeClaim']['claimName']}", "    ReadOnly:\tfalse"]  # fmt: skip
    lines.append("QoS Class:\tBurstable")
    lines += several(
        "Node-Selectors", [f"{key}={text}" for key, text in sorted((spec.get("nodeSelector") or {}).items())]
    )
    lines += several("Tolerations", [toleration_text(one) for one in spec.get("tolerations") or ()])
    if spec.get("topologySpreadConstraints"):
        lines += several("Topology Spread Constraints", list(map(spread_text, spec["topologySpreadConstraints"])))
    if message:
        lines += ["Events:", "  Type\tReason\tAge\tFrom\tMessage", "  ----\t------\t----\t----\t-------"]
        lines.append(f"  Warning\tFailedScheduling\t32s (x5 over 5m)\tdefault-scheduler\t{message}")
    return aligned(lines)


def container_lines(container: Manifest) -> Iterable[str]:
    resources = container.get("resources") or {}
    host = [port for port in container.get("ports") or () if port.get("hostPort")]
    yield f"  {container['name']}:"
    yield f"    Image:\t{container.get('image', '')}"
    yield f"    Port:\t{NONE}"
    ports = ", ".join(f"{port['hostPort']}/{port.get('protocol', 'TCP')}" for port in host)
    yield f"    {'Host Ports' if ',' in ports else 'Host Port'}:\t{ports or NONE}"
    for title in ("Limits", "Requests"):
        if amounts := resources.get(title.lower()):
            yield f"    {title}:"
            yield from (f"      {name}:\t{text}" for name, text in sorted(amounts.items()))
    yield f"    Environment:\t{NONE}"
    yield "    Mounts:"
    yield "      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-x (ro)"


def get_pods(pods: Sequence[Manifest], *, namespaces: bool) -> str:
    """`kubectl get pods -o wide`, with -A if `namespaces`."""
    heads = ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"]
    rows = [["NAMESPACE", *heads] if namespaces else heads]
    for pod in pods:
        node = pod["spec"].get("nodeName") or NONE
        state = "Running" if pod["spec"].get("nodeName") else "Pending"
        row = [pod["metadata"]["name"], "1/1", state, "2 (3d ago)", "5d", "10.0.0.1", node, NONE, NONE]
        rows.append([pod["metadata"].get("namespace") or "default", *row] if namespaces else row)
    return columns(rows)


def get_nodes(nodes: Sequence[Manifest]) -> str:
    """`kubectl get nodes`."""
    rows = [["NAME", "STATUS", "ROLES", "AGE", "VERSION"]]
    for node in nodes:
        off = ",SchedulingDisabled" if node["spec"].get("unschedulable") else ""
        keys = [taint["key"] for taint in node["spec"].get("taints") or ()]
        ready = "NotReady" if "node.kubernetes.io/not-ready" in keys else "Ready"
        rows.append([node["metadata"]["name"], f"{ready}{off}", NONE, "9d", "v1.31.2"])
    return columns(rows)


def several(title: str, texts: Sequence[str]) -> list[str]:
    """A value, and more of them below it (printLabelsMultiline)."""
    first, *others = texts or [NONE]
    return [f"{title}:\t{first}", *(f"\t{text}" for text in others)]


def taint_text(taint: Mapping[str, str]) -> str:
    return f"{taint['key']}{'=' + taint['value'] if taint.get('value') else ''}:{taint['effect']}"


def toleration_text(one: Mapping[str, Any]) -> str:
    text = one.get("key", "") + (f"={one['value']}" if one.get("value") else "")
    text += f":{one['effect']}" if one.get("effect") else ""
    if one.get("operator") == "Exists" and not one.get("value"):
        text += " op=Exists" if text else "op=Exists"
    return text + (f" for {one['tolerationSeconds']}s" if one.get("tolerationSeconds") is not None else "")


def spread_text(one: Mapping[str, Any]) -> str:
    selector = ",".join(
        f"{key}={text}" for key, text in sorted((one["labelSelector"].get("matchLabels") or {}).items())
    )
    parts = [selector] if selector else []
    for entry in one["labelSelector"].get("matchExpressions") or ():
        key, operator = entry["key"], entry["operator"]
        listed = f"({','.join(sorted(entry.get('values') or ()))})"
        parts.append(
            {"In": f"{key} in {listed}", "NotIn": f"{key} notin {listed}", "Exists": key}.get(operator, f"!{key}")
        )
    head = f"{one['topologyKey']}:{one['whenUnsatisfiable']} when max skew {one['maxSkew']} is exceeded"
    return f"{head} for selector {','.join(parts) or NONE}"


def requests_of(pod: Manifest) -> dict[str, int]:
    """The pod's requests: the larger of the largest init container and the sum of the containers."""
    spec = pod["spec"]
    together: dict[str, int] = {}
    for container in spec.get("containers") or ():
        for name, amount in amounts(container).items():
            together[name] = together.get(name, 0) + amount
    for container in spec.get("initContainers") or ():
        for name, amount in amounts(container).items():
            together[name] = max(together.get(name, 0), amount)
    return together


def amounts(container: Manifest) -> dict[str, int]:
    resources = container.get("resources") or {}
    texts = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {
        name: milli_value(parse_nano(str(text))) if name == "cpu" else value(parse_nano(str(text)))
        for name, text in texts.items()
    }


def aligned(lines: Sequence[str]) -> str:
    """Align cells as text/tabwriter: a column is a run of adjacent lines that have a cell there, ended by a tab."""
    cells = [line.split("\t") for line in lines]
    widths = [[0] * len(row) for row in cells]
    for column in range(max(map(len, cells), default=0)):
        start = 0
        while start < len(cells):
            end = start
            while end < len(cells) and len(cells[end]) > column + 1:
                end += 1
            widest = max((len(cells[row][column]) for row in range(start, end)), default=0)
            for row in range(start, end):
                widths[row][column] = widest + 2 if widest else 0
            start = max(end, start + 1)
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip(" ") + "\n"
        for row, wide in zip(cells, widths, strict=True)
    )


def columns(rows: Sequence[Sequence[str]]) -> str:
    """A table of `kubectl get`."""
    wide = [max(len(row[column]) for row in rows) + 3 for column in range(len(rows[0]))]
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip() + "\n" for row in rows
    )
