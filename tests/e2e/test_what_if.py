"""The panel "What if", and the arithmetic whose numbers can be changed: the answers, the pictures and the links."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.builders import budget, node, pod, scenario
from tests.e2e.player_page import draw_at, link_shown, save, sentence, steps_of, until, wait_until_drawn
from tests.e2e.walker.page_checks import MODULES

LATE_SECONDS = 0.4  # longer than the browser takes for the keys that are press_keys meanwhile
NODES = (node("n1", cpu=4), node("n2", cpu=8, taints=["dedicated=db:NoSchedule"]), node("n3", cpu=6))


def save_and_open(page: Page, *objects: dict[str, object]) -> dict[str, object]:
    """Save a scenario, and open its player with the whole run. Return the answer to the save."""
    saved = save(page, scenario(*objects))
    page.goto(saved["url"])
    wait_until_drawn(page)
    until(page, "kschedui.store.complete")
    return saved


@pytest.mark.quick
def test_a_pending_pod_is_made_to_fit_and_the_link_shows_it_placed(browser_page: Page) -> None:
    page = browser_page
    save_and_open(page, *NODES, pod("web", cpu=7))
    page.keyboard.press("End")
    page.keyboard.press("w")
    panel = page.get_by_role("complementary", name="What if")
    expect(panel).to_contain_text("stays Pending")
    panel.get_by_role("tab", name="Smallest change").click()
    first = panel.locator(".ask-found li").first
    expect(first).to_contain_text("Request 6 cpu instead of 7: the pod then fits on n3")
    first.get_by_role("button", name="Try it").click()
    expect(panel.locator(".ask-side.after")).to_contain_text("goes to n3")
    expect(page.locator("#stage [data-node=n3]")).to_have_attribute("data-asked", "winner")
    panel.get_by_role("button", name="Keep it as a fork").click()
    link = panel.get_by_label("Link to the step").input_value()
    assert page.request.get(f"{link.partition('#')[0]}scenario.yaml").text().count('"cpu": "6"') >= 1
    page.goto(link)
    wait_until_drawn(page)
    assert "web" in sentence(page)
    assert "n3" in sentence(page)
    expect(page.locator(".scenario-title")).to_contain_text("web requests 6 cpu")
    until(page, "kschedui.store.complete")
    page.locator(".menu-button").click()
    page.get_by_role("button", name="Fork ▾").click()
    expect(page.get_by_role("heading", name="fork of")).to_be_visible()
    changed = page.get_by_role("link", name="What changed").get_attribute("href") or ""
    assert '"cpu": "6"' in page.request.get(changed).text().replace("&quot;", '"')


def test_on_a_phone_changes_are_evaluated_at_once_and_undone(phone: Page) -> None:
    page = phone  # its errors do not fail the test: the refused value is one on the console
    save_and_open(page, *NODES, pod("web", cpu=7))
    page.keyboard.press("w")
    panel = page.get_by_role("complementary", name="What if")
    panel.get_by_role("slider", name="cpu").fill("4000")
    expect(panel.locator(".ask-changes.gained")).to_contain_text("2 nodes fit now")
    panel.get_by_role("textbox", name="cpu").fill("lots")
    panel.get_by_role("textbox", name="cpu").press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("lots")
    panel.get_by_role("button", name="Undo").click()
    expect(panel.get_by_role("alert")).to_have_count(0)
    panel.get_by_role("tab", name="Node").click()
    panel.get_by_label("node", exact=True).fill("n2")
    panel.get_by_label("node", exact=True).press("Enter")
    panel.get_by_role("button", name="Remove dedicated=db:NoSchedule").click()
    expect(panel.locator(".ask-side.after")).to_contain_text("goes to n2")
    panel.get_by_role("button", name="Reset").click()
    expect(panel.locator(".ask-side.after")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)


@pytest.mark.quick
def test_a_nodes_total_leads_to_the_weights_that_make_it_win(browser_page: Page) -> None:
    page = browser_page
    objects = node("n1", cpu=8), node("n2", cpu=8), pod("old", cpu=2, memory="1Gi", node="n2"), pod("web", cpu=1)
    save_and_open(page, *objects)
    draw_at(page, steps_of(page, "HostSelected")[0])
    page.locator("[data-node=n2] .total").click()
    page.get_by_role("button", name="What makes n2 win?").click()
    panel = page.get_by_role("complementary", name="What if")
    expect(panel.locator(".ask-weigh")).to_be_visible()
    panel.get_by_text("MostAllocated").click()
    expect(panel.locator(".ask-side.after")).to_contain_text("goes to n2")
    expect(panel.locator(".ask-changes.moved")).to_contain_text("2 totals moved")


@pytest.mark.quick
def test_a_budget_a_removed_node_and_a_disabled_plugin_each_change_the_victim_or_the_node(
    browser_page: Page,
) -> None:
    page = browser_page
    low = [
        pod(f"low-{name}", cpu=2, node=f"n{name}", priority=priority, labels={"app": name})
        for name, priority in (("1", 0), ("2", 5))
    ]
    nodes = node("n1", cpu=2), node("n2", cpu=2), node("n3", cpu=2, taints=["dedicated=db:NoSchedule"])
    guarded = budget("guard", {"app": "1"}, minAvailable=1)
    save_and_open(page, *nodes, *low, guarded, pod("web", cpu=2, priority=1000))
    page.keyboard.press("w")
    panel = page.get_by_role("complementary", name="What if")
    after = panel.locator(".ask-side.after")
    expect(panel.locator(".ask-side.before")).to_contain_text("evicts low-2 on n2")
    panel.get_by_role("tab", name="Budgets").click()
    panel.get_by_role("group", name="default/guard").get_by_label("minAvailable").fill("0")
    panel.get_by_role("group", name="default/guard").get_by_label("minAvailable").press("Enter")
    expect(after).to_contain_text("evicts low-1 on n1")
    panel.get_by_role("button", name="Reset").click()
    expect(after).to_have_count(0)
    panel.get_by_role("tab", name="Node").click()
    panel.get_by_label("node", exact=True).fill("n2")
    panel.get_by_label("node", exact=True).press("Enter")
    panel.get_by_label("Removed").check()
    expect(after).to_contain_text("evicts low-1 on n1")
    panel.get_by_role("button", name="Undo").click()
    expect(panel.get_by_label("Removed")).not_to_be_checked()
    panel.get_by_role("tab", name="Scheduler").click()
    panel.get_by_label("TaintToleration", exact=True).last.uncheck()
    expect(after).to_contain_text("goes to n3")
    expect(panel.locator(".ask-changes.gained")).to_contain_text("n3")


ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
WEB = {"matchLabels": {"app": "web"}}


def test_spread_constraints_and_affinity_are_edited_in_the_panel(browser_page: Page) -> None:
    page = browser_page
    nodes = [node(name, cpu=4, labels={ZONE: zone, HOST: name}) for name, zone in (("n1", "a"), ("n2", "b"))]
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": WEB}
    old = [pod(f"old-{i}", cpu=1, node="n1", labels={"app": "web"}) for i in range(2)]
    new = pod("web", cpu=1, labels={"app": "web"}, topologySpreadConstraints=[constraint], nodeSelector={ZONE: "a"})
    save_and_open(page, *nodes, *old, new)
    page.keyboard.press("w")
    panel = page.get_by_role("complementary", name="What if")
    after = panel.locator(".ask-side.after")
    term = panel.get_by_role("group", name=ZONE)
    term.get_by_role("spinbutton").fill("3")
    term.get_by_role("spinbutton").press("Enter")
    expect(after).to_contain_text("goes to n1")
    panel.get_by_role("button", name="Undo").click()
    term.get_by_label("whenUnsatisfiable").select_option("ScheduleAnyway")
    expect(after).to_contain_text("goes to n1")
    panel.get_by_label("Which term to add").select_option("podAntiAffinity, required")
    panel.get_by_label("Which term to add").locator("xpath=following-sibling::button").click()
    expect(after).to_contain_text("stays Pending")
    apart = panel.get_by_role("group", name="podAntiAffinity, required")
    apart.get_by_label("labelSelector").fill("app notin (")
    apart.get_by_label("labelSelector").press("Enter")
    expect(apart.get_by_label("labelSelector")).to_have_attribute("aria-invalid", "true")
    apart.get_by_label("labelSelector").fill("app in (db)")
    apart.get_by_label("labelSelector").press("Enter")
    expect(after).to_contain_text("goes to n1")
    panel.get_by_role("button", name="Keep it as a fork").click()
    link = panel.get_by_label("Link to the step").input_value()
    text = page.request.get(f"{link.partition('#')[0]}scenario.yaml").text()
    assert "ScheduleAnyway" in text
    assert "podAntiAffinity" in text


def test_a_field_of_cells_leads_to_the_smallest_change_and_shows_it(browser_page: Page) -> None:
    page = browser_page
    save_and_open(page, *(node(f"n{i}", cpu=2) for i in range(210)), pod("web", cpu=3))
    step = steps_of(page, "NodesFiltered")[0]
    draw_at(page, step, 99)
    page.get_by_role("button", name="What would make it fit?").click()
    panel = page.get_by_role("complementary", name="What if")
    first = panel.locator(".ask-found li").first
    expect(first).to_contain_text("Request 2 cpu instead of 3: the pod then fits on n0 and 209 more")
    picture = "document.querySelector('#stage canvas').toDataURL()"
    wait_until_drawn(page)
    before = page.evaluate(picture)
    first.get_by_role("button", name="Try it").click()
    expect(panel.locator(".ask-changes.gained")).to_contain_text("102 nodes fit now")
    until(page, f"before => {picture} !== before", before)
    panel.get_by_role("button", name="Reset").click()
    expect(panel.locator(".ask-side.after")).to_have_count(0)
    until(page, f"before => {picture} === before", before)


@pytest.mark.quick
def test_numbers_of_the_arithmetic_are_dragged_with_the_mouse(browser_page: Page) -> None:
    page = browser_page
    save_and_open(page, node("n1", cpu=2), node("n2", cpu=4, taints=["dedicated=db:NoSchedule"]), pod("web", cpu=3))
    at = steps_of(page, "NodesFiltered")[0]
    draw_at(page, at, page.evaluate("at => kschedui.player.frames(at) - 1", at))
    before = sentence(page)
    number = page.get_by_role("slider", name="cpu that web requests")
    box = number.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 4 - 7 * 12, box["y"] + 8, steps=6)
    expect(number).to_have_text("1.8")
    expect(page.locator("#caption .eyebrow")).to_have_text("What if: web requests 1.8 cpu instead of 3")
    expect(page.locator("#caption h1")).to_have_text("web would go to n1.")
    expect(page.locator("#stage .lane[data-node=n1]")).to_have_attribute("data-asked", "winner")
    expect(page.locator(".answer-row .answer-pod")).to_have_text("web")
    lane = page.locator("#stage .lane[data-node=n1]")
    expect(lane).to_have_class(re.compile(r"\balive\b"))  # the row, its bar, its comparison and the count follow
    expect(lane.locator(".tick.now")).to_contain_text("1.8 ≤ 2")
    expect(page.locator(".lanes-title")).to_contain_text("1 of 2 nodes left")
    page.mouse.up()
    expect(page.get_by_role("complementary", name="What if")).to_have_count(0)
    page.get_by_role("button", name="What happened").click()
    expect(number).to_have_text("3")
    expect(page.locator("#caption h1")).to_have_text(before)
    expect(page.locator("[data-asked=winner]")).to_have_count(0)
    expect(lane).to_have_class(re.compile(r"\bout\b"))


def test_arrow_keys_move_a_number_and_the_panel_goes_on_from_there(browser_page: Page) -> None:
    page = browser_page
    save_and_open(page, node("n1", cpu=2, memory="1Gi"), pod("web", cpu=1, memory="1536Mi"))
    at = steps_of(page, "NodesFiltered")[0]
    draw_at(page, at, page.evaluate("at => kschedui.player.frames(at) - 1", at))
    line = page.locator("#margin .formula").first
    expect(line).to_contain_text("1.5 ≤ 1 GiB")  # both sides have the same unit
    room = page.get_by_role("slider", name="Allocatable memory of n1")
    room.focus()
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    expect(line).to_contain_text("✓")
    expect(page.locator("#caption h1")).to_have_text("web would go to n1.")
    assert link_shown(page).startswith(f"#{at}")  # the arrow keys did not move the player
    page.get_by_role("button", name="Change more").click()
    panel = page.get_by_role("complementary", name="What if")
    expect(panel.locator(".ask-side.after")).to_contain_text("goes to n1")
    page.keyboard.press("Escape")
    expect(page.locator("#caption .eyebrow")).not_to_contain_text("What if")


def press_keys(page: Page, slider: str, key: str, times: int = 1) -> None:
    """Move a slider of the arithmetic with keys, while the panel's code takes LATE_SECONDS to load."""
    page.route(re.compile(r"/(dialog|panel)\.js"), delay)
    page.get_by_role("slider", name=slider).focus()
    for _ in range(times):
        page.keyboard.press(key)


