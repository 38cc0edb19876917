"""Two runs side by side: the cause, the first decision that differs, and the pods that moved, kept in the link."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.builders import node, pod, scenario
from tests.e2e.axe import needs_axe, violations
from tests.e2e.player_page import save, until

MAX_ALLOCATED = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "pluginConfig": [
                {
                    "name": "NodeResourcesFit",
                    "args": {
                        "scoringStrategy": {
                            "type": "MostAllocated",
                            "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
                        }
                    },
                }
            ]
        }
    ],
}
SHOWN = (
    "[...document.querySelectorAll('iframe')].map(one => one.contentDocument.querySelector('#subject b')?.textContent)"
)


def three_hundred_nodes() -> list[dict[str, object]]:
    """Return 300 nodes, a running pod on each, and 7 pending pods.

    "huge" fits no node under any strategy; the other six get different nodes from LeastAllocated and MostAllocated.
    """
    nodes = [node(f"n{number:03}", cpu=8) for number in range(300)]
    running = [pod(f"old-{number}", cpu=1 + number % 3, node=f"n{number:03}") for number in range(300)]
    return [*nodes, *running, pod("huge", cpu=9), *(pod(f"web-{number}", cpu=1) for number in range(6))]


def test_least_against_most_allocated_to_the_first_difference_and_the_moved_pods(browser_page: Page) -> None:
    page = browser_page
    least = save(page, scenario(*three_hundred_nodes()))
    most = save(page, scenario(*three_hundred_nodes(), MAX_ALLOCATED))
    page.goto(f"/compare/{least['id']}/1/{most['id']}/1/")
    expect(page.locator("body[data-ready]")).to_be_attached()
    expect(page.locator("#where")).to_contain_text("2 / 7 · default/web-0 · ≠")
    expect(page.locator(".compare-cause")).to_contain_text("NodeResourcesFit")
    expect(page.get_by_role("heading", name="6 pods end up elsewhere")).to_be_visible()
    until(page, f"{SHOWN}.every(one => one === 'web-0')")
    page.get_by_role("button", name="Previous attempt").click()
    until(page, f"{SHOWN}.every(one => one === 'huge')")
    expect(page.locator("#where")).to_contain_text("=")
    page.frame_locator("iframe").nth(0).locator("#player[data-ready]").press("Shift+ArrowRight")
    until(page, f"{SHOWN}.every(one => one === 'web-0')")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("body[data-ready]")).to_be_attached()
    until(page, f"{SHOWN}.every(one => one === 'web-0')")
    assert page.url == link
    stages = page.locator(".compare-stages").bounding_box()
    assert stages is not None
    assert stages["y"] < 320  # the stages come first: the settings are folded, and the rest is below


@pytest.mark.quick
def test_a_release_that_refuses_the_scenario_cannot_be_chosen_and_says_why(browser_page: Page) -> None:
    page = browser_page
    gated = save(page, scenario(node("n1", cpu=8), pod("web", cpu=1, schedulingGates=[{"name": "later"}])))
    page.goto(f"/compare/{gated['id']}/1/{gated['id']}/1/")
    first = page.locator(".compare-stage").first
    expect(first.get_by_label("Kubernetes")).to_be_hidden()
    first.get_by_text("Another release or seed").click()
    expect(first.locator("option[value='1.25']")).to_be_disabled()
    expect(first.locator("option[value='1.30']")).to_be_enabled()
    expect(first.locator(".compare-refused")).to_contain_text("1.25 spec.schedulingGates: Kubernetes 1.25 has no such")


@needs_axe
def test_axe_finds_nothing_serious_on_two_runs_side_by_side(browser_page: Page) -> None:
    page = browser_page
    least = save(page, scenario(*three_hundred_nodes()))
    most = save(page, scenario(*three_hundred_nodes(), MAX_ALLOCATED))
    page.goto(f"/compare/{least['id']}/1/{most['id']}/1/")
    expect(page.locator("body[data-ready]")).to_be_attached()
    until(page, f"{SHOWN}.every(one => one === 'web-0')")
    assert violations(page) == []
