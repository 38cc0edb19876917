#!/usr/bin/env python3
"""Measure what people wait for, next to the targets; this takes about five minutes on a quiet machine.

    python tests/bench/bench_waits.py [WORD ...]     only groups whose name contains one of the words

Each row has its figure as measured, and scaled, with the reference loop before and after it, to the machine that the
targets are for. The scaled figure is judged.

`processor`: processor time, always judged; the others are not judged if the machine was busy before. `clock`: elapsed
time as a person sees it. `network`: elapsed time; the part that the distance adds is waiting, and is not scaled.
`largest`: peak memory, not scaled. `make run` installs its packages as usual, from wherever pip finds them.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from playwright.sync_api import Browser, sync_playwright

from kschedui.supervisor.ports import free_port
from kschedui.supervisor.stack import Stack
from tests.bench import bench_ask, bench_engine, bench_intake_browser, bench_player_browser
from tests.bench.machine import Figure, Pace, describe_machine
from tests.bench.mixed_workloads import mixed
from tests.bench.process_tree import Used, measured
from tests.bench.workloads import basic, workload
from tests.conftest import CHROMIUM_FLAGS, chromium_path, manage
from tests.dumps import Cluster, as_yaml, listed
from tests.web import visitor as visiting
from tests.web.visitor import Visitor

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "kschedui" / "scenarios" / "lessons" / "first-pod.yaml"
NODES, PODS = 300, 7000  # 57 MB of YAML
LOADS = 7
PATIENCE = 300.0  # seconds
QUIET = 1.0  # the highest load at the start with which elapsed times are judged
SECRET_KEY = "only for this measurement, and long enough to be accepted by production"


class Row(NamedTuple):
    """A wait and its target. A rate must reach its target, a time must not exceed it."""

    name: str
    figure: Figure
    target: float
    unit: str
    how: str  # "processor", "clock", "network" or "largest"

    @property
    def met(self) -> bool:
        scaled = self.figure.scaled
        return scaled >= self.target if self.unit in ("pods/s", "times") else scaled <= self.target


Rows = Iterator[Row]


def small_file(folder: Path, pace: Pace) -> Rows:
    command = ["simulate", str(LESSON)]
    run_command(command)  # writes bytecode
    seconds = Figure.median(pace.figure(lambda: run_command(command)[0]) for _ in range(7))
    yield Row("kschedui on a small file, start to exit", seconds, 0.35, "s", "processor")


def import_by_command(folder: Path, pace: Pace) -> Rows:
    file = written_file(folder, write_dump)
    memory = 0.0

    def run() -> float:
        nonlocal memory
        seconds, memory = run_command(["import", "--quiet", str(file)])
        return seconds

    megabytes = file.stat().st_size / 1e6
    yield Row(f"{megabytes:.0f} MB of YAML to a scenario, CLI", pace.figure(run), 8, "s", "processor")
    yield Row("the same, memory", Figure.same(memory), 250, "MB", "largest")


def many_pods(folder: Path, pace: Pace) -> Rows:
    command = ["simulate", "--quiet", str(written_file(folder, write_many_pods))]
    yield Row("5,000 nodes x 10,000 pods, CLI", pace.figure(lambda: run_command(command)[0]), 20, "s", "processor")


def import_by_page(folder: Path, pace: Pace) -> Rows:
    file = written_file(folder, write_dump)
    with site(folder / "import") as stack, bench_intake_browser.editor(stack.url, chromium()) as page:

        def bring() -> Used:
            with measured() as used:
                bench_intake_browser.by_page(page, file, NODES)
            return used

        used, scale = pace.with_scale(bring)
    clock, processor = Figure(used.seconds, used.seconds * scale), Figure(used.processor, used.processor * scale)
    yield Row("the same in the page, from drop to first step", clock, 25, "s", "clock")
    yield Row("    browser and site together", processor, 25, "s", "processor")


def what_if(folder: Path, pace: Pace) -> Rows:
    with site(folder / "what-if") as stack:
        bench_ask.measured(stack.url, 20, 3)  # warm up: processes load their modules
        (first, others), scale = pace.with_scale(lambda: bench_ask.measured(stack.url, 5000, 20))
    later = median(others)
    yield Row("first what-if at 5,000 nodes", Figure(first, first * scale), 300, "ms", "clock")
    yield Row("later ones, median", Figure(later, later * scale), 50, "ms", "clock")


def first_steps(folder: Path, pace: Pace) -> Rows:
    player = bench_player_browser
    with site(folder / "here", library=True) as stack, browsing() as browser:
        visitor = Visitor(stack.url)
        run = visitor.post("/api/v1/scenarios", text=player.scenario(100, 2100))[1]
        context = browser.new_context(base_url=stack.url, viewport=player.VIEWPORT)
        for cookie in visitor.cookies:
            context.add_cookies([{"name": cookie.name, "value": cookie.value or "", "url": stack.url}])
        page = player.open_run(context.new_page(), stack.url + run["url"])
        into_run = f"{page.url.split('#')[0]}#12000"
        page.close()
        ways = {
            "link to a lesson": (player.open_link, player.lesson_at(context)),
            "link into a long run": (player.open_link, into_run),
            "card of the library": (player.click_card, "/"),
        }
        for name, (go, address) in ways.items():
            load = partial(player.load, context, go, address)
            drawn = Figure.median(pace.figure(lambda load=load: load().drawn) for _ in range(LOADS))
            yield Row(f"first step on localhost, {name}", drawn, 250, "ms", "clock")


def first_step_far_away(folder: Path, pace: Pace) -> Rows:
    env = {"KSCHEDUI_ENV": "production", "SECRET_KEY": SECRET_KEY, "KSCHEDUI_HTTPS": "0"}
    env["KSCHEDUI_STATIC_ROOT"] = str(folder / "static")
    if node := shutil.which("node"):
        env["KSCHEDUI_BUNDLE"] = str(folder / "bundle")
        subprocess.run([node, "scripts/bundle.mjs", str(folder / "bundle")], cwd=ROOT, check=True)
    with site(folder / "far", env, library=True) as stack, browsing() as browser:
        load = partial(bench_player_browser.from_far_away, browser, stack.url)
        near = Figure.median(pace.figure(lambda: load(0).drawn) for _ in range(LOADS))
        far = median(load().drawn for _ in range(LOADS))
    drawn = Figure(far, far - near.raw + near.scaled)
    yield Row("first step, empty cache, 50 ms per round trip", drawn, 800, "ms", "network")


def speed(folder: Path, pace: Pace) -> Rows:
    for name, target in {"basic-5000": 20_000, "mixed-5000": 10_000}.items():
        pods_a_second = simulated(mixed(5000) if name.startswith("mixed") else basic(5000), pace)
        yield Row(f"{name}, trace kept", pods_a_second, target, "pods/s", "processor")
    for nodes, target in {100: 1.5, 1000: 3.0}.items():
        real = bench_engine.REAL[f"preemption-{nodes}"] * bench_engine.REAL_LOOP_MS / bench_engine.TARGET_MS
        raw, scaled = simulated(workload("preemption", nodes), pace)
        ratio = Figure(raw / real, scaled / real)
        yield Row(f"preemption at {nodes:,} nodes, as fast as kube-scheduler", ratio, target, "times", "processor")


def make_run(folder: Path, pace: Pace) -> Rows:
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    start = partial(until_first_page, clone)
    yield Row("make run on a fresh clone until the first page", pace.figure(start), 15, "s", "clock")
    yield Row("second start", Figure.median(pace.figure(start) for _ in range(3)), 1.5, "s", "clock")


# Commands come first, because a child's memory counts what this process held when it started the child.
GROUPS: tuple[Callable[[Path, Pace], Rows], ...] = (
    small_file,
    import_by_command,
    many_pods,
    import_by_page,
    what_if,
    first_steps,
    first_step_far_away,
    speed,
    make_run,
)


def run_command(arguments: list[str]) -> tuple[float, float]:
    """Run `kschedui`. Return the seconds of processor time and the megabytes that it took."""
    command = [sys.executable, "-m", "kschedui", *arguments]
    with open(os.devnull, "w") as nothing, subprocess.Popen(command, stdout=nothing, cwd=ROOT, env=as_user()) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, command
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def as_user() -> dict[str, str]:
    """Return the environment of a user whose Python stores bytecode, as it does by default."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def written_file(folder: Path, write: Callable[[Path], None]) -> Path:
    """Return a file that `write` writes, in a separate process, so that its memory does not count."""
    file = folder / f"{write.__name__}.yaml"
    if not file.exists():
        process = multiprocessing.get_context("spawn").Process(target=write, args=(file,))
        process.start()
        process.join()
        assert process.exitcode == 0
    return file


