"""No odd character makes a request fail: NUL, half of a surrogate pair, right-to-left text, and very long text.

Each is put into every text of every operation in the OpenAPI document, and into every field of every form. Runs on
PostgreSQL too (operations/test_on_postgresql.py), which refuses characters that SQLite accepts.
"""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.contrib.auth.models import Group, User

from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.web.api.v1 import api
from kschedui.web.http import health
from tests.sampling import rest_slow
from tests.web.accounts.test_access_matrix import ROUTES
from tests.web.conftest import OTHER, SMALL, Browser, body_of, sign_up

pytestmark = pytest.mark.usefixtures("short_comparisons")
ODD = {
    "NUL": "a\0b",
    "half of a pair": "a\ud800b",
    "backwards": "\u202ea\u2066b",
    "no character": "\ufffe\uffff",
    "control": "\x1b[31m\x7f\x85",
    "beyond the first plane": "\U0001f600\U000e0001",
    "long": "x" * 5_000,
    "formula": '=cmd|"/c"!A1',
}
BYTES = {"overlong": "%C0%80", "no UTF-8": "%FF%FE", "half of a pair as bytes": "%ED%A0%80"}
PATH = ["metadata", "labels", "app"]
SET = {"type": "set", "kind": "Pod", "namespace": "default", "name": "a", "path": PATH, "value": "1"}
REMOVE = {"type": "remove", "kind": "Node", "name": "n1", "namespace": ""}
FACTOR = {"name": "weight", "variants": [{"label": "one", "edits": [SET]}, {"label": "two", "edits": [REMOVE]}]}
BODIES: dict[str, dict[str, Any]] = {
    "TextIn": {"text": OTHER},
    "ClassAnswerIn": {"text": OTHER, "name": "Ada"},
    "CheckedText": {"text": OTHER, "pod": "default/a"},
    "VersionIn": {"text": OTHER, "base": None, "upload": None},
    "ScenarioIn": {"text": OTHER, "title": "A title", "visibility": "unlisted", "fork_of": "{sid}", "upload": None},
    "SettingsIn": {"title": "A title", "visibility": "unlisted"},
    "ShareIn": {"account": "reader", "group": "a group", "may_edit": False},
    "NoteIn": {"text": "a note"},
    "AutoscalerIn": {"autoscaler": "karpenter", "until": 30.0},
    "EditsIn": {"edits": [SET, REMOVE, {"type": "weight", "plugin": "NodeAffinity", "weight": 2, "profile": ""}]},
    "QuestionIn": {"question": {"type": "drain", "nodes": ["n1"], "remove": True}},
    "ExperimentIn": {"scenario": "{sid}", "version": 1, "kubernetes": "1.36", "factors": [FACTOR]},
    "CourseIn": {"title": "A course", "about": "about it", "scenarios": ["{sid}"]},
    "CourseChange": {"title": "A course", "about": "about it", "scenarios": ["{sid}"]},
}
VALUES = {"number": "1", "a": "1", "b": "1", "seq": "0", "attempt": "1", "kind": "Pod", "namespace": "default"}
VALUES |= {"name": "a", "share_id": "1", "share": "1", "step": "1", "uid": "a" * 12}


