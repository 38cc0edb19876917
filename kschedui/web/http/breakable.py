"""`{{ path|breakable }}`: a path that may wrap after each slash and underscore, and nowhere else."""

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def breakable(path: str) -> SafeString:
    """Return the escaped path with a place to break after each slash and underscore."""
    return mark_safe(re.sub("[/_]", r"\g<0><wbr>", escape(path)))  # noqa: S308 - it is escaped
