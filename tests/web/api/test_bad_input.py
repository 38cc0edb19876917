"""Bad input is always answered with a sentence, never with a 500, and loses no saved data."""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from kschedui.models import Scenario, Version
from kschedui.runs import worker
from kschedui.scenarios import engine, prose
from kschedui.web.api import bodies
from tests.builders import node, pod, scenario
from tests.web.conftest import SMALL, Browser

ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
BAD_TEXTS = {
    "broken YAML": "apiVersion: v1\nkind: [Pod\n",
    "a tab for indentation": "kind:\n\t- Pod\n",
    "not a mapping": "just words",
    "nothing": "---\n---\n",
    "a wrong kind": "apiVersion: v1\nkind: Toaster\nmetadata: {name: a}\n",
    "a kind that is a list": "apiVersion: v1\nkind: [Pod]\nmetadata: {name: a}\n",
    "a million aliases": ALIASES,
    "a YAML tag that makes objects": "!!python/object/apply:os.system ['true']",
    "a NUL byte": "apiVersion: v1\nkind: Pod\nmetadata: {name: 'a\x00b'}\n",
    "half a surrogate, escaped in a name": '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "\\ud800"}}',
    "half a surrogate, escaped in a title": scenario(title="\ud800"),
    "deep nesting": "[" * 100_000,
    "deep blocks": "- " * 20_000 + "x",
    "deep JSON": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "a name that turns the writing direction": json.dumps(pod("good\u202egnp.exe")),
    "a name with script": json.dumps(pod("<script>alert(1)</script>")),
    "a name that is a number": "apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\nspec: {containers: [{name: a}]}",
    "a quantity too large": json.dumps(node("n1", cpu="9" * 400)),
    "a self reference": "a: &a\n  b: *a\n",
    "two scenarios": scenario(title="a") + "\n---\n" + scenario(title="b"),
}
ENDPOINTS = ["/api/v1/preview", "/api/v1/scenarios"]


def sentence(answer: Any) -> str:
    """Return the message of a problem or of a checked text, which must have no traceback and no class name."""
    found = answer.json()
    message: str = found["detail"] if "detail" in found else found["errors"][0]["message"]
    assert len(message) > 8, message
    assert "Traceback" not in message
    assert "Error(" not in message
    return message


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_a_bad_text_is_answered_with_a_place_and_a_sentence(author: Browser, text: str) -> None:
    saved = author.save()
    checked = author.post_json("/api/v1/check", text=text)
    assert checked.status_code == 200
    message = sentence(checked)
    assert {"message", "document", "line", "path"} <= set(checked.json()["errors"][0])
    for endpoint in ENDPOINTS:
        answer = author.post_json(endpoint, text=text)
        assert answer.status_code == 422, answer.content
        assert sentence(answer) == message
    refused = author.post_json(f"/api/v1/scenarios/{saved['id']}/versions", text=text, base=1)
    assert refused.status_code == 422
    assert Version.objects.get(scenario__scratch=False).text == SMALL


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_a_bad_text_is_imported_as_a_sentence_or_as_text_to_mend(author: Browser, text: str) -> None:
    answer = author.post_json("/api/v1/import", text=text)
    assert answer.status_code in (200, 422), answer.content
    if answer.status_code == 422:
        sentence(answer)


def test_more_bytes_than_the_limit_are_too_many(author: Browser, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "scenario_bytes": 400_000, "import_bytes": 400_000}
    for endpoint in ("/api/v1/check", "/api/v1/import", *ENDPOINTS):
        answer = author.post_json(endpoint, text="# " + "x" * 400_000)
        assert answer.status_code == 413
        assert "too large" in sentence(answer)
    assert Scenario.objects.count() == 0


def test_more_nodes_than_the_limit_are_refused(author: Browser, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "nodes": 2}
    text = scenario(*(node(f"n{i}") for i in range(3)))
    assert "the limit is 2" in sentence(author.post_json("/api/v1/scenarios", text=text))