def write_dump(file: Path) -> None:
    file.write_text(as_yaml(listed(Cluster(NODES, PODS, fields=80).objects())))


def write_many_pods(file: Path) -> None:
    objects = basic(5000)
    pod = objects["pending"][0]
    pods = [{**pod, "metadata": {**pod["metadata"], "name": f"p-{number:05}"}} for number in range(10_000)]
    file.write_text("\n---\n".join(map(json.dumps, [*objects["nodes"], *pods])))


def simulated(objects: bench_engine.Objects, pace: Pace) -> Figure:
    """Return the pods per second of a run whose trace is kept as it is stored."""
    scenario = bench_engine.scenario_of(objects)

    def run() -> float:
        seconds, events = bench_engine.timed(scenario)
        return seconds + bench_engine.stored(events)[1]

    run()
    pods, seconds = len(objects["pending"]), Figure.median(pace.figure(run) for _ in range(5))
    return Figure(pods / seconds.raw, pods / seconds.scaled)


@contextmanager
def site(folder: Path, more: dict[str, str] | None = None, *, library: bool = False) -> Iterator[Stack]:
    """Yield a running site."""
    folder.mkdir()
    env = {"KSCHEDUI_DATA_DIR": str(folder), "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3", **(more or {})}
    with Stack(env, folder) as stack:
        stack.start_broker()
        if more:
            manage(stack, "collectstatic", "--noinput", "--verbosity", "0")
        manage(stack, "migrate", "--verbosity", "0")
        if library:
            manage(stack, "load_library", "--verbosity", "0")
        stack.start_workers(runs=2)
        stack.start_web("127.0.0.1", free_port())
        stack.wait()
        yield stack


