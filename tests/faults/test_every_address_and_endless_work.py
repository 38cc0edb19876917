"""Every address answers a request about a tiny scenario with an extremely long run, within its limits.

Each answers with a result or a sentence, for no more processor time than the limits allow, and the web process leaves
the work to other processes.

The addresses come from the URL configuration. The assertions are about processor time, which other load of the machine
does not change.
"""

import json
import os
import re
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPMessage
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest

from kschedui.supervisor.stack import Stack
from tests import stalls
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker
from tests.faults.stacks import ONE_POD, breakable
from tests.faults.test_a_class_outlives_its_web_process import Member
from tests.web.accounts.test_access_matrix import METHODS, ROUTES

NEVER = [pod(f"never-{i}", cpu=1000) for i in range(3)]
ENDLESS = scenario(node("n1", cpu=1), *NEVER, events=[{"at": 3e8, "create": pod("late")}])
LASTING = scenario(node("n1", cpu=1), *NEVER, events=[{"at": 1e6, "create": pod("late")}])
SECONDS = 1  # the limit of processor time for one request
MAX_SECONDS = SECONDS + 3  # the system counts whole seconds; a process is started, reads and writes
MAX_STALL = 250.0  # milliseconds of processor time for which a clock may stop; without the limits it would be hours
MAX_WEB_SECONDS = 1.0  # processor time of the web process itself

EDITS = {"edits": [{"type": "add-nodes", "like": "n1", "count": 2}]}
QUESTION = {"question": {"type": "reschedule"}}
BODIES: dict[str, Any] = {
    "api/v1/runs/{rid}/attempts/{attempt}/what-if": EDITS,
    "api/v1/runs/{rid}/attempts/{attempt}/keep": EDITS,
    "api/v1/runs/{rid}/operations": QUESTION,
    "api/v1/runs/{rid}/operations/keep": QUESTION,
    "api/v1/experiments": {"factors": [{"seeds": [*range(20)]}]},
    "api/v1/courses": {"title": "A course"},
    "api/v1/courses/{cid}": {"title": "A course"},
    "api/v1/scenarios/{sid}": {"title": "Endless"},
    "api/v1/scenarios/{sid}/shares": {"account": "nobody"},
    "api/v1/scenarios/{sid}/versions/{number}/notes/{step}": {"text": "a note"},
}
QUERIES = {
    "api/v1/runs/{rid}/capacity": "?pod=default/never-0",
    "api/v1/runs/{rid}/upgrade": "?to=1.30",
    "api/v1/runs/{rid}/attempts/{attempt}/weights": "?node=n1",
    "api/v1/runs/{rid}/explain/{attempt}": "?nodes=n1",
    "s/{sid}/v/{number}/capacity/": "?pod=default/never-0",
    "s/{sid}/v/{number}/operations/": "?ask=reschedule&go=1",
    "s/{sid}/v/{number}/picture.svg": "?step=100000",
    "s/{sid}/v/{number}/picture.png": "?step=100000",
    "compare/{a}/{m}/{b}/{n}/": "?second=1.30",
}
FORMS = {
    "compare/{a}/{m}/{b}/{n}/seed": "side=first&seed=7",
    "s/{sid}/v/{number}/operations/": "ask=reschedule",
    "decode/": "message=0/1+nodes+are+available:+1+Insufficient+cpu.&open=1",
}
VALUES = {
    "number": "1", "m": "1", "n": "1", "seq": "0", "attempt": "1000000", "step": "100000", "kind": "pod",
    "namespace": "default", "name": "never-0", "share_id": "1", "share": "1", "pk": "1", "uid": "a" * 12,
    "slug": "first-pod", "token": "a-token",
}  # fmt: skip
LAST = re.compile("delete|end$|revoke|logout|cancel|restore")


