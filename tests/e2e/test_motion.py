"""Playing a run animates what the events of each step changed, and moves no other pods."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.player_page import open_player, save, until, wait_until_drawn
from tests.sampling import some_quick

MOST_WAITED, LAST_WORDS = 1500, 160  # milliseconds, as in static/js/player/drawing.js
LESSONS = ("high-preempts-low", "first-pod", "queueing-hints")

# Plays to the end. Returns, for each stop, the animations that started there and what its events changed. A stop is left
# as soon as they are read; a test in Node checks how long a stop lasts.
PLAY = r"""async () => {
  const looks = ["backgroundSize", "backgroundRepeat", "backgroundPosition", "flexDirection", "fontSize", "padding"];
  const { player, store } = kschedui;
  const { filterModel } = await import(modules + "js/steps/filter/model.js");
  const root = document.getElementById("player");
  const nameOf = (element) => element.closest("[data-node]")?.dataset.node ?? "";
  const turn = () => new Promise(requestAnimationFrame);
  const placeOf = (state, pod) => { const known = state.pods.get(pod); return known && (known.node || known.place); };
  const stops = [];
  const known = new WeakSet();
  let before = store.stateAfter(player.step), from = player.step, last = root.dataset.ready;
  player.play(true);
  for (;;) {
    const deadline = performance.now() + 20000;
    player.due = 1; // leave
    while (root.dataset.ready === last || !root.dataset.ready) {
      await turn();
      if (!player.playing || performance.now() > deadline) return stops;
    }
    last = root.dataset.ready;
    const started = document.getAnimations().filter((one) => !known.has(one));
    started.forEach((one) => known.add(one));
    const of = (selector) => started.map((one) => one.effect.target).filter((one) => one.matches(selector));
    const words = "#caption *, #next *, .margin-body";
    const ends = (told) => started.filter((one) => one.effect.target.matches(words) === told)
      .map((one) => one.effect.getComputedTiming()).map(({ delay, endTime }) => told ? delay : endTime);
    const look = (element) => [...looks.map((name) => getComputedStyle(element)[name]), element.textContent].join();
    const { step, frame, event, state } = player;
    const between = Array.from({ length: step - from }, (_, i) => store.event(from + 1 + i));
    const model = event.type === "NodesFiltered" ? filterModel(state) : null;
    const pods = [...new Set([...before.pods.keys(), ...state.pods.keys()])];
    stops.push({
      link: last, type: event.type, still: root.classList.contains("still"), count: started.length,
      crossed: of(".lane.hit .stop").map(nameOf).sort(),
      rejected: model ? model.names.filter((name) => model.at.get(name)?.verdict && model.at.get(name).stop === frame).sort() : null,
      ran: of(".line").map(nameOf),
      grown: [...new Set(of(".segment").map(nameOf))].sort(),
      feasible: event.type === "ScoresComputed" ? [...(filterModel(state)?.feasible ?? [])].sort() : [],
      flew: of(".flight:not(.leaves)").map((one) => one.dataset.name).sort(),
      placed: between.filter(({ type }) => type === "PodAssumed").map(({ pod }) => pod.split("/")[1]),
      changed: pods.filter((pod) => placeOf(before, pod) !== placeOf(state, pod)).map((pod) => pod.split("/")[1]),
      unlike: of(".flight:not(.leaves)").filter((one) => ![...document.querySelectorAll("[data-fly]")]
        .some((pod) => look(pod) === look(one))).map((one) => one.dataset.name),
      moved: Math.max(0, ...ends(false)), told: Math.min(...ends(true)),
      lines: of("#caption .why, #caption .lesson, #next p").length,
      judged: started.filter((one) => one.animationName === "criterion").map((one) => one.effect.getComputedTiming().delay),
      fell: started.filter((one) => one.animationName === "drop").map((one) => one.effect.getComputedTiming().endTime),
      left: of(".flight.leaves").map((one) => one.dataset.name).sort(),
      gone: pods.filter((pod) => before.pods.get(pod)?.node && !state.pods.has(pod)).map((pod) => pod.split("/")[1]).sort(),
    });
    [before, from] = [state, step];
  }
}"""


@pytest.fixture
def played(request: pytest.FixtureRequest, browser: Browser, live_stack: Stack) -> list[dict[str, Any]]:
    lesson, motion = request.param
    context = browser.new_context(
        base_url=live_stack.url, viewport={"width": 1280, "height": 720}, reduced_motion=motion
    )
    page = context.new_page()
    open_player(page, lesson)
    stops = play(page)
    context.close()
    assert stops[-1]["type"] == "RunFinished", stops[-1]
    return stops


def play(page: Page) -> list[dict[str, Any]]:
    page.evaluate("modules = document.querySelector('script[type=module][src]').src.replace(/js\\/.*/, '')")
    until(page, "kschedui.store.complete")
    stops: list[dict[str, Any]] = page.evaluate(PLAY)
    return stops


@pytest.mark.parametrize(
    "played", some_quick(3, [pytest.param((slug, "no-preference"), id=slug) for slug in LESSONS]), indirect=True
)
def test_playing_moves_what_the_events_changed(played: list[dict[str, Any]]) -> None:
    assert not [stop["link"] for stop in played if stop["still"]]
    for stop in played:
        stop_words = stop["link"], stop
        if stop["rejected"] is not None:
            assert stop["crossed"] == stop["rejected"], stop_words
            assert stop["ran"], stop_words
        if stop["type"] == "ScoresComputed":
            assert stop["grown"], stop_words
            assert set(stop["grown"]) <= set(stop["feasible"]), stop_words
        assert set(stop["placed"]) <= set(stop["flew"]) <= set(stop["changed"]), stop_words
        assert stop["left"] == stop["gone"], stop_words
        assert not stop["unlike"], stop_words
        assert max(stop["fell"], default=0) <= min(stop["judged"], default=math.inf), stop_words
        if stop["lines"]:  # texts appear when the movement is nearly over
            assert stop["told"] >= min(stop["moved"], MOST_WAITED) - LAST_WORDS, stop_words
    assert any(stop["lines"] for stop in played)
    assert sum(stop["count"] > 0 for stop in played) > len(played) / 2


@pytest.mark.parametrize("played", [pytest.param(("high-preempts-low", "reduce"), id="reduced")], indirect=True)
def test_with_reduced_motion_playing_animates_nothing(played: list[dict[str, Any]]) -> None:
    assert not [stop["link"] for stop in played if stop["count"] or not stop["still"]]


@pytest.mark.quick
def test_the_home_page_plays_a_run_and_a_saved_run_links_to_its_pending_pods(browser_page: Page) -> None:
    page = browser_page
    page.goto("/")
    frame = page.frame_locator("#home-run iframe")
    expect(frame.locator("#transport .play")).to_have_attribute("aria-label", "Pause")
    expect(frame.locator("#caption h1")).to_contain_text("n2 is cordoned")
    saved = save(page, WAITS)
    page.goto(saved["url"])
    wait_until_drawn(page)
    page.get_by_role("link", name="1 pod waits: why?").click()
    expect(page).to_have_url(re.compile(r"/pending/$"))


WAITS = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {containers: [{name: main, image: i, resources: {requests: {cpu: "2"}}}]}
"""
