"""The player on the live stack: stepping by keyboard, facts against decision records, links, a lost connection."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.player_page import (
    decisions,
    link_to,
    open_player,
    record_of,
    seek,
    sentence,
    steps_of,
    until,
    wait_until_drawn,
)


@pytest.mark.quick
def test_a_preemption_is_stepped_by_keyboard_alone(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("n")
    until(page, "kschedui.player.event.type === 'PreemptionEvaluated'")
    wait_until_drawn(page)
    seen = [sentence(page)]
    for _ in range(40):
        page.keyboard.press("ArrowRight")
        wait_until_drawn(page)
        if sentence(page) != seen[-1]:
            seen.append(sentence(page))
        if page.evaluate("kschedui.player.event.type") == "VictimEvicted":
            break
    story = " | ".join(seen)
    assert "evicting pods could make room" in story
    assert "Imagine" in story
    assert "must go" in story
    assert "will evict report-3 from cedar-2" in story
    assert "report-3 is evicted from cedar-2" in story
    page.keyboard.press("ArrowLeft")
    until(page, "kschedui.player.event.type === 'PreemptionEvaluated'")


@pytest.mark.quick
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("step", ["45.5", "46.8"])
def test_a_long_caption_with_a_lessons_words_stays_between_the_header_and_the_rail(
    browser_page: Page, live_stack: Stack, language: str, step: str
) -> None:
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.context.add_cookies([{"name": "django_language", "value": language, "url": live_stack.url}])
    open_player(page, "flash-sale", f"#{step}")
    ends = (
        "(place) => { const box = document.querySelector(place).getBoundingClientRect(); return [box.top, box.bottom] }"
    )
    header, caption, rail = (page.evaluate(ends, place) for place in ("header", "#caption", "#rail"))
    assert header[1] <= caption[0]
    assert caption[1] <= rail[0]


@pytest.mark.quick
def test_the_lanes_agree_with_the_decision_record(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    record = record_of(page, 4)
    step = page.evaluate("kschedui.index.columns.find(c => c.attempt === 4).step")
    filtered = next(at for at in steps_of(page, "NodesFiltered") if at > step)
    seek(page, link_to(page, filtered))
    marks = page.locator(".lane .stop").evaluate_all("marks => marks.map(mark => mark.ariaLabel)")
    wanted = {f"{node}: {one['plugin']}: {', '.join(one['reasons'])}" for node, one in record["filter"].items()}
    assert set(marks) == wanted
    scored = next(at for at in steps_of(page, "ScoresComputed") if at > step)
    seek(page, link_to(page, scored))
    totals = page.evaluate(
        "[...document.querySelectorAll('.lane')].flatMap(l => l.querySelector('.total b') ?"
        " [[l.dataset.node, Number(l.querySelector('.total b').textContent)]] : [])"
    )
    assert dict(totals) == record["totals"]
    expect(page.locator("#margin")).to_contain_text(str(record["totals"][record["node"]]))
    seek(page, str(scored + 1))
    expect(page.locator(".lane.win")).to_have_attribute("data-node", record["node"])


@pytest.mark.quick
def test_a_score_block_shows_raw_normalised_and_weighted_as_recorded(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    record = record_of(page, 4)
    scored = steps_of(page, "ScoresComputed")[0]
    seek(page, f"{scored}.7")
    for plugin, by_node in record["scores"].items():
        raw, normalized, weighted = by_node["birch-1"]
        block = page.get_by_label(f"birch-1, {plugin}: {weighted} points", exact=True)
        block.evaluate("block => block.click()")  # a block of 0 points has no width for a mouse click
        cells = page.locator("#margin tr.hot td")
        expect(block).to_have_class(re.compile(r"\bhot\b"))
        for place, value in ((1, raw), (2, normalized), (4, weighted)):
            expect(cells.nth(place)).to_have_text(str(value))


def test_a_step_is_saved_as_a_picture(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    step = steps_of(page, "ScoresComputed")[0]
    seek(page, str(step))
    page.keyboard.press("s")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    nodes = page.locator(".lane .node-name").all_text_contents()
    picture = Path(saved.value.path()).read_text(encoding="utf-8")
    assert len(nodes) == 9
    assert [node for node in nodes if f">{node}<" not in picture] == []
    assert saved.value.suggested_filename == f"kschedui-{step}.svg"


@pytest.mark.quick
def test_the_preemption_names_the_recorded_victims_and_candidates(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    record = record_of(page, 10)["preemption"]
    step = next(
        at
        for at in steps_of(page, "PreemptionEvaluated")
        if page.evaluate("at => kschedui.store.event(at).candidates.length", at)
    )
    seek(page, link_to(page, step))
    columns = page.evaluate(
        "[...document.querySelectorAll('.candidate-column')].map(c => [c.querySelector('h3').innerText.replace('★ ', ''),"
        " [...c.querySelectorAll('.victims .victim span')].map(v => 'default/' + v.textContent)])"
    )
    assert {node: sorted(victims) for node, victims in columns} == {
        node: sorted(one["victims"]) for node, one in record["candidates"].items()
    }
    expect(page.locator(".candidate-column.chosen h3")).to_have_text(f"★ {record['nominatedNode']}")


@pytest.mark.quick
def test_the_queues_after_an_attempt_are_the_recorded_ones(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    for attempt in (4, 10, 14):
        wanted = record_of(page, attempt)["queues"]
        step = page.evaluate(
            "n => [...kschedui.store.walk(0, 1)].find(({event}) => event.type === 'AttemptFinished' && event.attempt === n).step",
            attempt,
        )
        seek(page, str(step))
        shown = page.evaluate(
            "Object.fromEntries(['active', 'backoff', 'gated'].map(q => [q,"
            " [...document.querySelectorAll(`.queue-section.${q} .queue-pod-name`)].map(e => 'default/' + e.textContent)]))"
        )
        assert shown == {name: wanted[name] for name in shown}


def test_the_backoff_of_a_pod_that_need_not_wait_is_drawn_hollow(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "high-preempts-low")
    backoff = [
        at
        for at in steps_of(page, "PodEnqueued")
        if page.evaluate("s => kschedui.store.event(s).queue", at) == "backoff"
    ]
    seek(page, str(backoff[0]))
    assert "activeQ is empty" in sentence(page)
    expect(page.locator(".queue-section.backoff .drain.skipped")).to_have_count(1)
    expect(page.locator(".queue-section.backoff")).to_contain_text("activeQ is empty: no wait")


def test_a_link_opens_the_same_step_in_another_browser(browser_page: Page, browser: Browser) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    step = steps_of(page, "PreemptionEvaluated")[-2]
    seek(page, f"{step}&sel=node:cedar-2")
    other = browser.new_context().new_page()
    other.goto(page.evaluate("location.href"))
    wait_until_drawn(other, f"{step}&sel=node:cedar-2")
    expect(other.locator("#caption h1")).to_have_text(page.locator("#caption h1").text_content() or "nothing")
    expect(other.locator("#margin h2")).to_have_text("cedar-2")
    other.context.close()


@pytest.mark.quick
def test_back_and_forward_of_the_browser_go_to_the_steps_that_were_visited(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    page.keyboard.press("n")
    until(page, "kschedui.player.step > 1 && location.hash !== ''")
    first = page.evaluate("location.hash")
    page.keyboard.press("End")
    until(page, "hash => location.hash !== hash", first)
    page.go_back()
    until(page, "hash => location.hash === hash && kschedui.player.event.type === 'PreemptionEvaluated'", first)
    page.go_forward()
    until(page, "kschedui.player.event.type === 'RunFinished'")


def test_a_step_past_the_end_shows_the_last_one(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "first-pod")
    page.goto(f"{page.url.split('#')[0]}?x=1#99999")
    until(page, "window.kschedui?.player.event?.type === 'RunFinished'")


@pytest.mark.quick
def test_no_step_is_missing_after_two_lost_connections(browser_page: Page) -> None:
    page = browser_page
    cut: list[int] = []

    def through(socket: Any) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            socket.send(message)
            if len(cut) < 2 and isinstance(message, bytes if cut else str):
                cut.append(1)
                socket.close(code=1012)

        server.on_message(pass_on)

    page.route_web_socket(re.compile("/ws/run/"), through)
    open_player(page, "thousand-nodes")
    assert len(cut) == 2
    last = page.evaluate("kschedui.store.event(kschedui.store.steps - 1).type")
    gaps = page.evaluate("[...kschedui.store.walk(0, 1)].length - kschedui.store.steps")
    assert (last, gaps) == ("RunFinished", 0)
    expect(page.locator(".notice.warn")).to_have_count(0)


@pytest.mark.quick
def test_a_link_into_the_middle_asks_once_for_the_whole_run_if_the_first_chunk_is_unreadable(
    browser_page: Page,
) -> None:
    page = browser_page
    page.add_init_script(
        "const parse = JSON.parse; JSON.parse = (text) => {"
        " const value = parse(text); return value?.chunks ? {...value, chunk: ''} : value }"
    )
    page.route(re.compile("/chunks/0$"), lambda route: route.fulfill(body="this is no chunk of a run, but long"))
    sent: list[Any] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(json.loads(text)["cursor"])))
    page.goto("/library/thousand-nodes/#70")
    wait_until_drawn(page, "70")
    until(page, "kschedui.store.complete && kschedui.store.has(0)")
    assert sent == [1, 0]


@pytest.mark.quick
def test_the_first_step_is_drawn_without_a_connection_and_only_once(browser_page: Page) -> None:
    page = browser_page
    page.route_web_socket(re.compile("/ws/run/"), lambda socket: None)  # it opens, and nothing arrives
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => { window.drawings = 0; new MutationObserver(() => { drawings += 1 })"
        ".observe(document.getElementById('margin'), {childList: true, subtree: true}) })"
    )
    page.goto("/library/flash-sale/")
    wait_until_drawn(page, "0")
    assert page.evaluate("drawings") == 1, "a step is drawn when all of it is here"
    assert page.evaluate("[kschedui.store.has(0), kschedui.store.complete]") == [True, False]
    assert page.evaluate("kschedui.feed().steps > kschedui.store.steps"), "the timeline is as long as the run"


@pytest.mark.quick
def test_playing_stops_at_a_breakpoint(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    page.keyboard.press("b")
    page.fill("dialog input[name=pod]", "checkout-3")
    page.select_option("dialog select[name=outcome]", "Nominated")
    page.click("dialog button.primary")
    expect(page.locator("dialog .results li")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.evaluate("kschedui.player.speed = 32")
    page.keyboard.press("Space")
    until(page, "kschedui.player.playing || kschedui.player.hit")
    until(page, "!kschedui.player.playing", timeout=180_000)
    assert page.evaluate("kschedui.player.hit") is not None
    assert page.evaluate("[kschedui.player.event.type, kschedui.player.event.pod]") == [
        "SchedulingFailed",
        "default/checkout-3",
    ]


CLOSE_AND_PRESS = """() => {
    document.querySelector("dialog[open]").close();
    const space = new KeyboardEvent("keydown", {key: " ", bubbles: true, cancelable: true});
    document.activeElement.dispatchEvent(space);
    return [document.activeElement.closest("dialog") !== null, space.defaultPrevented, kschedui.player.playing];
}"""


def test_a_key_works_while_a_closed_dialog_still_has_the_focus(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "high-preempts-low")
    page.keyboard.press("b")
    page.click("dialog button.primary")
    assert page.evaluate(CLOSE_AND_PRESS) == [True, True, True]


def test_five_thousand_nodes_are_a_field_of_cells_that_are_selected_by_keyboard(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "five-thousand-nodes")
    step = steps_of(page, "ScoresComputed")[3]
    seek(page, str(step))
    canvas = page.locator(".cells canvas")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until(page, "kschedui.player.state.order.includes(document.querySelector('#margin h2')?.textContent)")
    expect(page.locator("#margin .entries").first).to_be_visible()
    expect(page.locator(".funnel-bar").nth(3)).to_be_visible()


@pytest.mark.quick
def test_the_inspector_shows_the_events_and_yaml_that_kubectl_would_print(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "flash-sale")
    failed = next(record for record in decisions(page) if record.get("pod") == "default/etl-2" and record["message"])
    step = page.evaluate("kschedui.index.columns.filter(c => c.pod === 'default/etl-2')[1].step")
    seek(page, f"{step}&sel=pod:default/etl-2")
    events = page.locator("#margin .kube-events")
    expect(events).to_contain_text("FailedScheduling")
    expect(events).to_contain_text(failed["message"])
    expect(page.locator("#margin .yaml")).to_contain_text("priorityClassName")


@pytest.fixture
def other_site() -> Iterator[Callable[[str], str]]:
    """Another site. Yield a function that serves a page with the given body, and returns its address.

    It is a real server, because Chromium allows only pages from this machine to frame a page from this machine.
    """
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(bodies[-1])

        def log_message(self, format: str, *args: object) -> None:
            pass

    def page_with(body: str) -> str:
        bodies.append(body.encode())
        return f"http://127.0.0.1:{server.server_port}/"

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield page_with
        server.shutdown()


def test_the_embedded_player_runs_in_a_frame_of_another_site(
    browser_page: Page, other_site: Callable[[str], str], live_stack: Stack
) -> None:
    page = browser_page
    open_player(page, "first-pod")
    sid = re.search(r"/s/(\w+)/", page.url)
    assert sid
    page.goto(other_site(f'<iframe src="{live_stack.url}/embed/{sid[1]}/v/1/#3" width=960 height=600></iframe>'))
    frame = page.frame_locator("iframe")
    expect(frame.locator("#caption h1")).not_to_be_empty()
    expect(frame.locator("header.bar")).to_have_count(0)
