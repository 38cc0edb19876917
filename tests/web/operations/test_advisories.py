"""Pinned images and packages are not older than the safe versions in deploy/advisories.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml
from packaging.version import Version

from tests.conftest import ROOT

ADVISORIES = yaml.safe_load((ROOT / "deploy" / "advisories.yaml").read_text())


def images() -> dict[str, str]:
    """Return the version of each image that is pulled, by name."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"].values()
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    pulled = [service["image"] for service in services if "build" not in service]
    return dict(re.fullmatch(r"(\w+):([\d.]+).*", image).groups() for image in (*pulled, *bases))  # type: ignore[misc, union-attr]


def packages() -> dict[str, str]:
    """Return the version of each package that is installed, by name."""
    return dict(re.findall(r"^([a-z0-9._-]+)==([\w.]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE))


def rows() -> Iterator[tuple[str, str, str, str]]:
    for kind, pins in (("images", images()), ("packages", packages())):
        for name, advisories in ADVISORIES[kind].items():
            for entry in advisories:
                yield name, pins.get(name, ""), entry["below"], entry["advisory"]


@pytest.mark.parametrize(("name", "version", "below", "advisory"), list(rows()))
def test_nothing_pinned_has_a_known_hole(name: str, version: str, below: str, advisory: str) -> None:
    assert version, f"{name} is not used any more: delete its row"
    assert Version(version) >= Version(below), advisory


def test_every_image_is_on_the_list_or_a_base() -> None:
    assert images().keys() - {"node", "python"} == ADVISORIES["images"].keys()
