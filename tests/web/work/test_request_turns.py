"""Few requests run at once, addresses take turns, and a turn is given back in every case."""

import asyncio
import random
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from kschedui.work import request_turns, work_pool
from kschedui.work.request_turns import MAX_RUNNING, RequestTurns, Turn, current_turn, end_turn
from kschedui.work.work_pool import WorkOptions
from kschedui.work.work_queue import Client
from tests.web.sockets import PATIENCE, in_loop, wait_until

MANY = 50


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "PATIENCE_SECONDS", float(PATIENCE))


@in_loop
async def test_a_page_waits_for_a_few_requests_of_another_address_and_not_for_all() -> None:
    turns, begun = RequestTurns(), list[str]()

    async def request(address: str) -> None:
        turn = Turn(turns, address)
        await turn.begin()
        begun.append(address)
        assert turns.running <= MAX_RUNNING
        await asyncio.sleep(0)
        turn.end()

    many = [asyncio.create_task(request("10.0.0.1")) for _ in range(MANY)]
    await wait_until(lambda: len(begun) >= MAX_RUNNING)
    before = len(begun)
    await request("10.0.0.2")
    assert begun.index("10.0.0.2") <= before + MAX_RUNNING
    await asyncio.gather(*many)
    assert (len(begun), turns.running, turns.waiting) == (MANY + 1, 0, {})


@in_loop
async def test_addresses_take_turns() -> None:
    turns, order = RequestTurns(), list[str]()
    running = [Turn(turns, "") for _ in range(MAX_RUNNING)]
    for turn in running:
        await turn.begin()

    async def request(name: str) -> None:
        turn = Turn(turns, name[0])
        await turn.begin()
        order.append(name)
        turn.end()

    tasks = [asyncio.create_task(request(name)) for name in ("a1", "a2", "a3", "b1", "b2", "c1")]
    await asyncio.sleep(0)
    running[0].end()
    await asyncio.gather(*tasks)
    assert order == ["a1", "b1", "c1", "a2", "b2", "a3"]


@in_loop
async def test_a_request_that_waited_too_long_runs_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "PATIENCE_SECONDS", 0.01)
    turns = RequestTurns()
    running = [Turn(turns, "10.0.0.1") for _ in range(MAX_RUNNING + 1)]
    for turn in running:
        await turn.begin()
    assert turns.running == MAX_RUNNING + 1
    monkeypatch.setattr(request_turns, "PATIENCE_SECONDS", float(PATIENCE))
    waiting = Turn(turns, "10.0.0.2")
    task = asyncio.create_task(waiting.begin())
    await asyncio.sleep(0)
    running[0].end()
    await asyncio.sleep(0)
    assert not waiting.runs, "there are still as many as allowed"
    running[1].end()
    await task
    for turn in (*running, waiting):
        turn.end()
    assert turns.running == 0


@in_loop
async def test_the_thread_of_a_request_ends_its_turn_before_it_waits() -> None:
    turn = Turn(turns := RequestTurns(), "10.0.0.1")
    current_turn.set(turn)
    await turn.begin()
    await asyncio.to_thread(end_turn)
    await wait_until(lambda: not turns.running)
    turn.end()
    assert turns.running == 0, "it ends once"


@pytest.mark.parametrize("seed", range(30))
@in_loop
async def test_no_turn_is_lost_when_requests_are_cancelled_or_end_early(seed: int) -> None:
    turns, chance = RequestTurns(), random.Random(seed)

    async def request(address: str) -> None:
        turn = Turn(turns, address)
        await turn.begin()
        try:
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)
            if chance.random() < 0.3:
                turn.end()
                await asyncio.sleep(0)
        finally:
            turn.end()

    tasks = []
    for _ in range(MANY):
        tasks.append(asyncio.create_task(request(f"10.0.0.{chance.randrange(4)}")))
        if chance.random() < 0.4:
            chance.choice(tasks).cancel()
        if chance.random() < 0.3:
            await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*tasks, return_exceptions=True)
    assert (turns.running, turns.waiting) == (0, {})


@in_loop
async def test_a_request_that_waits_for_a_work_process_has_ended_its_turn(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    turn = Turn(turns := RequestTurns(), "10.0.0.1")
    current_turn.set(turn)
    await turn.begin()
    go_on = threading.Event()
    settings.WORK_PROCESSES = 1
    monkeypatch.setattr(work_pool, "pool", lambda: SimpleNamespace(run=lambda *_: go_on.wait(PATIENCE)))
    work = asyncio.create_task(asyncio.to_thread(work_pool.run, Client("party", "10.0.0.1"), WorkOptions(), len, ""))
    await wait_until(lambda: not turns.running)
    assert not work.done()
    go_on.set()
    assert await work
