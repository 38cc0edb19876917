"""Shares of a private scenario."""

from django.http import HttpRequest
from django.utils.translation import gettext_noop
from ninja import Router, Status

from kschedui.models import Share
from kschedui.scenarios import sharing
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.shapes import ShareIn, ShareOut
from kschedui.web.api.visitors import owned_scenario

router = Router(tags=["sharing"])


def describe(stored: Share) -> ShareOut:
    """Describe a share by the name of its account or group."""
    account = stored.user.get_username() if stored.user else ""
    group = stored.group.name if stored.group else ""
    return ShareOut(id=stored.pk, account=account, group=group, may_edit=stored.may_edit)


@router.get("/{id:sid}/shares", auth=reads(), response=list[ShareOut], summary="With whom it is shared")
def listed(request: HttpRequest, sid: str) -> list[ShareOut]:
    """List the shares of a scenario. Only the owner can list them."""
    return [describe(stored) for stored in sharing.shares_of(owned_scenario(request, sid)[1])]


@router.post("/{id:sid}/shares", auth=writes("save"), response=ShareOut, summary="Share with an account or a group")
def share(request: HttpRequest, sid: str, body: ShareIn) -> ShareOut:
    """Share a scenario with an account or a group that you belong to. Sharing again changes the permission."""
    _, scenario = owned_scenario(request, sid)
    if bool(body.account) == bool(body.group):
        raise Refusal(422, gettext_noop("Specify either `account` or `group`."), code="invalid_request")
    if scenario.owner is None:
        raise Refusal(403, gettext_noop("Log in to share a scenario."))
    try:
        return describe(sharing.share(scenario, account=body.account, group=body.group, may_edit=body.may_edit))
    except sharing.NotShared as refusal:
        raise Refusal(422, refusal.args[0]) from None


@router.delete("/{id:sid}/shares/{n:share_id}", auth=writes("save"), response={204: None}, summary="Stop sharing")
def end(request: HttpRequest, sid: str, share_id: int) -> Status[None]:
    if not sharing.end(owned_scenario(request, sid)[1], share_id):
        raise Refusal(404, gettext_noop("The scenario is not shared with this account or group."))
    return Status(204, None)
