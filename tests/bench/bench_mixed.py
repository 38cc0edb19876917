#!/usr/bin/env python3
"""Measure everything at once: how long visitors wait for pages, what is lost, how processes grow.

    python tests/bench/bench_mixed.py [--minutes 10] [--viewers 200] [--students 300] [--editors 10] [--webs 1]
        [--slowed 1]

Viewers follow live runs, a class follows its teacher, and editors check and save. Five addresses send the largest
allowed requests, one sends small requests that cause endless work, and five more attack the site (tables of Markdown,
long texts in lists, sockets that read nothing of deleted runs, stalled uploads). Meanwhile another visitor opens pages.
Each has its own addresses (127.0.x.y). All of it, clients included, shares the processors of this machine. All clients
but the visitor run at nice 5, because those of a real site have their own processors.

`--slowed`: how many times as slow as the target machine this one is, by the reference loop (machine.py). All clients
then wait that many times as long between two requests, and a page may take that many times as long. Apart from the
site's own time limits, everything happens as on the target machine, only slower.

With --webs 2 or more, that many web processes run on PostgreSQL and Redis. The roles and the students of the class are
spread over them, and a visitor opens pages of each.

Each role is a process that reports its results regularly. A role that has not ended GRACE seconds after the end is
killed and counts as failed; its last activity is printed. At the end, each condition is printed with its figure. The
exit status is 1 if one is not met.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from itertools import cycle, islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.builders import node, pod, scenario

ROOT = Path(__file__).resolve().parents[2]
OPEN_FILES = 8192
PAGES = ("/", "/accounts/login/", "/new/", "/library/first-pod/", "/releases/", "/accounts/mine/")
LIVE = 600  # pods of a run that is followed
REGEX = "0000s" * 12 + "x"
GRACE = 240.0  # seconds after the end for the last requests, which may wait and then work up to their limit
PATIENCE = 60.0  # seconds that a client waits for an answer or a message
REPORT_SECONDS = 1.0
MAX_MS = 500.0  # the 99th percentile of other visitors' pages
MAX_GROWTH = 50  # megabytes that a process may grow beyond its largest size in its first WARM seconds
WARM = 120.0
MAX_TEMPORARY = 303  # megabytes for each web process: KSCHEDUI_MAX_BODY_BYTES is 288 MiB
LOOK_SECONDS = 5.0
UPLOAD = "upload"  # the name of processes that handle one upload each
TOGETHER = 10  # questions that the attacker sends at once


class Report(NamedTuple):
    """The results of a role so far.

    `delays`: milliseconds by what was measured. `counts`: number of events by name. `lost`: descriptions of lost data.
    `failed`: descriptions of failures. `doing`: one item, the current activity.
    """

    delays: dict[str, list[float]]
    counts: Counter[str]
    lost: list[str]
    failed: list[str]
    doing: list[str]

    @classmethod
    def empty(cls) -> Report:
        return cls(defaultdict(list), Counter(), [], [], ["starting"])

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Measure how long the block takes."""
        self.doing[-1], begun = name, time.perf_counter()
        yield
        self.delays[name].append(1000 * (time.perf_counter() - begun))


class Seconds:
    """`slowed`: the seconds on this machine for a second on the target machine."""

    slowed = 1.0


def slower(seconds: float) -> float:
    """Return the seconds on this machine for these seconds on the target machine."""
    return Seconds.slowed * seconds


class Role(NamedTuple):
    """A process, and the receiving end of the pipe for its reports."""

    name: str
    process: Any
    reports: Connection


def main() -> None:
    """Start the stack and all roles; print the results."""
    options = argparse.ArgumentParser(description=__doc__)
    numbers = {"minutes": 10.0, "viewers": 200, "students": 300, "editors": 10, "webs": 1, "slowed": 1.0}
    for name, default in numbers.items():
        options.add_argument(f"--{name}", type=type(default), default=default)
    options.add_argument("--without", nargs="*", default=(), help="roles: watch teach edit burden attack harm")
    chosen = options.parse_args()
    Seconds.slowed = chosen.slowed
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    from kschedui.supervisor.ports import free_port
    from tests.bench.bench_viewers import start_web
    from tests.bench.machine import describe_machine
    from tests.conftest import run_manage

    print(describe_machine(), flush=True)
    with servers_of(chosen.webs) as stack:
        run_manage(stack.env, "migrate", "--verbosity", "0")
        run_manage(stack.env, "load_library", "--verbosity", "0")
        stack.start_workers(runs=2, experiments=1)
        stack.start_web("127.0.0.1", free_port())
        urls = [stack.wait(), *(start_web(stack, f"web {number}")[0] for number in range(2, chosen.webs + 1))]
        good = measure(stack, urls, chosen)
    print(describe_machine())
    sys.exit(0 if good else 1)


