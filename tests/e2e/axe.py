"""Run axe-core in a page of the site, under the site's content security policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.conftest import ROOT
from tests.e2e.player_page import until

AXE = ROOT / "node_modules/axe-core/axe.min.js"
SERIOUS = ("serious", "critical")
ANY = ("minor", "moderate", *SERIOUS)

needs_axe = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci")


def violations(page: Page, where: str = "", impacts: tuple[str, ...] = SERIOUS) -> list[str]:
    """Return a line for each violation, once no animation is running: text that fades in has too little contrast."""
    page.wait_for_load_state()  # texts are there before the styles
    until(page, "document.getAnimations().every(one => one.playState !== 'running')")
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{where}: {one['id']}: {node['target']} {node['failureSummary']}"
        for one in result["violations"]
        if one["impact"] in impacts
        for node in one["nodes"]
    ]
