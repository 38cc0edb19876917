"""Use the walker's checks of a page in tests of pages that have no player."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Route

from kschedui.web.http.static_storage import tree

HERE = Path(__file__).parent
MODULES = f"/static/tree-{tree()}/"
TOLD = """async ([selector, asked]) => {
  const { forget, texts } = await import("/walker/seen.js");
  const { broken, unreadable } = await import("/walker/text.js");
  forget();
  const found = [...document.querySelectorAll(selector)].flatMap((one) => [...texts(one)]);
  const told = [...unreadable(selector, found), ...[...broken(found)].map((one) => ["broken", one])];
  return told.filter(([kind]) => kind === asked).map((one) => one[1]);
}"""


def lend_eyes(context: BrowserContext) -> None:
    """Let pages import the walker's modules."""
    context.route(re.compile(r"/walker/\w+\.js$"), serve)


def serve(route: Route) -> None:
    """Answer with one of the walker's modules, which imports the page's modules under the addresses that the page uses."""
    text = (HERE / route.request.url.rsplit("/", 1)[1]).read_text()
    route.fulfill(body=text.replace('"/static/', f'"{MODULES}'), content_type="text/javascript")


def clipped(page: Page, selector: str = "main") -> list[str]:
    """Return a line for each text that its element cuts off."""
    lines: list[str] = page.evaluate(TOLD, [selector, "clipped"])
    return lines


def broken(page: Page, selector: str = "body") -> list[str]:
    """Return a line for each word that is broken across two lines."""
    lines: list[str] = page.evaluate(TOLD, [selector, "broken"])
    return lines
