"""Sockets that need the same result at the same time share one call."""

import asyncio

from kschedui.web.live.shared_task import SharedCalls
from tests.web.sockets import in_loop


class Refused(Exception):
    """The error of a call."""


@in_loop
async def test_those_who_come_while_a_call_is_in_progress_share_it() -> None:
    calls, begun, go_on = SharedCalls[int](), 0, asyncio.Event()

    async def call() -> int:
        nonlocal begun
        begun += 1
        await go_on.wait()
        return begun

    waiting = [asyncio.create_task(calls.result("a", call)) for _ in range(5)]
    other = asyncio.create_task(calls.result("b", call))
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)
    go_on.set()
    results = await asyncio.gather(*waiting, other, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError)
    assert results[1:] == 5 * [2], "one call for each key, which the cancelled one does not end"
    assert await calls.result("a", call) == 3, "the next one is a new call"
    await asyncio.sleep(0)
    assert not calls.tasks


@in_loop
async def test_all_who_wait_get_the_error_and_the_next_call_is_a_new_one() -> None:
    calls, errors = SharedCalls[int](), [Refused()]

    async def call() -> int:
        if errors:
            raise errors.pop()
        return 1

    results = await asyncio.gather(*(calls.result("a", call) for _ in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == 3 * [Refused]
    assert await calls.result("a", call) == 1