@contextmanager
def servers_of(webs: int) -> Iterator[Any]:
    """Yield a stack with SQLite and the embedded broker for one web process, else with PostgreSQL and Redis."""
    from kschedui.supervisor.stack import Stack
    from tests.web.postgres import postgres_server
    from tests.web.redis_server import redis_server

    with ExitStack() as servers:
        folder = Path(servers.enter_context(tempfile.TemporaryDirectory()))
        env = {"KSCHEDUI_DATA_DIR": str(folder), "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3"}
        if webs > 1:
            env["DATABASE_URL"] = servers.enter_context(postgres_server(folder))
            env["REDIS_URL"] = servers.enter_context(redis_server(folder))
        stack = servers.enter_context(Stack(env, folder))
        if webs == 1:
            stack.start_broker()
        yield stack


def measure(stack: Any, urls: list[str], chosen: Any) -> bool:
    """Run every role in a process of its own, and print the figures. Return whether all conditions are met."""
    end, each = time.time() + 60 * chosen.minutes, cycle(urls)
    parts: list[tuple[Any, ...]] = [(visit, url, end) for url in urls]
    parts += [(watch, next(each), end, chosen.viewers), (teach, urls, end, chosen.students, stack.env)]
    parts += [(edit, next(each), end, i) for i in range(chosen.editors)]
    parts += [(burden, next(each), end, i) for i in range(5)] + [(attack, next(each), end)]
    parts += [(harm, next(each), end, i) for i in range(5)]
    roles = [begin(*part) for part in parts if part[0].__name__ not in chosen.without]
    sizes = Sizes(stack, min(WARM, 60 * chosen.minutes / 4))
    reports = collect_reports(roles, end + GRACE, sizes)
    played: dict[str, list[Report]] = {}
    for role, report in zip(roles, reports, strict=True):
        played.setdefault(role.name, []).append(report)
    for name, seen in played.items():
        show(name, seen)
    sizes.show()
    return judge(played, sizes, chosen)


def judge(played: dict[str, list[Report]], sizes: Sizes, chosen: Any) -> bool:
    """Print each condition with its figure. Return whether all are met."""
    troubles = {
        name: [one for report in seen for one in (*report.lost, *report.failed)] for name, seen in played.items()
    }
    counts = {name: sum((report.counts for report in seen), Counter[str]()) for name, seen in played.items()}
    pages = [delay for report in played["visit"] for delay in report.delays["pages"]]
    temporary = chosen.webs * MAX_TEMPORARY
    most, p99 = slower(MAX_MS), percentile(pages, 99)
    grown, process = sizes.most_growth()
    met = {
        f"nothing is lost and nobody fails: {sum(map(len, troubles.values()))}": not any(troubles.values()),
        f"p99 of other visitors' pages at most {most:.0f} ms: {p99:.0f} ms of {len(pages)}": bool(pages)
        and p99 <= most,
        f"no process grows by more than {MAX_GROWTH} MB: {grown:+} MB ({process})": grown <= MAX_GROWTH,
        f"temporary files take at most {temporary} MB: {sizes.temporary} MB": sizes.temporary <= temporary,
    }
    if "watch" in played:
        complete = counts["watch"]["complete and in order"]
        sentence = f"every viewer of a live run got all of it in order: {complete}, {chosen.viewers} at a time"
        met[sentence] = complete >= chosen.viewers and not troubles["watch"]
    if "teach" in played:
        steps, answers = counts["teach"]["steps"], counts["teach"]["answers counted"]
        sentence = f"the class is complete: {answers} answers of {chosen.students} students, {steps} steps"
        met[sentence] = answers == chosen.students and not troubles["teach"]
    print(f"\nDone when, after {chosen.minutes:g} minutes:")
    for sentence, yes in met.items():
        print(f"    {'met    ' if yes else 'NOT MET'}  {sentence}")
    return all(met.values())