BODIES = {
    "not JSON": b"{",
    "not an object": b"[1]",
    "null": b"null",
    "no text": b"{}",
    "a number for text": b'{"text": 7}',
    "half a surrogate": b'{"text": "kind: \\ud800"}',
    "an empty text": b'{"text": "  "}',
    "a list for an id": b'{"text": "a", "fork_of": []}',
    "a field that nobody knows": b'{"text": "a", "parent": "abc"}',
    "bytes that are no UTF-8": b'{"text": "\xff\xfe"}',
    "deep": b"[" * 100_000,
}
FORMS = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("endpoint", ["/api/v1/check", "/api/v1/import", *ENDPOINTS])
def test_a_body_that_is_not_ours_is_refused(author: Browser, endpoint: str, body: bytes) -> None:
    answer = author.post(endpoint, body, content_type="application/json")
    if not (answer.status_code == 200 and endpoint == "/api/v1/check"):
        assert answer.status_code in (400, 422)
    sentence(answer)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("endpoint", ["/api/v1/check", "/api/v1/import", *ENDPOINTS])
def test_json_that_calls_itself_something_else_is_read_or_refused(db: None, endpoint: str, kind: str) -> None:
    careful = Client(enforce_csrf_checks=True)
    careful.get("/new/")
    token = careful.cookies["kschedui_csrf"].value
    body = json.dumps({"text": SMALL})
    answer = careful.post(endpoint, body, content_type=kind, headers={"X-CSRFToken": token})
    read_as_it_is = 422 if endpoint == "/api/v1/import" else 400  # the import takes a body that is not JSON as the dump
    assert answer.status_code in (200, 201, 400, read_as_it_is), answer.content


ESCAPED = """
apiVersion: kschedui.io/v1alpha1
kind: Scenario
metadata:
  annotations:
    kschedui.io/look-at: "a\\0b"
    kschedui.io/captions: '[{attempt: 1, event: "a\\0", en: "\\0"}]'
spec: {title: "a\\0b", description: "a\\0b \\U0001F600"}
"""


def test_a_nul_that_yaml_escapes_is_dropped_before_it_is_stored(author: Browser) -> None:
    author.save(ESCAPED + "---\n" + scenario(node("n1", labels={"smile": "a"}), pod("a")))
    assert "\0" not in Scenario.objects.get().title
    lesson = Version.objects.get().lesson
    assert lesson["description"] == "ab \U0001f600"
    assert "\0" not in str(lesson)
    assert "\\x00" not in str(lesson)


@pytest.mark.parametrize("odd", ["a\x00b", "a" * 33, "ä", "a b", ""])
def test_ids_that_are_none_are_found_nowhere(author: Browser, odd: str) -> None:
    assert author.get("/new/", {"from": odd or "-"}).status_code == 404
    assert author.post_json(f"/api/v1/scenarios/{odd or '-'}/versions", text=SMALL).status_code == 404
    assert author.post_json("/api/v1/scenarios", text=SMALL, fork_of=odd or "-").status_code == 422
    saved = author.save()
    if odd:
        assert author.get(saved["url"], {"engine": odd}).status_code == 404


NOWHERE = [
    "/s/nothinghere/",
    "/s/nothinghere/v/1/",
    "/s/{id}/v/2/",
    "/s/{id}/v/0/",
    "/s/{id}/v/999999999/",
    "/s/{id}/v/99999999999999999999/",
    "/s/{id}/v/-1/",
    "/s/{id}/v/2/scenario.yaml",
    "/s/{id}/v/2/picture.svg",
    "/s/{id}/diff/1/7/",
    "/s/%00/",
    "/s/a%00b/",
    "/s/..%2f..%2fetc/",
    "/embed/nothinghere/v/1/",
    "/library/nothing/",
    "/new/?from=nothinghere",
    "/new/?from=%00",
    "/claim/x/",
    "/api/v1/runs/nothinghere",
    "/api/v1/runs/nothinghere/chunks/0",
    "/api/v1/runs/{run}/chunks/999999999",
    "/api/v1/runs/{run}/explain/999999999?nodes=n1",
    "/api/v1/runs/{run}/explain/1?nodes=nowhere",
    "/api/v1/runs/{run}/explain/0",
    "/api/v1/runs/{run}/objects/pod/default/nobody",
    "/api/v1/runs/{run}/objects/secret/default/a",
    "/s/{id}/v/1/?engine=9.9.9",
]


