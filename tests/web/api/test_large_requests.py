"""A large request is answered by a worker (202), with the same answer that a small one gets at once."""

import gzip
import json
import random
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from kschedui.models import Run, Scenario, Upload, UploadPart, Version
from kschedui.runs import leases, long_run_slots
from kschedui.runs import store as runs
from kschedui.runs import tasks as runs_tasks
from kschedui.runs import worker as runs_worker
from kschedui.scenarios import engine
from kschedui.uploads import parts, responding, store, tasks, worker
from kschedui.work.client_disconnect import ClientDisconnect
from kschedui.work.process import Ended
from tests.dumps import SECRET, Cluster, as_yaml, listed
from tests.web.conftest import SMALL, Browser

pytestmark = pytest.mark.django_db
MOST = 4000  # bytes of the largest request that is answered at once in these tests


@pytest.fixture(autouse=True)
def _what_is_large(settings: Any) -> None:
    """Lower the limit of direct requests, so that tests need no long texts."""
    settings.LIMITS = {**settings.LIMITS, "direct_bytes": MOST}
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = MOST


def padded(text: str) -> str:
    """Return the text with comments that make it longer than the limit."""
    return text + "# nothing\n" * (MOST // 8)


DUMP = as_yaml(listed(Cluster(5, 20).objects()))


def send(browser: Browser, path: str, dump: bytes) -> Any:
    """Send a dump unchanged, and return the answer."""
    return browser.post(path, dump, content_type="application/gzip")


def finish(browser: Browser, answer: Any) -> Any:
    """Let a worker answer the request, and return the final response."""
    assert answer.status_code == 202, answer.content
    assert answer.headers["Location"] == answer.json()["url"]
    worker.serve()
    state = browser.get(answer.headers["Location"]).json()
    assert state["state"] == "done", state
    return browser.get(state["answer"])


@pytest.mark.parametrize(
    ("path", "text", "more"),
    [
        ("check", SMALL, {}),
        ("check", "kind: Nothing\n", {}),
        ("preview", SMALL, {}),
        ("scenarios", SMALL, {"title": "Mine", "visibility": "private"}),
        ("scenarios", "kind: Nothing\n", {}),
        ("import", DUMP, {}),
        ("scenarios/import", DUMP, {}),
    ],
)
def test_it_is_answered_as_a_small_one_is(path: str, text: str, more: dict[str, str], settings: Any) -> None:
    browser = Browser()
    answer = finish(browser, browser.post_json(f"/api/v1/{path}", text=padded(text), **more))
    settings.LIMITS = {**settings.LIMITS, "direct_bytes": 10**6}
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10**6
    small = browser.post_json(f"/api/v1/{path}", text=padded(text), **more)
    assert (answer.status_code, answer.headers["Content-Type"]) == (small.status_code, small.headers["Content-Type"])
    assert answer.json().keys() == small.json().keys()
    made_anew = {"id", "url", "run", "upload"}
    assert {name: value for name, value in answer.json().items() if name not in made_anew} == {
        name: value for name, value in small.json().items() if name not in made_anew
    }


def test_a_version_too_and_its_conflict_is_reported_later() -> None:
    browser = Browser()
    sid = browser.save()["id"]
    path = f"/api/v1/scenarios/{sid}/versions"
    assert finish(browser, browser.post_json(path, text=padded(SMALL), base=1)).json()["version"] == 2
    late = finish(browser, browser.post_json(path, text=padded(SMALL) + "# late\n", base=1))
    assert (late.status_code, late.json()["code"], late.json()["version"]) == (409, "version_conflict", 2)


def forks_of(browser: Browser, sid: str, run: str) -> list[tuple[str, dict[str, Any]]]:
    """Return (path, body) of the requests that fork a saved scenario."""
    varied = browser.post_json("/api/v1/experiments", scenario=sid, factors=[{"seeds": [5]}]).json()
    return [
        (f"/api/v1/runs/{run}/attempts/1/keep", {"edits": [{"type": "add-nodes", "like": "n1", "count": 1}]}),
        (f"/api/v1/runs/{run}/operations/keep", {"question": {"type": "reschedule"}}),
        (f"/api/v1/runs/{run}/autoscaling/keep", {"autoscaler": "karpenter"}),
        (f"/api/v1/experiments/{varied['id']}/runs/1", {}),
    ]


def test_a_fork_of_a_large_text_is_made_by_a_worker_too() -> None:
    browser = Browser()
    saved = finish(browser, browser.post_json("/api/v1/scenarios", text=padded(SMALL))).json()
    runs_worker.execute(saved["run"])
    for path, body in forks_of(browser, saved["id"], saved["run"]):
        before = Scenario.objects.count()
        answer = finish(browser, browser.post_json(path, **body))
        assert answer.status_code < 300, (path, answer.content)
        assert Scenario.objects.count() == before + 1, path
        assert Scenario.objects.latest("pk").fork_of is not None


def killed_before_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker be killed before it stores the answer to the next upload, and queue the upload again."""

    def end(*_: Any) -> None:
        raise Ended

    with monkeypatch.context() as patched:
        patched.setattr(worker, "keep", end)
        assert worker.serve()
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    store.requeue_lost()


def test_a_worker_that_is_killed_before_it_answers_leaves_what_the_next_one_answers_with(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    browser = Browser()
    saved = finish(browser, browser.post_json("/api/v1/scenarios", text=padded(SMALL))).json()
    runs_worker.execute(saved["run"])
    requests = forks_of(browser, saved["id"], saved["run"])
    requests += [
        ("/api/v1/scenarios", {"text": padded(SMALL), "title": "Mine"}),
        ("/api/v1/scenarios/import", {"text": DUMP}),
    ]
    limits = settings.LIMITS
    for path, body in requests:
        answer = browser.post_json(path, **body)
        before = Version.objects.count()
        killed_before_it_answers(monkeypatch)
        assert Version.objects.count() == before + 1, path
        made = Version.objects.latest("pk")
        settings.LIMITS = {**limits, "browser_bytes": 1}  # the first attempt has used up the space
        done = finish(browser, answer).json()
        settings.LIMITS = limits
        assert Version.objects.count() == before + 1, path
        assert made.scenario.public_id in done.get("url", ""), (path, done)
        assert made.runs.exists(), path


def test_a_form_that_a_worker_repeats_leads_to_the_fork_that_the_one_before_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    browser = Browser()
    sid = finish(browser, browser.post_json("/api/v1/scenarios", text=padded(SMALL))).json()["id"]
    for path, fields in FORMS_THAT_FORK.items():
        waits = browser.post(path.format(sid=sid), fields, content_type="application/x-www-form-urlencoded")
        killed_before_it_answers(monkeypatch)
        made = Scenario.objects.latest("pk")
        worker.serve()
        assert made.public_id in browser.get(waits.url).url, path
        assert Scenario.objects.latest("pk") == made, path


def test_a_version_that_was_saved_is_no_conflict_when_a_worker_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser()
    sid = browser.save()["id"]
    path = f"/api/v1/scenarios/{sid}/versions"
    answer = browser.post_json(path, text=padded(SMALL), base=1)
    killed_before_it_answers(monkeypatch)
    assert browser.save(parent=sid, text=SMALL, base=2)["version"] == 3
    repeated = finish(browser, answer)
    assert (repeated.status_code, repeated.json()["version"]) == (201, 2)


def test_a_worker_that_lost_its_request_saves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser()
    answer = browser.post_json("/api/v1/scenarios", text=padded(SMALL))

    def request_of(*args: Any) -> HttpRequest:
        request = rebuilt(*args)
        Upload.objects.update(attempt=F("attempt") + 1)  # another worker takes the upload
        return request

    rebuilt = responding.request_of
    with monkeypatch.context() as patched:
        patched.setattr(responding, "request_of", request_of)
        assert worker.serve()
    assert not Scenario.objects.exists()
    assert browser.get(answer.headers["Location"]).json()["state"] == "running"


FORMS_THAT_FORK = {
    "/s/{sid}/v/1/operations/?ask=reschedule": "",
    "/s/{sid}/v/1/autoscaling/": "autoscaler=karpenter",
    "/compare/{sid}/1/{sid}/1/seed": "side=first&seed=7",
}


def test_a_form_that_forks_a_large_text_leads_to_a_page_that_waits_and_then_to_the_fork() -> None:
    browser = Browser()
    sid = finish(browser, browser.post_json("/api/v1/scenarios", text=padded(SMALL))).json()["id"]
    forms = {path.format(sid=sid): fields for path, fields in FORMS_THAT_FORK.items()}
    for path, fields in forms.items():
        waits = browser.post(path, fields, content_type="application/x-www-form-urlencoded")
        assert waits.status_code == 302, (path, waits.content)
        page = browser.get(waits.url)
        assert page.headers["Refresh"]
        assert "Please wait" in page.content.decode()
        worker.serve()
        made = browser.get(waits.url)
        assert (made.status_code, Scenario.objects.latest("pk").public_id in made.url) == (302, True), path
    browser.post(path, "side=first&seed=-1", content_type="application/x-www-form-urlencoded")
    assert Scenario.objects.filter(fork_of__scenario__public_id=sid).count() == len(forms)


def test_the_page_that_waits_shows_why_there_is_no_fork() -> None:
    browser = Browser()
    sid = finish(browser, browser.post_json("/api/v1/scenarios", text=padded(SMALL))).json()["id"]
    waits = browser.post(f"/s/{sid}/v/1/operations/?ask=drain&nodes=n99")
    worker.serve()
    page = browser.get(waits.url)
    assert page.status_code == 422
    assert "n99" in page.content.decode()
    assert Browser().get(waits.url).status_code == 404


def test_what_gzip_packed_is_large_by_what_comes_out() -> None:
    browser = Browser()
    packed = gzip.compress(DUMP.encode())
    assert send(browser, "/api/v1/import", gzip.compress(SMALL.encode())).status_code == 200
    answer = finish(browser, send(browser, "/api/v1/import", packed)).json()
    assert answer["checked"]["errors"] == []
    assert len(answer["checked"]["summary"]["nodes"]) == 5


def test_a_dump_that_was_imported_is_saved_without_being_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser()
    imported = finish(browser, send(browser, "/api/v1/import", gzip.compress(DUMP.encode()))).json()
    monkeypatch.setattr(engine, "read", lambda *_: pytest.fail("it is read a second time"))
    saved = finish(browser, browser.post_json("/api/v1/scenarios", upload=imported["upload"]))
    assert saved.status_code == 201, saved.content
    version = Scenario.objects.get(public_id=saved.json()["id"]).versions.get()
    assert version.text == imported["text"]
    assert version.scenario.visibility == "private"
    assert version.summary["nodes"] == 5
    path = f"/api/v1/scenarios/{saved.json()['id']}/versions"
    again = finish(browser, browser.post_json(path, upload=imported["upload"]))
    assert again.json()["version"] == 1


@pytest.mark.parametrize("body", [{}, {"text": SMALL, "upload": "abc"}])
def test_a_scenario_is_a_text_or_an_upload(body: dict[str, str]) -> None:
    answer = Browser().post_json("/api/v1/scenarios", **body)
    assert answer.status_code == 422
    assert "exactly one of `text` and `upload`" in answer.json()["detail"]


def test_nobody_else_is_told_of_it() -> None:
    browser, stranger = Browser(), Browser()
    stranger.save()
    url = browser.post_json("/api/v1/check", text=padded(SMALL)).headers["Location"]
    for other in (stranger, Client()):
        assert other.get(url).status_code == 404
        assert other.get(f"{url}/answer").status_code == 404
        assert other.delete(url).status_code == 404
    name = url.rsplit("/", 1)[1]
    assert stranger.post_json("/api/v1/scenarios", upload=name).status_code == 404
    assert browser.get(url).json()["state"] == "queued"


def test_its_place_in_the_queue_is_reported_by_turns() -> None:
    busy, other = Browser(), Browser(REMOTE_ADDR="198.51.100.7")
    urls = [busy.post_json("/api/v1/check", text=padded(SMALL) + f"# {i}\n").headers["Location"] for i in range(3)]
    late = other.post_json("/api/v1/check", text=padded(SMALL)).headers["Location"]
    assert [busy.get(url).json()["ahead"] for url in urls] == [{"others": 0 + 1}, {"others": 2}, {"others": 3}]
    assert other.get(late).json()["ahead"] == {"others": 1}
    worker.serve()
    worker.serve()
    assert other.get(late).json()["state"] == "done"
    assert [busy.get(url).json()["state"] for url in urls] == ["done", "queued", "queued"]


def test_a_cancelled_one_is_answered_no_more_and_leaves_nothing() -> None:
    browser = Browser()
    url = browser.post_json("/api/v1/check", text=padded(SMALL)).headers["Location"]
    assert browser.delete(url).status_code == 204
    assert not worker.serve()
    assert browser.get(url).json()["state"] == "cancelled"
    assert browser.get(f"{url}/answer").status_code == 409
    assert not UploadPart.objects.exists()


@pytest.mark.parametrize("size", ["small", "large"])
def test_workers_are_notified_of_a_run_when_an_upload_has_freed_the_slot(
    monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    """A small text is saved at once, so the task finds no upload, but it holds the slot while it looks for one."""
    free: list[bool] = []

    def look(public_id: str) -> None:
        with long_run_slots.held() as place:
            free.append(place)

    monkeypatch.setattr(runs, "enqueue", look)
    long_run_slots.make(1)
    try:
        text, status = (padded(SMALL), 202) if size == "large" else (SMALL, 201)
        assert Browser().post_json("/api/v1/scenarios", text=text).status_code == status
        free.clear()
        tasks.answer_uploads()
    finally:
        long_run_slots.remove()
    assert Run.objects.get().state == Run.State.QUEUED
    assert free[-1:] == [True]


def test_workers_are_notified_of_an_upload_that_found_no_slot_while_a_run_held_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise, the upload waited until the next search for lost work, up to 2 s."""
    simulate, free = runs_worker.execute, []

    def run(public_id: str, *, long: bool) -> None:
        tasks.answer_uploads()
        assert Upload.objects.get().state == Run.State.QUEUED
        simulate(public_id, long=long)

    def look() -> None:
        with long_run_slots.held() as slot:
            free.append(slot)

    Browser().post_json("/api/v1/scenarios", text=SMALL)
    Browser().post_json("/api/v1/check", text=padded(SMALL))
    monkeypatch.setattr(runs_worker, "execute", run)
    monkeypatch.setattr(store, "request_worker", look)
    long_run_slots.make(1)
    try:
        runs_tasks.work_on_runs.apply()
    finally:
        long_run_slots.remove()
    assert Run.objects.get().state == Run.State.DONE
    assert free == [True]


def test_what_a_lost_worker_left_is_answered_by_another_and_saved_once() -> None:
    browser = Browser()
    answer = browser.post_json("/api/v1/scenarios", text=padded(SMALL))
    upload = store.take_next_upload()
    assert upload is not None
    worker.answer_upload(upload, ClientDisconnect())  # as if the worker died before it stored the answer
    Upload.objects.update(lease_until=upload.created)
    store.requeue_lost()
    saved = finish(browser, answer)
    assert saved.json()["version"] == 1
    assert Scenario.objects.count() == Run.objects.count() == 1
    with pytest.raises(leases.Lost):
        store.finish(upload, 200, "text/plain", [b"late"])


def test_one_that_ends_its_workers_is_given_up_with_a_sentence() -> None:
    browser = Browser()
    url = browser.post_json("/api/v1/check", text=padded(SMALL)).headers["Location"]
    Upload.objects.update(tries=leases.MAX_TRIES)
    worker.serve()
    state = browser.get(url).json()
    assert state["state"] == "failed"
    assert "8 workers exited" in state["error"]


def test_one_author_has_few_at_once(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "uploads_waiting": 2}
    browser = Browser()
    browser.save()
    answers = [browser.post_json("/api/v1/check", text=padded(SMALL)) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202, 202, 429]
    assert "2 large requests in progress" in answers[-1].json()["detail"]
    assert Upload.objects.count() == 2


def test_strangers_at_one_address_have_few_together(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "uploads_waiting": 2}
    answers = []
    for _ in range(3):
        browser = Browser()
        browser.save()
        answers.append(browser.post_json("/api/v1/check", text=padded(SMALL)).status_code)
    assert answers == [202, 202, 429]


def test_packed_it_may_not_be_larger_than_the_limit(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "upload_bytes": 100}
    answer = Browser().post_json("/api/v1/check", text=padded(SMALL))
    assert answer.status_code == 413
    assert "KSCHEDUI_MAX_UPLOAD_BYTES" in answer.json()["detail"]
    assert not Upload.objects.exists()


def test_what_takes_no_text_is_not_read_when_it_is_large() -> None:
    answer = Browser().post_json("/api/v1/courses", title="a", about="x" * MOST, scenarios=["abc"])
    assert answer.status_code == 413
    assert f"{MOST:,} bytes" in answer.json()["detail"]


def test_a_forged_request_is_not_kept() -> None:
    browser = Browser(enforce_csrf_checks=True)
    assert browser.post_json("/api/v1/check", text=padded(SMALL)).status_code == 403
    assert not Upload.objects.exists()


def test_a_secret_is_never_in_the_database_in_the_clear() -> None:
    browser = Browser()
    send(browser, "/api/v1/import", DUMP.encode() + f"---\nkind: Secret\ndata: {{a: {SECRET}}}\n".encode())
    upload = Upload.objects.get()
    assert SECRET.encode() in b"".join(parts.read(upload, parts.Kind.BODY))
    stored = b"".join(bytes(part.content) for part in upload.parts.all())
    assert len(stored) > 100
    packed = b"".join(parts.compress([DUMP.encode()]))
    assert packed[:64] not in stored
    upload.public_id = "another"
    with pytest.raises(parts.DamagedPart):
        b"".join(parts.read(upload, parts.Kind.BODY))
    upload.refresh_from_db()
    worker.serve()
    assert not upload.parts.filter(kind=parts.Kind.BODY).exists()


def test_a_large_text_of_many_pieces_comes_back_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PIECE", 10_000)
    text = SMALL + f"# é {random.Random(1).randbytes(100_000).hex()}\n"
    browser = Browser()
    answer = browser.post_json("/api/v1/scenarios", text=text)
    assert UploadPart.objects.count() > 3
    saved = finish(browser, answer).json()
    assert Scenario.objects.get(public_id=saved["id"]).versions.get().text == text


def test_those_of_yesterday_are_forgotten_and_count_until_then() -> None:
    browser = Browser()
    finish(browser, browser.post_json("/api/v1/check", text=padded(SMALL)))
    upload = Upload.objects.get()
    assert upload.bytes > 0
    store.forget()
    assert Upload.objects.exists()
    Upload.objects.update(finished=upload.created - 2 * store.RETENTION)
    store.forget()
    assert not Upload.objects.exists()
    assert not UploadPart.objects.exists()


def test_the_document_says_so() -> None:
    document = json.loads(Client().get("/api/v1/openapi.json").content)
    for path in ("check", "preview", "import", "scenarios", "scenarios/import", "scenarios/{sid}/versions"):
        answers = document["paths"][f"/api/v1/{path}"]["post"]["responses"]
        kinds = answers["202"]["content"]["application/json"]["schema"]["anyOf"]
        assert {"$ref": "#/components/schemas/UploadOut"} in kinds
    assert "202" not in document["paths"]["/api/v1/courses"]["post"]["responses"]
