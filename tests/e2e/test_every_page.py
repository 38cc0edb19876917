"""The pages without a player have the navigation, do not scroll sideways, and cut off no text and break no word."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.player_page import wait_until_drawn
from tests.e2e.walker.page_checks import broken, clipped, serve_walker_modules

PAGES = (
    "/",
    "/?q=no+such+thing",
    "/new/",
    "/decode/",
    "/releases/",
    "/experiments/",
    "/accounts/mine/",
    "/accounts/login/",
    "/accounts/signup/",
    "/names/",
    "/challenges/",
    "/courses/cka/",
    "/courses/new/",
    "/c/",
    "/c/?code=zzzz",
    "/library/no-such-lesson/",
    "/plugins/PodTopologySpread/",
    "/api/v1/docs",
    "{run}operations/",
    "{run}autoscaling/?autoscaler=cluster-autoscaler",
    "{run}autoscaling/?autoscaler=karpenter",
    "{run}autoscaling/comparison/",
    "{run}pending/",
    "{run}capacity/?pod=default/train-2",
    "{run}releases/",
    "{scenario}settings",
    "{scenario}diff/1/1/",
)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_has_the_navigation_and_its_text_can_be_read(
    browser: Browser, live_stack: Stack, language: str, width: int
) -> None:
    context = browser.new_context(base_url=live_stack.url, viewport={"width": width, "height": 844})
    context.add_cookies([{"name": "django_language", "value": language, "url": live_stack.url}])
    serve_walker_modules(context)
    page = context.new_page()
    page.goto("/library/resources-fit/")
    wait_until_drawn(page)
    scenario = page.evaluate("location.pathname.match(/^.s.[^/]+./)[0]")
    faults = []
    for address in PAGES:
        page.goto(address.format(scenario=scenario, run=f"{scenario}v/1/"))
        expect(page.locator("header.bar .site-links a")).to_have_count(6)
        lines = [*clipped(page), *broken(page)]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            lines.append("scrolls sideways")
        faults += [f"{address}: {line}" for line in lines]
    context.close()
    assert not faults, "\n".join(faults)
