"""The cost of clients that request a large run and read nothing; meanwhile others are served."""

import sys
import time

import pytest

from kschedui.supervisor.stack import Stack
from tests.conftest import StackMaker, manage
from tests.faults.stacks import FILL, SMALL, breakable, deaf_request, deaf_socket, megabytes
from tests.web.visitor import Follower, Visitor

ATTACKERS = 100
FRAMES, FRAME_BYTES = 12, 4_900_000
MAX_MEGABYTES = 350  # more than before: the cache of frames, the budget for what is unsent, and what reading takes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's memory in a file")


def filled(make_stack: StackMaker) -> tuple[Stack, Visitor, str]:
    """Return a stack with a run of large frames, its visitor and the run's id."""
    stack = breakable(make_stack)
    visitor = Visitor(stack.url)
    run = visitor.save(SMALL)
    visitor.wait_for(run, "done")
    manage(stack, "shell", "-v", "0", "-c", FILL.format(run=run, frames=FRAMES, size=FRAME_BYTES))
    return stack, visitor, run


def test_a_hundred_sockets_that_read_nothing_are_held_to_a_budget(make_stack: StackMaker) -> None:
    stack, visitor, run = filled(make_stack)
    web = stack.children["web"].group
    before = megabytes(web)
    attackers = [deaf_socket(visitor, run) for _ in range(ATTACKERS)]
    most = watched(web, 6)
    follower = Follower(visitor, run)
    follower.follow()
    assert len(follower.taken) == FRAMES, "somebody who reads is served meanwhile"
    for one in attackers:
        one.close()
    print(f"web process: {before} MB before, {most} MB at most")
    assert most - before < MAX_MEGABYTES


def test_a_hundred_requests_that_read_nothing_are_held_to_the_same_budget(make_stack: StackMaker) -> None:
    stack, visitor, run = filled(make_stack)
    web = stack.children["web"].group
    before = megabytes(web)
    attackers = [deaf_request(visitor, f"/api/v1/runs/{run}/chunks/{i % FRAMES}") for i in range(ATTACKERS)]
    most = watched(web, 6)
    status, _ = visitor.get("/healthz")
    assert status == 200
    for one in attackers:
        one.close()
    print(f"web process: {before} MB before, {most} MB at most")
    assert most - before < MAX_MEGABYTES


def watched(process: int, seconds: float) -> int:
    """Return the most memory, in megabytes, that the process uses in this time."""
    most, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        most = max(most, megabytes(process))
        time.sleep(0.1)
    return most
