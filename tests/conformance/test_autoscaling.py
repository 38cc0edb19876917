"""Recorded runs of real autoscalers and of the descheduler have the same decisions, evictions, events and final
cluster.

Decisions are compared in order, and their times within 3 seconds. Properties that differ between two runs of the real
actor (`racy`) are left out, and runs whose decisions depend on chance are not compared. The order of Karpenter's claims
in a batch is not compared, because it creates and launches them in parallel; nor are its events about a node that is
not initialized, has not appeared, is nominated or is being deleted, because they depend on the time of a round.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.trace.autoscaling_rows import autoscaling_rows
from tests.conformance.records import files_in

Row = dict[str, Any]
FOLDER = Path(__file__).parent / "autoscaling"
TOLERANCE = 3.0  # seconds between a recorded and a simulated decision
TOGETHER = 1.5  # seconds between decisions of one kind that have no order
PASSING = ("isn't initialized", "associated node", "is nominated", "is deleting")  # reasons that depend on the round
CHOICES = ("karpenter.sh/capacity-type", "topology.kubernetes.io/zone", "kubernetes.io/arch")


@cache
def recordings() -> Mapping[str, tuple[str, list[Row]]]:
    """Return the text of the scenario and the recorded rows, by name."""
    files: dict[str, str] = {}
    for archive in FOLDER.glob("*.tar.xz"):
        files.update(files_in(archive))
    names = sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml"))
    return {name: (files[f"{name}.yaml"], rows_of(files[f"{name}.jsonl"])) for name in names}


def rows_of(text: str) -> list[Row]:
    return [json.loads(line) for line in text.splitlines()]


def racy(name: str) -> set[str]:
    return set(recordings()[name][1][0]["details"]["racy"])


def simulated(text: str) -> list[Row]:
    """Return the rows of a simulated run, with times since the actor's start; earlier ones only about new nodes."""
    scenario = parse_scenario(text)
    start = min(actor.start_seconds for actor in scenario.actors)
    rows = autoscaling_rows(simulate(scenario), [group.name for group in scenario.node_groups], start)
    shifted = [{**row, "t": row["t"] - start} for row in rows]
    return [row for row in shifted if row["t"] >= -0.01 or row["what"] == "node-created"]


def workload(name: str) -> str:
    return re.sub(r"#\d+$", "", name)


def decisions(rows: list[Row]) -> list[tuple[float, tuple[Any, ...]]]:
    """Return the actor's requests to the cloud, and its changes of NodeClaims, as (time, decision)."""
    found: list[tuple[float, tuple[Any, ...]]] = []
    for row in rows:
        if row["what"] in ("cloud-increase", "cloud-decrease-target"):
            found.append((row["t"], (row["what"], row["name"], row["details"]["delta"])))
        elif row["what"] == "cloud-delete":
            found.append((row["t"], (row["what"], row["name"], len(row["details"]["nodes"]))))
        elif row["what"] == "nodeclaim-created":
            found.append((row["t"], (row["what"], *claim_fields(row["details"]))))
        elif row["what"] == "nodeclaim-condition" and row["details"]["condition"] == "Launched":
            chosen = (row["details"][field] for field in ("instanceType", "zone", "capacityType"))
            found.append((row["t"], ("launched", *chosen)))
        elif row["what"] == "nodeclaim-deleted":
            found.append((row["t"], (row["what"], re.sub(r"-\d+$", "", row["name"]))))
    return sort_batches(found)


def claim_fields(details: Row) -> tuple[str, ...]:
    """Return the pool, the instance types, the requirements and the requests of a NodeClaim."""
    limits = {key: value for key, value in details["requirements"].items() if key in CHOICES}
    types = ",".join(sorted(details["instanceTypes"]))
    return (
        details["nodePool"],
        types,
        json.dumps(limits, sort_keys=True),
        json.dumps(details["requests"], sort_keys=True),
    )


def sort_batches(found: list[tuple[float, tuple[Any, ...]]]) -> list[tuple[float, tuple[Any, ...]]]:
    """Return the decisions; successive ones of Karpenter of the same kind, within TOGETHER seconds, are sorted."""
    kinds = ("nodeclaim-created", "launched", "nodeclaim-deleted")
    ordered: list[tuple[float, tuple[Any, ...]]] = []
    batch: list[tuple[float, tuple[Any, ...]]] = []
    for time, decision in found:
        if batch and (decision[0] != batch[0][1][0] or time - batch[0][0] > TOGETHER or decision[0] not in kinds):
            ordered += sorted(batch, key=lambda row: row[1])
            batch = []
        batch.append((time, decision))
    return ordered + sorted(batch, key=lambda row: row[1])


