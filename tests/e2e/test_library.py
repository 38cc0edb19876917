"""The library and other pages: search, topics, pictures, accessibility in each theme and language."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.conftest import PATIENCE_MS
from tests.e2e.axe import needs_axe, violations
from tests.e2e.player_page import until

MESSAGE = (
    "0/5 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}, 4 Insufficient cpu. preemption: 0/5 "
    "nodes are available: 1 Preemption is not helpful for scheduling, 4 No preemption victims found for incoming pod."
)
PAGES = {
    "home": "/",
    "editor": "/new/",
    "builder": "/new/?builder",
    "intake": "/new/?import",
    "decoder": "/decode/",
    "login": "/accounts/login/",
    "signup": "/accounts/signup/",
    "nothing": "/s/nothing/",
    "names": "/names/",
    "course": "/courses/new/",
}

OTHER_PAGES = {
    "plugin": "/plugins/NodeAffinity/",
    "releases": "/releases/",
    "API": "/api/v1/docs",
    "how many fit": "{waiting}v/1/capacity/?pod=default/told",
    "on every release": "{scenario}v/1/releases/",
    "account": "/accounts/",
    "settings of an account's": "{scenario}settings",
}

# Lists the words of 2 to 12 characters in tables that are broken across two lines, because a column is too narrow.
BROKEN_WORDS = r"""(() => {
  const broken = [];
  for (const cell of document.querySelectorAll(":is(td, th):not(.sr)")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/[A-Za-z0-9.]{2,12}/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(`broken word: ${word}`);
      }
    }
  }
  return broken;
})()"""


@pytest.fixture(scope="module")
def author(browser: Browser, live_stack: Stack) -> Iterator[tuple[Page, str]]:
    """Yield a page whose visitor has saved a scenario with two versions, and the scenario's address."""
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 1360, "height": 850})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto("/new/")
    expect(page.locator("#editor[data-ready]")).to_be_visible()
    saved = save(page, "metadata: {name: n1}")
    save(page, "metadata: {name: n2}", parent=saved["id"])
    yield page, saved["url"]
    context.close()


@pytest.fixture(scope="module")
def waiting(author: tuple[Page, str]) -> str:
    """Return the address of a scenario of the same visitor whose run leaves pods pending."""
    page, _ = author
    said = {"type": "PodScheduled", "status": "False", "message": MESSAGE}
    told = pod("told", cpu=9) | {"status": {"phase": "Pending", "conditions": [said]}}
    page.goto("/new/")
    saved = save_text(page, scenario(node("n1", cpu=4), told, *(pod(f"crowd-{i}", cpu=8) for i in range(3))))
    page.goto(saved["url"])
    expect(page.locator("#player[data-ready]")).to_be_visible()
    until(page, "kschedui.store.complete")
    return str(saved["url"])


def save(page: Page, line: str, parent: str = "") -> Any:
    """Save a scenario with one node, which has this line of metadata. Return the API's answer."""
    text = f"apiVersion: v1\nkind: Node\n{line}\nstatus: {{allocatable: {{cpu: 1, memory: 1Gi, pods: 9}}}}\n"
    return save_text(page, text, parent)


def save_text(page: Page, text: str, parent: str = "") -> Any:
    """Save a scenario, or another version of `parent`, over the API as this page's visitor. Return the answer."""
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    headers = {"X-CSRFToken": token, "Referer": page.url}
    versions = f"/{parent}/versions" if parent else ""
    answer = page.request.post(f"/api/v1/scenarios{versions}", data={"text": text}, headers=headers)
    assert answer.ok, answer.text()
    return answer.json()


@needs_axe
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_serious_accessibility_violation(
    author: tuple[Page, str], waiting: str, theme: str, language: str
) -> None:
    page, scenario = author
    origin = page.evaluate("location.origin")
    page.context.add_cookies([{"url": origin, "name": "django_language", "value": language}])
    own = {"mine": "/accounts/mine/", "settings": f"{scenario}settings", "diff": f"{scenario}diff/1/2/"}
    own |= {"pending": f"{waiting}v/1/pending/", "pending by workload": f"{waiting}v/1/pending/?by=workload"}
    bad = {}
    for name, path in {**PAGES, **own}.items():
        page.goto(f"{path}{'&' if '?' in path else '?'}theme={theme}")
        if path.startswith("/new/"):
            expect(page.locator("#editor")).to_have_attribute("data-checked", "")
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        if found := violations(page) + page.evaluate(BROKEN_WORDS):
            bad[name] = found
    page.goto(f"/decode/?theme={theme}")
    page.locator("#message").fill(MESSAGE)
    page.locator("form.decode-form button.primary").click()
    expect(page.locator(".parts").first).to_contain_text("Insufficient cpu")
    if found := violations(page):
        bad["a message taken apart"] = found
    assert not bad, bad