@pytest.fixture
def ids(author: Browser, settings: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the ids of an object of each kind, which belong to an account without limits."""
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**9)
    big = ("browser_bytes", "account_bytes", "address_day_bytes", "experiments_going_on", "experiments_kept")
    settings.LIMITS = {**settings.LIMITS, **dict.fromkeys(big, 10**12)}
    monkeypatch.setattr(runs, "enqueue", lambda public_id: None)
    monkeypatch.setattr(health, "broker_answers", lambda: True)
    author.raise_request_exception = False
    sign_up(author, "ada")
    User.objects.create(username="reader")
    Group.objects.create(name="a group").user_set.add(User.objects.get(username="ada"))
    saved = author.save(SMALL)
    worker.execute(saved["run"])
    course = author.post_json("/api/v1/courses", title="A", about="", scenarios=[saved["id"]]).json()["id"]
    factors = [{"seeds": [1]}]
    made = author.post_json("/api/v1/experiments", scenario=saved["id"], factors=factors).json()["id"]
    code = author.post(f"/s/{saved['id']}/v/1/class", {"run": saved["run"]})["Location"].split("/")[2]
    return {"sid": saved["id"], "rid": saved["run"], "cid": course, "eid": made, "code": code}


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return json.loads(json.dumps(api.get_openapi_schema(), default=str))  # type: ignore[no-any-return]


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def schema_of(operation: dict[str, Any]) -> str:
    """Return the name of the schema of its JSON body; "" without one."""
    found = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return str(found.get("$ref", "TextIn" if found else "")).rsplit("/", 1)[-1]


def with_odd_texts(body: Any, odd: str) -> Iterator[Any]:
    """Yield copies of the body, each with one of its texts replaced by `odd`, or with `odd` as an additional key."""
    if isinstance(body, str):
        yield odd
    elif isinstance(body, list):
        for i, part in enumerate(body):
            yield from ([*body[:i], changed, *body[i + 1 :]] for changed in with_odd_texts(part, odd))
    elif isinstance(body, dict):
        yield {**body, odd: "x"}
        for name, part in body.items():
            yield from ({**body, name: changed} for changed in with_odd_texts(part, odd))


def test_each_body_of_the_document_is_known_with_all_of_its_fields() -> None:
    known = document()["components"]["schemas"]
    for name in filter(None, (schema_of(operation) for *_, operation in operations())):
        assert set(known[name]["properties"]) == set(BODIES[name]), name


def test_the_factors_are_accepted_as_they_are(author: Browser, ids: dict[str, str]) -> None:
    """Otherwise every request would be refused for its factors, and the test above would test nothing."""
    body = json.loads(json.dumps(BODIES["ExperimentIn"]).replace("{sid}", ids["sid"]))
    answer = author.post_json("/api/v1/experiments", **body)
    assert answer.status_code == 201, answer.content


@pytest.mark.parametrize("odd", rest_slow(3, [pytest.param(odd, id=name) for name, odd in ODD.items()]))
def test_no_text_of_the_api_makes_it_fail(author: Browser, ids: dict[str, str], odd: str) -> None:
    failed, sent = [], 0
    for method, path, operation in operations():
        if method == "delete" or path.endswith("/restore"):
            continue
        address = path.format(**VALUES, **ids)
        texts = [one for one in operation.get("parameters", []) if one["schema"].get("type", "string") == "string"]
        value = quote(odd, errors="surrogatepass")
        addresses = [f"{address}?{one['name']}={value}" for one in texts if one["in"] == "query"]
        named = [one["name"] for one in texts if one["in"] == "path"]
        addresses += [path.replace(f"{{{name}}}", value).format(**VALUES, **ids) for name in named]
        for changed in addresses:
            failed += failure(author.generic(method.upper(), changed, "{}", "application/json"), method, changed)
            sent += 1
        if schema := schema_of(operation):
            body = json.loads(json.dumps(BODIES[schema]).replace("{sid}", ids["sid"]))
            for changed in with_odd_texts(body, odd):
                answer = author.generic(method.upper(), address, json.dumps(changed), "application/json")
                failed += failure(answer, method, address, changed)
                sent += 1
    assert sent > 80
    assert failed == []
    assert failing_pages(author, ids) == []


def failure(answer: Any, *about: Any) -> list[Any]:
    """Return a list with the request if it failed, or an empty list."""
    return [(answer.status_code, *(str(one)[:200] for one in about))] if answer.status_code >= 500 else []


def failing_pages(browser: Browser, ids: dict[str, str]) -> list[Any]:
    """Return a row for each list and page of the stored objects that fails."""
    failed: list[Any] = []
    lists = [f"/{route}" for route in ROUTES if "{" not in route and "readyz" not in route and "healthz" not in route]
    pages = [f"/{route.format(**{**VALUES, **ids})}" for route in ROUTES if re.search("{(sid|cid|eid)}", route)]
    for path in [*lists, *(page for page in pages if "{" not in page)]:
        answer = browser.get(path)
        failed += failure(answer, "get", path)
    return failed


class Forms(HTMLParser):
    """Finds (address, names and values of the fields, names of the text fields) of each form with the method POST."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.found: list[tuple[str, dict[str, str], set[str]]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = known.get("method", "").lower() == "post"
            if self.inside:
                self.found.append((known.get("action") or self.page, {}, set()))
        elif tag in ("input", "textarea", "select", "button") and self.inside and known.get("name"):
            self.found[-1][1][known["name"]] = known.get("value", "")
            if known["name"] != "csrfmiddlewaretoken":
                self.found[-1][2].add(known["name"])

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "form"


def forms(browser: Browser, ids: dict[str, str]) -> dict[tuple[str, ...], tuple[str, dict[str, str], set[str]]]:
    """Return the forms of all pages, each once."""
    known: dict[tuple[str, ...], tuple[str, dict[str, str], set[str]]] = {}
    for page in (f"/{route}" for route in ROUTES if "api/" not in route):
        try:
            path = page.format(**{**VALUES, **ids})
        except KeyError:
            continue
        answer = browser.get(path)
        if "text/html" in answer.headers.get("Content-Type", ""):
            parser = Forms(path)
            parser.feed(body_of(answer).decode())
            for address, fields, texts in parser.found:
                known.setdefault((address, *sorted(texts)), (address, fields, texts))
    return known


LEAVES = re.compile(r"logout|/delete$|/restore$|/revoke$")
CHANGES = {"username": "ada", "password": "x", "password1": "x", "password2": "x"}


@pytest.mark.parametrize("logged_in", [True, False], ids=["with an account", "without"])
def test_no_field_of_a_form_makes_it_fail(
    author: Browser, stranger: Browser, ids: dict[str, str], *, logged_in: bool
) -> None:
    browser = author if logged_in else stranger
    browser.raise_request_exception = False
    known = forms(browser, ids)
    assert len(known) >= (10 if logged_in else 5)
    failed = []
    for address, fields, texts in known.values():
        if LEAVES.search(address.partition("?")[0]):
            continue
        for name in sorted(texts):
            rest = urlencode({**{one: CHANGES.get(one, value) for one, value in fields.items()}, name: ""})
            values = [quote(odd, errors="surrogatepass") for odd in ODD.values()] + list(BYTES.values())
            for value in values:
                body = re.sub(rf"(^|&){re.escape(quote(name))}=", lambda m: f"{m[0]}{value}", rest)  # noqa: B023
                answer = browser.generic("POST", address, body, "application/x-www-form-urlencoded")
                failed += failure(answer, "post", address, name, value)
    assert failed == []
    assert failing_pages(browser, ids) == []
