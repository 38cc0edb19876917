"""The OpenAPI document names the problems that the code can answer with, their headers, and the limits of requests."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from kschedui.web.api import callers, rates, refusals
from kschedui.web.api.v1 import api
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db

SHARED = (callers, rates, refusals)  # modules that every operation uses


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    described: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema()))
    return described


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def refusals_in(path: Path) -> Iterator[tuple[int, set[str]]]:
    """Yield status and header names of every `Refusal(status, ..., headers={...})` in a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal"):
            continue
        headers = next((one.value for one in node.keywords if one.arg == "headers"), None)
        keys = headers.keys if isinstance(headers, ast.Dict) else []
        names = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
        names |= {"WWW-Authenticate"} if isinstance(headers, ast.Name) and headers.id == "CHALLENGE" else set()
        statuses = {one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)}
        yield from ((status, names) for status in statuses if isinstance(status, int))


def test_whatever_every_call_can_be_refused_with_is_documented(document: dict[str, Any]) -> None:
    given: dict[int, set[str]] = {}
    for module in SHARED:
        for status, headers in refusals_in(Path(str(module.__file__))):
            given.setdefault(status, set()).update(headers)
    shared = {401, 429, 503}  # other statuses depend on the request
    assert shared <= given.keys()
    for name, operation in operations(document):
        for status in shared:
            described = operation["responses"].get(str(status))
            assert described, f"{name} does not document {status}"
            assert given[status] <= described.get("headers", {}).keys(), f"{name}, {status}"


def test_every_header_of_a_refusal_is_in_the_document(document: dict[str, Any]) -> None:
    files = sorted((ROOT / "kschedui" / "web" / "api").rglob("*.py"))
    names = {name for file in files for _, headers in refusals_in(file) for name in headers}
    assert {"Retry-After", "WWW-Authenticate"} <= names
    assert names - {"Allow"} <= document["components"]["headers"].keys()  # Allow: of addresses, not of operations


def calls_in(path: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield every function of a module, with the names that it calls."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
            yield node.name, {one.id for one in calls if isinstance(one, ast.Name)}


def test_an_operation_that_may_wait_documents_the_field_for_its_place(document: dict[str, Any]) -> None:
    called: dict[str, set[str]] = {"work": {"work"}}  # function: what it calls, also in other modules
    modules = {file.stem: dict(calls_in(file)) for file in (ROOT / "kschedui/web/api/routes").rglob("*.py")}
    for calls in modules.values():
        for name, names in calls.items():
            called.setdefault(name, set()).update(names)

    def works(name: str, met: frozenset[str] = frozenset()) -> bool:
        return "work" in called.get(name, ()) or any(
            works(one, met | {name}) for one in called.get(name, set()) - met - {name}
        )

    waiting = {"$ref": "#/components/schemas/Waiting"}
    for name, operation in operations(document):
        module, _, function = operation["operationId"].partition("_")
        schema = operation["responses"].get("202", {}).get("content", {}).get("application/json", {}).get("schema", {})
        is_documented = waiting in (schema, *schema.get("anyOf", ()))
        assert is_documented == any(map(works, modules[module][function])), name
    assert {"Waiting", "WorkAhead", "Problem"} <= document["components"]["schemas"].keys()


def test_a_call_tells_how_many_are_left(client: Client, document: dict[str, Any]) -> None:
    path = "/api/v1/scenarios"
    first, second = client.get(path), client.get(path)
    left = [int(one.headers["RateLimit-Remaining"]) for one in (first, second)]
    assert left[0] == left[1] + 1 == int(first.headers["RateLimit-Limit"]) - 1 or left[0] < left[1]  # a new minute
    assert 1 <= int(first.headers["RateLimit-Reset"]) <= rates.MINUTE
    documented = document["paths"][path]["get"]["responses"]["200"]["headers"]
    assert {name for name in first.headers if name.startswith("RateLimit-")} == documented.keys()


def test_a_call_too_many_is_refused_as_documented(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "RATE_LIMITS", {**settings.RATE_LIMITS, "read": 0})
    refused = client.get("/api/v1/scenarios")
    assert refused.status_code == 429
    assert refused.headers["RateLimit-Remaining"] == "0"
    assert 1 <= int(refused.headers["Retry-After"]) <= rates.MINUTE


def test_the_site_and_the_defaults_stand_in_the_document(document: dict[str, Any]) -> None:
    assert [one["url"] for one in document["servers"]] == ["/"]
    schemas = document["components"]["schemas"]
    assert "unlisted" in schemas["ScenarioIn"]["properties"]["visibility"]["description"]
    entries = schemas["CourseIn"]["properties"]["scenarios"]
    assert (entries["minItems"], entries["maxItems"]) == (1, 100)