@pytest.mark.parametrize("path", NOWHERE)
def test_what_does_not_exist_is_a_page_that_says_so(author: Browser, path: str) -> None:
    saved = author.save()
    worker.execute(saved["run"])
    if path.startswith("/claim"):
        author.post("/accounts/signup/", {"username": "a", "password1": "long enough 1", "password2": "long enough 1"})
    answer = author.get(path.format(**saved))
    assert answer.status_code in (404, 422), answer.content
    if path.startswith("/api/v1/") and answer["Content-Type"] == "application/problem+json":
        sentence(answer)
    else:
        assert "sentence" in answer.context


@pytest.mark.parametrize("step", ["0", "999999999", "-1", "x", "1.5", "<script>", "9" * 500])
def test_a_step_past_the_end_is_still_the_scenario(author: Browser, step: str) -> None:
    saved = author.save()
    page = author.get(saved["url"], {"step": step})
    assert page.status_code == 200
    assert b"<script>" + step.encode() not in page.content
    qr = author.get(f"/s/{saved['id']}/v/1/qr.svg", {"step": step})
    assert qr.status_code in (200, 422)


EVIL = scenario(
    node("n1"),
    pod("a"),
    title="<script>alert(1)</script>\u202eevil\u0007 title",
    description="**fat** <script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)> [y](https://k8s.io)",
)


def test_script_in_names_and_descriptions_is_only_text(author: Browser) -> None:
    saved = author.save(EVIL)
    author.post(f"/s/{saved['id']}/settings", {"title": "", "visibility": "public"})
    page = author.get(saved["url"])
    html = page.context["description_html"]
    assert "<strong>fat</strong>" in html
    assert re.findall('href="([^"]*)"', html) == ["https://k8s.io"]
    for evil in ("<script", "<img", "onerror"):
        assert evil not in html
    for path in (saved["url"], "/", "/accounts/mine/", f"/s/{saved['id']}/edit/", f"/s/{saved['id']}/v/1/picture.svg"):
        content = author.get(path).content.decode()
        assert "<script>alert(1)" not in content, path
        assert "\u202e" not in content.replace("\\u202e", "") or "edit" in path, path
    assert Scenario.objects.get().title == "<script>alert(1)</script>evil title"


KNOTS = ["[", "![", "[a", "**a *b ", "> ", "`a", "<a ", "[a](", "a|b\n-|-\n", "1. "]


@pytest.mark.parametrize("knot", KNOTS)
def test_a_description_twice_as_long_takes_twice_the_work(knot: str) -> None:
    short, long = (lines_run(prose.markdown_html, (knot * 2000)[:length]) for length in (800, 1600))
    assert long < 3 * short


def lines_run(work: Callable[[str], object], text: str) -> int:
    """Return the number of lines of Python that run, which is the same on every machine."""
    count = 0

    def trace(*_: object) -> Any:
        nonlocal count
        count += 1
        return trace

    sys.settrace(trace)
    try:
        work(text)
    finally:
        sys.settrace(None)
    return count


def test_a_title_as_long_as_a_book_is_cut(author: Browser) -> None:
    author.save(scenario(node("n1"), title="x" * 100_000))
    assert len(Scenario.objects.get().title) == 200


