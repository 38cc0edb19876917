"""Makes texts of visitors safe to display: Markdown without scripts, titles without invisible characters."""

import html
import re
import unicodedata

import nh3
from markdown_it import MarkdownIt

TAGS = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h3", "h4", "a", "table", "thead"}
TAGS |= {"tbody", "tr", "th", "td", "hr", "del"}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])  # fast for every text, unlike Python-Markdown
MAX_CELLS = 3_000  # of all tables of a text; a short row is filled up with empty cells
MAX_HTML = 200_000  # characters: a text may refer to one long link many times
LONGEST_TITLE = 200
IN_DELIMITER_ROW = set("|:- \t>*+.)0123456789")  # below a table's head, which may stand in quotations and lists
# Overrides and isolates of writing direction, which can make one text look like another.
DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def markdown_html(text: str) -> str:
    """Return Markdown as HTML with no other elements than TAGS, and links to http and https addresses only.

    A text that would become too many table cells or too much HTML is shown as it was written. This can take seconds
    and hundreds of megabytes, so it is done once, when the text is saved, and never in a process that answers pages.
    """
    if count_cells(text) > MAX_CELLS or len(rendered := MARKDOWN.render(text)) > MAX_HTML:
        return f"<pre>{html.escape(text)}</pre>"
    return nh3.clean(
        rendered, tags=TAGS, attributes=ATTRIBUTES, url_schemes={"http", "https"}, link_rel="noopener nofollow ugc"
    )


def count_cells(text: str) -> int:
    """Return an upper bound on the number of table cells: all lines, each as wide as the widest table."""
    lines = text.splitlines()
    return len(lines) * max(
        (line.count("|") + 1 for line in lines if "|" in line and set(line) <= IN_DELIMITER_ROW), default=0
    )


def plain_text(clean_html: str, length: int = 300) -> str:
    """Return the text of `markdown_html` without markup, cut to a length, for link previews."""
    words = nh3.clean(clean_html, tags=set()).split()
    line = html.unescape(" ".join(words))
    return line if len(line) <= length else line[: length - 1] + "…"


def clean_title(text: str) -> str:
    """Return one line of at most LONGEST_TITLE characters, without those that control or change writing direction."""
    line = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in DIRECTION.sub("", text)
    )
    return " ".join(line.split())[:LONGEST_TITLE]