@contextmanager
def browsing() -> Iterator[Browser]:
    with sync_playwright() as playwright, ExitStack() as stack:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS, chromium_sandbox=False)
        stack.callback(browser.close)
        yield browser


def chromium() -> str:
    path = chromium_path()
    if path is None:
        raise SystemExit("no Chromium found: install it or name it in KSCHEDUI_CHROMIUM")
    return path


def until_first_page(clone: Path) -> float:
    """Run `make run`, stop it after the first page, and return the seconds until then."""
    port = free_port()
    begun = time.monotonic()
    with open(clone / "make.log", "w") as log:
        process = subprocess.Popen(
            ["make", "run", f"PORT={port}"], cwd=clone, stdout=log, stderr=log, env=as_user(), start_new_session=True
        )
    try:
        while time.monotonic() - begun < PATIENCE:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE):
                    return time.monotonic() - begun
            except (urllib.error.URLError, ConnectionError):
                assert process.poll() is None, (clone / "make.log").read_text()
                time.sleep(0.02)
        raise SystemExit("make run never served a page")
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait()


def main() -> None:
    """Print a table."""
    words = sys.argv[1:]
    print(describe_machine())
    print(f"{'':56}{'here':>10}{'scaled':>10}{'target':>10}")
    busy = os.getloadavg()[0] > QUIET
    visiting.LONG = PATIENCE
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for group in GROUPS:
            if words and not any(word in group.__name__ for word in words):
                continue
            pace = Pace()
            pace.scaled(lambda: 0.0)
            try:
                for row in group(Path(folder), pace):
                    judged = row.how == "processor" or not busy
                    missed += judged and not row.met
                    verdict = ("met" if row.met else "NOT MET") if judged else "busy"
                    figures = f"{row.figure.raw:>10,.2f}{row.figure.scaled:>10,.2f}{row.target:>10,.2f} {row.unit:7}"
                    noise = "" if pace.steady() else ", noisy"
                    print(f"{row.name:56}{figures}{row.how:10} {verdict:8} {pace.described()}{noise}", flush=True)
            except Exception as error:  # the other groups are measured all the same
                missed += 1
                print(f"{group.__name__}: {' '.join(str(error).split())[:200]}", flush=True)
    print(describe_machine())
    print(f"{missed} not met")


if __name__ == "__main__":
    main()
