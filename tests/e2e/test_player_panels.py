"""The panels next to the lanes: sources, reasons of many nodes, criteria, versions, search, printing."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.e2e.player_page import (
    draw_at,
    first_preemption,
    link_to,
    open_player,
    save,
    seek,
    sentence,
    sheets,
    steps_of,
    until,
    wait_until_drawn,
)


def frame_of(page: Page, step: int, plugin: str) -> str:
    """Return the link to the frame of a Filter plugin."""
    at = page.evaluate("([step, plugin]) => kschedui.store.event(step).plugins.indexOf(plugin)", [step, plugin])
    return f"{step}.{at}" if at else str(step)


def test_a_verdict_links_to_the_rule_in_our_source_and_in_kube_schedulers(browser_page: Page) -> None:
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
    page.locator("#margin .rest > summary").click()
    with page.context.expect_page() as opened:
        links.nth(0).click()
    source = opened.value
    expect(source.locator("tr.rule", has_text="def filter(")).to_be_in_viewport()
    expect(source.locator("h2", has_text="node_affinity/explain.py")).to_have_count(1)


def test_the_link_to_how_many_fit_has_the_release_of_the_run(browser_page: Page) -> None:
    page = browser_page
    page.goto("/library/first-pod/?kubernetes=1.30")
    page.get_by_role("button", name="Run on Kubernetes 1.30").click()
    wait_until_drawn(page)
    until(page, "kschedui.store.complete")
    draw_at(page, page.evaluate("kschedui.store.steps - 1"))
    page.locator("#stage [data-fly]").first.click()
    link = page.locator("#margin").get_by_role("link", name="How many fit")
    expect(link).to_have_attribute("href", re.compile(r"/capacity/\?pod=[^&]+&kubernetes=1\.30$"))


def test_a_score_links_to_the_score_function(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    seek(page, f"{steps_of(page, 'ScoresComputed')[0]}.1")
    expect(page.locator("#margin .sources a").first).to_have_attribute(
        "href", "/plugins/NodeAffinity/?kubernetes=1.36#score"
    )


@pytest.mark.quick
def test_reasons_of_many_nodes_are_in_words_and_mark_their_nodes(browser_page: Page) -> None:
    page = browser_page
    nodes = [node(f"n{i:02}", cpu=1 if i % 3 else 8, labels={"disk": "ssd" if i % 2 else "hdd"}) for i in range(60)]
    big = pod("big", cpu=4)
    big["spec"]["nodeSelector"] = {"disk": "ssd"}
    page.goto(save(page, scenario(*nodes, big))["url"])
    wait_until_drawn(page)
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


def test_pressing_a_reason_next_to_a_field_of_cells_changes_the_picture_and_again_restores_it(
    browser_page: Page,
) -> None:
    page = browser_page
    nodes = [node(f"n{i:03}", cpu=1 if i % 3 else 8, unschedulable=i % 10 == 0) for i in range(240)]
    page.goto(save(page, scenario(*nodes, pod("big", cpu=4)))["url"])
    wait_until_drawn(page)
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


@pytest.mark.quick
def test_a_node_that_an_extender_refuses_is_explained_and_drawn(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "extender")
    seek(page, link_to(page, steps_of(page, "NodesFiltered")[0]))
    assert sentence(page) == "licence-server rejects n1 for cad: no licence for this host."
    expect(page.locator(".lane[data-node=n1] .stop")).to_be_visible()
    expect(page.locator("#margin .raw")).to_contain_text("no licence for this host")


@pytest.mark.quick
def test_a_lane_says_in_words_which_label_did_not_match(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    step = next(at for at in steps_of(page, "NodesFiltered") if at > 40)
    seek(page, frame_of(page, step, "NodeAffinity"))
    expect(page.locator(".lane[data-node=ash-3] .why-stopped")).to_have_text("disk is hdd, web-5 requires ssd")
    expect(page.locator(".lane[data-node=birch-1] .tick.now")).to_have_text("disk is ssd ✓")
    expect(page.locator("#caption h1")).to_have_text("ash-3 has disk=hdd, and web-5 requires ssd.")
    expect(page.locator("#margin .facts")).to_contain_text("disk is hdd, web-5 requires ssd")


@pytest.mark.quick
def test_the_share_dialog_waits_until_the_step_has_arrived(browser_page: Page) -> None:
    page = browser_page
    held: list[Callable[[], None]] = []
    free: list[bool] = []

    def through(socket: Any) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(message) if free else held.append(lambda: socket.send(message)))

    page.route_web_socket(re.compile("/ws/run/"), through)
    page.goto("/library/flash-sale/#116.9")
    expect(page.locator("#caption")).to_have_text("The run is being simulated; this step is on the way.")
    page.click("[data-open=share]")
    expect(page.locator("dialog[open]")).to_have_count(0)
    free.append(True)
    for send in held:
        send()
    expect(page.locator("dialog[open] input").first).to_have_value(re.compile(r"/v/1/\?step=116.9$"))


def test_the_player_links_to_another_version_and_to_the_differences(browser_page: Page) -> None:
    page = browser_page
    text = scenario(node("n1", cpu=2), pod("a", cpu=1), title="First")
    sid = save(page, text)["id"]
    save(page, text.replace("First", "Second"), parent=sid, version=1)
    page.goto(f"/s/{sid}/")
    wait_until_drawn(page)
    page.locator(".menu-button").click()
    page.get_by_role("button", name="Version 2").click()
    versions = page.locator("#versions")
    expect(versions.locator("[aria-current]")).to_have_text("Version 2")
    versions.get_by_role("link", name="What changed").click()
    expect(page).to_have_url(re.compile(f"/s/{sid}/diff/1/2/$"))
    page.go_back()
    wait_until_drawn(page)
    page.locator(".menu-button").click()
    page.get_by_role("button", name="Version 2").click()
    versions.get_by_role("link", name="Version 1").click()
    expect(page).to_have_url(re.compile(f"/s/{sid}/v/1/"))


def test_the_third_criterion_shows_the_added_2_to_the_31_where_the_smaller_sum_loses(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "rung-3-priority-sum")
    seek(page, link_to(page, steps_of(page, "PreemptionEvaluated")[0]))
    expect(page.locator(".criterion-value.falls b")).to_have_text("✕ 3·2³¹ + 120")
    expect(page.locator(".criterion-value.wins b")).to_have_text("★ 2·2³¹ + 200")


def test_nodes_with_equal_totals_share_a_place(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "soft-spread")
    scored = steps_of(page, "ScoresComputed")[2]
    seek(page, link_to(page, scored))
    places = page.locator(".lane .total small")
    expect(places).to_have_text(["2nd, −175", "2nd, −175", "★ leads"])
    seek(page, str(scored + 1))
    expect(places).to_have_text(["2nd, −175", "2nd, −175", "★ winner"])


def test_with_the_timeline_open_in_a_low_window_candidates_are_rows_that_do_not_overlap(browser_page: Page) -> None:
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 720})
    open_player(page, "flash-sale")
    step = first_preemption(page)
    seek(page, f"{step}.1")
    expect(page.locator(".candidate-column")).to_have_count(6)
    page.keyboard.press("l")
    expect(page.locator(".lane-bar")).to_have_count(6)
    seek(page, link_to(page, step))
    stage = page.locator("#stage").bounding_box()
    lanes = [lane.bounding_box() for lane in page.locator(".candidate-lane").all()]
    assert stage
    assert lanes
    for above, below in pairwise([*filter(None, lanes), {"y": stage["y"] + stage["height"]}]):
        assert above["y"] + above["height"] <= below["y"] + 1


def test_a_step_is_printed_on_one_sheet_and_the_transcript_on_as_many_as_it_needs(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale", "#45.5")
    printed = [sheets(page, prefer_css_page_size=True)]
    page.keyboard.press("t")
    expect(page.locator("dialog[open] .transcript-lines")).to_be_visible()
    printed.append(sheets(page, prefer_css_page_size=True))
    assert printed[0] == 1
    assert printed[1] > 5


@pytest.mark.quick
def test_enter_in_search_opens_the_first_result(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    page.keyboard.press("/")
    page.fill("#search-word", "cedar-2")
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#margin h2")).to_have_text("cedar-2")


@pytest.mark.quick
def test_switching_to_node_by_node_and_back_shows_the_same_frame(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    step = steps_of(page, "NodesFiltered")[0]
    seek(page, f"{step}.2")
    page.keyboard.press("o")
    expect(page.locator("#caption .eyebrow")).to_contain_text("node 1 of")
    page.keyboard.press("o")
    wait_until_drawn(page, f"{step}.2")


def test_an_explanation_that_waits_for_its_turn_says_how_many_requests_come_before(
    browser: Browser, live_stack: Stack
) -> None:
    page = browser.new_context(base_url=live_stack.url).new_page()
    busy = {"ahead": {"others": 3, "seconds": 2}}
    page.route("**/explain/**", lambda route: route.fulfill(status=202, json=busy))
    open_player(page, "flash-sale")
    seek(page, str(steps_of(page, "ScoresComputed")[0]))
    place, line = page.get_by_text("3 requests come before yours"), page.locator("#margin .formula").first
    expect(place).to_be_visible()
    expect(line).not_to_contain_text("100 - 100 * 0 / 1")
    page.unroute("**/explain/**")
    expect(line).to_contain_text("100 - 100 * 0 / 1")
    expect(place).to_have_count(0)
    page.context.close()


def test_a_place_that_the_run_does_not_have_is_refused_in_a_sentence(browser_page: Page) -> None:
    page = browser_page
    page.goto("/library/flash-sale/#5")
    expect(page.locator("#caption")).to_contain_text("leaves activeQ")
    page.keyboard.press("g")
    number = page.locator(".goto-form input")
    for kind, value in (("attempt", "99"), ("step", "9999"), ("step", "two"), ("time", "1e9")):
        page.select_option(".goto-form select", kind)
        number.fill(value)
        page.keyboard.press("Enter")
        assert number.evaluate("input => input.validationMessage") == "This run has no such step, attempt or time."
    page.select_option(".goto-form select", "attempt")
    number.fill("2")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("#5$"))
    expect(number).not_to_be_visible()
