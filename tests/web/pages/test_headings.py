"""The headings of the Pending page agree with the verdict of every node: a plugin is named exactly if it rejects a
node."""

from __future__ import annotations

from random import Random

import pytest

from kschedui.waiting.analysis import waiting_pods
from kschedui.waiting.reasons import declarations
from kschedui.waiting.words import blocker_words
from scheduler_core import attempt_records, parse_scenario, simulate
from scheduler_core.plugins import REGISTRY
from tests.builders import Manifest, node, pod, required_affinity, scenario, spread
from tests.sampling import rest_slow

SEEDS, AT_ONCE = 60, 20


def a_cluster(seed: int) -> str:
    """Return nodes with labels, taints and little free capacity, and pods with rules that some of the nodes break."""
    random = Random(seed)
    objects: list[Manifest] = [
        node(
            f"n{number}",
            cpu=random.choice((1, 2)),
            pods=random.choice((1, 4)),
            labels={"disk": random.choice(("ssd", "hdd"))},
            taints=random.choice(((), (), ("gpu=yes:NoSchedule",), ("node.kubernetes.io/not-ready:NoSchedule",))),
            unschedulable=random.random() < 0.15,
        )
        for number in range(random.randint(1, 6))
    ]
    for number in range(random.randint(1, 6)):
        spec = {}
        if random.random() < 0.4:
            spec["nodeSelector"] = {"disk": random.choice(("ssd", "nvme"))}
        if random.random() < 0.3:
            spec["affinity"] = required_affinity({"app": "a"}, anti=random.random() < 0.6)
        if random.random() < 0.3:
            spec["topologySpreadConstraints"] = [spread({"app": "a"}, "kubernetes.io/hostname")]
        if random.random() < 0.3:
            spec["tolerations"] = [
                {"key": "gpu", "operator": "Exists", "effect": random.choice(("NoSchedule", "NoExecute"))}
            ]
        objects.append(pod(f"p{number}", cpu=random.choice((1, 2)), labels={"app": random.choice("ab")}, **spec))
    return scenario(*objects)


@pytest.mark.parametrize("first", rest_slow(3, range(0, SEEDS, AT_ONCE)))
def test_a_heading_names_the_plugins_that_reject_nodes_the_nearest_first(first: int) -> None:
    seen = 0
    for seed in range(first, first + AT_ONCE):
        text = a_cluster(seed)
        parsed = parse_scenario(text)
        records = {record["pod"]: record for record in attempt_records(simulate(parsed))}
        for waiting in waiting_pods(parsed, REGISTRY):
            rejected = {name: status["plugin"] for name, status in records[waiting.pod]["filter"].items()}
            named = [cause.plugin for cause in waiting.blockers]
            assert set(named) == set(rejected.values()), (seed, waiting.pod)
            assert len(named) == len(set(named))
            heading = str(blocker_words(waiting))
            phrases = [declarations()[plugin].blocker for plugin in named]
            assert all(phrase is not None and phrase.en.split("{")[0].strip() in heading for phrase in phrases), heading
            assert ("On other nodes" in heading) == (len(set(named)) > 1), heading
            if waiting.nearest and waiting.nearest[0].node in rejected:
                assert named[0] == rejected[waiting.nearest[0].node], (seed, waiting.pod)
            seen += len(named) > 1
    assert seen
