"""Example scenarios for the differences between adjacent releases.

`differences/<name>-<older release>.yaml`; the name is that of the rule, the plugin or the feature gate. The files
contain neither release nor description: these are added from the description of the difference. A new plugin needs no
file: the starter scenario of one of its reasons shows it, or the sample cluster that starters change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from django.utils.translation import gettext

from kschedui.abouts import about_of
from kschedui.language import in_language
from kschedui.scenarios import compact_yaml
from scheduler_core import ScenarioErrors, parse_scenario
from scheduler_core.framework.about import MakeStarter
from scheduler_core.framework.starter import StarterCluster
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import RELEASES, Release
from scheduler_core.releases.differences import ReleaseDifference, differences

FOLDER = Path(__file__).parent / "differences"
HEAD = "kind: Scenario\nspec:\n"  # of the document that names the release
PANICS = {  # rules by which one of the two schedulers ends in the scenario: there are no two runs to compare
    "affinity_counters_may_be_missing",
    "inline_volumes_need_a_csi_node",
    "scores_are_allocated_without_skipped",
}
Pair = tuple[Release, Release]  # older, newer


def name_of(difference: ReleaseDifference) -> str:
    """Return the name under which the difference's scenario is stored."""
    return difference.name or difference.where


def pair_of(difference: ReleaseDifference, before: Release, after: Release) -> Pair | None:
    """Return the newest pair of adjacent releases that has the difference, and a scenario that shows it; None if there
    is none.
    """
    versions = sorted((before.version, after.version), key=list(RELEASES).index)
    for older, newer in reversed(list(adjacent_pairs(*versions))):
        if arises(name_of(difference), older, newer) and has_example(name_of(difference), older.version):
            return older, newer
    return None


def adjacent_pairs(oldest: str, newest: str) -> Iterator[Pair]:
    """Yield the pairs of adjacent releases from one release to the other, oldest first."""
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


def has_example(name: str, older: str) -> bool:
    """Return whether a scenario shows the difference between this release and the next one."""
    return path_of(name, older).exists() or starter_of(name, older) is not None


@cache
def starter_of(name: str, older: str) -> StarterCluster | None:
    """Return the cluster that shows a plugin of the next release, changed by one of the plugin's starters if it has
    any.

    None if the plugin is not new, or if no starter is accepted by both releases.
    """
    pair = pair_from(older)
    if [name in release.plugin_points for release in pair] != [False, True]:
        return None
    starters = [reason.starter for reason in about_of(REGISTRY[name]).reasons if reason.starter]
    clusters = map(sample_cluster, starters or (None,))
    return next((cluster for cluster in clusters if all(accepts(release, cluster) for release in pair)), None)


def pair_from(older: str) -> Pair:
    """Return the release and the next one."""
    order = list(RELEASES.values())
    return RELEASES[older], order[order.index(RELEASES[older]) + 1]


def sample_cluster(starter: MakeStarter | None) -> StarterCluster:
    """Return a cluster of three nodes, one of them changed by the starter, a pod on another, and a pod to schedule."""
    cluster = StarterCluster(3, [""])
    for _ in range(cluster.total):
        cluster.add_node()
    cluster.request("cpu", "500m")
    cluster.add_neighbour(cluster.nodes[1], container={"resources": {"requests": {"cpu": "500m"}}})
    if starter is not None:
        starter(cluster, cluster.nodes[:1], "")
    return cluster


def accepts(release: Release, cluster: StarterCluster) -> bool:
    try:
        parse_scenario(compact_yaml.write_all(cluster.documents()), release=release)
    except ScenarioErrors:
        return False
    return True


def text_of(name: str, older: str, release: str) -> str:
    """Return the scenario's text for a release, in the visitor's language; `older` is the older one of the pair."""
    spec_fields = {"kubernetesVersion": release, **_texts_of(name, older)}
    path, starter = path_of(name, older), starter_of(name, older)
    if starter is not None and not path.exists():
        return compact_yaml.write_all(starter.documents(**spec_fields))
    lines = [f"  {field}: {json.dumps(value, ensure_ascii=False)}\n" for field, value in spec_fields.items()]
    return path.read_text(encoding="utf-8").replace(HEAD, HEAD + "".join(lines), 1)


def _texts_of(name: str, older: str) -> dict[str, str]:
    """Return the title and the description of the scenario, in the visitor's language."""
    pair = pair_from(older)
    difference = next(difference for difference in differences(*pair) if name_of(difference) == name)
    before, after = in_language(difference.before), in_language(difference.after)
    title = (
        after[0].upper() + after[1:] if difference.name else gettext("{where}: {after}").format(where=name, after=after)
    )
    description = gettext("Kubernetes {older}: {before}. Kubernetes {newer}: {after}.")
    return {
        "title": title,
        "description": description.format(older=older, before=before, newer=pair[1].version, after=after),
    }
