"""Random scenarios for the fuzz harness: small clusters that use many features, as the text of a scenario file.

All values are drawn from small sets, so that pods compete: the same labels, ports, zones, priorities, claims and start
times.
"""

from __future__ import annotations

import json
from random import Random

from tests.reference.scenarios.configuration import configuration, extender_scripts
from tests.reference.scenarios.pods import (
    Manifest,
    chance,
    draw_model,
    draw_node,
    draw_pod,
    draw_running,
    follow_model,
    request_little,
)
from tests.reference.scenarios.policies import budget, namespace, workloads
from tests.reference.scenarios.timeline import timeline
from tests.reference.scenarios.volumes import draw_claim_volumes, draw_storage


def scenario_text(random: Random) -> str:
    """Return a scenario file with one JSON document for each object."""
    many = chance(random, 60)  # from 100 nodes on, the search may stop before the last node
    nodes = [draw_node(random, f"n{i}") for i in range(random.randint(100, 125) if many else random.randint(1, 7))]
    names = [node["metadata"]["name"] for node in nodes]
    pods = [draw_running(random, f"r{i}", names) for i in range(random.randint(0, 12))]
    pods += [draw_pod(random, f"p{i}") for i in range(random.randint(1, 3 if many else 8))]
    model = draw_model(random) if chance(random, 2) else None
    for pod in pods:
        follow_model(random, pod, model)
    others = [namespace(random, "team"), *(budget(random, i) for i in range(random.choice((0, 0, 1, 2))))]
    others += workloads(random)
    storage: list[Manifest] = []
    if chance(random, 3):
        storage = draw_storage(random, names)
        volumes_decide = chance(random, 2)
        for pod in pods:
            if volumes_decide:
                request_little(pod)
            draw_claim_volumes(random, pod)
    documents = [*others, *nodes, *storage, *pods]
    config = configuration(random) if chance(random, 3) else None
    if config is not None:
        documents.append(config)
    documents.append(timeline(random, nodes, pods, storage, others, model))
    documents[-1]["spec"] |= extender_scripts(random, config)
    return "\n---\n".join(map(json.dumps, documents))
