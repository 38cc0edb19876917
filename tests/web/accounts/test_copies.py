"""A copy is never more visible than its original, whichever way it was made."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from kschedui.models import Scenario
from kschedui.scenarios import access, sharing
from kschedui.scenarios import store as scenarios
from tests.web.accounts.test_access_matrix import OF_A_SCENARIO, ask_for, browser_of, ids  # noqa: F401
from tests.web.conftest import OTHER, SMALL, Browser

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture
def copy(ids: dict[str, str]) -> str:  # noqa: F811
    """Copy a private scenario as a reader, and return the id of the copy."""
    assert browser_of("reader").post(f"/s/{ids['sid']}/fork/").status_code == 302
    return Scenario.objects.get(fork_of__scenario__public_id=ids["sid"]).public_id


@pytest.mark.parametrize("role", ["owner", "editor", "reader"])
def test_every_copy_of_a_private_scenario_is_private(
    role: str,
    ids: dict[str, str],  # noqa: F811
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    made, create = [], scenarios.create

    def noted(*args: Any, **more: Any) -> Any:
        version = create(*args, **more)
        made.append(version.scenario.visibility)
        return version

    monkeypatch.setattr(scenarios, "create", noted)
    for route in OF_A_SCENARIO:
        ask_for(browser_of(role), "POST", route, ids)
    answer = browser_of(role).post_json("/api/v1/scenarios", text=OTHER, fork_of=ids["sid"])
    assert answer.status_code == 201
    assert len(made) >= 3
    assert set(made) == {"private"}


@pytest.mark.parametrize("visibility", ["unlisted", "public"])
def test_a_reader_cannot_make_a_copy_more_visible_than_the_original(
    visibility: str,
    ids: dict[str, str],  # noqa: F811
    copy: str,
) -> None:
    reader = browser_of("reader")
    by_api = reader.post_json("/api/v1/scenarios", text=OTHER, fork_of=ids["sid"], visibility=visibility)
    by_page = reader.post(f"/s/{copy}/settings", {"title": "", "visibility": visibility})
    patched = reader.patch(f"/api/v1/scenarios/{copy}", {"visibility": visibility}, "application/json")
    assert (by_api.status_code, by_page.status_code, patched.status_code) == (403, 403, 403)
    assert "more visible than the original" in by_api.json()["detail"]
    assert scenarios.by_id(copy).visibility == "private"
    assert reader.patch(f"/api/v1/scenarios/{copy}", {"title": "Mine"}, "application/json").status_code == 200


def test_a_copy_of_ones_own_copy_is_no_more_visible_either(copy: str) -> None:
    reader = browser_of("reader")
    again = reader.post_json("/api/v1/scenarios", text=OTHER, fork_of=copy, visibility="unlisted")
    assert again.status_code == 403
    assert reader.post(f"/s/{copy}/fork/").status_code == 302
    second = Scenario.objects.get(fork_of__scenario__public_id=copy)
    assert second.visibility == "private"
    assert reader.post(f"/s/{second.public_id}/settings", {"title": "", "visibility": "unlisted"}).status_code == 403
    refused = reader.post_json(f"/api/v1/scenarios/{second.public_id}/shares", account="another")
    assert (refused.status_code, "copy of a private" in refused.json()["detail"]) == (422, True)
    run = reader.post_json(f"/api/v1/scenarios/{second.public_id}/versions/1/run").json()["run"]
    assert reader.post(f"/s/{second.public_id}/v/1/class", {"run": run}).status_code == 403


def test_the_length_of_a_chain_of_copies_is_limited(copy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MAX_ORIGINS", 2)
    reader = browser_of("reader")
    for expected in (201, 403):
        made = reader.post_json("/api/v1/scenarios", text=OTHER, fork_of=copy, visibility="private")
        assert made.status_code == expected
        copy = made.json().get("id", "")


def test_the_owner_of_the_original_may_publish_a_copy(ids: dict[str, str]) -> None:  # noqa: F811
    owner = browser_of("owner")
    made = owner.post_json("/api/v1/scenarios", text=OTHER, fork_of=ids["sid"], visibility="public")
    assert (made.status_code, scenarios.by_id(made.json()["id"]).visibility) == (201, "public")


def test_a_copy_of_an_unlisted_scenario_cannot_be_public(author: Browser, stranger: Browser) -> None:
    origin = author.save(visibility="unlisted")["id"]
    assert stranger.post_json("/api/v1/scenarios", text=OTHER, fork_of=origin, visibility="public").status_code == 403
    copy = stranger.save(OTHER, fork_of=origin)["id"]
    assert stranger.post(f"/s/{copy}/settings", {"title": "", "visibility": "public"}).status_code == 403
    author.post(f"/s/{origin}/settings", {"title": "", "visibility": "public"})
    assert stranger.post(f"/s/{copy}/settings", {"title": "", "visibility": "public"}).status_code == 302


def test_a_copy_of_a_scenario_of_the_site_may_be_public(author: Browser) -> None:
    origin = scenarios.create(access.Visitor(), SMALL).scenario
    copy = author.save(OTHER, fork_of=origin.public_id, visibility="public")
    assert scenarios.by_id(copy["id"]).visibility == "public"


def test_a_copy_is_shared_only_with_accounts_that_see_the_original(copy: str) -> None:
    reader, scenario = browser_of("reader"), scenarios.by_id(copy)
    other = Group.objects.create(name="another group")
    other.user_set.add(User.objects.get(username="reader"))
    for whom in ({"account": "another"}, {"group": "another group"}):
        refused = reader.post_json(f"/api/v1/scenarios/{copy}/shares", **whom)
        assert (refused.status_code, "copy of a private" in refused.json()["detail"]) == (422, True)
    sharing.share(scenario, account="editor")
    sharing.share(scenario, account="member")


def test_a_copy_of_a_private_scenario_of_somebody_else_is_shown_to_no_class(copy: str) -> None:
    reader = browser_of("reader")
    run = reader.post_json(f"/api/v1/scenarios/{copy}/versions/1/run").json()["run"]
    assert reader.post(f"/s/{copy}/v/1/class", {"run": run}).status_code == 403
