"""No page or API call reads more rows than its list shows, however many are stored."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model, QuerySet
from django.utils import timezone

from kschedui.models import Chunk, Course, Note, Run, Scenario, UploadPart, Version
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.scenarios import courses
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from kschedui.scenarios.notes import carry_over
from tests.web.accounts.test_access_matrix import ROUTES, VALUES
from tests.web.conftest import Browser, body_of, sign_up

pytestmark = pytest.mark.usefixtures("short_comparisons")
MANY = 600
MOST = 500  # rows of one query
OTHERS = 2000  # complete runs that no list shows
COUNTED = 50  # instructions between two calls of the counter


@pytest.fixture
def ids(author: Browser, stranger: Browser) -> dict[str, str]:
    """Return the ids of a scenario and other objects of an author who has many objects of each kind."""
    sign_up(author, "ada")
    user = User.objects.get(username="ada")
    saved, other = author.save(), stranger.save()
    worker.execute(saved["run"])
    version, theirs = (Version.objects.get(scenario__public_id=one["id"]) for one in (saved, other))
    for more in ({}, {"deleted_at": timezone.now()}, {"visibility": Scenario.Visibility.PUBLIC}):
        many(Scenario(owner=user, title=f"{i}", **more) for i in range(MANY))
    many(copied(version, scenario=one, number=1) for one in Scenario.objects.filter(versions=None))
    many(copied(version, number=i + 2) for i in range(MANY))
    many(copied(theirs, number=i + 2) for i in range(MANY))
    of_others = Version.objects.filter(scenario=theirs.scenario)
    paid = {"author": Visitor(user).author, "bytes": 1, "state": Run.State.DONE}
    many(Run(version=one, engine_version=runs.ENGINE_VERSION, **paid) for one in of_others[1:])
    many(Course(owner=user, title=f"{i}", scenarios=[saved["id"]]) for i in range(MANY))
    experiment = author.post_json("/api/v1/experiments", scenario=saved["id"], version=1, factors=[{"seeds": [1]}])
    course = Course.objects.first()
    assert course
    return {"sid": saved["id"], "rid": saved["run"], "eid": experiment.json()["id"], "cid": course.public_id}


def many(rows: Iterator[Model]) -> None:
    made = list(rows)
    type(made[0])._default_manager.bulk_create(made)


def copied(version: Version, **more: Any) -> Version:
    columns = ("scenario", "text", "bytes", "sha256", "summary")
    return Version(**{**{name: getattr(version, name) for name in columns}, **more})


def test_each_address_reads_few_rows(
    author: Browser, ids: dict[str, str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    fetch, wrong, answered, asked = QuerySet._fetch_all, [], 0, ""

    def noted(found: Any) -> None:
        fetch(found)
        if len(found._result_cache) > MOST:
            wrong.append((asked, found.model.__name__, len(found._result_cache)))
        if len(found._result_cache) > 1 and any(map(loads_large_columns, found._result_cache)):
            wrong.append((asked, found.model.__name__, "large columns"))

    monkeypatch.setattr(QuerySet, "_fetch_all", noted)
    for route in ROUTES:
        parts = {**VALUES, "m": "1", "n": "1", "slug": "x", "code": "XXXX", "token": "x", **ids}
        asked = "/" + route.format(
            **{**parts, "a": parts["sid"], "b": parts["sid"]} if "compare/{a}/{m}" in route else parts
        )
        answer = author.get(asked)
        body_of(answer)
        answered += answer.status_code == 200
    assert wrong == [], wrong
    assert answered > 50


def loads_large_columns(row: Any) -> bool:
    """Return whether a column with a text that its author can make long was loaded with the row."""
    related = getattr(getattr(row, "_state", None), "fields_cache", {}).values()
    versions = [version for version in (row, *related) if isinstance(version, Version)]
    return any(set(Version.large()) - version.get_deferred_fields() for version in versions)


@pytest.mark.slow
def test_no_address_goes_through_the_runs_of_others(author: Browser, stranger: Browser, settings: Any) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("counts SQLite's instructions")
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    saved, other = author.save(), stranger.save()
    worker.execute(saved["run"])
    version, theirs = (Version.objects.get(scenario__public_id=one["id"]) for one in (saved, other))
    many(Scenario(title=f"{i}", visibility=Scenario.Visibility.PUBLIC) for i in range(20))
    many(copied(version, scenario=one, number=1) for one in Scenario.objects.filter(versions=None))
    for of_one in Version.objects.all():
        runs.start_run(of_one)
    Run.objects.update(state=Run.State.DONE)
    parts = {**VALUES, "m": "1", "n": "1", "slug": "x", "code": "XXXX", "token": "x", "sid": saved["id"]}
    ids = dict.fromkeys(("a", "b", "cid", "eid"), saved["id"]) | {"rid": saved["run"]}
    addresses = ["/" + route.format(**{**parts, **ids}) for route in ROUTES]
    for _ in range(2):  # the first fills caches
        before = [instructions(author, address) for address in addresses]
    many(copied(theirs, number=i + 2) for i in range(OTHERS))
    of_others = Version.objects.filter(scenario=theirs.scenario, number__gt=1)
    many(Run(version=one, engine_version=runs.ENGINE_VERSION, state=Run.State.DONE) for one in of_others)
    after = [instructions(author, address) for address in addresses]
    grown = [row for row in zip(addresses, before, after, strict=True) if row[2] > row[1] + 5 * OTHERS]
    assert grown == []
    assert instructions(author, "/") > 0


def instructions(browser: Browser, address: str) -> int:
    """Return the instructions of SQLite's virtual machine for a GET, rounded down to a multiple of COUNTED."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += COUNTED
        return 0

    connection.connection.set_progress_handler(count, COUNTED)
    body_of(browser.get(address))
    connection.connection.set_progress_handler(None, 0)
    return taken


