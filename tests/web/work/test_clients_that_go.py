"""The work for a client that disconnects is dropped, at every call of `work`.

Each request passes through the ASGI application to a work pool whose work ends only when its client disconnects. The
test fails if a call of `work` is reached by no request.
"""

import ast
import asyncio
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from kschedui.asgi import application
from kschedui.experiments import store as experiments
from kschedui.runs import worker
from kschedui.work import work_pool
from kschedui.work.fetched import call
from kschedui.work.work_pool import ClientDisconnected, WorkOptions
from tests.builders import node, pod, scenario
from tests.web.api.test_api_v1 import Script
from tests.web.conftest import SMALL

WEB = Path(__file__).resolve().parents[3] / "kschedui" / "web"
CHALLENGE = WEB.parent / "scenarios" / "challenges" / "challenge-weights.yaml"
LONG = 60.0  # seconds; reached only if something is broken
EDITS = {"edits": [{"type": "cordon", "node": "n1"}]}
QUESTION = {"question": {"type": "reschedule"}}
FACTORS = [{"seeds": [1, 2]}]
TEXT = scenario(node("n1"), pod("a"))
FAILED = "0/1 nodes are available: 1 Insufficient cpu."


class Sent(NamedTuple):
    """A request. `after`: the number of calls of the pool that are answered before the client disconnects."""

    method: str
    path: str
    body: Any = None  # JSON; a string: a form
    after: int = 0


REQUESTS = [
    Sent("POST", "/api/v1/check", {"text": TEXT}),
    Sent("POST", "/api/v1/preview", {"text": TEXT}),
    Sent("POST", "/api/v1/import", {"text": TEXT}),
    Sent("POST", "/api/v1/scenarios/import", {"text": TEXT}),
    Sent("POST", "/api/v1/scenarios", {"text": TEXT}),
    Sent("POST", "/api/v1/scenarios/{sid}/versions", {"text": TEXT}),
    Sent("POST", "/api/v1/scenarios/{sid}/versions/1/compare", {"text": TEXT}),
    Sent("POST", "/api/v1/scenarios/{challenge}/versions/1/challenge", {"text": TEXT}),
    Sent("GET", "/api/v1/runs/{rid}/explain/1"),
    Sent("GET", "/api/v1/runs/{rid}/objects/pod/default/a"),
    Sent("GET", "/api/v1/runs/{rid}/history?of=a"),
    Sent("GET", "/api/v1/runs/{rid}/times?pods=default/a"),
    Sent("GET", "/api/v1/runs/{rid}/times/without?pod=default/a&cause=gated"),
    Sent("GET", "/api/v1/runs/{rid}/attempts/1"),
    Sent("GET", "/api/v1/runs/{rid}/attempts/1", after=1),
    Sent("POST", "/api/v1/runs/{rid}/attempts/1/what-if", EDITS),
    Sent("POST", "/api/v1/runs/{rid}/attempts/1/keep", EDITS),
    Sent("GET", "/api/v1/runs/{rid}/attempts/1/changes"),
    Sent("GET", "/api/v1/runs/{rid}/attempts/1/weights?node=n2"),
    Sent("GET", "/api/v1/runs/{rid}/capacity?pod=default/a"),
    Sent("GET", "/api/v1/runs/{rid}/node-groups"),
    Sent("POST", "/api/v1/runs/{rid}/operations", QUESTION),
    Sent("POST", "/api/v1/runs/{rid}/operations/keep", QUESTION),
    Sent("GET", "/api/v1/runs/{rid}/upgrade?to=1.35"),
    Sent("GET", "/api/v1/runs/{rid}/events"),
    Sent("GET", "/api/v1/runs/{rid}/decisions"),
    Sent("POST", "/api/v1/experiments", {"scenario": "{sid}", "factors": FACTORS}),
    Sent("POST", "/api/v1/experiments/{eid}/runs/1"),
    Sent("GET", "/s/{sid}/v/1/events.jsonl"),
    Sent("GET", "/s/{sid}/v/1/trace.json"),
    Sent("GET", "/s/{sid}/v/1/picture.svg?step=7"),
    Sent("GET", "/s/{sid}/v/1/pending/"),
    Sent("GET", "/s/{sid}/v/1/replay/"),
    Sent("GET", "/s/{sid}/v/1/releases/"),
    Sent("GET", "/s/{sid}/v/1/experiments/"),
    Sent("POST", "/s/{sid}/fork/", ""),
    Sent("GET", "/s/{sid}/diff/1/2/"),
    Sent("GET", "/compare/{sid}/1/{sid}/2/"),
    Sent("GET", "/compare/{sid}/1/{sid}/2/", after=1),
    Sent("POST", "/compare/{sid}/1/{sid}/2/seed", "side=first&seed=7"),
    Sent("POST", "/decode/", f"message={FAILED}"),
    Sent("POST", "/decode/", f"message={FAILED}&open=1", after=1),
    Sent("POST", "/accounts/login/", "username=owner&password=a-word-of-some-length"),
    Sent(
        "POST",
        "/accounts/password",
        "old_password=x&new_password1=another-word-of-length&new_password2=another-word-of-length",
    ),
    Sent("POST", "/accounts/signup/", "username=new&password1=a-word-of-some-length&password2=a-word-of-some-length"),
]


