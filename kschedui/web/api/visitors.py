"""Visitors of a request: the names under which they are counted, and their access."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.crypto import salted_hmac

from kschedui.in_turn import in_turn
from kschedui.models import Run, Scenario, Version
from kschedui.runs import leases
from kschedui.runs import store as runs
from kschedui.runs.storage_limits import require_storage
from kschedui.runs.turns import Requester
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios
from kschedui.uploads.responding import upload_of
from kschedui.web.http.client_address import client_of


def requester_of(request: HttpRequest) -> Requester:
    """Return the names under which a run, or other work, of this visitor is counted."""
    if (requester := getattr(request, "requester", None)) is not None:
        return cast(Requester, requester)
    visitor = access.visitor_of(request)
    address = salted_hmac("kschedui.address", client_of(request.META.get("REMOTE_ADDR", ""))).hexdigest()
    return Requester(visitor.author if visitor.user else address, visitor.author, address)


def keeping_visitor(request: HttpRequest) -> access.Visitor:
    """Return the visitor, who is about to store something.

    Raises StorageFull if they, their address or the site may store no more, unless the request is already saved.
    """
    visitor = access.editing_visitor(request)
    if not has_saved(request):
        require_storage(visitor, requester_of(request).address)
    return visitor


@contextmanager
def keeping(request: HttpRequest) -> Iterator[access.Visitor]:
    """Open a transaction in which the visitor stores something. Raises StorageFull.

    No other request of theirs, or of their address, is checked before it has ended, so that concurrent requests cannot
    use the same free bytes. Do slow work before it.
    """
    visitor, address = access.editing_visitor(request), requester_of(request).address
    with in_turn(f"storage of {address}"), in_turn(f"storage of {visitor.author}"):
        if not has_saved(request):
            require_storage(visitor, address)
        yield visitor


def save_once(request: HttpRequest, save: Callable[[access.Visitor], Version]) -> Version:
    """Return the version that `save` stores for the visitor, in the transaction of `keeping`.

    If a worker was killed after it had saved and before it had answered, the request is repeated: `save` is then not
    called, and the version is the one from before. Raises StorageFull, and leases.Lost if another worker holds the
    request by now.
    """
    upload = upload_of(request)
    with keeping(request) as visitor:
        if upload is not None and upload.saved_id is not None:
            return scenarios.by_key(upload.saved_id)
        version = save(visitor)
        if upload is not None:
            leases.update_mine(upload, saved=version)
        return version


def has_saved(request: HttpRequest) -> bool:
    """Return whether a worker that answered this request before has saved what it asks for."""
    upload = upload_of(request)
    return upload is not None and upload.saved_id is not None


def start_run(request: HttpRequest, version: Version, *, kubernetes: str | None = None) -> Run:
    """Return the run of a version; start it if there is none, or if it failed or was cancelled.

    The run counts towards the visitor's storage. Raises StorageFull.
    """
    keeping_visitor(request)
    return runs.start_run(version, requester_of(request), retry=True, kubernetes=kubernetes)


def with_token(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Set or renew the cookie of a visitor who stores something, and return the response.

    A response without Cache-Control gets one, so that no shared cache keeps it.
    """
    access.remember(request, response)
    if not response.has_header("Cache-Control"):
        patch_cache_control(response, private=True, no_cache=True)
    return response


def visible_scenario(request: HttpRequest, sid: str) -> tuple[access.Visitor, Scenario]:
    """Return the visitor and the scenario. Raises Scenario.DoesNotExist, and NotAllowed if they have no access."""
    visitor = access.visitor_of(request)
    scenario = scenarios.by_id(sid)
    access.require_viewing(visitor, scenario)
    return visitor, scenario


def owned_scenario(request: HttpRequest, sid: str) -> tuple[access.Visitor, Scenario]:
    """Return the visitor and the scenario. Raises Scenario.DoesNotExist, and NotAllowed if they do not own it."""
    visitor, scenario = visible_scenario(request, sid)
    access.require_owner(visitor, scenario)
    return visitor, scenario
