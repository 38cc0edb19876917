"""Descriptions whose HTML is much longer than their text are rendered once, when they are saved, and limited."""

from __future__ import annotations

import pytest

from kschedui.models import Version
from kschedui.scenarios import prose
from scheduler_core.scenario.fields.lesson_fields import LONGEST_TEXTS
from tests.builders import node, scenario
from tests.web.conftest import Browser

LONGEST = LONGEST_TEXTS["description"]
COLUMNS = 256
TABLES = ("|a" * COLUMNS + "\n" + "|-" * COLUMNS + "\n" + "|\n" * COLUMNS + "\n") * 13
WORST = {
    "rows of tables that are filled up": TABLES,
    "tables in quotations": "".join(f"> {line}\n" for line in TABLES.splitlines()),
    "tables in lists": "".join(f"1. {line}\n" for line in TABLES.splitlines()),
    "one table with many columns": "|a" * 2000 + "\n" + "|-" * 2000 + "\n" + "|\n" * 5000,
    "tables of one column": "a|\n-|\n" + "b|\n" * LONGEST,
    "a long link that is used often": f"[a]: https://k8s.io/{'x' * (LONGEST // 2)}\n\n" + "[a] " * LONGEST,
    "a long title that is used often": f"[a]: /b '{'&' * (LONGEST // 2)}'\n\n" + "[a] " * LONGEST,
    "characters that become entities": '&"<>' * LONGEST,
    "quotations in quotations": ">" * LONGEST,
    "lists in lists": "- " * LONGEST,
    "code": "`a`" * LONGEST,
    "strong emphasis": "**a**" * LONGEST,
}


@pytest.mark.parametrize("text", WORST.values(), ids=WORST)
def test_the_html_of_a_description_is_bounded(text: str) -> None:
    html = prose.markdown_html(text[:LONGEST])
    assert len(html) <= max(prose.MAX_HTML, 6 * LONGEST)
    assert html.count("<td") + html.count("<th") <= prose.MAX_CELLS


def test_a_table_that_people_write_is_a_table() -> None:
    table = "| node | cpu | memory |\n|:--|--:|--:|\n" + "| n1 | 4 | 16Gi |\n" * 200
    assert prose.markdown_html(table).count("<td") == 600


def test_a_page_shows_what_was_rendered_when_it_was_saved(author: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = author.save(scenario(node("n1"), title="A table", description=TABLES))
    author.post(f"/s/{saved['id']}/settings", {"title": "", "visibility": "public"})
    assert set(Version.objects.get().description) == {"en"}

    def refuse(*_: object) -> str:
        raise AssertionError("a page renders Markdown")

    monkeypatch.setattr(prose.MARKDOWN, "render", refuse)
    assert author.get(saved["url"]).context["description_html"].startswith("<pre>|a|a|a")
    for path in ("/", "/accounts/mine/", f"/api/v1/scenarios/{saved['id']}/versions/1/words"):
        assert author.get(path).status_code == 200, path
