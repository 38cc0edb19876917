"""The budget of unsent bytes: who waits for whom, and that nothing of it is lost."""

import asyncio

from kschedui.web.http.byte_budget import ByteBudget
from tests.web.sockets import in_loop


async def holder(budget: ByteBudget, owner: str, thing: str, size: int, end: asyncio.Event) -> None:
    async with budget.held(owner, thing, size):
        await end.wait()


async def settle() -> None:
    """Let every task run until it waits."""
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
