"""Ownership of scenarios: accounts, the user's list, settings, delete and restore, claim."""

from typing import Any

from django.conf import settings as site
from django.contrib import admin, messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kschedui.experiments import store as experiments
from kschedui.models import Run, Scenario
from kschedui.runs import store as runs
from kschedui.runs.storage_limits import MEGABYTE, runs_of_others
from kschedui.scenarios import access, courses
from kschedui.scenarios import store as scenarios
from kschedui.web.api import rates
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import owned_scenario, visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.people import shares
from kschedui.web.pages.people.forms import SettingsForm, SignupForm
from kschedui.web.pages.people.passwords import hash_new_password
from kschedui.web.pages.requested import local_address

CLAIM_SALT = "kschedui.claim"
MAX_MINE = MAX_SHARED = 50
OWN_ACCOUNTS = "django.contrib.auth.backends.ModelBackend"
CLAIM_SECONDS = 30 * 24 * 3600


class Login(LoginView):
    """The login page with registration/login.html: `form`, `next`, `sso`. The browser's scenarios become the
    account's.
    """

    redirect_authenticated_user = True

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Add `sso`: whether single sign-on is configured."""
        return super().get_context_data(sso=bool(site.OIDC_ISSUER), **more)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Count the attempt against the limits, then log in."""
        count(request, "login")
        rates.require_guess(request, request.POST.get("username", ""))
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: Any) -> HttpResponse:
        """Count a wrong password against the limit of the account."""
        rates.count_wrong_guess(self.request, self.request.POST.get("username", ""))
        return super().form_invalid(form)

    def form_valid(self, form: Any) -> HttpResponse:
        """Log in, move the browser's scenarios to the account, and redirect to the page that the visitor came from."""
        response = super().form_valid(form)
        move_scenarios(self.request)
        return response


log_in = page_view(Login.as_view())


@page_view
def admin_login(request: HttpRequest) -> HttpResponse:
    """Redirect /admin/login/ to the site's login page, where attempts are counted."""
    if request.user.is_authenticated and not admin.site.has_permission(request):
        raise Refusal(403, gettext_noop("This account does not have access to that page."))
    return redirect_to_login(safe_next(request))


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def signup(request: HttpRequest) -> HttpResponse:
    """Show /accounts/signup/ with registration/signup.html: `form`, `next`. A POST creates the account and logs in."""
    form = SignupForm(request.POST or None)
    if request.method == "POST":
        count(request, "save")
        if form.is_valid() and (user := form.keep(hash_new_password(request, form.cleaned_data["password1"]))):
            login(request, user, backend=OWN_ACCOUNTS)
            move_scenarios(request)
            return redirect(safe_next(request))
    return render(request, "registration/signup.html", {"form": form, "next": safe_next(request)})


def move_scenarios(request: HttpRequest) -> None:
    """Move all scenarios that this browser created without an account to the account, and show a message."""
    moved = scenarios.claim_all(access.Visitor(request.user, access.token_in(request.COOKIES)))
    if moved:
        messages.success(request, _("The scenarios of this browser are now in your account."))


