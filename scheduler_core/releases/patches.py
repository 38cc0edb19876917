"""The patch releases of a minor release: fixes, and a regression, that were backported and change decisions.

A release is simulated as the patch whose runs were recorded. For another patch of it, `at_patch` applies the fixes that
came in between, or takes them back. FIXES has only fixes whose cherry-picks are known by number; CHANGELOG-1.<minor>.md
lists them under the patch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec
from msgspec.structs import replace as replaced

from scheduler_core.releases.release import Gate, Release

VERSION = re.compile(r"v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?", re.ASCII)


class Fix(msgspec.Struct, frozen=True):
    """A fix: the values of a rule without and with it, and the first patch with it, by minor release.

    Of several fixes of the same rule, later ones come later in FIXES.

    `gate`: the rule is the default of this feature gate instead. `pull`: the number of the pull request.
    """

    pull: int
    since: Mapping[str, int]
    without: Any
    fixed: Any
    rule: str = ""
    gate: str = ""


FIXES = (
    Fix(119778, {"1.26": 9, "1.27": 6, "1.28": 2}, False, True, rule="pre_filter_rejects_every_node"),
    Fix(122289, {"1.28": 6}, True, False, gate="SchedulerQueueingHints"),
    Fix(124559, {"1.27": 14, "1.28": 10, "1.29": 5}, True, False, rule="nodes_named_by_pre_filter_must_exist"),
    Fix(
        124933,
        {"1.27": 15, "1.28": 11, "1.29": 6, "1.30": 2},
        True,
        False,
        rule="search_position_counts_narrowed_nodes",
    ),
    # The first one introduced the regression that the second one fixes; it came to 1.28 as #121379.
    Fix(121103, {"1.28": 4}, False, True, rule="victims_get_the_preemptors_status"),
    Fix(126644, {"1.28": 14, "1.29": 9, "1.30": 5, "1.31": 1}, True, False, rule="victims_get_the_preemptors_status"),
    Fix(139457, {"1.34": 10, "1.35": 7, "1.36": 3}, False, True, rule="jobs_in_backoff_report_their_active_pods"),
    Fix(140435, {"1.36": 4}, False, True, rule="counters_belong_to_a_driver"),  # as #140504
    Fix(128307, {"1.29": 11, "1.30": 7, "1.31": 3}, False, True, rule="victims_are_sorted_again"),
)


def patch_of(version: str) -> tuple[str, int | None] | None:
    """Return the minor release and the patch (None if omitted) of "v1.30.10-gke.1"; None if it is not a version."""
    match = VERSION.match(version)
    if match is None:
        return None
    return f"{match[1]}.{match[2]}", int(match[3]) if match[3] else None


def at_patch(release: Release, patch: int) -> Release:
    """Return the release as of this patch; the release itself if no known fix is between it and the recorded one."""
    fixes = fixes_between(release, patch)
    if not fixes:
        return release
    recorded_patch = _recorded_patch(release)
    values = [(fix, fix.fixed if patch > recorded_patch else fix.without) for fix in fixes]
    rules = replace(release.rules, **{fix.rule: value for fix, value in values if fix.rule})
    gates = {**release.gates, **{fix.gate: Gate(value) for fix, value in values if fix.gate}}
    return replaced(release, patch=f"{release.version}.{patch}", rules=rules, gates=gates)


def fixes_between(release: Release, patch: int) -> list[Fix]:
    """Return the fixes that either this patch or the recorded one has, but not both, in the order of FIXES."""
    recorded_patch = _recorded_patch(release)
    first = [(fix, fix.since.get(release.version)) for fix in FIXES]
    return [fix for fix, since in first if since is not None and (since <= patch) != (since <= recorded_patch)]


def find_release(version: str, releases: Mapping[str, Release]) -> Release | None:
    """Return the release of a version with or without a patch; None if its minor release is not simulated."""
    patch = patch_of(version)
    if patch is None or patch[0] not in releases:
        return None
    release = releases[patch[0]]
    return release if patch[1] is None else at_patch(release, patch[1])


def nearest_release(version: str, releases: Mapping[str, Release]) -> Release | None:
    """Return the release to simulate for a version such as "v1.34.2-gke.1": its own or the nearest.

    None if it is not a version, or its major version is not 1.
    """
    if (release := find_release(version, releases)) is not None:
        return release
    patch = patch_of(version)
    if patch is None or not patch[0].startswith("1."):
        return None
    return releases[min(releases, key=lambda name: abs(_minor(name) - _minor(patch[0])))]


def most_frequent(versions: Iterable[str]) -> str:
    """Return the most frequent version of the most frequent minor release, such as "1.30.10"; in a tie, the newest.

    If none of them is a version, return "".
    """
    counts: dict[tuple[int, ...], int] = {}
    minors: dict[tuple[int, ...], int] = {}
    for version in versions:
        if match := VERSION.match(version):
            numbers = tuple(int(part) for part in match.groups() if part)
            counts[numbers] = counts.get(numbers, 0) + 1
            minors[numbers[:2]] = minors.get(numbers[:2], 0) + 1
    if not counts:
        return ""
    minor = max(minors, key=lambda numbers: (minors[numbers], numbers))
    best = max((numbers for numbers in counts if numbers[:2] == minor), key=lambda numbers: (counts[numbers], numbers))
    return ".".join(map(str, best))


def _minor(version: str) -> int:
    return int(version.split(".")[1])


def _recorded_patch(release: Release) -> int:
    return int(release.patch.rpartition(".")[2])
