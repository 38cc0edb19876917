"""Passwords. Hashing one takes half a second of processor time, so `kschedui.work` executes it."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.hashers import is_password_usable, make_password, verify_password
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from kschedui.web.api.work import work


def hash_new_password(request: HttpRequest, password: str) -> str:
    """Return the hash of a new password."""
    return work(request, hash_password, password)


def is_password(request: HttpRequest, user: AbstractBaseUser, password: str) -> bool:
    """Return whether the password is that of the account."""
    right, _new_hash = work(request, verify, password, user.password)
    return bool(right)


class PasswordBackend(ModelBackend):
    """Django's backend, except that passwords are hashed in another process."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> Any:
        """Return the account, or None without a request, a name or a password.

        Raises PermissionDenied for a wrong name or password, or an inactive account.
        """
        if request is None or username is None or password is None:
            return None
        user = get_user_model().objects.filter(username=username).first()
        right, new_hash = work(request, verify, password, user.password if user else "")
        if user is None or not right or not self.user_can_authenticate(user):
            raise PermissionDenied
        if new_hash:
            user.password = new_hash
            user.save(update_fields=["password"])
        return user


def hash_password(password: str) -> str:
    """Return the hash of a password. Executed by `kschedui.work`."""
    return make_password(password)


def verify(password: str, encoded: str) -> tuple[bool, str]:
    """Return whether the password matches the hash, and a new hash if this one uses an older algorithm. Executed by
    `kschedui.work`.

    Without a hash, such as for an unknown account, it takes the same time.
    """
    if not is_password_usable(encoded) or not encoded:
        make_password(password)
        return False, ""
    right, is_old = verify_password(password, encoded)
    return right, make_password(password) if right and is_old else ""
