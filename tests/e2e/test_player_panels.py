"""What stands beside the lanes: sources, reasons of many nodes, pictures, versions, overlapping binding cycles, phones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any
from xml.dom import minidom

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.e2e.player_page import drawn, link_to, open_player, seek, sentence, sheets, steps_of, until

PIXEL = """async ([svg, x, y]) => {
  const image = new Image();
  await new Promise((done, failed) => Object.assign(image, {onload: done, onerror: () => failed(new Error("no picture")),
    src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg)}));
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
}"""
LINE_AFTER_STATION = """() => {
  const root = document.querySelector("#player").getBoundingClientRect();
  const box = document.querySelector(".station.done").getBoundingClientRect();
  return [Math.round(box.right - 8 - root.left), Math.round(box.top + box.height / 2 - root.top)];
}"""


def frame_of(page: Page, step: int, plugin: str) -> str:
    """The link to the frame of a Filter plugin."""
    at = page.evaluate("([step, plugin]) => kschedui.store.event(step).plugins.indexOf(plugin)", [step, plugin])
    return f"{step}.{at}" if at else str(step)


def save(page: Page, text: str, parent: str = "", version: int = 0) -> dict[str, Any]:
    """Save a scenario, or another version of one, as the editor does."""
    page.goto("/new/")
    body = {"text": text, **({"base": version} if parent else {})}
    address = f"/api/v1/scenarios/{parent}/versions" if parent else "/api/v1/scenarios"
    answer: dict[str, Any] = page.evaluate(
        "async ([address, body]) => (await fetch(address, {method: 'POST', body: JSON.stringify(body), headers:"
        " {'Content-Type': 'application/json', 'X-CSRFToken': document.querySelector('[name=csrfmiddlewaretoken]').value}"
        "})).json()",
        [address, body],
    )
    return answer


def dry_run(page: Page) -> int:
    """The first preemption that has candidates."""
    candidates = "at => kschedui.store.event(at).candidates.length"
    return next(at for at in steps_of(page, "PreemptionEvaluated") if page.evaluate(candidates, at))


def shown_whole(page: Page, selector: str) -> None:
    """Nothing of these texts is cut off."""
    cut = page.eval_on_selector_all(
        selector, "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
    )
    assert cut == []


@pytest.fixture
def phone(browser: Browser, live_stack: Stack) -> Iterator[Page]:
    """A page as wide as a phone."""
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 390, "height": 844}, has_touch=True)
    yield context.new_page()
    context.close()


def test_a_verdict_leads_to_the_rule_in_our_source_and_to_kube_schedulers(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    step = next(
        at
        for at in steps_of(page, "NodesFiltered")
        if "NodeAffinity" in page.evaluate("s => kschedui.store.event(s).plugins", at)
    )
    seek(page, frame_of(page, step, "NodeAffinity"))
    links = page.locator("#margin .sources a")
    expect(links.nth(0)).to_have_attribute("href", "/plugins/NodeAffinity/?kubernetes=1.36#filter")
    expect(links.nth(1)).to_have_attribute(
        "href", re.compile("release-1.36/pkg/scheduler/framework/plugins/nodeaffinity$")
    )
    with page.context.expect_page() as opened:
        links.nth(0).click()
    source = opened.value
    expect(source.locator("tr.rule", has_text="def filter(")).to_be_in_viewport()
    expect(source.locator("h2", has_text="node_affinity/explain.py")).to_have_count(1)


def test_how_many_fit_is_counted_by_the_release_that_the_run_is_of(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "first-pod", "?kubernetes=1.30")
    page.evaluate("kschedui.player.seek(kschedui.store.steps - 1)")
    page.locator("#stage [data-fly]").first.click()
    link = page.locator("#margin").get_by_role("link", name="How many fit")
    expect(link).to_have_attribute("href", re.compile(r"/capacity/\?pod=[^&]+&kubernetes=1\.30$"))


def test_points_lead_to_the_score_function(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    seek(page, f"{steps_of(page, 'ScoresComputed')[0]}.1")
    expect(page.locator("#margin .sources a").first).to_have_attribute(
        "href", "/plugins/NodeAffinity/?kubernetes=1.36#score"
    )


def test_reasons_of_many_nodes_stand_in_words_and_light_up_their_nodes(browser_page: Page) -> None:
    page = browser_page
    nodes = [node(f"n{i:02}", cpu=1 if i % 3 else 8, labels={"disk": "ssd" if i % 2 else "hdd"}) for i in range(60)]
    big = pod("big", cpu=4)
    big["spec"]["nodeSelector"] = {"disk": "ssd"}
    page.goto(save(page, scenario(*nodes, big))["url"])
    drawn(page)
    until(page, "kschedui.store.complete")
    seek(page, link_to(page, steps_of(page, "NodesFiltered")[0]))
    reasons = page.locator(".reasons li button[aria-pressed]")
    expect(reasons).to_have_text(
        [re.compile(r"Labels\? labels do not match30"), re.compile(r"Room\? too little cpu20")]
    )
    expect(page.locator(".lane.picked")).to_have_count(0)
    reasons.nth(1).click()
    expect(page.locator(".lane.picked")).to_have_count(20)
    assert page.evaluate(
        "[...document.querySelectorAll('.lane.picked')].every(lane => Number(lane.dataset.node.slice(1)) % 3 !== 0)"
    )
    page.locator(".reasons p button").first.click()
    expect(page.locator("#margin .margin-label")).to_have_text("node")
    reasons.nth(1).click()
    expect(page.locator(".lane.picked")).to_have_count(0)


def test_reasons_stand_beside_a_field_of_cells_and_leave_only_their_nodes_in_it(browser_page: Page) -> None:
    page = browser_page
    nodes = [node(f"n{i:03}", cpu=1 if i % 3 else 8, unschedulable=i % 10 == 0) for i in range(240)]
    page.goto(save(page, scenario(*nodes, pod("big", cpu=4)))["url"])
    drawn(page)
    until(page, "kschedui.store.complete")
    seek(page, link_to(page, steps_of(page, "NodesFiltered")[0]))
    reasons = page.locator(".reasons li button[aria-pressed]")
    expect(reasons).to_have_text([re.compile(r"Open\? cordoned24"), re.compile(r"Room\? too little cpu144")])
    before = page.evaluate("document.querySelector('.cells canvas').toDataURL()")
    reasons.nth(0).click()
    expect(reasons.nth(0)).to_have_attribute("aria-pressed", "true")
    until(page, "before => document.querySelector('.cells canvas').toDataURL() !== before", before)
    reasons.nth(0).click()
    until(page, "before => document.querySelector('.cells canvas').toDataURL() === before", before)


def test_what_an_extender_refuses_is_told_and_drawn(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "extender")
    seek(page, link_to(page, steps_of(page, "NodesFiltered")[0]))
    assert sentence(page) == "licence-server rejects n1 for cad: no licence for this host."
    expect(page.locator(".lane[data-node=n1] .stop")).to_be_visible()
    expect(page.locator("#margin .raw")).to_contain_text("no licence for this host")


def test_a_lane_says_in_words_what_did_not_match(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    step = next(at for at in steps_of(page, "NodesFiltered") if at > 40)
    seek(page, frame_of(page, step, "NodeAffinity"))
    expect(page.locator(".lane[data-node=ash-3] .why-stopped")).to_have_text("disk is hdd, web-5 requires ssd")
    expect(page.locator(".lane[data-node=birch-1] .tick.now")).to_have_text("disk is ssd ✓")
    expect(page.locator("#caption h1")).to_have_text("ash-3 has disk=hdd, and web-5 requires ssd.")
    expect(page.locator("#margin .facts")).to_contain_text("disk is hdd, web-5 requires ssd")


def test_share_that_is_asked_for_too_early_waits_for_the_step(browser_page: Page) -> None:
    page = browser_page
    held: list[Callable[[], None]] = []
    free: list[bool] = []

    def through(socket: Any) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(message) if free else held.append(lambda: socket.send(message)))

    page.route_web_socket(re.compile("/ws/run/"), through)
    page.goto("/library/flash-sale/#116.9")
    expect(page.locator("#caption")).to_have_text("The run is being simulated; its first steps are on the way.")
    page.click("[data-open=share]")
    expect(page.locator("dialog[open]")).to_have_count(0)
    free.append(True)
    for send in held:
        send()
    expect(page.locator("dialog[open] input").first).to_have_value(re.compile(r"/v/1/\?step=116.9$"))


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


def test_the_player_leads_to_another_version_and_to_what_changed(browser_page: Page) -> None:
    page = browser_page
    text = scenario(node("n1", cpu=2), pod("a", cpu=1), title="First")
    sid = save(page, text)["id"]
    save(page, text.replace("First", "Second"), parent=sid, version=1)
    page.goto(f"/s/{sid}/")
    drawn(page)
    page.get_by_role("button", name="Scenario").click()
    page.get_by_role("button", name="Version 2").click()
    versions = page.locator("#versions")
    expect(versions.locator("[aria-current]")).to_have_text("Version 2")
    versions.get_by_role("link", name="What changed").click()
    expect(page).to_have_url(re.compile(f"/s/{sid}/diff/1/2/$"))
    page.go_back()
    drawn(page)
    page.get_by_role("button", name="Scenario").click()
    page.get_by_role("button", name="Version 2").click()
    versions.get_by_role("link", name="Version 1").click()
    expect(page).to_have_url(re.compile(f"/s/{sid}/v/1/"))


def test_binding_cycles_stand_over_the_rail_while_the_next_pod_is_scheduled(browser_page: Page) -> None:
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


def test_a_rollback_is_drawn_on_the_rail_and_on_the_node(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "bind-failure")
    seek(page, str(steps_of(page, "PodUnreserved")[0]))
    expect(page.locator(".station.undone")).to_have_text([re.compile("Reserve"), re.compile("Permit")])
    expect(page.locator(".station.failed")).to_have_text(re.compile("PreBind"))
    expect(page.locator("[data-node=n1] .block.held.mine")).to_be_visible()
    expect(page.locator("[data-node=n1] .node-note")).to_have_text("↩ given back")


def test_a_wait_on_permit_that_ended_says_how(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "permit-timeout")
    seek(page, str(steps_of(page, "PermitDecided")[0]))
    expect(page.locator(".binding:not(.beside) li.failed")).to_have_text(re.compile("Permit.*timeout"))
    open_player(page, "permit-gang")
    seek(page, str(steps_of(page, "PermitDecided")[0]))
    expect(page.locator(".binding:not(.beside) li.did", has_text="Permit")).to_contain_text("Coscheduling")


def test_the_third_rung_shows_what_the_scheduler_adds_where_the_smaller_sum_loses(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "rung-3-priority-sum")
    seek(page, link_to(page, steps_of(page, "PreemptionEvaluated")[0]))
    expect(page.locator(".rung-cell.falls b")).to_have_text("✕ 3·2³¹ + 120")
    expect(page.locator(".rung-cell.wins b")).to_have_text("★ 2·2³¹ + 200")


def test_nodes_with_equal_totals_share_a_place(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "soft-spread")
    scored = steps_of(page, "ScoresComputed")[2]
    seek(page, link_to(page, scored))
    places = page.locator(".lane .total small")
    expect(places).to_have_text(["2nd, −175", "2nd, −175", "★ leads"])
    seek(page, str(scored + 1))
    expect(places).to_have_text(["2nd, −175", "2nd, −175", "★ winner"])


def test_an_attempt_that_is_over_keeps_its_way_on_the_rail(browser_page: Page) -> None:
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


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1920, 1080)])
def test_a_full_caption_keeps_between_the_bar_and_the_rail(
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


def test_a_phone_shows_the_dry_run_and_whole_dates(phone: Page) -> None:
    open_player(phone, "flash-sale")
    step = dry_run(phone)
    seek(phone, f"{step}.1")
    expect(phone.locator(".lying")).to_have_count(6)
    expect(phone.locator(".lying u")).to_have_count(6)
    seek(phone, link_to(phone, step))
    expect(phone.locator(".rung-cell b", has_text="Dec 24")).to_be_visible()
    shown_whole(phone, ".rung-cell b, .floor > *, .lying-head span")
    edges = phone.eval_on_selector_all(".rung-cell b", "all => all.map(e => e.getBoundingClientRect().right)")
    assert max(edges) <= 390
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_with_the_timeline_opened_in_a_low_window_the_candidates_of_a_dry_run_lie(browser_page: Page) -> None:
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 720})
    open_player(page, "flash-sale")
    step = dry_run(page)
    seek(page, f"{step}.1")
    expect(page.locator(".tank-column")).to_have_count(6)
    page.keyboard.press("l")
    expect(page.locator(".lying")).to_have_count(6)
    seek(page, link_to(page, step))
    stage = page.locator("#stage").bounding_box()
    lanes = [lane.bounding_box() for lane in page.locator(".lying-lane").all()]
    assert stage
    for above, below in pairwise([*filter(None, lanes), {"y": stage["y"] + stage["height"]}]):
        assert above["y"] + above["height"] <= below["y"] + 1


def test_a_phone_shows_binding_cycles_beside_the_lanes(phone: Page) -> None:
    open_player(phone, "overlap")
    seek(phone, str(steps_of(phone, "NodesFiltered")[2]))
    rail = phone.locator("#rail").bounding_box()
    for chip in phone.locator(".beside-pod").all():
        expect(chip).to_be_visible()
        box = chip.bounding_box()
        assert rail
        assert box
        assert 0 <= box["x"] <= 390 - box["width"]
        assert rail["y"] <= box["y"] <= rail["y"] + rail["height"] - box["height"]


def test_two_fingers_zoom_the_timeline_and_one_scrubs(phone: Page) -> None:
    open_player(phone, "flash-sale")
    until(phone, "kschedui.timeline.handsOn !== null")
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


def test_a_step_is_printed_on_one_sheet_and_the_transcript_on_as_many_as_it_needs(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale", "#45.5")
    printed = [sheets(page, prefer_css_page_size=True)]
    page.keyboard.press("t")
    expect(page.locator("dialog[open] .transcript-lines")).to_be_visible()
    printed.append(sheets(page, prefer_css_page_size=True))
    assert printed[0] == 1
    assert printed[1] > 5


def test_enter_in_search_opens_the_first_that_was_found(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    page.keyboard.press("/")
    page.fill("#search-word", "cedar-2")
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#margin h2")).to_have_text("cedar-2")


def test_looking_node_by_node_and_back_comes_to_the_same_frame(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    step = steps_of(page, "NodesFiltered")[0]
    seek(page, f"{step}.2")
    page.keyboard.press("o")
    expect(page.locator("#caption .eyebrow")).to_contain_text("node 1 of")
    page.keyboard.press("o")
    drawn(page, f"{step}.2")
