"""The order of runs: parties and authors take turns, short runs have their own queue, unwatched previews end."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from kschedui.models import Run, Version
from kschedui.runs import long_run_slots, turns, worker
from kschedui.runs import store as runs
from kschedui.runs.turns import Requester
from tests.builders import node, pod, scenario
from tests.web.conftest import MANY, SMALL, Browser

Keep = Callable[..., Version]
LARGE = scenario(*(node(f"n{i}") for i in range(300)), *(pod(f"p{i}") for i in range(300)))


def queued(keep: Keep, *who: str, text: str = SMALL) -> list[str]:
    """Queue a run for each "party author", and return their ids."""
    return [runs.start_run(keep(text), Requester(*one.split())).public_id for one in who]


def order(count: int, *, long: bool = True) -> list[str]:
    """Return the ids in the order in which they are claimed; each run is done before the next is claimed."""
    taken = []
    for _ in range(count):
        public_id = turns.next_run(long=long)
        assert public_id is not None
        taken.append(public_id)
        run = runs.claim(public_id)
        assert run is not None
        runs.finish(run, {})
    return taken


def test_parties_take_turns_however_much_one_of_them_asked_for(keep: Keep) -> None:
    first = queued(keep, *["greedy g"] * 5)
    others = queued(keep, "second s", "third t")
    assert order(7) == [first[0], *others, *first[1:]]


def test_authors_behind_one_address_take_turns_too(keep: Keep) -> None:
    one = queued(keep, *["school ann"] * 3)
    two = queued(keep, "school bob", "school cid")
    assert order(5) == [one[0], *two, *one[1:]]


def test_while_others_wait_a_party_has_one_run_at_a_time(keep: Keep) -> None:
    mine = queued(keep, "me m", "me m")
    yours = queued(keep, "you y", "you y")
    taken = []
    for _ in range(4):
        taken.append(turns.next_run(long=True) or "")
        assert runs.claim(taken[-1])
    assert taken == [mine[0], yours[0], mine[1], yours[1]], "nobody else waits by then"


def test_a_process_without_a_place_for_long_runs_takes_the_small_ones(keep: Keep) -> None:
    long = queued(keep, "me m", text=LARGE)
    short = queued(keep, "me m")
    assert order(1, long=False) == short
    assert turns.next_run(long=False) is None
    assert order(1) == long


def test_a_long_run_that_comes_while_a_worker_looks_is_taken(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    look, other_served = turns.next_run, []

    def interrupted(*, long: bool) -> str | None:
        """Return the next run, or None. After the first call, queue a run, which is announced to another worker."""
        found = look(long=long)
        if not other_served:
            monkeypatch.setattr(turns, "next_run", look)
            queued(keep, "me m", text=LARGE)
            other_served.append(worker.serve())
        return found

    monkeypatch.setattr(turns, "next_run", interrupted)
    long_run_slots.make(1)
    try:
        served = [worker.serve(), worker.serve(), worker.serve()]
    finally:
        long_run_slots.remove()
    assert other_served == [False], "it had no slot"
    assert served == [True, True, False], "looked again, simulated the run, found no other"
    assert Run.objects.get().state == Run.State.DONE


def test_no_party_takes_all_the_places_for_long_runs(keep: Keep, settings: Any) -> None:
    settings.LONG_PLACES = 2
    queued(keep, *["greedy g"] * 3, text=LARGE)
    assert runs.claim(turns.next_run(long=True) or "")
    assert turns.next_run(long=True) is None, "the other place is for somebody else"
    (small,) = queued(keep, "greedy g")
    assert turns.next_run(long=True) == small
    (other,) = queued(keep, "other o", text=LARGE)
    assert turns.next_run(long=True) == other


def test_a_run_that_takes_longer_than_expected_becomes_a_long_one(keep: Keep, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "short_seconds": -1}
    (run,) = queued(keep, "me m", text=MANY)
    worker.execute(run, long=False)
    found = runs.by_id(run)
    assert (found.state, found.length, found.tries) == (Run.State.QUEUED, Run.Length.LONG, 0)
    worker.execute(run, long=True)
    assert runs.by_id(run).state == Run.State.DONE


def test_a_waiting_visitor_sees_the_runs_before_and_the_estimated_wait(keep: Keep, settings: Any) -> None:
    settings.LONG_PLACES = 1
    queued(keep, *["greedy g"] * 5)
    (mine,) = queued(keep, "me m")
    assert turns.ahead_of(runs.by_id(mine)) == (1, None)
    done = runs.start_run(keep(SMALL))
    now = timezone.now()
    Run.objects.filter(pk=done.pk).update(state="done", started=now - timedelta(seconds=6), finished=now)
    assert turns.ahead_of(runs.by_id(mine)) == (1, 6), "two runs of six seconds in two processes"
    (last,) = queued(keep, "greedy g")
    assert turns.ahead_of(runs.by_id(last)).runs == 6


def test_a_preview_ends_when_nobody_looks_any_more_and_starts_again_when_somebody_does(author: Browser) -> None:
    first = author.post_json("/api/v1/preview", text=SMALL).json()["run"]
    assert runs.cancel_unseen_previews() == 0
    Run.objects.update(seen=timezone.now() - 2 * runs.UNSEEN)
    author.get(f"/api/v1/runs/{first}")
    assert runs.cancel_unseen_previews() == 0, "somebody asked for its state"
    Run.objects.update(seen=timezone.now() - 2 * runs.UNSEEN)
    assert runs.cancel_unseen_previews() == 1
    assert runs.by_id(first).state == Run.State.CANCELLED
    assert author.post_json("/api/v1/preview", text=SMALL).json()["run"] == first
    assert runs.by_id(first).state == Run.State.QUEUED


def test_a_run_that_is_kept_goes_on_without_viewers(author: Browser) -> None:
    author.save()
    Run.objects.update(seen=timezone.now() - 2 * runs.UNSEEN)
    assert runs.cancel_unseen_previews() == 0


def test_a_preview_may_go_less_far_than_a_run_that_is_kept(author: Browser, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "preview_steps": 100}
    preview = author.post_json("/api/v1/preview", text=MANY).json()["run"]
    worker.execute(preview)
    assert (
        runs.by_id(preview).error
        == "The run was stopped after 100 steps, which is the limit (KSCHEDUI_MAX_PREVIEW_STEPS)."
    )
    kept = author.save(MANY)["run"]
    worker.execute(kept)
    assert runs.by_id(kept).state == Run.State.DONE


@pytest.mark.django_db
def test_nothing_is_next_where_nothing_is_queued() -> None:
    assert turns.next_run(long=True) is None
    assert worker.serve() is False
