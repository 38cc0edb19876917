"""/s/<id>/v/<n>/pending/: the pods that a run leaves waiting, by cause or by workload, and what blocks each."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.language import spoken
from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.waiting import words
from kschedui.waiting.analysis import WaitingPod
from kschedui.web.api import jobs
from kschedui.web.api.answers import Refusal, worked
from kschedui.web.api.rates import count
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.views import seen

SHOWN = 20  # pods of a group, when several groups are there
MOST = 500  # pods of a single one
KEPT = 8  # answers, as JSON, by run
kept: dict[str, bytes] = {}


@page_view
@require_safe
def pending(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """scenarios/pending.html: `scenario` (id, title), `version`, `all` (how many wait), `found` (that the search
    finds), `by` ("cause" or "workload"), `q`, `group` (the key of one, or ""), `groups` [{key, title, count, pods
    [as_row], more}] largest first."""
    _, scenario = seen(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    run = runs.find_run(version, request.GET.get("engine"))
    if run is None or run.state != Run.State.DONE:
        raise Refusal(
            409, gettext_noop("The run is not complete yet; open the scenario, and come back when it has ended.")
        )
    waiting = waiting_of(request, run, version.text)
    by, query = request.GET.get("by", "cause"), request.GET.get("q", "").strip()[:200]
    found = [pod for pod in waiting if matches(pod, query)]
    about = {
        "scenario": {"id": sid, "title": cards.own_title(scenario)},
        "version": number,
        "all": len(waiting),
        "q": query,
    }
    chosen = request.GET.get("group", "")
    made = groups(found, version, by, chosen)
    one = chosen if chosen in {group["key"] for group in made} else ""
    context = {**about, "found": len(found), "by": by, "group": one, "groups": made}
    return render(request, "scenarios/pending.html", context)


def waiting_of(request: HttpRequest, run: Run, text: str) -> list[WaitingPod]:
    """The waiting pods of a run that is done, which never changes: a large one takes seconds once."""
    if run.public_id not in kept:
        found = worked(request, jobs.waiting, list(runs.all_frames(run)), text, size=len(text), slow=True)
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)), None)
        kept[run.public_id] = found
    return msgspec.json.decode(kept[run.public_id], type=list[WaitingPod])


def matches(pod: WaitingPod, query: str) -> bool:
    """Every word of the query stands in the pod's name, workload, or message."""
    text = f"{pod.pod} {pod.owner} {pod.message} {pod.dumped}".lower()
    return all(word in text for word in query.lower().split())


def groups(found: list[WaitingPod], version: Version, by: str, chosen: str) -> list[dict[str, Any]]:
    """The pods put together, the largest group first."""
    key_of: Callable[[WaitingPod], str] = workload_key if by == "workload" else cause_key
    made: dict[str, list[WaitingPod]] = {}
    for pod in found:
        made.setdefault(key_of(pod), []).append(pod)
    if chosen in made:
        made = {key: pods for key, pods in made.items() if key == chosen}
    most = MOST if len(made) == 1 else SHOWN
    return [
        {
            "key": key,
            "title": key if by == "workload" else spoken(words.blocker_words(pods[0])),
            "count": len(pods),
            "pods": [as_row(pod, version, others) for pod, *others in rows[:most]],
            "more": sum(map(len, rows[most:])),
        }
        for key, pods in sorted(made.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        for rows in [alike(pods)]
    ]


def alike(pods: list[WaitingPod]) -> list[list[WaitingPod]]:
    """Pods of one workload of which the same is to be said stand together, the most of them first."""
    found: dict[tuple[object, ...], list[WaitingPod]] = {}
    for pod in pods:
        causes = tuple(map(str, map(words.cause_words, pod.causes)))
        nearest = tuple(map(str, map(words.near_words, pod.nearest)))
        found.setdefault((workload_key(pod), pod.message, pod.dumped, causes, nearest), []).append(pod)
    return sorted(found.values(), key=len, reverse=True)


def cause_key(pod: WaitingPod) -> str:
    return str(words.blocker_words(pod))


def workload_key(pod: WaitingPod) -> str:
    namespace, _, name = pod.pod.partition("/")
    return f"{namespace}/{pod.owner or name}"


def as_row(pod: WaitingPod, version: Version, others: Sequence[WaitingPod] = ()) -> dict[str, Any]:
    """A pod for the page: {pod, url (of the step), others [{pod, url}] (of which the same is to be said), ask (what
    would make it fit), attempt, blocker, causes, nearest, message, dumped, same, why}."""
    page = reverse("version", args=[version.scenario.public_id, version.number])
    step, *steps = ({"pod": one.pod, "url": f"{page}#{one.step + 1}&sel=pod:{one.pod}"} for one in (pod, *others))
    return {
        **step,
        "others": steps,
        "ask": f"{page}?ask=changes#{pod.step + 1}",
        "attempt": pod.attempt,
        "blocker": spoken(words.blocker_words(pod)),
        "causes": [spoken(words.cause_words(cause)) for cause in pod.causes],
        "nearest": [spoken(words.near_words(near)) for near in pod.nearest],
        "message": pod.message,
        "dumped": pod.dumped,
        "same": pod.dumped == pod.message,
        "why": [spoken(one) for one in words.differences(pod)],
    }