def delay(route: Route) -> None:
    time.sleep(LATE_SECONDS)
    route.continue_()


def test_the_limit_of_a_spread_constraint_is_changed_by_keys(browser_page: Page) -> None:
    page = browser_page
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": WEB}
    save_and_open(
        page,
        node("n1", cpu=4, labels={ZONE: "a"}),
        node("n2", cpu=4, labels={ZONE: "b"}, taints=["dedicated=db:NoSchedule"]),
        *(pod(f"old-{i}", cpu=1, node="n1", labels={"app": "web"}) for i in range(2)),
        pod("web", cpu=1, labels={"app": "web"}, topologySpreadConstraints=[constraint]),
    )
    at = steps_of(page, "NodesFiltered")[0]
    draw_at(page, at, page.evaluate("at => kschedui.player.frames(at) - 1", at))
    pin(page, "verdict:n1:PodTopologySpread")
    line = page.locator("#margin .formula", has_text="≤").first
    expect(line).to_have_text("zone a: 2 + 1 - 0 = 3 ≤ 1 ✕")
    press_keys(page, "maxSkew of web by zone", "ArrowRight", 2)
    expect(line).to_have_text("zone a: 2 + 1 - 0 = 3 ≤ 3 ✓")
    expect(page.locator("#caption .eyebrow")).to_have_text("What if: web has maxSkew 3 by zone instead of 1")
    expect(page.locator("#caption h1")).to_have_text("web would go to n1.")
    page.get_by_role("button", name="What happened").click()
    expect(line).to_have_text("zone a: 2 + 1 - 0 = 3 ≤ 1 ✕")


