"""The page of differences between releases is derived from the releases; a scenario runs on all of them side by
side."""

from __future__ import annotations

import pytest
from django.conf import settings
from msgspec.structs import replace

from kschedui.management.commands import release_table
from kschedui.scenarios.across_releases import MAX_ATTEMPTS, Outcome, outcomes
from kschedui.web.pages.release_choice import badge
from kschedui.web.pages.releases import NO_ATTEMPT, strip
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES
from scheduler_core.releases.differences import differences
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser

TWO_SHAPES = scenario(
    node("cpu-heavy", cpu=4, memory="8Gi", taints=["spot:NoSchedule"]),
    node("plain", cpu=4, memory="8Gi"),
    pod("p", cpu=5),
)


def test_every_release_differs_from_its_neighbour_and_the_page_says_in_what(author: Browser) -> None:
    page = author.get("/releases/").content.decode()
    for version in list(RELEASES)[1:]:
        assert f"→ {version}" in page
    assert "if several nodes have the highest score, one of them is selected at random" in page


def test_two_releases_that_are_not_neighbours_can_be_compared(author: Browser) -> None:
    page = author.get("/releases/?from=1.34&to=1.36").content.decode()
    assert "Kubernetes 1.34 → 1.36" in page
    assert "Kubernetes 1.35 → 1.36" not in page
    assert "improves the balance of the node" in page


@pytest.mark.parametrize("query", ["from=1.20&to=1.36", "from=1.30&to=x", "from=%00"])
def test_a_release_that_is_not_known_is_refused_with_those_that_are(author: Browser, query: str) -> None:
    answer = author.get(f"/releases/?{query}")
    assert answer.status_code == 404
    assert f"expected one of {', '.join(RELEASES)}" in answer.content.decode()


def test_there_and_back_is_the_same_the_other_way_round() -> None:
    there = differences(RELEASES["1.34"], RELEASES["1.36"])
    back = differences(RELEASES["1.36"], RELEASES["1.34"])
    assert {(one.before, one.after) for one in there} == {(one.after, one.before) for one in back}
    assert differences(RELEASES["1.36"], RELEASES["1.36"]) == []


def test_a_scenario_on_every_release_says_where_it_first_goes_another_way() -> None:
    found = {outcome.version: outcome for outcome in outcomes(TWO_SHAPES)}
    assert list(found) == list(reversed(RELEASES))
    assert (found["1.35"].differs, found["1.34"].differs) == (0, 1)
    assert found["1.34"].pod == "default/p"
    assert found["1.34"].placed_alike, "the words differ, the outcome does not"
    assert {outcome.waiting for outcome in found.values()} == {1}


def test_the_page_of_a_version_on_every_release_links_each_run(author: Browser) -> None:
    saved = author.save(TWO_SHAPES)
    page = author.get(f"/s/{saved['id']}/v/1/releases/").content.decode()
    for version in RELEASES:
        assert f'href="/s/{saved["id"]}/v/1/?kubernetes={version}"' in page
    assert "attempt 1, default/p: same outcome, different scores or message" in page


def test_a_strangers_private_scenario_is_not_run_on_any_release(author: Browser, stranger: Browser) -> None:
    saved = author.save(TWO_SHAPES, visibility="private")
    assert stranger.get(f"/s/{saved['id']}/v/1/releases/").status_code == 403


def test_the_table_in_fidelity_is_up_to_date() -> None:
    text = (settings.BASE_DIR / "docs/fidelity.md").read_text(encoding="utf-8")
    assert "\n".join(release_table.section()) in text, "run `manage.py release_table`"


def test_a_long_run_says_that_only_its_beginning_was_compared(author: Browser) -> None:
    many = scenario(node("n", cpu=1), *(pod(f"p{number}", cpu=2) for number in range(MAX_ATTEMPTS + 1)))
    saved = author.save(many)
    page = author.get(f"/s/{saved['id']}/v/1/releases/").content.decode()
    assert f"Only the first {MAX_ATTEMPTS} attempts of each run were compared" in page
    assert "stopped early" in page
    short = author.save(TWO_SHAPES)
    assert "Only the first" not in author.get(f"/s/{short['id']}/v/1/releases/").content.decode()


def test_the_strip_shows_the_attempts_around_the_first_difference() -> None:
    drawn = strip(Outcome("1.34", "U" * 50 + "S" + "N" * 50, differs=51))
    assert (drawn.more_before, drawn.before, drawn.differing) == (30, "U" * 20, "S")
    assert (drawn.after, drawn.more_after) == ("N" * 20, 30)
    assert strip(Outcome("1.34", "SU", differs=3)).differing == NO_ATTEMPT
    assert strip(Outcome("1.34", "SU")).before == ""


def test_the_badge_counts_the_recorded_runs_and_gangs_apart(author: Browser) -> None:
    release = replace(RELEASES["1.34"], recorded={"public": 5, "gang": 2})
    assert badge(release) == "5 of 5 recorded runs match, 2 of 2 gangs"
    newest = DEFAULT_RELEASE
    page = author.get(author.save(TWO_SHAPES)["url"]).content.decode()
    assert f"{newest.version}: {badge(newest)}" in page
    assert f" {newest.recorded_runs}/{newest.recorded_runs}</span>" in page
    releases = author.get("/releases/").content.decode()
    assert badge(newest) in releases
    assert badge(RELEASES["1.37"]) in releases
    assert "no run of it was recorded" in badge(RELEASES["1.37"])


def test_the_editor_names_the_release_of_a_text_that_names_none(author: Browser) -> None:
    page = author.get("/new/").content.decode()
    assert f'<option value="">{DEFAULT_RELEASE.version} (default)</option>' in page
