"""Sockets take turns in the event loop: other users of the loop wait for a few of their steps, not for all of them."""

import asyncio
import random
from itertools import pairwise

import pytest

from kschedui.web.live.loop_turns import MOST, LoopTurns
from tests.web.sockets import in_loop

MANY = 200


@in_loop
async def test_others_wait_for_a_few_steps_and_not_for_all_that_are_ready() -> None:
    turns, steps, seen = LoopTurns(), 0, [0]

    async def connect() -> None:
        nonlocal steps
        for _ in range(3):
            await turns.take()
            steps += 1

    tasks = [asyncio.create_task(connect()) for _ in range(MANY)]
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        seen.append(steps)
    assert steps == 3 * MANY
    assert max(after - before for before, after in pairwise(seen)) <= 2 * MOST


@in_loop
async def test_turns_come_in_order() -> None:
    turns, order = LoopTurns(), []

    async def connect(number: int) -> None:
        await turns.take()
        order.append(number)

    await asyncio.gather(*(connect(number) for number in range(MANY)))
    assert order == [*range(MANY)]


@pytest.mark.parametrize("seed", range(20))
@in_loop
async def test_nobody_is_forgotten_when_others_give_up(seed: int) -> None:
    turns, chance = LoopTurns(), random.Random(seed)
    tasks = []
    for _ in range(MANY):
        tasks.append(asyncio.create_task(turns.take()))
        if chance.random() < 0.3:
            chance.choice(tasks).cancel()
        if chance.random() < 0.2:
            await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await asyncio.gather(*tasks, return_exceptions=True)
    for _ in range(3):
        await asyncio.sleep(0)
    assert (turns.taken, [*turns.waiting]) == (0, [])
