"""/s/<id>/v/<n>/autoscaling/: what an autoscaler would do, and how Cluster Autoscaler and Karpenter compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from kschedui.ask.autoscaling import Answer, ComparedAutoscalers
from kschedui.language import in_language
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.what_if import jobs
from kschedui.web.api.routes.what_if.operations import run_at_end, save_fork
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.analysis.operations import group_by_text
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import requested_release
from scheduler_core.apis.messages import Message
from scheduler_core.ask.autoscale.answers import TITLES, Autoscaling, MadeNode, NodeAnswer, PodAnswer, TypeRefusal
from scheduler_core.ask.autoscale.comparison import Outcome
from scheduler_core.ask.autoscale.course import Sample

MOST_DRAWN = 60  # nodes
MOST_CHIPS = 12  # pods of a drawn node
MOST_TYPES = 40  # instance types with their prices
WIDTH, HEIGHT = 600, 100  # of a chart, in its own units

# Why Cluster Autoscaler keeps a node (core/scaledown/unneeded, simulator/cluster.go: UnremovableReason).
MEANINGS = {
    "NotAutoscaled": gettext_noop("The node is of no node group, so it is never removed."),
    "NotUnderutilized": gettext_noop(
        "Its pods request more of the node's cpu or memory than --scale-down-utilization-threshold."
    ),
    "NodeGroupMinSizeReached": gettext_noop("Its node group is at its minimum size."),
    "BlockedByPod": gettext_noop("This pod may not be evicted."),
    "BlockedByOnCompletionPod": gettext_noop("A pod on it runs to its end: it has safe-to-evict: on-completion."),
    "NoPlaceToMovePods": gettext_noop("This pod would find no other node."),
    "ScaleDownDisabledAnnotation": gettext_noop("An annotation of the node forbids it."),
    "ScaleDownUnreadyDisabled": gettext_noop("The node is not ready, and --scale-down-unready-enabled is off."),
    "RecentlyUnremovable": gettext_noop("It was tried a short time ago, and could not be removed."),
    "NotUnneededLongEnough": gettext_noop("It has not been unneeded for --scale-down-unneeded-time yet."),
    "NotUnreadyLongEnough": gettext_noop("It has not been unready for --scale-down-unready-time yet."),
    "MinimalResourceLimitExceeded": gettext_noop(
        "The cluster would have less than --cores-total or --memory-total require."
    ),
}
# Why a pool would not make a node of a type.
TYPE_REASONS = {
    "requirements": gettext_noop("requirements of pod and pool exclude it"),
    "resources": gettext_noop("too small"),
    "offering": gettext_noop("not offered in an allowed zone and capacity type"),
    "price": gettext_noop("another one costs less"),
}
EXPANDERS = {
    "least-waste": gettext_noop("waste (the lowest wins)"),
    "most-pods": gettext_noop("pods (the most win)"),
    "least-nodes": gettext_noop("nodes (the fewest win)"),
    "price": gettext_noop("price score (the lowest wins)"),
    "priority": gettext_noop("priority (the highest wins)"),
}


class Curve(NamedTuple):
    """A quantity over time in a chart. `paths`: (autoscaler, SVG path) of each run. `most`: the label of the top."""

    title: str
    paths: Sequence[tuple[str, str]]
    most: str


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def autoscaling(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show an answer with scenarios/autoscaling.html: the context of both pages (_about), `asked`, `own` and `own_name`
    (of autoscalers), `pod`, `at`, and answer_context. A POST saves the scenario with the autoscaler as a fork.
    """
    context, version, kubernetes = _about(request, sid, number)
    asked, pod, at = request.GET.get("autoscaler", ""), request.GET.get("pod", "").strip()[:320], _time(request)
    if request.method == "POST":
        until = _time(request, request.POST.get("until", ""))
        return _fork(request, version, kubernetes, request.POST.get("autoscaler", ""), until)
    encoded = run_at_end(request, version, kubernetes, jobs.autoscale, asked, pod, "", at)
    answer = msgspec.json.decode(encoded, type=Answer)
    context |= {
        "own": answer.own,
        "own_name": TITLES.get(answer.own, ""),
        "asked": answer.asked,
        "pod": pod,
        "at": "" if at is None else f"{at:g}",
    }
    return render(request, "scenarios/autoscaling.html", {**context, **answer_context(answer)})


