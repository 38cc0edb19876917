"""After the clock is set forward or back, leases still expire, waiting work is done, and limits hold."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from kschedui import housekeeping
from kschedui.accounts import tokens
from kschedui.models import Batch, Run, Upload, Version
from kschedui.runs import leases, steady_clock, storage_limits, turns
from kschedui.runs import store as runs
from kschedui.runs.turns import Requester
from kschedui.supervisor import probe
from kschedui.web.api import rates
from tests.web.conftest import SMALL, Browser

DAY, YEAR = timedelta(days=1), timedelta(days=365)
Keep = Callable[..., Version]
JUMPS = pytest.mark.parametrize("jump", [DAY, -DAY, YEAR, -YEAR], ids=["a day on", "a day back", "on", "back"])


@pytest.fixture
def jump_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Return a function that sets Django's clock forward by a time, or back by a negative one."""
    now = timezone.now

    def jump(by: timedelta) -> None:
        monkeypatch.setattr(timezone, "now", lambda: now() + by)

    return jump


def claimed_run(keep: Keep, asker: str = "party author") -> Run:
    """Return a run that a worker has claimed."""
    run = runs.claim(runs.start_run(keep(), Requester(*asker.split())).public_id)
    assert run is not None
    return run


@pytest.mark.django_db
@JUMPS
def test_a_run_whose_worker_died_before_the_clock_was_set_is_taken_by_another(
    keep: Keep, monkeypatch: pytest.MonkeyPatch, jump_by: Callable[[timedelta], None], jump: timedelta
) -> None:
    announced: list[str] = []
    run = claimed_run(keep)
    jump_by(jump)
    monkeypatch.setattr(runs, "enqueue", announced.append)
    assert runs.requeue_lost() == 1
    assert announced == [run.public_id]
    assert runs.claim(run.public_id) is not None


@pytest.mark.django_db
@JUMPS
def test_a_worker_that_lives_keeps_its_run_once_it_has_renewed_its_lease(
    keep: Keep, jump_by: Callable[[timedelta], None], jump: timedelta
) -> None:
    run = claimed_run(keep)
    jump_by(jump)
    leases.renew(run)
    assert runs.requeue_lost() == 0
    assert runs.claim(run.public_id) is None


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [Run, Batch, Upload])
def test_a_lease_that_begins_now_is_nobodys_to_take(kind: Any, settings: Any) -> None:
    for seconds in (1, 9, 3600):
        settings.RUN_LEASE_SECONDS = seconds
        assert not kind.objects.filter(leases.lost(), lease_until=leases.lease()).exists()
        ends = leases.lease() - timezone.now()
        assert ends < timedelta(seconds=leases.MAX_AHEAD * seconds)


@pytest.mark.django_db
@JUMPS
def test_a_queued_run_that_no_worker_heard_of_is_announced_again(
    keep: Keep, monkeypatch: pytest.MonkeyPatch, jump_by: Callable[[timedelta], None], jump: timedelta
) -> None:
    announced: list[str] = []
    monkeypatch.setattr(runs, "enqueue", announced.append)
    run = runs.start_run(keep())
    announced.clear()
    assert runs.requeue_lost() == 0, "it was announced a moment ago"
    jump_by(jump)
    runs.requeue_lost()
    runs.requeue_lost()
    assert announced == [run.public_id], "once"


@pytest.mark.django_db
def test_who_was_served_before_the_clock_was_set_back_does_not_wait_until_then(
    keep: Keep, jump_by: Callable[[timedelta], None]
) -> None:
    runs.finish(claimed_run(keep, "early e"), {})
    jump_by(-timedelta(minutes=30))
    greedy = [runs.start_run(keep(), Requester("greedy", "g")).public_id for _ in range(3)]
    early = runs.start_run(keep(), Requester("early", "e")).public_id
    order = []
    for _ in range(3):
        order.append(turns.next_run(long=True) or "")
        run = runs.claim(order[-1])
        assert run is not None
        runs.finish(run, {})
    assert early in order[:2]
    assert greedy[0] in order[:2]


