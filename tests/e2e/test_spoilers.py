"""Later steps are shown to readers who ask for them; in a lesson, nothing reveals them otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.e2e.player_page import draw_at, link_to, open_player, save, seek, sentence, steps_of, until, wait_until_drawn
from tests.e2e.walker.page_checks import serve
from tests.e2e.walker.test_walk import ASKED, HASTE, LESSONS
from tests.sampling import some_quick

COLOURED = ".mark.Scheduled, .mark.Nominated, .mark.Unschedulable, .mark.Error"


@pytest.mark.quick
def test_a_lessons_timeline_shows_outcomes_as_far_as_it_was_played(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "nomination-lost")
    expect(page.locator(".mark")).to_have_count(5)
    expect(page.locator(COLOURED)).to_have_count(0)
    assert "urgent-1" not in page.locator(".mark").nth(1).get_attribute("title")
    ends = steps_of(page, "AttemptFinished")
    seek(page, str(ends[1]))
    expect(page.locator(COLOURED)).to_have_count(2)
    seek(page, "0")
    expect(page.locator(COLOURED)).to_have_count(2)
    page.keyboard.press("l")
    expect(page.locator(".pod-lane .chip-attempt")).to_have_count(2)


def test_a_saved_scenario_has_its_whole_run_on_the_timeline(browser_page: Page) -> None:
    page = browser_page
    page.goto(save(page, scenario(node("n1", cpu=1), pod("a", cpu=1), pod("b", cpu=1)))["url"])
    wait_until_drawn(page)
    until(page, "kschedui.store.complete")
    expect(page.locator(COLOURED)).to_have_count(2)


def test_a_pods_later_attempts_are_listed_only_once_they_are_opened(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "nomination-lost")
    first = steps_of(page, "CycleStarted")[0]
    seek(page, f"{first}&sel=pod:default/high-1")
    attempts = page.locator("#margin .attempts")
    expect(attempts.first).to_have_text("Attempt 1 0.0 s ")
    expect(attempts.last).not_to_be_visible()
    page.locator("#margin summary").click()
    expect(attempts.last).to_contain_text("unschedulable")


@pytest.mark.quick
def test_the_margin_names_the_victims_as_the_dry_run_finds_them(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "rung-5-latest-start")
    step = steps_of(page, "PreemptionEvaluated")[0]
    rows = page.locator("#margin table tbody tr")
    seek(page, str(step))
    expect(page.locator("#margin h2")).to_have_text("Reprieve on n1")
    expect(rows).to_have_count(1)
    seek(page, f"{step}.2")
    expect(rows).to_have_count(2)
    seek(page, link_to(page, step))
    expect(page.locator("#margin h2")).to_have_text("Reprieve on n2")
    draw_at(page, step)
    page.locator("#margin .segments button").last.click()
    expect(rows).to_have_count(2)


@pytest.mark.quick
def test_of_equal_totals_the_choice_is_shown_when_it_is_made(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "priority-order")
    step = steps_of(page, "ScoresComputed")[0]
    seek(page, link_to(page, step))
    assert sentence(page) == "2 nodes share the highest total: 464 points."
    expect(page.locator(".lane.win")).to_have_count(0)
    seek(page, str(step + 1))
    assert sentence(page) == "critical goes to n1, one of 2 with 464 points."
    expect(page.locator(".lane.win")).to_have_attribute("data-node", "n1")


def test_an_ignored_pod_is_listed_outside_the_queues_only_from_the_step_that_ignores_it(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "two-profiles")
    expect(page.locator(".queue-section.outside")).to_have_count(0)
    seek(page, str(steps_of(page, "PodIgnored")[0]))
    expect(page.locator(".queue-section.outside .queue-pod")).to_have_text(["stranger"])


@pytest.mark.quick
def test_a_node_shows_the_verdicts_of_later_plugins_but_not_before_a_question(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "filter-order")
    step = steps_of(page, "NodesFiltered")[0]
    seek(page, f"{step}.4&sel=node:closed")
    expect(page.locator("#margin")).to_contain_text("NodeResourcesFit: too little cpu")
    open_player(page, "cordoned-node", "?predict=1")
    draw_at(page, steps_of(page, "NodesFiltered")[0])
    page.evaluate("location.hash += '&sel=node:n1'")
    expect(page.locator("#margin h2")).to_have_text("n1")
    expect(page.locator("#margin")).not_to_contain_text("cordoned")


def test_the_open_timeline_has_a_key_to_its_lines(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "backoff")
    page.keyboard.press("End")
    page.keyboard.press("l")
    expect(page.locator(".lanes-key span")).to_have_text(["in activeQ", "in backoffQ", "in unschedulablePods"])


@pytest.mark.parametrize("lesson", some_quick(4, [path.stem for path in (LESSONS if ASKED else LESSONS[1::3])]))
def test_nothing_on_the_page_reveals_the_answer_of_an_open_question(lesson: str, leak_page: Page) -> None:
    """The page is the same for runs that differ only after the question."""
    open_player(leak_page, lesson, "?predict=1")
    assert not leak_page.evaluate("async () => (await import('/walker/leaks.js')).leaks()")


@pytest.fixture(scope="module")
def leak_page(browser: Browser, live_stack: Stack) -> Iterator[Page]:
    page = browser.new_page(base_url=live_stack.url, viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page.add_init_script(HASTE)
    page.route(re.compile(r"/walker/\w+\.js$"), serve)
    yield page
    page.close()
