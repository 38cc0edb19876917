"""Measure the processor time and memory of rollouts of many pods at once.

Targets on a quiet machine: 20 s and 400 MB for 500 Deployments of 20 pods on 5,000 nodes, 3 s for one of 1,000 pods on
1,000 nodes.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Mapping
from typing import Any

import yaml

from kschedui.work.rare_collection import rare_collection
from scheduler_core import parse_scenario, simulate
from scheduler_core.scenario.parse import Limits

CASES = {"many": (5000, 500, 20), "one": (1000, 1, 1000)}  # nodes, Deployments, pods of each


class Dumper(yaml.SafeDumper):
    """A YAML dumper without aliases, because the parser limits their number."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def scenario(nodes: int, deployments: int, pods: int, kubelet: Mapping[str, float]) -> str:
    """Return a scenario in which all Deployments get another image at 30 s."""
    room = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    documents: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}"}, "status": {"allocatable": room}}
        for i in range(nodes)
    ]
    events = []
    for i in range(deployments):
        container = {"name": "c", "image": "v1", "resources": {"requests": {"cpu": "100m"}}}
        labels = {"app": f"web{i}"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        spec = {"replicas": pods, "selector": {"matchLabels": labels}, "template": template}
        documents.append({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"web{i}"}, "spec": spec})
        new = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "v2"}]}}}}
        events.append({"at": 30, "patch": {"kind": "Deployment", "name": f"web{i}", "patch": new}})
    own = {"untilSeconds": 90, "kubelet": dict(kubelet), "events": events}
    documents.append({"apiVersion": "kschedui.io/v1alpha1", "kind": "Scenario", "metadata": {"name": "b"}, "spec": own})
    return yaml.dump_all(documents, Dumper=Dumper, sort_keys=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; all if none is named")
    for case in parser.parse_args().cases or CASES:
        for kubelet in ({"startSeconds": 0}, {"startSeconds": 1, "stopSeconds": 1}):
            parsed = parse_scenario(scenario(*CASES[case], kubelet), Limits(bytes=1 << 28))
            began = time.process_time()
            with rare_collection():  # as workers and the command line do
                events = sum(1 for _ in simulate(parsed))
            seconds = time.process_time() - began
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(f"{case} {kubelet}: {events:,} events, {seconds:.1f} s of processor time, at most {memory} MB so far")


if __name__ == "__main__":
    main()
