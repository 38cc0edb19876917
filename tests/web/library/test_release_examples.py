"""Every difference between neighbouring releases has a scenario that shows it, and the two runs can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import msgspec
import pytest

from kschedui import library
from kschedui.abouts import about_of
from kschedui.scenarios import engine
from kschedui.scenarios.release_examples import (
    FOLDER,
    PANICS,
    adjacent_pairs,
    arises,
    has_example,
    name_of,
    starter_of,
    text_of,
)
from kschedui.web.api import jobs
from scheduler_core import RunEnded, ScenarioErrors, decisions, parse_scenario, simulate
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.dynamic_resources import allocator
from scheduler_core.releases import RELEASES, Release, Rules
from scheduler_core.releases.differences import differences
from tests.web.conftest import Browser

ORDER = list(RELEASES)
NEIGHBOURS = list(adjacent_pairs(ORDER[0], ORDER[-1]))
RULES = {one.name for one in fields(Rules)}
SHOWS_LATER = {  # rules without effect on decisions between these two releases, and why
    "preemption_tries_all_but_unresolvable-1.30",  # up to 1.30 every node that was cut off has a status of its own
    "pre_filter_goes_on_after_a_plain_rejection-1.29",  # no plugin of these releases rejects plainly at PreFilter
    "pods_that_nobody_rejected_back_off-1.27",  # 1.28 has queueing hints on, which undo it until 1.29
    "victims_get_a_condition-1.25",  # 1.26 does not ask for the condition yet
    "failure_precedes_preemption-1.16",  # decides nothing: events and writes come in another order
    "terminating_replicas_are_counted-1.34",  # a status that the scheduler does not read
    "suspended_jobs_have_no_start_time-1.35",  # likewise
    "jobs_wait_for_terminating_pods-1.30",  # likewise
    "jobs_have_success_policies-1.30",  # decides how long a Job makes pods, not where they go
    "jobs_count_failures_by_index-1.28",  # likewise
    "jobs_may_replace_failed_pods_only-1.28",  # likewise
    "budgets_say_when_unhealthy_pods_go-1.26",  # decides which pods are evicted
    "resizes_larger_than_the_node_are_refused-1.35",  # decides who refuses it
    "finished_pods_make_room_for_resizes-1.35",  # decides when the kubelet allocates what is counted already
    "deferred_resizes_wait_in_one_queue-1.33",  # likewise
    "jobs_in_backoff_report_their_active_pods-1.36",  # a status that the scheduler does not read
    "jobs_may_not_be_more_ready_than_active-1.31",  # likewise
}
HIDDEN_ALONE = {  # the releases differ, but the rule alone makes no difference in either
    "volume_zone_reads_claims_on_zoned_nodes-1.26",  # in 1.26 VolumeZone has no PreFilter
}
WITHOUT_PODS_OF_THEIR_OWN = {
    "SchedulingGates",
    "CinderLimits",
    "NodeDeclaredFeatures",
}  # plugins whose pods the older release refuses
NAMES = {f"{name_of(one)}-{older.version}" for older, newer in NEIGHBOURS for one in differences(older, newer)}
READS_OTHER_FIELDS = {"VolumeZone-1.16"}  # up to 1.26 it reads the beta labels of zones alone
EXAMPLES = sorted(
    {path.stem for path in FOLDER.glob("*.yaml")}
    | {example for example in NAMES if has_example(*example.rsplit("-", 1))}
)


@pytest.fixture(autouse=True)
def _device_searches_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limit of 200,000 steps, because one example has a search that times out, which would take seconds."""
    monkeypatch.setattr(allocator, "MAX_STEPS", 5_000)


def split(example: str) -> tuple[str, Release, Release]:
    """Return the name of the rule or plugin, the older and the newer release."""
    name, _, older = example.rpartition("-")
    return name, RELEASES[older], RELEASES[ORDER[ORDER.index(older) + 1]]


def decided(text: str, release: Release) -> list[Any]:
    """Return all decision records; if the run or the parsing fails, the last item is the error's text."""
    found: list[Any] = []
    try:
        found.extend(decisions(simulate(parse_scenario(text, release=release))))
    except (RunEnded, ScenarioErrors) as error:
        found.append(str(error))
    return found


def with_rule(release: Release, name: str, other: Release) -> Release:
    return msgspec.structs.replace(release, rules=replace(release.rules, **{name: getattr(other.rules, name)}))


def rules_that_differ() -> Iterator[str]:
    for older, newer in NEIGHBOURS:
        for one in differences(older, newer):
            if one.name:
                yield f"{one.name}-{older.version}"


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_two_releases_decide_it_differently(example: str) -> None:
    name, older, newer = split(example)
    assert arises(name, older, newer)
    text = text_of(name, older.version, older.version)
    before, after = decided(text, older), decided(text, newer)
    assert before != after
    if name in RULES and example not in HIDDEN_ALONE:
        alone = decided(text, with_rule(older, name, newer)), decided(text, with_rule(newer, name, older))
        assert alone[0] != before or alone[1] != after, "it is another rule that makes the difference"


