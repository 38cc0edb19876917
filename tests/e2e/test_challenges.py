"""Challenges in a browser: they are tried, solved and remembered, also in a class.

A plugin rule is written in the editor, played, shared as a link, and compared with the run without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.builders import node, pod, scenario
from tests.e2e.axe import needs_axe, violations
from tests.e2e.player_page import draw_at, save, steps_of, until, wait_until_drawn
from tests.e2e.test_editor import open_editor, profile, type_text, wait_until_checked

__all__ = ["profile"]

FOLDER = Path(__file__).parents[2] / "kschedui/scenarios/challenges"
FILTER = "  filter: |\n    true\n"
ALL_ON_SPOT = "  filter: node.metadata.labels[?'price'].orValue('') == 'spot'\n"
BATCH_ON_SPOT = """  filter: |
    pod.metadata.labels[?'tier'].orValue('') != 'batch' ||
    node.metadata.labels[?'price'].orValue('') == 'spot'
"""
ALMOST = """  filter: |
    (pod.metadata.labels['tier'] == 'batch') == (node.metadata.labels['price'] == 'spot')
"""


def text_of(page: Page) -> str:
    return page.locator("#text").input_value()


def check_answer(page: Page, text: str | re.Pattern[str]) -> None:
    """Press "Check the answer", and wait for a summary with this text."""
    page.get_by_role("button", name="Check the answer").click()
    expect(page.locator("#verdicts [role=status]")).to_have_text(text)


def test_a_challenge_is_failed_played_solved_and_remembered(profile: Callable[[], Page]) -> None:
    page = profile()
    page.goto("/")
    page.get_by_role("link", name="Challenges").click()
    card = page.locator(".scenario-card").filter(has_text="Batch runs on spot nodes")
    expect(card).to_contain_text("5 variants")
    card.locator("a").click()
    wait_until_checked(page)
    verdicts = page.locator("#verdicts")
    expect(verdicts).to_contain_text("judged in 5 variants")
    expect(page.locator("body")).not_to_contain_text("The spot node is full")
    begun = text_of(page)

    check_answer(page, "1 of 5 variants pass.")
    expect(verdicts).to_contain_text("default/report: expected on spot-1, but it is on steady-1")
    type_text(page, begun.replace(FILTER, ALMOST))
    expect(verdicts).to_contain_text("The text has changed since it was judged.")
    check_answer(page, re.compile(r"^\d of 5 variants pass\.$"))
    rows = verdicts.locator("li").filter(has_text=re.compile("passes|fails"))
    expect(rows.nth(0)).to_contain_text("✓ passes This cluster")
    expect(rows.nth(1)).to_contain_text("✓ passes The spot node is full")
    expect(rows.nth(2)).to_contain_text("✕ fails Nodes and pods without labels")
    expect(verdicts).to_contain_text("Why variant 3 fails")

    page.get_by_role("button", name="Play variant 3").click()
    page.wait_for_url(re.compile(r"/s/\w+/v/1/"))
    wait_until_drawn(page)
    until(page, "kschedui.store.complete")
    expect(page.locator("body")).to_contain_text("Nodes and pods without labels")
    page.go_back()
    wait_until_checked(page)
    expect(verdicts).to_contain_text("Not solved yet. Best of 2 tries:")  # the typed text is still there, too
    expect(page.locator("#yaml")).to_contain_text("labels['price']")

    type_text(page, begun.replace(FILTER, BATCH_ON_SPOT))
    check_answer(page, "✓ Solved: all variants pass.")
    expect(verdicts.get_by_text("✓ passes")).to_have_count(5)
    page.goto("/challenges/")
    expect(card).to_contain_text("✓ solved in 3")


@pytest.mark.quick
def test_an_answer_with_an_error_is_not_judged(browser_page: Page) -> None:
    page = browser_page
    page.goto("/library/challenge-spot/")
    wait_until_drawn(page)
    page.locator(".menu-button").click()
    page.get_by_role("link", name="Challenge", exact=True).click()
    wait_until_checked(page)
    type_text(page, text_of(page).replace(FILTER, "  filter: pod.metadata.nmae == ''\n"))
    page.get_by_role("button", name="Check the answer").click()
    expect(page.locator("#status")).to_contain_text("1 problem")
    expect(page.locator("#verdicts [role=status]")).to_contain_text("judged in 5 variants")


@needs_axe
@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_of_challenges_have_no_serious_violation_and_fit_their_width(browser_page: Page, width: int) -> None:
    page = browser_page
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/challenges/")
    assert violations(page) == []
    page.locator(".scenario-card a").first.click()
    wait_until_checked(page)
    check_answer(page, re.compile("variants pass"))
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_class_does_a_challenge_together(profile: Callable[[], Page]) -> None:
    teacher, student = profile(), profile()
    save(teacher, (FOLDER / "challenge-spot.yaml").read_text(encoding="utf-8"))
    teacher.goto("/accounts/mine/")
    teacher.locator("tbody tr a").first.click()
    wait_until_drawn(teacher)
    teacher.keyboard.press("s")
    teacher.locator("dialog[open] .share-class button").click()
    code = teacher.locator(".class-code-letters").inner_text()
    teacher.locator("#class-code button").click()
    with teacher.context.expect_page() as opened_page:
        teacher.get_by_role("link", name="Challenge", exact=True).click()
    table = opened_page.value.locator("#solvers")
    expect(table).to_contain_text("Nobody has tried yet.")

    student.goto(f"/c/{code}/")
    wait_until_drawn(student)
    with student.context.expect_page() as opened_page:
        student.get_by_role("link", name="Challenge", exact=True).click()
    work = opened_page.value
    wait_until_checked(work)
    work.get_by_label("Your name, if you like").fill("Ada")
    begun = text_of(work)
    type_text(work, begun.replace(FILTER, ALL_ON_SPOT))
    check_answer(work, re.compile("of 5 variants pass"))
    expect(table.locator("tr")).to_have_text([re.compile(r"Ada\s*1 of 5\s*1|Ada\s*2 of 5\s*1")])
    type_text(work, begun.replace(FILTER, BATCH_ON_SPOT))
    check_answer(work, "✓ Solved: all variants pass.")
    expect(table.locator("tr")).to_have_text([re.compile(r"Ada\s*✓ solved\s*2")])


def test_a_rule_written_in_the_page_is_played_shared_and_compared_with_the_run_without_it(
    profile: Callable[[], Page],
) -> None:
    author, reader = profile(), profile()
    cluster = scenario(
        node("spot-1", cpu=2, labels={"price": "spot"}), node("steady-1", cpu=8), pod("batch", cpu=1), title="Spot"
    )
    open_editor(author, "/new/")
    type_text(author, cluster)
    wait_until_checked(author)
    author.get_by_label("Insert a template").select_option(label="SchedulerPlugin")
    wait_until_checked(author)
    expect(author.locator("#side")).to_contain_text("Results of your plugins")
    rule = "apiVersion: kschedui.io/v1alpha1\nkind: SchedulerPlugin\nmetadata: {name: OnSpot}\nspec:\n" + ALL_ON_SPOT
    type_text(author, f"{cluster}\n---\n{rule}")
    wait_until_checked(author)
    expect(author.locator("#side")).to_contain_text("OnSpot")
    author.locator("#save").click()
    author.wait_for_url(re.compile(r"/s/\w+/$"))
    wait_until_drawn(author)
    until(author, "kschedui.store.complete")
    draw_at(author, steps_of(author, "NodesFiltered")[0])
    expect(author.locator("#stage")).to_contain_text("OnSpot")
    author.keyboard.press("s")
    link = author.get_by_label("Link to this step").input_value()

    reader.goto(link)
    wait_until_drawn(reader)
    until(reader, "kschedui.store.complete")
    expect(reader.locator("#stage")).to_contain_text("OnSpot")
    reader.locator(".menu-button").click()
    reader.locator("#menu").get_by_role("button", name="Fork").click()
    reader.wait_for_url(re.compile(r"/s/\w+/edit/"))
    wait_until_checked(reader)
    type_text(reader, cluster)
    wait_until_checked(reader)
    reader.locator("#save").click()
    reader.wait_for_url(re.compile(r"/s/\w+/$"))
    wait_until_drawn(reader)
    mine, theirs = (re.findall(r"/s/(\w+)/", url)[0] for url in (reader.url, link))
    reader.goto(f"/compare/{theirs}/1/{mine}/2/")
    expect(reader.locator("body[data-ready]")).to_be_attached()
    expect(reader.get_by_role("heading", name="1 pod ends up elsewhere")).to_be_visible()
    expect(reader.locator(".compare-cause")).to_contain_text("OnSpot")
