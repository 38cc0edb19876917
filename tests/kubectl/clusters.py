"""The objects of a scenario as in a cluster after its run, with statuses and events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

import yaml

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace.events import PodBound, SchedulingFailed

Manifest = dict[str, Any]

SCHEDULER = "default-scheduler"
IMAGES = ("registry.k8s.io/pause:3.9", "docker.io/library/nginx:1.25", "example.com:5000/team/app@sha256:" + "0a" * 32)
CONDITIONS = {
    "MemoryPressure": "kubelet has sufficient memory available",
    "DiskPressure": "kubelet has no disk pressure",
    "PIDPressure": "kubelet has sufficient PID available",
    "Ready": "kubelet is posting ready status",
}
PRESSURE = {
    "MemoryPressure": "memory-pressure",
    "DiskPressure": "disk-pressure",
    "PIDPressure": "pid-pressure",
}
STATES = ("running",) * 12 + ("crashing", "no image", "creating", "succeeded", "evicted", "deleted", "deleted", "init")


def cluster_of(text: str, random: Random, now: datetime) -> list[Manifest]:
    """Return the nodes, leases, pods and events of a scenario after its run.

    An object with a deletionTimestamp must be created and then deleted.
    """
    documents = [one for one in yaml.safe_load_all(text) if isinstance(one, dict)]
    documents = [item for one in documents for item in (one["items"] if one.get("kind") == "List" else [one])]
    priorities = {one["metadata"]["name"]: one["value"] for one in documents if one.get("kind") == "PriorityClass"}
    nodes = [one for one in documents if one.get("kind") == "Node"]
    pods = {
        (one["metadata"].setdefault("namespace", "default"), one["metadata"]["name"]): one
        for one in documents
        if one.get("kind") == "Pod"
    }
    decided: list[PodBound | SchedulingFailed] = []
    for event in simulate(parse_scenario(text)):
        key = getattr(event, "pod", "")
        if isinstance(event, PodBound | SchedulingFailed) and tuple(key.split("/", 1)) in pods:
            decided.append(event)
    for node in nodes:
        _live(node, random, now)
    events = list(_events(decided, pods, random, now))
    failed = {event.pod: event for event in decided if isinstance(event, SchedulingFailed)}
    for (namespace, name), pod in pods.items():
        spec = pod["spec"]
        if spec.get("priorityClassName") in priorities:
            spec.setdefault("priority", priorities[spec["priorityClassName"]])
        _fill(pod, random)
        _settle(pod, failed.get(f"{namespace}/{name}"), random, now)
    leases = [_lease(node, now) for node in nodes]
    return [*nodes, *leases, *pods.values(), *events]


def timestamp(moment: datetime, *, micro: bool = False) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S" + (".%fZ" if micro else "Z"))


def _live(node: Manifest, random: Random, now: datetime) -> None:
    """Add the fields that kubelet and the cloud provider write to a node."""
    metadata, status = node["metadata"], node.setdefault("status", {})
    labels = metadata.setdefault("labels", {})
    if random.random() < 0.2:
        labels["node-role.kubernetes.io/control-plane"] = ""
    if random.random() < 0.5:
        metadata["annotations"] = {
            "node.alpha.kubernetes.io/ttl": "0",
            "csi.volume.kubernetes.io/nodeid": '{"ebs.csi.aws.com":"i-0123456789"}',
        }
    capacity = dict(status.get("capacity") or status.get("allocatable") or {})
    if capacity and random.random() < 0.5:
        status.setdefault("allocatable", dict(capacity))
        capacity |= {"hugepages-2Mi": "0", "ephemeral-storage": "104845292Ki"}
        status["allocatable"] |= {"hugepages-2Mi": "0", "ephemeral-storage": "96625420948"}
    status["capacity"] = capacity
    version = random.choice(("v1.30.10", "v1.33.1-eks-1-33-4", "v1.27.9+k3s1"))
    status["nodeInfo"] = {
        "machineID": "7dc4fb5d6b1c4a6a", "systemUUID": "7dc4fb5d-6b1c", "bootID": "2c1a", "kernelVersion": "6.1.0",
        "osImage": "Debian GNU/Linux 12 (bookworm)", "containerRuntimeVersion": "containerd://1.7.2",
        "kubeletVersion": version, "kubeProxyVersion": version, "operatingSystem": "linux", "architecture": "amd64",
    }  # fmt: skip
    status["addresses"] = [
        {"type": "InternalIP", "address": f"10.0.0.{random.randrange(2, 250)}"},
        {"type": "Hostname", "address": metadata["name"]},
    ]
    status["images"] = [{"names": [image], "sizeBytes": 50_000_000} for image in IMAGES[: random.randrange(3)]]
    state = random.choice(("",) * 7 + ("NotReady", "Unknown", *PRESSURE))
    status["conditions"] = [
        {
            "type": kind, "status": _condition(kind, state), "message": message,
            "reason": "NodeStatusUnknown" if state == "Unknown" else "Kubelet" + kind,
            "lastHeartbeatTime": timestamp(now), "lastTransitionTime": timestamp(now - timedelta(hours=3)),
        }
        for kind, message in CONDITIONS.items()
    ]  # fmt: skip
    taints = node.setdefault("spec", {}).setdefault("taints", [])
    if state in PRESSURE:
        taints.append({"key": f"node.kubernetes.io/{PRESSURE[state]}", "effect": "NoSchedule"})
    elif state:
        key = f"node.kubernetes.io/{'not-ready' if state == 'NotReady' else 'unreachable'}"
        taints += [
            {"key": key, "effect": effect, "timeAdded": timestamp(now - timedelta(hours=3))}
            for effect in ("NoSchedule", "NoExecute")
        ]
    if node["spec"].get("unschedulable"):
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    unique = {(one["key"], one["effect"]): one for one in taints}
    node["spec"]["taints"] = list(unique.values())
    node["spec"]["podCIDR"] = "10.244.1.0/24"
    node["spec"]["providerID"] = f"aws:///eu-west-1a/{metadata['name']}"


def _condition(kind: str, state: str) -> str:
    if state == "Unknown":
        return "Unknown"
    if kind == "Ready":
        return "False" if state == "NotReady" else "True"
    return "True" if kind == state else "False"


def _lease(node: Manifest, now: datetime) -> Manifest:
    name = node["metadata"]["name"]
    spec = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": timestamp(now, micro=True)}
    metadata = {"name": name, "namespace": "kube-node-lease"}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}


def _fill(pod: Manifest, random: Random) -> None:
    """Add random fields to a pod's manifest: limits, probes, environment, mounts, more containers, tolerations."""
    spec = pod["spec"]
    for key in ("containers", "initContainers"):
        for container in spec.get(key) or ():
            container.setdefault("image", random.choice(IMAGES))
    first = spec["containers"][0]
    requests = first.get("resources", {}).get("requests", {})
    if random.random() < 0.3 and requests:
        limits = first["resources"].setdefault("limits", {})
        limits |= {key: value for key, value in requests.items() if key != "cpu"}
    if random.random() < 0.3:
        first["env"] = [
            {"name": "LIMITS", "value": "cpu: 7"},
            {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            {"name": "TEXT", "value": "two\nlines: 1"},
        ]
        first["command"] = ["sh", "-c", "echo Requests:\n  cpu: 9"]
        first["args"] = ["--limits", "Limits:"]
        first["livenessProbe"] = {"httpGet": {"path": "/healthz", "port": 8080}}
        first["ports"] = [*first.get("ports", ()), {"containerPort": 8080}]
    volumes = spec.get("volumes") or []
    if random.random() < 0.3:
        volumes = [
            *volumes,
            {"name": "settings", "configMap": {"name": "settings"}},
            {"name": "host", "hostPath": {"path": "/var/log", "type": "Directory"}},
            {"name": "token", "projected": {"sources": [{"configMap": {"name": "ca"}}]}},
        ]
        spec["volumes"] = volumes
        first["volumeMounts"] = [{"name": "settings", "mountPath": "/etc/settings", "readOnly": True}]
    if random.random() < 0.2:
        spec["containers"].append({"name": "proxy", "image": IMAGES[1], "resources": {"requests": {"cpu": "10m"}}})
    if random.random() < 0.2:
        spec.setdefault("initContainers", []).append(
            {"name": "warm-up", "image": IMAGES[0], "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}}
        )
    if random.random() < 0.5:
        spec["tolerations"] = [
            *spec.get("tolerations", ()),
            *(
                {
                    "key": f"node.kubernetes.io/{key}",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300,
                }
                for key in ("not-ready", "unreachable")
            ),
        ]
    if random.random() < 0.3:
        notes = {"a.example.com/note": "Status: Failed", "long": "x" * 150, "lines": "Name:  no\nKind: b"}
        pod["metadata"]["annotations"] = notes
    spec.setdefault("serviceAccountName", "default")


def _settle(pod: Manifest, failed: SchedulingFailed | None, random: Random, now: datetime) -> None:
    """Set the pod's status after the run: pending if it has no node, else a random state."""
    spec, metadata = pod["spec"], pod["metadata"]
    started = now - timedelta(seconds=random.randrange(20, 200_000))
    if not spec.get("nodeName"):
        pod["status"] = {"phase": "Pending"}
        if spec.get("schedulingGates"):
            gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
            pod["status"]["conditions"] = [gated]
        elif failed is not None:
            condition = {"type": "PodScheduled", "status": "False", "reason": failed.reason, "message": failed.message}
            pod["status"]["conditions"] = [condition]
            if failed.nominated_node:
                pod["status"]["nominatedNodeName"] = failed.nominated_node
        return
    spec.pop("schedulingGates", None)
    state = random.choice(STATES)
    ready = state in ("running", "deleted")
    phase = {
        "succeeded": "Succeeded",
        "evicted": "Failed",
        "creating": "Pending",
        "no image": "Pending",
        "init": "Pending",
    }
    pod["status"] = {
        "phase": phase.get(state, "Running"),
        "conditions": [
            {"type": "Initialized", "status": str(state != "init")},
            {"type": "Ready", "status": str(ready)},
            {"type": "ContainersReady", "status": str(ready)},
            {"type": "PodScheduled", "status": "True"},
        ],
        "hostIP": "10.0.0.7", "podIP": "10.244.1.7", "podIPs": [{"ip": "10.244.1.7"}], "startTime": timestamp(started),
        "qosClass": "Burstable",
        "containerStatuses": [_container(one, state, started, random) for one in spec["containers"]],
        "initContainerStatuses": [
            _container(one, "creating" if state == "init" else "succeeded", started, random)
            for one in spec.get("initContainers") or ()
        ],
    }  # fmt: skip
    if state == "evicted":
        pod["status"] |= {"reason": "Evicted", "message": "The node was low on resource: memory. Node: n1."}
    if state == "deleted":
        metadata["finalizers"] = ["example.com/kept"]
        metadata["deletionTimestamp"] = timestamp(now)


def _container(container: Manifest, state: str, started: datetime, random: Random) -> Manifest:
    ended = {"exitCode": 0, "reason": "Completed", "startedAt": timestamp(started), "finishedAt": timestamp(started)}
    states = {
        "crashing": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}},
        "no image": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}},
        "creating": {"waiting": {"reason": "ContainerCreating"}},
        "init": {"waiting": {"reason": "PodInitializing"}},
        "succeeded": {"terminated": ended},
        "evicted": {"terminated": {**ended, "exitCode": 137, "reason": "OOMKilled"}},
    }
    restarts = random.randrange(1, 40) if state == "crashing" else 0
    return {
        "name": container["name"], "image": container["image"], "imageID": "", "ready": state in ("running", "deleted"),
        "restartCount": restarts, "state": states.get(state, {"running": {"startedAt": timestamp(started)}}),
        **({"lastState": {"terminated": {**ended, "exitCode": 1, "reason": "Error"}}} if restarts else {}),
    }  # fmt: skip


