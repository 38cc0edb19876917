"""The page of two runs side by side: where they part, why, and what moved."""

from itertools import groupby
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from kschedui.models import Version
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.answers import worked
from kschedui.web.api.rates import count
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.views import seen
from scheduler_core import ENGINE_VERSION
from scheduler_core.ask.compare import Attempt, Comparison

MOST_ROWS = 200
BEFORE_FIRST = 3  # rows that are still the same, above the first that is not
MEASURES = {
    "placed": gettext_lazy("Pods placed"),
    "pending": gettext_lazy("Pods waiting"),
    "attempts": gettext_lazy("Attempts"),
    "evicted": gettext_lazy("Pods evicted"),
    "budget_violations": gettext_lazy("Budgets violated"),
    "wait_mean": gettext_lazy("Mean wait, seconds"),
    "wait_longest": gettext_lazy("Longest wait, seconds"),
    "cpu": gettext_lazy("CPU requested"),
    "memory": gettext_lazy("Memory requested"),
    "cpu_spread": gettext_lazy("Spread of CPU over nodes"),
    "empty_nodes": gettext_lazy("Empty nodes"),
    "skew": gettext_lazy("Skew over zones"),
}
SHARES = ("cpu", "memory", "cpu_spread")


@page_view
@require_safe
def compare(request: HttpRequest, a: str, m: int, b: str, n: int) -> HttpResponse:
    """scenarios/compare.html: `sides` [{title, number, url}], `found` (Comparison), `cause`, `first`, `segments`,
    `rows`, `more`, `moved`, `measures`."""
    versions = [scenarios.version(seen(request, sid)[1], number) for sid, number in ((a, m), (b, n))]
    count(request, "read")
    texts = [version.text for version in versions]
    answer = worked(request, jobs.compare_runs, *texts, size=work_of(versions), slow=True)
    made = msgspec.json.decode(answer, type=dict[str, msgspec.Raw])
    found = msgspec.json.decode(made["comparison"], type=Comparison)
    sides = [side(version) for version in versions]
    rows, more = rows_of(found, sides)
    context = {
        "sides": sides,
        "found": found,
        "cause": msgspec.json.decode(made["cause"]),
        "first": first_of(found, sides),
        "segments": segments(found),
        "width": len(found.pairs),
        "rows": rows,
        "more": more,
        "moved": [(one.pod, place(one.before), place(one.after)) for one in found.moved[:MOST_ROWS]],
        "measures": measures(found),
    }
    return render(request, "scenarios/compare.html", context)


def work_of(versions: list[Version]) -> int:
    """How much there is to do, in characters of a text that takes as long."""
    return sum(len(one.text) + one.summary.get("nodes", 0) * one.summary.get("pods", 0) for one in versions)


def side(version: Version) -> dict[str, Any]:
    """A version, and its run by this engine, whose steps the comparison counts."""
    url = reverse("version", args=[version.scenario.public_id, version.number])
    return {"title": version.scenario.title, "number": version.number, "url": f"{url}?engine={ENGINE_VERSION}"}


def told(attempt: Attempt | None, side: dict[str, Any]) -> dict[str, str]:
    """What an attempt came to, with a link to its step."""
    if attempt is None:
        return {"text": _("no such attempt"), "url": ""}
    if attempt.node:
        text = attempt.node
    else:
        text = _("evicts pods on {node}").format(node=attempt.nominated) if attempt.nominated else _("waits")
    return {"text": text, "url": f"{side['url']}#{attempt.step}"}


def pair_of(found: Comparison, before: int, after: int) -> tuple[Attempt | None, Attempt | None]:
    """The attempts of a pair; of very long runs the last ones are not here."""
    both = zip(found.attempts, (before, after), strict=True)
    first, second = (made[place] if 0 <= place < len(made) else None for made, place in both)
    return first, second


def first_of(found: Comparison, sides: list[dict[str, Any]]) -> dict[str, Any] | None:
    if found.first is None:
        return None
    there = found.first.before or found.first.after
    assert there is not None
    answers = [told(found.first.before, sides[0]), told(found.first.after, sides[1])]
    return {
        "pod": there.pod,
        "number": there.pod_attempt,
        "time": there.time,
        "sides": list(zip(sides, answers, strict=True)),
    }


def rows_of(found: Comparison, sides: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The attempts from shortly before the first that differs, and how many come after them."""
    differing = next((index for index, pair in enumerate(found.pairs) if not pair.same), 0)
    start = max(0, differing - BEFORE_FIRST)
    rows = []
    for pair in found.pairs[start : start + MOST_ROWS]:
        both = pair_of(found, pair.before, pair.after)
        there = both[0] or both[1]
        if there is not None:
            before, after = told(both[0], sides[0]), told(both[1], sides[1])
            about = {"pod": there.pod, "number": there.pod_attempt, "time": there.time, "same": pair.same}
            rows.append({**about, "before": before, "after": after})
    return rows, max(0, len(found.pairs) - start - MOST_ROWS)


def segments(found: Comparison) -> list[tuple[int, int, bool]]:
    """(from, how many, same): attempts that agree, and that do not, in turn."""
    made, start = [], 0
    for same, group in groupby(pair.same for pair in found.pairs):
        length = len(list(group))
        made.append((start, length, same))
        start += length
    return made


def measures(found: Comparison) -> list[tuple[str, str, str, bool]]:
    """(name, before, after, whether they differ)."""
    before, after = (msgspec.to_builtins(one) for one in found.measures)
    return [
        (str(label), number(name, before[name]), number(name, after[name]), before[name] != after[name])
        for name, label in MEASURES.items()
    ]


def number(name: str, value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}" if name in SHARES else f"{value:,.4g}"


def place(node: str | None) -> str:
    """Where a pod ended."""
    return _("not there") if node is None else node or _("waits")
