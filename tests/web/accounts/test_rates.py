"""Rate limits: a class behind one address can join, and a single browser of it cannot use all of the allowance."""

from typing import Any

import pytest

from kschedui.web.api import rates
from tests.web.conftest import SMALL, Browser


def test_a_class_behind_one_address_saves_at_once_and_one_of_them_is_limited(author: Browser, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "save": 10}
    for _ in range(9):
        author.save()
    assert [Browser().post_json("/api/v1/scenarios", text=SMALL).status_code for _ in range(60)] == [201] * 60
    assert [author.post_json("/api/v1/scenarios", text=SMALL).status_code for _ in range(3)] == [201, 201, 429]


def test_creating_and_running_are_limited(author: Browser, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "VISITORS", 1)
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "save": 2}
    for _ in range(2):
        author.save()
    answer = author.post_json("/api/v1/scenarios", text=SMALL)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 60
    assert "2 per minute" in answer.json()["detail"]
    elsewhere = Browser(REMOTE_ADDR="198.51.100.7")
    assert elsewhere.post_json("/api/v1/scenarios", text=SMALL).status_code == 201
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "run": 0}
    assert author.post_json("/api/v1/preview", text=SMALL).status_code == 429


def test_pages_are_counted_too(author: Browser, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "VISITORS", 1)
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "page": 2}
    assert [author.get("/").status_code for _ in range(3)] == [200, 200, 429]


def test_without_the_cache_nobody_is_refused(author: Browser, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise OSError("the broker is away")

    monkeypatch.setattr(rates.cache, "add", away)
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "page": 0}
    assert author.get("/").status_code == 200
