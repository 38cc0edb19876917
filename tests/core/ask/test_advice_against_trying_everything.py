"""The smallest changes agree with an exhaustive search: none is smaller, no kind is missing, and each one works.

`make test-advice` draws several thousand clusters (KSCHEDUI_ADVICE=n for another number), `make test` a few.
"""

from __future__ import annotations

import os

import pytest

from scheduler_core import parse_scenario
from scheduler_core.ask.moments.moment import Moment, before_attempt
from scheduler_core.ask.smallest.smallest_change import Change, ChangeSearch
from tests.core.ask.advice import clusters, device_clusters
from tests.core.ask.advice.oracle import Oracle, Smallest
from tests.core.ask.less import without_one_edit
from tests.sampling import all_slow, rest_slow

CASES = int(os.environ.get("KSCHEDUI_ADVICE", "30"))
FIRST = int(os.environ.get("KSCHEDUI_ADVICE_FROM", "0"))
FAILED_ONCE = (
    730068,  # a value of a label that the pod asks for and no node has
    2600904,  # an eviction on another node ended the search on this one
    3100290,  # a priority that preempts where a higher one does not, since that removes a pod that affinity needs
)


def everything_found(moment: Moment) -> list[Change]:
    """Return the proposed changes, and the smallest change for each other node."""
    search = ChangeSearch(moment)
    for _ in search.work:
        pass
    ranked = search.ranked()
    return [*ranked, *(one for one in search.by_node().values() if one not in ranked)]


def problems(moment: Moment, changes: list[Change], smallest: Smallest, oracle: Oracle) -> list[str]:
    """Return a sentence for each error in the changes."""
    found = []
    for one in changes:
        fitting, preempting = oracle.fits(one.edits)
        if one.victims and not preempting:
            found.append(f"does not preempt: {words_of(one)}")
        if not one.victims and not {one.node, *one.others} <= fitting:
            found.append(f"does not fit: {words_of(one)}")
        less = [edits for edits in without_one_edit(one) if one.node in oracle.fits(edits)[0]]
        found += [f"less does, too: {words_of(one)} {edits}" for edits in less]
    answered = {node: one for one in reversed(changes) if not one.victims for node in (one.node, *one.others)}
    by_kinds = {one.kinds for one in changes}
    for node, count in smallest.count.items():
        there = [one for one in changes if not one.victims and node in (one.node, *one.others)]
        best = min((len(one.changed) for one in there), default=99)
        if node in smallest.untrue and any(not one.false for one in there):
            continue  # more honest edits than were tried together
        if best > count:
            found.append(f"{node} takes {count} edits {sorted(map(sorted, smallest.kinds[node]))}, not {best}")
        if best < count:
            found.append(f"{node} takes {best} edits, and trying everything found {count}: {words_of(answered[node])}")
        found += [
            f"{node} is also done by {sorted(kinds)}"
            for kinds in smallest.kinds[node]
            if not any(kinds >= other for other in by_kinds)
        ]
    found += [f"also done by {sorted(kinds)}" for kinds in smallest.preempting if kinds not in by_kinds]
    if smallest.kinds.get("added") and frozenset({"nodes"}) not in by_kinds:
        found.append("one more node does")
    return found + unconfirmed(changes, smallest)


def unconfirmed(changes: list[Change], smallest: Smallest) -> list[str]:
    """Return a sentence for each change of one spread or priority if trying everything found no change of that kind."""
    found = []
    for one in changes:
        if len(one.changed) > 1 or one.changed[0].kind not in ("spread", "priority"):
            continue
        values = [step for name, step in smallest.steps.items() if name.startswith(one.changed[0].kind)]
        if not values:
            found.append(f"trying everything did not find {words_of(one)}")
    return found


def words_of(change: Change) -> str:
    return f"{change.node}: " + ", ".join(f"{one.kind} {one.name} {one.before}->{one.after}" for one in change.changed)


@pytest.mark.parametrize("seed", [*rest_slow(6, range(FIRST, FIRST + CASES)), *all_slow(FAILED_ONCE)])
def test_no_smaller_change_is_missed(seed: int) -> None:
    check(clusters.text(seed))


@pytest.mark.parametrize("seed", rest_slow(6, range(FIRST, FIRST + CASES)))
def test_no_smaller_change_of_claims_is_missed(seed: int) -> None:
    check(device_clusters.text(seed))


def check(text: str) -> None:
    moment = before_attempt(parse_scenario(text), 1)
    changes = everything_found(moment)
    if moment.world().decide(moment.pod.key, all_nodes=True).node:
        assert not changes
        return
    oracle = Oracle(moment)
    found = problems(moment, changes, oracle.smallest(), oracle)
    assert not found, "\n".join([*found, "proposed:", *map(words_of, changes)])
