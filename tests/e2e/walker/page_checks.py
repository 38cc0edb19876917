"""The walker's checks of texts, for tests of pages that have no player."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Route

from kschedui.web.http.static_storage import tree

HERE = Path(__file__).parent
MODULES = f"/static/tree-{tree()}/"
REPORTED = """async ([selector, asked]) => {
  const { forget, texts } = await import("/walker/seen.js");
  const { broken, unreadable } = await import("/walker/text.js");
  forget();
  const found = [...document.querySelectorAll(selector)].flatMap((element) => [...texts(element)]);
  const faults = [...unreadable(selector, found), ...[...broken(found)].map((word) => ["broken", word])];
  return faults.filter(([kind]) => kind === asked).map(([, line]) => line);
}"""


def serve_walker_modules(context: BrowserContext) -> None:
    """Let the context's pages import the walker's modules."""
    context.route(re.compile(r"/walker/\w+\.js$"), serve)


def serve(route: Route) -> None:
    """Answer with one of the walker's modules; it imports the site's modules from the addresses that the page uses."""
    text = (HERE / route.request.url.rsplit("/", 1)[1]).read_text()
    route.fulfill(body=text.replace('"/static/', f'"{MODULES}'), content_type="text/javascript")


def clipped(page: Page, selector: str = "main") -> list[str]:
    """Return a line for each text in the selected elements that is cut off."""
    lines: list[str] = page.evaluate(REPORTED, [selector, "clipped"])
    return lines


def broken(page: Page, selector: str = "body") -> list[str]:
    """Return a line for each word in the selected elements that is broken across two lines."""
    lines: list[str] = page.evaluate(REPORTED, [selector, "broken"])
    return lines
