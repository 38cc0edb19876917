"""/s/<id>/v/<n>/capacity/?pod=&replicas=: the number of copies of a pod that fit at the end of a run, and where."""

from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kschedui.ask.moments import AT_END, Name
from kschedui.ask.words import one_unit
from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.what_if import jobs
from kschedui.web.api.routes.what_if.routes import run_job
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import requested_release
from scheduler_core.apis.messages import Message
from scheduler_core.ask.capacity import MAX_REPLICAS, Capacity, ResourceUse

MAX_ROWS = 200  # nodes that are drawn


@page_view
@require_safe
def capacity(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show the capacity for a pod with scenarios/capacity.html: `scenario`, `title`, `version`, `kubernetes` ("" or the
    requested one), `pods` (to choose from), `pod`, `replicas`, `most`, `capacity` (Capacity or None), `zones` [(name,
    count, percent)], `nodes` (node_row), `more`, `release`.
    """
    _, scenario = visible_scenario(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    kubernetes = requested_release(request, version)
    name = Name(version.sha256, runs.own_release(version) if kubernetes is None else kubernetes, AT_END)
    pods = msgspec.json.decode(run_job(request, version, name, jobs.pods), type=list[str])
    pod, replicas = request.GET.get("pod", "")[:320], replicas_of(request)
    result = find_capacity(request, version, name, pod, replicas) if pod else None
    context = {
        "scenario": scenario,
        "title": cards.own_title(scenario),
        "version": number,
        "release": runs.release_of(version, name.kubernetes),
        "kubernetes": kubernetes or "",
        "pods": pods,
        "pod": pod or (pods[0] if pods else ""),  # pending ones are first
        "replicas": replicas or "",
        "most": MAX_REPLICAS,
        "capacity": result,
        "zones": bars(result.by_zone) if result else [],
        "nodes": [
            node_row(node, result.by_node.get(node, 0), amounts) | {"rejected": result.rejected.get(node, "")}
            for node, amounts in result.rooms.items()
        ]
        if result
        else [],
        "more": max(0, len(result.by_node) - len(result.rooms)) if result else 0,
    }
    return render(request, "scenarios/capacity.html", context)


def find_capacity(request: HttpRequest, version: Version, name: Name, pod: str, replicas: int | None) -> Capacity:
    """Return the capacity for a pod. The more copies fit, the longer it takes."""
    return msgspec.json.decode(run_job(request, version, name, jobs.how_many, pod, replicas), type=Capacity)


def replicas_of(request: HttpRequest) -> int | None:
    """Return the requested number of replicas, None if there is none. Raises Refusal."""
    text = request.GET.get("replicas", "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 7 and 1 <= int(text) <= MAX_REPLICAS):
        raise Refusal(422, Message("replicas must be between 1 and {most:,}", most=MAX_REPLICAS))
    return int(text)


def node_row(name: str, copies: int, amounts: list[ResourceUse]) -> dict[str, Any]:
    """Return {name, copies, first: the resource that is full, "" if another rule limits the copies, bars}.

    A bar: {resource, before, copies (percent of allocatable), words [used, whole], full}.
    """
    resource_bars = [
        {
            "resource": room.resource,
            "before": percent(room.before, room.allocatable),
            "copies": percent(room.copies, room.allocatable),
            "words": one_unit(room.resource, room.before + room.copies, room.allocatable),
            "full": room.further == 0,
        }
        for room in amounts
    ]
    full = resource_bars[0]["resource"] if resource_bars[0]["full"] else ""
    return {"name": name, "copies": copies, "first": full, "bars": resource_bars}


def percent(part: int, whole: int) -> float:
    """Return a share in percent, at most 100; 0 of nothing."""
    return round(min(100.0, part / whole * 100), 2) if whole > 0 else 0.0


def bars(amounts: dict[str, int]) -> list[tuple[str, int, float]]:
    """Return the MAX_ROWS largest counts: name, number, and length of the bar in percent of the longest."""
    most = max(amounts.values(), default=1)
    rows: list[Any] = sorted(amounts.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_ROWS]
    return [(name, number, round(number / most * 100, 1)) for name, number in rows]
