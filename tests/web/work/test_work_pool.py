"""The pool for visitors' work: work that takes too much time or memory is ended, and others are not affected."""

import gc
import json
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import getpid, kill
from typing import Any

import pytest

from kschedui.runs.store import DamagedChunk
from kschedui.scenarios.digest import Digest
from kschedui.supervisor.ports import wait_until
from kschedui.web.api import jobs
from kschedui.web.api.routes.texts import JSON
from kschedui.work import work_pool as work
from kschedui.work.client_disconnect import ClientDisconnect
from kschedui.work.limits import TooMuch
from kschedui.work.process import Allowance, Worker
from kschedui.work.work_pool import Busy, ClientDisconnected, WorkOptions, WorkPool
from kschedui.work.work_queue import Client
from tests.processes import processes
from tests.web.conftest import MANY, SMALL, Browser

ENDLESS = range(10**15)
ME, YOU = Client("me", "me"), Client("you", "you")
NOW = WorkOptions(patience=60)


def is_running(pid: int) -> bool:
    return any(process.pid == pid and "Z" not in process.state for process in processes())


@pytest.fixture(scope="module")
def _processes() -> Iterator[WorkPool]:
    """Yield a pool for all tests of this file, because its fork server takes a second to start."""
    two = WorkPool(2)
    yield two
    two.stop()


@pytest.fixture
def pool(_processes: WorkPool, settings: Any, monkeypatch: pytest.MonkeyPatch) -> WorkPool:
    """Return the pool with short limits: one process for slow work, and one for quick work."""
    settings.WORK_PROCESSES = 2
    settings.LIMITS = {**settings.LIMITS, "work_seconds": 1, "quick_seconds": 1}
    monkeypatch.setattr("kschedui.work.limits.longest", lambda seconds: 600.0)  # on busy machines, too
    _processes.suspected.clear()
    monkeypatch.setattr(work, "pool", lambda: _processes)
    return _processes


@pytest.mark.usefixtures("pool")
def test_what_takes_too_long_is_ended_by_the_system_and_the_next_is_served() -> None:
    with pytest.raises(TooMuch) as met:
        work.run(ME, NOW, sum, ENDLESS)
    assert str(met.value) == (
        "This takes more than 1 seconds of processor time, which is the limit (KSCHEDUI_MAX_WORK_SECONDS)."
    )
    assert work.run(ME, NOW, sum, range(4)) == 6


@pytest.mark.parametrize("slow", [True, False])
def test_a_process_ends_when_it_is_idle_and_the_next_work_starts_another(settings: Any, slow: bool) -> None:
    settings.WORK_IDLE_SECONDS = 1  # from its start to its first work, too, which takes longer on busy machines
    worker = Worker(2**30, slow=slow)
    allowance = Allowance(60, "", 2**30, "")

    def pid() -> Any:
        return worker.run(allowance, ClientDisconnect(), None, getpid, [])

    before = pid()
    assert wait_until(lambda: not is_running(before), 60.0)
    after = pid()
    worker.stop()
    assert after != before


@pytest.mark.usefixtures("pool")
def test_garbage_is_collected_after_each_answer() -> None:
    before, after = (work.run(ME, NOW, gc.get_stats) for _ in range(2))
    assert after[1]["collections"] > before[1]["collections"]


@pytest.mark.usefixtures("pool")
def test_what_takes_too_much_memory_is_refused_and_the_next_is_served(settings: Any) -> None:
    with pytest.raises(TooMuch, match=r"more than 1,024 MB of memory, which is the limit \(KSCHEDUI_MAX_WORK_BYTES\)"):
        work.run(ME, NOW, bytes, 10 * settings.LIMITS["work_bytes"])
    assert work.run(ME, NOW, sum, range(4)) == 6


@pytest.mark.usefixtures("pool")
def test_an_answer_that_is_too_long_does_not_come_into_the_web_process() -> None:
    with pytest.raises(TooMuch, match="MB of memory"):
        work.run(ME, NOW, bytes, 200 * 1024 * 1024)


