"""The Chinese catalogue is complete, compiled, and has no superfluous texts."""

import ast
import gettext
import json
import re
from collections.abc import Iterator
from functools import cache
from string import Formatter
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from kschedui.ask.words import changed_words
from kschedui.language import in_language, language_of_scope
from kschedui.models import Run
from kschedui.runs import store as runs
from kschedui.runs import worker
from scheduler_core.apis.messages import Message
from scheduler_core.ask.smallest.smallest_change import Changed
from tests.builders import pod, scenario
from tests.conftest import ROOT
from tests.web.conftest import Browser

FOLDER = ROOT / "locale/zh_Hans/LC_MESSAGES"
CATALOGUE = "locale/zh_Hans/LC_MESSAGES/django.po"
STRING = r'((?:"[^\n]*"\n?)+)'
ENTRY = re.compile(rf"^msgid {STRING}(?:msgid_plural {STRING})?msgstr(?:\[0\])? {STRING}", re.MULTILINE)
BLOCK = re.compile(r"{% blocktranslate[^%]*%}(.*?)(?:{% plural %}.*?)?{% endblocktranslate %}", re.DOTALL)
TAG = re.compile(r"{% translate (\"[^\"]+\"|'[^']+') ")
MARKS = {"_", "gettext_noop", "gettext_lazy", "ngettext", "Message"}
REFUSALS = {
    "Refusal": 1,
    "Refused": 1,
    "NotAllowed": 0,
    "Stopped": 0,
    "EndlessMoment": 0,
    "SchedulerPanic": 0,
}  # which argument is shown
PERCENT = re.compile(r"%(?:\(\w+\))?[sd]")
SLOT = re.compile(r"\{\w+[^{}]*\}")


def test_entries_are_in_the_order_in_which_make_messages_writes_them() -> None:
    assert list(written()) == sorted(written(), key=str.encode)


def test_changes_joined_in_a_sentence_have_one_capital_letter() -> None:
    changes = [
        Changed("request", "cpu", before="2", after="1500m"),
        Changed("toleration", "gpu:NoSchedule", before=None, after=None),
        Changed("uncordon", "n1", before=None, after=None),
    ]
    joined_changes = Message.from_data(changed_words(changes, "n1").as_data())
    with translation.override("en"):
        assert in_language(joined_changes) == joined_changes
    assert re.findall(r"(?:^|, and )\w+", joined_changes) == ["Request", ", and tolerate", ", and uncordon"]
    with translation.override("zh-hans"):
        assert "，并且" in in_language(joined_changes)


@cache
def written() -> dict[str, str]:
    """Return the Chinese text of each English text in the catalogue."""
    text = (FOLDER / "django.po").read_text(encoding="utf-8")
    found = {joined(entry[1]): joined(entry[3]) for entry in ENTRY.finditer(text)}
    del found[""]
    return found


def joined(lines: str) -> str:
    return "".join(ast.literal_eval(line) for line in lines.splitlines())


@cache
def used() -> set[str]:
    """Return every text that a template or a module marks for translation."""
    found = set()
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        found |= {match[1:-1] for match in TAG.findall(text)}
        found |= {re.sub(r"{{ *(\w+) *}}", r"%(\1)s", block) for block in BLOCK.findall(text)}
    for _, call in calls():
        if name_of(call) in MARKS and call.args and isinstance(call.args[0], ast.Constant):
            found.add(call.args[0].value)
    return found


@cache
def calls() -> list[tuple[str, ast.Call]]:
    """Return every call in the engine and the site with its place."""
    return list(_calls())


