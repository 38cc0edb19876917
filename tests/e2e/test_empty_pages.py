"""Pages with nothing on them yet: each offers an example to try, and the example works."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.player_page import drawn


def test_a_list_without_scenarios_leads_to_an_example_and_to_a_course(browser_page: Page) -> None:
    page = browser_page
    page.goto("/accounts/mine/")
    page.get_by_role("link", name="Begin with the example").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A pod finds a node")
    page.goto("/accounts/mine/")
    page.get_by_role("link", name="Try the example").click()
    drawn(page)
    expect(page.locator(".scenario-title")).to_have_text("A pod is scheduled")


def test_a_search_without_a_hit_offers_words_that_hit(browser_page: Page) -> None:
    page = browser_page
    page.goto("/?q=no+such+thing")
    page.locator("#none [data-try]").first.click()
    expect(page.locator("#none")).to_be_hidden()
    expect(page.locator("#cards > .scenario-card:visible").first).to_be_visible()


def test_whoever_has_no_pending_pod_reads_an_example(browser_page: Page) -> None:
    page = browser_page
    page.goto("/decode/")
    page.get_by_role("button", name="Try an example").click()
    expect(page.get_by_role("heading", name="5 nodes were checked")).to_be_visible()


def test_an_experiment_begins_with_a_question(browser_page: Page) -> None:
    page = browser_page
    page.goto("/experiments/")
    page.get_by_role("button", name="How many nodes are enough?").click()
    expect(page.locator("#product")).to_have_text("5 runs")
    page.get_by_role("button", name="What does the next release change?").click()
    expect(page.locator("#product")).to_have_text("2 runs")
    expect(page.locator("[data-factor=releases]")).to_be_hidden()
    page.get_by_role("button", name="Spread or pack?").click()
    expect(page.get_by_role("button", name="Spread or pack?")).to_have_attribute("aria-pressed", "true")
