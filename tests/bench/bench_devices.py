#!/usr/bin/env python3
"""Measure how fast pods with ResourceClaims are scheduled: 1,000 nodes of 8 GPUs, 500 pods with one or two claims.

    python tests/bench/bench_devices.py [--nodes N] [--runs N]

Every claim has a matchAttribute. The figures are milliseconds of processor time for each scheduling cycle, the best of
several runs: without the trace (the events are dropped), and with the trace in the frames that are stored. The exit
status is 1 if a cycle takes longer than its target.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kschedui.runs import frames
from kschedui.work.rare_collection import rare_collection
from scheduler_core import chunked, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import AttemptFinished, RunStarted
from tests.bench.bench_engine import LIMITS
from tests.bench.machine import describe_machine

AIM = 10.0  # milliseconds
MODELS = (("a100", "40Gi"), ("a100", "80Gi"), ("h100", "80Gi"), ("l40", "48Gi"))
API = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"


def devices(nodes: int, pods: int) -> list[dict[str, Any]]:
    """Return nodes with 8 GPUs, two at each PCIe root, of one of four models; and pods.

    Each pod claims two GPUs of one PCIe root, and every other pod claims a third GPU.
    """
    return [
        {
            "apiVersion": API,
            "kind": "DeviceClass",
            "metadata": {"name": "gpu"},
            "spec": {"selectors": [_cel(f'device.driver == "{DRIVER}"')]},
        },
        _template("pair", 2, f'device.capacity["{DRIVER}"].memory.compareTo(quantity("48Gi")) >= 0', "pcieRoot"),
        _template("single", 1, f'device.attributes["{DRIVER}"].model in ["h100", "l40"]', "numa"),
        *(_slice(number) for number in range(nodes)),
        *(_node(number) for number in range(nodes)),
        *(_pod(number) for number in range(pods)),
    ]


def _cel(expression: str) -> dict[str, Any]:
    return {"cel": {"expression": expression}}


def _template(name: str, count: int, expression: str, attribute: str) -> dict[str, Any]:
    exactly = {"deviceClassName": "gpu", "count": count, "selectors": [_cel(expression)]}
    shared = [{"requests": ["gpus"], "matchAttribute": f"{DRIVER}/{attribute}"}]
    spec = {"devices": {"requests": [{"name": "gpus", "exactly": exactly}], "constraints": shared}}
    return {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": name}, "spec": {"spec": spec}}


def _slice(number: int) -> dict[str, Any]:
    name, (model, memory) = f"node-{number:04d}", MODELS[number % len(MODELS)]
    gpus = [
        {
            "name": f"gpu-{index}",
            "attributes": {
                "model": {"string": model},
                "pcieRoot": {"string": f"pci{index // 2}"},
                "numa": {"int": index // 4},
                "uuid": {"string": f"GPU-{number:04d}-{index}"},
            },
            "capacity": {"memory": {"value": memory}},
        }
        for index in range(8)
    ]
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "pool": pool, "nodeName": name, "devices": gpus}
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": f"{name}-gpu"}, "spec": spec}


def _node(number: int) -> dict[str, Any]:
    resources = {"cpu": "64", "memory": "512Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"node-{number:04d}"},
        "status": {"capacity": resources, "allocatable": resources},
    }


def _pod(number: int) -> dict[str, Any]:
    templates = ("pair", "single") if number % 2 else ("pair",)
    container = {
        "name": "main",
        "image": "training",
        "resources": {"requests": {"cpu": "1"}, "claims": [{"name": name} for name in templates]},
    }
    claims = [{"name": name, "resourceClaimTemplateName": name} for name in templates]
    spec = {"containers": [container], "resourceClaims": claims}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{number:04d}"}, "spec": spec}


def measure(release: str, text: str, runs: int) -> bool:
    """Print one row. Return whether a cycle, with its trace, is as fast as its target."""
    scenario = parse_scenario(text, LIMITS, release=RELEASES[release])
    bare, kept, events = [], [], []
    for _ in range(runs):
        events, seconds = _run(scenario)
        bare.append(seconds)
        with rare_collection():
            started = time.process_time()
            size = sum(len(frames.pack(chunk)) for chunk in chunked(events))
            kept.append(seconds + time.process_time() - started)
    attempts = sum(isinstance(event, AttemptFinished) for event in events)
    scheduled = sum(isinstance(event, AttemptFinished) and event.outcome == "Scheduled" for event in events)
    alone, whole = (1000 * min(times) / attempts for times in (bare, kept))
    missed = "" if whole <= AIM else "   MISSED"
    print(f"{release:8}{attempts:8}{scheduled:11}{alone:10.2f}{whole:10.2f}{size / attempts:9.0f}{AIM:6.0f}{missed}")
    return not missed


def _run(scenario: Any) -> tuple[list[Any], float]:
    running = simulate(scenario)
    first = next(running)
    assert isinstance(first, RunStarted)
    with rare_collection():
        started = time.process_time()
        events = [first, *running]
        return events, time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="*", default=["1.34", "1.36"])
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    text = "\n---\n".join(json.dumps(one) for one in devices(options.nodes, options.pods))
    print(describe_machine())
    print(f"{'release':8}{'cycles':>8}{'scheduled':>11}{'ms':>10}{'kept, ms':>10}{'bytes':>9}{'aim':>6}")
    good = [measure(release, text, options.runs) for release in options.releases]
    print(describe_machine())
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
