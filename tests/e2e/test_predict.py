"""Predictions on the live stack: a run asks first, nothing reveals the answer, and the choice is compared."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.builders import node, pod, scenario
from tests.e2e.axe import ANY, violations
from tests.e2e.player_page import draw_at, open_player, save, seek, sentence, until, wait_until_drawn

PACKED = re.compile(r'"chunk": *"[^"]*"')  # of the data with which the player begins
WINNER = [
    "448",
    "n4 has the highest",
    "web goes to n4",
    "n4 has more free",
    "→ n4",
    "web is bound to n4",
    "The kubelet of n4",
    "Scheduled",
]
VICTIM = [
    "will evict report",
    "★ n1",
    "fate-victim",
    "chosen",
    "Preempted",
    " Nominated",  # with a space, because a lesson's title begins with the word
    "The less important one has to go",
    "wait for report",
]


def go_to_question(page: Page) -> str:
    """Press the right arrow until a question is asked, and return its id."""
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        wait_until_drawn(page)
        if found := page.locator("#player").get_attribute("data-asked"):
            return found
    raise AssertionError("nothing is asked")


def html_of(page: Page) -> str:
    """Return the page's HTML and title, without what may look like a score by chance: host and port, packed chunk."""
    html = page.evaluate("document.documentElement.outerHTML + document.title")
    return PACKED.sub("", html.replace(urlsplit(page.url).netloc, ""))


