"""Example scenarios for the differences between adjacent releases.

`differences/<name>-<older release>.yaml`; the name is that of the rule, the plugin or the feature gate. The files
contain neither release nor description: these are added from the description of the difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from django.utils.translation import gettext

from kschedui.language import in_language
from scheduler_core.releases import RELEASES, Release
from scheduler_core.releases.differences import Difference, differences

FOLDER = Path(__file__).parent / "differences"
HEAD = "kind: Scenario\nspec:\n"  # of the document that names the release
PANICS = {  # rules by which one of the two schedulers ends in the scenario: there are no two runs to compare
    "affinity_counters_may_be_missing",
    "inline_volumes_need_a_csi_node",
    "scores_are_allocated_without_skipped",
}
Pair = tuple[Release, Release]  # older, newer


def name_of(difference: Difference) -> str:
    """Return the name under which the difference's scenario is stored."""
    return difference.name or difference.where


def pair_of(difference: Difference, before: Release, after: Release) -> Pair | None:
    """Return the adjacent releases, between the two, of the last occurrence of the difference with a scenario."""
    versions = sorted((before.version, after.version), key=list(RELEASES).index)
    for older, newer in reversed(list(neighbours(*versions))):
        if path_of(name_of(difference), older.version).exists() and arises(name_of(difference), older, newer):
            return older, newer
    return None


def neighbours(oldest: str, newest: str) -> Iterator[Pair]:
    """Yield the pairs from one release to the other, oldest first."""
    order = list(RELEASES)
    yield from pairwise(RELEASES[number] for number in order[order.index(oldest) : order.index(newest) + 1])


@cache
def names_between(older: str, newer: str) -> frozenset[str]:
    """Return the names of all differences between two adjacent releases."""
    return frozenset(map(name_of, differences(RELEASES[older], RELEASES[newer])))


def arises(name: str, older: Release, newer: Release) -> bool:
    return name in names_between(older.version, newer.version)


def path_of(name: str, older: str) -> Path:
    return FOLDER / f"{name}-{older}.yaml"


def text_of(name: str, older: str, release: str) -> str:
    """Return the scenario's text for a release, in the visitor's language; `older` is the older one of the pair."""
    text = path_of(name, older).read_text(encoding="utf-8")
    says = {"kubernetesVersion": release, **_texts_of(name, older)}
    lines = [f"  {field}: {json.dumps(value, ensure_ascii=False)}\n" for field, value in says.items()]
    return text.replace(HEAD, HEAD + "".join(lines), 1)


def _texts_of(name: str, older: str) -> dict[str, str]:
    """Return title and description."""
    order = list(RELEASES.values())
    newer = order[order.index(RELEASES[older]) + 1]
    difference = next(difference for difference in differences(RELEASES[older], newer) if name_of(difference) == name)
    before, after = in_language(difference.before), in_language(difference.after)
    title = (
        after[0].upper() + after[1:] if difference.name else gettext("{where}: {after}").format(where=name, after=after)
    )
    description = gettext("Kubernetes {older}: {before}. Kubernetes {newer}: {after}.")
    return {
        "title": title,
        "description": description.format(older=older, before=before, newer=newer.version, after=after),
    }
