"""The author of a run pays for it with their storage, and no address that another visitor opens starts one."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from kschedui.models import Run, Scenario
from kschedui.runs import storage_limits, worker
from kschedui.runs import store as runs
from kschedui.scenarios import access
from tests.web.accounts.test_access_matrix import ROUTES, VALUES
from tests.web.conftest import MANY, Browser, sign_up

pytestmark = pytest.mark.usefixtures("short_comparisons")
QUERIES = ("", "?kubernetes=1.26", "?first=1.26&second=1.27", "?engine=0.1.0", "?step=3&kubernetes=1.30")
ASKED = "?kubernetes=1.26"


@pytest.fixture(autouse=True)
def _without_limits(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    monkeypatch.setattr(runs, "enqueue", lambda public_id: None)


def pays(name: str) -> int:
    return storage_limits.kept_by(access.Visitor(User.objects.get(username=name)))


def states() -> set[tuple[str, str]]:
    return set(Run.objects.values_list("public_id", "state"))


@pytest.mark.parametrize("pruned", [False, True])
def test_nothing_that_a_stranger_opens_begins_a_run(author: Browser, stranger: Browser, *, pruned: bool) -> None:
    saved = author.save(MANY)
    worker.execute(saved["run"])
    if pruned:
        runs.forget_trace(runs.by_id(saved["run"]))
    made = author.post_json("/api/v1/experiments", scenario=saved["id"], factors=[{"seeds": [1]}])
    known = {**VALUES, "sid": saved["id"], "rid": saved["run"], "eid": made.json()["id"], "cid": "x", "code": "ABCD"}
    known |= {"slug": "x", "token": "x", "a": saved["id"], "b": saved["id"], "m": "1", "n": "1"}
    before = states()
    for route in ROUTES:
        for query in QUERIES:
            stranger.get("/" + route.format_map(known) + query)
    assert states() == before


def test_the_page_offers_the_run_with_one_press_and_its_link_works_then(author: Browser, stranger: Browser) -> None:
    saved = author.save(MANY)
    page = stranger.get(f"/s/{saved['id']}/v/1/{ASKED}&step=12.1")
    assert "Run on Kubernetes 1.26" in page.content.decode()
    action, leads_to = re.findall(r'action="([^"]+/run/[^"]*)".*name="next" value="([^"]+)"', page.content.decode())[0]
    answer = stranger.post(action, {"next": leads_to.replace("&amp;", "&") + "#12.1"})
    assert answer["Location"] == f"/s/{saved['id']}/v/1/{ASKED}&step=12.1#12.1"
    assert (
        stranger.get(answer["Location"]).context["boot"]["run"] == Run.objects.get(kubernetes_version="1.26").public_id
    )


def test_a_run_leads_to_no_other_site(author: Browser, stranger: Browser) -> None:
    saved = author.save(MANY)
    answer = stranger.post(f"/s/{saved['id']}/v/1/run/{ASKED}", {"next": "https://example.com/"})
    assert answer["Location"].startswith(f"/s/{saved['id']}/v/1/")


def test_in_a_frame_of_another_site_a_link_leads_to_where_the_button_works(author: Browser, stranger: Browser) -> None:
    address = f"/embed/{author.save()['id']}/v/1/{ASKED}"
    here, there = (stranger.get(address, headers={"sec-fetch-site": site}) for site in ("same-origin", "cross-site"))
    assert b"<form" in here.content
    assert b"<form" not in there.content
    assert f'href="{address.replace("/embed/", "/s/")}"'.encode() in there.content


def test_who_asks_for_a_run_pays_for_it_and_may_delete_it(author: Browser, stranger: Browser) -> None:
    sign_up(author, "ada")
    sign_up(stranger, "bob")
    saved = author.save(MANY)
    worker.execute(saved["run"])
    owner, other = pays("ada"), pays("bob")
    for release in ("1.26", "1.28"):
        stranger.post(f"/s/{saved['id']}/v/1/run/?kubernetes={release}")
    for run in Run.objects.exclude(public_id=saved["run"]):
        worker.execute(run.public_id)
    assert pays("ada") == owner
    paid = sum(run.bytes for run in Run.objects.exclude(public_id=saved["run"]))
    assert pays("bob") == other + paid > other
    rows = stranger.get("/accounts/mine/").context["runs"]
    assert len(rows) == 2
    assert author.post(f"/accounts/mine/runs/{rows[0]['id']}/delete").status_code == 404
    assert author.get("/accounts/mine/").context["runs"] == []
    for row in rows:
        assert stranger.post(f"/accounts/mine/runs/{row['id']}/delete").status_code == 302
    assert pays("bob") == other


def test_a_run_is_refused_to_who_has_no_room_for_it(author: Browser, stranger: Browser, settings: Any) -> None:
    saved = author.save(MANY)
    stranger.save(MANY)
    settings.LIMITS = {**settings.LIMITS, "browser_bytes": 10}
    before = states()
    by_page = stranger.post(f"/s/{saved['id']}/v/1/run/{ASKED}")
    assert (by_page.status_code, "Delete some" in by_page.content.decode()) == (422, True)
    Run.objects.filter(public_id=saved["run"]).update(state=Run.State.FAILED)
    assert stranger.post_json(f"/api/v1/scenarios/{saved['id']}/versions/1/run").status_code == 422
    assert len(before) == Run.objects.count() == 2


def test_what_a_browser_paid_for_its_account_pays_for(author: Browser) -> None:
    saved = author.save(MANY)
    worker.execute(saved["run"])
    sign_up(author, "ada")
    assert pays("ada") == len(MANY.encode()) + Run.objects.get().bytes


def test_a_claimed_scenario_brings_its_runs_along(author: Browser, stranger: Browser) -> None:
    saved = author.save(MANY)
    worker.execute(saved["run"])
    url = author.get(f"/s/{saved['id']}/settings").context["claim_url"]
    sign_up(stranger, "bob")
    assert stranger.post(url).status_code == 302
    assert Scenario.objects.get().owner.username == "bob"
    assert pays("bob") == len(MANY.encode()) + Run.objects.get().bytes
