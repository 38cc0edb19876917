"""Use the player's page in a browser: open it, go to a step, wait until the step is drawn, read its texts."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from kschedui.supervisor.stack import Stack
from tests.conftest import PATIENCE_MS

# Resolves as soon as the player is ready, or when that takes long; a wait of Playwright's looks every half second.
READY = """fragment => new Promise((resolve) => {
  const ready = () => document.getElementById("player")?.dataset.ready ?? "";
  const watcher = new MutationObserver(() => look());
  const late = setTimeout(() => end(), 10_000);
  const end = () => (watcher.disconnect(), clearTimeout(late), resolve());
  const look = () => (fragment ? ready() === `#${fragment}` : ready().startsWith("#")) && end();
  watcher.observe(document, { subtree: true, attributeFilter: ["data-ready"] });
  look();
})"""


def open_player(page: Page, slug: str, query: str = "") -> None:
    """Open the player of a library scenario, and wait for its whole run and the complete drawing of its first step."""
    page.goto(f"/library/{slug}/{query}")
    drawn(page)
    until(page, "kschedui.store.complete")


def drawn(page: Page, fragment: str = "") -> None:
    """Wait until a step is completely drawn: the step in the link or, without one, the player's current step."""
    with suppress(Error):  # another page is on its way
        page.evaluate(READY, fragment)
    link = re.compile(f"^#{re.escape(fragment)}$" if fragment else "^#")
    expect(page.locator("#player")).to_have_attribute("data-ready", link)


def link_shown(page: Page) -> str:
    """Return the link to the step that is completely drawn; any change removes it until the next drawing."""
    return page.locator("#player[data-ready]").get_attribute("data-ready") or ""


def draw_at(page: Page, step: int, frame: int = 0) -> None:
    """Go to a step as the page's own code would, and wait until it is drawn."""
    page.evaluate("([step, frame]) => kschedui.player.seek(step, frame)", [step, frame])
    drawn(page)


def seek(page: Page, fragment: str) -> None:
    page.evaluate("fragment => { location.hash = fragment }", fragment)
    drawn(page, fragment)


def until(page: Page, expression: str, arg: Any = None, timeout: float = PATIENCE_MS) -> None:
    """Wait for a condition. Playwright's own wait evaluates text in the page, which the page's policy forbids."""
    for _ in range(int(timeout / 50)):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def link_to(page: Page, step: int, most: int = 1000) -> str:
    """Return the link to frame `most` of a step, or to its last frame if it has fewer."""
    frame = min(most, page.evaluate("step => kschedui.player.frames(step) - 1", step))
    return f"{step}.{frame}" if frame else str(step)


def sentence(page: Page) -> str:
    return page.inner_text("#caption h1").replace("\n", " ")


def steps_of(page: Page, kind: str) -> list[int]:
    """Return the numbers of the events of a type."""
    return page.evaluate(
        "kind => [...kschedui.store.walk(0, 1)].filter(({event}) => event.type === kind).map(({step}) => step)", kind
    )


def decisions(page: Page) -> list[dict[str, Any]]:
    """Return the decision records of the run on the page, as the site offers them for download."""
    path = re.sub(r"/s/(\w+)/.*", r"/s/\1/v/1/decisions.jsonl", page.url)
    return [json.loads(line) for line in page.request.get(path).text().splitlines()]


def record_of(page: Page, attempt: int) -> dict[str, Any]:
    return next(record for record in decisions(page) if record.get("attempt") == attempt)


def phone_in(language: str, browser: Browser, stack: Stack) -> BrowserContext:
    """Return the browser context of a visitor with a phone who has chosen the language."""
    context = browser.new_context(base_url=stack.url, viewport={"width": 390, "height": 844})
    context.add_cookies([{"name": "django_language", "value": language, "url": stack.url}])
    return context


def sheets(page: Page, **paper: Any) -> int:
    """Return the number of pages of the printed page."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(**paper)))


def save(page: Page, text: str, parent: str = "", version: int = 0) -> dict[str, Any]:
    """Save a scenario, or another version of one, as the editor does. Return the answer."""
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
    """Return the step of the first preemption that has candidates."""
    candidates = "at => kschedui.store.event(at).candidates.length"
    return next(at for at in steps_of(page, "PreemptionEvaluated") if page.evaluate(candidates, at))