def percentile(delays: list[float], part: int) -> float:
    """Return a percentile of the delays; 0.0 without delays."""
    if len(delays) < 2:
        return max(delays, default=0.0)
    return statistics.quantiles(delays, n=100, method="inclusive")[part - 1]


def begin(function: Any, *about: Any) -> Role:
    """Start a role in a process, and return it."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=play, args=(theirs, function, *about))
    process.start()
    theirs.close()
    return Role(function.__name__, process, ours)


def play(reports: Connection, function: Any, *about: Any) -> None:
    """Run a role in its own process group, and send its report regularly until it ends."""
    os.setpgid(0, 0)  # not a session: see kschedui/supervisor/child.py
    if function is not visit:
        os.nice(5)
    report, over = Report.empty(), threading.Event()

    def send_reports() -> None:
        while not over.wait(REPORT_SECONDS):
            with suppress(RuntimeError, OSError):  # if it changed while it was pickled, the next one is sent
                reports.send(report)

    sender = threading.Thread(target=send_reports, daemon=True)
    sender.start()
    try:
        function(report, *about)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        report.failed.append(f"{error!r} in {where.name}, while: {report.doing[-1]}")
    over.set()
    sender.join()
    report.doing[-1] = "over"
    reports.send(report)


def collect_reports(roles: list[Role], most: float, sizes: Sizes) -> list[Report]:
    """Return the last report of each role. A role that still runs at the time `most` is killed and counts as failed."""
    last = {role.name + str(number): Report.empty() for number, role in enumerate(roles)}
    names = dict(zip((role.reports for role in roles), last, strict=True))
    open_ends = list(names)
    while open_ends and time.time() < most:
        for reports in wait(open_ends, timeout=1):
            assert isinstance(reports, Connection)
            try:
                last[names[reports]] = reports.recv()
            except EOFError:
                open_ends.remove(reports)
        sizes.look()
    for role, report in zip(roles, last.values(), strict=True):
        if report.doing[-1] != "over":
            report.failed.append(f"did not end; it was doing: {report.doing[-1]}")
        with suppress(ProcessLookupError):
            os.killpg(role.process.pid, signal.SIGKILL)
        role.process.join()
    return list(last.values())


def show(name: str, reports: list[Report]) -> None:
    """Print the results of all processes of a role."""
    counts = sum((report.counts for report in reports), Counter[str]())
    lost = [one for report in reports for one in report.lost]
    failed = [one for report in reports for one in report.failed]
    print(f"{name}: {dict(counts)}, lost: {len(lost)}, failed: {len(failed)}")
    for what in dict.fromkeys(what for report in reports for what, delays in report.delays.items() if delays):
        delays = [one for report in reports for one in report.delays[what]]
        figures = f"p50 {percentile(delays, 50):.0f} ms, p99 {percentile(delays, 99):.0f} ms, most {max(delays):.0f} ms"
        print(f"    {what}: {len(delays)} times, {figures}")
    for one in (*lost[:10], *failed):
        print(f"    LOST OR FAILED: {one}")
    sys.stdout.flush()


class Sizes:
    """Megabytes of each process of the site, read every five seconds, and its processor seconds at the last reading.

    Growth is relative to the largest size in the first `warm` seconds, in which a process does each kind of its work
    once. Processes that answer a single upload and then end have no growth: only their largest size is shown.
    """

    def __init__(self, stack: Any, warm: float) -> None:
        self.stack = stack
        self.warm = max(1, int(warm / LOOK_SECONDS))  # looks
        self.next = 0.0
        self.temporary = 0  # megabytes of temporary files at most
        self.seen: dict[str, list[int]] = {}
        self.seconds: dict[str, float] = {}

    def look(self) -> None:
        """Read the sizes, at most once in LOOK_SECONDS."""
        from tests.bench.bench_stream import cpu_seconds
        from tests.processes import descendants

        if time.time() < self.next:
            return
        self.next = time.time() + LOOK_SECONDS
        self.temporary = max(self.temporary, self.temporary_megabytes())
        for name, child in list(self.stack.children.items()):
            family = descendants(child.group)
            forkservers = {one.pid for one in family if "forkserver" in one.command}
            uploads = {one.pid for one in family if name == "worker" and one.parent in forkservers}
            for process in (child.group, *(one.pid for one in family)):
                key = f"{UPLOAD if process in uploads else name} {process}"
                with suppress(OSError, StopIteration):
                    lines = Path(f"/proc/{process}/status").read_text().splitlines()
                    size = next(int(one.split()[1]) // 1024 for one in lines if one.startswith("VmRSS"))
                    self.seen.setdefault(key, []).append(size)
                    self.seconds[key] = cpu_seconds(process)

    def temporary_megabytes(self) -> int:
        """Return the size of the stack's temporary files, and of deleted ones that web processes have open."""
        folder, total = self.stack.temporary.path, 0
        webs = [child.group for name, child in self.stack.children.items() if name.startswith("web")]
        opened = [file for web in webs for file in Path(f"/proc/{web}/fd").iterdir()]
        for file in (*folder.rglob("*"), *opened):
            with suppress(OSError):
                if str(file).startswith(str(folder)) or os.readlink(file).startswith(str(folder)):
                    total += file.stat().st_size
        return total // 1_000_000

    def show(self) -> None:
        """Print the growth of each lasting process, and the largest size of the short-lived ones."""
        for name, sizes in self.lasting().items():
            begun, most = max(sizes[: self.warm]), max(sizes)
            growth = f"at first {begun} MB, at most {most} MB ({self.growth(sizes):+}), at the end {sizes[-1]}"
            print(f"{name:>24}: {growth}; {self.seconds[name]:.0f} s of processor time")
        uploads = {name: max(sizes) for name, sizes in self.seen.items() if name.startswith(UPLOAD)}
        short = [max(sizes) for name, sizes in self.seen.items() if name not in {*uploads, *self.lasting()}]
        for kind, most_of in (("uploads", [*uploads.values()]), ("other short ones", short)):
            print(f"{kind:>24}: {len(most_of)}, at most {max(most_of, default=0)} MB")

    def lasting(self) -> dict[str, list[int]]:
        """Return the sizes of processes that ran for longer than the first `warm` seconds, without those of uploads."""
        return {
            name: sizes for name, sizes in self.seen.items() if len(sizes) > self.warm and not name.startswith(UPLOAD)
        }

    def growth(self, sizes: list[int]) -> int:
        """Return by how many megabytes a lasting process grew."""
        return max(sizes[self.warm :]) - max(sizes[: self.warm])

    def most_growth(self) -> tuple[int, str]:
        """Return the largest growth of all lasting processes in megabytes, and the name of the process."""
        return max(((self.growth(sizes), name) for name, sizes in self.lasting().items()), default=(0, "none"))