def test_a_new_plugin_rejects_a_node_in_its_starter() -> None:
    rejecting = set()
    for example in set(EXAMPLES) - READS_OTHER_FIELDS:
        name, older, newer = split(example)
        runs = name in {default.name for default in newer.default_plugins}
        is_new = starter_of(name, older.version) is not None
        if is_new and runs and any(reason.starter for reason in about_of(REGISTRY[name]).reasons):
            first = decided(text_of(name, older.version, newer.version), newer)[0]
            assert name in {verdict["plugin"] for verdict in first["filter"].values()}
            rejecting.add(name)
    assert len(rejecting) >= 10


def test_every_rule_that_differs_has_an_example() -> None:
    assert set(rules_that_differ()) - set(EXAMPLES) == SHOWS_LATER


def test_every_plugin_that_comes_or_goes_has_an_example() -> None:
    for older, newer in NEIGHBOURS:
        for one in differences(older, newer):
            if one.where in RELEASES["1.25"].plugin_points or one.where in newer.plugin_points:
                known = one.name or has_example(name_of(one), older.version)
                assert known or one.where in WITHOUT_PODS_OF_THEIR_OWN, (one.where, older.version)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_read_on_both_releases_which_its_text_then_names(example: str) -> None:
    name, older, newer = split(example)
    for release in (older, newer):
        assert engine.read(text_of(name, older.version, release.version)).release is release


def test_the_page_compares_the_two_runs_of_a_difference(author: Browser) -> None:
    page = author.get("/releases/?from=1.34&to=1.35").content.decode()
    assert '<button class="button small" name="example" value="ties_are_broken_at_random-1.34">' in page
    asked = {"example": "too_large_requests_are_unresolvable-1.33"}
    answer = author.post("/releases/example", asked)
    assert answer.status_code == 302
    assert author.post("/releases/example", asked).url == answer.url, "the same scenarios are found again"
    compared = author.get(answer.url)
    assert compared.status_code == 200


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_comparison_names_something_that_differs(example: str) -> None:
    name, older, newer = split(example)
    sides = [(text_of(name, older.version, release.version), "") for release in (older, newer)]
    if name in PANICS:
        with pytest.raises(jobs.Refused) as refused:
            jobs.compare_runs(*sides)
        assert "panics here" in refused.value.rows[0]["message"]
        return
    made = msgspec.json.decode(jobs.compare_runs(*sides))
    assert made["comparison"]["first"] or made["unlike"]


def test_where_one_of_the_two_schedulers_panics_all_releases_are_shown(author: Browser) -> None:
    answer = author.post("/releases/example", {"example": "scores_are_allocated_without_skipped-1.28"})
    assert "kube-scheduler 1.28 panics here" in author.get(answer.url).content.decode()


def test_runs_that_decide_the_same_say_where_their_words_differ(author: Browser) -> None:
    asked = {"example": "taint_toleration_reason_names_the_taint-1.34"}
    page = author.get(author.post("/releases/example", asked).url).content.decode()
    assert "The first difference: different message." in page
    assert "had untolerated taint(s)" in page


def test_a_difference_that_is_not_there_is_refused(author: Browser) -> None:
    for asked in ({}, {"example": "nonsense-1.33"}, {"example": "ties_are_broken_at_random-1.36"}):
        assert author.post("/releases/example", asked).status_code == 404
    hidden = {"example": "victims_get_a_condition-1.25"}
    assert "This difference has no scenario" in author.post("/releases/example", hidden).content.decode()


def test_nobody_owns_or_lists_an_example(author: Browser, stranger: Browser) -> None:
    url = author.post("/releases/example", {"example": "ties_are_broken_at_random-1.34"}).url
    sid = url.split("/")[2]
    assert stranger.get(f"/s/{sid}/").status_code == 200
    assert author.get(f"/s/{sid}/edit/").status_code == 302, "it is edited as a fork"
    assert sid not in author.get("/").content.decode()


def test_a_lesson_about_a_difference_pins_its_release() -> None:
    pinned = {path.stem: text for path in library.files() if "kubernetesVersion" in (text := path.read_text("utf-8"))}
    assert set(pinned) >= {"async-preemption", "balanced-allocation"}
    for text in pinned.values():
        release = engine.read(text).release
        assert any(decided(text, release) != decided(text, other) for other in RELEASES.values())


def test_an_example_is_in_the_visitors_language(author: Browser) -> None:
    asked = {"example": "nodes_excluded_by_pre_filter-1.30"}
    english = author.get(author.post("/releases/example", asked).url).content.decode()
    assert "Nodes excluded by PreFilter are not reported in the message" in english
    author.cookies["django_language"] = "zh-hans"
    chinese = author.get(author.post("/releases/example", asked).url).content.decode()
    assert "消息中不报告被 PreFilter 排除的节点" in chinese
