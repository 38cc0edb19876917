"""The account page: API tokens."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_POST

from kschedui.accounts import tokens
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.people.forms import TokenForm


@page_view
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show /accounts/ with registration/account.html: `tokens`, `form`, `secret` (of a new token, or "")."""
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
    context = {"tokens": tokens.of_owner(request.user), "form": form, "secret": secret}
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