class Client:
    """A browser with an address of its own."""

    def __init__(self, url: str, address: str) -> None:
        self.host = urlsplit(url).netloc
        self.address = address
        self.cookies: dict[str, str] = {}

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Send a request, follow the redirects of a GET, and return status and body."""
        connection = HTTPConnection(self.host, timeout=300, source_address=(self.address, 0))
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body is not None:
            headers |= {"Content-Type": "application/json", "Referer": f"http://{self.host}/"}
            headers["X-CSRFToken"] = self.cookies.get("kschedui_csrf", "")
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        for header in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = header.partition(";")[0].partition("=")
            self.cookies[name] = value
        if method == "GET" and answer.status == 302:
            return self.send("GET", answer.headers["Location"])
        return answer.status, content

    def post(self, path: str, **body: Any) -> tuple[int, bytes]:
        """Send JSON with the CSRF token. Return status and body."""
        if "kschedui_csrf" not in self.cookies:
            self.send("GET", "/new/")
        return self.send("POST", path, body)


def visit(report: Report, url: str, end: float) -> None:
    """Open pages, as another visitor of the site."""
    client = Client(url, "127.0.9.9")
    while time.time() < end:
        path = random.choice(PAGES)
        begun = time.perf_counter()
        with report.measured("pages"):
            status, _ = client.send("GET", path)
        report.delays[path].append(1000 * (time.perf_counter() - begun))
        report.counts[f"{status}"] += 1
        if status != 200:
            report.lost.append(f"{path}: {status}")
        time.sleep(slower(0.25))


def watch(report: Report, url: str, end: float, viewers: int) -> None:
    """Save live runs one after another; all viewers follow each of them to its end."""
    owner = Client(url, "127.0.2.1")

    def begin_run(number: int) -> str:
        nodes = (node(f"n{i}", cpu=32, zone=f"z{i % 3}") for i in range(50))
        made = scenario(*nodes, *(pod(f"r{number}-{i}", cpu="500m") for i in range(LIVE)))
        with report.measured("save"):
            status, answer = owner.post("/api/v1/scenarios", text=made)
        report.counts[f"save {status}"] += 1
        return str(json.loads(answer)["run"]) if status == 201 else ""

    async def everybody() -> None:
        number = 0
        while time.time() < end:
            run = await asyncio.to_thread(begin_run, number)
            number += 1
            if not run:
                await asyncio.sleep(slower(5))
                continue
            report.doing[-1] = f"following run {number}"
            await asyncio.gather(*(follow(report, url, run, i) for i in range(viewers)))
            await asyncio.sleep(slower(2))

    asyncio.run(everybody())


async def follow(report: Report, url: str, run: str, viewer: int) -> None:
    """Follow a run: every chunk must arrive, in order, until the end."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import WebSocketException

    from kschedui.runs import frames

    address = "ws://" + urlsplit(url).netloc + "/ws/run/"
    options: dict[str, Any] = {"compression": None, "max_size": None, "ping_interval": None, "open_timeout": PATIENCE}
    options["local_addr"] = (f"127.0.3.{1 + viewer % 200}", 0)
    begun, taken = time.perf_counter(), 0
    try:
        async with connect(address, origin=url, **options) as socket:  # type: ignore[arg-type]
            await socket.send(json.dumps({"type": "subscribe", "run": run, "cursor": 0}))
            while True:
                async with asyncio.timeout(4 * PATIENCE):
                    message = await socket.recv()
                if isinstance(message, bytes):
                    if not taken:
                        report.delays["to the first chunk"].append(1000 * (time.perf_counter() - begun))
                    assert frames.header_of(message).seq == taken, "out of order"
                    taken += 1
                elif (said := json.loads(message))["type"] == "end":
                    assert (said["chunks"], said["state"]) == (taken, "done"), said
                    report.counts["complete and in order"] += 1
                    return
    except (OSError, WebSocketException, AssertionError) as error:  # TimeoutError is an OSError
        report.lost.append(f"viewer {viewer} of run {run}, chunk {taken}: {error!r}")


