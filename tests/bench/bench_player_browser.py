#!/usr/bin/env python3
"""How fast the player is in headless Chromium: seeks in a run of 20,000 events, playing 5,000 nodes, the first step.

Starts a stack of its own, saves two scenarios, and prints a table of milliseconds. `--url` measures a running site.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kschedui.supervisor.ports import free_port  # noqa: E402
from kschedui.supervisor.stack import Stack  # noqa: E402
from tests.bench.workloads import basic  # noqa: E402
from tests.conftest import CHROMIUM_FLAGS, chromium_path, manage  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

SEEKS = 200
FRAMES = 600

SEEK = """async ([count, frames]) => {
  const { player, store } = kschedui;
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const step = Math.floor((((i * 2654435761) % 4294967296) / 4294967296) * store.steps);
    const before = performance.now();
    player.seek(step, 0);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    document.body.offsetHeight;
    times.push(performance.now() - before);
  }
  return times;
}"""

PLAY = """async ([speed, frames]) => {
  const { player } = kschedui;
  player.seek(30, 0);
  player.speed = speed;
  const times = [];
  const turn = player.turn.bind(player);
  player.turn = (now) => {
    const before = performance.now();
    turn(now);
    document.body.offsetHeight;
    times.push(performance.now() - before);
  };
  player.play(true);
  while (times.length < frames && player.playing) await new Promise((done) => setTimeout(done, 50));
  player.play(false);
  delete player.turn;
  return times.filter((time) => time > 1); // turns without a new step draw nothing
}"""


def scenario(nodes: int, pods: int) -> str:
    """The basic workload as a YAML stream (JSON documents are YAML)."""
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
    """Main-thread processor seconds of a page: what it costs however busy the machine is."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self) -> float:
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def timed(page: Page, name: str, script: str, arguments: list[float]) -> None:
    """Print a row: milliseconds by the clock, and main-thread processor time per turn."""
    processor = ProcessorTime(page)
    before = processor.now()
    times = page.evaluate(script, arguments)
    spent = 1000 * (processor.now() - before) / max(1, len(times))
    print(f"{name:42}{percentiles(times)}   processor {spent:5.1f} each")


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("#player[data-ready]")
    for _ in range(1200):
        if page.evaluate("kschedui.store.complete && kschedui.store.chunkFor(0) !== undefined"):
            return page
        page.wait_for_timeout(100)
    raise SystemExit("the run never ended")


DRAWN = """new MutationObserver(() => {
  if (!window.drawnAt && document.querySelector('#player[data-ready]')) window.drawnAt = performance.now();
}).observe(document, {subtree: true, attributes: true, childList: true})"""


def first_step(context: BrowserContext, address: str) -> tuple[list[float], int, int]:
    """Milliseconds from opening a link to its drawn step; bytes and number of our own scripts loaded by then."""
    times: list[float] = []
    found: list[tuple[float, int]] = []
    for _ in range(7):
        page = context.new_page()
        page.add_init_script(DRAWN)
        page.goto(address)
        page.wait_for_selector("#player[data-ready]")
        times.append(page.evaluate("window.drawnAt"))
        found = page.evaluate(
            "performance.getEntriesByType('resource').filter(r => r.name.endsWith('.js')).map(r => [r.responseEnd, r.decodedBodySize])"
        )
        page.close()
    early = [size for end, size in found if end <= times[-1]]
    return times, sum(early), len(early)


def measure(browser: Browser, url: str) -> None:
    visitor = Visitor(url)
    long = visitor.post("/api/scenarios", text=scenario(100, 2100))[1]
    wide = visitor.post("/api/scenarios", text=scenario(5000, 300))[1]
    context = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900})
    for cookie in visitor.cookies:
        context.add_cookies([{"name": cookie.name, "value": cookie.value or "", "url": url}])
    page = opened(context.new_page(), url + long["url"])
    print(
        f"{'run of':42}{page.evaluate('kschedui.store.steps')} events, 100 nodes; {page.evaluate('kschedui.store.chunks.length')} chunks"
    )
    timed(page, "seek to the drawn step, ms", SEEK, [SEEKS, 0])
    address = f"{page.url.split('#')[0]}#12000"
    page = opened(context.new_page(), url + wide["url"])
    timed(page, "5,000 nodes: seek, ms", SEEK, [SEEKS // 2, 0])
    for speed in (1, 8, 32):
        timed(page, f"5,000 nodes: a frame at {speed}x, ms", PLAY, [speed, FRAMES])
    page = context.new_page()
    page.goto(f"{url}/library/flash-sale/")
    for name, link in (("flash sale", page.url), ("step 12,000 of the long run", address)):
        times, size, files = first_step(context, link)
        print(f"{f'first step, {name}, ms':42}{percentiles(times)}")
        print(f"{'own scripts loaded by then':42}{size / 1000:.0f} kB in {files} files")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    asked = parser.parse_args()
    path = chromium_path()
    if path is None:
        raise SystemExit("no Chromium found: install it or name it in KSCHEDUI_CHROMIUM")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS, chromium_sandbox=False)
        if asked.url:
            return measure(browser, asked.url)
        with Stack(
            {"KSCHEDUI_DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3"}, Path(folder)
        ) as stack:
            stack.start_broker()
            manage(stack, "migrate", "--verbosity", "0")
            manage(stack, "load_library", "--verbosity", "0")
            stack.start_worker()
            stack.start_web("127.0.0.1", free_port())
            stack.wait()
            measure(browser, stack.url)


if __name__ == "__main__":
    main()
