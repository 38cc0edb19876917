"""Every address is requested in every role: only roles with access see or change a private scenario.

The addresses come from the URL configuration, so that new ones are tested automatically: unless `NEEDS` has another
rule for an address, it requires the right to see the scenario, and must refuse everybody without it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver

from kschedui.models import Course, Scenario
from kschedui.runs import worker
from kschedui.scenarios import access, courses, sharing
from kschedui.scenarios import store as scenarios
from kschedui.urls import websocket_urlpatterns
from kschedui.web.live.connection import NOT_ALLOWED
from tests.builders import node, pod, scenario
from tests.web.api.test_api_v1 import Script
from tests.web.conftest import Browser, body_of
from tests.web.sockets import closed, cookies_of, in_loop, socket, subscription, text

pytestmark = pytest.mark.usefixtures("short_comparisons")
SECRET = "Unheard-of title"
TEXT = scenario(node("n1"), pod("hidden-pod"), title=SECRET)
SEE, EDIT, OWN = range(3)
ROLES = {"nobody": None, "another": None, "staff": None, "reader": SEE, "member": SEE, "editor": EDIT, "owner": OWN}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
VALUES = {
    "number": "1", "a": "1", "b": "1", "seq": "0", "attempt": "1", "kind": "pod", "namespace": "default",
    "name": "hidden-pod", "share_id": "1", "share": "1", "pk": "1",
    "step": "1", "uid": "a" * 12,
}  # fmt: skip
NEEDS = {
    ("GET", "s/{sid}/settings"): OWN,
    ("POST", "s/{sid}/settings"): OWN,
    ("POST", "s/{sid}/delete"): OWN,
    ("POST", "s/{sid}/restore"): OWN,
    ("POST", "s/{sid}/shares"): OWN,
    ("POST", "s/{sid}/v/{number}/class"): OWN,
    ("POST", "s/{sid}/shares/{share}/end"): OWN,
    ("PATCH", "api/v1/scenarios/{sid}"): OWN,
    ("DELETE", "api/v1/scenarios/{sid}"): OWN,
    ("POST", "api/v1/scenarios/{sid}/restore"): OWN,
    ("GET", "api/v1/scenarios/{sid}/shares"): OWN,
    ("POST", "api/v1/scenarios/{sid}/shares"): OWN,
    ("DELETE", "api/v1/scenarios/{sid}/shares/{share_id}"): OWN,
    ("POST", "api/v1/scenarios/{sid}/versions"): EDIT,
    ("POST", "api/v1/runs/{rid}/cancel"): EDIT,
    ("POST", "api/v1/experiments/{eid}/cancel"): EDIT,
    ("POST", "api/v1/experiments/{eid}/again"): EDIT,
    ("DELETE", "api/v1/experiments/{eid}"): EDIT,
}
BODIES: dict[str, dict[str, Any]] = {
    "api/v1/scenarios/{sid}/shares": {"account": "reader"},
    "api/v1/scenarios/{sid}": {"title": "x"},
    "api/v1/scenarios/{sid}/versions/{number}/notes/{step}": {"text": "x"},
    "api/v1/courses/{cid}": {"title": "A course"},
    "api/v1/runs/{rid}/attempts/{attempt}/what-if": {"edits": []},
    "api/v1/runs/{rid}/attempts/{attempt}/keep": {"edits": []},
    "api/v1/runs/{rid}/operations": {"question": {"type": "reschedule"}},
    "api/v1/runs/{rid}/operations/keep": {"question": {"type": "reschedule"}},
    "api/v1/runs/{rid}/autoscaling/keep": {"autoscaler": "karpenter"},
}
QUERIES = {
    "api/v1/runs/{rid}/upgrade": "?to=1.35",
    "api/v1/runs/{rid}/times": "?pods=default/a",
    "api/v1/runs/{rid}/attempts/{attempt}/weights": "?node=n1",
    "api/v1/runs/{rid}/times/without": "?pod=default/a&cause=gated",
}


def routes(patterns: Any = None, before: str = "") -> Iterator[str]:
    """Yield every address of the project itself, with {names} for its parameters."""
    for one in get_resolver().url_patterns if patterns is None else patterns:
        route = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(one.pattern))
        if isinstance(one, URLResolver):
            yield from () if route.startswith("admin/") else routes(one.url_patterns, route)
        elif isinstance(one, URLPattern):
            yield route


ROUTES = sorted({route for route in routes() if not route.startswith("^")})
OF_A_REQUESTER = (
    "accounts/mine/runs/{rid}/delete"  # tests/web/runs/test_who_pays.py: for the person who requested the run
)
OF_A_SCENARIO = [route for route in ROUTES if re.search("{[ser]id}", route) and route != OF_A_REQUESTER]
OF_A_COURSE = [route for route in ROUTES if "{cid}" in route]


@pytest.fixture
def ids(db: None) -> dict[str, str]:
    """Return the ids of a private scenario that is shared with the roles that see it, its run, and its experiment."""
    owner = Script("owner")
    saved = owner.save(TEXT, visibility="private")
    worker.execute(saved["run"])
    made = scenarios.by_id(saved["id"])
    group = Group.objects.create(name="a group")
    for name in ROLES:
        if name != "nobody":
            User.objects.get_or_create(username=name, defaults={"is_staff": name == "staff"})
    group.user_set.add(*User.objects.filter(username__in=["owner", "member"]))
    sharing.share(made, account="reader")
    sharing.share(made, account="editor", may_edit=True)
    sharing.share(made, group="a group")
    experiment = owner.call("POST", "/experiments", {"scenario": saved["id"], "factors": [{"seeds": [1]}]})
    return {"sid": saved["id"], "rid": saved["run"], "eid": experiment.json()["id"]}


def browser_of(role: str) -> Browser:
    browser = Browser()
    if role != "nobody":
        browser.force_login(User.objects.get(username=role))
    return browser


def ask_for(browser: Browser, method: str, route: str, ids: dict[str, str]) -> tuple[int, bytes]:
    """Send a request and undo its changes. Return status and body."""
    body = json.dumps(BODIES.get(route, {"text": TEXT}))
    kind = "application/json" if route.startswith("api/") else "application/x-www-form-urlencoded"
    path = "/" + route.format(**VALUES, **ids) + QUERIES.get(route, "")
    with transaction.atomic():
        answer = browser.generic(method, path, body if kind.endswith("json") and method != "GET" else "", kind)
        content = body_of(answer)
        transaction.set_rollback(True)
    return answer.status_code, content


def test_the_matrix_has_rows_for_pages_files_the_api_and_the_websocket() -> None:
    assert len(OF_A_SCENARIO) >= 35
    assert len(OF_A_COURSE) >= 4
    assert {method_route[1] for method_route in NEEDS} <= set(OF_A_SCENARIO)
    assert [str(one.pattern) for one in websocket_urlpatterns] == ["ws/run/", "ws/class/"]


@pytest.mark.parametrize("role", ROLES)
def test_each_address_of_a_private_scenario_serves_roles_with_access_and_no_others(
    role: str, ids: dict[str, str], settings: Any
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    browser, wrong = browser_of(role), []
    for route in OF_A_SCENARIO:
        for method in METHODS if route.startswith("api/") else ("GET", "POST"):
            status, content = ask_for(browser, method, route, ids)
            allowed = ROLES[role] is not None and ROLES[role] >= NEEDS.get((method, route), SEE)
            refused = status in (403, 405)
            leaked = not allowed and (SECRET.encode() in content or b"hidden-pod" in content)
            if status >= 500 or leaked or (status != 405 and refused is allowed):
                wrong.append((method, route, status))
    assert wrong == []
    assert Scenario.objects.get(public_id=ids["sid"]).title == SECRET


@pytest.mark.parametrize("role", ROLES)
def test_a_course_shows_a_private_scenario_only_to_roles_with_access(
    role: str, ids: dict[str, str], settings: Any
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    owner = User.objects.get(username="owner")
    course = courses.create(access.Visitor(owner), "A course", "", [ids["sid"]])
    browser, wrong = browser_of(role), []
    for route in OF_A_COURSE:
        for method in METHODS if route.startswith("api/") else ("GET", "POST"):
            status, content = ask_for(browser, method, route, {"cid": course.public_id})
            changes = method in ("PATCH", "DELETE") or route.endswith(("edit/", "delete"))
            allowed = ROLES[role] == OWN or not changes
            leaked = ROLES[role] is None and (SECRET.encode() in content or ids["sid"].encode() in content)
            if status >= 500 or leaked or (status != 405 and (status == 403) is allowed):
                wrong.append((method, route, status))
    assert wrong == []
    assert Course.objects.get().title == "A course"


@pytest.mark.parametrize("role", [role for role, right in ROLES.items() if right is None])
def test_no_list_or_other_page_names_a_scenario_to_roles_without_access(role: str, ids: dict[str, str]) -> None:
    browser = browser_of(role)
    paths = [f"/{route}" for route in ROUTES if "{" not in route]
    paths += [f"/api/v1/scenarios?whose={whose}&search=Unheard" for whose in ("public", "mine", "shared")]
    assert len(paths) > 20
    for path in paths:
        answer = browser.get(path)
        assert answer.status_code < 500 or "z" in path, path  # /healthz and /readyz report that there is no broker
        assert SECRET.encode() not in answer.content, path


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", ROLES)
@in_loop
async def test_the_websocket_serves_roles_with_access_and_no_others(role: str, ids: dict[str, str]) -> None:
    browser = await sync_to_async(browser_of)(role)
    async with socket(cookies_of(browser)) as made:
        await made.send_to(text_data=subscription(ids["rid"]))
        first = await text(made)
        if ROLES[role] is None:
            assert first["type"] == "error"
            assert await closed(made) == NOT_ALLOWED
        else:
            assert first["type"] == "hello"
