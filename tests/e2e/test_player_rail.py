"""The rail over the stage: the extension points that an attempt has passed, and the binding cycles next to it."""

from __future__ import annotations

import re
from xml.dom import minidom

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.e2e.player_page import link_to, open_player, save, seek, sentence, steps_of, until, wait_until_drawn

# Returns the colour of a pixel of an SVG as [red, green, blue].
PIXEL = """async ([svg, x, y]) => {
  const image = new Image();
  await new Promise((done, failed) => Object.assign(image, {onload: done, onerror: () => failed(new Error("no picture")),
    src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg)}));
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
}"""
# Returns a point on the line after the first station that is done, in pixels from the player's corner.
LINE_AFTER_STATION = """() => {
  const root = document.querySelector("#player").getBoundingClientRect();
  const box = document.querySelector(".station.done").getBoundingClientRect();
  return [Math.round(box.right - 8 - root.left), Math.round(box.top + box.height / 2 - root.top)];
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["NodesFiltered", "ScoresComputed", "PreemptionEvaluated", "PodBound"])
def test_a_saved_picture_has_the_lines_of_the_rail(browser_page: Page, theme: str, kind: str) -> None:
    page = browser_page
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    open_player(page, "flash-sale")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    seek(page, link_to(page, steps_of(page, kind)[-2 if kind == "PreemptionEvaluated" else 0]))
    page.keyboard.press("s")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG", exact=True).click()
    svg = saved.value.path().read_text(encoding="utf-8")
    assert minidom.parseString(svg.encode()).getElementsByTagName("svg")
    page.keyboard.press("Escape")
    x, y = page.evaluate(LINE_AFTER_STATION)
    ground = page.evaluate(PIXEL, [svg, x, y - 9])
    line = page.evaluate(PIXEL, [svg, x, y])
    assert max(abs(a - b) for a, b in zip(line, ground, strict=True)) > 60, (line, ground)


@pytest.mark.quick
def test_binding_cycles_are_over_the_rail_while_the_next_pod_is_scheduled(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "overlap")
    seek(page, str(steps_of(page, "NodesFiltered")[2]))
    expect(page.locator(".beside-pod")).to_have_text(["web-1", "web-2"])
    expect(page.locator(".meanwhile .binding-who b")).to_have_text(["web-1", "web-2"])  # under the lanes, too
    seek(page, str(steps_of(page, "AttemptFinished")[0]))
    assert sentence(page) == "The scheduling cycle ends: web-1 is still to be bound to n1."
    open_player(page, "permit-gang")
    seek(page, str(steps_of(page, "PermitEvaluated")[1]))
    expect(page.locator(".beside-pod")).to_have_text(["ring-2 ‖ 20 s"])
    expect(page.locator(".queue-section.waiting")).to_contain_text("until 24.0 s")


@pytest.mark.quick
def test_a_rollback_is_drawn_on_the_rail_and_on_the_node(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "bind-failure")
    seek(page, str(steps_of(page, "PodUnreserved")[0]))
    expect(page.locator(".station.undone")).to_have_text([re.compile("Reserve"), re.compile("Permit")])
    expect(page.locator(".station.failed")).to_have_text(re.compile("PreBind"))
    expect(page.locator("[data-node=n1] .block.held.mine")).to_be_visible()
    expect(page.locator("[data-node=n1] .node-note")).to_have_text("↩ given back")


def test_a_finished_wait_on_permit_says_how_it_ended(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "permit-timeout")
    seek(page, str(steps_of(page, "PermitDecided")[0]))
    expect(page.locator(".binding:not(.beside) li.failed")).to_have_text(re.compile("Permit.*timeout"))
    open_player(page, "permit-gang")
    seek(page, str(steps_of(page, "PermitDecided")[0]))
    expect(page.locator(".binding:not(.beside) li.did", has_text="Permit")).to_contain_text("Coscheduling")


def test_the_rail_of_a_release_before_the_framework_has_the_steps_of_that_release(browser_page: Page) -> None:
    page = browser_page
    saved = save(page, scenario(node("n1"), node("n2"), pod("web", cpu=1), kubernetesVersion="1.15"))
    page.goto(f"/s/{saved['id']}/v/1/")
    wait_until_drawn(page)
    until(page, "kschedui.store.complete")
    seek(page, str(steps_of(page, "HostSelected")[0]))
    steps = ["Predicates", "Preempt", "Priorities", "Select", "Assume", "Bind"]
    expect(page.locator(".station")).to_have_text([re.compile(step) for step in steps])
    expect(page.locator(".station.current")).to_have_text("Select")
    expect(page.locator(".station.done")).to_have_text(["Predicates", "Priorities"])


@pytest.mark.quick
def test_the_rail_shows_the_path_of_a_finished_attempt(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    finished = {
        page.evaluate("s => kschedui.store.event(s).outcome", at): at for at in steps_of(page, "AttemptFinished")
    }
    seek(page, str(finished["Scheduled"]))
    expect(page.locator(".station.todo")).to_have_count(0)
    expect(page.locator(".station.done").last).to_have_text("PostBind")
    seek(page, str(finished["Unschedulable"]))
    expect(page.locator(".station.failed")).to_have_text(re.compile("Filter"))
    expect(page.locator(".station.done").last).to_have_text(re.compile("PostFilter"))
    expect(page.locator(".station.passed").last).to_have_text("✕ Filter")  # the line ends at PostFilter


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080)])
def test_a_long_caption_stays_between_the_bar_and_the_rail(
    browser: Browser, live_stack: Stack, width: int, height: int
) -> None:
    context = browser.new_context(base_url=live_stack.url, viewport={"width": width, "height": height})
    page = context.new_page()
    open_player(page, "flash-sale")
    for kind in ("ScoresComputed", "PreemptionEvaluated", "NodesFiltered"):
        for step in steps_of(page, kind)[:4]:
            seek(page, link_to(page, step))
            top, bottom = page.evaluate(
                "[document.querySelector('header.bar').getBoundingClientRect().bottom,"
                " document.querySelector('#rail').getBoundingClientRect().top]"
            )
            box = page.locator("#caption").bounding_box()
            assert box
            assert top <= box["y"] + 0.5, (kind, step, sentence(page))
            assert box["y"] + box["height"] <= bottom + 8, (kind, step, sentence(page))
    context.close()