def teach(report: Report, urls: list[str], end: float, students: int, env: dict[str, str]) -> None:
    """Teach a class with a step every two seconds, and check that all answers are counted."""
    from tests.bench import bench_class
    from tests.web.visitor import Visitor

    teacher = Visitor(urls[0])
    report.doing[-1] = "starting a class"
    run = teacher.save(scenario(node("n"), pod("taught")))
    teacher.wait_for(run, "done")
    code = bench_class.start_class(teacher, run)
    bench_class.STEP_SECONDS = slower(2.0) / 1.1
    command = [sys.executable, bench_class.__file__, bench_class.STUDENT_PROCESS, ",".join(urls), code, str(students)]
    report.doing[-1] = "students joining"
    begun = time.time()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline().strip() == "ready", "the students could not join"
            report.delays["all joining"].append(1000 * (time.time() - begun))
            report.doing[-1] = "teaching"
            steps = max(5, int((end - time.time()) / slower(2)))
            taught = asyncio.run(bench_class.drive(teacher, code, students, steps))
            report.lost.extend(taught.missing)
            report.doing[-1] = "hearing from the students"
            came = bench_class.results_of(process)
        finally:
            process.kill()
    for delays in came["steps"]:
        report.delays["to a student"].extend(1000 * (at - taught.sent[int(step)]) for step, at in delays.items())
    last, kept = str(len(taught.sent) - 1), set().union(*came["steps"])
    report.counts["answers counted"] = sum(taught.counted.values())
    report.counts["the teacher connected again"] = taught.reconnects
    report.counts.update(
        {"students": students, "steps": len(taught.sent), "steps left out": len(taught.sent) - len(kept)}
    )
    for number, delays in enumerate(came["steps"]):
        if missing := sorted(kept - delays.keys(), key=int):
            where = "the last among them" if last in missing else "not the last"
            report.lost.append(f"student {number}: {len(missing)} of {len(kept)} steps, {where}: {missing[:5]}")
    report.lost.extend(came["lost"])
    if taught.counted != Counter(came["choices"]):
        report.lost.append(f"answers: {sum(taught.counted.values())} of {len(came['choices'])} counted")