def test_a_kept_text_that_is_refused_by_now_is_a_sentence_on_every_page(author: Browser, settings: Any) -> None:
    saved = author.save()
    settings.LIMITS = {**settings.LIMITS, "nodes": 1}
    engine.forget()  # limits change with a restart
    answer = author.post(f"/s/{saved['id']}/fork/")
    assert answer.status_code == 422
    assert answer.context["sentence"] == "The scenario has 2 nodes; the limit is 1."
    assert author.get(f"/s/{saved['id']}/edit/").status_code == 200  # where it can be corrected


def test_a_wrong_method_is_405(author: Browser) -> None:
    for path in ("/api/v1/check", "/api/v1/import", "/api/v1/preview"):
        answer = author.get(path)
        assert answer.status_code == 405
        assert answer["Allow"] == "POST"
        assert "POST" in sentence(answer)
    saved = author.save()
    assert author.get(f"/s/{saved['id']}/fork/").status_code == 405
    answer = author.post(saved["url"])
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD"
    assert "buttons" in answer.context["sentence"]


def test_under_api_even_what_django_refuses_is_json(author: Browser) -> None:
    answer = author.get("/api/v1/nothing")
    assert answer.status_code == 404
    assert "no page" in sentence(answer)
    assert author.get("/api/v1/check", headers={"Host": "evil.example"}).status_code == 400


def test_a_forged_form_is_refused(author: Browser) -> None:
    saved = author.save()
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = author.cookies
    for path in ("delete", "fork/", "settings"):
        answer = careful.post(f"/s/{saved['id']}/{path}")
        assert answer.status_code == 403
        assert "Reload the page" in answer.context["sentence"]
    body = json.dumps({"text": SMALL})
    answer = careful.post("/api/v1/scenarios", body, content_type="application/json")
    assert answer.status_code == 403
    sentence(answer)
    assert Scenario.objects.filter(deleted_at=None).count() == 1


def test_nobody_edits_the_library(author: Browser) -> None:
    saved = author.save()
    Scenario.objects.update(slug="a-lesson", editor_hash=Scenario.objects.get().editor_hash)
    assert author.post_json(f"/api/v1/scenarios/{saved['id']}/versions", text=EVIL).status_code == 403
    assert author.post(f"/s/{saved['id']}/delete").status_code == 403
    assert author.get("/library/a-lesson/")["Location"] == saved["url"]


MANY = 160_000  # so that a body has somewhat less than KSCHEDUI_MAX_DIRECT_BYTES
BODIES = {
    "lists": '{"text": [' + "[]," * MANY + "[]]}",
    "a list": "[" + "[]," * MANY + "[]]",
    "fields": "{" + ",".join(f'"field-{i}":1' for i in range(MANY // 6)) + "}",
    "few bytes of fields": "{" + ",".join(f'"k{i}":1' for i in range(1000)) + "}",
    "values": '{"text": "x", "factors": [' + "{}," * MANY + "{}]}",
    "nesting": '{"text": ' + '{"a":' * (MANY // 2),
    "a number": '{"text": ' + "9" * 3 * MANY + "}",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("path", ["scenarios", "check", "import", "experiments", "courses", "runs/abc/operations"])
def test_a_body_of_many_values_is_refused_in_short(path: str, body: str, author: Browser) -> None:
    """The process serves nobody else while it parses the body, and a sentence for each field would be megabytes."""
    answer = author.post(f"/api/v1/{path}", body, content_type="application/json")
    assert answer.status_code in (400, 404, 413, 422)
    assert len(answer.content) < 2000
    sentence(answer)


def test_what_is_parsed_at_once_is_short(author: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    loads = json.loads
    monkeypatch.setattr(bodies.json, "loads", lambda body: (parsed.append(len(body)), loads(body))[1])
    for body in BODIES.values():
        author.post("/api/v1/check", body, content_type="application/json")
    assert max(parsed, default=0) <= bodies.MAX_STRUCTURE
    long = author.post_json("/api/v1/check", text=SMALL + "#" * 3 * MANY)
    assert (long.status_code, max(parsed) > bodies.MAX_STRUCTURE) == (200, True)