def _events(
    decided: list[PodBound | SchedulingFailed], pods: dict[tuple[str, ...], Manifest], random: Random, now: datetime
) -> Iterator[Manifest]:
    """Yield the events of the scheduler, and one of kubelet after each binding. Set the nodes of bound pods."""
    numbers: Counter[str] = Counter()
    for event in decided:
        namespace, name = event.pod.split("/", 1)
        pod = pods[namespace, name]
        numbers[event.pod] += 1
        metadata = {"name": f"{name}.17{numbers[event.pod]:014x}", "namespace": namespace}
        about = {"kind": "Pod", "namespace": namespace, "name": name, "apiVersion": "v1"}
        last = now - timedelta(seconds=max(2, 3000 - 500 * numbers[event.pod] - random.randrange(400)))
        first = last - timedelta(seconds=random.choice((0, 900, 90_000)))
        made: Manifest = {"apiVersion": "v1", "kind": "Event", "metadata": metadata, "involvedObject": about}
        if isinstance(event, PodBound):
            pod["spec"]["nodeName"] = event.node
            text = f"Successfully assigned {event.pod} to {event.node}"
            made |= {"type": "Normal", "reason": "Scheduled", "message": text}
        else:
            made |= {"type": "Warning", "reason": "FailedScheduling", "message": event.message}
        if first < last or random.random() < 0.5:  # as kube-scheduler up to 1.18 and others write it
            source = {"component": SCHEDULER}
            times = {"firstTimestamp": timestamp(first), "lastTimestamp": timestamp(last)}
            yield made | times | {"source": source, "count": 1 if first == last else random.randrange(2, 300)}
        else:
            more = {"reportingComponent": SCHEDULER, "reportingInstance": f"{SCHEDULER}-cp", "action": "Scheduling"}
            yield made | more | {"eventTime": timestamp(last, micro=True)}
        if isinstance(event, PodBound):
            pulled = {
                **made, "metadata": {**metadata, "name": f"{metadata['name']}a"}, "reason": "Pulled",
                "message": 'Container image "nginx:1.25"   already present on machine', "count": 1,
                "involvedObject": {**about, "fieldPath": "spec.containers{main}"},
                "source": {"component": "kubelet", "host": event.node},
                "firstTimestamp": timestamp(last), "lastTimestamp": timestamp(last),
            }  # fmt: skip
            yield pulled
