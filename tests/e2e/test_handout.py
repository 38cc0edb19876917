"""A handout prints pictures and questions, and has the answers only at its end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.axe import needs_axe, violations
from tests.e2e.player_page import phone_in, sheets, until, wait_until_drawn
from tests.e2e.test_courses import create_course
from tests.e2e.walker.page_checks import clipped, serve_walker_modules

POINT = 4 / 3  # pixels
# Lists (font size, text) for the visible texts of pictures that are smaller than `least` pixels.
SMALL = r"""least => [...document.querySelectorAll("#handout .stage *")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && [...one.childNodes].some((node) => node.nodeType === 3 && /[\p{L}\p{N}]/u.test(node.nodeValue)))
  .map((one) => [parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom, one.textContent])
  .filter(([size]) => size < least)"""


def wait_for_pictures(page: Page) -> None:
    """Wait until the handout is ready, and check that all its images are loaded."""
    expect(page.locator("#handout")).to_have_attribute("data-ready", "")
    assert page.evaluate("[...document.querySelectorAll('#handout img')].every((one) => one.naturalWidth > 0)")


def right_answers(page: Page) -> list[str]:
    return [text.rstrip(".") for text in page.locator("#told > ol > li > b").all_inner_texts()]


@needs_axe
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_handout_prints_on_a4_and_letter_with_the_answers_only_on_the_last_page(
    browser: Browser, live_stack: Stack, language: str
) -> None:
    context = phone_in(language, browser, live_stack)
    page = context.new_page()
    page.goto("/library/high-preempts-low/")
    wait_until_drawn(page)
    page.keyboard.press("s")
    page.locator("dialog[open] a[href$='/handout']").click()
    wait_for_pictures(page)
    assert page.locator(".handout-steps .handout-question").count() == page.locator("#told > ol > li").count() == 3
    before = " ".join(page.locator(".handout-steps figcaption > p:not(.handout-question)").all_inner_texts())
    assert [text for text in right_answers(page) if len(text) > 2 and text in before] == []
    assert "report" in right_answers(page)
    assert page.locator(".handout-options").first.inner_text().split() == ["report", "search"]
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    assert violations(page, "handout") == []
    for size in ("A4", "Letter"):
        assert 2 <= sheets(page, format=size) <= 3
    page.emulate_media(media="print")
    expect(page.locator("header.bar")).to_be_hidden()
    assert page.locator("#answers").evaluate("one => getComputedStyle(one).breakBefore") == "page"
    context.close()


@pytest.mark.quick
def test_a_course_has_a_handout_of_all_its_lessons_with_the_answers_at_the_end(browser_page: Page) -> None:
    page = browser_page
    create_course(page)
    page.get_by_role("link", name="Handout").click()
    wait_for_pictures(page)
    assert page.locator(".handout-part").count() == 4
    numbers = [int(text.split(".")[0]) for text in page.locator(".handout-question").all_inner_texts()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(right_answers(page)) == len(numbers) >= 4


@pytest.mark.parametrize("lesson", ["first-pod", "flash-sale", "gang-fits", "device-claim", "thousand-nodes"])
def test_texts_of_pictures_have_eight_points_on_paper_and_are_not_cut_off_there_or_on_a_phone(
    browser: Browser, live_stack: Stack, lesson: str
) -> None:
    context = phone_in("en", browser, live_stack)
    serve_walker_modules(context)
    page = context.new_page()
    page.goto(f"/library/{lesson}/")
    page.goto(page.url.split("?")[0] + "handout")
    wait_for_pictures(page)
    until(page, "document.querySelectorAll('.shot > .stage:empty').length === 0")
    assert clipped(page, ".shot") == []
    assert page.locator(".shot").evaluate_all("all => all.filter((one) => one.clientHeight < 60).length") == 0
    pictures = page.locator(".shot > .stage")
    shown = pictures.all_inner_texts()
    page.evaluate("dispatchEvent(new Event('resize'))")
    assert pictures.all_inner_texts() == shown, "a picture was drawn in another width than it has"
    page.set_viewport_size({"width": 1000, "height": 1300})
    page.emulate_media(media="print")
    until(page, "[...document.querySelectorAll('.shot > .stage')].every((one) => one.clientWidth === 840)")
    # Each stage draws itself again in its own time.
    until(page, f"least => ({SMALL})(least).length === 0", 7.95 * POINT)
    assert clipped(page, ".shot") == []
    context.close()


def test_a_visitor_with_the_dark_theme_prints_in_the_light_theme(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(base_url=live_stack.url, color_scheme="dark")
    page = context.new_page()
    page.goto("/library/first-pod/")
    page.goto(page.url.split("?")[0] + "handout")
    wait_for_pictures(page)
    scheme = "getComputedStyle(document.documentElement).colorScheme"
    assert page.evaluate(scheme) == "dark"
    page.emulate_media(media="print")
    assert page.evaluate(scheme) == "light"  # otherwise the margins of each sheet would be black
    context.close()
