"""Every address answers about the largest and most awkward stored objects with little time and memory in the web
process.

The work that the web process delegates to others does not count. The addresses come from the URL configuration. Each
must answer: an address whose query, body or parameters are not listed here is refused, and fails the test. An answer
that takes longer than MAX_SECONDS is measured again together with the reference loop. The time is then scaled to the
target machine (tests/bench/machine.py), and may be WIDE times as much, because measurements of one answer differ.
"""

import gc
import json
import pickle
import re
import signal
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from time import process_time
from types import FrameType
from typing import Any, NamedTuple

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import transaction

from kschedui.models import Scenario
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.scenarios import courses
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from kschedui.work import work_pool
from kschedui.work.fetched import call
from kschedui.work.limits import too_many_seconds
from scheduler_core.scenario.fields.lesson_fields import LONGEST_TEXT, LONGEST_TEXTS, MAX_CAPTIONS, MAX_QUESTIONS
from scheduler_core.scenario.rules.expression import MAX_LENGTH
from scheduler_core.scenario.rules.reading import MAX_RULES
from tests.bench.machine import Pace
from tests.builders import node, pod, scenario
from tests.web.accounts import test_access_matrix as matrix
from tests.web.conftest import SMALL, Browser, sign_up
from tests.web.operations.test_lists_are_bounded import copied, many
from tests.web.pages.test_long_descriptions import TABLES

pytestmark = pytest.mark.slow
MAX_BYTES = 10_000_000
MAX_SECONDS, WIDE = 0.05, 2
TRIES = 5  # measurements together with the reference loop
LIMIT = "KSCHEDUI_MAX_WORK_SECONDS"
WORK_SECONDS = 1  # work that takes longer is refused with a sentence, as on a site, where the limit is higher
SOON = 0.01  # seconds
EMOJI = "\U0001f600"  # with one of these in a text, each of its characters takes four bytes of memory
LONG_NAME = "n" * 240
PIECES = 30  # of a streamed answer that are read; the others are alike
LISTED = 120  # scenarios in the lists
DIRECT = SMALL + f"\n# {EMOJI}" + "x" * 500_000  # below KSCHEDUI_MAX_DIRECT_BYTES: handled by the web process

BODIES: dict[str, Any] = {
    **matrix.BODIES,
    "api/v1/courses": {"title": "A course", "scenarios": ["{sid}"]},
    "api/v1/experiments": {"scenario": "{sid}", "version": 1, "factors": [{"seeds": [*range(100)]}]},
    "api/v1/runs/{rid}/operations": {"question": {"type": "reschedule"}},
}
QUERIES = {  # "" for routes that are not listed
    "api/v1/runs/{rid}/attempts/{attempt}/weights": ["?node={node}"],
    "api/v1/runs/{rid}/capacity": ["?pod=default/{name}"],
    "api/v1/runs/{rid}/explain/{attempt}": ["?nodes={node}"],
    "api/v1/runs/{rid}/times": ["?pods=default/{name}"],
    "api/v1/runs/{rid}/times/without": ["?pod=default/{name}&cause=gated"],
    "api/v1/runs/{rid}/upgrade": ["?to=1.30"],
    "compare/{a}/{m}/{b}/{n}/": ["?second=1.30"],
    "s/{sid}/v/{number}/capacity/": ["?pod=default/{name}"],
    "s/{sid}/v/{number}/operations/": ["?ask=reschedule&go=1"],
    "s/{sid}/v/{number}/pending/": ["", "?by=workload", "?q=w"],
    "new/": ["?from={sid}"],
}
FORMS = {
    "compare/{a}/{m}/{b}/{n}/seed": "side=first&seed=7",
    "decode/": "message=" + "0/1+nodes+are+available:+1+Insufficient+cpu.+" * 400,
    "s/{sid}/settings": "title=t&visibility=public",
}
VALUES = {**matrix.VALUES, "m": "1", "n": "1", "slug": "first-pod", "token": "a-token"}
# Addresses of objects that do not exist here, or that end something; other tests request them.
REFUSED = re.compile(
    "^api/v1/experiments$|accounts/sso|accounts/(tokens|sessions)|mine/runs|uploads/|classes/|challenge|library/|plugins/|experiments/|"
    "claim/|shares|admin/|healthz|readyz|metrics|language|releases/example|replay/|restore|accounts/login|"
    "operations/keep|autoscaling/|attempts/.*(keep|weights)|times/without|comparison|courses/.*(edit|handout)|"
    "c/.*/next|settings|runs/.*/cancel|compare/|diff/|run/|v/{number}/(operations|releases)/|handout"
)


