"""Two web processes with one database and one broker act as one site, also when requests race for the last slot of a
limit.

Tested with SQLite and the built-in broker, and with PostgreSQL and Redis.
"""

import json
import os
import re
import signal
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from kschedui.classrooms.store import MAX_LIVE
from kschedui.supervisor.commands import web_command
from kschedui.supervisor.ports import answers_http, free_port, wait_until
from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker, manage
from tests.faults.stacks import ONE_POD, SMALL, breakable
from tests.faults.test_a_class_outlives_its_web_process import Member
from tests.web.postgres import postgres_url  # noqa: F401
from tests.web.redis_server import redis_url  # noqa: F401
from tests.web.visitor import LONG, Follower, Visitor

RACING = 10
LONGER = 450_000  # characters: more than the scenarios of a browser may have
NO_LIMITS = {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("RUN", "SAVE", "PAGE", "READ", "CHECK")}
ROOM = {"KSCHEDUI_MAX_BROWSER_BYTES": "400000"}


def text(name: str) -> str:
    return scenario(node("n1"), pod(name))


class Pair:
    """A site with two web processes, at `urls`."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        port = free_port()
        self.urls = [stack.url, f"http://127.0.0.1:{port}"]
        self.second = stack._start("web2", web_command("127.0.0.1", port), {}, grace=5)
        assert wait_until(lambda: answers_http(f"{self.urls[1]}/livez"), LONG)

    def race(self, visitor: Visitor, path: str, body: Callable[[int], Any], *, form: bool = False) -> list[int]:
        """Return the sorted statuses of simultaneous POSTs with one visitor's cookies, half of them to each process."""
        visitor.get("/new/")  # for the CSRF token
        token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in visitor.cookies)
        start = Barrier(RACING)

        def send(number: int) -> int:
            url = self.urls[number % 2]
            data = body(number)
            sent = urllib.parse.urlencode({**data, "csrfmiddlewaretoken": token}) if form else json.dumps(data)
            kind = "application/x-www-form-urlencoded" if form else "application/json"
            headers = {"Content-Type": kind, "X-CSRFToken": token, "Referer": url + path, "Cookie": cookies}
            request = urllib.request.Request(url + path, sent.encode(), headers)
            start.wait()
            try:
                with urllib.request.build_opener(Stay).open(request, timeout=LONG) as answer:
                    found: int = answer.status
                    return found
            except urllib.error.HTTPError as error:
                return error.code

        with ThreadPoolExecutor(RACING) as pool:
            return sorted(pool.map(send, range(RACING)))


class Stay(urllib.request.HTTPRedirectHandler):
    """Do not follow redirects: a redirect is the answer."""

    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.fixture(params=["sqlite", "postgresql and redis"])
def pair(request: pytest.FixtureRequest, make_stack: StackMaker) -> Iterator[Pair]:
    """Yield a site with SQLite and the built-in broker, or with PostgreSQL and Redis."""
    env = NO_LIMITS | ROOM
    if request.param != "sqlite":
        env |= {"DATABASE_URL": request.getfixturevalue("postgres_url")}
        env |= {"REDIS_URL": request.getfixturevalue("redis_url")}
        manage(make_stack(library=False, **env), "migrate", "--verbosity", "0")
    stack = breakable(make_stack, **env)
    assert ("broker" in stack.children) == (request.param == "sqlite")
    yield Pair(stack)
    stack.stop()  # before its database


def sign_up(pair: Pair, name: str) -> Visitor:
    """Create an account by racing requests, of which one succeeds, and return a visitor who is logged in to it."""
    visitor = Visitor(pair.urls[0])
    form = {"username": name, "password1": "a long enough password", "password2": "a long enough password"}
    assert pair.race(visitor, "/accounts/signup/", lambda n: form, form=True).count(302) == 1
    visitor.get("/accounts/login/")
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    body = {"username": name, "password": "a long enough password", "csrfmiddlewaretoken": token}
    request = urllib.request.Request(f"{visitor.url}/accounts/login/", urllib.parse.urlencode(body).encode())
    request.add_header("Referer", visitor.url)
    assert visitor.send(request)[0] == 200
    return visitor


def test_limits_hold_when_ten_requests_race(pair: Pair) -> None:
    visitor = sign_up(pair, "ada")
    run = visitor.save(ONE_POD)
    visitor.wait_for(run, "done")
    sid = visitor.run(run)["scenario"]["id"]
    versions = f"/api/v1/scenarios/{sid}/versions"
    assert pair.race(visitor, versions, lambda n: {"text": text(f"plain-{n}")}) == [201] * RACING
    newest = json.loads(visitor.get(versions)[1])[0]["number"]
    assert newest == 1 + RACING
    based = pair.race(visitor, versions, lambda n: {"text": text(f"based-{n}"), "base": newest})
    assert based == [201] + [409] * (RACING - 1)
    factors = [{"seeds": list(range(200))}]
    experiments = pair.race(
        visitor, "/api/v1/experiments", lambda n: {"scenario": sid, "version": 1, "factors": factors}
    )
    assert experiments == [201] * 3 + [422] * (RACING - 3)
    page = f"/s/{sid}/v/1/class"
    statuses = [*pair.race(visitor, page, lambda n: {"run": run}, form=True)]
    statuses += pair.race(visitor, page, lambda n: {"run": run}, form=True)
    assert (statuses.count(302), set(statuses)) == (MAX_LIVE, {302, 422})
    browser = Visitor(pair.urls[0])
    browser.save(ONE_POD)  # the browser gets its own cookie
    long = pair.race(browser, "/api/v1/scenarios", lambda n: {"text": text(f"long-{n}") + "\n#" + "x" * LONGER})
    assert long == [201] + [422] * (RACING - 1), "only one scenario may exceed the limit"


def test_one_process_serves_the_data_of_the_other_also_after_that_is_killed(pair: Pair) -> None:
    here, there = (Visitor(url) for url in pair.urls)
    run = here.save(SMALL)
    follower = Follower(there, run)
    follower.follow()
    assert follower.texts[-1]["state"] == "done"
    assert follower.taken == here.frames(run) != []
    teacher, near, far = Member(pair.urls[0]), Member(pair.urls[0]), Member(pair.urls[1])
    taught = teacher.save(ONE_POD)
    teacher.wait_for(taught, "done")
    teacher.join(code := teacher.start(taught))
    assert re.fullmatch("[A-Z]{4}", code)
    for student in (near, far):
        student.join(code)
    shown = {"type": "show", "frame": 1, "order": "plugin", "selection": None, "paused": False, "gathered": 0}
    teacher.say(**shown, step=5, n=1, question={"id": "5.1", "choices": 2})
    for choice, student in enumerate((near, far)):
        while student.until("board")["asked"].get("id") != "5.1":
            pass
        student.say(type="answer", question="5.1", choice=choice)
        student.until("answered")
    os.killpg(pair.stack.children["web"].group, signal.SIGKILL)
    teacher.url = near.url = pair.urls[1]
    teacher.rejoin()
    near.rejoin()
    teacher.say(**shown, step=5, n=2, question={"id": "5.1", "choices": 2, "right": 1, "text": "", "labels": []})
    while "counts" not in (asked := teacher.until("board")["asked"]):
        pass
    assert asked["counts"] == [1, 1]
    assert there.wait_for(there.save(ONE_POD), "done")
