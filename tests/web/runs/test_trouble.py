"""A database that is unavailable, full or busy leads to a sentence and one line in the log; odd requests leave none."""

import io
import logging
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.http import HttpResponse
from django.test import RequestFactory
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import ConnectionError as RedisConnectionError

from kschedui.scenarios import store as scenarios
from kschedui.web.http import health
from kschedui.web.http.clean_cookies import CleanCookiesMiddleware
from kschedui.web.http.quiet import Quiet
from tests.web.conftest import SMALL, Browser


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Return the stream to which the log is written in this test."""
    handler = next(one for one in logging.getLogger().handlers if any(isinstance(f, Quiet) for f in one.filters))
    stream = io.StringIO()
    monkeypatch.setattr(handler, "stream", stream)
    return stream


def test_a_failure_is_reported_without_the_database(
    author: Browser, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    author.post("/accounts/signup/", {"username": "a", "password1": "long enough 1", "password2": "long enough 1"})

    def away() -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(scenarios, "public", away)
    with django_assert_num_queries(0):
        answer = author.get("/")
    assert answer.status_code == 503
    assert "database of this site does not respond" in answer.content.decode()


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("database or disk is full", "storage of this site is full"),
        ("disk I/O error", "storage of this site is full"),
        ("unable to open database file", "storage of this site is full"),
        ("attempt to write a readonly database", "is in read-only mode"),
        ("database is locked", "is busy"),
    ],
)
def test_what_the_database_refuses_is_a_sentence_and_one_line_in_the_log(
    author: Browser, monkeypatch: pytest.MonkeyPatch, log: io.StringIO, reason: str, said: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError(reason)

    monkeypatch.setattr(health, "free_disk", lambda: 4096)  # by which an error that says nothing is explained

    monkeypatch.setattr(scenarios, "create", refuse)
    answer = author.post_json("/api/v1/scenarios", text=SMALL)
    assert (answer.status_code, said in answer.json()["detail"]) == (503, True)
    assert "Retry-After" in answer.headers
    lines = log.getvalue().splitlines()
    assert len(lines) == 1
    assert reason in lines[0]


def test_a_database_that_is_away_before_any_view_is_a_sentence_too(
    author: Browser, monkeypatch: pytest.MonkeyPatch, log: io.StringIO
) -> None:
    def away(self: object) -> None:
        raise OperationalError("database or disk is full")

    author.raise_request_exception = False
    monkeypatch.setattr(SessionStore, "load", away)
    author.cookies[settings.SESSION_COOKIE_NAME] = "a" * 32
    answer = author.get("/admin/")
    assert answer.status_code == 503
    assert "storage of this site is full" in answer.content.decode()
    assert "Traceback" not in log.getvalue()


@pytest.mark.parametrize(
    "error", [BrokerError("refused"), RedisConnectionError("refused"), OperationalError("refused\nfor now")]
)
def test_what_is_away_is_one_line_in_the_log_whoever_logs_it(log: io.StringIO, error: Exception) -> None:
    try:
        raise error
    except Exception:
        logging.getLogger("kombu.asynchronous.hub").exception("Error in timer")
    assert len(log.getvalue().splitlines()) == 1
    assert "Error in timer: refused" in log.getvalue()


def test_a_cookie_with_a_control_character_is_no_cookie() -> None:
    request = RequestFactory().get("/")
    request.COOKIES = {"a": "plain", "b": "nul\x00", "c": "line\nfeed"}
    CleanCookiesMiddleware(lambda request: HttpResponse(",".join(request.COOKIES)))(request)
    assert request.COOKIES == {"a": "plain"}


def test_sixty_fields_are_refused_without_a_line_in_the_log(author: Browser, log: io.StringIO) -> None:
    assert author.post("/accounts/login/", {f"f{i}": "x" for i in range(60)}).status_code == 400
    assert log.getvalue() == ""


@pytest.mark.parametrize("free", [None, 10**9])
def test_an_error_of_a_disk_with_room_is_not_said_to_be_a_full_one(
    monkeypatch: pytest.MonkeyPatch, free: int | None
) -> None:
    monkeypatch.setattr(health, "free_disk", lambda: free)
    assert health.reason_of(OperationalError("disk I/O error")) == "away"


@pytest.fixture
def _probed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget earlier health checks."""
    monkeypatch.setattr(health, "_last", (0.0, ""))
    monkeypatch.setattr(health, "broker_answers", lambda: True)


@pytest.mark.usefixtures("_probed_anew")
@pytest.mark.parametrize("path", ["/readyz", "/healthz"])
def test_a_site_is_ready_when_its_database_takes_a_write(author: Browser, path: str) -> None:
    answer = author.get(path)
    assert (answer.status_code, answer.json()) == (200, {"database": True, "broker": True})


@pytest.mark.usefixtures("_probed_anew")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("database or disk is full", "full"),
        ("attempt to write a readonly database", "read-only"),
        ("database is locked", "locked"),
        ("could not connect", "away"),
    ],
)
def test_a_site_that_cannot_write_is_not_ready_and_says_why(
    author: Browser, monkeypatch: pytest.MonkeyPatch, error: str, reason: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError(error)

    monkeypatch.setattr(health.Session.objects, "update_or_create", refuse)
    answer = author.get("/readyz")
    assert (answer.status_code, answer.json()["reason"]) == (503, reason)
    assert author.get("/livez").status_code == 200


@pytest.mark.usefixtures("_probed_anew")
def test_asking_often_writes_seldom(author: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Any] = []
    real = health.try_to_write
    monkeypatch.setattr(health, "try_to_write", lambda: written.append(1) or real())
    for _ in range(20):
        author.get("/readyz")
    assert len(written) == 1
