"""Dumps of made-up clusters, as `kubectl get -o yaml` and `-o json` print them, with everything that real ones contain.

    dump = Cluster(nodes=300, pods=8000).objects()

    text = as_yaml(listed(dump))

Every value that must not leave the browser or the terminal contains the text `SECRET`.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import yaml

from scheduler_core.scenario.reading.yaml_composer import resolve_plain

Manifest = dict[str, Any]
SECRET = "s3cr3t-v4lue"
STARTED = "2025-01-01T00:00:00Z"
TEAMS = ("shop", "billing", "search", "ads", "mail", "data")
LONG_MESSAGE = (
    "0/{nodes} nodes are available: {nodes} Insufficient cpu. preemption: 0/{nodes} nodes are available: "
    "{nodes} No preemption victims found for incoming pod."
)


class Cluster:
    """A cluster of `nodes` with `pods`, of which one in `waits` is pending.

    `images`: on each node. `fields`: managed fields of each object.
    """

    def __init__(
        self, nodes: int, pods: int, seed: int = 1, images: int = 50, fields: int = 20, waits: int = 100
    ) -> None:
        self.nodes, self.pods, self.images, self.fields, self.waits = nodes, pods, images, fields, waits
        self.random = random.Random(seed)

    def objects(self) -> list[Manifest]:
        """Return the nodes, then the workloads with their pods, then objects that the scheduler does not read."""
        return [*map(self.node, range(self.nodes)), *self.workloads(), *self.others()]

    def node(self, number: int) -> Manifest:
        name = f"node-{number:03}"
        labels = {
            "beta.kubernetes.io/arch": "amd64",
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": name,
            "node.kubernetes.io/instance-type": "m5.4xlarge",
            "topology.kubernetes.io/region": "eu-west-1",
            "topology.kubernetes.io/zone": f"eu-west-1{'abc'[number % 3]}",
        }
        amounts = {"cpu": "15890m", "ephemeral-storage": "95551679124", "memory": "62Gi", "pods": "58"}
        images = [
            {
                "names": [f"registry.example.com/{TEAMS[i % 6]}/app-{i}@sha256:{digest(f'{i}')}", image(i)],
                "sizeBytes": 10**8 + i,
            }
            for i in range(self.images)
        ]
        status = {
            "addresses": [{"address": f"10.0.{number // 250}.{number % 250}", "type": "InternalIP"}],
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [
                condition(one, "False") for one in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
            ],
            "images": images,
            "nodeInfo": {"kubeletVersion": "v1.34.1", "machineID": digest(name)[:32], "osImage": "Linux"},
        }
        metadata = self.metadata(name, "", labels, "v1", "Node")
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": metadata,
            "spec": {"providerID": f"aws:///{name}"},
            "status": status,
        }

    def workloads(self) -> Iterator[Manifest]:
        """Yield Deployments, each with its ReplicaSet and its pods, until there are enough pods."""
        made = number = 0
        while made < self.pods:
            replicas = min(self.random.randint(5, 60), self.pods - made)
            name, team = f"app-{number}", TEAMS[number % len(TEAMS)]
            labels = {"app": name, "team": team}
            template = {"metadata": {"labels": labels}, "spec": self.pod_spec(name, number)}
            spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
            yield {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": self.metadata(name, team, labels, "apps/v1", "Deployment"),
                "spec": spec,
                "status": {"replicas": replicas},
            }
            hashed = digest(name)[:9]
            owned = {**labels, "pod-template-hash": hashed}
            replica_set = self.metadata(f"{name}-{hashed}", team, owned, "apps/v1", "ReplicaSet")
            replica_set["ownerReferences"] = [owner("Deployment", name, team)]
            selector = {"matchLabels": {"app": name, "pod-template-hash": hashed}}
            yield {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "metadata": replica_set,
                "spec": {**spec, "selector": selector},
                "status": {"replicas": replicas},
            }
            for i in range(replicas):
                yield self.pod(f"{name}-{hashed}", team, owned, number, made + i)
            made, number = made + replicas, number + 1

    def pod_spec(self, name: str, number: int) -> Manifest:
        cpu = f"{self.random.choice((100, 250, 500))}m"
        container = {
            "args": ["--serve", f"--token={SECRET}-args"],
            "command": ["/bin/app", f"{SECRET}-command"],
            "env": [
                {"name": "PASSWORD", "value": f"{SECRET}-env"},
                {"name": "KEY", "valueFrom": {"secretKeyRef": {"key": "key", "name": f"{name}-secret"}}},
                {"name": "MODE", "valueFrom": {"configMapKeyRef": {"key": f"{SECRET}-key", "name": f"{name}-config"}}},
                *({"name": f"SETTING_{i}", "value": f"{SECRET} {i}"} for i in range(12)),
            ],
            "envFrom": [{"prefix": f"{SECRET}-prefix", "secretRef": {"name": f"{name}-secret"}}],
            "image": image(number),
            "imagePullPolicy": "IfNotPresent",
            "lifecycle": {"preStop": {"exec": {"command": ["/bin/stop", f"{SECRET}-stop"]}}},
            "livenessProbe": {
                "httpGet": {
                    "httpHeaders": [{"name": "Authorization", "value": f"{SECRET}-probe"}],
                    "path": "/",
                    "port": 80,
                }
            },
            "name": "main",
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": cpu, "memory": "256Mi"}},
            "volumeMounts": [{"mountPath": "/var/run/secrets", "name": "kube-api-access-abcde", "readOnly": True}],
        }
        return {
            "containers": [container],
            "dnsPolicy": "ClusterFirst",
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "serviceAccountName": "default",
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {
                    "effect": "NoExecute",
                    "key": "node.kubernetes.io/not-ready",
                    "operator": "Exists",
                    "tolerationSeconds": 300,
                },
                {
                    "effect": "NoExecute",
                    "key": "node.kubernetes.io/unreachable",
                    "operator": "Exists",
                    "tolerationSeconds": 300,
                },
            ],
            "volumes": [
                {
                    "name": "kube-api-access-abcde",
                    "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": {"path": "token"}}]},
                },
                {"name": "config", "configMap": {"name": f"{name}-config"}},
            ],
        }

    def pod(self, owner_name: str, team: str, labels: Manifest, number: int, index: int) -> Manifest:
        name = f"{owner_name}-{digest(str(index))[:5]}"
        metadata = {**self.metadata(name, team, labels, "v1", "Pod"), "generateName": f"{owner_name}-"}
        metadata["ownerReferences"] = [owner("ReplicaSet", owner_name, team)]
        spec = {**self.pod_spec(labels["app"], number), "enableServiceLinks": True, "priority": 0}
        status: Manifest = {"phase": "Running", "qosClass": "Burstable", "startTime": STARTED}
        if index % self.waits == self.waits - 1:
            spec["containers"][0]["resources"]["requests"]["cpu"] = "20"
            message = LONG_MESSAGE.format(nodes=self.nodes)
            waits = {**condition("PodScheduled", "False"), "message": message, "reason": "Unschedulable"}
            status = {"conditions": [waits], "phase": "Pending", "qosClass": "Burstable"}
        else:
            spec["nodeName"] = f"node-{index % self.nodes:03}"
            status["conditions"] = [
                condition(one, "True") for one in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
            ]
            status["containerStatuses"] = [
                {
                    "allocatedResources": spec["containers"][0]["resources"]["requests"],
                    "containerID": f"containerd://{digest(name)}",
                    "image": image(number),
                    "lastState": {"terminated": {"exitCode": 1, "message": f"{SECRET}-message"}},
                    "name": "main",
                    "ready": True,
                    "resources": spec["containers"][0]["resources"],
                    "restartCount": 0,
                    "state": {"running": {"startedAt": STARTED}},
                }
            ]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}

    def others(self) -> Iterator[Manifest]:
        """Yield Secrets, ConfigMaps, Widgets, and the CRD of the Widgets."""
        for i in range(max(self.pods // 40, 2)):
            team = TEAMS[i % len(TEAMS)]
            data = {"password": f"{SECRET}-data", "key": f"{SECRET}-key" * 20}
            yield {
                "apiVersion": "v1",
                "data": data,
                "kind": "Secret",
                "metadata": self.metadata(f"secret-{i}", team, {}, "v1", "Secret"),
                "type": "Opaque",
            }
            text = f"mode: fast\npassword: {SECRET}-config\n\n# end\n"
            yield {
                "apiVersion": "v1",
                "binaryData": {"key.bin": f"{SECRET}-binary"},
                "data": {"app.yaml": text},
                "kind": "ConfigMap",
                "metadata": self.metadata(f"config-{i}", team, {}, "v1", "ConfigMap"),
            }
            yield {
                "apiVersion": "example.com/v1",
                "kind": "Widget",
                "metadata": self.metadata(f"widget-{i}", team, {}, "example.com/v1", "Widget"),
                "spec": {"token": f"{SECRET}-widget"},
            }
        yield {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": self.metadata(
                "widgets.example.com", "", {}, "apiextensions.k8s.io/v1", "CustomResourceDefinition"
            ),
            "spec": {"group": "example.com"},
        }

    def metadata(self, name: str, namespace: str, labels: Manifest, version: str, kind: str) -> Manifest:
        found: Manifest = {
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": json.dumps(
                    {"kind": kind, "password": f"{SECRET}-applied"}
                )
                + "\n",
                "example.com/note": f"{SECRET}-annotation",
            },
            "creationTimestamp": STARTED,
            "labels": labels,
            "managedFields": managed(version, self.fields),
            "name": name,
        }
        if namespace:
            found["namespace"] = namespace
        return {**found, "resourceVersion": "48151623", "uid": uid(kind, name, namespace)}


def managed(version: str, fields: int) -> list[Manifest]:
    first = {
        "f:metadata": {"f:labels": {".": {}, f"f:{SECRET}-managed": {}}},
        "f:spec": {f"f:field{i}": {} for i in range(fields)},
    }
    made = {
        "apiVersion": version,
        "fieldsType": "FieldsV1",
        "manager": "kube-controller-manager",
        "operation": "Update",
        "time": STARTED,
    }
    return [
        {**made, "fieldsV1": first},
        {**made, "manager": "kubelet", "fieldsV1": {"f:status": {'k:{"type":"Ready"}': {".": {}}}}},
    ]


def owner(kind: str, name: str, namespace: str) -> Manifest:
    return {
        "apiVersion": "apps/v1",
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": kind,
        "name": name,
        "uid": uid(kind, name, namespace),
    }


def condition(name: str, status: str) -> Manifest:
    return {"lastProbeTime": None, "lastTransitionTime": STARTED, "status": status, "type": name}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def uid(*parts: str) -> str:
    found = digest("/".join(parts))
    return f"{found[:8]}-{found[8:12]}-4{found[13:16]}-8{found[17:20]}-{found[20:32]}"


def image(number: int) -> str:
    return f"registry.example.com/{TEAMS[number % 6]}/app-{number}:1.{number % 17}.0"


def listed(objects: list[Manifest]) -> Manifest:
    """Return the List in which kubectl prints the objects."""
    return {"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {"resourceVersion": ""}}


def as_json(found: Manifest) -> str:
    """Return the output of `kubectl -o json`."""
    return json.dumps(found, indent=4, sort_keys=True) + "\n"


def as_yaml(found: Manifest) -> str:
    """Return the output of `kubectl -o yaml`: block style, sorted keys, dashes not indented, long texts folded."""
    return "\n".join(_lines(found, 0)) + "\n"


def _lines(value: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    if isinstance(value, dict):
        for key in sorted(value):
            below = value[key]
            if isinstance(below, dict | list) and below:
                yield f"{pad}{_scalar(key)}:"
                yield from _lines(below, indent + (2 if isinstance(below, dict) else 0))
            elif isinstance(below, str) and "\n" in below:
                yield f"{pad}{_scalar(key)}: |"
                yield from (f"{pad}  {line}" if line else "" for line in below.rstrip("\n").split("\n"))
            else:
                yield f"{pad}{_scalar(key)}: {_folded(_scalar(below), pad)}"
        return
    for item in value:
        if isinstance(item, dict | list) and item:
            first, *rest = _lines(item, indent + 2)
            yield f"{pad}- {first[indent + 2 :]}"
            yield from rest
        else:
            yield f"{pad}- {_scalar(item)}"


_known: dict[Any, str] = {}


def _scalar(value: Any) -> str:
    """Return a scalar as go-yaml writes it: quoted if it would be read as a number or a boolean."""
    if not isinstance(value, str):
        return json.dumps(value)
    if value not in _known:
        bare = isinstance(resolve_plain(value), str)
        made = yaml.safe_dump(value, width=10**6, default_style=None if bare else '"')
        _known[value] = made.removesuffix("\n...\n").rstrip("\n")
    return _known[value]


def _folded(text: str, pad: str) -> str:
    """Break a long quoted or plain text into lines, as go-yaml does."""
    space = re.search(r"(?<! ) (?! )", text[79:])
    if space is None:
        return text
    at = 79 + space.start()
    return f"{text[:at]}\n{pad}  {_folded(text[at + 1 :], pad)}"
