"""The run and the Kubernetes release that a URL selects, and URLs of this site."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_noop

from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.scenarios import access
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal, incomplete
from kschedui.web.api.visitors import start_run
from scheduler_core import ENGINE_VERSION
from scheduler_core.apis.messages import Message
from scheduler_core.releases import RELEASES


def find_or_start_run(request: HttpRequest, shown: Version) -> Run | None:
    """Return the run that the URL selects. If there is none, it is started for people who can edit the scenario.

    For anybody else return None; they can start it by a button: a run counts towards the storage of its requester, and
    crawlers open URLs too. Raises Refusal if the URL names an older engine that has no run of the version.
    """
    engine, kubernetes = request.GET.get("engine"), requested_release(request, shown)
    run = runs.find_run(shown, engine, kubernetes)
    if run is None and engine not in (None, ENGINE_VERSION):
        raise Refusal(404, gettext_noop("That engine has no run of this version."))
    if run is None or (run.state == Run.State.CANCELLED and not run.chunks):
        if not access.may_edit(access.visitor_of(request), shown.scenario):
            return None
        count(request, "run")
        run = start_run(request, shown, kubernetes=kubernetes)
    return run


def require_complete_run(request: HttpRequest, shown: Version) -> Run:
    """Return the run by the engine in the URL, or that of the version's links. Raises Refusal if it is incomplete."""
    run = runs.find_run(shown, request.GET.get("engine"))
    if run is None or run.state != Run.State.DONE:
        raise incomplete(
            run, gettext_noop("The run is not complete yet. Open the scenario and come back when it has finished.")
        )
    return run


def local_address(request: HttpRequest, address: str) -> str:
    """Return `address` if it begins with a slash and stays on this site; otherwise ""."""
    ours = address.startswith("/") and url_has_allowed_host_and_scheme(
        address, {request.get_host()}, require_https=request.is_secure()
    )
    return address if ours else ""


def requested_release(request: HttpRequest, shown: Version, field: str = "kubernetes") -> str | None:
    """Return the release that this field of the query names; None without the field. Raises Refusal for an unknown one.

    The version's own release is returned as in its runs (runs.own_release).
    """
    kubernetes = request.GET.get(field)
    if kubernetes is None:
        return None
    require_release(kubernetes)
    own = runs.own_release(shown)
    return own if kubernetes == runs.release_of(shown, own) else kubernetes


def require_release(version: str) -> str:
    """Return `version` if it can be simulated. Raises Refusal."""
    if version not in RELEASES:
        releases = ", ".join(RELEASES)
        raise Refusal(
            404,
            Message("Unknown Kubernetes release {name}; expected one of {known}.", name=version[:20], known=releases),
        )
    return version
