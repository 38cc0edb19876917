"""The learning path on the home page and in the player: chapters, progress, the next lesson; and the search."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.player_page import open_player, wait_until_drawn


@pytest.mark.quick
def test_the_home_page_continues_with_the_next_lesson_that_is_not_done(browser_page: Page) -> None:
    page = browser_page
    page.goto("/")
    chapters = page.locator(".chapters > [data-lessons]")
    expect(chapters).to_have_count(13)
    onward = page.locator("#continue")
    expect(onward).to_have_text("Start: A pod is scheduled")
    onward.click()
    wait_until_drawn(page)
    assert "predict=1" in page.url
    expect(page.locator(".place")).to_contain_text("1 of 3")
    page.locator("#predict-switch").click()
    page.keyboard.press("End")
    expect(page.locator(".end-card")).to_contain_text("2pods bound")
    page.goto("/")
    expect(chapters.first).to_contain_text("1 of 3 done")
    expect(onward).to_have_text("Continue: CPU, memory, pods, GPUs: does the pod fit?")
    expect(page.locator("#cards > li").first).to_contain_text("✓ done")
    open_player(page, "first-pod", "#12")
    page.get_by_role("link", name="Next lesson").first.click()
    wait_until_drawn(page)
    expect(page.locator(".scenario-title")).to_have_text("CPU, memory, pods, GPUs: does the pod fit?")
    page.locator(".place").get_by_role("link", name="Previous lesson").click()
    wait_until_drawn(page)
    expect(page.locator(".scenario-title")).to_have_text("A pod is scheduled")


@pytest.mark.quick
def test_the_end_of_a_lesson_offers_to_change_something(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "high-preempts-low", "#32")
    page.keyboard.press("End")
    card = page.locator(".end-card")
    expect(card).to_contain_text("1evicted")
    expect(card).to_contain_text("1waiting")
    card.get_by_role("button", name="Change something").click()
    expect(page.locator("#editor")).to_have_attribute("data-checked", "")
    assert "/edit/" in page.url


def test_a_lesson_is_found_by_the_former_name_of_its_plugin(browser_page: Page) -> None:
    page = browser_page
    page.goto("/")
    expect(page.locator("#shown")).not_to_be_empty()
    for old, slug in (
        ("PodFitsResources", "resources-fit"),
        ("GeneralPredicates", "filter-order"),
        ("CheckNodeUnschedulable", "cordoned-node"),
        ("SelectorSpread", "soft-spread"),
        ("alwaysCheckAllPredicates", "filter-order"),
        ("predicates ordering", "filter-order"),
        ("unresolvable predicates", "statuses"),
    ):
        page.locator("#search").fill(old)
        found = page.locator("#names div:not([hidden])")
        expect(found).to_have_count(1)
        expect(found.get_by_role("link", name="Lesson")).to_have_attribute("href", f"/library/{slug}/")
    page.goto("/names/")
    expect(page.locator("tbody tr").first).to_be_visible()


def test_lessons_are_found_by_words_that_their_cards_do_not_show(browser_page: Page) -> None:
    page = browser_page
    page.set_extra_http_headers({"Accept-Language": "zh-Hans"})
    page.goto("/")
    expect(page.locator("#shown")).not_to_be_empty()
    page.locator("#search").fill("preemption budget")  # in English, on the Chinese page
    shown = page.locator("#cards > .scenario-card:not([hidden])")
    expect(shown.filter(has=page.locator("[href='/library/pdb-respected/']"))).to_have_count(1)
    expect(page.locator("#cards > .scenario-card[data-slug='first-pod']")).to_be_hidden()