def groups(rows: list[Row]) -> dict[str, str]:
    """Return the group of each node, or the node's name if it has none."""
    found = {}
    for row in rows:
        if row["what"] in ("initial", "final"):
            found |= {node["name"]: node["group"] or node["name"] for node in row["details"]["nodes"]}
        elif row["what"] == "node-created":
            found[row["name"]] = row["details"].get("group") or row["name"]
    return found


def evictions(rows: list[Row]) -> Counter[tuple[str, str, str]]:
    group_of = groups(rows)
    evicted = ((row["name"], row["details"]) for row in rows if row["what"] == "pod-evicted")
    return Counter((workload(name), group_of.get(d["node"], d["node"]), d["reason"]) for name, d in evicted)


def events(rows: list[Row]) -> set[tuple[str, str, str]]:
    recorded = [row for row in rows if row["what"] == "event" and not is_passing(row["details"])]
    return {(r["details"]["reason"], r["kind"], workload(r["name"]) if r["kind"] == "Pod" else "") for r in recorded}


def is_passing(details: Row) -> bool:
    """Return whether an event of Karpenter depends on the state of a node at the time of a round."""
    return details["reason"] == "DisruptionBlocked" and any(text in details["message"] for text in PASSING)


def final(rows: list[Row], *, placed: bool) -> Any:
    last = rows[-1]["details"]
    fields = ("instanceType", "zone", "capacityType", "unschedulable")
    nodes = Counter((node["group"] or node["name"], *(node[field] for field in fields)) for node in last["nodes"])
    pods = Counter((workload(pod), node["group"] or node["name"]) for node in last["nodes"] for pod in node["pods"])
    return nodes, pods if placed else None, Counter(map(workload, last["pending"]))


def differences(name: str) -> Iterator[str]:
    """Yield the differences between the recording and the simulation."""
    text, want = recordings()[name]
    got, chance = simulated(text), racy(name)
    there, here = decisions(want), decisions(got)
    if "order" in chance:
        there, here = sorted(there, key=lambda row: row[1]), sorted(here, key=lambda row: row[1])
    if [decision for _, decision in there] != [decision for _, decision in here]:
        yield f"decided {there}, here {here}"
    elif "order" not in chance:
        late = [(t, u, x) for (t, x), (u, _) in zip(there, here, strict=True) if abs(t - u) > TOLERANCE]
        if late:
            yield f"at another time: {late}"
    if evictions(want) != evictions(got):
        yield f"evicted {evictions(want)}, here {evictions(got)}"
    if "events" not in chance and events(want) != events(got):
        yield f"events {events(want) ^ events(got)}"
    placed = "placement" not in chance
    if final(want, placed=placed) != final(got, placed=placed):
        yield f"at the end {final(want, placed=placed)}, here {final(got, placed=placed)}"


# Known differences, with their causes: rows of docs/fidelity.md.
KNOWN_DIFFERENCES = {"karp-12-volume-zone": "nothing provisions volumes in the recorded cluster"}
COMPARED = [name for name in recordings() if not racy(name) & {"choice", "initial"} and name not in KNOWN_DIFFERENCES]


@pytest.mark.parametrize("name", COMPARED)
def test_decisions_equal_those_of_the_real_actor(name: str) -> None:
    assert not list(differences(name))


@pytest.mark.parametrize("name", sorted(set(recordings()) - set(COMPARED)))
def test_a_run_that_is_not_compared_reaches_its_end(name: str) -> None:
    assert simulated(recordings()[name][0])[-1]["what"] == "final"


@pytest.mark.parametrize("name", KNOWN_DIFFERENCES)
def test_a_known_difference_is_still_one(name: str) -> None:
    assert list(differences(name)), "it is equal now: remove it from the list, and its row from docs/fidelity.md"


def test_the_same_scenario_gives_the_same_rows() -> None:
    text = recordings()["ca-51-packing-mixed"][0]
    assert simulated(text) == simulated(text)
