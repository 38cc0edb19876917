"""The first page remembers which lessons were opened in this browser, and finds lessons by all their words."""

from playwright.sync_api import Page, expect


def test_the_first_page_leads_to_the_next_lesson(browser_page: Page) -> None:
    page = browser_page
    page.goto("/")
    cards = page.locator("#cards > .scenario-card")
    track = page.locator("#track")
    expect(page.locator("#shown")).not_to_be_empty()
    everything = cards.count()
    expect(track).to_be_hidden()
    first, second = (cards.nth(i).locator("h3").inner_text() for i in (0, 1))
    cards.first.get_by_role("link").click()
    expect(page.locator("#player[data-ready]")).to_be_visible()
    page.goto("/")
    expect(track).to_contain_text(f"1 of {everything} opened.")
    expect(cards.first).to_contain_text("opened")
    assert first != second
    track.get_by_role("link", name=f"Next: {second}").click()
    expect(page.locator("#player[data-ready]")).to_be_visible()
    page.goto("/")
    expect(track).to_contain_text(f"2 of {everything} opened.")


def test_lessons_are_found_by_words_that_their_cards_do_not_show(browser_page: Page) -> None:
    page = browser_page
    page.set_extra_http_headers({"Accept-Language": "zh-Hans"})
    page.goto("/")
    expect(page.locator("#shown")).not_to_be_empty()
    page.locator("#search").fill("preemption budget")  # in English, on the Chinese page
    shown = page.locator("#cards > .scenario-card:not([hidden])")
    expect(shown.filter(has=page.locator("[href='/library/pdb-respected/']"))).to_have_count(1)
    expect(page.locator("#cards > .scenario-card[data-slug='first-pod']")).to_be_hidden()