def _calls() -> Iterator[tuple[str, ast.Call]]:
    """Yield every call with its place; CEL's syntax tree is left out, because it has its own Message."""
    for folder in ("scheduler_core", "kschedui"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            has_own = "scheduler_core.apis.messages import" not in text
            for call in ast.walk(ast.parse(text)):
                if isinstance(call, ast.Call) and not (has_own and name_of(call) == "Message"):
                    yield f"{path.relative_to(ROOT)}:{call.lineno}", call


def name_of(call: ast.Call) -> str:
    """Return the name of the function that is called, without its module."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def test_nothing_is_untranslated() -> None:
    new = used() - written().keys()
    assert not new, f"run `make messages`, then translate in {CATALOGUE}: {new}"
    empty = [english for english, chinese in written().items() if not chinese]
    assert not empty, f"translate in {CATALOGUE}: {empty}"
    assert "#, fuzzy" not in (FOLDER / "django.po").read_text(encoding="utf-8")


def test_every_template_is_written_where_its_message_is_made() -> None:
    """Otherwise it is unknown whether it is translated. (mypy verifies that a problem has a Message.)"""
    made = [(place, call) for place, call in calls() if name_of(call) == "Message"]
    assert len(made) > 200
    assert [place for place, call in made if not isinstance(call.args[0], ast.Constant)] == []


def test_every_slot_of_a_template_gets_its_value() -> None:
    for place, call in calls():
        if name_of(call) == "Message" and all(one.arg for one in call.keywords):
            slots = {name for _, name, _, _ in Formatter().parse(call.args[0].value) if name}
            assert slots == {one.arg for one in call.keywords}, place


def test_no_refusal_is_put_together_by_hand() -> None:
    by_hand = []
    for place, call in calls():
        shown = call.args[position : position + 1] if (position := REFUSALS.get(name_of(call), 99)) < 99 else []
        by_hand += [place for one in shown if isinstance(one, ast.JoinedStr | ast.BinOp | ast.IfExp)]
        by_hand += [
            place for one in shown if isinstance(one, ast.Constant) and one.value and one.value not in written()
        ]
    assert by_hand == []


def test_what_is_compiled_is_what_is_written() -> None:
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for english, chinese in written().items():
        shown = (compiled.gettext(english), compiled.ngettext(english, english, 1))
        assert chinese in shown, f'django.mo does not have the translation of "{english}": run `make messages`'


def test_placeholders_survive_translation() -> None:
    for english, chinese in written().items():
        for placeholder in (PERCENT, SLOT):
            assert sorted(placeholder.findall(english)) == sorted(placeholder.findall(chinese))


@pytest.mark.django_db
def test_an_error_page_speaks_the_visitors_language() -> None:
    with translation.override("en"):  # restored afterwards, because the middleware leaves its language active
        answer = Client(headers={"Accept-Language": "zh-Hans"}).get("/s/nothing/")
    assert answer.status_code == 404
    assert "没有这个场景。" in answer.content.decode()


@pytest.fixture
def chinese(db: None) -> Iterator[Browser]:
    """Yield a browser that requests Chinese."""
    with translation.override("en"):
        yield Browser(headers={"Accept-Language": "zh-Hans"})


PARSED = {
    "apiVersion: v1\nkind: Pood\nmetadata: {name: a}": '"v1" 中没有已知的 kind "Pood"；是否想写 "Pod"？',
    '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "A"}}': '无效的值："A"：小写的 RFC 1123 名称只能由',
    "a: [b": "不是有效的 YAML：解析 […] 列表时，未找到应有的 “,” 或 “]”",
    "a: {b": "不是有效的 YAML：解析 {…} 映射时，未找到应有的 “,” 或 “}”",
    "--- \n": "文件中没有文档；应为 YAML 格式的 Kubernetes 对象",
}


@pytest.mark.parametrize("text", PARSED)
def test_a_problem_of_a_text_is_reported_in_chinese(chinese: Browser, text: str) -> None:
    for endpoint in ("/api/v1/check", "/api/v1/scenarios", "/api/v1/preview"):
        assert chinese.post_json(endpoint, text=text).json()["errors"][0]["message"].startswith(PARSED[text])


def test_a_warning_is_in_chinese_with_a_suggestion(chinese: Browser) -> None:
    warned = scenario({**pod("a"), "sepc": {}})
    warning = chinese.post_json("/api/v1/check", text=warned).json()["warnings"][0]
    assert warning["message"] == '未知字段 "sepc"；是否想写 "spec"？'
    assert warning["fix"] == {"instead": '"spec"'}


def test_a_failed_run_says_why_in_the_language_of_who_asks(author: Browser, chinese: Browser, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "run_steps": 1}
    saved = author.save()
    worker.execute(saved["run"])
    english = "The run was stopped after 1 steps, which is the limit (KSCHEDUI_MAX_RUN_STEPS)."
    assert author.get(f"/api/v1/runs/{saved['run']}").json()["error"] == english
    assert (
        chinese.get(f"/api/v1/runs/{saved['run']}").json()["error"]
        == "运行在 1 步后停止，这是上限（KSCHEDUI_MAX_RUN_STEPS）。"
    )
    assert runs.status(saved["run"]).error == english
    Run.objects.update(error="as older versions wrote it")
    assert runs.status(saved["run"]).error == "as older versions wrote it"


def test_a_message_survives_its_way_through_json() -> None:
    reason = Message("must be at least {most} {{or so}}", most=3)
    message = Message("Invalid value: {value}: {reason}", value="{}", reason=reason)
    back = Message.from_data(json.loads(json.dumps(message.as_data())))
    assert back == message == "Invalid value: {}: must be at least 3 {or so}"
    assert back.as_data() == message.as_data()


SCOPES = [
    ([], "en"),
    ([(b"accept-language", b"zh-CN,zh;q=0.9")], "zh-hans"),
    ([(b"accept-language", b"zh-CN"), (b"cookie", b"a=b; django_language=en")], "en"),
    ([(b"cookie", b"django_language=zh-hans")], "zh-hans"),
    ([(b"cookie", b"=;\xff;;"), (b"accept-language", b"\xff")], "en"),
]


@pytest.mark.parametrize(("headers", "language"), SCOPES)
def test_a_websocket_has_the_language_of_its_page(headers: list[tuple[bytes, bytes]], language: str) -> None:
    assert language_of_scope({"headers": headers}) == language
