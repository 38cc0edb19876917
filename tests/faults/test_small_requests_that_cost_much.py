"""Requests that need much processor time, several at once: the web process delegates them, and still serves others.

The assertions are about processor time, which other load of the machine does not change; the delays are printed (`-s`).
"""

import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import quantiles
from threading import Event
from typing import Any
from urllib.parse import urlencode

import pytest

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker
from tests.faults.stacks import SMALL, breakable, cpu_seconds, megabytes
from tests.web.visitor import Visitor

SECONDS = 4.0
FEWEST = 10  # requests for the login page, also on a slow machine
ATTACKERS = 4
MAX_SECONDS = 0.25  # processor time of the web process for each request; an attack takes 6 to 120 s elsewhere

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
LINES = [f"{i % 170}" for i in range(14_000)], [f"{i % 171}" for i in range(14_000)]
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}]}}
REPLICAS = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}
LARGE = scenario(*(node(f"n{i}") for i in range(1000)), *(pod(f"p{i}", cpu="10m") for i in range(2000)))


@pytest.fixture(scope="module")
def stack(stack_maker: StackMaker) -> Any:
    """Yield a stack for this file, without rate limits."""
    rates = {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("CHECK", "READ", "RUN", "SAVE", "LOGIN")}
    made = breakable(stack_maker, **rates)
    yield made
    made.stop()


def compare(visitor: Visitor) -> Callable[[], tuple[int, Any]]:
    """Return a request to compare two texts whose lines make difflib compare each pair."""
    text = SMALL + "".join(f"\n# {line}" for line in LINES[0])
    status, saved = visitor.post("/api/v1/scenarios", text=text)
    assert status == 201, saved
    other = SMALL + "".join(f"\n# {line}" for line in LINES[1])
    return lambda: visitor.post(f"/api/v1/scenarios/{saved['id']}/versions/1/compare", text=other)


def replicas(visitor: Visitor) -> Callable[[], tuple[int, Any]]:
    """Return a request with a Deployment of 10^9 replicas."""
    made = {**REPLICAS, "spec": {"replicas": 10**9, "template": TEMPLATE}}
    return lambda: visitor.post("/api/v1/import", text=scenario(node("n1"), made))


def taints(visitor: Visitor) -> Callable[[], tuple[int, Any]]:
    """Return a request with a node that has 60,000 taints."""
    listed = "".join(f"  - {{key: k{i}, effect: NoSchedule}}\n" for i in range(60_000))
    return lambda: visitor.post("/api/v1/check", text=f"{NODE}spec:\n  taints:\n{listed}")


def flat(visitor: Visitor) -> Callable[[], tuple[int, Any]]:
    """Return a request with a list of four million numbers."""
    return lambda: visitor.post("/api/v1/check", text="[" + "1," * 4_000_000 + "1]")


def late(visitor: Visitor) -> Callable[[], tuple[int, Any]]:
    """Return a request for the explanation of a late step on a thousand nodes."""
    run = visitor.save(LARGE)
    visitor.wait_for(run, "done", "failed")
    return lambda: visitor.get(f"/api/v1/runs/{run}/explain/1990?nodes=n1")


def passwords(visitor: Visitor) -> Callable[[], tuple[int, Any]]:
    """Return a login request for an account that does not exist; the password is hashed many times all the same."""
    visitor.get("/accounts/login/")
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    form = urlencode({"username": "nobody", "password": "guess", "csrfmiddlewaretoken": token}).encode()
    asked = urllib.request.Request(f"{visitor.url}/accounts/login/", form, {"Referer": visitor.url})
    return lambda: visitor.send(asked)


@pytest.mark.parametrize(
    "attack", [compare, replicas, taints, flat, late, passwords], ids=lambda attack: attack.__name__
)
def test_the_login_page_is_served_during_an_attack(stack: Stack, attack: Callable[..., Any]) -> None:
    *visitors, other = [Visitor(stack.url) for _ in range(ATTACKERS + 1)]
    attackers = visitors[:1] if attack is late else visitors  # each POST needs a CSRF token of its own
    sends = [attack(visitor) for visitor in attackers] * (ATTACKERS // len(attackers))
    web, over = stack.children["web"].group, Event()
    before = cpu_seconds(web)
    with ThreadPoolExecutor(ATTACKERS) as pool:
        running = [pool.submit(keep_on, send, over) for send in sends]
        delays = logins(other)
        over.set()
        answers = [status for one in running for status in one.result()]
    each = (cpu_seconds(web) - before) / sum(visitor.requests for visitor in [*visitors, other])
    p50, p99 = quantiles(delays, n=100)[49], quantiles(delays, n=100)[98]
    print(
        f"\n{attack.__name__}: login p50 {1000 * p50:.0f} ms, p99 {1000 * p99:.0f} ms of {len(delays)}; answers "
        f"{sorted(set(answers))}; web process {megabytes(web)} MB, {1000 * each:.0f} ms of processor time a request"
    )
    assert set(answers) <= {200, 413, 422, 429, 503}
    assert each < MAX_SECONDS


def keep_on(send: Callable[[], tuple[int, Any]], over: Event) -> list[int]:
    """Send a request again and again until `over` is set, and return the statuses."""
    answers = []
    while not over.is_set():
        answers.append(send()[0])
    return answers


def logins(visitor: Visitor) -> list[float]:
    """Request the login page for SECONDS, at least FEWEST times; return the seconds that each request took."""
    delays, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end or len(delays) < FEWEST:
        begun = time.monotonic()
        assert visitor.get("/accounts/login/")[0] == 200
        delays.append(time.monotonic() - begun)
        time.sleep(0.02)
    return delays
