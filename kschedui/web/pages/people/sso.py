"""Single sign-on with the configured OpenID Connect provider."""

import logging

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe
from jwt import PyJWTError
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView
from requests import RequestException

from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.people.accounts import take_over

logger = logging.getLogger(__name__)


def require_provider() -> None:
    """Check that a provider is configured. Raises Refusal."""
    if not settings.OIDC_ISSUER:
        raise Refusal(404, gettext_noop("Single sign-on is not configured on this site."))


@page_view
@require_safe
def log_in(request: HttpRequest) -> HttpResponse:
    """Handle /accounts/sso/: redirect to the provider, and back to `?next=`."""
    require_provider()
    count(request, "login")
    response: HttpResponse = OIDCAuthenticationRequestView.as_view()(request)
    return response


class Callback(OIDCAuthenticationCallbackView):
    """The callback of single sign-on; scenarios of this browser are moved to the account."""

    def login_success(self) -> HttpResponse:
        response: HttpResponse = super().login_success()
        take_over(self.request)
        return response

    def login_failure(self) -> HttpResponse:
        raise Refusal(403, gettext_noop("The identity provider did not log you in. Try again."))


@page_view
@require_safe
def callback(request: HttpRequest) -> HttpResponse:
    """Handle /accounts/sso/callback, to which the provider redirects the browser."""
    require_provider()
    count(request, "login")
    try:
        response: HttpResponse = Callback.as_view()(request)
    except (RequestException, PyJWTError) as error:
        logger.warning("the provider of single sign-on failed: %s", error)
        raise Refusal(503, gettext_noop("The identity provider did not log you in. Try again.")) from None
    return response
