"""The order of work: parties take turns, whatever number of browsers and requests they have."""

import random

import pytest

from kschedui.work.work_queue import RESERVED_SECONDS, Client, Full, QueueEntry, WorkQueue, WorkWait


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def line(processes: int = 2, most: int = 100) -> tuple[WorkQueue, Clock]:
    clock = Clock()
    return WorkQueue(processes, most, clock), clock


def client(party: str, author: str = "", request: str = "") -> Client:
    return Client(party, author or party, request)


def test_five_browsers_behind_one_address_are_one_party() -> None:
    queue, _ = line()
    crowd = [queue.join(client("crowd", f"browser {i}"), slow=True) for i in range(5)]
    queue.done(crowd[0], 20, 20)
    other = queue.join(client("other"), slow=True)
    assert crowd[1].process is not None, "the crowd was alone"
    assert queue.ahead(other).others == 1, "and only what goes on comes before somebody else"
    queue.done(crowd[1], 20, 20)
    assert other.process is not None
    assert [one.process for one in crowd[2:]] == [None] * 3


def test_slow_work_leaves_a_process_for_quick_work() -> None:
    queue, _ = line()
    slow = [queue.join(client(name), slow=True) for name in "ab"]
    assert [one.process for one in slow] == [0, None]
    quick = queue.join(client("c"))
    assert quick.process == 1


def test_the_party_that_took_least_lately_is_first() -> None:
    queue, clock = line(1)
    first = queue.join(client("much"))
    queue.done(first, 10, 10)
    running = queue.join(client("else"))
    much, little = queue.join(client("much", "another browser")), queue.join(client("little"))
    queue.done(running, 0.1, 0.1)
    assert (little.process, much.process) == (0, None)
    clock.now += 3600
    queue.done(little, 0.1, 0.1)
    assert much.process == 0


def test_an_author_has_one_going_on_and_authors_of_a_party_take_turns() -> None:
    queue, _ = line(1)
    going_on = queue.join(client("school", "a"))
    more, other = queue.join(client("school", "a")), queue.join(client("school", "b"))
    queue.done(going_on, 1, 1)
    assert (other.process, more.process) == (0, None)


def test_who_asks_again_soon_keeps_the_place() -> None:
    queue, clock = line(1)
    going_on = queue.join(client("a"))
    asked = queue.join(client("b", request="GET /x"))
    later = queue.join(client("c"))
    assert queue.ahead(asked) == WorkWait(1, 1)
    assert queue.leave(asked, keep=True)
    clock.now += RESERVED_SECONDS - 1
    again = queue.join(client("b", request="GET /x"))
    assert (queue.ahead(again).others, queue.ahead(later).others) == (1, 2)
    queue.leave(again, keep=True)
    clock.now += RESERVED_SECONDS + 1
    too_late = queue.join(client("b", request="GET /x"))
    queue.done(going_on, 0, 0)
    assert (later.process, too_late.process) == (0, None)


def test_work_goes_where_the_like_was_done() -> None:
    queue, _ = line(3)
    first = queue.join(client("a"), near="moment")
    queue.done(first, 0, 0)
    elsewhere = queue.join(client("b"))
    other = queue.join(client("c"))
    queue.done(elsewhere, 0, 0)
    queue.done(other, 0, 0)
    assert queue.join(client("d"), near="moment").process == first.process


def test_the_number_of_waiting_requests_is_limited_and_half_of_it_for_one_party() -> None:
    queue, _ = line(1, most=4)
    queue.join(client("a"))
    for author in "xy":
        queue.join(client("b", author))
    with pytest.raises(Full):
        queue.join(client("b", "z"))
    queue.join(client("c"))
    queue.join(client("d"))
    with pytest.raises(Full):
        queue.join(client("e"))


@pytest.mark.parametrize("seed", range(30))
def test_whatever_comes_and_goes_nothing_is_lost_and_no_party_takes_all(seed: int) -> None:
    """The invariants hold after each random arrival, end and disconnection."""
    rng = random.Random(seed)
    processes = rng.choice([1, 2, 4])
    queue, clock = line(processes, most=50)
    waiting: list[QueueEntry] = []
    done = 0
    for _ in range(400):
        clock.now += rng.random()
        action = rng.choice(["join", "join", "done", "leave"])
        if action == "join":
            try:
                party = rng.choice("abc")
                waiting.append(queue.join(client(party, party + rng.choice("12345")), slow=rng.random() < 0.5))
            except Full:
                continue
        elif action == "done" and queue.going_on:
            queue.done(rng.choice(queue.going_on), rng.random() * 3, 1)
            done += 1
        elif action == "leave" and waiting:
            queue.leave(rng.choice(waiting), keep=rng.random() < 0.5)
        going_on = queue.going_on
        assert len({one.process for one in going_on}) == len(going_on) == processes - len(queue.free)
        assert len({one.client.author for one in going_on}) == len(going_on)
        assert sum(one.slow for one in going_on) <= max(1, processes - 1)
        for party in "abc":
            mine = [one for one in going_on if one.client.party == party]
            assert sum(one.slow for one in mine) <= max(1, processes - 2)
            assert sum(not one.slow for one in mine) <= max(1, processes - 1)
        if queue.waiting and queue.free:
            assert all(queue._process_for(one) is None for one in queue.waiting), "nobody waits for nothing"
    while queue.going_on:
        queue.done(queue.going_on[0], 0, 0)
        done += 1
    assert not queue.waiting
    assert done > 20
