"""The account page: API tokens, sessions, and a change of the password."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractUser
from django.contrib.auth.password_validation import password_changed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_POST

from kschedui.accounts import sessions, tokens
from kschedui.web.api import rates
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.people.forms import PasswordForm, TokenForm
from kschedui.web.pages.people.passwords import hash_new_password, is_password


@page_view
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show /accounts/ with registration/account.html; POST creates a token. Raises Refusal if there are too many.

    Context: `tokens`, `form`, `secret` (of the new token, or ""), `sessions`, and `here` (the key of this session).
    """
    secret = ""
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        count(request, "save")
        try:
            _token, secret = tokens.make(request.user, **form.cleaned_data)
        except tokens.TooManyTokens:
            sentence = gettext_noop("This account has reached the limit of tokens. Revoke one first.")
            raise Refusal(422, sentence) from None
        form = TokenForm()
    sessions.record_use(request)
    context = {
        "tokens": tokens.of_owner(request.user),
        "sessions": sessions.of_owner(request.user),
        "here": request.session.session_key,
        "form": form,
        "secret": secret,
    }
    response = render(request, "registration/account.html", context)
    if secret:
        response.headers["Cache-Control"] = "no-store"
    return response


@page_view
@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Handle /accounts/tokens/<pk>/revoke: invalidate the token."""
    tokens.revoke(request.user, pk)
    messages.success(request, _("The token was revoked."))
    return redirect("account")


@page_view
@login_required
@require_POST
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    """Handle /accounts/sessions/<pk>/end: log that browser out."""
    sessions.end(request.user, pk)
    messages.success(request, _("The session has ended."))
    return redirect("account")


@page_view
@login_required
@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """Handle /accounts/sessions/end: log all other browsers out."""
    sessions.end_others(request.user, request.session.session_key)
    messages.success(request, _("All other sessions have ended."))
    return redirect("account")


@page_view
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change_password(request: HttpRequest) -> HttpResponse:
    """Show /accounts/password with registration/password.html: `form`.

    A POST changes the password, which ends all other sessions and all tokens.
    """
    user = request.user
    assert isinstance(user, AbstractUser)
    if not user.has_usable_password():
        raise Refusal(403, gettext_noop("This account has no password here: it logs in with your organization."))
    form = PasswordForm(user, request.POST or None)
    if request.method == "POST":
        count(request, "login")
        rates.require_guess(request, user.get_username())
        if form.is_valid():
            if is_password(request, user, form.cleaned_data["old_password"]):
                new = form.cleaned_data["new_password1"]
                user.password = hash_new_password(request, new)
                user.save(update_fields=["password"])
                password_changed(new, user)
                update_session_auth_hash(request, user)
                messages.success(request, _("The password was changed. Other sessions and all tokens have ended."))
                return redirect("account")
            rates.count_wrong_guess(request, user.get_username())
            form.add_error("old_password", _("This is not the current password."))
    return render(request, "registration/password.html", {"form": form})
