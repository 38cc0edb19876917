"""A private scenario is refused to others everywhere: pages, downloads, API."""

import pytest

from kschedui.models import Scenario
from tests.web.conftest import OTHER, Browser, private

ADDRESSES = [
    "/s/{id}/",
    "/s/{id}/v/1/",
    "/embed/{id}/v/1/",
    "/s/{id}/edit/",
    "/s/{id}/settings",
    "/s/{id}/diff/1/1/",
    "/new/?from={id}",
    *(
        f"/s/{{id}}/v/1/{name}"
        for name in (
            "scenario.yaml",
            "events.jsonl",
            "decisions.jsonl",
            "trace.json",
            "picture.svg",
            "picture.png",
            "qr.svg",
        )
    ),
    "/api/v1/runs/{run}",
    "/api/v1/runs/{run}/chunks/0",
    "/api/v1/runs/{run}/explain/1",
    "/api/v1/runs/{run}/objects/pod/default/a",
]
POST_ADDRESSES = ["/s/{id}/fork/", "/s/{id}/v/1/run/", "/api/v1/runs/{run}/cancel", "/s/{id}/delete", "/s/{id}/restore"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_private_scenario_is_refused_at_every_address(author: Browser, stranger: Browser, address: str) -> None:
    saved = private(author)
    path = address.format(**saved)
    mine, theirs = author.get(path), stranger.get(path)
    assert mine.status_code == 200, mine.content
    assert theirs.status_code == 403
    assert b"private" in theirs.content
    assert b"Small" not in theirs.content


@pytest.mark.parametrize("address", POST_ADDRESSES)
def test_nobody_acts_on_somebody_elses_private_scenario(author: Browser, stranger: Browser, address: str) -> None:
    saved = private(author)
    assert stranger.post(address.format(**saved)).status_code == 403
    assert stranger.post_json("/api/v1/scenarios", text=OTHER, fork_of=saved["id"]).status_code == 403
    assert stranger.post_json(f"/api/v1/scenarios/{saved['id']}/versions", text=OTHER).status_code == 403
    assert Scenario.objects.filter(deleted_at=None).count() == 1
