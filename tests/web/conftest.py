"""Fixtures of the web tests: browsers of several visitors, a saved scenario, a finished run."""

import json
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.test import Client
from django.utils import translation

from kschedui.ask import autoscaling, moments
from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from kschedui.web.api import rates
from tests.builders import node, pod, scenario
from tests.web.postgres import postgres_url  # noqa: F401
from tests.web.redis_server import redis_url  # noqa: F401

PASSWORD = "a long enough password"
OTHER = scenario(node("n1"), pod("only"), title="Other")
MANY = scenario(*(node(f"n{i}", cpu=4) for i in range(5)), *(pod(f"p{i}", cpu=1) for i in range(40)))
SMALL = scenario(
    node("n1", cpu=2), node("n2", cpu=2), pod("a", cpu=1), pod("b", cpu=1), pod("big", cpu=9), title="Small"
)


@pytest.fixture(autouse=True)
def _reset_limits_and_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset rate limits, caches and the language, and stop the clock of the rate limits, which are per minute."""
    monkeypatch.setattr(rates, "time", SimpleNamespace(time=lambda: 0.0))
    cache.clear()
    moments.forget()
    translation.deactivate()


@pytest.fixture(autouse=True)
def _long_leases(settings: Any) -> None:
    """Make leases longer than any test.

    On a slow machine, a worker would look dead; and a worker's timer would renew its lease over a connection that does
    not see a test's rows.
    """
    settings.RUN_LEASE_SECONDS = 3600


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Any) -> None:
    """Use a fast hash for passwords."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def short_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare autoscalers over a minute, for tests that only need an answer."""
    monkeypatch.setattr(autoscaling, "compare", partial(autoscaling.compare, seconds=60.0))


class Browser(Client):
    """A visitor's browser with its own cookies."""

    def post_json(self, path: str, **body: Any) -> Any:
        """Post JSON, and return the response."""
        return self.post(path, json.dumps(body), content_type="application/json")

    def save(self, text: str = SMALL, **more: Any) -> dict[str, Any]:
        """Save a scenario over the API, or a version of `parent`. Return {id, version, url, run}."""
        parent = more.pop("parent", "")
        answer = self.post_json(
            f"/api/v1/scenarios/{parent}/versions" if parent else "/api/v1/scenarios", text=text, **more
        )
        assert answer.status_code == 201, answer.content
        found: dict[str, Any] = answer.json()
        return found


def body_of(answer: Any) -> bytes:
    """Return the content of a response, streamed or not."""
    if not answer.streaming:
        whole: bytes = answer.content
        return whole
    assert answer.is_async, "the ASGI handler collects any other iterator before it sends the first byte"

    async def collected() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return async_to_sync(collected)()


def sign_up(browser: Browser, name: str) -> None:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    assert browser.post("/accounts/signup/", form).status_code == 302


def private(author: Browser) -> dict[str, str]:
    """Save a scenario, sign up as ada, make the scenario private, run it, and return the API's answer to the save."""
    saved = author.save()
    sign_up(author, "ada")
    form = {"title": "Mine", "visibility": "private"}
    assert author.post(f"/s/{saved['id']}/settings", form).status_code == 302
    worker.execute(saved["run"])
    return saved


@pytest.fixture
def author(db: None) -> Browser:
    """Return the browser of a visitor without an account."""
    return Browser()


@pytest.fixture
def stranger(db: None) -> Browser:
    """Return the browser of another visitor."""
    return Browser()


@pytest.fixture
def keep(db: None) -> Callable[..., Version]:
    """Return a function that saves a text as some visitor, and returns the version."""
    return lambda text=SMALL: scenarios.create(Visitor(editor="somebody"), text)


@pytest.fixture
def finished(keep: Callable[..., Version]) -> Run:
    """Return a complete run of the small scenario."""
    run = runs.start_run(keep())
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    return run


@pytest.fixture
def many(keep: Callable[..., Version]) -> Run:
    """Return a complete run with several chunks."""
    run = runs.start_run(keep(MANY))
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert run.chunks > 2
    return run
