"""The speaker view: a second window of the teacher's browser, which follows the player and controls it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.axe import needs_axe, violations
from tests.e2e.player_page import open_player, phone_in, sentence, wait_until_drawn


def open_speaker_view(player: Page) -> Page:
    """Open the speaker view with its key, wait until it shows a step, and return its page."""
    with player.context.expect_page() as opened:
        player.keyboard.press("m")
    expect(opened.value.locator("#speaker")).to_have_attribute("data-step", re.compile(r"^\d"))
    return opened.value


@pytest.mark.quick
def test_the_speaker_view_shows_this_and_the_next_step_controls_the_player_and_keeps_private_notes(
    browser_page: Page,
) -> None:
    player = browser_page
    open_player(player, "high-preempts-low", "#7")
    speaker = open_speaker_view(player)
    expect(speaker.locator("#now h1")).to_have_text(sentence(player))
    coming = speaker.locator("#next h2").inner_text()
    speaker.keyboard.press("ArrowRight")
    expect(speaker.locator("#now h1")).to_have_text(coming)
    expect(player.locator("#caption h1")).to_have_text(coming)
    speaker.keyboard.press("Home")
    wait_until_drawn(player, "0")
    expect(speaker.locator("#picture img")).to_have_attribute("src", re.compile(r"step=0$"))
    speaker.locator("#stops .attempt button").first.click()
    wait_until_drawn(player, str(player.evaluate("kschedui.index.columns.find(({ kind }) => kind === 'attempt').step")))
    step = player.evaluate("kschedui.player.step")
    expect(speaker.locator("#speaker")).to_have_attribute("data-step", str(step))
    speaker.fill("#note", "Wait for three hands.")
    speaker.keyboard.press("s")  # a letter of the note, not the shortcut
    expect(speaker.locator("#notes [role=status]")).to_contain_text("Saved.")
    assert player.locator("dialog[open]").count() == 0
    assert "three hands" not in player.content()
    player.keyboard.press("ArrowRight")
    expect(speaker.locator("#speaker")).not_to_have_attribute("data-step", str(step))
    expect(speaker.locator("#notes label")).to_have_text(
        f"Your note at step {step}"
    )  # the step stays while a note is written
    player.goto(re.sub(r"#.*", "#0", player.url))
    player.reload()
    wait_until_drawn(player)
    speaker.reload()
    speaker.locator("#stops .note button").click()
    expect(speaker.locator("#note")).to_have_value("Wait for three hands.s")
    wait_until_drawn(player, str(step))
    speaker.get_by_role("button", name="Start again").click()
    expect(speaker.locator(".speaker-elapsed")).to_contain_text("0:0")


@needs_axe
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_speaker_view_fits_a_phone_has_no_violation_and_explains_a_missing_player(
    browser: Browser, live_stack: Stack, language: str
) -> None:
    context = phone_in(language, browser, live_stack)
    player, alone = context.new_page(), context.new_page()
    open_player(player, "high-preempts-low", "#7")
    speaker = open_speaker_view(player)
    alone.goto(speaker.url.split("#")[0] + "#somebody-else")
    expect(alone.locator("#now")).to_contain_text(re.compile("another computer|另一台电脑"))
    for page in (speaker, alone):
        assert violations(page, page.url) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    context.close()
