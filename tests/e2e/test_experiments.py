"""An experiment in a browser: the form, a killed worker, the drawing, and the run behind an outlier."""

import json
import os
import re
import signal

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.stack import Stack
from tests.conftest import PATIENCE_MS, StackMaker, serve, warm
from tests.e2e.axe import ANY, violations
from tests.processes import descendants
from tests.web.experiments import OUTLIERS
from tests.web.visitor import LONG, Visitor

SEEDS, VALUES = 60, "0, 10, 1000"


@pytest.fixture
def stack(make_stack: StackMaker) -> Stack:
    made = make_stack(library=False, KSCHEDUI_RUN_LEASE_SECONDS="2", KSCHEDUI_REAPER_SECONDS="1")
    made.start_workers(runs=1)
    made.start_workers(experiments=1)
    serve(made)
    warm(made)
    return made


@pytest.fixture
def page(browser: Browser, stack: Stack) -> Page:
    """Yield a page of the stack. Errors on it, and violations of the site's policy, fail the test."""
    context = browser.new_context(base_url=stack.url, viewport={"width": 1280, "height": 720})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert not errors, errors


def save_scenario(page: Page) -> str:
    """Save a scenario for the page's visitor, and return its address."""
    page.goto("/new/")
    script = """async (text) => {
        const token = document.querySelector("input[name=csrfmiddlewaretoken]").value;
        const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
        return (await fetch("/api/v1/scenarios", { method: "POST", headers, body: JSON.stringify({ text }) })).json();
    }"""
    found: str = page.evaluate(script, OUTLIERS)["url"]
    return found


def kill_pool(stack: Stack) -> None:
    for process in descendants(stack.children["experiments"].group):
        if "kschedui.workers" in process.command:
            os.kill(process.pid, signal.SIGKILL)


def test_all_runs_are_drawn_although_a_worker_is_killed_and_an_outlier_opens_its_run(stack: Stack, page: Page) -> None:
    page.goto(save_scenario(page))
    page.locator(".menu-button").click()
    page.get_by_role("link", name="Vary this scenario").click()
    form = page.locator("form[data-ready]")
    form.locator("#own > summary").click()
    form.get_by_label("How many", exact=True).fill(str(SEEDS))
    form.locator("[data-factor=priority] [name=values]").fill(VALUES)
    expect(page.locator("#product")).to_have_text("60 × 3 = 180 runs")
    assert violations(page, impacts=ANY) == []
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/experiments/*/")
    eid = page.url.rstrip("/").rsplit("/", 1)[1]
    visitor = Visitor(stack.url)
    wait_until(lambda: json.loads(visitor.get(f"/api/v1/experiments/{eid}")[1])["done"] > 0, LONG)
    kill_pool(stack)
    results = page.locator("#results[data-ready]")
    expect(results).to_be_attached(timeout=LONG * 1000)
    expect(page.get_by_role("status").first).to_have_text("All 180 runs are done.")
    page.get_by_label("Measure").select_option("Pods evicted")
    expect(page.locator("#results")).to_have_attribute("data-drawn", "180")
    expect(page.locator("#drawing circle:not([r='0'])")).to_have_count(180)
    assert violations(page, impacts=ANY) == []
    few = page.locator("table").first.locator("tbody tr", has_text="1000").locator("td")
    assert few.nth(0).inner_text() == "60"
    assert (few.nth(1).inner_text(), few.nth(4).inner_text()) == ("0", "1"), "in some runs a pod is evicted"
    assert 0 < float(few.nth(3).inner_text()) < 0.2, "and in most none is"
    open_outlier(page)


def open_outlier(page: Page) -> None:
    """Click the highest dot, and check that its run opens, in which web is evicted."""
    highest = page.locator("#drawing circle:not([r='0'])").evaluate_all(
        "(all) => { const top = all.reduce((a, b) => (+b.getAttribute('cy') < +a.getAttribute('cy') ? b : a));"
        "top.scrollIntoView({ block: 'center' }); const box = top.getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]; }"
    )
    page.mouse.move(*highest)
    page.mouse.click(*highest)
    page.wait_for_url(re.compile("/s/[^/]+/v/1/"))
    expect(page.locator(".scenario-title")).to_contain_text("priority")
    expect(page.locator("#player[data-ready]")).to_be_attached()
    page.keyboard.press("End")
    expect(page.locator("#player")).to_contain_text("Deleted or evicted: web")
    again = page.get_by_role("link", name="Run it many times with different values")
    assert (again.get_attribute("href") or "").endswith("/v/1/experiments/")


def test_on_a_phone_in_chinese_the_table_opens_runs_too_and_cancel_ends_it(stack: Stack, browser: Browser) -> None:
    context = browser.new_context(base_url=stack.url, viewport={"width": 390, "height": 844}, locale="zh-CN")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"{save_scenario(page)}v/1/experiments/")
    form = page.locator("form[data-ready]")
    form.locator("#own > summary").click()
    form.locator("[name=count]").fill("0")
    form.locator("[name=count]").fill("30000")
    expect(page.locator("#begin")).to_be_disabled()
    form.locator("[name=count]").fill("20000")
    page.locator("#begin").click()
    page.wait_for_url("**/experiments/*/")
    expect(page.get_by_role("button", name="打开第").first).to_be_visible(timeout=LONG * 1000)
    page.get_by_role("button", name="取消").click()
    expect(page.locator("#results[data-ready]")).to_be_attached()
    expect(page.get_by_role("status").first).to_contain_text("后取消")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page, impacts=ANY) == []
    page.get_by_role("button", name="打开第").first.click()
    page.wait_for_url(re.compile("/s/[^/]+/v/1/"))
    context.close()
