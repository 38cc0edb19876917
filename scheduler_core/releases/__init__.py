"""The supported Kubernetes releases, one file for each minor release.

`v1_36.py` is complete; each other release is derived from its neighbour (`Release.derive`).
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules

from scheduler_core.releases.patches import find_release, most_frequent, nearest_release
from scheduler_core.releases.release import Gate, Release
from scheduler_core.releases.rules import Rules

__all__ = [
    "DEFAULT_RELEASE",
    "RELEASES",
    "Gate",
    "Release",
    "Rules",
    "names_in_policies",
    "release_named",
    "release_of_kubelets",
]


def _load_releases() -> dict[str, Release]:
    """Return `V1_<minor>` of each module `v1_<minor>` of this package, by version, oldest first."""
    names = [module.name for module in iter_modules(__path__) if module.name.startswith("v1_")]
    names.sort(key=lambda name: int(name.removeprefix("v1_")))
    releases = [getattr(import_module(f"{__name__}.{name}"), name.upper()) for name in names]
    return {release.version: release for release in releases}


RELEASES = _load_releases()
# of scenarios that name none: the newest release of which runs were recorded
DEFAULT_RELEASE = [release for release in RELEASES.values() if release.recorded][-1]


def release_named(version: str) -> Release | None:
    """Return the release of a version such as "1.30", or as of the patch of "1.30.10"; None if it is not simulated."""
    return find_release(version, RELEASES)


def release_of_kubelets(versions: Iterable[str]) -> Release | None:
    """Return the release of most kubelets (in a tie, the newer), or the nearest one that is simulated.

    None if no version can be parsed, or the major version is not 1.
    """
    return nearest_release(most_frequent(versions), RELEASES)


def names_in_policies() -> tuple[list[str], list[str]]:
    """Return the names of predicates, and of priorities, that a Policy of any release can contain, sorted."""
    policies = [release.policy for release in RELEASES.values() if release.policy is not None]
    predicates = {name for policy in policies for name in policy.predicates}
    priorities = {name for policy in policies for name in policy.priorities}
    return sorted(predicates), sorted(priorities)
