"""/s/<id>/v/<n>/operations/?ask=drain&nodes=...: questions about the whole cluster at the end of the run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, get_args

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods

from kschedui.ask.words import OBSTACLES, cause_words
from kschedui.language import in_language
from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.what_if import jobs
from kschedui.web.api.routes.what_if.operations import (
    name_at_end,
    run_at_end,
    save_fork,
)
from kschedui.web.api.routes.what_if.routes import run_job
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import requested_release, require_release
from scheduler_core.ask.operations.helping import Helping
from scheduler_core.ask.operations.results import Amount, NodeUse, OperationResult
from scheduler_core.ask.operations.upgrade import Upgrade
from scheduler_core.releases import RELEASES

Row = TypeVar("Row")
Question = Literal["drain", "lose", "add", "reschedule", "groups", "upgrade"]
QUESTIONS: tuple[Question, ...] = get_args(Question)
MAX_ROWS = 300  # of a list of pods
MAX_CHOICES = 1000  # nodes to choose from


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def operations(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show an operation with scenarios/operations.html: `scenario`, `title`, `version`, `kubernetes` ("" or the
    requested one), `release`, `releases`, `ask`, `nodes` and `zones` (to choose from), `fields` (the form), `answer`
    (OperationResult) with the fields of answer_context, or `upgrade` (Upgrade) with those of upgrade_context, or
    `helping` (Helping). A POST saves the result as a fork.
    """
    _, scenario = visible_scenario(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    chosen = requested_release(request, version)
    kubernetes = runs.own_release(version) if chosen is None else chosen
    ask, fields = question_and_fields(request)
    if request.method == "POST":
        result, run, step = save_fork(request, version, kubernetes, jobs.perform, question_of(ask, fields))
        return redirect(f"{cards.address_of(result, run)}#{step}")
    nodes = msgspec.json.decode(run_job(request, version, name_at_end(version, kubernetes), jobs.nodes))
    release = runs.release_of(version, kubernetes)
    context = {
        "scenario": scenario,
        "title": cards.own_title(scenario),
        "version": number,
        "kubernetes": chosen or "",
        "release": release,
        "releases": list(RELEASES)[::-1],
        "ask": ask,
        "fields": fields,
        "nodes": [name for name, _ in nodes[:MAX_CHOICES]],
        "zones": sorted({zone for _, zone in nodes if zone}),
    }
    context |= answered(request, version, kubernetes, ask, fields)
    return render(request, "scenarios/operations.html", context)


def answered(
    request: HttpRequest, version: Version, kubernetes: str, ask: Question, fields: dict[str, str]
) -> dict[str, Any]:
    """Return the page's fields for the answer; none before the form is sent."""
    if ask == "upgrade" and fields["to"]:
        release = runs.release_of(version, kubernetes)
        comparison = run_at_end(request, version, release, jobs.upgrade, require_release(fields["to"]))
        return upgrade_context(msgspec.json.decode(comparison, type=Upgrade))
    if ask == "groups":
        groups = run_at_end(request, version, kubernetes, jobs.find_helping_groups)
        return {"helping": msgspec.json.decode(groups, type=Helping)}
    if ask != "upgrade" and request.GET.get("go"):
        answer = run_at_end(request, version, kubernetes, jobs.operate, question_of(ask, fields))
        return answer_context(msgspec.json.decode(answer, type=OperationResult))
    return {}


def question_and_fields(request: HttpRequest) -> tuple[Question, dict[str, str]]:
    """Return the question, and the values of the form's fields. Raises Refusal."""
    given = request.GET.get("ask", "drain")
    ask = next((question for question in QUESTIONS if question == given), None)
    if ask is None:
        raise Refusal(404, gettext_noop("There is no such question about a cluster."))
    fields = ("nodes", "zone", "group", "like", "count", "remove", "to")
    values = {name: request.GET.get(name, "").strip()[:20_000] for name in fields}
    return ask, values


def question_of(ask: Question, values: dict[str, str]) -> dict[str, Any]:
    """Return the question in the API's format. Raises Refusal."""
    nodes = values["nodes"].replace(",", " ").split()
    match ask:
        case "drain":
            return {"type": "drain", "nodes": nodes, "remove": bool(values["remove"])}
        case "lose":
            return {"type": "lose", "nodes": nodes, "zone": values["zone"]}
        case "add":
            number = values["count"] or "1"
            if not (number.isascii() and number.isdecimal() and len(number) < 5):
                raise Refusal(422, gettext_noop("The number of nodes must be 1 to 1000."))
            return {"type": "add", "like": values["like"], "count": int(number)} | {
                name: values[name] for name in ("group", "zone") if values["group"]
            }
        case "reschedule":
            return {"type": "reschedule"}
    raise Refusal(422, gettext_noop("An upgrade moves no pods, so that there is nothing to fork."))


def answer_context(answer: OperationResult) -> dict[str, Any]:
    """Return the page's fields for an answer.

    `answer`, `moved` (the first pods) and `more`, `by_message` and `counts` (by list: rows grouped by equal message,
    and their number), `room`, `zones_drawn` (drawing), `budgets`, `quiet` (whether nothing happens).
    """
    pending = [pod for pod in answer.unplaced if pod.before]
    waiting = [pod for pod in answer.unplaced if not pod.before]
    lists: dict[str, list[Any]] = {
        "moved": answer.moved,
        "pending": pending,
        "waiting": waiting,
        "blocked": answer.blocked,
    }
    return {
        "answer": answer,
        "moved": answer.moved[:MAX_ROWS],
        "by_message": {
            name: group_by_text(rows, lambda pod: pod.message) for name, rows in lists.items() if name != "moved"
        },
        "counts": {name: len(rows) for name, rows in lists.items()},
        "more": max(0, len(answer.moved) - MAX_ROWS),
        "room": [
            (name, format_amount(name, answer.room_before[name]), format_amount(name, answer.room_after[name]))
            for name in answer.room_before
        ],
        "zones_drawn": drawing(answer.cluster),
        "budgets": [(budget, in_language(OBSTACLES.get(budget.obstacle, ""))) for budget in answer.budgets],
        "quiet": not any((answer.moved, answer.unplaced, answer.blocked, answer.unmanaged)),
    }


def upgrade_context(upgrade: Upgrade) -> dict[str, Any]:
    """Return the page's fields: `upgrade`, `changes` (by cause), `moves` (number of pods on another node), `same`."""
    elsewhere = sorted(upgrade.changes, key=lambda change: change.before.node == change.after.node)
    rows = group_by_text(elsewhere, lambda change: in_language(cause_words(change.cause)) if change.cause else "")
    return {
        "upgrade": upgrade,
        "changes": rows,
        "moves": sum(change.before.node != change.after.node for change in upgrade.changes),
        "same": group_by_text(
            [change for change in upgrade.pending if change.cause is None], lambda change: change.after.message
        ),
    }


def group_by_text(rows: Sequence[Row], words: Callable[[Row], str]) -> list[tuple[str, list[Row], int]]:
    """Group rows by their text: (text, the first rows, the number of further ones), in order of appearance."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(words(row), []).append(row)
    return [(text, group[:MAX_ROWS], max(0, len(group) - MAX_ROWS)) for text, group in groups.items()]


def readable_cpu(millicores: int) -> str:
    """Return millicores as cores: "26.05"."""
    return f"{millicores / 1000:,.2f}".rstrip("0").rstrip(".")


def readable_bytes(number: int) -> str:
    """Return bytes in the largest unit that gives at least 1, with at most two decimals: "2.45 GiB"."""
    units = ("B", "KiB", "MiB", "GiB", "TiB")
    power = min(len(units) - 1, max(0, number.bit_length() - 1) // 10)
    return f"{number / 1024**power:,.2f}".rstrip("0").rstrip(".") + f" {units[power]}"


READABLE: Mapping[str, Callable[[int], str]] = {
    "cpu": readable_cpu,
    "memory": readable_bytes,
    "ephemeral-storage": readable_bytes,
}


def format_amount(name: str, amount: Amount) -> dict[str, Any]:
    """Return an amount for the page: {requested, allocatable, percent}."""
    written = READABLE.get(name, str)
    return {
        "requested": written(amount.requested),
        "allocatable": written(amount.allocatable),
        "percent": round(amount.requested / amount.allocatable * 100) if amount.allocatable else 0,
    }


def drawing(cluster: list[NodeUse]) -> list[dict[str, Any]]:
    """Return the nodes by zone: [{zone, nodes: [{node, short, state, before, after (both fullness or None),
    changed}]}].
    """
    zones: dict[str, list[dict[str, Any]]] = {}
    domain = common_domain([use.node for use in cluster])
    for use in cluster:
        before, after = (None if side is None else fullness(side) for side in (use.before, use.after))
        zones.setdefault(use.zone, []).append(
            {
                "node": use.node,
                "short": use.node.removesuffix(domain),
                "state": use.state,
                "before": before,
                "after": after,
                "changed": before != after,
            }
        )
    return [{"zone": zone, "nodes": nodes} for zone, nodes in sorted(zones.items())]


def common_domain(names: Sequence[str]) -> str:
    """Return the DNS domain, with its leading dot, that all names share; "" if there is none, or a single name."""
    domains = {name[name.find(".") :] if "." in name else "" for name in names}
    return domains.pop() if len(domains) == 1 and len(names) > 1 else ""


def fullness(side: dict[str, Amount]) -> dict[str, Any]:
    """Return the fullest of cpu and memory of a node: {percent, top and bar (of a height of 20), pods (their
    number)}.
    """
    shares = [
        amount.requested / amount.allocatable for name, amount in side.items() if amount.allocatable and name != "pods"
    ]
    share = min(1.0, max(shares, default=0.0))
    return {"percent": round(share * 100), "top": round(20 - share * 20, 1), "bar": round(share * 20, 1)} | {
        "pods": side["pods"].requested
    }
