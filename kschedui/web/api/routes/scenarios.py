"""Scenarios: create, list and search, read, rename and set visibility, delete and restore."""

from typing import Annotated, Literal, cast

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_noop
from ninja import Header, Query, Router, Status

from kschedui.experiments import store as experiments
from kschedui.models import Scenario, Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, idempotency
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.digest import Digest
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.texts import digest_of
from kschedui.web.api.shapes import PublicId, Saved, ScenarioIn, ScenarioOut, ScenarioPage, SettingsIn, Visibility
from kschedui.web.api.visitors import keeping_visitor, owned_scenario, requester_of, save_once, visible_scenario

router = Router(tags=["scenarios"])

Whose = Literal["public", "mine", "shared"]
Key = Annotated[str, Header(alias="Idempotency-Key", max_length=idempotency.LONGEST_KEY, pattern=r"^[!-~]*$")]
MAX_ITEMS = 100


@router.post(
    "", auth=writes("save", large=True), response={201: Saved, 200: Saved}, summary="Save a new scenario, and run it"
)
def create(request: HttpRequest, body: ScenarioIn, key: Key = "") -> Status[Saved]:
    """Create a scenario. With an `Idempotency-Key`, repeating the call within a day returns the first result (200)."""
    count(request, "run")  # before anything is kept: who is refused has saved nothing
    visitor = keeping_visitor(request)

    def make(digest: Digest) -> Version:
        origin = scenarios.newest(visible_scenario(request, body.fork_of)[1]) if body.fork_of else None

        def save(visitor: access.Visitor) -> Version:
            version = scenarios.create(visitor, digest, origin, visibility=body.visibility)
            if body.title:
                scenarios.rename(version.scenario, body.title)
            return version

        return save_once(request, save)

    try:
        version, new = idempotency.once(visitor, key, body.model_dump_json, lambda: digest_of(request, body), make)
    except idempotency.KeyReused:
        sentence = gettext_noop("This Idempotency-Key was already used for a different request.")
        raise Refusal(422, sentence, code="idempotency_key_reused") from None
    return Status(201 if new else 200, run_and_describe(request, version))


def run_and_describe(request: HttpRequest, version: Version) -> Saved:
    """Return a saved version with its address and its run, which is started if there is none."""
    sid = version.scenario.public_id
    url = reverse("scenario", args=[sid])
    run = runs.start_run(version, requester_of(request))
    return Saved(id=sid, version=version.number, url=url, run=run.public_id)


@router.get("", auth=reads(), response=ScenarioPage, summary="List and search")
def find(
    request: HttpRequest,
    whose: Whose = "public",
    search: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_ITEMS)] = 20,
    after: PublicId | None = None,
) -> ScenarioPage:
    """List scenarios, the last changed one first. `search` matches titles.

    Your list includes deleted scenarios while they can be restored.
    """
    visitor = access.visitor_of(request)
    matching = scenarios.filter_by_title(scenarios_of(visitor, whose), search)
    try:
        rows = list(scenarios.after(matching, after)[: limit + 1])
    except Scenario.DoesNotExist:
        raise Refusal(422, gettext_noop("`after` must be the id of a scenario in this list.")) from None
    items = [describe(visitor, row) for row in rows[:limit]]
    return ScenarioPage(items=items, next=items[-1].id if len(rows) > limit else None)


def scenarios_of(visitor: access.Visitor, whose: Whose) -> QuerySet[Scenario]:
    """Return the public scenarios, the visitor's own, or those that are shared with the visitor."""
    if whose == "public":
        return scenarios.public()
    return scenarios.of_visitor(visitor) if whose == "mine" else scenarios.shared_with(visitor)


def describe(visitor: access.Visitor, scenario: Scenario) -> ScenarioOut:
    """Describe a scenario from `scenarios.with_newest`."""
    summary = getattr(scenario, "summary", None) or {}
    return ScenarioOut(
        id=scenario.public_id,
        title=scenario.title,
        visibility=cast(Visibility, scenario.visibility),
        version=getattr(scenario, "number", None) or 0,
        url=reverse("scenario", args=[scenario.public_id]),
        nodes=summary.get("nodes", 0),
        pods=summary.get("pods", 0),
        updated=scenario.updated,
        deleted=scenario.deleted_at is not None,
        mine=access.owns(visitor, scenario),
        may_edit=access.may_edit(visitor, scenario),
    )


def read_scenario(visitor: access.Visitor, sid: str) -> ScenarioOut:
    """Describe the scenario in its current state."""
    return describe(visitor, scenarios.with_newest(Scenario.objects.all()).get(public_id=sid))


@router.get("/{id:sid}", auth=reads(), response=ScenarioOut, summary="Read")
def read(request: HttpRequest, sid: str) -> ScenarioOut:
    visitor, _ = visible_scenario(request, sid)
    return read_scenario(visitor, sid)


@router.patch("/{id:sid}", auth=writes("save"), response=ScenarioOut, summary="Name it, and say who sees it")
def update(request: HttpRequest, sid: str, body: SettingsIn) -> ScenarioOut:
    visitor, scenario = owned_scenario(request, sid)
    if body.visibility:
        scenarios.set_visibility(visitor, scenario, body.visibility)
    if body.title is not None:
        scenarios.rename(scenario, body.title)
    return read_scenario(visitor, sid)


@router.delete("/{id:sid}", auth=writes("save"), response={204: None}, summary="Delete")
def delete(request: HttpRequest, sid: str) -> Status[None]:
    """Delete a scenario, which can be restored for 30 days."""
    _, scenario = owned_scenario(request, sid)
    scenarios.delete(scenario)
    runs.forget_traces(scenario)
    experiments.cancel_all(scenario)
    return Status(204, None)


@router.post("/{id:sid}/restore", auth=writes("save"), response=ScenarioOut, summary="Restore")
def restore(request: HttpRequest, sid: str) -> ScenarioOut:
    visitor, scenario = access.visitor_of(request), scenarios.by_id(sid)
    access.require_owner(visitor, scenario)
    scenarios.restore(scenario)
    return read_scenario(visitor, sid)
