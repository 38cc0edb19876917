#!/usr/bin/env python3
"""Measure the player in headless Chromium.

It measures seeks in a run of 20,000 events, playing with 5,000 nodes, the first step, changing a number of the
arithmetic, and the frames while a step moves in a browser that is slowed down by `--slowed` (4 times by default). It
starts its own stack, saves two scenarios, and prints a table of milliseconds.

`--url` measures a running site; `--frames URL` measures only the frames. `--pairs OLD_URL NEW_URL` compares the first
step of two sites and loads them in turn, so that other load affects both. The stack runs from the work tree; with
KSCHEDUI_ENV=production and its required settings it is as in the image, and serves a bundle made by `npm run bundle`.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kschedui.supervisor.ports import free_port  # noqa: E402
from kschedui.supervisor.stack import Stack  # noqa: E402
from tests.bench.far_away import far_away  # noqa: E402
from tests.bench.workloads import basic  # noqa: E402
from tests.conftest import CHROMIUM_FLAGS, chromium_path, manage  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

SEEKS = 200
FRAMES = 600
DRAGS = 60
LINKS = 9
ROUND_TRIP = 50  # milliseconds, of a visitor who is far away and comes for the first time
LESSON = "/library/flash-sale/"
SLOWED = 4.0  # for the target machine; use 1.5 on a machine that takes 2.6 times as long
FRAME = 1000 / 60  # milliseconds
LATE = 1.5  # frames: a longer interval has missed one
MOVED = 3  # measurements of each step, of which the best counts, because other load disturbs them
MOVES = {  # links to stops from which the next step moves something
    "/library/first-pod/": ("0", "4", "4.3", "5.1", "5.5"),
    "/library/high-preempts-low/": ("4.3", "5.1", "5.4", "9", "15.3"),
    "/library/hard-spread/": ("6", "11", "15", "47.3"),
    "/library/queueing-hints/": ("2", "7", "21", "33"),
    LESSON: ("46", "116.1", "116.9", "117"),
}

VIEWPORT: ViewportSize = {"width": 1440, "height": 900}

SEEK = """async ([i]) => {
  const { player, store } = kschedui;
  const page = document.getElementById('player');
  const step = Math.floor((((i * 2654435761) % 4294967296) / 4294967296) * store.steps);
  const before = performance.now();
  player.seek(step, i % player.frames(step));
  do await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  while (!('ready' in page.dataset));
  document.body.offsetHeight;
  return performance.now() - before;
}"""

PLAY = """async ([speed, frames]) => {
  const { player } = kschedui;
  player.seek(30, 0);
  player.speed = speed;
  const times = [];
  const onAnimationFrame = player.onAnimationFrame.bind(player);
  player.onAnimationFrame = (now) => {
    const before = performance.now();
    onAnimationFrame(now);
    document.body.offsetHeight;
    times.push(performance.now() - before);
  };
  player.play(true);
  while (times.length < frames && player.playing) await new Promise((done) => setTimeout(done, 50));
  player.play(false);
  delete player.onAnimationFrame;
  return times.filter((time) => time > 1); // frames without a new step draw nothing
}"""


MOVE = """async () => {
  const page = document.getElementById('player');
  const left = () => Math.max(0, ...document.getAnimations()
    .map((one) => Number(one.effect.getComputedTiming().endTime) - Number(one.currentTime ?? 0)));
  const times = [];
  const link = page.dataset.ready;
  page.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  const deadline = performance.now() + 2000;
  while ((page.dataset.ready ?? link) === link && performance.now() < deadline) await new Promise(requestAnimationFrame);
  let last = await new Promise(requestAnimationFrame); // the step is drawn; looking at animations takes time of a frame
  const end = last + left();
  last = await new Promise(requestAnimationFrame);
  while (last < end) {
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}"""

NUMBER = "#player .scrub"
SEEK_A_NUMBER = """async ([from, selector]) => {
  const { player, store } = kschedui;
  for (let step = from; step < store.steps; step++)
    for (let frame = 0; frame < player.frames(step); frame++) {
      player.seek(step, frame);
      do await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      while (!('ready' in document.getElementById('player').dataset));
      if (document.querySelector(selector)) return;
    }
  throw new Error('no number can be dragged');
}"""
NEXT_VALUE = """async (number) => {
  const answers = window.fetch;
  const answered = new Promise((done) => {
    window.fetch = async (...request) => {
      const response = await answers(...request);
      if (String(request[0]).endsWith('/what-if')) done(response.status);
      return response;
    };
  });
  const before = performance.now();
  number.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
  const status = await answered;
  window.fetch = answers;
  if (status !== 200) throw new Error(`the what-if was answered with ${status}`);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  document.body.offsetHeight;
  return performance.now() - before;
}"""


def scenario(nodes: int, pods: int) -> str:
    """Return the basic workload as a YAML stream (JSON documents are YAML)."""
    load = basic(nodes)
    more = [
        {**pod, "metadata": {**pod["metadata"], "name": f"{pod['metadata']['name']}-{i}"}}
        for i in range(pods // 1000 + 1)
        for pod in load["pending"]
    ]
    return "\n---\n".join(json.dumps(one) for one in [*load["nodes"], *more[:pods]])


def percentiles(times: list[float]) -> str:
    ordered = sorted(times)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]  # noqa: E731
    return f"median {statistics.median(ordered):6.1f}   p90 {at(0.9):6.1f}   p99 {at(0.99):6.1f}   worst {ordered[-1]:6.1f}   n {len(ordered)}"


class ProcessorTime:
    """Processor seconds of a page's main thread, which do not depend on how busy the machine is."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self) -> float:
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def seeks(page: Page, name: str, count: int) -> None:
    """Print two rows: elapsed milliseconds, which include the wait for the next frame, and those of main-thread
    processor time."""
    processor = ProcessorTime(page)
    times, spent = [], []
    for i in range(count):
        before = processor.now()
        times.append(page.evaluate(SEEK, [i]))
        spent.append(1000 * (processor.now() - before))
    row(name + ", ms", times)
    row(name + ", processor ms", spent, f"over 50 ms by the clock: {sum(time >= 50 for time in times)}")


def timed(page: Page, name: str, script: str, arguments: list[float]) -> None:
    """Print a row: elapsed milliseconds, and main-thread processor time, of each round."""
    processor = ProcessorTime(page)
    before = processor.now()
    times = page.evaluate(script, arguments)
    spent = 1000 * (processor.now() - before) / max(1, len(times))
    row(name, times, f"processor {spent:5.1f} each")


def row(name: str, times: list[float], more: str = "") -> None:
    print(f"{name:48}{percentiles(times)}   {more}", flush=True)


def open_run(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("#player[data-ready]")
    for _ in range(1200):
        if page.evaluate("kschedui.store.complete && kschedui.store.chunkFor(0) !== undefined"):
            return page
        page.wait_for_timeout(100)
    raise SystemExit("the run never ended")


DRAWN = """new MutationObserver(() => {
  if (window.drawnAt || !document.querySelector('#player[data-ready]')) return;
  window.drawnAt = performance.now();
  requestAnimationFrame(() => setTimeout(() => { window.paintedAt = performance.now(); }));
}).observe(document, {subtree: true, attributes: true, childList: true})"""

ANSWERED = """() => performance.getEntriesByType('resource').map((one) => [one.responseEnd, one.transferSize])"""

LOADED = """() => performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.js'))
  .map((one) => [one.responseEnd, one.decodedBodySize])"""


def settle(page: Page) -> None:
    """Wait until the processes that Chromium starts for a tab are ready, so that the page's times do not include
    them."""
    page.wait_for_timeout(700)


def open_link(page: Page, address: str) -> None:
    page.goto("about:blank")
    settle(page)
    page.goto(address)


def click_card(page: Page, address: str) -> None:
    page.goto(address)
    settle(page)
    page.click(".scenario-card:not([hidden]) a >> nth=0")


@dataclass
class FirstStep:
    """Figures of one load.

    `drawn`, `painted`: milliseconds from the start of the navigation, including redirects, until the first step is
    complete in the document, and until it is painted. `processor`: milliseconds of main-thread processor time.
    `requests`: answered by then. `kilobytes`: received by then.
    """

    drawn: float
    painted: float
    processor: float
    requests: int
    kilobytes: float


def load(context: BrowserContext, go: Callable[[Page, str], None], address: str) -> FirstStep:
    page = context.new_page()
    page.add_init_script(DRAWN)
    processor = ProcessorTime(page)
    go(page, address)
    page.wait_for_selector("#player[data-ready]")
    while not page.evaluate("window.paintedAt"):
        page.wait_for_timeout(20)
    drawn, painted = page.evaluate("[window.drawnAt, window.paintedAt]")
    sizes = [size for end, size in page.evaluate(ANSWERED) if end <= drawn]
    spent = 1000 * processor.now()
    page.close()
    return FirstStep(drawn, painted, spent, len(sizes), sum(sizes) / 1000)


def first_step(name: str, loads: list[FirstStep]) -> None:
    row(f"first step, {name}: drawn, ms", [one.drawn for one in loads])
    row(
        f"first step, {name}: painted, ms",
        [one.painted for one in loads],
        f"processor {statistics.median(one.processor for one in loads):5.1f}",
    )
    print(f"{'requests by then':48}{loads[-1].requests}, {loads[-1].kilobytes:.0f} kB", flush=True)


def from_far_away(browser: Browser, url: str, round_trip: float = ROUND_TRIP) -> FirstStep:
    """Measure a first visit: with an empty browser cache, and with a longer time for every round trip."""
    with far_away(url, round_trip) as address, browser.new_context(base_url=address, viewport=VIEWPORT) as context:
        return load(context, open_link, lesson_at(context))


def lesson_at(context: BrowserContext) -> str:
    """Return the address of a lesson's player after its redirect, which is followed outside the browser."""
    return context.request.get(LESSON).url


def pairs(browser: Browser, old: str, new: str) -> None:
    """Compare the first step of two sites, near and far away: print both, and the median of the ratios."""
    contexts = {url: browser.new_context(base_url=url, viewport=VIEWPORT) for url in (old, new)}
    ways: dict[str, Callable[[str], FirstStep]] = {
        "known": lambda url: load(contexts[url], open_link, lesson_at(contexts[url])),
        f"{ROUND_TRIP} ms away, empty cache": lambda url: from_far_away(browser, url),
    }
    for name, way in ways.items():
        both = [(way(old), way(new)) for _ in range(LINKS + 1)][1:]  # the first one fills caches
        first_step(f"old, {name}", [one for one, _ in both])
        first_step(f"new, {name}", [one for _, one in both])
        for measure in ("drawn", "processor"):
            ratio = statistics.median(getattr(after, measure) / getattr(before, measure) for before, after in both)
            print(f"{f'new / old, {name}: {measure}':48}{ratio:.2f}", flush=True)


def whole_session(context: BrowserContext, address: str) -> None:
    """Print the size of the site's scripts that are loaded for all steps of a run with preemption and a selected pod."""
    page = open_run(context.new_page(), address)
    for step in range(page.evaluate("kschedui.store.steps")):
        page.evaluate("step => kschedui.player.seek(step, 1e6)", step)
        page.wait_for_selector("#player[data-ready]")
    page.click(".queue-pod, [data-fly]")
    settle(page)
    sizes = [size for _, size in page.evaluate(LOADED)]
    print(f"{'own scripts of a whole preemption run':48}{sum(sizes) / 1000:.0f} kB in {len(sizes)} files")
    page.close()


def drags(page: Page) -> None:
    """Print a row: milliseconds from a change of a number in the arithmetic until the answer is drawn."""
    page.evaluate(SEEK_A_NUMBER, [1000, NUMBER])

    def next_value() -> float:
        return float(page.evaluate(NEXT_VALUE, page.query_selector(NUMBER)))

    next_value()  # warm up: the page loads its modules
    row("100 nodes: a number dragged, ms", [next_value() for _ in range(DRAGS)])


def frames(context: BrowserContext, slowed: float) -> None:
    """Print a row for each step with motion: milliseconds between the frames of a page that is slowed that many times,
    the best of several rounds, and the share of frames that were in time.

    On a busy machine these depend on the other load; the main thread's processor time for a frame does not. At 60
    frames a second there are 16.7 ms for a frame on the slowed machine, which is 4.2 ms on one that is not slowed.
    """
    page = context.new_page()
    processor, slow = ProcessorTime(page), page.context.new_cdp_session(page)

    def moved(link: str, rate: float) -> tuple[list[float], float]:
        """Return the times between frames, and the processor time for each; the wait of a slowed page is not counted."""
        page.goto(link)
        page.wait_for_function(
            "link => document.getElementById('player')?.dataset.ready === link", arg=f"#{link.split('#')[1]}"
        )
        settle(page)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": rate})
        before = processor.now()
        times = page.evaluate(MOVE)
        spent = 1000 * (processor.now() - before)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        return times, spent / max(1, len(times))

    for lesson, links in MOVES.items():
        for link in links:
            runs = [moved(f"{lesson}#{link}", slowed)[0] for _ in range(MOVED)]
            best = min(filter(None, runs), key=lambda times: sum(times) / len(times))
            work = min(moved(f"{lesson}#{link}", 1)[1] for _ in range(MOVED))
            name = f"{lesson.split('/')[2]} #{link} moves, {slowed:g} times slowed, ms"
            in_time = sum(time < LATE * FRAME for time in best) / len(best)
            row(
                name,
                best,
                f"{1000 * len(best) / sum(best):3.0f} frames a second, {in_time:4.0%} in time; "
                f"processor {work:4.1f} a frame, not slowed",
            )


def measure(browser: Browser, url: str) -> None:
    visitor = Visitor(url)
    long = visitor.post("/api/v1/scenarios", text=scenario(100, 2100))[1]
    wide = visitor.post("/api/v1/scenarios", text=scenario(5000, 300))[1]
    context = browser.new_context(base_url=url, viewport=VIEWPORT)
    for cookie in visitor.cookies:
        context.add_cookies([{"name": cookie.name, "value": cookie.value or "", "url": url}])
    page = open_run(context.new_page(), url + long["url"])
    print(
        f"{'run of':48}{page.evaluate('kschedui.store.steps')} events, 100 nodes; {page.evaluate('kschedui.store.chunks.length')} chunks"
    )
    seeks(page, "any seek to the drawn step", SEEKS)
    drags(page)
    address = f"{page.url.split('#')[0]}#12000"
    page = open_run(context.new_page(), url + wide["url"])
    seeks(page, "5,000 nodes: seek", SEEKS // 2)
    for speed in (1, 8, 32):
        timed(page, f"5,000 nodes: a frame at {speed}x, ms", PLAY, [speed, FRAMES])
    lesson = lesson_at(context)
    first_step("link to flash sale", [load(context, open_link, lesson) for _ in range(LINKS)])
    first_step("link into the long run", [load(context, open_link, address) for _ in range(LINKS)])
    first_step("a card of the library", [load(context, click_card, "/") for _ in range(LINKS)])
    first_step(f"{ROUND_TRIP} ms away, empty cache", [from_far_away(browser, url) for _ in range(LINKS)])
    whole_session(context, lesson)
    frames(context, SLOWED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    parser.add_argument("--frames", metavar="URL")
    parser.add_argument("--slowed", type=float, default=SLOWED)
    parser.add_argument("--pairs", nargs=2, metavar=("OLD_URL", "NEW_URL"))
    asked = parser.parse_args()
    path = chromium_path()
    if path is None:
        raise SystemExit("no Chromium found: install it or name it in KSCHEDUI_CHROMIUM")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS, chromium_sandbox=False)
        if asked.frames:
            return frames(browser.new_context(base_url=asked.frames, viewport=VIEWPORT), asked.slowed)
        if asked.pairs:
            return pairs(browser, *asked.pairs)
        if asked.url:
            return measure(browser, asked.url)
        with Stack(
            {"KSCHEDUI_DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3"}, Path(folder)
        ) as stack:
            stack.start_broker()
            manage(stack, "migrate", "--verbosity", "0")
            manage(stack, "load_library", "--verbosity", "0")
            if os.environ.get("KSCHEDUI_ENV") == "production":
                manage(stack, "collectstatic", "--noinput", "--verbosity", "0")
            stack.start_workers(runs=2)
            stack.start_web("127.0.0.1", free_port())
            stack.wait()
            measure(browser, stack.url)


if __name__ == "__main__":
    main()
