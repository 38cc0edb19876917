"""The comparison of two runs: first difference and cause, both stages at one step, moved pods, measures."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from msgspec.structs import replace

from kschedui.ask.unlike import Unlike
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.callers import leave_large
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import keeping_visitor, requester_of, save_once
from kschedui.web.api.work import work
from kschedui.web.pages.analysis.sides import NAMES, Side, address, releases_query, side_of
from kschedui.web.pages.page_view import page_view
from scheduler_core.ask.compare import ComparedAttempt, Comparison

MAX_ROWS = 200
MAX_PAIRS = 4000  # on the timeline
HIGHEST_SEED = 2**63 - 1
CACHED = 8  # answers, as JSON, by what was compared
cached: dict[tuple[Any, ...], bytes] = {}
MAX_TRIED = 64_000  # bytes of a text that is read on each release, to say which of them refuse it
MEASURES = {
    "placed": gettext_lazy("Pods bound"),
    "pending": gettext_lazy("Pods pending"),
    "attempts": gettext_lazy("Attempts"),
    "evicted": gettext_lazy("Pods evicted"),
    "budget_violations": gettext_lazy("Budgets violated"),
    "wait_mean": gettext_lazy("Mean waiting time, seconds"),
    "wait_longest": gettext_lazy("Longest waiting time, seconds"),
    "cpu": gettext_lazy("CPU requested"),
    "memory": gettext_lazy("Memory requested"),
    "cpu_spread": gettext_lazy("Spread of CPU over nodes"),
    "empty_nodes": gettext_lazy("Empty nodes"),
    "skew": gettext_lazy("Skew over zones"),
}
UNLIKE = {
    "message": gettext_lazy("different message"),
    "verdicts": gettext_lazy("different filter results"),
    "scores": gettext_lazy("different scores"),
    "preemption": gettext_lazy("different preemption candidates or victims, or a different order"),
    "time": gettext_lazy("different time"),
    "queues": gettext_lazy("different queues afterwards"),
}
SHARES = ("cpu", "memory", "cpu_spread")


@page_view
@require_safe
def compare(request: HttpRequest, a: str, m: int, b: str, n: int) -> HttpResponse:
    """Show the comparison with scenarios/compare.html: `sides` [Side], `texts_url`, `seed_url`, `comparison`, `cause`,
    `first` (first_of), `segments`, `width` (number of pairs), `unlike` (unlike_of), `data` (timeline, for
    static/js/pages/compare.js), `rows`, `more`, `moved`, `measures`.
    """
    sides = both_sides(request, a, m, b, n)
    count(request, "read")
    parts = msgspec.json.decode(answer_of(request, sides), type=dict[str, msgspec.Raw])
    comparison = msgspec.json.decode(parts["comparison"], type=Comparison)
    rows, more = rows_of(comparison)
    context = {
        "sides": [replace(side, refused=refused_releases(request, side)) for side in sides],
        "texts_url": texts_url(sides),
        "seed_url": reverse("compare-seed", args=[*sides[0].names, *sides[1].names]) + releases_query(sides),
        "comparison": comparison,
        "cause": msgspec.json.decode(parts["cause"]),
        "first": first_of(comparison),
        "unlike": unlike_of(msgspec.json.decode(parts["unlike"], type=Unlike | None)),
        "segments": segments(comparison),
        "width": len(comparison.pairs),
        "data": timeline(comparison),
        "rows": rows,
        "more": more,
        "moved": [(pod.pod, place(pod.before), place(pod.after)) for pod in comparison.moved[:MAX_ROWS]],
        "measures": measures(comparison),
    }
    return render(request, "scenarios/compare.html", context)


@page_view
@require_POST
def seed(request: HttpRequest, a: str, m: int, b: str, n: int) -> HttpResponse:
    """Fork the POSTed `side` with the POSTed `seed`, and show the comparison with the fork."""
    sides = both_sides(request, a, m, b, n)
    given, name = request.POST.get("seed", "").strip(), request.POST.get("side", "")
    if not (given.isdecimal() and given.isascii() and len(given) < 20 and int(given) <= HIGHEST_SEED):
        raise Refusal(422, gettext_noop("The seed must be an integer of 0 or greater."))
    if name not in NAMES:
        raise Refusal(422, gettext_noop("Choose whether the seed applies to the first or the second run."))
    count(request, "save")
    at = NAMES.index(name)
    keeping_visitor(request)
    origin = sides[at].version
    leave_large(request, origin.bytes)
    digest = work(request, jobs.digest_with_seed, scenarios.text_for_work(origin), int(given))
    scenario = save_once(request, lambda visitor: scenarios.create(visitor, digest, origin))
    runs.start_run(scenario, requester_of(request), kubernetes=sides[at].kubernetes or None)
    sides[at] = Side(name, scenario, sides[at].release, sides[at].kubernetes)
    return redirect(address(sides))


def both_sides(request: HttpRequest, a: str, m: int, b: str, n: int) -> list[Side]:
    """Return the two sides; `?first=` and `?second=` select their releases."""
    return [side_of(request, name, *version) for name, version in zip(NAMES, ((a, m), (b, n)), strict=True)]


def texts_url(sides: list[Side]) -> str:
    """Return the URL of the line-by-line comparison, "" if the texts are equal."""
    same = sides[0].version.sha256 == sides[1].version.sha256
    return "" if same else reverse("compare-text", args=[*sides[0].names, *sides[1].names])


def answer_of(request: HttpRequest, sides: list[Side]) -> bytes:
    """Return the JSON of `jobs.compare_runs`; the latest comparisons are cached."""
    versions = [(side.version, side.kubernetes or runs.own_release(side.version)) for side in sides]
    key = (get_language(), *((version.sha256, release) for version, release in versions))
    if key not in cached:
        texts = [(scenarios.text_for_work(version), release) for version, release in versions]
        cache_answer(key, work(request, jobs.compare_runs, *texts))
    return cached[key]


def refused_releases(request: HttpRequest, side: Side) -> dict[str, str]:
    """Return {release: error} for the releases that reject the text; {} for a large text, which is not tried."""
    if side.version.bytes > MAX_TRIED:
        return {}
    key = (get_language(), side.version.sha256)
    if key not in cached:
        cache_answer(
            key, msgspec.json.encode(work(request, jobs.refused_releases, scenarios.text_for_work(side.version)))
        )
    return msgspec.json.decode(cached[key], type=dict[str, str])


def cache_answer(key: tuple[Any, ...], answer: bytes) -> None:
    """Cache an answer; the oldest one is dropped if the cache is full."""
    while len(cached) >= CACHED:
        cached.pop(next(iter(cached)), None)
    cached[key] = answer


def describe_outcome(attempt: ComparedAttempt | None) -> str:
    """Return the outcome of an attempt in words, or its node."""
    if attempt is None:
        return _("attempt not found")
    if attempt.node:
        return attempt.node
    return _("evicts pods on {node}").format(node=attempt.nominated) if attempt.nominated else _("waits")


def pair_of(comparison: Comparison, before: int, after: int) -> tuple[ComparedAttempt | None, ComparedAttempt | None]:
    """Return the attempts of a pair; None for an attempt that does not exist, or was not kept in a very long run."""
    both = zip(comparison.attempts, (before, after), strict=True)
    first, second = (attempts[index] if 0 <= index < len(attempts) else None for attempts, index in both)
    return first, second


def attempt_numbers(pair: Iterable[ComparedAttempt | None]) -> list[int]:
    """Return the numbers of the attempts of a pair; 0 for one that does not exist."""
    return [attempt.attempt if attempt else 0 for attempt in pair]


def first_of(comparison: Comparison) -> dict[str, Any] | None:
    """Return the first difference as {pod, number, time, at (the index of the pair, 0 if it was not kept), before,
    after}; None without one.
    """
    if comparison.first is None:
        return None
    ends = (comparison.first.before, comparison.first.after)
    shown = ends[0] or ends[1]
    assert shown is not None
    numbers = attempt_numbers(ends)
    numbers_of_pairs = (attempt_numbers(pair_of(comparison, pair.before, pair.after)) for pair in comparison.pairs)
    at = next((index for index, pair in enumerate(numbers_of_pairs) if pair == numbers), 0)
    about = {"pod": shown.pod, "number": shown.pod_attempt, "time": shown.time, "at": at}
    return {**about, "before": describe_outcome(ends[0]), "after": describe_outcome(ends[1])}


def unlike_of(unlike: Unlike | None) -> dict[str, Any] | None:
    """Return the first other difference of runs with equal decisions, or None.

    It is {pod, number, time, at, what, before, after}.
    """
    if unlike is None:
        return None
    about = {"pod": unlike.pod, "number": unlike.attempt, "time": unlike.time, "at": unlike.attempt - 1}
    return {**about, "what": UNLIKE[unlike.what], "before": unlike.before, "after": unlike.after}


def timeline(comparison: Comparison) -> dict[str, Any]:
    """Return {first: index of the first different pair or -1, pairs: [[step before, step after, same, pod, attempt of
    the pod]]}.

    A step of -1 means that there is no such attempt.
    """
    first = first_of(comparison)
    pairs = []
    for pair in comparison.pairs[:MAX_PAIRS]:
        ends = pair_of(comparison, pair.before, pair.after)
        shown = ends[0] or ends[1]
        if shown is not None:
            steps = [-1 if attempt is None else attempt.step for attempt in ends]
            pairs.append([*steps, int(pair.same), shown.pod, shown.pod_attempt])
    return {"first": first["at"] if first else -1, "pairs": pairs}


def rows_of(comparison: Comparison) -> tuple[list[dict[str, Any]], int]:
    """Return rows for the first attempts that differ, and the number of further ones."""
    rows, differing = [], [at for at, pair in enumerate(comparison.pairs) if not pair.same]
    for at in differing[:MAX_ROWS]:
        pair = comparison.pairs[at]
        ends = pair_of(comparison, pair.before, pair.after)
        shown = ends[0] or ends[1]
        if shown is not None:
            about = {"pod": shown.pod, "number": shown.pod_attempt, "time": shown.time, "at": at}
            rows.append({**about, "before": describe_outcome(ends[0]), "after": describe_outcome(ends[1])})
    return rows, max(0, comparison.differing - len(rows))


def segments(comparison: Comparison) -> list[tuple[int, int, bool]]:
    """Return (start, length, same) of each segment of consecutive equal or different attempts."""
    stretches, start = [], 0
    for same, group in groupby(pair.same for pair in comparison.pairs):
        length = len(list(group))
        stretches.append((start, length, same))
        start += length
    return stretches


def measures(comparison: Comparison) -> list[tuple[str, str, str, bool]]:
    """Return (label, before, after, whether they differ) of each measure."""
    before, after = (msgspec.to_builtins(measure) for measure in comparison.measures)
    return [
        (str(label), number(name, before[name]), number(name, after[name]), before[name] != after[name])
        for name, label in MEASURES.items()
    ]


def number(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1%}" if name in SHARES else f"{value:,.4g}"


def place(node: str | None) -> str:
    """Return the node of a pod, or words for a pod without a node or one that does not exist."""
    if node is None:
        return _("does not exist")
    return node or _("waits")
