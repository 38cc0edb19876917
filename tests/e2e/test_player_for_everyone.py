"""Accessibility of the player: axe, Chinese, a phone, reduced motion."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.axe import needs_axe, violations
from tests.e2e.player_page import link_to, open_player, phone_in, seek, steps_of, wait_until_drawn


@needs_axe
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, live_stack: Stack, theme: str, language: str) -> None:
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": "django_language", "value": language, "url": live_stack.url}])
    page = context.new_page()
    open_player(page, "flash-sale", f"?theme={theme}")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    found: list[str] = []
    for kind in ("RunStarted", "NodesFiltered", "ScoresComputed", "PreemptionEvaluated", "PodBound"):
        step = [at for at in steps_of(page, kind) if at > 40 or kind == "RunStarted"][
            -2 if kind == "PreemptionEvaluated" else 0
        ]
        seek(page, link_to(page, step, 1) + ("&sel=pod:default/web-5" if kind == "PodBound" else ""))
        found += violations(page, kind)
    for key in ("?", "s", "t", "b"):
        page.keyboard.press(key)
        page.wait_for_selector("dialog[open]")
        found += violations(page, f"dialog {key}")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    context.close()
    assert not found, "\n".join(found)


SWITCH = ".lane-switches button"
# Name -> (lesson, type of the event to go to, elements to click there).
STATES: dict[str, tuple[str, str, list[str]]] = {
    "queues and later plugins": ("flash-sale", "NodesFiltered", [f"{SWITCH} >> nth=1", ".queue-section h2 button"]),
    "node by node": ("flash-sale", "NodesFiltered", [SWITCH]),
    "a table of scores": ("flash-sale", "ScoresComputed", [".lanes-head .segments button >> nth=1"]),
    "lanes": ("flash-sale", "PodBound", [".lanes-switch"]),
    "a node": ("high-preempts-low", "PodBound", [".node-name"]),
    "a pod that waits": ("nomination-lost", "ClockAdvanced", [".queue-pod"]),
    "what if": ("nomination-lost", "ClockAdvanced", [".queue-pod", "#margin .button >> nth=0"]),
    "one candidate": ("pdb-violated", "PreemptionEvaluated", []),
    "a binding cycle that waits": ("permit-gang", "PermitEvaluated", []),
    "volumes": ("volume-waits", "ObjectApplied", []),
    "a pod group": ("gang-fits", "PodGroupEvaluated", []),
    "releases": ("flash-sale", "RunStarted", [".menu-button", "[popovertarget=releases]"]),
    "menu": ("flash-sale", "RunStarted", [".menu-button"]),
    "the end": ("flash-sale", "RunFinished", []),
    "many nodes": ("thousand-nodes", "NodesFiltered", []),
    "many scores": ("thousand-nodes", "ScoresComputed", []),
}


@needs_axe
@pytest.mark.parametrize(("theme", "language", "half"), [("light", "zh-CN", 0), ("dark", "en", 1)])
def test_axe_finds_nothing_serious_in_other_states(
    browser: Browser, live_stack: Stack, theme: str, language: str, half: int
) -> None:
    look = {"viewport": {"width": 1280, "height": 720}, "locale": language, "color_scheme": theme}
    context = browser.new_context(base_url=live_stack.url, reduced_motion="reduce", **look)
    page = context.new_page()
    found: list[str] = []
    for name, (slug, kind, clicks) in list(STATES.items())[half::2]:
        open_player(page, slug)
        seek(page, link_to(page, steps_of(page, kind)[0]))
        for selector in clicks:
            page.locator(selector).locator("visible=true").first.click()
            wait_until_drawn(page)
        found += violations(page, name)
    for key in ("g", "/"):
        page.keyboard.press(key)
        page.wait_for_selector("dialog[open]")
        found += violations(page, f"dialog {key}")
        page.keyboard.press("Escape")
    page.goto(page.evaluate("JSON.parse(document.querySelector('#boot').textContent).page.replace('/s/', '/embed/')"))
    wait_until_drawn(page)
    found += violations(page, "embedded")
    context.close()
    assert not found, "\n".join(found)


@pytest.mark.quick
def test_the_player_is_in_chinese(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(base_url=live_stack.url)
    context.add_cookies([{"name": "django_language", "value": "zh-hans", "url": live_stack.url}])
    page = context.new_page()
    open_player(page, "flash-sale")
    step = steps_of(page, "ScoresComputed")[0]
    seek(page, f"{step}.{page.evaluate('step => kschedui.player.frames(step) - 1', step)}")
    expect(page.locator("#caption h1")).to_contain_text("总分最高：821 分")
    expect(page.locator("#next h2")).to_have_text("接下来")
    context.close()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_on_a_phone_the_tools_fit_the_bar_and_the_others_are_in_a_menu(
    language: str, browser: Browser, live_stack: Stack
) -> None:
    context = phone_in(language, browser, live_stack)
    page = context.new_page()
    open_player(page, "flash-sale")
    for tool in page.locator(".bar :is(a, button):visible").all():
        box = tool.bounding_box()
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
    page.locator(".menu-button").click()
    menu = page.locator("#menu")
    expect(menu.locator("[data-open=help]")).to_contain_text(
        "Shortcuts and symbols" if language == "en" else "快捷键与符号"
    )
    assert menu.evaluate("menu => menu.scrollWidth <= menu.clientWidth")
    page.locator("[data-open=ask]").click()
    expect(page.locator(".ask-head")).to_be_visible()
    expect(menu).to_be_hidden()
    context.close()


def test_a_phone_does_not_scroll_sideways_and_its_buttons_are_large_enough(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    open_player(page, "flash-sale")
    for kind in ("NodesFiltered", "ScoresComputed", "PreemptionEvaluated", "PodBound"):
        seek(page, str(steps_of(page, kind)[-1]))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    buttons = page.locator(".transport-buttons button:visible").all()
    assert buttons
    for button in buttons:
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44
        assert box["width"] >= 44
    context.close()


@pytest.mark.quick
def test_reduced_motion_runs_no_animation(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(base_url=live_stack.url, reduced_motion="reduce")
    page = context.new_page()
    open_player(page, "flash-sale")
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        wait_until_drawn(page)
        assert page.evaluate("document.getAnimations().filter(a => a.playState === 'running').length") == 0
    context.close()
