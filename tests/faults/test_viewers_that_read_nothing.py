"""Clients that request a large run and read nothing use limited memory, and others are served meanwhile."""

import sys
import time

import pytest

from kschedui.supervisor.stack import Stack
from tests.conftest import StackMaker, manage
from tests.faults.stacks import FILL, SMALL, breakable, deaf_request, deaf_socket, megabytes
from tests.web.visitor import Follower, Visitor

ATTACKERS = 100
FRAMES, FRAME_BYTES = 12, 4_900_000
MAX_MEGABYTES = 350  # increase: the cache of frames, the budget for unsent data, and the memory to read frames

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's memory in a file")


def stack_with_large_frames(make_stack: StackMaker) -> tuple[Stack, Visitor, str]:
    """Return a stack with a run of large frames, the visitor who saved it, and the run's id."""
    stack = breakable(make_stack)
    visitor = Visitor(stack.url)
    run = visitor.save(SMALL)
    visitor.wait_for(run, "done")
    manage(stack, "shell", "-v", "0", "-c", FILL.format(run=run, frames=FRAMES, size=FRAME_BYTES))
    return stack, visitor, run


def test_a_hundred_sockets_that_read_nothing_use_limited_memory(make_stack: StackMaker) -> None:
    stack, visitor, run = stack_with_large_frames(make_stack)
    web = stack.children["web"].group
    before = megabytes(web)
    attackers = [deaf_socket(visitor, run) for _ in range(ATTACKERS)]
    most = max_megabytes(web, 6)
    follower = Follower(visitor, run)
    follower.follow()
    assert len(follower.taken) == FRAMES, "a client that reads is served meanwhile"
    for one in attackers:
        one.close()
    print(f"web process: {before} MB before, {most} MB at most")
    assert most - before < MAX_MEGABYTES


def test_a_hundred_requests_that_read_nothing_use_limited_memory(make_stack: StackMaker) -> None:
    stack, visitor, run = stack_with_large_frames(make_stack)
    web = stack.children["web"].group
    before = megabytes(web)
    attackers = [deaf_request(visitor, f"/api/v1/runs/{run}/chunks/{i % FRAMES}") for i in range(ATTACKERS)]
    most = max_megabytes(web, 6)
    status, _ = visitor.get("/healthz")
    assert status == 200
    for one in attackers:
        one.close()
    print(f"web process: {before} MB before, {most} MB at most")
    assert most - before < MAX_MEGABYTES


def max_megabytes(process: int, seconds: float) -> int:
    """Watch the process for some seconds, and return the most memory that it used, in megabytes."""
    most, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        most = max(most, megabytes(process))
        time.sleep(0.1)
    return most
