"""The OpenID Connect provider of single sign-on, as mozilla-django-oidc asks it."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from jwt import PyJWTError
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView
from requests import RequestException

from kschedui.web.api.refusals import Refusal
from kschedui.web.pages.people.accounts import take_over

FAILURES = (RequestException, PyJWTError)


def log_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider."""
    response: HttpResponse = OIDCAuthenticationRequestView.as_view()(request)
    return response


def callback(request: HttpRequest) -> HttpResponse:
    """Log in the person whom the provider sends back. Raises one of FAILURES after an unexpected response."""
    response: HttpResponse = _Callback.as_view()(request)
    return response


class _Callback(OIDCAuthenticationCallbackView):
    """The callback of single sign-on; scenarios of this browser are moved to the account."""

    def login_success(self) -> HttpResponse:
        response: HttpResponse = super().login_success()
        take_over(self.request)
        return response

    def login_failure(self) -> HttpResponse:
        raise Refusal(403, gettext_noop("The identity provider did not log you in. Try again."))
