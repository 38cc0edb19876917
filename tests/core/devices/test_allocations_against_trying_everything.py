"""The devices that claims get agree with an exhaustive search, and what must always hold in a run does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import (
    AttemptFinished,
    CycleStarted,
    ObjectApplied,
    ObjectDeleted,
    PodAssumed,
    RunFinished,
    RunStarted,
)
from scheduler_core.trace.records import ClaimState, GivenDevice
from tests.builders import Manifest, scenario
from tests.core.devices.drawn import Drawn
from tests.core.devices.exhaustive import Refused, Used, memory, picks

CASES = int(os.environ.get("KSCHEDUI_DEVICES", "30"))
FIRST = int(os.environ.get("KSCHEDUI_DEVICES_FROM", "0"))


class Watched:
    """Follows claims and slices by the events of a run."""

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn
        self.claims: dict[str, ClaimState] = {}
        self.slices = list(drawn.slices)
        self.specs = {f"default/{one['metadata']['name']}": one for one in drawn.claims}
        for one in drawn.templates:
            for pod in drawn.pods:
                for wanted in pod["spec"]["resourceClaims"]:
                    if wanted.get("resourceClaimTemplateName") == one["metadata"]["name"]:
                        key = f"default/{pod['metadata']['name']}-{wanted['name']}"
                        self.specs[key] = {"spec": one["spec"]["spec"]}
        self.bound: dict[str, str] = {}
        self.attempts = self.errors = self.placed = 0

    def devices(self) -> Iterator[tuple[tuple[str, str, str], Manifest]]:
        for piece in self.slices:
            for device in piece["spec"].get("devices", []):
                yield (piece["spec"]["driver"], piece["spec"]["pool"]["name"], device["name"]), device

    def given(self) -> Iterator[tuple[ClaimState, GivenDevice]]:
        return ((claim, one) for claim in self.claims.values() for one in claim.devices if claim.allocated)

    def used(self) -> Used:
        devices = dict(self.devices())
        whole: set[tuple[str, str, str]] = set()
        amounts: Counter[tuple[str, str, str]] = Counter()
        slots: Counter[tuple[str, str]] = Counter()
        for _, one in self.given():
            key = (one.driver, one.pool, one.device)
            if one.admin_access:
                continue
            if one.share_id:
                amounts[key] += gibibytes(one.consumed["memory"])
            else:
                whole.add(key)
            for consumed in devices[key].get("consumesCounters", []):
                slots[key[:2]] += int(consumed["counters"]["slots"]["value"])
        return Used(frozenset(whole), amounts, slots)

    def check(self) -> None:
        """Assert that no device is allocated twice, no shared device or counter beyond its size."""
        devices = dict(self.devices())
        times: Counter[Any] = Counter()
        for claim, one in self.given():
            times[one.driver, one.pool, one.device] += 0 if one.admin_access or one.share_id else 1
            assert claim.reserved_for or claim.claim in self.specs
        assert not [key for key, count in times.items() if count > 1]
        used = self.used()
        assert all(amount <= memory(devices[key]) for key, amount in used.memory.items())
        for piece in self.slices:
            for counters in piece["spec"].get("sharedCounters", []):
                pool = (piece["spec"]["driver"], piece["spec"]["pool"]["name"])
                assert used.counters.get(pool, 0) <= int(counters["counters"]["slots"]["value"])


def gibibytes(text: str) -> int:
    assert text.endswith("Gi"), text
    return int(text.removesuffix("Gi"))


def expected(watched: Watched, keys: Sequence[str], minor: int) -> tuple[dict[str, Any], bool]:
    """Return the devices that the claims get on each node, and whether the attempt ends with an error."""
    found: dict[str, Any] = {}
    allocated = [watched.claims[key] for key in keys if watched.claims[key].allocated]
    missing = [watched.specs[key] for key in keys if not watched.claims[key].allocated]
    used = watched.used()
    homes = {
        (one["spec"]["driver"], one["spec"]["pool"]["name"]): one["spec"].get("nodeName") for one in watched.slices
    }
    for node in watched.drawn.nodes:
        name = node["metadata"]["name"]
        reachable = all(homes[one.driver, one.pool] in (None, name) for claim in allocated for one in claim.devices)
        try:
            solution = picks(name, missing, watched.slices, used, minor) if missing else []
        except Refused:
            return {}, True
        if solution is not None and reachable:
            found[name] = solution
    return found, False


def watch(seed: int, release: str) -> Watched:
    """Run a scenario and compare each attempt. Return the state after the run."""
    minor = int(release.partition(".")[2])
    drawn = Drawn(seed, minor)
    text = scenario(*drawn.objects(), events=drawn.events, untilSeconds=900)
    watched = Watched(drawn)
    answer: tuple[dict[str, Any], bool] = ({}, False)
    keys: list[str] = []
    missing: list[str] = []
    chosen = ""
    events = list(simulate(parse_scenario(text, release=RELEASES[release])))
    records = decisions(events)
    for event in events:
        match event:
            case RunStarted():
                watched.claims = {claim.claim: claim for claim in event.claims}
            case ObjectApplied(kind="ResourceSlice"):
                late = [one["create"] for one in drawn.events if "create" in one]
                watched.slices += [one for one in late if one["metadata"]["name"] == event.name]
            case ObjectApplied(claim=ClaimState() as claim):
                watched.claims[claim.claim] = claim
                watched.check()
            case ObjectDeleted(kind="ResourceClaim"):
                watched.claims.pop(f"{event.namespace}/{event.name}", None)
            case ObjectDeleted(kind="Pod"):
                watched.bound.pop(f"{event.namespace}/{event.name}", None)
            case CycleStarted():
                keys = keys_of(drawn, event.pod)
                missing = [key for key in keys if not watched.claims[key].allocated]
                answer = expected(watched, keys, minor)
                chosen = ""
            case PodAssumed():
                chosen = event.node
            case AttemptFinished():
                watched.attempts += 1
                record = next(records)
                assert record["pod"] == event.pod
                solutions, refused = answer
                assert (event.outcome == "Error") is refused, (event, answer)
                watched.errors += refused
                if refused:
                    continue
                assert sorted(record["feasible"] or ()) == sorted(solutions), (record, answer)
                assert (event.outcome == "Scheduled") is bool(solutions)
                if chosen:
                    watched.placed += 1
                    watched.bound[event.pod] = chosen
                    got = [
                        [(one.request, (one.driver, one.pool, one.device)) for one in watched.claims[key].devices]
                        for key in missing
                    ]
                    assert got == solutions[chosen], event
                    assert all(event.pod.partition("/")[2] in watched.claims[key].reserved_for for key in keys)
            case RunFinished():
                for pod in event.pending:
                    if all(key in watched.claims for key in keys_of(drawn, pod)):
                        assert not expected(watched, keys_of(drawn, pod), minor)[0], f"{pod} could be scheduled"
    return watched


def keys_of(drawn: Drawn, pod: str) -> list[str]:
    name = pod.partition("/")[2]
    found = next(one for one in drawn.pods if one["metadata"]["name"] == name)
    return [
        f"default/{wanted.get('resourceClaimName') or name + '-' + wanted['name']}"
        for wanted in found["spec"]["resourceClaims"]
    ]


@pytest.mark.parametrize("release", ["1.34", "1.35", "1.36"])
@pytest.mark.parametrize("seed", range(FIRST, FIRST + CASES))
def test_claims_get_the_first_devices_that_fit_them_all(seed: int, release: str) -> None:
    watched = watch(seed, release)
    assert watched.attempts
