"""The shares of a scenario on its settings page."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST

from kschedui.models import Scenario
from kschedui.scenarios import sharing
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import owned_scenario
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.people.forms import ShareForm


def context_of(scenario: Scenario) -> dict[str, Any]:
    """Return `shares`, and `share_form`, which is None for a scenario without an account."""
    form = ShareForm(groups=sharing.groups_of(scenario.owner)) if scenario.owner else None
    return {"shares": sharing.shares_of(scenario), "share_form": form}


@page_view
@require_POST
def share(request: HttpRequest, sid: str) -> HttpResponse:
    """Handle /s/<sid>/shares: share with an account by its name, or with one of the owner's groups."""
    _visitor, scenario = owned_scenario(request, sid)
    count(request, "save")
    if scenario.owner is None:
        raise Refusal(403, gettext_noop("Log in to share a scenario."))
    form = ShareForm(request.POST, groups=sharing.groups_of(scenario.owner))
    if not form.is_valid():
        raise Refusal(422, gettext_noop("Enter the name of an account, or choose a group."))
    try:
        sharing.share(scenario, **form.cleaned_data)
    except sharing.NotShared as refusal:
        raise Refusal(422, refusal.args[0]) from None
    messages.success(request, _("Saved."))
    return redirect("scenario-settings", sid)


@page_view
@require_POST
def end(request: HttpRequest, sid: str, share: int) -> HttpResponse:
    """Handle /s/<sid>/shares/<share>/end: stop sharing."""
    sharing.end(owned_scenario(request, sid)[1], share)
    return redirect("scenario-settings", sid)
