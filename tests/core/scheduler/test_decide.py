"""A decision that is not carried out says what the attempt says, and nothing of it is written."""

from __future__ import annotations

import pytest

from scheduler_core import simulate
from scheduler_core.ask.moments.moment import before_attempt
from scheduler_core.trace.events import ObjectApplied, SchedulingFailed
from tests.builders import (
    claims,
    configuration,
    device_claim,
    device_class,
    node,
    parse,
    pod,
    resource_slice,
)

URL = "http://extender"


@pytest.mark.parametrize(("release", "reported"), [("1.25", False), ("1.26", False), ("1.27", True)])
def test_an_error_of_preemption_is_told_as_the_release_tells_it(release: str, reported: bool) -> None:
    failing = parse(
        node("n1", cpu=1),
        pod("low", cpu=1, node="n1"),
        pod("high", cpu=1, priority=9),
        configuration(extenders=[{"urlPrefix": URL, "preemptVerb": "preempt"}]),
        kubernetesVersion=release,
        extenders=[{"urlPrefix": URL, "failures": [{"verb": "preempt", "message": "out of order"}]}],
    )
    decision = before_attempt(failing, 1).decision
    told = next(event.message for event in simulate(failing) if isinstance(event, SchedulingFailed))
    assert decision.message == told
    assert ("out of order" in told) == reported


def test_an_observed_failure_leaves_the_claims_as_the_recording_has_them() -> None:
    """The cluster's own scheduler deallocated the claim or did not: what it wrote is in the recording."""
    result = {"request": "gpu", "driver": "gpu.example.com", "pool": "n1-gpu", "device": "gpu-0"}
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
    allocation = {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": terms}}
    objects = [
        node("n1"),
        node("n2"),
        device_class(),
        resource_slice("n1-gpu", ["gpu-0"]),
        device_claim("c", status={"allocation": allocation}),
        pod("p", resourceClaims=claims("c"), nodeSelector={"kubernetes.io/hostname": "n2"}),
    ]
    failure = {"at": 1, "pod": "default/p", "message": "0/2 nodes are available"}
    events = list(simulate(parse(*objects, observed=[failure])))
    assert any(isinstance(event, ObjectApplied) for event in simulate(parse(*objects)))
    assert not any(isinstance(event, ObjectApplied) for event in events)
