"""Up to 1.31, a node may have an attach limit for a driver; names too long for a resource are shortened."""

from __future__ import annotations

from hashlib import sha1

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from tests.builders import node, pod, scenario
from tests.core.plugins.volumes.world import claim, using, volume

LONG = "a-driver-with-a-name-that-is-far-too-long.csi.example.com"
SHORT = "csi.example.com"


def key(driver: str) -> str:
    """Return the result of volume/util's GetCSIAttachLimitKey."""
    full = f"attachable-volumes-csi-{driver}"
    if len(full) < 63:
        return full
    return f"attachable-volumes-csi-{driver[:23]}{sha1(driver.encode()).hexdigest()[:16]}"


def placed(driver: str, resource: str, release: str) -> bool:
    volumes = [
        volume(
            f"v{n}", csi={"driver": driver, "volumeHandle": f"h{n}"}, claimRef={"name": f"c{n}", "namespace": "default"}
        )
        for n in (1, 2)
    ]
    claims = [claim(f"c{n}", volumeName=f"v{n}") for n in (1, 2)]
    text = scenario(
        node("n1", resources={resource: "1"}),
        *volumes,
        *claims,
        pod("first", node="n1", volumes=using("c1")),
        pod("second", volumes=using("c2")),
    )
    *_, final = decisions(simulate(parse_scenario(text, release=RELEASES[release])))
    return "default/second" in final["final"]["bound"]


@pytest.mark.parametrize("driver", [LONG, SHORT])
def test_the_limit_of_a_driver_is_found_under_its_shortened_name(driver: str) -> None:
    assert len(key(driver)) <= 63
    assert not placed(driver, key(driver), "1.31")
    assert placed(driver, key(driver), "1.32"), "later ones look into the CSINode alone"


def test_a_name_that_is_not_shortened_is_no_limit_of_a_long_driver() -> None:
    assert placed(LONG, f"attachable-volumes-csi-{LONG[:40]}", "1.31")