@pytest.mark.quick
def test_a_run_asks_and_compares_by_keyboard_alone(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "first-pod", "?predict=1")
    expect(page.locator("#predict-switch")).to_have_attribute("aria-pressed", "true")
    asked_first = go_to_question(page)
    assert sentence(page) == "How many of the four nodes can run web?"
    expect(page.locator("#live")).to_contain_text("How many of the four nodes")
    page.keyboard.press("2")
    expect(page.locator(".answer[aria-pressed=true]")).to_have_text("2")
    page.keyboard.press("Enter")
    expect(page.locator("#caption .eyebrow")).to_contain_text("✓ 2, as you predicted")
    assert go_to_question(page) != asked_first
    assert sentence(page) == "Which node is selected for web?"
    expect(page.locator(".lane[data-node=n4] .total")).to_be_hidden()  # it would show the answer
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Skip")).to_be_focused()
    page.keyboard.press("1")
    expect(page.get_by_role("button", name="Show the answer")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#caption .eyebrow")).to_contain_text("✕ n4; you predicted: n3")
    expect(page.locator(".prediction-tag.wrong")).to_be_visible()
    expect(page.locator(".prediction-tag.right")).to_be_visible()
    expect(page.locator("#margin")).to_contain_text("n4, n3")
    page.keyboard.press("End")
    expect(page.locator(".end-card")).to_contain_text("1 of 2 predicted right")


@pytest.mark.parametrize(("slug", "telling"), [("first-pod", WINNER), ("high-preempts-low", VICTIM)])
def test_nothing_on_the_page_contains_the_answer_until_it_is_revealed(
    browser_page: Page, slug: str, telling: list[str]
) -> None:
    page = browser_page
    open_player(page, slug, "?predict=1")
    question = "selected for web" if slug == "first-pod" else "is evicted for high-1"
    for _ in range(40):
        found = [word for word in telling if word in html_of(page)]
        assert not found, (sentence(page), found)
        page.keyboard.press("ArrowRight")
        wait_until_drawn(page)
        if page.locator("#player").get_attribute("data-asked"):
            if question in sentence(page):
                break
            page.keyboard.press("1")
    assert question in sentence(page)
    for key in ("l", "i", "t", "/"):
        page.keyboard.press(key)
        wait_until_drawn(page)
        if key in "t/":
            expect(page.locator("#dialog")).to_be_visible()
        if key == "/":
            page.locator("#search-word").fill("o")
        found = [word for word in telling if word in html_of(page)]
        assert not found, (key, found)
        if key in "t/":
            page.locator("#dialog").get_by_role("button", name="Close", exact=True).click()
    ahead = page.locator(".mark:not(.now)").evaluate_all("all => all.map(one => one.className + one.title)")
    assert all("open" in one for one in ahead if not one.startswith("mark Scheduled"))
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    wait_until_drawn(page)
    assert any(word in html_of(page) for word in telling), "the words appear after the answer is shown"


@pytest.mark.quick
def test_the_right_arrow_offers_to_skip_and_seeking_stops_at_a_question(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "first-pod", "?predict=1")
    page.keyboard.press("End")
    expect(page.locator("#caption h1")).to_contain_text("How many of the four nodes")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#player")).to_have_attribute("data-asked", "")
    until(page, "kschedui.player.event.type === 'NodesFiltered'")
    page.keyboard.press("q")
    expect(page.locator("#predict-switch")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("End")
    until(page, "kschedui.player.event.type === 'RunFinished'")
    open_player(page, "first-pod")  # the browser remembers the choice
    expect(page.locator("#predict-switch")).to_have_attribute("aria-pressed", "false")


def test_a_scenario_without_questions_is_asked_generated_ones(browser_page: Page) -> None:
    page = browser_page
    saved = save(page, scenario(node("n1", cpu=4), node("n2", cpu=8), pod("a", cpu=1), pod("b", cpu=16)))
    page.goto(f"{saved['url']}?predict=1")
    until(page, "globalThis.kschedui?.store.complete")
    wait_until_drawn(page)
    go_to_question(page)
    assert re.match("Which node gets|How many points", sentence(page))


def test_on_a_phone_the_buttons_are_large_enough_and_a_click_chooses_an_answer(phone: Page) -> None:
    page = phone
    for slug in ("first-pod", "high-preempts-low", "priority-order"):
        open_player(page, slug, "?predict=1")
        go_to_question(page)
        for button in page.locator("#predict button").all():
            box = button.bounding_box()
            assert box
            assert box["width"] >= 44
            assert box["height"] >= 44
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert violations(page, slug, impacts=ANY) == []
        page.locator("#predict .answer").last.click()
        page.get_by_role("button", name="Show the answer").click()
        expect(page.locator("#caption .eyebrow")).to_contain_text("predicted")


@pytest.mark.quick
def test_a_lesson_for_beginners_leaves_out_steps_until_all_are_switched_on(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "first-pod")
    expect(page.locator("#steps-switch")).to_have_attribute("aria-pressed", "false")

    def walk() -> list[str]:
        draw_at(page, 0)
        types = []
        while not page.evaluate("kschedui.player.atEnd"):
            page.keyboard.press("ArrowRight")
            wait_until_drawn(page)
            types.append(page.evaluate("`${kschedui.player.event.type} ${kschedui.player.frame}`"))
        return types

    short = walk()
    assert not {"PodReserved 0", "PodPreBound 0", "AttemptFinished 0", "ScoresComputed 0"} & set(short)
    assert short[-1] == "RunFinished 0"
    page.locator(".menu-button").click()
    page.locator("#steps-switch").click()
    assert {"PodReserved 0", "PodPreBound 0", "AttemptFinished 0", "ScoresComputed 0"} <= set(walk())
    page.locator(".menu-button").click()
    page.locator("#steps-switch").click()
    reserved = page.evaluate("[...kschedui.store.walk(0, 1)].find(({event}) => event.type === 'PodReserved').step")
    seek(page, str(reserved))  # a link to a step that is left out opens it
    assert page.evaluate("kschedui.player.event.type") == "PodReserved"


def test_the_facts_that_decide_an_answer_are_drawn_before_the_question(browser_page: Page) -> None:
    """Labels that pods select, devices and their differences, requests, and how the rail shows skipped steps."""
    page = browser_page

    def at(lesson: str, step: str) -> None:
        open_player(page, lesson, f"#{step}")
        wait_until_drawn(page, step)

    at("device-pair", "3")
    assert "gpu-2 pci-1" in page.locator("#stage").inner_text()
    rows, stage = (page.locator(name).bounding_box() for name in ("#stage .rows", "#stage"))
    assert rows["height"] > stage["height"] / 2, "two nodes fill the stage"  # type: ignore[index]
    at("device-pair", "6")
    states = page.evaluate("[...document.querySelectorAll('.station')].map((one) => one.className)")
    assert not any("current" in state for state in states), "with one node left nothing is scored"
    assert sum("skipped" in state for state in states) == 3
    at("queueing-hints", "21")
    assert "disk=ssd" in page.locator("#stage").inner_text()
    assert "requires disk=ssd" in page.locator("#queue").inner_text()
    assert "1.8 cpu" in page.locator("#queue").inner_text()
    at("gang-fits", "49")
    assert page.locator(".axis-label").inner_text() == "train-0", "the playhead names the pod of the sentence"
    page.locator(".transport-speed button", has_text="?").click()
    expect(page.locator("dialog[open] .signs")).to_contain_text("evicting pods would not help")