class Meter:
    """Processor time and memory of this process, without those of `kschedui.work`, whose work other processes do."""

    def __init__(self) -> None:
        self.base, self.most = 0, 0
        self.begun, self.spent, self.seconds = 0.0, 0.0, 0.0
        self.results: dict[Any, bytes] = {}

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Measure the block: the `seconds` of its longest part, and the largest additional memory in bytes (`most`)."""
        if tracemalloc.is_tracing():
            tracemalloc.reset_peak()
            self.base, self.most = tracemalloc.get_traced_memory()[0], 0
        self.begun, self.spent, self.seconds = process_time(), 0.0, 0.0
        yield
        self.end_part()

    def end_part(self) -> None:
        """End a part: a piece of a streamed answer is sent, and others are served before the next."""
        self.look()
        self.seconds = max(self.seconds, self.spent + process_time() - self.begun)
        self.begun, self.spent = process_time(), 0.0

    def look(self) -> None:
        """Record the current memory."""
        if tracemalloc.is_tracing():
            self.most = max(self.most, tracemalloc.get_traced_memory()[1] - self.base)

    def work(self, client: object, wish: object, function: Callable[..., Any], *args: Any) -> Any:
        """Replace `work_pool.run`: the work does not count, and is done once.

        Unpickling its result counts, because it comes through a pipe.
        """
        self.look()
        self.spent += process_time() - self.begun
        key = function.__qualname__, re.sub(rb"/tmp/[\w/-]+", b"", pickle.dumps(args))  # a body is in a file
        if key not in self.results:
            assert not tracemalloc.is_tracing(), "this work depends on something other than its arguments"
            self.results[key] = worked(function, args)
        if tracemalloc.is_tracing():
            tracemalloc.reset_peak()
        self.begun = process_time()
        result = pickle.loads(self.results[key])
        if isinstance(result, Exception):
            raise result
        return result


def worked(function: Callable[..., Any], args: Any) -> bytes:
    """Do the work, and return its pickled result or error. Only in the main thread, its time is limited."""

    def end(number: int, frame: FrameType | None) -> None:
        if is_finalizing(frame):  # an error would be lost there
            signal.setitimer(signal.ITIMER_PROF, SOON)
        else:
            raise too_many_seconds(WORK_SECONDS, LIMIT)

    timed = threading.current_thread() is threading.main_thread()
    if timed:
        signal.signal(signal.SIGPROF, end)
        signal.setitimer(signal.ITIMER_PROF, WORK_SECONDS)
    try:
        return pickle.dumps(call(function, args))
    except Exception as error:
        return pickle.dumps(error)
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)


def is_finalizing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == weakref.__file__ or frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def large() -> str:
    """Return a scenario with the largest number of nodes, long names, and pods of which some are pending."""
    host = {"kubernetes.io/hostname": "h"}
    nodes = [node(f"{LONG_NAME}-{i}", cpu=1, zone=f"z{i % 50}", labels=host) for i in range(5000)]
    placed = [pod(f"{LONG_NAME}-{i}", cpu="900m", node=f"{LONG_NAME}-{i}") for i in range(4000)]
    return scenario(*nodes, *placed, *(pod(f"w{i:04}-{LONG_NAME}", cpu=1 + i % 2) for i in range(1500)))


def wordy() -> str:
    """Return a scenario with all free texts at their maximum length, of characters that become longer when escaped."""
    sentence = "&" * (LONGEST_TEXT - 1) + EMOJI
    about = {"attempt": 1, "event": "PodBound", "en": sentence, "zh": sentence}
    question = {**about, "kind": "pod", "event": "CycleStarted"}
    long = "&" * (MAX_LENGTH - 50)
    plugin = {"filter": f"pod.metadata.name != '{long}'", "message": f"'{long}'"}
    kind = {"apiVersion": "kschedui.io/v1alpha1", "kind": "SchedulerPlugin"}
    rules = [{**kind, "metadata": {"name": f"Rule{i}"}, "spec": plugin} for i in range(MAX_RULES)]
    both = {name: {"en": "&" * most, "zh": "&" * most} for name, most in LONGEST_TEXTS.items()}
    lesson = {"lookAt": both["lookAt"], "captions": [about] * MAX_CAPTIONS, "questions": [question] * MAX_QUESTIONS}
    words = {"title": both["title"], "description": {"en": TABLES[:20_000], "zh": "a&" * 10_000}, "lesson": lesson}
    return scenario(*rules, node("n1"), pod("a"), pod("b"), pod("big", cpu=99), **words)


def long() -> str:
    """Return a scenario with the maximum number of characters."""
    text = scenario(node("n1"), pod("a")) + f"\n# {EMOJI}"
    return text + "x" * (24_000_000 - len(text))


WORST = {
    "large": (large, {"name": f"w0001-{LONG_NAME}", "node": f"{LONG_NAME}-1"}),
    "wordy": (wordy, {"name": "big", "node": "n1"}),
    "long": (long, {"name": "a", "node": "n1"}),
}


@pytest.fixture(autouse=True)
def garbage_as_in_a_web_process() -> Iterator[None]:
    """Collect garbage as rarely as kschedui/asgi.py does, and not the objects of earlier tests."""
    often = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    yield
    gc.set_threshold(*often)
    gc.unfreeze()


class Site(NamedTuple):
    """A visitor with stored objects, and the values for the parameters of the addresses."""

    owner: Browser
    user: User
    values: dict[str, str]


@pytest.fixture(params=WORST)
def site(request: pytest.FixtureRequest, author: Browser, settings: Any) -> Site:
    """Return a site with a scenario of two versions and a run, and lists of equally large scenarios."""
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    sign_up(author, "ada")
    user = User.objects.get()
    make, names = WORST[request.param]
    made = scenarios.create(Visitor(user), make(), visibility="public")
    run = runs.start_run(made)
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.state == "done", run.error
    if request.param != "long":
        kept = [Scenario(owner=user, title="&" * 200, visibility="public") for _ in range(LISTED)]
        many(iter(kept))
        many(copied(made, scenario=one, number=1) for one in Scenario.objects.filter(versions=None))
    copied(made, number=2).save()
    sid = made.scenario.public_id
    cid = courses.create(Visitor(user), "A course", "&" * 2000, [sid]).public_id
    code = author.post(f"/s/{sid}/v/1/class", {"run": run.public_id}).headers["Location"].split("/")[2]
    ids = {"sid": sid, "a": sid, "b": sid, "rid": run.public_id, "cid": cid, "code": code, "eid": "x"}
    return Site(author, user, {**VALUES, **ids, **names})


def test_the_web_process_itself_does_little_for_the_worst_that_is_stored(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter, pace, wrong, rows = Meter(), Pace(), [], []
    monkeypatch.setattr(work_pool, "run", meter.work)
    for method, route, query in requests():
        status, seconds, too_long = min(ask(site, meter, method, route, query) for _ in range(2))
        if status == 405:
            continue
        if seconds > MAX_SECONDS:
            seconds = min(pace.scaled(lambda: ask(site, meter, method, route, query)[1]) for _ in range(TRIES))  # noqa: B023
        tracemalloc.start()
        ask(site, meter, method, route, query)
        tracemalloc.stop()
        rows.append((seconds, meter.most, status, method, route + query))
        if status == 500 or (status >= 400 and not too_long and not REFUSED.search(route)):
            wrong.append((method, route, query, status))
        if meter.most > MAX_BYTES or seconds > WIDE * MAX_SECONDS:
            wrong.append((method, route, query, status, f"{1000 * seconds:.0f} ms, {meter.most:,} bytes"))
    for place_in_row in range(2):
        for row in sorted(rows, key=lambda row: -row[place_in_row])[:5]:
            print("{:6.3f} s {:12,} bytes {} {} {}".format(*row))
    assert not wrong, "\n".join(map(str, wrong))
    assert sum(row[2] < 400 for row in rows) > 90


def requests() -> Iterator[tuple[str, str, str]]:
    """Yield the (method, route, query) of each request."""
    for route in matrix.ROUTES:
        yield from (("GET", route, query) for query in QUERIES.get(route, [""]))
        others = [method for method in matrix.METHODS if method != "GET"]
        yield from ((method, route, "") for method in (others if route.startswith("api/") else others[:1]))


def ask(site: Site, meter: Meter, method: str, route: str, query: str) -> tuple[int, float, bool]:
    """Send a request and undo its changes.

    Return status, seconds in this process, and whether the work exceeded its limit.
    """
    values = {**site.values, **({"a": "1", "b": "2"} if "{sid}/diff" in route or "{a}/compare" in route else {})}
    path = f"/{route}{query}".format(**values)
    form = FORMS.get(route, "")
    kind = "application/json" if route.startswith("api/") else "application/x-www-form-urlencoded"
    if kind.endswith("json"):
        form = json.dumps(BODIES.get(route, {"text": DIRECT})).replace("{sid}", values["sid"])
    site.owner.force_login(site.user)
    with transaction.atomic():
        with meter.measuring():
            answer = site.owner.generic(method, path, "" if method == "GET" else form, kind)
            read(answer, meter)
        transaction.set_rollback(True)
    return answer.status_code, meter.seconds, not answer.streaming and LIMIT.encode() in answer.content


def read(answer: Any, meter: Meter) -> None:
    """Read at most PIECES pieces of a streamed answer, each of which is measured as a part."""

    async def read_pieces() -> None:
        pieces = 0
        async with aclosing(answer.streaming_content) as content:
            async for _ in content:
                meter.end_part()
                pieces += 1
                if pieces == PIECES:
                    break

    if answer.streaming:
        async_to_sync(read_pieces)()
