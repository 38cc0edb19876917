"""Makes texts of visitors safe to display: Markdown without scripts, titles without invisible characters."""

import html
import re
import unicodedata

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h3", "h4", "a", "table", "thead"}
TAGS |= {"tbody", "tr", "th", "td", "hr", "del"}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])  # no text makes it slow; Python-Markdown was
LONGEST_DESCRIPTION = 20_000  # characters that are rendered
LONGEST_TITLE = 200
# Overrides and isolates of writing direction, which can make one text look like another.
DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def markdown_html(text: str) -> SafeString:
    """Convert Markdown to HTML that contains only text, lists, tables and links that show their target."""
    rendered = MARKDOWN.render(text[:LONGEST_DESCRIPTION])
    clean = nh3.clean(
        rendered, tags=TAGS, attributes=ATTRIBUTES, url_schemes={"http", "https"}, link_rel="noopener nofollow ugc"
    )
    return mark_safe(clean)  # noqa: S308 - sanitised in the line above


def plain_text(text: str, length: int = 300) -> str:
    """Return the text of Markdown without markup, for link previews."""
    words = nh3.clean(markdown_html(text), tags=set()).split()
    line = html.unescape(" ".join(words))
    return line if len(line) <= length else line[: length - 1] + "…"


def clean_title(text: str) -> str:
    """Return one line without control characters and characters that change the writing direction."""
    line = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in DIRECTION.sub("", text)
    )
    return " ".join(line.split())[:LONGEST_TITLE]