@pytest.mark.slow
def test_older_rows_are_on_the_next_page(author: Browser, ids: dict[str, str]) -> None:
    seen: set[str] = set()
    page, pages = author.get("/accounts/mine/"), 1
    while more := page.context["more"]:
        seen |= {one["id"] for one in page.context["scenarios"]}
        page, pages = author.get(f"/accounts/mine/?after={more}"), pages + 1
    seen |= {one["id"] for one in page.context["scenarios"]}
    assert (len(seen), pages) == (2 * MANY + 1, 25)
    versions, last = [], 0
    while found := author.get(f"/api/v1/scenarios/{ids['sid']}/versions" + (f"?before={last}" if last else "")).json():
        versions += [one["number"] for one in found]
        last = versions[-1]
        if last == 1:
            break
    assert versions == [*range(MANY + 1, 0, -1)]
    settings_page = author.get(f"/s/{ids['sid']}/settings").content.decode()
    assert f'<a href="?before={MANY + 2 - scenarios.MAX_LISTED}">' in settings_page
    assert 'href="?before=' not in author.get(f"/s/{ids['sid']}/settings?before=100").content.decode()


def test_the_number_of_an_authors_courses_is_limited(author: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courses, "MAX_COURSES", 2)
    sid = author.save()["id"]
    statuses = [author.post_json("/api/v1/courses", title="x", scenarios=[sid]).status_code for _ in range(3)]
    assert statuses == [201, 201, 422]
    assert author.post("/courses/new/", {"title": "x", "scenarios": sid}).status_code == 422


def test_a_limited_number_of_notes_of_others_is_copied_to_a_new_version(
    author: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kschedui.scenarios.notes.MAX_CARRIED", 3)
    sid = author.save()["id"]
    scenario = Scenario.objects.get(public_id=sid)
    before = Version.objects.get(scenario=scenario)
    many(Note(version=before, editor_hash=scenario.editor_hash, step=i, text="mine") for i in range(5))
    many(Note(version=before, editor_hash="another", step=i, text="theirs") for i in range(5))
    after = copied(before, number=2)
    after.save()
    carry_over(before, after)
    assert sorted(after.notes.values_list("text", flat=True)) == ["mine"] * 5 + ["theirs"] * 3


def test_a_scenario_with_many_runs_is_deleted_in_few_statements(
    author: Browser, ids: dict[str, str], django_assert_max_num_queries: Any
) -> None:
    scenario = Scenario.objects.get(public_id=ids["sid"])
    old = Run.objects.get(public_id=ids["rid"])
    versions = list(Version.objects.filter(scenario=scenario, runs=None))
    many(Run(version=one, engine_version=runs.ENGINE_VERSION, state=Run.State.DONE, chunks=1) for one in versions)
    row = Chunk.objects.filter(run=old)[0]
    of_new = Run.objects.filter(version__in=versions).exclude(pk=old.pk)
    many(Chunk(run=run, seq=0, first_step=0, events=row.events, frame=row.frame) for run in of_new)
    with django_assert_max_num_queries(20):
        runs.forget_traces(scenario)
    mine = Run.objects.filter(version__scenario=scenario)
    assert not Chunk.objects.filter(run__in=mine).exists()
    assert set(mine.values_list("state", flat=True)) == {"cancelled"}
    assert set(mine.values_list("chunks", flat=True)) == {0}


@pytest.mark.parametrize(("model", "column"), [(Version, "text"), (Chunk, "frame"), (UploadPart, "content")])
def test_sqlite_reads_no_column_through_a_large_one(db: None, model: type[Model], column: str) -> None:
    with connection.cursor() as cursor:
        order = [row.name for row in connection.introspection.get_table_description(cursor, model._meta.db_table)]
    following = order[order.index(column) + 1 :]
    assert [name for name in following if not name.endswith("_id")] == [], "those of foreign keys are in an index"
