"""The processes for heavy requests: what takes too long or too much is ended, and nobody else notices."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kschedui.scenarios.digest import Digest
from kschedui.web import heavy
from kschedui.web.api import answers, jobs
from tests.web.conftest import MANY, SMALL, Browser

ENDLESS = range(10**15)


@pytest.fixture(scope="module")
def _one_pool() -> Iterator[None]:
    """A process takes a second to start: one serves all of these tests."""
    yield
    if heavy.processes.cache_info().currsize:
        heavy.processes().stop()
        heavy.processes.cache_clear()


@pytest.fixture
def processes(_one_pool: None, settings: Any) -> None:
    """As in a web process, with one for heavy requests."""
    settings.HEAVY_PROCESSES = 1


@pytest.mark.usefixtures("processes")
def test_what_takes_too_long_is_ended_by_the_system_and_the_next_is_served() -> None:
    with pytest.raises(heavy.TooMuch, match="more than 1 seconds of work"):
        heavy.run("me", sum, ENDLESS, seconds=1)
    assert heavy.run("me", sum, range(4), seconds=1) == 6


@pytest.mark.usefixtures("processes")
def test_what_takes_too_much_memory_is_refused_and_the_next_is_served() -> None:
    with pytest.raises(heavy.TooMuch, match="MB of memory"):
        heavy.run("me", bytes, 10 * heavy.settings.HEAVY_BYTES, seconds=5)
    assert heavy.run("me", sum, range(4), seconds=5) == 6


@pytest.mark.usefixtures("processes")
def test_a_texts_digest_and_a_refusal_come_out_of_the_process_as_they_are() -> None:
    found = heavy.run("me", jobs.digest, MANY, seconds=20)
    assert found == jobs.digest(MANY)
    assert isinstance(found, Digest)
    with pytest.raises(jobs.Refused) as refused:
        heavy.run("me", jobs.digest, "apiVersion: v1\nkind: Pood\n", seconds=20)
    assert (refused.value.status, refused.value.rows[0]["line"]) == (422, 2)


@pytest.mark.usefixtures("processes")
def test_the_api_says_which_limit_was_met(author: Browser, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(answers, "LIGHT", 0)
    settings.LIMITS = {**settings.LIMITS, "heavy_seconds": 1}
    monkeypatch.setattr("kschedui.web.api.jobs.check", endless)
    answer = author.post_json("/api/v1/check", text=SMALL)
    assert answer.status_code == 422
    assert answer.json()["detail"] == "This takes more than 1 seconds of work, which is the limit."


def endless(text: str) -> int:
    """A job that never ends."""
    return sum(ENDLESS)


def test_a_client_has_one_at_a_time_and_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heavy, "SECONDS_IN_LINE", 0)
    monkeypatch.setattr(heavy, "places", threading.BoundedSemaphore(2))
    monkeypatch.setattr(heavy, "slow_places", threading.BoundedSemaphore(1))
    with heavy.in_line("me", slow=True):
        with pytest.raises(heavy.Busy), heavy.in_line("me", slow=False):
            pass
        with pytest.raises(heavy.Busy), heavy.in_line("you", slow=True):
            pass
        with heavy.in_line("you", slow=False), pytest.raises(heavy.Busy), heavy.in_line("they", slow=False):
            pass
    with heavy.in_line("me", slow=True):
        pass
    assert not heavy.clients


def test_who_finds_nobody_free_is_told_when_to_come_again(author: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LIGHT", 0)
    monkeypatch.setattr(heavy, "SECONDS_IN_LINE", 0)
    monkeypatch.setattr(heavy, "places", threading.BoundedSemaphore(1))
    with heavy.in_line("somebody", slow=False):
        answer = author.post_json("/api/v1/check", text=SMALL)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "0")
    assert author.post_json("/api/v1/check", text=SMALL).status_code == 200


def test_who_asks_about_the_same_comes_to_the_same_process_while_it_is_free() -> None:
    two = heavy.Processes(2)
    with two.one("a") as first:
        pass
    with two.one("b") as second:
        assert second is not first
        with two.one("a") as again:
            assert again is first
    with two.one("a"), two.one("a") as other:
        assert other is second