def edit(report: Report, url: str, end: float, number: int) -> None:
    """Edit a scenario: a check every two seconds, a version every ten checks."""
    client, kept, turn = Client(url, f"127.0.4.{1 + number}"), 0, 0
    _, answer = client.post("/api/v1/scenarios", text=text_of(number, 0))
    sid = json.loads(answer)["id"]
    while time.time() < end:
        turn += 1
        with report.measured("check"):
            status, _ = client.post("/api/v1/check", text=text_of(number, turn))
        report.counts[f"check {status}"] += 1
        if turn % 10 == 0:
            with report.measured("save"):
                status, _ = client.post(f"/api/v1/scenarios/{sid}/versions", text=text_of(number, turn), base=1 + kept)
            kept += status == 201
            report.counts[f"save {status}"] += 1
        time.sleep(slower(2))
    newest = json.loads(client.send("GET", f"/api/v1/scenarios/{sid}/versions")[1])[0]["number"]
    if newest != 1 + kept:
        report.lost.append(f"editor {number} saved {1 + kept} versions; the newest is {newest}")


def text_of(number: int, turn: int) -> str:
    """Return a small scenario."""
    return scenario(*(node(f"n{i}") for i in range(10)), *(pod(f"e{number}-{turn}-{i}") for i in range(20)))


def burden(report: Report, url: str, end: float, number: int) -> None:
    """Send the largest allowed requests, one after another, and poll the uploads that were accepted."""
    client = Client(url, f"127.0.5.{1 + number}")
    large = scenario(*(node(f"n{i}") for i in range(1000)), *(pod(f"h{number}-{i}") for i in range(8000)))
    far = [{"at": 1_000_000, "create": pod("late")}]
    never = [pod(f"never-{i}", cpu=1000) for i in range(200)]
    endless = scenario(*(node(f"n{i}", cpu=1) for i in range(1000)), *never, events=far)
    report.counts[f"{len(large) / 1e6:.1f} MB each"] = 1
    uploads: dict[str, tuple[str, float]] = {}  # address -> (request, start) of the uploads that are not done
    while time.time() < end:
        for path, body in (("check", large), ("import", large), ("preview", endless)):
            report.doing[-1] = path
            status, answer = client.post(f"/api/v1/{path}", text=body)
            report.counts[f"{path} {status}"] += 1
            if status == 202:
                uploads[urlsplit(json.loads(answer)["url"]).path] = path, time.perf_counter()
            elif status in (429, 503):
                time.sleep(slower(1))
        for address, (path, begun) in list(uploads.items()):
            report.doing[-1] = address
            upload = json.loads(client.send("GET", address)[1])
            if (state := upload["state"]) not in ("queued", "running"):
                report.counts[f"{path} {state}"] += 1
                if state != "done":
                    report.lost.append(f"{path} {state}: {upload['error']}")
                report.delays[path].append(1000 * (time.perf_counter() - begun))
                del uploads[address]
    report.counts["still queued"] = len(uploads)


def attack(report: Report, url: str, end: float) -> None:
    """Send small requests that cause endless work: an expression, and ten questions at once about a late step of a
    cancelled run."""
    client = Client(url, "127.0.6.1")
    duration = f"""
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{{urlPrefix: 'http://x', httpTimeout: '{REGEX}'}}]
"""
    far = [{"at": 3e8, "create": pod("late")}]
    tiny = scenario(node("n1", cpu=1), *(pod(f"never-{i}", cpu=1000) for i in range(3)), events=far)
    while time.time() < end:
        with report.measured("check"):
            status, _ = client.post("/api/v1/check", text=duration)
        report.counts[f"check {status}"] += 1
        status, answer = client.post("/api/v1/scenarios", text=tiny)
        if status not in (200, 201):
            report.counts[f"save {status}"] += 1
            time.sleep(slower(1))
            continue
        saved = json.loads(answer)
        sid, run = saved["id"], saved["run"]
        client.post(f"/api/v1/runs/{run}/cancel")
        questions = {
            "attempt": f"/api/v1/runs/{run}/attempts/1000000",
            "capacity": f"/api/v1/runs/{run}/capacity?pod=default/never-0",
            "comparison": f"/compare/{sid}/1/{sid}/1/?second=1.30",
        }

        def ask(name: str, questions: dict[str, str] = questions) -> None:
            begun = time.perf_counter()
            status, _ = client.send("GET", questions[name])
            report.delays[name].append(1000 * (time.perf_counter() - begun))
            report.counts[f"{name} {status}"] += 1

        report.doing[-1] = f"{TOGETHER} questions at once"
        with ThreadPoolExecutor(TOGETHER) as pool:
            list(pool.map(ask, islice(cycle(questions), TOGETHER)))


