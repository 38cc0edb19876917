"""A version runs on any release: each release has its own run and link, and old links keep theirs."""

from __future__ import annotations

import re

import pytest

from kschedui.models import Run, Version
from kschedui.runs import frames, worker
from kschedui.runs import store as runs
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES
from scheduler_core.trace.events import RunStarted
from tests.web.conftest import SMALL, Browser

LINK = re.compile(r'<a href="([^"]+)"( aria-current="page")?>Kubernetes ([\d.]+)</a>')


def listed(page: str) -> dict[str, tuple[str, bool]]:
    """Return (address, whether it is shown) by release."""
    return {one[3]: (one[1], bool(one[2])) for one in LINK.finditer(page)}


def test_the_player_names_its_release_and_leads_to_all_of_them(author: Browser) -> None:
    url = author.save()["url"]
    links = listed(author.get(url).content.decode())
    assert list(links) == list(reversed(RELEASES))
    assert [name for name, (_, shown) in links.items() if shown] == [DEFAULT_RELEASE.version]
    older = author.get(links["1.34"][0]).content.decode()
    assert listed(older)["1.34"][1]


def test_another_release_is_a_run_of_its_own_that_is_found_again(author: Browser) -> None:
    url = author.save()["url"]
    for asked in ("", "?kubernetes=1.34", "?kubernetes=1.34", f"?kubernetes={DEFAULT_RELEASE.version}"):
        assert author.get(f"{url}{asked}").status_code == 200
    assert sorted(run.kubernetes_version for run in Run.objects.all()) == ["", "1.34"]


def test_the_worker_simulates_the_release_that_was_asked_for(author: Browser) -> None:
    url = author.save()["url"]
    author.get(f"{url}?kubernetes=1.34")
    run = Run.objects.get(kubernetes_version="1.34")
    worker.execute(run.public_id)
    run.refresh_from_db()
    answer = author.get(f"{url}v/1/decisions.jsonl?kubernetes=1.34")
    assert answer.status_code == 200
    events = [event for chunk in runs.all_frames(run) for event in frames.events_of(chunk)]
    assert isinstance(events[0], RunStarted)
    assert events[0].kubernetes_version == "1.34"
    assert author.get(f"{url}v/1/decisions.jsonl").status_code == 409, "the version's own run is another one"


def test_a_release_that_is_not_here_is_named_with_those_that_are(author: Browser) -> None:
    answer = author.get(f"{author.save()['url']}?kubernetes=1.1")
    assert answer.status_code == 404
    assert "Unknown Kubernetes release 1.1; expected one of" in answer.content.decode()


def test_another_release_of_a_private_scenario_is_as_private(author: Browser, stranger: Browser) -> None:
    url = author.save(visibility="private")["url"]
    assert stranger.get(f"{url}?kubernetes=1.34").status_code == stranger.get(url).status_code == 403
    assert not Run.objects.filter(kubernetes_version="1.34").exists()


@pytest.mark.django_db
def test_what_was_run_when_there_was_one_release_keeps_it(author: Browser) -> None:
    saved = author.save(SMALL)
    version = Version.objects.get(scenario__public_id=saved["id"])
    Run.objects.filter(version=version).update(engine_version="0.3.0", kubernetes_version="1.34", state=Run.State.DONE)
    assert listed(author.get(saved["url"]).content.decode())["1.34"] == (f"{saved['url']}v/1/", True)
    assert runs.start_run(version).kubernetes_version == "1.34"
