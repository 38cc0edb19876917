"""API v1 as a script uses it: tokens and scopes, problems, lists, idempotency, events, sharing."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from kschedui.accounts import tokens
from kschedui.housekeeping import purge
from kschedui.models import ApiToken, IdempotencyKey, Run, Scenario
from kschedui.runs import worker
from tests.web.conftest import OTHER, SMALL, Browser, body_of, sign_up

V1 = "/api/v1"


class Script(Client):
    """A program that sends a token, and no cookies at first."""

    def __init__(self, name: str = "ada", *scopes: str) -> None:
        user, _ = User.objects.get_or_create(username=name)
        token, secret = tokens.make(user, "a script", list(scopes or tokens.SCOPES))
        self.user, self.token = user, token
        super().__init__(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send a request with the token, and return the answer."""
        data = "" if body is None else json.dumps(body)
        return self.generic(method, V1 + path, data, content_type="application/json", headers=headers)

    def save(self, text: str = SMALL, **more: Any) -> dict[str, Any]:
        answer = self.call("POST", "/scenarios", {"text": text, **more})
        assert answer.status_code == 201, answer.content
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture
def script(db: None) -> Script:
    return Script()


def problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    """Assert that the response is a problem with this status and code, and return the problem document."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert (found["status"], found["code"]) == (status, code)
    assert found["type"] == f"/api/v1/docs#{code}"
    assert found["title"]
    assert found["detail"]
    return found


def test_a_token_is_made_on_the_account_page_shown_once_and_kept_as_a_hash(author: Browser) -> None:
    sign_up(author, "ada")
    made = author.post("/accounts/", {"name": "ci", "scopes": ["read"]})
    secret = made.context["secret"]
    assert secret in made.content.decode()
    assert made["Cache-Control"] == "no-store"
    kept = ApiToken.objects.get()
    assert secret not in str(vars(kept))
    assert secret not in author.get("/accounts/").content.decode()
    me = Client(headers={"Authorization": f"Bearer {secret}"}).get(f"{V1}/me").json()
    assert me == {"account": "ada", "scopes": ["read"]}
    kept.refresh_from_db()
    assert kept.last_used is not None


def test_a_revoked_token_is_worth_nothing_and_nobody_else_revokes_it(script: Script, stranger: Browser) -> None:
    sign_up(stranger, "eve")
    stranger.post(f"/accounts/tokens/{script.token.pk}/revoke")
    assert script.call("GET", "/me").status_code == 200
    tokens.revoke(script.user, script.token.pk)
    answer = script.call("GET", "/me")
    problem(answer, 401, "invalid_token")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_token_of_an_account_that_was_closed_is_worth_nothing(script: Script) -> None:
    User.objects.update(is_active=False)
    problem(script.call("GET", "/scenarios?whose=mine"), 401, "invalid_token")


@pytest.mark.parametrize("header", ["Bearer", "Bearer x", "Bearer ksu_\x7fä", "Basic YTpi", "", "bearer  "])
def test_what_is_no_token_is_refused_and_not_taken_for_a_visitor(db: None, header: str) -> None:
    problem(Client(headers={"Authorization": header}).get(f"{V1}/scenarios"), 401, "invalid_token")


def test_a_token_that_may_read_does_not_write(db: None) -> None:
    script = Script("ada", "read")
    problem(script.call("POST", "/scenarios", {"text": SMALL}), 403, "insufficient_scope")
    assert script.call("POST", "/check", {"text": SMALL}).status_code == 200
    assert Scenario.objects.count() == 0


def test_a_token_stands_for_its_account_alone_whatever_cookies_come_with_it(author: Browser, script: Script) -> None:
    saved = author.save()
    script.cookies = author.cookies
    problem(script.call("PATCH", f"/scenarios/{saved['id']}", {"title": "Mine now"}), 403, "forbidden")


def test_a_change_with_cookies_alone_is_refused(db: None) -> None:
    careful = Client(enforce_csrf_checks=True)
    answer = careful.post(f"{V1}/scenarios", {"text": SMALL}, content_type="application/json")
    problem(answer, 403, "csrf_failed")


def test_problems_of_a_token_are_english_and_those_of_a_page_in_its_language(author: Browser, script: Script) -> None:
    chinese = {"Accept-Language": "zh-hans"}
    assert "run does not exist" in script.call("GET", "/runs/nothing", **chinese).json()["detail"]
    assert "run does not exist" not in author.get(f"{V1}/runs/nothing", headers=chinese).json()["detail"]


def test_a_scenario_is_made_read_named_shown_deleted_and_brought_back(script: Script) -> None:
    saved = script.save(visibility="private", title="Mine")
    path = f"/scenarios/{saved['id']}"
    found = script.call("GET", path).json()
    assert (found["title"], found["visibility"], found["version"], found["pods"]) == ("Mine", "private", 1, 3)
    found = script.call("PATCH", path, {"visibility": "public", "title": ""}).json()
    assert (found["title"], found["visibility"]) == ("Small", "public")
    assert script.call("DELETE", path).status_code == 204
    problem(script.call("GET", path), 410, "deleted")
    assert script.call("POST", f"{path}/restore").json()["deleted"] is False
    assert script.call("GET", path).status_code == 200


def test_versions_are_saved_read_and_compared(script: Script) -> None:
    path = f"/scenarios/{script.save()['id']}/versions"
    assert script.call("POST", path, {"text": OTHER, "base": 1}).json()["version"] == 2
    found = problem(script.call("POST", path, {"text": SMALL + "\n#", "base": 1}), 409, "version_conflict")
    assert found["version"] == 2
    assert [one["number"] for one in script.call("GET", path).json()] == [2, 1]
    assert script.call("GET", f"{path}/1").json()["text"] == SMALL
    rows = script.call("GET", f"{path}/1/compare/2").json()["rows"]
    assert {"+", "-"} <= {row["mark"] for row in rows}


def test_the_same_create_call_twice_makes_one_scenario(script: Script) -> None:
    key = {"Idempotency-Key": "a-key"}
    first = script.call("POST", "/scenarios", {"text": SMALL}, **key)
    again = script.call("POST", "/scenarios", {"text": SMALL}, **key)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    problem(script.call("POST", "/scenarios", {"text": OTHER}, **key), 422, "idempotency_key_reused")
    assert Script("eve").call("POST", "/scenarios", {"text": OTHER}, **key).status_code == 201
    assert Scenario.objects.count() == 2


def test_a_key_may_be_used_again_the_day_after(script: Script) -> None:
    key = {"Idempotency-Key": "a-key"}
    script.call("POST", "/scenarios", {"text": SMALL}, **key)
    IdempotencyKey.objects.update(created="2026-01-01T00:00:00Z")
    purge()
    assert script.call("POST", "/scenarios", {"text": OTHER}, **key).status_code == 201


def test_a_list_is_read_page_by_page_without_gap_or_double(script: Script) -> None:
    made = [script.save(title=f"Number {n}")["id"] for n in range(7)]
    Scenario.objects.update(updated="2026-01-01T00:00:00Z")  # the same time for all, which does not order them
    found: list[str] = []
    after = ""
    while after is not None:
        page = script.call("GET", f"/scenarios?whose=mine&limit=3{after and f'&after={after}'}").json()
        found += [one["id"] for one in page["items"]]
        after = page["next"]
    assert found == made[::-1]
    problem(script.call("GET", "/scenarios?after=nothing"), 422, "unprocessable")


def test_a_search_finds_words_of_titles_that_one_may_see(script: Script) -> None:
    script.save(title="GPU nodes and taints", visibility="public")
    script.save(title="GPU secret", visibility="private")
    assert [one["title"] for one in script.call("GET", "/scenarios?search=taints+gpu").json()["items"]] == [
        "GPU nodes and taints"
    ]
    assert len(script.call("GET", "/scenarios?whose=mine&search=gpu").json()["items"]) == 2
    assert Script("eve").call("GET", "/scenarios?search=secret").json()["items"] == []


def test_a_field_that_nobody_knows_is_named(script: Script) -> None:
    found = problem(script.call("POST", "/scenarios", {"text": SMALL, "visible": "public"}), 422, "invalid_request")
    assert found["errors"][0]["path"] == "visible"
    found = problem(script.call("GET", "/scenarios?limit=1000"), 422, "invalid_request")
    assert found["errors"][0]["path"] == "query.limit"


@pytest.mark.parametrize(
    ("method", "path", "body", "sentence", "chinese"),
    [
        ("POST", "/check", {}, "text: this field is required", "text：缺少该字段"),
        ("POST", "/check", {"text": 7}, "text: expected a string", "text：应为字符串"),
        ("POST", "/check", [], "body: expected a JSON object", "body：应为 JSON 对象"),
        ("POST", "/check", {"text": "a", "of": 1}, "of: there is no field of this name", "of：没有这个字段"),
        ("GET", "/scenarios?limit=x", None, "query.limit: expected an integer", "query.limit：应为整数"),
        ("POST", "/check", {"text": ""}, "text: this field must not be empty", "text：该字段不能为空"),
        (
            "POST",
            "/scenarios",
            {"text": SMALL, "visibility": "x"},
            "visibility: expected one of: 'private', 'unlisted', 'public'",
            "visibility：应为以下之一：'private', 'unlisted', 'public'",
        ),
    ],
)
def test_a_wrong_field_is_told_with_what_was_expected(
    author: Browser, method: str, path: str, body: Any, sentence: str, chinese: str
) -> None:
    data = json.dumps(body) if method == "POST" else ""
    for language, words in (("en", sentence), ("zh-hans", chinese)):
        headers = {"Accept-Language": language}
        answer = author.generic(method, V1 + path, data, content_type="application/json", headers=headers)
        assert problem(answer, 422, "invalid_request")["detail"] == words


def test_a_text_that_is_refused_has_its_place_in_the_problem(script: Script) -> None:
    text = "apiVersion: v1\nkind: Node\nmetadata:\n  name: UPPER\n"
    found = problem(script.call("POST", "/scenarios", {"text": text}), 422, "invalid_scenario")
    assert (found["errors"][0]["line"], found["errors"][0]["path"]) == (4, "metadata.name")


def test_events_are_lines_or_server_sent_and_go_on_behind_the_last_one(script: Script, finished: Run) -> None:
    path = f"/runs/{finished.public_id}/events"
    lines = body_of(script.call("GET", path)).splitlines()
    assert len(lines) == finished.steps
    sent = body_of(script.call("GET", path, Accept="text/event-stream")).split(b"\n\n")
    assert sent[0] == b"id: 0\nevent: trace\ndata: " + lines[0]
    assert sent[-2] == b'event: end\ndata: {"state":"done","steps":%d}' % finished.steps
    last = str(finished.steps - 3)
    rest = body_of(script.call("GET", path, **{"Accept": "text/event-stream", "Last-Event-ID": last}))
    assert rest.count(b"event: trace") == 2
    assert body_of(script.call("GET", f"{path}?from_step={finished.steps - 2}")).splitlines() == lines[-2:]
    for wrong in ("x", "-1", "9" * 5000):
        problem(script.call("GET", path, **{"Last-Event-ID": wrong}), 422, "invalid_request")


def test_events_of_several_chunks_are_numbered_through(script: Script, many: Run) -> None:
    sent = body_of(script.call("GET", f"/runs/{many.public_id}/events", Accept="text/event-stream"))
    ids = [int(line[4:]) for line in sent.splitlines() if line.startswith(b"id: ")]
    assert ids == list(range(many.steps))


def test_decisions_are_there_when_the_run_is_done(script: Script) -> None:
    run = script.save()["run"]
    problem(script.call("GET", f"/runs/{run}/decisions"), 409, "conflict")
    assert script.call("GET", f"/runs/{run}").json()["state"] == "queued"
    worker.execute(run)
    lines = body_of(script.call("GET", f"/runs/{run}/decisions")).splitlines()
    *attempts, end = map(json.loads, lines)
    assert {one["pod"] for one in attempts} == {"default/a", "default/b", "default/big"}
    assert end["final"]["pending"] == ["default/big"]


def test_plugins_and_lessons_are_listed(script: Script) -> None:
    plugins = {one["name"]: one for one in script.call("GET", "/plugins").json()}
    assert {"Filter", "Score"} <= set(plugins["NodeResourcesFit"]["points"])
    assert script.call("GET", "/plugins/TaintToleration").json()["url"] == "/plugins/TaintToleration/"
    problem(script.call("GET", "/plugins/Nothing"), 404, "not_found")
    assert script.call("GET", "/lessons").json() == []


def test_a_private_scenario_is_shared_with_an_account_to_see_then_to_edit(script: Script) -> None:
    saved, eve = script.save(visibility="private"), Script("eve")
    path = f"/scenarios/{saved['id']}"
    problem(eve.call("GET", path), 403, "forbidden")
    share = script.call("POST", f"{path}/shares", {"account": "eve"}).json()
    assert eve.call("GET", path).json()["may_edit"] is False
    assert [one["id"] for one in eve.call("GET", "/scenarios?whose=shared").json()["items"]] == [saved["id"]]
    problem(eve.call("POST", f"{path}/versions", {"text": OTHER}), 403, "forbidden")
    script.call("POST", f"{path}/shares", {"account": "eve", "may_edit": True})
    assert eve.call("POST", f"{path}/versions", {"text": OTHER}).json()["version"] == 2
    for method, below in (("DELETE", ""), ("PATCH", ""), ("GET", "/shares"), ("POST", "/shares")):
        body = {"title": "x"} if method == "PATCH" else {"account": "eve"}
        problem(eve.call(method, path + below, body), 403, "forbidden")
    assert script.call("DELETE", f"{path}/shares/{share['id']}").status_code == 204
    problem(eve.call("GET", path), 403, "forbidden")
    problem(script.call("DELETE", f"{path}/shares/{share['id']}"), 404, "not_found")


def test_a_group_sees_what_is_shared_with_it_while_one_belongs_to_it(script: Script) -> None:
    group = Group.objects.create(name="class of 2026")
    path = f"/scenarios/{script.save(visibility='private')['id']}"
    refused = problem(script.call("POST", f"{path}/shares", {"group": "class of 2026"}), 422, "unprocessable")
    assert "not a member of a group" in refused["detail"]
    script.user.groups.add(group)
    script.call("POST", f"{path}/shares", {"group": "class of 2026"})
    eve = Script("eve")
    problem(eve.call("GET", path), 403, "forbidden")
    eve.user.groups.add(group)
    assert eve.call("GET", path).status_code == 200
    eve.user.groups.clear()
    problem(eve.call("GET", path), 403, "forbidden")


def test_a_permission_changes_where_there_are_as_many_shares_as_may_be(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kschedui.scenarios.sharing.MAX_SHARES", 2)
    group = Group.objects.create(name="a class")
    script.user.groups.add(group)
    path = f"/scenarios/{script.save(visibility='private')['id']}/shares"
    for name in ("eve", "zoe"):
        Script(name)
    for body in ({"group": "a class"}, {"account": "eve"}, {"account": "eve", "may_edit": True}):
        script.call("POST", path, body)
    assert [(one["account"], one["group"], one["may_edit"]) for one in script.call("GET", path).json()] == [
        ("eve", "", True),
        ("", "a class", False),
    ]
    problem(script.call("POST", path, {"account": "zoe"}), 422, "unprocessable")


def test_sharing_with_nobody_or_with_two_is_refused(script: Script) -> None:
    path = f"/scenarios/{script.save()['id']}/shares"
    for body in ({}, {"account": "a", "group": "b"}):
        problem(script.call("POST", path, body), 422, "invalid_request")
    for name in ("nobody", "ada"):
        problem(script.call("POST", path, {"account": name}), 422, "unprocessable")


def test_head_is_get_without_a_body(script: Script) -> None:
    answer = script.call("HEAD", "/scenarios")
    assert (answer.status_code, answer.content) == (200, b"")


def test_the_page_of_the_api_names_every_operation_and_needs_nothing_from_elsewhere(author: Browser) -> None:
    html = author.get(f"{V1}/docs").content.decode().replace("<wbr>", "")
    document = author.get(f"{V1}/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for path, methods in document["paths"].items():
        assert path in html
        assert all(f'id="{one["operationId"]}"' in html for one in methods.values())
    assert "<script>" not in html
    assert "https://" not in html


def test_a_token_expires(author: Browser) -> None:
    sign_up(author, "ada")
    author.post("/accounts/", {"name": "short", "scopes": ["read"], "days": "30"})
    author.post("/accounts/", {"name": "long", "scopes": ["read"], "days": ""})
    short, long = ApiToken.objects.get(name="short"), ApiToken.objects.get(name="long")
    assert long.expires is None
    assert short.expires is not None
    assert timedelta(days=29) < short.expires - short.created <= timedelta(days=30, seconds=1)
    _, secret = tokens.make(short.owner, "soon", ["read"], days=1)
    assert tokens.find(secret) is not None
    ApiToken.objects.filter(name="soon").update(expires=timezone.now())
    assert tokens.find(secret) is None
    refused = Client().get("/api/v1/scenarios", headers={"Authorization": f"Bearer {secret}"})
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_token")