def test_the_maxskew_of_preferred_spreading_is_changed_by_keys(browser_page: Page) -> None:
    page = browser_page
    keys = [
        {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": WEB}
        for key in (ZONE, HOST)
    ]
    save_and_open(
        page,
        *(node(name, cpu=4, labels={ZONE: zone, HOST: name}) for name, zone in (("n1", "a"), ("n2", "b"))),
        *(pod(f"old-{i}", cpu=1, node="n1", labels={"app": "web"}) for i in range(2)),
        pod("web", cpu=1, labels={"app": "web"}, topologySpreadConstraints=keys),
    )
    show_explanation(page, "score:n1:PodTopologySpread")
    line = page.locator("#margin .formula").first
    expect(line).to_have_text("zone: 2 pods × ln(2 domains + 2) + (maxSkew 1 - 1) = 2 × 1.39 + 0 = 2.77")
    press_keys(page, "maxSkew of web by zone", "ArrowRight", 4)
    expect(line).to_have_text("zone: 2 pods × ln(2 domains + 2) + (maxSkew 5 - 1) = 2 × 1.39 + 4 = 6.77")
    expect(page.locator("#caption h1")).to_have_text("web would go to n2.")


def test_shares_of_balance_are_changed_by_keys_and_outdated_results_are_hidden(browser_page: Page) -> None:
    page = browser_page
    save_and_open(
        page, node("n1", cpu=4, memory="8Gi"), node("n2", cpu=8, memory="8Gi"), pod("web", cpu=1, memory="2Gi")
    )
    show_explanation(page, "score:n1:NodeResourcesBalancedAllocation")
    cpu = page.locator("#margin .formula.decides").first
    expect(cpu).to_have_text("cpu 1000 / 4000 = 0.2500")
    deviation = page.locator("#margin .formula", has_text="standard deviation").last
    expect(deviation).to_be_visible()
    press_keys(page, "cpu that web requests", "ArrowRight", 10)
    expect(cpu).to_have_text("cpu 2000 / 4000 = 0.5000")
    expect(page.locator("#caption .eyebrow")).to_have_text("What if: web requests 2 cpu instead of 1")
    expect(page.locator("#caption h1")).to_have_text("web would go to n2.")
    expect(deviation).to_be_hidden()
    page.get_by_role("button", name="What happened").click()
    expect(cpu).to_have_text("cpu 1000 / 4000 = 0.2500")
    expect(deviation).to_be_visible()


def test_a_request_is_changed_by_keys_where_victims_are_reprieved(browser_page: Page) -> None:
    page = browser_page
    save_and_open(page, node("n1", cpu=4), pod("db", cpu=3, node="n1", priority=100), pod("high", cpu=2, priority=200))
    evaluated = steps_of(page, "PreemptionEvaluated")[0]
    draw_at(page, evaluated, page.evaluate("at => kschedui.player.frames(at) - 1", evaluated))
    row = page.locator("#margin .figures tr", has_text="db")
    expect(row).to_contain_text("1 < 2")
    press_keys(page, "cpu that high requests", "ArrowLeft", 10)
    expect(row).to_contain_text("1 ≥ 1")
    expect(page.locator("#caption h1")).to_have_text("high would go to n1.")


def test_weights_of_preferred_terms_are_changed_by_keys_until_another_node_wins(browser_page: Page) -> None:
    page = browser_page
    near = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": HOST}
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    disk, zone = (
        {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
        for key, value in (("disk", "ssd"), (ZONE, "b"))
    )
    affinity = {
        "nodeAffinity": {preferred: [{"weight": 80, "preference": disk}, {"weight": 20, "preference": zone}]},
        "podAffinity": {preferred: [{"weight": 10, "podAffinityTerm": near}]},
    }
    save_and_open(
        page,
        node("n1", cpu=4, labels={"disk": "ssd", HOST: "n1", ZONE: "a"}),
        node("n2", cpu=4, labels={HOST: "n2", ZONE: "b"}),
        pod("cache", cpu=1, node="n2", labels={"app": "cache"}),
        pod("web", cpu=1, affinity=affinity),
    )
    show_explanation(page, "score:n1:NodeAffinity")
    line = page.locator("#margin .formula").first
    expect(line).to_have_text("matching preferred terms: 80 = 80")
    show_explanation(page, "score:n2:InterPodAffinity")
    neighbours = page.locator("#margin .formula").first
    expect(neighbours).to_have_text("hostname=n2: 1 × 10 = 10")
    press_keys(page, "Weight that web gives to app=cache", "PageUp")
    expect(neighbours).to_have_text("hostname=n2: 1 × 20 = 20")
    expect(page.locator("#caption .eyebrow")).to_have_text("What if: web gives app=cache the weight 20 instead of 10")
    show_explanation(page, "score:n1:NodeAffinity")
    press_keys(page, "Weight that web gives to disk=ssd", "Home")
    expect(line).to_have_text("matching preferred terms: 1 = 1")
    expect(page.locator("#caption h1")).to_have_text("web would go to n2.")


@pytest.mark.quick
def test_a_priority_is_changed_by_keys_where_victims_are_counted(browser_page: Page) -> None:
    page = browser_page
    save_and_open(page, node("n1", cpu=2), pod("db", cpu=2, node="n1", priority=100), pod("high", cpu=2, priority=200))
    evaluated = steps_of(page, "PreemptionEvaluated")[0]
    draw_at(page, evaluated, page.evaluate("at => kschedui.player.frames(at) - 1", evaluated))
    expect(page.locator("#margin .figures tr").nth(1)).to_contain_text("all below 200 removed")
    press_keys(page, "Priority of high", "Home")
    expect(page.locator("#caption h1")).to_have_text("high would fit on no node.")
    page.get_by_role("button", name="What happened").click()
    expect(page.locator("#caption h1")).not_to_contain_text("would")


def test_a_priority_is_changed_by_keys_where_no_pod_is_less_important(browser_page: Page) -> None:
    page = browser_page
    save_and_open(page, node("n1", cpu=2), pod("db", cpu=2, node="n1", priority=100), pod("low", cpu=2, priority=50))
    draw_at(page, steps_of(page, "PreemptionEvaluated")[0])
    line = page.locator("#margin .formula")
    expect(line).to_have_text("db 100 < low 50 → false")
    press_keys(page, "Priority of low", "End")
    expect(line).to_have_text("db 100 < low 110 → true")
    expect(page.locator("#caption .eyebrow")).to_have_text("What if: low has priority 110 instead of 50")
    expect(page.locator("#caption h1")).to_have_text("low would evict db from n1.")


def show_explanation(page: Page, ref: str) -> None:
    """Go to the first scores, and show the explanation with this reference in the margin."""
    draw_at(page, steps_of(page, "ScoresComputed")[0], 99)
    pin(page, ref)


def pin(page: Page, ref: str) -> None:
    page.evaluate(f"async ref => (await import('{MODULES}js/player/actions.js')).act.pin(ref)", ref)
    wait_until_drawn(page)


def test_on_a_phone_a_number_is_dragged_below_the_lanes(phone: Page) -> None:
    page = phone
    save_and_open(page, node("n1", cpu=2), pod("web", cpu=3))
    at = steps_of(page, "NodesFiltered")[0]
    draw_at(page, at, page.evaluate("at => kschedui.player.frames(at) - 1", at))
    page.keyboard.press("i")
    number = page.get_by_role("slider", name="cpu that web requests")
    expect(number).to_be_in_viewport(ratio=1)
    box, stage = number.bounding_box(), page.locator("#caption").bounding_box()
    assert box is not None
    assert stage is not None
    assert box["y"] > stage["y"] + stage["height"]  # the headline stays in view
    touch = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for dx in range(10, 91, 10):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x - dx, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator("#caption h1")).to_have_text("web would go to n1.")