@pytest.mark.quick
def test_the_library_shows_a_chapter_at_a_time_and_a_search_finds_in_all_of_them(browser_page: Page) -> None:
    browser_page.goto("/")
    shown = browser_page.locator("#cards > li:visible")
    expect(shown).to_have_count(3)  # the chapter of the first lesson that is not done
    browser_page.get_by_role("button", name="All chapters").click()
    everything = browser_page.locator("#cards > li").count()
    expect(shown).to_have_count(everything)
    browser_page.get_by_role("button", name="Preemption").click()
    expect(browser_page).to_have_url(re.compile("chapter=preemption"))
    expect(browser_page.locator(".chapters [aria-pressed=true]")).to_contain_text("16 lessons")
    expect(shown).to_have_count(16)
    browser_page.reload()
    expect(shown).to_have_count(16)
    browser_page.keyboard.press("/")
    browser_page.keyboard.type("budget db-0")
    expect(shown).to_have_count(1)
    browser_page.keyboard.press("Escape")
    expect(shown).to_have_count(16)
    browser_page.get_by_label("Search the library").fill("no such thing")
    browser_page.get_by_role("button", name="Show all").click()
    expect(shown).to_have_count(everything)
    browser_page.goto("/?topic=preemption")  # an older form of link
    assert 16 < shown.count() < everything


@pytest.mark.quick
def test_a_card_leads_to_the_player_and_shows_how_its_run_ended(browser_page: Page, live_stack: Stack) -> None:
    browser_page.goto("/library/high-preempts-low/")
    expect(browser_page.locator("#player[data-ready]")).to_be_visible()
    browser_page.goto("/?chapter=preemption")
    card = browser_page.locator("#cards > li").filter(has_text="preempts a low-priority one")
    expect(card.locator(".picture .gone").first).to_be_attached()
    expect(card.locator(".strip .nominated").first).to_be_attached()
    expect(card).to_contain_text("1 evicted")
    card.get_by_role("link").click()
    browser_page.wait_for_url(re.compile(r"/s/\w+/"))


@pytest.mark.quick
def test_chinese_is_one_press_away_and_stays(browser_page: Page) -> None:
    browser_page.goto("/")
    browser_page.get_by_role("button", name="中文").click()
    expect(browser_page.get_by_role("heading", level=1)).to_have_text("看清 Pod 为何落在那里")
    expect(browser_page.locator("#cards > li h3").first).to_contain_text(re.compile("[\u4e00-\u9fff]"))
    browser_page.goto("/new/")
    expect(browser_page.locator("#status")).to_contain_text(re.compile("[\u4e00-\u9fff]"))


@pytest.mark.parametrize("path", ["/", "/accounts/mine/", "/accounts/login/"])
def test_pages_fit_a_phone(browser_page: Page, path: str) -> None:
    browser_page.set_viewport_size({"width": 390, "height": 844})
    browser_page.goto(path)
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_deleted_scenario_is_brought_back(author: tuple[Page, str]) -> None:
    page, scenario = author
    page.context.clear_cookies(name="django_language")
    page.goto(f"{scenario}settings")
    page.get_by_role("button", name="Delete this scenario").click()
    page.get_by_role("button", name="Restore").first.click()
    expect(page.get_by_role("heading", name="My scenarios")).to_be_visible()
    expect(page.locator(".deleted li")).to_have_count(0)
    assert page.goto(scenario).status == 200


@needs_axe
@pytest.mark.parametrize(("theme", "language"), [("light", "zh-hans"), ("dark", "en")])
def test_no_other_page_has_a_serious_accessibility_violation_for_a_visitor_with_an_account(
    author: tuple[Page, str], waiting: str, theme: str, language: str
) -> None:
    page, scenario = author
    page.context.add_cookies([{"url": page.evaluate("location.origin"), "name": "django_language", "value": language}])
    page.goto("/accounts/signup/")
    if page.locator("input[name=username]").count():
        page.locator("input[name=username]").fill(f"reader-{theme}")
        for field in page.locator("input[type=password]").all():
            field.fill("a long pass phrase")
        page.locator("main form button").click()
    found: list[str] = []
    for name, path in OTHER_PAGES.items():
        address = path.format(waiting=waiting, scenario=scenario)
        page.goto(f"{address}{'&' if '?' in address else '?'}theme={theme}")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        found += violations(page, name) + page.evaluate(BROKEN_WORDS)
    page.goto("/courses/new/")
    page.locator("input[name=title]").fill("A course")
    page.locator("textarea[name=scenarios]").fill(scenario)
    page.locator("main form button.primary").click()
    expect(page.locator("#course li")).to_have_count(1)
    found += violations(page, "course")
    assert not found, "\n".join(found)
