"""`{% site_links as links %}`: the navigation that all pages share."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

register = template.Library()

# Each page, and the pages that belong to it.
PAGES = {
    "home": (_("Learn"), ("names", "challenges", "challenge", "course", "course-cka", "class-join")),
    "new": (_("New scenario"), ("scenario-edit",)),
    "decode": (_("Why is it Pending?"), ("pending",)),
    "releases": (_("Releases"), ("version-releases",)),
    "experiments-example": (_("Experiments"), ("experiments", "experiment")),
    "mine": (_("My scenarios"), ("scenario-settings", "course-new", "course-edit")),
}


@register.simple_tag(takes_context=True)
def site_links(context: dict[str, Any]) -> list[dict[str, str]]:
    """Return each page as {url, label, current: the value of aria-current, "" for other pages}."""
    match = getattr(context.get("request"), "resolver_match", None)
    shown = match.url_name if match else ""

    def current(name: str, parts: tuple[str, ...]) -> str:
        if shown == name:
            return "page"
        return "true" if shown in parts else ""

    return [
        {"url": reverse(name), "label": str(label), "current": current(name, parts)}
        for name, (label, parts) in PAGES.items()
    ]
