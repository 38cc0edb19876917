"""The OpenID Connect provider of single sign-on, through mozilla-django-oidc."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from jwt import PyJWTError
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView
from requests import RequestException

from kschedui.web.api.refusals import Refusal
from kschedui.web.pages.people.accounts import move_scenarios

FAILURES = (RequestException, PyJWTError)


def log_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider."""
    response: HttpResponse = OIDCAuthenticationRequestView.as_view()(request)
    return response


def callback(request: HttpRequest) -> HttpResponse:
    """Log in the person who returns from the provider. Raises one of FAILURES after an unexpected response."""
    response: HttpResponse = _Callback.as_view()(request)
    return response


class _Callback(OIDCAuthenticationCallbackView):
    """The callback of single sign-on; the scenarios of this browser are moved to the account."""

    def login_success(self) -> HttpResponse:
        response: HttpResponse = super().login_success()
        move_scenarios(self.request)
        return response

    def login_failure(self) -> HttpResponse:
        raise Refusal(403, gettext_noop("The identity provider did not log you in. Try again."))
