"""Accounts: the scenarios that they take over from a browser or by a claim link, and how their pages are protected."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User

from kschedui.accounts import sessions, tokens
from kschedui.models import Scenario, SessionUse
from tests.web.conftest import OTHER, PASSWORD, Browser, sign_up


def test_an_account_takes_over_the_scenarios_of_its_browser(author: Browser, stranger: Browser) -> None:
    first, second = author.save(), author.save(OTHER)
    assert {row["id"] for row in author.get("/accounts/mine/").context["scenarios"]} == {first["id"], second["id"]}
    sign_up(author, "ada")
    assert {row["id"] for row in author.get("/accounts/mine/").context["scenarios"]} == {first["id"], second["id"]}
    elsewhere = stranger
    assert elsewhere.login(username="ada", password=PASSWORD)
    assert elsewhere.get(f"/s/{first['id']}/settings").status_code == 200


def test_logging_in_takes_over_the_scenarios_that_the_browser_saved_while_logged_out(author: Browser) -> None:
    sign_up(author, "ada")
    author.post("/accounts/logout/")
    saved = author.save()
    assert Scenario.objects.get().owner is None
    answer = author.post("/accounts/login/", {"username": "ada", "password": PASSWORD, "next": saved["url"]})
    assert answer["Location"] == saved["url"]
    assert Scenario.objects.get().owner.username == "ada"
    author.post("/accounts/logout/")
    assert author.get(f"/s/{saved['id']}/settings").status_code == 403


def log_in(address: str, name: str, password: str) -> int:
    form = {"username": name, "password": password}
    return int(Browser(REMOTE_ADDR=address).post("/accounts/login/", form).status_code)


def test_guessing_a_password_slows_the_addresses_that_guess(settings: Any, db: None) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login": 5}
    guesses = [f"198.51.100.{i}" for i in range(8)]
    assert [log_in(address, "ada", "guess") for address in guesses] == [200] * 8, "the first one of each address"
    assert [log_in(address, "ada", "guess") for address in guesses] == [429] * 8, "while others guess too"
    assert log_in("198.51.100.1", "bob", "guess") == 200
    assert [log_in("203.0.113.9", "bob", "guess") for _ in range(6)] == [200] * 4 + [429] * 2


def test_wrong_guesses_of_others_do_not_lock_the_owner_out(author: Browser, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login": 5}
    sign_up(author, "ada")
    for i in range(30):
        log_in(f"198.51.100.{i}", "ada", "guess")
    assert log_in("203.0.113.5", "ada", PASSWORD) == 302


@pytest.mark.parametrize("weak", ["123456789012", "password1234", "short"])
def test_a_common_or_short_password_is_refused(author: Browser, weak: str) -> None:
    form = {"username": "ada", "password1": weak, "password2": weak}
    assert author.post("/accounts/signup/", form).status_code == 200
    assert not get_user_model().objects.exists()


def test_the_admin_site_uses_the_sites_own_login_page(author: Browser) -> None:
    assert author.get("/admin/")["Location"] == "/admin/login/?next=/admin/"
    for method in (author.get, author.post):
        assert method("/admin/login/?next=/admin/")["Location"] == "/accounts/login/?next=/admin/"
    sign_up(author, "ada")
    assert author.get("/admin/", follow=True).status_code == 403
    User.objects.update(is_staff=True)
    assert author.get("/admin/").status_code == 200
    assert author.get("/admin/login/?next=/admin/", follow=True).redirect_chain[-1][0] == "/admin/"


def test_a_claim_link_gives_a_scenario_to_an_account_once(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    link = author.get(f"/s/{saved['id']}/settings").context["claim_url"]
    assert "/accounts/login/" in stranger.get(link)["Location"]
    sign_up(stranger, "grace")
    assert stranger.get(link).status_code == 200
    assert stranger.post(link).status_code == 302
    assert Scenario.objects.get(public_id=saved["id"]).owner.username == "grace"
    assert author.get(f"/s/{saved['id']}/settings").status_code == 403
    third = Browser()
    sign_up(third, "mallory")
    assert third.post(link).status_code == 403
    assert third.get("/claim/nonsense/").status_code == 404
    stranger.post(f"/s/{saved['id']}/settings", {"title": "Secret plans", "visibility": "private"})
    answer = third.get(link)
    assert answer.status_code == 403
    assert b"Secret plans" not in answer.content


def test_passwords_are_checked_and_names_taken_once(author: Browser) -> None:
    form = {"username": "ada", "password1": "short", "password2": "short"}
    assert author.post("/accounts/signup/", form).status_code == 200
    assert User.objects.count() == 0
    sign_up(author, "ada")
    assert "next" in author.get("/accounts/signup/?next=https://evil.example/").context
    assert author.get("/accounts/signup/?next=https://evil.example/").context["next"] == "/accounts/mine/"


NEW_PASSWORD = "another long enough one"


def change(browser: Browser, old: str, new: str = NEW_PASSWORD) -> Any:
    form = {"old_password": old, "new_password1": new, "new_password2": new}
    return browser.post("/accounts/password", form)


def test_a_change_of_the_password_ends_other_sessions_and_all_tokens(author: Browser, stranger: Browser) -> None:
    sign_up(author, "ada")
    assert stranger.login(username="ada", password=PASSWORD)
    _token, secret = tokens.make(User.objects.get(username="ada"), "script", ["read"])
    assert change(author, PASSWORD).status_code == 302
    assert tokens.find(secret) is None
    assert author.get("/accounts/").status_code == 200, "this session goes on"
    assert stranger.get("/accounts/").status_code == 302
    assert log_in("203.0.113.5", "ada", NEW_PASSWORD) == 302


def test_a_password_set_by_the_admin_ends_tokens_too(author: Browser) -> None:
    sign_up(author, "ada")
    user = User.objects.get(username="ada")
    _token, secret = tokens.make(user, "script", ["read"])
    user.set_password(NEW_PASSWORD)
    user.save()
    assert tokens.find(secret) is None


def test_a_password_changes_only_with_the_current_one_and_to_a_good_one(author: Browser, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "login": 5}
    sign_up(author, "ada")
    assert b"This is not the current password." in change(author, "wrong").content
    assert change(author, PASSWORD, "short").status_code == 200
    assert [change(author, "guess").status_code for _ in range(5)][-1] == 429
    assert log_in("203.0.113.5", "ada", PASSWORD) == 302


def test_an_account_without_a_password_cannot_change_it(author: Browser) -> None:
    sign_up(author, "ada")
    user = User.objects.get(username="ada")
    user.set_unusable_password()
    user.save()
    author.force_login(user)
    assert author.get("/accounts/password").status_code == 403


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:149.0) Gecko/20100101 Firefox/149.0"
CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0 Safari/537.36"


def test_the_account_page_lists_the_sessions_and_ends_one(author: Browser, stranger: Browser) -> None:
    author.defaults["HTTP_USER_AGENT"], stranger.defaults["HTTP_USER_AGENT"] = FIREFOX, CHROME
    sign_up(author, "ada")
    assert stranger.login(username="ada", password=PASSWORD)
    assert stranger.get("/accounts/").status_code == 200
    page = author.get("/accounts/")
    listed = {use.browser: use for use in page.context["sessions"]}
    assert set(listed) == {"Firefox, Linux", "Chrome, Windows"}
    assert listed["Firefox, Linux"].session_id == page.context["here"]
    assert page.context["here"] not in page.content.decode(), "the key is a secret"
    assert author.post(f"/accounts/sessions/{listed['Chrome, Windows'].pk}/end").status_code == 302
    assert stranger.get("/accounts/").status_code == 302
    assert [use.browser for use in author.get("/accounts/").context["sessions"]] == ["Firefox, Linux"]


def test_all_other_sessions_of_an_account_end_at_once(author: Browser, stranger: Browser) -> None:
    sign_up(author, "ada")
    others = [Browser(), Browser()]
    for other in others:
        assert other.login(username="ada", password=PASSWORD)
        assert other.get("/accounts/").status_code == 200
    sign_up(stranger, "bob")
    assert b"Log out all other browsers" in author.get("/accounts/").content
    assert author.post("/accounts/sessions/end").status_code == 302
    assert [other.get("/accounts/").status_code for other in others] == [302, 302]
    assert [one.get("/accounts/").status_code for one in (author, stranger)] == [200, 200]
    assert b"Log out all other browsers" not in author.get("/accounts/").content


def test_nobody_ends_the_session_of_another_account(author: Browser, stranger: Browser) -> None:
    sign_up(author, "ada")
    sign_up(stranger, "bob")
    (of_ada,) = author.get("/accounts/").context["sessions"]
    stranger.post(f"/accounts/sessions/{of_ada.pk}/end")
    assert author.get("/accounts/").status_code == 200


def test_a_session_that_is_used_again_within_a_minute_is_not_written(
    author: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_up(author, "ada")
    author.get("/accounts/")
    monkeypatch.setattr(sessions.SessionUse.objects, "filter", None)  # a second write would fail
    assert author.get("/accounts/mine/").status_code == 200


def test_a_logout_forgets_the_use_of_the_session(author: Browser) -> None:
    sign_up(author, "ada")
    author.get("/accounts/")
    author.post("/accounts/logout/")
    assert not SessionUse.objects.exists()
