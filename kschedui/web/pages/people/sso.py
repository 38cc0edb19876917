"""Single sign-on with the configured OpenID Connect provider."""

import logging

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.pages.page_view import page_view

logger = logging.getLogger(__name__)


def require_provider() -> None:
    """Require that a provider is configured. Raises Refusal."""
    if not settings.OIDC_ISSUER:
        raise Refusal(404, gettext_noop("Single sign-on is not configured on this site."))


@page_view
@require_safe
def log_in(request: HttpRequest) -> HttpResponse:
    """Handle /accounts/sso/: redirect to the provider, and back to `?next=`."""
    require_provider()
    count(request, "login")
    from kschedui.web.pages.people import provider  # with libraries that no other site needs

    return provider.log_in(request)


@page_view
@require_safe
def callback(request: HttpRequest) -> HttpResponse:
    """Handle /accounts/sso/callback, to which the provider redirects the browser."""
    require_provider()
    count(request, "login")
    from kschedui.web.pages.people import provider

    try:
        return provider.callback(request)
    except provider.FAILURES as error:
        logger.warning("the provider of single sign-on failed: %s", error)
        raise Refusal(503, gettext_noop("The identity provider did not log you in. Try again.")) from None
