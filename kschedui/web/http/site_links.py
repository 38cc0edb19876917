"""`{% site_links as links %}`: the navigation that all pages share."""

from django import template
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

register = template.Library()

PAGES = {
    "home": _("Learn"),
    "new": _("New scenario"),
    "decode": _("Why is it Pending?"),
    "releases": _("Releases"),
    "experiments-example": _("Experiments"),
    "mine": _("My scenarios"),
}


@register.simple_tag
def site_links() -> list[dict[str, str]]:
    """Return each page as {url, label}."""
    return [{"url": reverse(name), "label": str(label)} for name, label in PAGES.items()]