@pytest.mark.django_db
@JUMPS
def test_the_estimated_wait_is_never_negative(
    keep: Keep, jump_by: Callable[[timedelta], None], jump: timedelta
) -> None:
    held = claimed_run(keep)
    jump_by(jump)
    runs.finish(held, {})
    waits = turns.ahead_of(runs.start_run(keep()))
    assert waits.seconds is None or waits.seconds >= 1


@pytest.mark.django_db
def test_a_token_is_valid_as_long_as_the_clock_says(jump_by: Callable[[timedelta], None]) -> None:
    owner = User.objects.create(username="ada")
    _, secret = tokens.make(owner, "script", ["read"], days=7)
    assert tokens.find(secret)
    jump_by(timedelta(days=8))
    assert tokens.find(secret) is None
    jump_by(-YEAR)
    found = tokens.find(secret)
    assert found
    assert tokens.find(secret), "used in a future, and found all the same"


@pytest.mark.django_db
@JUMPS
def test_the_day_of_an_address_ends_and_what_is_kept_counts_for_good(
    author: Browser, settings: Any, jump_by: Callable[[timedelta], None], jump: timedelta
) -> None:
    author.save(SMALL)
    mine = Run.objects.get()
    settings.LIMITS = {**settings.LIMITS, "address_day_bytes": len(SMALL) - 1}
    refused = author.post_json("/api/v1/scenarios", text=SMALL + "# again")
    assert (refused.status_code, refused.json()["code"]) == (422, "no_room")
    jump_by(jump)
    assert (storage_limits.kept_today(mine.address) == 0) == (jump > timedelta()), (
        "a clock that was set back gives nothing away"
    )
    settings.LIMITS = {**settings.LIMITS, "address_day_bytes": 10**9, "browser_bytes": len(SMALL) - 1}
    assert author.post_json("/api/v1/scenarios", text=SMALL + "# again").status_code == 422


@pytest.mark.django_db
@JUMPS
def test_rates_are_counted_on_in_another_minute_and_in_the_same_again(
    author: Browser, settings: Any, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "check": 2}
    author.save()  # the browser now has the cookie by which it is counted

    def statuses() -> list[int]:
        return [author.post_json("/api/v1/check", text=SMALL).status_code for _ in range(3)]

    assert statuses() == [200, 200, 429]
    monkeypatch.setattr(rates, "time", SimpleNamespace(time=lambda: 1e9 + jump.total_seconds()))
    assert statuses() == [200, 200, 429]
    monkeypatch.setattr(rates, "time", SimpleNamespace(time=lambda: 0.0))
    assert statuses() == [429] * 3
    assert 0 < rates.seconds_left() <= rates.MINUTE


def test_a_worker_that_stands_still_does_not_live_on_in_a_future(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "alive"
    file.touch()
    now = probe.time.time()
    for seconds, alive in ((1, True), (-1, True), (86_400, False), (-86_400, False)):
        monkeypatch.setattr(probe, "time", SimpleNamespace(time=lambda seconds=seconds: now + seconds))
        assert probe.worker_is_alive(str(file)) is alive


@pytest.mark.django_db
@JUMPS
def test_a_preview_that_somebody_watches_goes_on_when_the_clock_is_set(
    author: Browser, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    passed = [1000.0]
    monkeypatch.setattr(steady_clock, "monotonic", lambda: passed[0])
    monkeypatch.setattr(steady_clock.clock, "offset", None)
    preview = author.post_json("/api/v1/preview", text=SMALL).json()["run"]
    start = timezone.now()

    def look(seconds: float, *, watched: bool) -> str:
        """Return the state of the preview after some seconds on all clocks."""
        passed[0] += seconds
        moved[0] += timedelta(seconds=seconds)
        if watched:
            runs.touch(preview)
        housekeeping.reap()
        return Run.objects.get(public_id=preview).state

    moved = [timedelta()]
    monkeypatch.setattr(timezone, "now", lambda: start + moved[0])
    states = [look(2, watched=True) for _ in range(10)]
    moved[0] += jump
    states += [look(0, watched=False), look(1, watched=False)]  # a viewer renews its interest every two seconds
    states += [look(2, watched=True) for _ in range(10)]
    assert set(states) == {"queued"}
    assert look(20, watched=False) == "cancelled", "nobody watches it any more"
