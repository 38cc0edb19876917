"""Explanations agree with the decisions recorded from the schedulers before 1.19."""

from __future__ import annotations

import json
import re

import pytest
from msgspec.structs import replace

from scheduler_core.apis.messages import RunEnded
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.simulation.simulation import Simulation
from tests.conformance.records import records_of, scenario_of
from tests.core.explain.test_attempt import EveryAttempt

CASES = sorted((release, case) for release in ("1.15", "1.16", "1.18") for case in records_of(release))[::3]


def result_of(arithmetic: list[str]) -> int:
    """Return the last number of the last line, without its remark in parentheses."""
    return int(re.findall(r"-?\d+", re.sub(r" \(.*\)$", "", arithmetic[-1]))[-1])


@pytest.mark.parametrize(("release", "case"), CASES, ids=str)
def test_an_explanation_says_what_the_scheduler_decided(release: str, case: str) -> None:
    known = replace(parse_scenario(scenario_of(case), release=RELEASES[release]), controllers=())
    simulation = Simulation(known, REGISTRY)
    watcher = EveryAttempt(simulation)
    try:
        for _ in simulation.run():
            pass
    except RunEnded:  # where kube-scheduler panics
        pass
    records = [json.loads(line) for line in records_of(release)[case].splitlines()]
    for record, explained in zip((one for one in records if "attempt" in one), watcher.explained, strict=False):
        assert (explained.attempt, explained.pod) == (record["attempt"], record["pod"])
        for node in explained.nodes:
            verdict = record["filter"].get(node.node)
            failing = [one for one in node.filters if one.evaluated and one.code not in ("Success", "Skip")]
            assert [one.plugin for one in failing[:1]] == (verdict["predicates"][:1] if verdict else [])
            scored = {name: by_node[node.node] for name, by_node in record["scores"].items() if node.node in by_node}
            assert {one.plugin: [one.raw, one.normalized, one.weighted] for one in node.scores} == scored
            assert [result_of(one.arithmetic) for one in node.scores] == [one.normalized for one in node.scores]
