"""Shares of private scenarios with accounts by name, and with groups that the owner belongs to."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext_noop

from kschedui.in_turn import in_turn
from kschedui.models import Scenario, Share
from kschedui.scenarios.access import Visitor, may_see, secret_origin
from scheduler_core.apis.messages import Message

MAX_SHARES = 100  # of one scenario


class NotShared(Exception):
    """The scenario cannot be shared this way; the text is the sentence for the owner."""


def shares_of(scenario: Scenario) -> QuerySet[Share]:
    """Return the shares, accounts first, by name."""
    by_name = F("group__name").asc(nulls_first=True), "user__username"
    return scenario.shares.select_related("user", "group").order_by(*by_name)


def groups_of(owner: Any) -> QuerySet[Group]:
    """Return the groups that the account belongs to."""
    return Group.objects.filter(user=owner).order_by("name")


def share(scenario: Scenario, *, account: str = "", group: str = "", may_edit: bool = False) -> Share:
    """Share the scenario with an account or one of the owner's groups, or change the permission. Return the share.

    Raises NotShared.
    """
    whom = {"group": find_group(scenario.owner, group)} if group else {"user": find_account(account)}
    if whom.get("user") == scenario.owner:
        raise NotShared(gettext_noop("You already own it."))
    origin = secret_origin(Visitor(scenario.owner), scenario)
    if origin and not (may_see(Visitor(whom["user"]), origin) if account else origin.shares.filter(**whom).exists()):
        raise NotShared(gettext_noop("This is a copy of a private scenario that is not shared with them."))
    with in_turn(f"shares of {scenario.pk}"):
        if scenario.shares.exclude(**whom).count() >= MAX_SHARES:
            raise NotShared(
                Message(
                    "A scenario can be shared with at most {most} accounts and groups. Use a group.", most=MAX_SHARES
                )
            )
        row, _ = Share.objects.update_or_create(scenario=scenario, **whom, defaults={"may_edit": may_edit})
        mark_changed(scenario)
    return row


def end(scenario: Scenario, pk: int) -> bool:
    """Stop sharing. Return whether there was such a share."""
    with transaction.atomic():
        gone, _ = scenario.shares.filter(pk=pk).delete()
        mark_changed(scenario)
    return bool(gone)


def mark_changed(scenario: Scenario) -> None:
    """Increment the counter of changes, so that the access of open viewers is checked again."""
    Scenario.objects.filter(pk=scenario.pk).update(sharing=F("sharing") + 1)


def find_account(name: str) -> Any:
    """Return the account with this name. Raises NotShared."""
    account = get_user_model().objects.filter(username=name, is_active=True).first()
    if account is None:
        raise NotShared(Message("There is no account named {name}.", name=name[:150]))
    return account


def find_group(owner: Any, name: str) -> Group:
    """Return the owner's group with this name. Raises NotShared."""
    group = groups_of(owner).filter(name=name).first()
    if group is None:
        raise NotShared(Message("You are not a member of a group named {name}.", name=name[:150]))
    return group
