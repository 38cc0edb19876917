"""The player on a phone: the parts of a step, and touch gestures."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.player_page import first_preemption, link_to, open_player, seek, steps_of, until


def assert_not_cut_off(page: Page, selector: str) -> None:
    """Assert that none of the selected elements is narrower than its text."""
    cut = page.eval_on_selector_all(
        selector, "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
    )
    assert cut == []


def test_a_phone_shows_the_dry_run_and_cuts_off_no_text(phone: Page) -> None:
    open_player(phone, "flash-sale")
    step = first_preemption(phone)
    seek(phone, f"{step}.1")
    expect(phone.locator(".lane-bar")).to_have_count(6)
    expect(phone.locator(".lane-bar u")).to_have_count(6)
    seek(phone, link_to(phone, step))
    expect(phone.locator(".criterion-value b", has_text="7 d")).to_be_visible()
    assert_not_cut_off(phone, ".criterion-value b, .filter-result > *, .candidate-head span")
    edges = phone.eval_on_selector_all(".criterion-value b", "all => all.map(e => e.getBoundingClientRect().right)")
    assert max(edges) <= 390
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_binding_cycles_are_inside_the_rail(phone: Page) -> None:
    open_player(phone, "overlap")
    seek(phone, str(steps_of(phone, "NodesFiltered")[2]))
    rail = phone.locator("#rail").bounding_box()
    expect(phone.locator(".beside-pod")).to_have_count(2)
    for chip in phone.locator(".beside-pod").all():
        expect(chip).to_be_visible()
        box = chip.bounding_box()
        assert rail
        assert box
        assert 0 <= box["x"] <= 390 - box["width"]
        assert rail["y"] <= box["y"] <= rail["y"] + rail["height"] - box["height"]


@pytest.mark.quick
def test_two_fingers_zoom_the_timeline_and_one_scrubs(phone: Page) -> None:
    open_player(phone, "flash-sale")
    seek(phone, "1")
    box = phone.locator(".axis").bounding_box()
    assert box
    session = phone.context.new_cdp_session(phone)

    def touch(kind: str, *places: float) -> None:
        points = [{"x": x, "y": box["y"] + 20, "id": finger} for finger, x in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    everything = phone.locator(".mark").count()
    touch("touchStart", 150)
    touch("touchStart", 150, 200)
    for far in (20, 40, 60, 80, 100):
        touch("touchMove", 150 - far, 200 + far)
    touch("touchEnd")
    expect(phone.locator(".mark.round").first).to_be_visible()
    assert phone.locator(".mark").count() < everything
    touch("touchStart", 40)
    until(phone, "!kschedui.player.pendingDraw")
    before = phone.evaluate("kschedui.player.step")
    touch("touchMove", 320)
    until(phone, "before => kschedui.player.step > before", before)
    touch("touchEnd")


def test_a_claim_that_has_its_device_already_shows_it_on_a_phone(phone: Page) -> None:
    """For the second pod of a shared claim, no device is searched, but the stage is not empty."""
    open_player(phone, "device-shared")
    second = steps_of(phone, "DevicesSearched")[1]
    seek(phone, str(second))
    expect(phone.locator(".carried .slots i.filled")).to_have_text("gpu-0")
