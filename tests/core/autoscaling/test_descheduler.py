"""The pods that the DefaultEvictor protects, in whole runs."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import simulate
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.autoscaling_rows import autoscaling_rows
from tests.builders import Manifest, budget, node, pod, scenario
from tests.core.autoscaling.builders import own

OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
DAEMON = {**OWNER, "kind": "DaemonSet"}


def running(name: str, *, owner: Manifest | None = OWNER, **more: Any) -> Manifest:
    made = pod(name, node="n1", cpu="100m", labels={"app": name}, **more)
    if owner is not None:
        made["metadata"]["ownerReferences"] = [{**owner, "name": name, "uid": name}]
    return made


def volume(**source: Any) -> list[Manifest]:
    return [{"name": "v", **source}]


def storage(name: str, kind: str) -> list[Manifest]:
    """Return a bound claim, its class and its volume."""
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": kind}
    held = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": kind}
    source = {"csi": {"driver": "d", "volumeHandle": name}, "claimRef": {"namespace": "default", "name": name}}
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv-{name}"},
            "spec": {**held, **source},
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {**spec, "volumeName": f"pv-{name}"},
        },
    ]


PODS = [
    running("plain"),
    running("scratch", volumes=volume(emptyDir={})),
    running("daemon", owner=DAEMON),
    running("bare", owner=None),
    running("fast", volumes=volume(persistentVolumeClaim={"claimName": "fast"})),
    running("slow", volumes=volume(persistentVolumeClaim={"claimName": "slow"})),
    budget("guard", {"app": "plain"}, maxUnavailable=1),
    *storage("fast", "ssd"),
    *storage("slow", "disk"),
]


def evicted(evictor: Manifest, *more: Manifest) -> set[str]:
    policy = {
        "apiVersion": "descheduler/v1alpha2",
        "kind": "DeschedulerPolicy",
        "profiles": [
            {
                "name": "p",
                "pluginConfig": [
                    {"name": "DefaultEvictor", "args": evictor},
                    {"name": "PodLifeTime", "args": {"maxPodLifeTimeSeconds": 3}},
                ],
                "plugins": {"deschedule": {"enabled": ["PodLifeTime"]}},
            }
        ],
    }
    nodes = [node("n1"), node("n2", labels={"disk": "ssd"}), node("n3", unschedulable=True)]
    actor = own("Descheduler", policy=policy, startSeconds=10)
    read = parse_scenario(scenario(*nodes, *PODS, *more, actor, untilSeconds=30))
    rows = autoscaling_rows(simulate(read), [], 0.0)
    return {row["name"].partition("#")[0] for row in rows if row["what"] == "pod-evicted"}


@pytest.mark.parametrize(
    ("evictor", "names"),
    [
        ({}, {"plain", "fast", "slow"}),
        ({"evictLocalStoragePods": True}, {"plain", "scratch", "fast", "slow"}),
        ({"podProtections": {"defaultDisabled": ["PodsWithLocalStorage"]}}, {"plain", "scratch", "fast", "slow"}),
        ({"podProtections": {"defaultDisabled": ["DaemonSetPods"]}}, {"plain", "daemon", "fast", "slow"}),
        ({"podProtections": {"extraEnabled": ["PodsWithPVC"]}}, {"plain"}),
        (
            {
                "podProtections": {
                    "extraEnabled": ["PodsWithPVC"],
                    "config": {"PodsWithPVC": {"protectedStorageClasses": [{"name": "ssd"}]}},
                }
            },
            {"plain", "slow"},
        ),
        ({"podProtections": {"extraEnabled": ["PodsWithoutPDB"]}}, {"plain"}),
        ({"ignorePodsWithoutPDB": True}, {"plain"}),
        ({"nodeFit": True, "nodeSelector": "disk=ssd"}, {"plain", "fast", "slow"}),
        ({"nodeFit": True, "nodeSelector": "disk=tape"}, set()),
        ({"namespaceLabelSelector": {"matchLabels": {"team": "a"}}}, set()),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_pods_are_protected_as_the_arguments_say(evictor: Manifest, names: set[str]) -> None:
    assert evicted(evictor) == names


def test_only_namespaces_with_the_labels_are_descheduled() -> None:
    labelled = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "labels": {"team": "a"}}}
    chosen = {"namespaceLabelSelector": {"matchLabels": {"team": "a"}}}
    assert evicted(chosen, labelled) == {"plain", "fast", "slow"}
