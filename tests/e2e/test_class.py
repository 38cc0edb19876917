"""A class, with the real worker, broker and database: one teacher, a student at a desk, students with phones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.player_page import drawn, sentence, until
from tests.e2e.test_player_for_everyone import AXE, violations

PHONE = {"width": 390, "height": 844}
MakePage = Callable[..., Page]


@pytest.fixture
def visitor(browser: Browser, live_stack: Stack) -> Iterator[MakePage]:
    """Makes pages, each of a browser of its own."""
    contexts = []

    def make(*, phone: bool = False, language: str = "en", **more: object) -> Page:
        size = PHONE if phone else {"width": 1280, "height": 720}
        context = browser.new_context(base_url=live_stack.url, viewport=size, has_touch=phone, **more)  # type: ignore[arg-type]
        context.add_cookies([{"name": "django_language", "value": language, "url": live_stack.url}])
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


def start(teacher: Page, fragment: str = "") -> str:
    """Start a class from Share; its code."""
    teacher.goto(f"/library/flash-sale/{fragment}")
    drawn(teacher)
    teacher.keyboard.press("s")
    teacher.locator("dialog[open] .share-class button").click()
    expect(teacher.locator("#class-code")).to_be_visible()
    code = teacher.locator(".class-code-letters").inner_text()
    expect(teacher.locator(".class-code img")).to_have_js_property("complete", True)
    teacher.locator("#class-code button").click()
    return code


def join(student: Page, code: str) -> None:
    """By typing the code."""
    student.goto("/c/")
    student.fill("#code", code.lower())
    student.keyboard.press("Enter")
    drawn(student)
    expect(student.locator(".class-news")).to_contain_text(re.compile("Following|正在跟随|question|有一个问题"))


def at(page: Page, fragment: str) -> None:
    """Wait until the page shows that step."""
    drawn(page, fragment)


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def to_question(teacher: Page) -> None:
    """On to the next question."""
    for _ in range(300):
        if teacher.evaluate("document.getElementById('player').dataset.asked"):
            return drawn(teacher)
        press(teacher, "ArrowRight")
        teacher.wait_for_timeout(30)
    raise AssertionError("no question came")


def test_students_follow_look_around_and_catch_up_and_late_ones_are_where_the_teacher_is(visitor: MakePage) -> None:
    teacher, desk, phone, late = visitor(), visitor(), visitor(phone=True), visitor(phone=True)
    code = start(teacher, "#40")
    for student in (desk, phone):
        join(student, code)
        at(student, "40")
    expect(teacher.locator(".class-count")).to_have_text("2 following")
    press(teacher, "ArrowRight")
    for page in (teacher, desk, phone):
        at(page, "41")
    press(desk, "ArrowLeft ArrowLeft")
    at(desk, "39")
    expect(desk.locator(".class-news")).to_contain_text("You are 2 steps behind")
    press(teacher, "ArrowRight")
    at(phone, "42")
    expect(desk.locator(".class-news")).to_contain_text("3 steps behind")
    press(desk, "c")
    at(desk, "42")
    expect(desk.locator(".class-news")).to_have_text("Following your teacher")
    join(late, code)
    at(late, "42")
    expect(teacher.locator(".class-count")).to_have_text("3 following")
    phone.get_by_role("button", name="Look around").tap()
    press(teacher, "ArrowRight")
    at(desk, "43")
    expect(phone.locator("#class-bar [role=status]")).to_have_text("You look around by yourself.")
    phone.get_by_role("button", name="Catch up").tap()
    at(phone, "43")


def test_pause_closes_what_is_ahead_and_the_teacher_brings_everyone_back(visitor: MakePage) -> None:
    teacher, student = visitor(), visitor()
    code = start(teacher, "#40")
    join(student, code)
    at(student, "40")
    teacher.get_by_role("button", name="Pause").click()
    expect(student.locator(".class-news")).to_contain_text("paused")
    press(student, "ArrowRight ArrowRight End")
    at(student, "40")
    press(student, "Home")
    at(student, "0")
    press(student, "ArrowRight")
    at(student, "1")
    teacher.get_by_role("button", name="Bring back").click()
    at(student, "40")
    teacher.get_by_role("button", name="Pause").click()
    expect(student.locator(".class-news")).to_have_text("Following your teacher")
    press(student, "ArrowRight")
    at(student, "41")
    expect(student.locator(".class-news")).to_contain_text("1 step ahead")


def test_a_question_is_answered_on_phones_counted_revealed_and_downloaded(visitor: MakePage) -> None:
    teacher, desk, phones = visitor(), visitor(), [visitor(phone=True) for _ in range(3)]
    code = start(teacher)
    for student in (desk, *phones):
        join(student, code)
    to_question(teacher)
    asked = sentence(teacher)
    for student in (desk, *phones):
        expect(student.locator("#caption h1")).to_have_text(asked)
        assert student.evaluate("document.documentElement.scrollWidth") <= student.evaluate("innerWidth")
    expect(teacher.locator(".class-tally")).to_have_text("0 of 4 answered")
    right = teacher.evaluate("document.querySelectorAll('#predict .answer').length") - 2
    for phone in phones:
        button = phone.locator("#predict .answer").nth(right if phone is phones[0] else 0)
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44
        button.tap()
        expect(button).to_have_attribute("aria-pressed", "true")
    expect(teacher.locator(".class-tally")).to_have_text("3 of 4 answered")
    press(desk, "1 2")
    expect(teacher.locator(".class-tally")).to_have_text("4 of 4 answered")
    press(desk, "ArrowRight Enter q")
    expect(desk.locator("#caption h1")).to_have_text(asked)
    assert teacher.locator("#histogram").count() == 0
    phones[1].reload()
    drawn(phones[1])
    expect(phones[1].locator("#predict .answer").first).to_have_attribute("aria-pressed", "true")
    counts = [re.compile(rf"^(✓ )?{count}$") for count in counts_of(right)]
    teacher.get_by_role("button", name="Reveal").click()
    for page in (teacher, desk, *phones):
        expect(page.locator("#histogram b")).to_have_text(counts)
        expect(page.locator("#caption h1")).not_to_have_text(asked)
    expect(teacher.locator(".class-tally")).to_have_text(re.compile(r"^\d of 4 right$"))
    with teacher.expect_download() as download:
        teacher.get_by_role("link", name="CSV").click()
    rows = download.value.path().read_text().splitlines()
    assert rows[0] == "question,text,choice,answers,right"
    assert sum(int(row.split(",")[3]) for row in rows[1:]) == 4
    assert sum(row.endswith(",yes") for row in rows[1:]) == 1
    press(teacher, "ArrowRight")
    expect(teacher.locator("#histogram")).to_have_count(0)
    for student in (desk, *phones):
        expect(student.locator("#histogram")).to_have_count(0)


def counts_of(right: int) -> list[int]:
    """What was answered above: one the choice at `right`, two the first, one the second."""
    counts = [0] * (right + 2)
    counts[right] += 1
    counts[0] += 2
    counts[1] += 1
    return counts


def test_the_end_of_a_class_comes_to_everyone(visitor: MakePage) -> None:
    teacher, student = visitor(), visitor(phone=True)
    code = start(teacher)
    join(student, code)
    teacher.get_by_role("button", name="End", exact=True).click()
    teacher.get_by_role("button", name="End it").click()
    expect(student.locator(".class-news")).to_have_text("The class is over.")
    assert student.goto(f"/c/{code}/").status == 410  # type: ignore[union-attr]
    expect(student.get_by_role("link", name="Flash sale")).to_be_visible()


def test_teacher_and_student_load_the_page_again_and_are_where_they_were(visitor: MakePage) -> None:
    teacher, student = visitor(), visitor()
    code = start(teacher, "#40")
    join(student, code)
    press(teacher, "ArrowRight")
    at(student, "41")
    teacher.goto(f"/c/{code}/")
    at(teacher, "41")
    student.goto(f"/c/{code}/")
    at(student, "41")
    press(teacher, "ArrowRight")
    at(student, "42")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_axe_finds_nothing_serious_on_the_pages_of_a_class(visitor: MakePage, language: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci")
    teacher, phone = (
        visitor(language=language, bypass_csp=True),
        visitor(phone=True, language=language, bypass_csp=True),
    )
    found: list[str] = []

    def look(page: Page, where: str) -> None:
        page.add_script_tag(path=str(AXE))
        found.extend(violations(page, where))

    teacher.goto("/library/flash-sale/")
    drawn(teacher)
    teacher.keyboard.press("s")
    teacher.locator(".share-class button").click()
    expect(teacher.locator("#class-code")).to_be_visible()
    look(teacher, "code")
    code = teacher.locator(".class-code-letters").inner_text()
    teacher.locator("#class-code button").click()
    phone.goto("/c/")
    look(phone, "join")
    join(phone, code)
    look(phone, "following")
    to_question(teacher)
    until(phone, "document.getElementById('player').dataset.asked")
    look(teacher, "teacher asks")
    look(phone, "student is asked")
    phone.locator("#predict .answer").first.tap()
    teacher.locator(".class-bar .primary").click()
    expect(phone.locator("#histogram")).to_have_count(1)
    look(teacher, "teacher reveals")
    look(phone, "student sees the counts")
    assert not found, "\n".join(found)


def test_a_presentation_has_no_header_a_large_caption_and_the_queue_as_counts(visitor: MakePage) -> None:
    page = visitor()
    page.goto("/library/flash-sale/#45.4")
    drawn(page)
    expect(page.locator("header.bar")).to_be_visible()
    press(page, "P")
    expect(page.locator("header.bar")).to_be_hidden()
    expect(page.locator("#caption h1")).to_have_css("font-size", "40px")
    expect(page.locator(".queue-items").first).to_be_hidden()
    expect(page.locator(".queue-count").first).to_be_visible()
    page.mouse.move(600, 400)
    expect(page.locator(".spotlight.on")).to_be_visible()
    press(page, "ArrowRight")
    drawn(page, "45.5")
    press(page, "P")
    expect(page.locator("header.bar")).to_be_visible()
    expect(page.locator(".spotlight")).to_have_count(0)