@page_view
@require_safe
def comparison(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show the comparison with scenarios/autoscaling_comparison.html: the context of both pages (_about), and
    comparison_context.
    """
    context, version, kubernetes = _about(request, sid, number)
    encoded = run_at_end(request, version, kubernetes, jobs.compare_autoscalers)
    compared = msgspec.json.decode(encoded, type=ComparedAutoscalers)
    return render(request, "scenarios/autoscaling_comparison.html", {**context, **comparison_context(compared)})


def _about(request: HttpRequest, sid: str, number: int) -> tuple[dict[str, Any], Any, str]:
    """Return the context of both pages (`scenario`, `title`, `version`, `kubernetes`, `release`), the version, and the
    release.
    """
    _, scenario = visible_scenario(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    chosen = requested_release(request, version)
    kubernetes = runs.own_release(version) if chosen is None else chosen
    context = {
        "scenario": scenario,
        "title": cards.own_title(scenario),
        "version": number,
        "kubernetes": chosen or "",
        "release": runs.release_of(version, kubernetes),
    }
    return context, version, kubernetes


def _time(request: HttpRequest, text: str | None = None) -> float | None:
    """Return the time in `text`, or in `?at=`, in seconds; None if it is empty. Raises Refusal."""
    text = request.GET.get("at", "") if text is None else text
    if not text.strip():
        return None
    try:
        at = float(text)
    except ValueError:
        at = -1.0
    if not 0 <= at < math.inf:
        raise Refusal(422, Message("the time must be a number of seconds, at least 0"))
    return at


def _fork(request: HttpRequest, version: Any, kubernetes: str, autoscaler: str, until: float | None) -> HttpResponse:
    result, run, step = save_fork(request, version, kubernetes, jobs.add_autoscaler, autoscaler, until)
    return redirect(f"{cards.address_of(result, run)}#{step}")


def answer_context(answer: Answer) -> dict[str, Any]:
    """Return the context of the page: `answer` (Autoscaling), `name` (of the autoscaler), `notes`, `price`, `count` (of
    new nodes), `columns` (new nodes by group), `options` (option_rows), `expanders` (titles of their scores), `without`
    (number of pods without a node), `none` and `placed` (pods by equal answer), `types` (bars), `leaving` and `staying`
    (nodes; those that stay by reason), `more_pods`, `more_nodes`, `empty`.
    """
    results = answer.autoscaling
    leaving = [node for node in results.nodes if node.outcome != "stays"]
    staying = [node for node in results.nodes if node.outcome == "stays"]
    without = [pod for pod in results.pods if pod.outcome == "none"]
    return {
        "answer": results,
        "name": TITLES[answer.asked],
        "notes": answer.notes,
        "price": answer.price,
        "count": sum(new.count for new in results.new_nodes),
        "columns": columns(results),
        "options": option_rows(results),
        "expanders": [in_language(EXPANDERS[name]) for name in (results.options[0].scores if results.options else ())],
        "without": len(without),
        "none": group_by_text(without, _reasons),
        "placed": group_by_text(
            [pod for pod in results.pods if pod.outcome != "none"], lambda pod: f"{pod.outcome} {pod.place}"
        ),
        "types": bars([refused for pod in results.pods for refused in pod.types]),
        "leaving": sorted(leaving, key=lambda node: -(node.saves or 0.0)),
        "staying": [
            (reason, in_language(MEANINGS.get(reason.partition(" ")[0], "")), nodes, more)
            for reason, nodes, more in group_by_text(staying, _reason_of_node)
        ],
        "more_pods": answer.more_pods,
        "more_nodes": answer.more_nodes,
        "empty": not results.pods and not results.nodes,
    }


def _reasons(pod: PodAnswer) -> str:
    refusals = "".join(f"{refusal.group}{refusal.reason}" for refusal in pod.refusals)
    return f"{pod.reason}{refusals}{' '.join(pod.changes)}"


def _reason_of_node(node: NodeAnswer) -> str:
    return node.reason


def columns(answer: Autoscaling) -> list[dict[str, Any]]:
    """Return the new nodes by group: [{group, count, cost, percent, kinds, nodes: [{node, type, pods, more}], more}].

    `percent`: the cost in percent of the highest one.
    The nodes are those that appeared in the run, with the pods that were bound to them.
    """
    groups: dict[str, dict[str, Any]] = {}
    for new in answer.new_nodes:
        column = groups.setdefault(new.group, {"group": new.group, "count": 0, "cost": 0.0, "nodes": [], "kinds": {}})
        column["count"] += new.count
        column["cost"] = None if new.price is None or column["cost"] is None else column["cost"] + new.count * new.price
        kind = " ".join(filter(None, (new.instance_type, new.zone, new.capacity_type)))
        if kind:
            column["kinds"][kind] = column["kinds"].get(kind, 0) + new.count
    made = answer.proof.nodes if answer.proof is not None else []
    for group, column in groups.items():
        nodes = [node for node in made if node.group == group]
        column["nodes"] = list(map(_drawn, nodes[:MOST_DRAWN]))
        column["more"] = max(0, len(nodes) - MOST_DRAWN)
        column["kinds"] = list(column["kinds"].items())
    most = max((column["cost"] or 0.0 for column in groups.values()), default=0.0)
    return [
        {**column, "percent": round((column["cost"] or 0.0) / most * 100, 1) if most else 0.0}
        for column in groups.values()
    ]


def _drawn(made: MadeNode) -> dict[str, Any]:
    pods = [pod.removeprefix("default/") for pod in made.pods]
    return {
        "node": made.node,
        "type": made.instance_type,
        "pods": pods[:MOST_CHIPS],
        "more": max(0, len(pods) - MOST_CHIPS),
    }


def option_rows(answer: Autoscaling) -> list[dict[str, Any]]:
    """Return the options of the first pass, the chosen one first: [{group, nodes, pods, chosen, scores}]."""
    rows = [
        {
            "group": option.group,
            "nodes": option.nodes,
            "pods": option.pods,
            "chosen": option.chosen,
            "scores": [f"{score:.4g}" for score in option.scores.values()],
        }
        for option in answer.options
    ]
    return sorted(rows, key=lambda row: not row["chosen"])


def bars(types: Sequence[TypeRefusal]) -> dict[str, Any]:
    """Return the instance types that were refused, those for their price first: {rows: [{type, pool, price, percent,
    why}], more}.

    `percent`: of the highest price, the length of the bar.
    """
    ordered = sorted(
        types, key=lambda refused: (refused.reason != "price", refused.price or 0.0, refused.instance_type)
    )
    most = max((refused.price or 0.0 for refused in ordered[:MOST_TYPES]), default=0.0) or 1.0
    several = len({refused.pool for refused in types}) > 1
    rows = [
        {
            "type": refused.instance_type,
            "pool": refused.pool if several else "",
            "price": refused.price,
            "percent": round((refused.price or 0.0) / most * 100, 1),
            "why": in_language(TYPE_REASONS[refused.reason]),
        }
        for refused in ordered[:MOST_TYPES]
    ]
    return {"rows": rows, "more": max(0, len(ordered) - MOST_TYPES)}


def comparison_context(compared: ComparedAutoscalers) -> dict[str, Any]:
    """Return the context of the page: `own`, `own_name`, `notes`, `seconds`, `minutes`, `outcomes` [{outcome, name}],
    `curves` [Curve], `table` [{at, sides}], a row for each time with the Sample of each run.
    """
    outcomes, seconds = compared.comparison.outcomes, compared.comparison.seconds
    return {
        "own": compared.own,
        "own_name": TITLES.get(compared.own, ""),
        "notes": compared.notes,
        "seconds": f"{seconds:g}",
        "minutes": f"{seconds / 60:.3g}",
        "outcomes": [{"outcome": outcome, "name": TITLES[outcome.actor]} for outcome in outcomes],
        "curves": [
            curve(gettext_noop("Nodes"), outcomes, seconds, lambda sample: sample.nodes),
            curve(gettext_noop("Price per hour"), outcomes, seconds, lambda sample: sample.price),
            curve(gettext_noop("Pending pods"), outcomes, seconds, lambda sample: sample.pending),
        ],
        "table": [
            {"at": f"{at / 60:.3g}", "sides": [state_at(outcome.samples, at) for outcome in outcomes]}
            for at in moments(seconds)
        ],
    }


def curve(title: str, outcomes: Sequence[Outcome], seconds: float, value: Callable[[Sample], float]) -> Curve:
    """Return a quantity over time as steps."""
    most = max((value(sample) for outcome in outcomes for sample in outcome.samples), default=0.0) or 1.0
    paths = [(outcome.actor, steps(outcome.samples, seconds, most, value)) for outcome in outcomes]
    return Curve(in_language(title), paths, f"{most:.4g}")


def steps(samples: Iterable[Sample], seconds: float, most: float, value: Callable[[Sample], float]) -> str:
    """Return the SVG path of a curve that keeps each value until the next."""
    parts: list[str] = []
    for sample in samples:
        x, y = sample.at / seconds * WIDTH, HEIGHT - value(sample) / most * HEIGHT
        parts.append(f"H{x:.1f}V{y:.1f}" if parts else f"M{x:.1f} {y:.1f}")
    return "".join([*parts, f"H{WIDTH}"])


def moments(seconds: float) -> list[float]:
    """Return the times of the table in seconds: eleven, from the start to the end."""
    return [seconds * number / 10 for number in range(11)]


def state_at(samples: Sequence[Sample], at: float) -> Sample:
    """Return the last sample up to a time."""
    return [sample for sample in samples if sample.at <= at][-1]
