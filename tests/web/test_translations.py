"""The Chinese catalogue: everything is translated, what is compiled is what is written, and nothing is forgotten."""

import ast
import gettext
import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils import translation

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "locale/zh_Hans/LC_MESSAGES"
STRING = r'((?:"[^\n]*"\n?)+)'
ENTRY = re.compile(rf"^msgid {STRING}(?:msgid_plural {STRING})?msgstr(?:\[0\])? {STRING}", re.MULTILINE)
TAG = re.compile(r"{% translate (\"[^\"]+\"|'[^']+') ")
MARKS = {"_", "gettext_noop", "gettext_lazy", "ngettext"}


def written() -> dict[str, str]:
    """English -> Chinese, from the catalogue's text."""
    text = (FOLDER / "django.po").read_text(encoding="utf-8")
    found = {joined(entry[1]): joined(entry[3]) for entry in ENTRY.finditer(text)}
    del found[""]
    return found


def joined(lines: str) -> str:
    return "".join(ast.literal_eval(line) for line in lines.splitlines())


def used() -> set[str]:
    """Every text that a template or a module marks for translation."""
    found = set()
    for path in (ROOT / "templates").rglob("*.html"):
        found |= {match[1:-1] for match in TAG.findall(path.read_text(encoding="utf-8"))}
    for path in (ROOT / "kschedui").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in MARKS and call.args:
                first = call.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def test_nothing_is_untranslated() -> None:
    assert used() - written().keys() == set()
    assert [english for english, chinese in written().items() if not chinese] == []
    assert "#, fuzzy" not in (FOLDER / "django.po").read_text(encoding="utf-8")


def test_what_is_compiled_is_what_is_written() -> None:
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for english, chinese in written().items():
        assert chinese in (compiled.gettext(english), compiled.ngettext(english, english, 1))


def test_placeholders_survive_translation() -> None:
    for english, chinese in written().items():
        assert sorted(re.findall(r"%(?:\(\w+\))?[sd]", english)) == sorted(re.findall(r"%(?:\(\w+\))?[sd]", chinese))


@pytest.mark.django_db
def test_an_error_page_speaks_the_visitors_language() -> None:
    with translation.override("en"):  # and back to it: the middleware leaves its language on
        answer = Client(headers={"Accept-Language": "zh-Hans"}).get("/s/nothing/")
    assert answer.status_code == 404
    assert "没有这个场景。" in answer.content.decode()