def safe_next(request: HttpRequest) -> str:
    """Return the URL to redirect to afterwards, which is never on another site."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    return local_address(request, address) or reverse("mine")


@page_view
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """Show the visitor's scenarios with scenarios/mine.html: `scenarios` (cards.mine_row) after the one in `?after=`,
    `more` (the id of the last one if older ones follow), `shared` (rows of scenarios that others share), `deleted`
    [{id, title}] that can be restored, `courses`, `runs` (stored_row); `example` and `chapter` (cards.example,
    example_course), for empty lists.
    """
    visitor, first = access.visitor_of(request), request.GET.get("after")
    own = scenarios.of_visitor(visitor)
    page = list(scenarios.after(own.filter(deleted_at=None), first)[: MAX_MINE + 1])
    rows = [cards.mine_row(visitor, scenario) for scenario in page[:MAX_MINE]]
    deleted = own.exclude(deleted_at=None).values("public_id", "title")[:MAX_MINE]
    shared = [cards.mine_row(visitor, scenario) for scenario in scenarios.shared_with(visitor)[:MAX_SHARED]]
    context: dict[str, Any] = {
        "scenarios": rows,
        "more": rows[-1]["id"] if len(page) > MAX_MINE else "",
        "shared": shared,
        "deleted": [{"id": row["public_id"], "title": row["title"]} for row in deleted],
        "courses": courses.of_visitor(visitor)[:MAX_MINE],
    }
    context["runs"] = [stored_row(visitor, run) for run in runs_of_others(visitor)[:MAX_SHARED]]
    context["example"] = None if rows or first else cards.example()
    context["chapter"] = None if context["courses"] else cards.example_course()
    return render(request, "scenarios/mine.html", context)


def stored_row(visitor: access.Visitor, run: Run) -> dict[str, Any]:
    """Return a run of somebody else's scenario, which counts towards the visitor's storage: {id, megabytes, title,
    url}.

    `title` and `url` are "" if the visitor can no longer see the scenario.
    """
    visible = access.may_see(visitor, run.version.scenario)
    about = {"id": run.public_id, "megabytes": run.bytes / MEGABYTE}
    title = cards.own_title(run.version.scenario) if visible else ""
    return {**about, "title": title, "url": cards.address_of(run.version, run) if visible else ""}


@page_view
@require_POST
def delete_run(request: HttpRequest, rid: str) -> HttpResponse:
    """Handle /accounts/mine/runs/<rid>/delete: delete the trace of a run of somebody else's scenario that the visitor
    started.
    """
    runs.forget_trace(runs_of_others(access.visitor_of(request)).get(public_id=rid))
    return redirect("mine")


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, sid: str) -> HttpResponse:
    """Show the settings with scenarios/settings.html: `scenario` (id, title), `form` (title, visibility), `versions`
    (version_rows) before the one in `?before=`, `first` (whether version 1 is among them), `claim_url` (a link that
    gives the scenario to an account; "" if it has an owner), and the context of shares.context_of. A POST saves them.
    """
    visitor, scenario = owned_scenario(request, sid)
    start = {"title": scenario.title if scenario.renamed else "", "visibility": scenario.visibility}
    form = SettingsForm(request.POST or None, initial=start)
    if request.method == "POST" and form.is_valid():
        scenarios.set_visibility(visitor, scenario, form.cleaned_data["visibility"])
        scenarios.rename(scenario, form.cleaned_data["title"])
        messages.success(request, _("Saved."))
        return redirect("scenario-settings", sid)
    before = request.GET.get("before", "")
    versions = version_rows(scenario, int(before) if before.isdecimal() and len(before) < 9 else None)
    about: dict[str, Any] = {"scenario": {"id": sid, "title": scenario.title}, "versions": versions}
    about["first"] = not versions or versions[-1]["number"] == 1
    claim_url = "" if scenario.owner_id else reverse("claim", args=[signing.dumps(sid, salt=CLAIM_SALT)])
    context = {**about, "form": form, "claim_url": claim_url}
    context |= shares.context_of(scenario)
    return render(request, "scenarios/settings.html", context)


def version_rows(scenario: Scenario, before: int | None) -> list[dict[str, Any]]:
    """Return [{number, url, created, engine}], newest first; `engine` is that of the run that links show, "" without a
    run.
    """
    rows = []
    for version in scenarios.listed_versions(scenario, before):
        run = runs.find_run(version)
        url = reverse("version", args=[scenario.public_id, version.number])
        engine = run.engine_version if run else ""
        rows.append({"number": version.number, "url": url, "created": version.created, "engine": engine})
    return rows


@page_view
@require_POST
def delete(request: HttpRequest, sid: str) -> HttpResponse:
    """Delete the scenario, which can be restored from the visitor's list; its traces and experiments end."""
    _visitor, scenario = owned_scenario(request, sid)
    scenarios.delete(scenario)
    runs.forget_traces(scenario)
    experiments.cancel_all(scenario)
    messages.success(request, _("“%(title)s” was deleted. You can restore it here.") % {"title": scenario.title})
    return redirect("mine")


@page_view
@require_POST
def restore(request: HttpRequest, sid: str) -> HttpResponse:
    """Restore a deleted scenario."""
    scenario = scenarios.by_id(sid)
    access.require_owner(access.visitor_of(request), scenario)
    scenarios.restore(scenario)
    return redirect("mine")


@page_view
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def claim(request: HttpRequest, token: str) -> HttpResponse:
    """Handle /claim/<token>/ with scenarios/claim.html: `title`. A POST gives the scenario to the account."""
    try:
        sid = signing.loads(token, salt=CLAIM_SALT, max_age=CLAIM_SECONDS)
    except signing.BadSignature:
        raise Refusal(404, gettext_noop("This transfer link is invalid or has expired.")) from None
    visitor, scenario = visible_scenario(request, sid)
    if request.method != "POST":
        return render(request, "scenarios/claim.html", {"title": scenario.title})
    if not scenarios.claim(visitor, scenario):
        raise Refusal(403, gettext_noop("This scenario already has an owner."))
    return redirect("scenario-settings", sid)
