"""Use the player's page in a browser: open it, go to a step, wait until the step is drawn, read its texts."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from kschedui.supervisor.stack import Stack
from tests.conftest import PATIENCE_MS

# Resolves as soon as the player is ready, or after 10 seconds; Playwright's own wait may look only every half second.
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
    wait_until_drawn(page)
    until(page, "kschedui.store.complete")


def wait_until_drawn(page: Page, fragment: str = "") -> None:
    """Wait until a step is completely drawn: the step in the link or, without one, the player's current step."""
    with suppress(Error):  # while another page is loading
        page.evaluate(READY, fragment)
    link = re.compile(f"^#{re.escape(fragment)}$" if fragment else "^#")
    expect(page.locator("#player")).to_have_attribute("data-ready", link)


def link_shown(page: Page) -> str:
    """Wait until a step is completely drawn, and return its link, such as "#12.3"."""
    return page.locator("#player[data-ready]").get_attribute("data-ready") or ""


def draw_at(page: Page, step: int, frame: int = 0) -> None:
    """Go to a step as the page's own code would, and wait until it is drawn."""
    page.evaluate("([step, frame]) => kschedui.player.seek(step, frame)", [step, frame])
    wait_until_drawn(page)


def seek(page: Page, fragment: str) -> None:
    page.evaluate("fragment => { location.hash = fragment }", fragment)
    wait_until_drawn(page, fragment)


def until(page: Page, expression: str, arg: Any = None, timeout: float = PATIENCE_MS) -> None:
    """Wait until a JavaScript expression, or function of `arg`, is true.

    Playwright's `wait_for_function` repeats an expression by `eval`, which the site's Content Security Policy forbids.
    """
    for _ in range(int(timeout / 50)):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def link_to(page: Page, step: int, frame: int = 1000) -> str:
    """Return the link to a frame of a step, or to its last frame if it has fewer."""
    frame = min(frame, page.evaluate("step => kschedui.player.frames(step) - 1", step))
    return f"{step}.{frame}" if frame else str(step)


def sentence(page: Page) -> str:
    return page.inner_text("#caption h1").replace("\n", " ")


def steps_of(page: Page, kind: str) -> list[int]:
    """Return the steps at which events of a type happen."""
    return page.evaluate(
        "kind => [...kschedui.store.walk(0, 1)].filter(({event}) => event.type === kind).map(({step}) => step)", kind
    )


def decisions(page: Page) -> list[dict[str, Any]]:
    """Return the decision records of the first version of the scenario on the page, as downloaded from the site."""
    path = re.sub(r"/s/(\w+)/.*", r"/s/\1/v/1/decisions.jsonl", page.url)
    return [json.loads(line) for line in page.request.get(path).text().splitlines()]


def record_of(page: Page, attempt: int) -> dict[str, Any]:
    return next(record for record in decisions(page) if record.get("attempt") == attempt)


def phone_in(language: str, browser: Browser, stack: Stack) -> BrowserContext:
    """Return a browser context with the width of a phone, for a visitor who has chosen the language."""
    context = browser.new_context(base_url=stack.url, viewport={"width": 390, "height": 844})
    context.add_cookies([{"name": "django_language", "value": language, "url": stack.url}])
    return context


def sheets(page: Page, **paper: Any) -> int:
    """Return the number of sheets on which the page prints."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(**paper)))


def save(page: Page, text: str, parent: str = "", version: int = 0) -> dict[str, Any]:
    """Save a scenario, or another version of the scenario `parent`, as the editor does. Return the API's answer.

    `version`: the version of `parent` from which the text was made.
    """
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


def first_preemption(page: Page) -> int:
    """Return the step of the first preemption that has candidates."""
    candidates = "at => kschedui.store.event(at).candidates.length"
    return next(at for at in steps_of(page, "PreemptionEvaluated") if page.evaluate(candidates, at))