@pytest.mark.usefixtures("pool")
def test_a_texts_digest_and_a_refusal_come_out_of_the_process_as_they_are() -> None:
    found = work.run(ME, NOW, jobs.digest, MANY)
    assert found == jobs.digest(MANY)
    assert isinstance(found, Digest)
    with pytest.raises(jobs.Refused) as refused:
        work.run(ME, NOW, jobs.digest, "apiVersion: v1\nkind: Pood\n")
    assert (refused.value.status, refused.value.rows[0]["line"]) == (422, 2)


@pytest.mark.usefixtures("pool")
def test_an_error_comes_out_of_the_process_as_it_is_whatever_its_class_is_made_from() -> None:
    with pytest.raises(DamagedChunk) as damaged:
        work.run(ME, NOW, damage)
    assert (damaged.value.run, damaged.value.seq, damaged.value.repaired) == ("a run", 1, True)
    with pytest.raises(UnicodeDecodeError, match="invalid start byte"):
        work.run(ME, NOW, bytes.decode, b"\xff")


def damage() -> None:
    raise DamagedChunk("a run", 1, repaired=True)


def test_work_that_proves_slow_is_begun_anew_where_it_holds_up_no_quick_work(
    pool: WorkPool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "SUSPECTED_SECONDS", 3600)
    settings.LIMITS = {**settings.LIMITS, "work_seconds": 200}
    slow = pool.workers[0]
    with ThreadPoolExecutor() as threads:
        working = threads.submit(work.run, ME, NOW, sum, range(600_000_000))
        while not any(entry.slow for entry in pool.queue.going_on):
            assert not working.done(), "it takes more processor time than quick work may"
            time.sleep(0.01)
        assert work.run(YOU, NOW, getpid) != slow._process.pid
        assert working.result() == 300_000_000 * 599_999_999
    assert pool.suspected.keys() == {"me"}
    assert work.run(ME, NOW, getpid) == slow._process.pid, "for a while whatever a party asks for is taken for slow"


@pytest.mark.usefixtures("pool")
def test_work_is_ended_when_its_client_goes_and_waiting_work_is_dropped(pool: WorkPool, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "work_seconds": 40}
    disconnect, waits = ClientDisconnect(), ClientDisconnect()
    with ThreadPoolExecutor() as threads:
        working = threads.submit(work.run, ME, WorkOptions(slow=True, patience=60, disconnect=disconnect), sum, ENDLESS)
        while not pool.queue.going_on:
            time.sleep(0.01)
        waiting = threads.submit(work.run, YOU, WorkOptions(slow=True, patience=60, disconnect=waits), sum, range(4))
        while not pool.queue.waiting:
            time.sleep(0.01)
        waits.report()
        with pytest.raises(ClientDisconnected):
            waiting.result()
        assert not pool.queue.waiting
        disconnect.report()
        with pytest.raises(ClientDisconnected):
            working.result()
    assert work.run(YOU, WorkOptions(slow=True, patience=60), sum, range(4)) == 6


def test_a_process_that_somebody_killed_is_replaced_and_its_work_done_again(pool: WorkPool) -> None:
    pid = work.run(ME, NOW, getpid)
    kill(pid, signal.SIGKILL)
    assert work.run(ME, NOW, getpid) != pid


