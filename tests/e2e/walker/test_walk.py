"""A walker plays runs in the browser, frame by frame, and says what is wrong: what cannot be read, what is not so.

In `make test` each lesson is walked once, at one of the sizes, in one of the languages, light or dark, and a few of the
recorded scenarios; `make walk` (KSCHEDUI_WALK=all) walks all of them at all sizes, in both languages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from kschedui.scenarios import lessons
from kschedui.supervisor.stack import Stack

HERE = Path(__file__).parent
SIZES = ((1280, 720), (1366, 768), (1440, 900), (1920, 1080), (390, 844))
LOOKS = tuple(product(SIZES, ("en", "zh-CN"), ("light", "dark")))
EVERYTHING = os.environ.get("KSCHEDUI_WALK") == "all"
RECORDED = sorted((HERE.parents[1] / "conformance" / "public").glob("*.yaml"))[::7]
FEW = {"every": False, "most": 1, "settle": False}
ALL = {"every": True, "most": 1, "settle": True}
# Nothing waits for a screen's next turn, and the page tells whether an explanation is still on its way.
HASTE = """
globalThis.asking = 0;
const fetched = globalThis.fetch;
globalThis.fetch = (...all) => {
  if (!String(all[0]).includes("/explain/")) return fetched(...all);
  globalThis.asking += 1;
  return fetched(...all).finally(() => setTimeout(() => { globalThis.asking -= 1; }));
};
globalThis.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()));
"""


@pytest.fixture
def walker(request: pytest.FixtureRequest, browser: Browser, live_stack: Stack) -> Iterator[Page]:
    """A page of the size, language and theme of this test. What it says on its console fails the test."""
    (width, height), language, theme = request.param
    context = browser.new_context(
        base_url=live_stack.url,
        viewport={"width": width, "height": height},
        locale=language,
        color_scheme=theme,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.add_init_script(HASTE)
    page.route(re.compile(r"/walker/\w+\.js$"), serve)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert not errors, errors


def serve(route: Route) -> None:
    route.fulfill(path=HERE / route.request.url.rsplit("/", 1)[1], content_type="text/javascript")


def faults(page: Page, address: str) -> list[str]:
    page.goto(address)
    return page.evaluate("async how => (await import('/walker/walk.js')).walk(how)", ALL if EVERYTHING else FEW)


def looks(number: int) -> tuple[object, ...]:
    return LOOKS if EVERYTHING else (LOOKS[number * 7 % len(LOOKS)],)


def cases(names: list[str]) -> list[object]:
    return [
        pytest.param(look, name, id=f"{name}-{look[0][0]}-{look[1]}-{look[2]}")
        for number, name in enumerate(names)
        for look in looks(number)
    ]


@pytest.mark.parametrize(
    ("walker", "slug"),
    cases(sorted(path.stem for path in Path(lessons.__file__).parent.glob("*.yaml"))),
    indirect=["walker"],
)
def test_what_a_lesson_shows_can_be_read_and_is_so(walker: Page, slug: str) -> None:
    assert not faults(walker, f"/library/{slug}/")


@pytest.mark.parametrize(
    ("walker", "name"),
    cases([path.stem for path in (RECORDED if EVERYTHING else RECORDED[::8])]),
    indirect=["walker"],
)
def test_what_a_recorded_scenario_shows_can_be_read_and_is_so(walker: Page, name: str) -> None:
    page = walker
    text = (RECORDED[0].parent / f"{name}.yaml").read_text(encoding="utf-8")
    page.goto("/new/")
    saved = page.evaluate(SAVE, text)
    assert "url" in saved, saved
    assert not faults(page, saved["url"])


SAVE = """async text => {
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const headers = {"Content-Type": "application/json", "X-CSRFToken": token};
  return (await fetch("/api/v1/scenarios", {method: "POST", headers, body: JSON.stringify({text})})).json();
}"""
