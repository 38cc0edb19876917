"""Each rule of the walker can fail: a test breaks one element of the page, and the rule reports it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.player_page import link_to, open_player, seek, steps_of
from tests.e2e.walker.page_checks import serve
from tests.sampling import some_quick

CARD = "#stage .node-card:has(.block b)"
# Start of the report (a pattern) -> the event whose step is shown, the element to break, and JavaScript that breaks it.
FAULTS = {
    "clipped": (
        "PodAssumed",
        "#caption h1",
        "one.style.cssText = 'width: 60px; overflow: hidden; white-space: nowrap'",
    ),
    "overlap": (
        "PodAssumed",
        "#queue .queue-section:nth-of-type(2) h2",
        "const [there, here] = ['#queue h2', selector].map((one) => document.querySelector(one).getBoundingClientRect().top);"
        "one.style.translate = `0 ${there - here}px`",
    ),
    "overlap: .*header or the rail": (
        "PodAssumed",
        "#caption h1",
        "one.style.cssText = 'position: relative; top: -60px'",
    ),
    "english: ": (
        "PodAssumed",
        "#caption",
        "one.insertAdjacentHTML('beforeend', '<p lang=zh-hans>还有 2 nodes 可行</p>')",
    ),
    "covered": ("PodAssumed", f"{CARD} .podbar", "one.style.cssText = 'translate: 0 -24px; z-index: 9; height: 60px'"),
    "nameless": ("PodAssumed", f"{CARD} .node-name", "one.style.cssText = 'width: 0; display: block'"),
    "outside": ("PodAssumed", f"{CARD} .gauges", "one.style.cssText = 'margin-left: -40px'"),
    "share: .*px, due": ("PodAssumed", f"{CARD} .block", "one.style.width = '97%'"),
    "share: a gauge": ("PodAssumed", f"{CARD} .gauge i", "one.style.width = '20%'"),
    "share: .*high in its column": (
        "PreemptionEvaluated",
        "#stage .candidate-pod.fate-back",
        "one.style.height = '90%'",
    ),
    "covered: .*a line crosses": (
        "PodAssumed",
        f"{CARD} .podbar:has(b)",
        "one.insertAdjacentHTML('beforeend', '<span class=brim></span>');"
        "one.lastChild.style.left = `${one.querySelector('b').offsetLeft + 12}px`;"
        "one.lastChild.style.zIndex = 9",
    ),
    "covered: .*a line crosses .(Spread|Room|Labels|skew|disk|1.5)": (
        "ScoresComputed",
        "#stage .lanes.score .lane.out .why-stopped",
        "const lead = document.querySelector('#stage .lead').getBoundingClientRect().left;"
        "one.style.cssText += `;z-index: auto; left: ${lead - one.parentElement.getBoundingClientRect().left - 20}px`",
    ),
    "scale: .*px for": ("PodAssumed", f"{CARD} .podbar", "one.style.width = '60%'"),
    "scale: .*the pod is": ("NodesFiltered", "#stage .lane .requested", "one.style.width = '10%'"),
    "scale: .*hatched": ("NodesFiltered", "#stage .lane .requested u", "one.style.width = '1px'"),
    "sight": ("PodAssumed", "#stage .node-card.mine", "one.style.cssText = 'position: relative; top: -900px'"),
    "ellipsis": (
        "PodAssumed",
        f"{CARD} .node-name",
        "one.textContent = 'ced…ar-3'; one.style.cssText = 'width: 40px; overflow: hidden; text-overflow: ellipsis'",
    ),
    "lines": ("PodAssumed", "#caption h1", "one.style.width = '120px'"),
    "faint": ("PodAssumed", "#caption h1", "one.style.color = '#bbb'"),
    "figure": ("NodesFiltered", "#caption h1", "one.append(' 47110815')"),
    "figure: 47110815 in .*note": (
        "NodesFiltered",
        "#caption",
        "one.insertAdjacentHTML('beforeend', '<p class=lesson>the note says 47110815</p>')",
    ),
    "note: .*nodes are left": (
        "NodesFiltered",
        "#caption",
        "one.insertAdjacentHTML('beforeend', '<p class=lesson>Seven nodes are left.</p>')",
    ),
    "note: .*NodeAffinity puts": (
        "ScoresComputed",
        "#caption",
        "one.insertAdjacentHTML('afterbegin', '<p class=lesson>The soft taint and the balance decide.</p>')",
    ),
    "repeats": (
        "NodesFiltered",
        "#caption",
        "one.insertAdjacentHTML('beforeend', `<p class=lesson>${one.querySelector('h1').textContent}</p>`)",
    ),
    "amber": ("PodAssumed", "#queue .queue-pod:not(.mine)", "one.classList.add('mine')"),
    "station": ("NodesFiltered", "#stage", "memory.station = 12; memory.attempt = kschedui.player.state.attempt"),
    "flips": (
        "NodesFiltered",
        "#stage",
        "memory.scenes = ['filter', 'x']; memory.sceneAttempt = kschedui.player.state.attempt",
    ),
    "blank": (
        "PodAssumed",
        "#stage .zone:has(.node-card) .cards",
        "one.style.cssText = 'align-content: start; grid-auto-rows: 40px'",
    ),
    "hollow": (
        "PodAssumed",
        "#stage .node-card:not(:has(.outside-names)) .bar-room",
        "document.querySelectorAll('#stage .outside-names').forEach((names) => names.remove());"  # else their rows are kept
        "one.style.cssText += ';flex: none; min-height: 0; height: 2px'",
    ),
    "edge": ("NodesFiltered", "#stage .lane.out .why-stopped", "one.style.right = '-14px'"),
    "clipped: .*beside an empty line": (
        "NodesFiltered",
        "#stage .lane.hit .why-stopped",
        "one.textContent = 'too little of something';"
        "one.style.cssText += ';white-space: nowrap; width: 40px; right: auto; line-height: 8px'",
    ),
    "clipped: .*the sentence": ("PodAssumed", "#caption .why", "one.style.height = '6px'"),
    "clipped: .*a second line": (
        "PodAssumed",
        f"{CARD} .block b",
        "one.style.cssText = 'width: 20px; height: 20px'",
    ),
    "wish": ("PodAssumed", "#subject .labels", "one.style.cssText = 'white-space: normal; height: 9px'"),
    "queue": ("CycleStarted", "#caption h1", "one.textContent = 'etl-2 leaves backoffQ'"),
    "end: .* and 47": ("RunFinished", ".end-card dd", "one.textContent = '47'"),
    "hidden": ("AttemptFinished", "#queue .unschedulable small:not(.moved)", "one.textContent = ''; one.title = ''"),
}


@pytest.fixture(scope="module")
def page(browser: Browser, live_stack: Stack) -> Iterator[Page]:
    context = browser.new_context(
        base_url=live_stack.url, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    page = context.new_page()
    page.route(re.compile(r"/walker/\w+\.js$"), serve)
    open_player(page, "flash-sale")
    yield page
    context.close()


@pytest.mark.parametrize("rule", some_quick(8, FAULTS))
def test_a_rule_reports_the_fault_it_is_for(page: Page, rule: str) -> None:
    event, selector, spoil = FAULTS[rule]
    go_to(page, event, selector)
    assert page.evaluate(NOW) == []
    found = page.evaluate(SPOIL.replace("spoil();", f"{spoil};"), selector)
    assert any(re.match(rule, line) for line in found), found
    assert page.evaluate(NOW) == []


def test_a_rule_finds_a_line_of_arithmetic_that_is_not_the_engines(page: Page) -> None:
    seek(page, f"{steps_of(page, 'ScoresComputed')[0]}")
    line = "#margin p.decides"
    expect(page.locator(line).first).to_be_visible()  # the explanation is there
    assert page.evaluate(NOW) == []
    found = page.evaluate(SPOIL.replace("spoil();", "one.textContent = 'cpu 1 * 100 / 2 = 50.5';"), line)
    assert any(problem.startswith("arithmetic") for problem in found), found


def test_a_rule_finds_the_next_step_behind_the_timeline_of_a_phone(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(
        base_url=live_stack.url, viewport={"width": 390, "height": 844}, reduced_motion="reduce"
    )
    page = context.new_page()
    page.route(re.compile(r"/walker/\w+\.js$"), serve)
    open_player(page, "flash-sale")
    go_to(page, "NodesFiltered", "#stage")
    assert page.evaluate(NOW) == []
    found = page.evaluate(SPOIL.replace("spoil();", "one.style.minHeight = '600px';"), "#stage")
    context.close()
    assert any(line.startswith("ahead: ") for line in found), found


def test_a_rule_finds_pods_that_wait_without_names_on_a_phone(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(
        base_url=live_stack.url, viewport={"width": 390, "height": 844}, reduced_motion="reduce"
    )
    page = context.new_page()
    page.route(re.compile(r"/walker/\w+\.js$"), serve)
    open_player(page, "priority-order")
    go_to(page, "CycleStarted", "#queue .active .queue-pod:not(.left)")
    assert page.evaluate(NOW) == []
    found = page.evaluate(SPOIL.replace("spoil();", "one.style.display = 'none';"), "#queue .active .queue-items")
    context.close()
    assert any(line.startswith("rivals: ") for line in found), found


def go_to(page: Page, event: str, selector: str) -> None:
    """Go to the first step with an event of this type at which the element is visible."""
    for step in steps_of(page, event):
        seek(page, link_to(page, step))
        if page.locator(selector).first.is_visible():
            return
    raise AssertionError(f"no {event} shows {selector}")


NOW = "async () => (await import('/walker/walk.js')).wrongNow({})"
SPOIL = """async selector => {
  const { wrongNow } = await import('/walker/walk.js');
  const memory = {};
  const one = document.querySelector(selector);
  const before = { style: one.style.cssText, class: one.className, title: one.title, children: [...one.childNodes] };
  spoil();
  const found = wrongNow(memory);
  one.replaceChildren(...before.children);
  [one.style.cssText, one.className, one.title] = [before.style, before.class, before.title];
  return found;
}"""