class Stay(urllib.request.HTTPRedirectHandler):
    """Do not follow redirects: the target is requested separately."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


def calls() -> list[tuple[str, str]]:
    """Return (method, route) of all requests; those that end or remove something are last."""
    every = [(one, route) for route in ROUTES for one in (METHODS if route.startswith("api/") else METHODS[:2])]
    return sorted(every, key=lambda call: call[0] == "DELETE" or bool(LAST.search(call[1])))


class Site(NamedTuple):
    """A running site, a visitor, and values for the parameters of routes: of a cancelled and of a finished long run."""

    stack: Stack
    visitor: Member
    endless: dict[str, str]
    lasting: dict[str, str]


@pytest.fixture(scope="module")
def site(stack_maker: StackMaker) -> Iterator[Site]:
    """Yield a site with little processor time for each request, and without rate limits."""
    kinds = ("CHECK", "READ", "RUN", "SAVE", "LOGIN", "ASK", "PAGE", "DOWNLOAD", "JOIN", "CODE", "CHUNK")
    env = {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in kinds}
    env |= {"KSCHEDUI_MAX_WORK_SECONDS": str(SECONDS), "KSCHEDUI_MAX_QUICK_SECONDS": str(SECONDS)}
    stack = breakable(stack_maker, library=True, **env)
    stalls.replace_web(stack)
    visitor = Member(stack.url)
    endless, lasting = save_and_wait(visitor, ENDLESS, "cancelled"), save_and_wait(visitor, LASTING, "done")
    run = visitor.save(ONE_POD)
    visitor.wait_for(run, "done")
    code = visitor.start(run)
    factors = [{"seeds": [1, 2]}]
    experiment = visitor.post("/api/v1/experiments", scenario=endless["sid"], version=1, factors=factors)[1]["id"]
    course = visitor.post("/api/v1/courses", title="A course", scenarios=[endless["sid"]])[1]["id"]
    visitor.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(visitor.cookies), Stay())
    known = {**VALUES, "code": code, "eid": experiment, "cid": course}
    yield Site(stack, visitor, {**known, **endless}, {**known, **lasting})
    stack.stop()


def save_and_wait(visitor: Member, text: str, state: str) -> dict[str, str]:
    """Save a scenario, wait until its run is in the state (cancelled if need be), and return the route parameters."""
    run = visitor.save(text)
    if state == "cancelled":
        visitor.wait_for(run, "running")
        visitor.post(f"/api/v1/runs/{run}/cancel")
    visitor.wait_for(run, state)
    sid = visitor.run(run)["scenario"]["id"]
    return {"rid": run, "sid": sid, "a": sid, "b": sid}


PARTS: dict[str, Callable[[str, str], bool]] = {
    "done": lambda method, route: method == "GET" and ("{sid}" in route or "{rid}" in route),
    "api": lambda method, route: route.startswith("api/"),
    "pages": lambda method, route: not route.startswith("api/"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's time in a file")
@pytest.mark.parametrize("part", PARTS)
def test_each_address_answers_within_its_limits_and_does_not_block_the_web_process(site: Site, part: str) -> None:
    values = site.lasting if part == "done" else site.endless
    wrong, rows, cost = [], [], Cost(site.stack)
    for method, route in [call for call in calls() if PARTS[part](*call)]:
        status, body = send(site.visitor, method, route, values)
        (web, seconds), (stall, where) = cost.since(), max(stalls.take(site.stack.url).values())
        rows.append((seconds, web, stall, method, route, status))
        if status >= 500 or not (status < 400 or status == 405 or has_sentence(body)):
            wrong.append((method, route, status, str(body[:200])))
        if seconds > MAX_SECONDS or web > MAX_WEB_SECONDS or stall > MAX_STALL:
            figures = f"{seconds:.1f} s, {web:.1f} s in the web process, still for {stall:.0f} ms: {where}"
            wrong.append((method, route, status, figures))
    for row in sorted(rows, reverse=True)[:12]:
        print("{:6.2f} s {:6.2f} s in the web process, still for {:4.0f} ms: {} {} {}".format(*row))
    assert wrong == []
    assert sum(row[0] > SECONDS for row in rows) > 3, "some requests would run longer without the limits"


class Cost:
    """Seconds of processor time since the last call of `since`: of the web process, and with its descendants."""

    def __init__(self, stack: Stack) -> None:
        self.process = stack.children["web"].group
        self.before = self.read()

    def read(self) -> tuple[float, float]:
        family = [self.process, *children_of(self.process)]
        return seconds_of(self.process, ended=False), sum(seconds_of(one, ended=True) for one in family)

    def since(self) -> tuple[float, float]:
        before, self.before = self.before, self.read()
        return self.before[0] - before[0], self.before[1] - before[1]


def children_of(process: int) -> Iterator[int]:
    """Yield the descendants of a process. Listing all processes, as `ps` does, would take too long."""
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (thread / "children").read_text().split()):
                yield child
                yield from children_of(child)


def seconds_of(process: int, *, ended: bool) -> float:
    """Return the processor seconds of a process; with `ended`, including its children that have ended.

    0.0 if it is gone.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11 : 15 if ended else 13])) / os.sysconf("SC_CLK_TCK")


def send(visitor: Member, method: str, route: str, values: dict[str, str]) -> tuple[int, bytes]:
    """Send a request with the values in its path and body; return status and body."""
    if "{sid}/diff" in route or "{a}/compare" in route:
        values = {**values, "a": "1", "b": "1"}  # versions
    path = "/" + route.format(**values) + (QUERIES.get(route, "") if method == "GET" else "")
    token = next((cookie.value or "" for cookie in visitor.cookies if "csrf" in cookie.name), "")
    headers = {"X-CSRFToken": token, "Referer": visitor.url}
    data = None
    if method != "GET" and route.startswith("api/"):
        headers["Content-Type"] = "application/json"
        body = BODIES.get(route, {"text": ENDLESS})
        if route == "api/v1/experiments":
            body = {**body, "scenario": values["sid"], "version": 1}
        data = json.dumps(body).encode()
    elif method != "GET":
        data = FORMS.get(route, f"text={values['sid']}&run={values['rid']}").encode()
    return visitor.send(urllib.request.Request(visitor.url + path, data, headers, method=method))


def has_sentence(body: bytes) -> bool:
    """Return whether a refusal has a sentence: that of a problem document, an error page, or a form."""
    if body.startswith(b"{"):
        return bool(json.loads(body).get("detail"))
    return b'role="alert"' in body or b'class="errors"' in body
