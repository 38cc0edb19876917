"""The budget of unsent bytes: the order of waiting clients, and that no bytes are lost."""

import asyncio
import random

import pytest

from kschedui.web.http.byte_budget import ByteBudget
from tests.web.sockets import in_loop


async def holder(budget: ByteBudget, owner: str, thing: str, size: int, end: asyncio.Event) -> None:
    async with budget.held(owner, thing, size):
        await end.wait()


async def settle() -> None:
    """Let the event loop turn ten times, so that every task runs until it waits."""
    for _ in range(10):
        await asyncio.sleep(0)


@in_loop
async def test_who_finds_no_room_waits_until_somebody_is_done() -> None:
    budget, ends = ByteBudget(100, 100), [asyncio.Event() for _ in range(3)]
    tasks = [asyncio.create_task(holder(budget, f"a{i}", f"t{i}", 60, end)) for i, end in enumerate(ends)]
    await settle()
    assert (budget.used, len(budget.waiting)) == (60, 2)
    ends[0].set()
    await settle()
    assert (budget.used, len(budget.waiting)) == (60, 1)
    for end in ends:
        end.set()
    await asyncio.gather(*tasks)
    assert (budget.used, budget.waiting, budget.holds, dict(budget.owners)) == (0, [], {}, {})


@in_loop
async def test_one_address_holds_its_share_and_stands_in_nobodys_way() -> None:
    budget, end = ByteBudget(100, 50), asyncio.Event()
    mine = [asyncio.create_task(holder(budget, "me", f"m{i}", 40, end)) for i in range(3)]
    await settle()
    assert (budget.used, len(budget.waiting)) == (40, 2)
    async with asyncio.timeout(60), budget.held("you", "y", 40):
        assert budget.used == 80
    end.set()
    await asyncio.gather(*mine)
    assert budget.used == 0


@in_loop
async def test_what_many_wait_to_be_rid_of_is_counted_once() -> None:
    budget, end = ByteBudget(100, 100), asyncio.Event()
    tasks = [asyncio.create_task(holder(budget, f"a{i}", "same", 90, end)) for i in range(20)]
    await settle()
    assert budget.used == 90
    end.set()
    await asyncio.gather(*tasks)
    assert budget.used == 0


@in_loop
async def test_what_turns_out_smaller_makes_room_and_who_gives_up_takes_none() -> None:
    budget, end = ByteBudget(100, 100), asyncio.Event()
    async with budget.held("a", "t", 100) as held:
        waits = asyncio.create_task(holder(budget, "b", "u", 50, end))
        gives_up = asyncio.create_task(holder(budget, "c", "v", 50, end))
        await settle()
        gives_up.cancel()
        held.shrink(10)
        await settle()
        assert (budget.used, budget.waiting) == (60, [])
    end.set()
    await waits
    assert budget.used == 0


@in_loop
async def test_a_large_client_is_not_passed_by_small_ones_that_come_later() -> None:
    budget, ends = ByteBudget(100, 100), [asyncio.Event() for _ in range(6)]
    sizes = [30, 30, 100, 30, 30, 30]
    tasks = [asyncio.create_task(holder(budget, f"a{i}", f"t{i}", size, ends[i])) for i, size in enumerate(sizes)]
    await settle()
    assert (budget.used, len(budget.waiting)) == (60, 4), "there is room for a small one, but the large one is first"
    ends[0].set()
    ends[1].set()
    await settle()
    assert (budget.used, len(budget.waiting)) == (100, 3)
    for end in ends:
        end.set()
    await asyncio.gather(*tasks)
    assert budget.used == 0


@pytest.mark.parametrize("seed", range(30))
@in_loop
async def test_clients_that_come_wait_shrink_and_give_up_leave_the_budget_whole(seed: int) -> None:
    chance, budget = random.Random(seed), ByteBudget(100, 60)
    clients: list[tuple[asyncio.Task[None], asyncio.Event]] = []
    for _ in range(200):
        if clients and chance.random() < 0.5:
            task, end = clients.pop(chance.randrange(len(clients)))
            _ = task.cancel() if chance.random() < 0.5 else end.set()
        else:
            end = asyncio.Event()
            owner, thing, size = chance.choice("abc"), str(chance.randrange(12)), chance.randrange(1, 80)
            clients.append((asyncio.create_task(holder(budget, owner, thing, size, end)), end))
        for _ in range(chance.randrange(3)):
            await asyncio.sleep(0)
        assert budget.used == sum(hold.size for hold in budget.holds.values()) <= 100
        assert all(used <= 60 for used in budget.owners.values())
        first = budget.waiting[0] if budget.waiting else None
        if first and not first.turn.done():
            assert budget.used + first.size > 100 or budget.owners[first.owner] + first.size > 60, "room is left unused"
    for _, end in clients:
        end.set()
    async with asyncio.timeout(60):
        await asyncio.gather(*(task for task, _ in clients), return_exceptions=True)
    await settle()
    assert (budget.used, budget.waiting, budget.holds, dict(budget.owners)) == (0, [], {}, {})