def test_work_is_done_again_if_the_server_of_its_process_is_killed_as_it_starts(
    pool: WorkPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = pool.workers[0]
    worker.stop()
    starts, ready = [EOFError], worker._ready

    def fail_once() -> Any:
        if starts:
            raise starts.pop()
        return ready()

    monkeypatch.setattr(worker, "_ready", fail_once)
    assert work.run(ME, NOW, sum, range(4)) == 6
    assert not starts


@pytest.mark.usefixtures("pool")
def test_a_waiting_request_gets_the_number_of_those_before_it(author: Browser, pool: WorkPool, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "work_seconds": 40, "quick_seconds": 39, "wait_seconds": 0}
    disconnects, asked = [ClientDisconnect(), ClientDisconnect()], json.dumps({"text": SMALL})
    with ThreadPoolExecutor() as threads:
        for client, one in zip((ME, YOU), disconnects, strict=True):
            threads.submit(work.run, client, WorkOptions(slow=client is ME, patience=60, disconnect=one), sum, ENDLESS)
        while len(pool.queue.going_on) < 2:
            time.sleep(0.01)
        try:
            answer = author.post_json("/api/v1/check", text=SMALL)
            again = author.post("/api/v1/check", asked, content_type=JSON, headers={"Prefer": "wait=2"})
        finally:
            for one in disconnects:
                one.report()
    assert (again.status_code, again.headers["Retry-After"]) == (202, "1")
    assert again.json()["ahead"]["others"] == 2
    assert "Location" not in again.headers
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert answer.json()["detail"].startswith("The server is busy. Requests before yours: 2.")
    assert answer.json()["ahead"]["others"] == 2
    settings.LIMITS = {**settings.LIMITS, "wait_seconds": 60}
    assert author.post_json("/api/v1/check", text=SMALL).status_code == 200


@pytest.mark.usefixtures("pool")
def test_the_api_says_which_limit_was_met(author: Browser, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.WORK_MODULES = [*settings.WORK_MODULES, __name__]
    monkeypatch.setattr("kschedui.web.api.jobs.check", endless)
    answer = author.post_json("/api/v1/check", text=SMALL)
    assert answer.status_code == 422
    assert "more than 1 seconds of processor time" in answer.json()["detail"]


def endless(text: str, pod: str) -> int:
    """Work forever."""
    return sum(ENDLESS)


def test_who_goes_while_nothing_is_done_for_them_is_gone_when_it_begins() -> None:
    disconnect, called = ClientDisconnect(), threading.Event()
    disconnect.report()
    with disconnect.calling(called.set):
        assert called.is_set()


def test_nobody_may_wait_when_too_many_do(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "waiting": 0}
    with pytest.raises(Busy) as busy:
        WorkPool(1).turn(ME, WorkOptions())
    assert busy.value.ahead is None


@pytest.mark.usefixtures("pool")
def test_a_page_that_waits_tells_its_place_and_opens_itself_again(
    author: Browser, pool: WorkPool, settings: Any
) -> None:
    settings.LIMITS = {**settings.LIMITS, "work_seconds": 40, "quick_seconds": 39}
    disconnects = [ClientDisconnect(), ClientDisconnect()]
    form = {"message": "0/1 nodes are available: 1 Insufficient cpu."}
    sid = author.post_json("/api/v1/scenarios", text=SMALL).json()["id"]
    path, browser = f"/s/{sid}/v/1/releases/", {"HTTP_ACCEPT": "text/html,*/*;q=0.8"}
    with ThreadPoolExecutor() as threads:
        for client, one in zip((ME, YOU), disconnects, strict=True):
            threads.submit(work.run, client, WorkOptions(slow=client is ME, patience=60, disconnect=one), sum, ENDLESS)
        while len(pool.queue.going_on) < 2:
            time.sleep(0.01)
        try:
            page = author.get(path, **browser)
            chinese = author.get(path, **browser, HTTP_ACCEPT_LANGUAGE="zh-hans")
            settings.LIMITS = {**settings.LIMITS, "wait_seconds": 0}
            script, posted = author.get(path), author.post("/decode/", form, **browser)
        finally:
            for one in disconnects:
                one.report()
    assert (page.status_code, page.headers["Refresh"], page.headers["Retry-After"]) == (503, "1", "1")
    assert "Requests before yours: 2. This page opens when it is your turn." in page.content.decode()
    assert "轮到你时，此页面会自动打开" in chinese.content.decode()
    for answer in (script, posted):
        assert answer.status_code == 503
        assert "Refresh" not in answer.headers, "what is sent is not sent again"