TABLES = ("|a" * 256 + "\n" + "|-" * 256 + "\n" + "|\n" * 256 + "\n") * 13  # 65,536 cells each without a limit
STALLED = 8  # stalled uploads, and sockets that read nothing, of one address


def harm(report: Report, url: str, end: float, number: int) -> None:
    """Attack the site: descriptions with tables, long texts in lists, sockets that read nothing of a deleted run,
    stalled uploads.

    Refusals are counted; `visit` and `watch` judge whether others are served.
    """
    client = Client(url, f"127.0.7.{1 + number}")
    client.send("GET", "/new/")
    with ThreadPoolExecutor(STALLED) as pool:
        while time.time() < end:
            report.doing[-1] = "stalled uploads"
            stalled = list(pool.map(lambda _: stall(client), range(STALLED)))
            for description in (TABLES[:20_000], "word " * 4_000, "word " * 180_000):
                report.doing[-1] = "descriptions"
                text = scenario(node("n1"), pod("a"), description=description)
                status, answer = client.post("/api/v1/scenarios", text=text, visibility="public")
                report.counts[f"save {status}"] += 1
                if status == 201:
                    saved = json.loads(answer)
                    for path in (f"/s/{saved['id']}/v/1/", "/", "/api/v1/scenarios"):
                        with report.measured("page of it"):
                            report.counts[f"page {client.send('GET', path)[0]}"] += 1
                    report.doing[-1] = "deaf sockets"
                    deaf = [deaf_socket(client, saved["run"], cursor) for cursor in range(STALLED)]
                    status, _ = client.send("DELETE", f"/api/v1/scenarios/{saved['id']}", {})
                    report.counts[f"delete {status}"] += 1
                    time.sleep(slower(2))
                    for one in filter(None, deaf):
                        one.close()
                else:
                    time.sleep(slower(1))
            for one in filter(None, stalled):
                report.counts["upload refused" if is_answered(one) else "upload stalls"] += 1
                one.close()


def connect_narrowly(client: Client) -> socket.socket:
    """Return a connection of the client with a small receive buffer, so that the system accepts little data for it."""
    host, _, port = client.host.partition(":")
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    made.bind((client.address, 0))
    made.settimeout(PATIENCE)
    made.connect((host, int(port)))
    return made


def stall(client: Client) -> socket.socket | None:
    """Start an upload of 60 MB with a CSRF token, send 20 MB and stop. Return the socket, or None if it failed."""
    try:
        made = connect_narrowly(client)
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        lines = ["POST /api/v1/import HTTP/1.1", f"Host: {client.host}", "Content-Length: 60000000"]
        lines += ["Content-Type: application/json", f"Cookie: {cookies}", f"Referer: http://{client.host}/"]
        lines += [f"X-CSRFToken: {client.cookies.get('kschedui_csrf', '')}", "", ""]
        made.sendall("\r\n".join(lines).encode())
        for _ in range(20):
            made.sendall(b" " * 1_000_000)
    except OSError:
        return None
    return made


def is_answered(upload: socket.socket) -> bool:
    """Return whether the site has answered, or has closed the connection."""
    upload.setblocking(False)
    try:
        upload.recv(100)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def deaf_socket(client: Client, run: str, cursor: int) -> socket.socket | None:
    """Subscribe to a run and read nothing. Return the socket, or None if it failed."""
    lines = ["GET /ws/run/ HTTP/1.1", f"Host: {client.host}", f"Origin: http://{client.host}", "Upgrade: websocket"]
    lines += ["Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    message = json.dumps({"type": "subscribe", "run": run, "cursor": cursor}).encode()
    try:
        made = connect_narrowly(client)
        made.sendall("\r\n".join([*lines, "", ""]).encode())
        made.recv(4096)
        made.sendall(bytes((0x81, 0x80 | len(message))) + bytes(4) + message)  # masked by zeros
    except OSError:
        return None
    return made


if __name__ == "__main__":
    main()
