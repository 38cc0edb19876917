"""Accounts of an OpenID Connect provider (mozilla-django-oidc implements the protocol).

An account is identified by issuer and subject, which never change; e-mail addresses and names can.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.exceptions import SuspiciousOperation
from django.db.models import QuerySet
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from kschedui.in_turn import in_turn
from kschedui.models import Identity

LONGEST_NAME = 150
MAX_GROUPS = 200


class Provider(OIDCAuthenticationBackend):
    """Checks audience and issuer of the token, and that both responses are about the same person."""

    def verify_token(self, token: str, **kwargs: Any) -> dict[str, Any]:
        """Return the token's claims. Raises SuspiciousOperation if it is for another client or by another issuer."""
        claims: dict[str, Any] = super().verify_token(token, **kwargs)
        audience = claims.get("aud")
        if settings.OIDC_RP_CLIENT_ID not in (audience if isinstance(audience, list) else [audience]):
            raise SuspiciousOperation("an ID token for somebody else")
        if claims.get("iss") != settings.OIDC_ISSUER:
            raise SuspiciousOperation("an ID token of another issuer")
        return claims

    def get_userinfo(self, access_token: str, id_token: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Return the provider's claims about the person. Raises SuspiciousOperation if the token names another."""
        claims: dict[str, Any] = super().get_userinfo(access_token, id_token, payload)
        if not claims.get("sub") or claims["sub"] != payload.get("sub"):
            raise SuspiciousOperation("the answers of two people")
        return claims

    def verify_claims(self, claims: Mapping[str, Any]) -> bool:
        """Return whether the claims have a subject of at most 255 characters, which is all that an account needs."""
        return isinstance(claims.get("sub"), str) and 0 < len(claims["sub"]) <= 255

    def filter_users_by_claims(self, claims: Mapping[str, Any]) -> QuerySet[Any]:
        """Return a query set with the account of this person, empty if there is none yet."""
        identities = Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=claims["sub"])
        return get_user_model().objects.filter(pk__in=identities.values("user"))

    def create_user(self, claims: Mapping[str, Any]) -> Any:
        """Return the person's account with the groups of the claims; create it, without a password, if there is none.
        A number is appended to a name that is already in use.
        """
        wanted = str(claims.get("preferred_username") or claims.get("name") or "user")[: LONGEST_NAME - 10]
        with in_turn("names of accounts"):
            user = self.filter_users_by_claims(claims).first()
            if user is None:
                user = get_user_model().objects.create_user(free_name(wanted))
                Identity.objects.create(user=user, issuer=settings.OIDC_ISSUER, subject=claims["sub"])
        return self.update_user(user, claims)

    def update_user(self, user: Any, claims: Mapping[str, Any]) -> Any:
        """Set the account's groups to those of the claims, at most MAX_GROUPS, if groups are configured; return it."""
        named = claims.get(settings.OIDC_GROUPS_CLAIM) if settings.OIDC_GROUPS_CLAIM else None
        if isinstance(named, list):
            names = [name for name in named if isinstance(name, str) and 0 < len(name) <= LONGEST_NAME][:MAX_GROUPS]
            user.groups.set([Group.objects.get_or_create(name=name)[0] for name in names])
        return user


def free_name(wanted: str) -> str:
    """Return the name, with a number appended if the name is already in use."""
    taken = set(get_user_model().objects.filter(username__startswith=wanted).values_list("username", flat=True))
    numbered = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)