class Working:
    """A work pool that answers the first `after` calls; the next waits until its client disconnects."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.waits, self.disconnected = threading.Event(), threading.Event()
        self.caller = ""
        self.in_transaction = False

    def run(self, client: Any, wish: WorkOptions, function: Callable[..., Any], *args: Any) -> Any:
        if self.after:
            self.after -= 1
            return call(function, args)
        self.caller = caller()
        self.in_transaction = connection.in_atomic_block
        self.waits.set()
        with wish.disconnect.calling(self.disconnected.set):
            self.disconnected.wait(LONG)
        raise ClientDisconnected


def caller() -> str:
    """Return "FILE:LINE" of the place in the web's code that started the work."""
    frame: Any = sys._getframe()
    while frame and not (
        frame.f_code.co_filename.startswith(str(WEB)) and frame.f_code.co_name not in ("work", "<lambda>")
    ):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""


def calls() -> list[tuple[str, int, int]]:
    """Return (file, first line, last line) of each call of `work(request, ...)`."""
    return [
        (str(file), one.lineno, one.end_lineno or one.lineno)
        for file in WEB.rglob("*.py")
        for one in ast.walk(ast.parse(file.read_text()))
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "work" and len(one.args) > 1
    ]


@pytest.fixture
def ids(transactional_db: None) -> dict[str, str]:
    owner = Script("owner")
    saved = owner.save(SMALL)
    worker.execute(saved["run"])
    again = owner.call("POST", f"/scenarios/{saved['id']}/versions", {"text": TEXT}).json()
    worker.execute(again["run"])
    experiment = owner.call("POST", "/experiments", {"scenario": saved["id"], "factors": FACTORS}).json()
    challenge = owner.save(CHALLENGE.read_text(encoding="utf-8"))
    secret = owner.defaults["HTTP_AUTHORIZATION"]
    User.objects.filter(username="owner").update(password="a hash of some kind")
    browser = Client()
    browser.force_login(User.objects.get(username="owner"))
    return {
        "challenge": challenge["id"],
        "sid": saved["id"],
        "rid": saved["run"],
        "eid": experiment["id"],
        "authorization": secret,
        "session": browser.cookies[settings.SESSION_COOKIE_NAME].value,
    }


async def send_and_go(sent: Sent, ids: dict[str, str], working: Working) -> None:
    """Send the request, wait until its work waits, and disconnect. Returns when the application has ended."""
    path, _, query = sent.path.format(**ids).partition("?")
    form = isinstance(sent.body, str)
    body = (
        b""
        if sent.body is None
        else (sent.body if form else json.dumps(sent.body).replace("{sid}", ids["sid"])).encode()
    )
    token = "k" * 32
    headers = {
        "host": "localhost",
        "authorization": ids["authorization"],
        "content-type": "application/x-www-form-urlencoded" if form else "application/json",
        "content-length": str(len(body)),
        "idempotency-key": "a-key",
    }
    if not path.startswith("/api/"):
        headers |= {"cookie": f"kschedui_csrf={token}", "x-csrftoken": token}
    if path == "/accounts/password":
        headers["cookie"] += f"; {settings.SESSION_COOKIE_NAME}={ids['session']}"
    scope = {"type": "http", "method": sent.method, "path": path, "raw_path": path.encode(), "http_version": "1.1"}
    scope |= {
        "query_string": query.encode(),
        "scheme": "http",
        "server": ("localhost", 80),
        "client": ("203.0.113.7", 5),
    }
    scope |= {"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    said: list[Any] = []

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await asyncio.to_thread(working.waits.wait, LONG)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        said.append(message)

    async with asyncio.timeout(LONG):
        await application(scope, receive, send)
    assert working.waits.is_set(), f"no work was started: {said[:2]}"


def test_work_is_dropped_on_every_path(ids: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "RATE_LIMITS", dict.fromkeys(settings.RATE_LIMITS, 10**6))
    monkeypatch.setattr(experiments, "request_workers", lambda *about: None)
    missed, reached = [], set()
    for sent in REQUESTS:
        working = Working(sent.after)
        monkeypatch.setattr(work_pool, "run", working.run)
        try:
            async_to_sync(send_and_go)(sent, ids, working)
            assert working.disconnected.wait(LONG), "it goes on"
        except (AssertionError, TimeoutError) as error:
            missed.append((sent.method, sent.path, str(error) or repr(error)))
        reached.add(working.caller)
    assert missed == []
    places = [one.rsplit(":", 1) for one in reached if one]
    uncalled = [
        (Path(file).name, first)
        for file, first, last in calls()
        if not any(name == file and first <= int(line) <= last for name, line in places)
    ]
    assert uncalled == []
