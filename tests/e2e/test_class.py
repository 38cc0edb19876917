"""A class, with the real worker, broker and database: one teacher, a student at a desk, students with phones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.axe import needs_axe, violations
from tests.e2e.player_page import link_shown, sentence, sheets, until, wait_until_drawn
from tests.e2e.test_courses import create_course
from tests.e2e.test_handout import wait_for_pictures
from tests.e2e.test_speaker import open_speaker_view

# Calls `are` with the boxes of two elements, measured at the same moment.
BOXES = "(a, b, are) => are(...[a, b].map((one) => document.querySelector(one).getBoundingClientRect()))"
# Records the headline whenever a step is reported as completely drawn, and whether a drawing was still pending.
RECORD_HEADLINES = """() => {
  window.headlines = [];
  const { player } = kschedui, root = document.getElementById("player");
  const look = () => root.dataset.ready && headlines.push([document.querySelector("#caption h1").textContent, Boolean(player.pendingDraw)]);
  new MutationObserver(look).observe(root, {attributeFilter: ["data-ready"]});
}"""
# Records the texts that a screen reader announces: those that change the status element.
RECORD_ANNOUNCEMENTS = """() => {
  window.announced = [];
  let last = "";
  new MutationObserver(() => {
    const text = document.querySelector("#class-bar p[role=status].sr").textContent;
    if (text && text !== last) announced.push(text);
    last = text;
  }).observe(document.getElementById("class-bar"), {childList: true, characterData: true, subtree: true});
}"""
PHONE = {"width": 390, "height": 844}
MakePage = Callable[..., Page]


@pytest.fixture
def visitor(browser: Browser, live_stack: Stack) -> Iterator[MakePage]:
    """Yield a function that opens a page in its own browser context."""
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


def start(teacher: Page, fragment: str = "", *, lesson: str = "flash-sale") -> str:
    """Start a class from the Share dialog, and return its code."""
    teacher.goto(f"/library/{lesson}/{fragment}")
    wait_until_drawn(teacher)
    teacher.keyboard.press("s")
    teacher.locator("dialog[open] .share-class button").click()
    expect(teacher.locator("#class-code")).to_be_visible()
    code = teacher.locator(".class-code-letters").inner_text()
    expect(teacher.locator(".class-code img")).to_have_js_property("complete", True)
    teacher.locator("#class-code button").click()
    return code


def join(student: Page, code: str) -> None:
    """Join a class by typing its code, and wait until the page follows the teacher or shows a question or its result."""
    student.goto("/c/")
    student.fill("#code", code.lower())
    student.keyboard.press("Enter")
    wait_until_drawn(student)
    expect(student.locator(".class-news")).to_contain_text(
        re.compile("Following|正在跟随|question|有一个问题|right|答对|Nobody|没有人")
    )


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def to_question(teacher: Page) -> None:
    """Press the right arrow until a question is shown."""
    for _ in range(300):
        wait_until_drawn(teacher)
        if teacher.evaluate("document.getElementById('player').dataset.asked"):
            return wait_until_drawn(teacher)
        press(teacher, "ArrowRight")
    raise AssertionError("no question came")


def wait_for_same_step(teacher: Page, *students: Page) -> None:
    """Wait until the students' pages show the teacher's step."""
    link = link_shown(teacher)
    for student in students:
        wait_until_drawn(student, link.removeprefix("#"))


def expect_no_sideways_scrolling(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")


def test_three_phones_follow_a_class_and_then_a_course_is_created_and_printed(visitor: MakePage) -> None:
    teacher, *phones = [visitor(phone=number > 0) for number in range(4)]
    first, second, late = phones
    code = start(teacher, "#2")
    for phone in (first, second):
        join(phone, code)
        wait_until_drawn(phone, "2")
    expect(teacher.locator(".class-count")).to_have_text("2 following")
    press(teacher, "ArrowRight")
    wait_for_same_step(teacher, first, second)
    first.get_by_role("button", name="Look around").tap()
    press(first, "ArrowLeft ArrowLeft")
    behind = "You are {} steps behind".format
    expect(first.locator(".class-news")).to_contain_text(
        behind(teacher.evaluate("kschedui.player.step"))
    )  # they are at 0
    press(teacher, "ArrowRight")
    wait_for_same_step(teacher, second)
    expect(first.locator(".class-news")).to_contain_text(behind(teacher.evaluate("kschedui.player.step")))
    first.get_by_role("button", name="Catch up").tap()
    wait_for_same_step(teacher, first)
    expect(first.locator(".class-news")).to_have_text("Following your teacher")
    press(first, "ArrowLeft")  # a key press is enough to look around
    expect(first.locator("#class-bar [role=status]")).to_have_text("You are looking around on your own.")
    press(first, "c")
    join(late, code)
    wait_for_same_step(teacher, *phones)
    speaker = open_speaker_view(teacher)
    expect(speaker.locator("#class")).to_contain_text("3 following")
    play_question(teacher, speaker, phones)
    teacher.get_by_role("button", name="End", exact=True).click()
    teacher.get_by_role("button", name="End it").click()
    expect(first.locator(".class-news")).to_have_text("The class has ended.")
    expect(speaker.locator("#class")).to_contain_text("The class has ended.")
    assert second.goto(f"/c/{code}/").status == 410  # type: ignore[union-attr]
    expect(second.get_by_role("link", name="Flash sale")).to_be_visible()
    course = create_course(teacher)
    late.goto(course)
    expect_no_sideways_scrolling(late)
    late.get_by_role("link", name="Start: A pod is scheduled").tap()
    wait_until_drawn(late)
    expect(late.locator(".place")).to_contain_text("1 of 4")
    teacher.get_by_role("link", name="Handout").click()
    wait_for_pictures(teacher)
    assert sheets(teacher, format="A4") >= 5


def play_question(teacher: Page, speaker: Page, phones: list[Page]) -> None:
    """Go to a question; check that it is asked, answered on each phone, counted, revealed, downloaded and closed."""
    to_question(teacher)
    asked = sentence(teacher)
    for phone in phones:
        expect(phone.locator("#caption h1")).to_have_text(asked)
        expect_no_sideways_scrolling(phone)
    expect(teacher.locator(".class-answered")).to_have_text("0 of 3 answered")
    last = teacher.evaluate("document.querySelectorAll('#predict .answer').length") - 1
    for phone, choice in zip(phones, (0, last, 0), strict=True):
        button = phone.locator("#predict .answer").nth(choice)
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44
        button.tap()
        expect(button).to_have_attribute("aria-pressed", "true")
    expect(teacher.locator(".class-answered")).to_have_text("3 of 3 answered")
    expect(speaker.locator(".speaker-answered")).to_have_text("3 of 3 answered")
    press(phones[0], "ArrowRight Enter q")
    expect(phones[0].locator("#caption h1")).to_have_text(asked)
    assert teacher.locator("#histogram").count() == 0
    phones[1].reload()
    wait_until_drawn(phones[1])
    expect(phones[1].locator("#predict .answer").nth(last)).to_have_attribute("aria-pressed", "true")
    counts = [re.compile(rf"^(✓ )?{count}$") for count in (2, *[0] * (last - 1), 1)]
    press(teacher, "PageDown")  # as a presentation remote does
    for page in (teacher, *phones):
        expect(page.locator("#histogram b")).to_have_text(counts)
        expect(page.locator("#caption h1")).not_to_have_text(asked)
    expect(teacher.locator(".class-tally")).to_have_text(re.compile(r"^\d of 3 right$"))
    teacher.locator(".class-name").click()
    with teacher.expect_download() as download:
        teacher.get_by_role("link", name="CSV").click()
    teacher.locator("#class-code button").click()
    rows = download.value.path().read_text().splitlines()
    assert rows[0] == "question,text,choice,answers,right,lesson"
    assert sum(int(row.split(",")[3]) for row in rows[1:]) == 3
    assert sum(",yes," in row for row in rows[1:]) == 1
    press(teacher, "ArrowRight")
    for page in (teacher, *phones):
        expect(page.locator("#histogram")).to_have_count(0)


@pytest.mark.quick
def test_a_pause_stops_students_at_the_teachers_step_and_a_reload_keeps_the_step(visitor: MakePage) -> None:
    teacher, student = visitor(), visitor()
    code = start(teacher, "#40")
    join(student, code)
    wait_until_drawn(student, "40")
    teacher.get_by_role("button", name="No looking ahead").click()
    expect(student.locator(".class-paused")).to_have_text("Your teacher keeps everyone at this step")
    press(student, "ArrowRight ArrowRight End")
    wait_until_drawn(student, "40")
    press(student, "Home")
    wait_until_drawn(student, "0")
    press(student, "ArrowRight")
    wait_until_drawn(student, "1")
    teacher.get_by_role("button", name="Bring back").click()
    wait_until_drawn(student, "40")
    teacher.get_by_role("button", name="No looking ahead").click()
    expect(student.locator(".class-paused")).to_have_count(0)
    expect(student.locator(".class-news")).to_have_text("Following your teacher")
    press(student, "ArrowRight")
    wait_until_drawn(student, "41")
    expect(student.locator(".class-news")).to_contain_text("1 step ahead")
    press(teacher, "ArrowRight")
    expect(student.locator(".class-news")).not_to_contain_text("ahead")  # the teacher has reached the student's step
    teacher.goto(f"/c/{code}/")
    student.goto(f"/c/{code}/")
    wait_until_drawn(teacher, "41")
    wait_until_drawn(student, "41")
    press(teacher, "ArrowRight")
    wait_until_drawn(student, "43")  # 42 is folded into it


def test_a_class_on_the_first_lesson_is_started_from_the_home_page(visitor: MakePage) -> None:
    teacher, phone = visitor(), visitor(phone=True)
    teacher.goto("/")
    teacher.get_by_role("button", name="Start a class: A pod is scheduled").click()
    expect(teacher.locator("#class-code")).to_be_visible()
    join(phone, teacher.locator(".class-code-letters").inner_text())
    expect(phone.locator(".scenario-title")).to_have_text("A pod is scheduled")


@pytest.mark.quick
def test_bringing_everyone_back_is_announced_each_time(visitor: MakePage) -> None:
    teacher = visitor()
    start(teacher)
    teacher.evaluate(RECORD_ANNOUNCEMENTS)
    for times in (1, 2):
        teacher.get_by_role("button", name="Bring back").click()
        teacher.wait_for_function("times => announced.length === times", arg=times)
    assert teacher.evaluate("announced") == ["Everyone is back at your step."] * 2


@pytest.mark.quick
def test_a_question_stays_in_the_teachers_headline_while_students_receive_it(visitor: MakePage) -> None:
    teacher, student = visitor(), visitor()
    join(student, start(teacher, "#2"))
    for page in (teacher, student):
        page.evaluate(RECORD_HEADLINES)
    to_question(teacher)
    asked = sentence(teacher)
    expect(teacher.locator(".class-answered")).to_have_text("0 of 1 answered")
    expect(student.locator("#caption h1")).to_have_text(asked)
    headlines = teacher.evaluate("headlines")
    assert {text for text, _ in headlines[[text for text, _ in headlines].index(asked) :]} == {asked}
    assert not any(pending for _, pending in headlines + student.evaluate("headlines"))


def test_a_question_that_nobody_answered_says_so_also_to_a_student_who_joins_after_it(visitor: MakePage) -> None:
    teacher, student = visitor(), visitor()
    code = start(teacher)
    to_question(teacher)
    teacher.locator("#predict .primary").click()
    expect(teacher.locator(".class-tally")).to_have_text("Nobody answered")
    join(student, code)
    expect(student.locator(".class-news")).to_have_text("Nobody answered")


def test_counts_are_on_the_stage_and_in_view_on_a_phone_and_the_end_is_shown_over_them(visitor: MakePage) -> None:
    teacher, phone = visitor(), visitor(phone=True)
    code = start(teacher)
    join(phone, code)
    to_question(teacher)
    phone.locator("#predict .answer").first.tap()
    expect(teacher.locator(".class-answered")).to_have_text("1 of 1 answered")
    teacher.locator("#predict .primary").click()
    expect(phone.locator("#histogram.listed")).to_be_visible()
    until(phone, f"({BOXES})('#histogram', '#timeline', (counts, timeline) => counts.bottom <= timeline.top)")
    starts = phone.locator("#histogram li").evaluate_all(
        "all => all.map((one) => one.children[1].getBoundingClientRect().left)"
    )
    assert len(set(starts)) == 1
    press(teacher, "v")
    expect(teacher.locator("#histogram")).to_be_visible()
    within = "(stage, counts) => stage.left <= counts.left && counts.right <= stage.right"
    until(teacher, f"({BOXES})('#stage', '#histogram', {within})")  # the window grows meanwhile
    press(teacher, "v")
    teacher.get_by_role("button", name="End", exact=True).click()
    teacher.get_by_role("button", name="End it").click()
    expect(phone.locator(".class-news")).to_have_text("The class has ended.")


def tab_to(page: Page, control: str) -> None:
    """Move the focus to a control with the Tab key alone."""
    for _ in range(60):
        if page.evaluate("(control) => Boolean(document.activeElement?.matches(control))", control):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not reach {control}")


OPEN = "document.getElementById('player').dataset.asked"
ASKS = f"Boolean(!document.getElementById('histogram') && {OPEN})"
SHOWN = """() => JSON.stringify([kschedui.player.step, kschedui.player.frame,
  Boolean(document.getElementById("histogram")), document.getElementById("player").dataset.asked])"""


def go_on(teacher: Page) -> None:
    """Press the right arrow once, and wait until the step, the frame, the question or the counts have changed."""
    before = teacher.evaluate(SHOWN)
    press(teacher, "ArrowRight")
    until(teacher, f"before => ({SHOWN})() !== before", before)
    wait_until_drawn(teacher)


def test_lesson_1_is_taught_to_three_phones_from_start_to_end_by_keyboard(visitor: MakePage) -> None:
    teacher, *phones = [visitor(phone=number > 0) for number in range(4)]
    teacher.goto("/library/first-pod/?predict=1")
    wait_until_drawn(teacher)
    until(teacher, "kschedui.store.complete")
    press(teacher, "s")
    tab_to(teacher, ".share-class button")
    press(teacher, "Enter")
    expect(teacher.locator("#class-code")).to_be_visible()
    code = teacher.locator(".class-code-letters").inner_text()
    for phone in phones:
        join(phone, code)
    expect(teacher.locator(".class-here")).to_have_text("3 following")
    press(teacher, "PageDown")  # from the code on to the first question
    expect(teacher.locator("#class-code")).to_be_hidden()
    expect(teacher.locator(".class-count")).to_have_text("3 following")
    wait_until_drawn(teacher)
    asked = []
    while True:
        if teacher.evaluate(ASKS):
            asked.append(sentence(teacher))
            for phone in phones:
                until(phone, ASKS)
                assert sentence(phone) == asked[-1]
                press(phone, "1")
            expect(teacher.locator(".class-answered")).to_have_text("3 of 3 answered")
            go_on(teacher)  # reveals, since all have answered
            for page in (teacher, *phones):
                expect(page.locator("#histogram")).to_have_count(1)
            until(teacher, f"!({OPEN})")  # the answer plays by itself
            wait_until_drawn(teacher)
        wait_for_same_step(teacher, *phones)
        for phone in phones:
            expect(phone.locator("#caption h1")).to_have_text(sentence(teacher))
        if teacher.evaluate("kschedui.player.step === kschedui.store.steps - 1"):
            break
        go_on(teacher)
    assert len(asked) >= 2
    assert len(set(asked)) == len(asked), "each question comes once"


@needs_axe
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_axe_finds_nothing_serious_on_the_pages_of_a_class(visitor: MakePage, language: str) -> None:
    teacher, phone = (
        visitor(language=language),
        visitor(phone=True, language=language),
    )
    found: list[str] = []

    def look(page: Page, where: str) -> None:
        found.extend(violations(page, where))

    teacher.goto("/library/flash-sale/")
    wait_until_drawn(teacher)
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
    teacher.locator("#predict .primary").click()
    expect(phone.locator("#histogram")).to_have_count(1)
    look(teacher, "teacher reveals")
    look(phone, "student sees the counts")
    assert not found, "\n".join(found)


def test_a_presentation_hides_panels_and_has_large_text(visitor: MakePage) -> None:
    page = visitor()
    page.goto("/library/flash-sale/#45.4")
    wait_until_drawn(page)
    expect(page.locator("header.bar")).to_be_visible()
    press(page, "v")
    expect(page.locator("header.bar")).to_be_hidden()
    for panel in ("#queue", "#timeline", "#next"):
        expect(page.locator(panel)).to_be_hidden()
    size = "one => Number.parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom"
    assert page.locator("#caption h1").evaluate(size) >= 36
    for label in ("#stage .node-name", "#stage .column-head", "#margin .margin-label"):
        assert page.locator(label).first.evaluate(size) >= 17
    expect(page.locator(".spotlight")).to_have_count(1)
    page.evaluate("document.querySelector('.spotlight').addEventListener('transitionrun', () => { window.lit = true })")
    page.mouse.move(600, 400)
    until(page, "window.lit")  # it fades again while the pointer rests
    press(page, "ArrowRight")
    wait_until_drawn(page, "45.5")
    press(page, "v")
    expect(page.locator("header.bar")).to_be_visible()
    expect(page.locator(".spotlight")).to_have_count(0)


def test_votes_cover_nothing_answers_survive_a_reload_and_phones_follow_to_the_next_lesson(
    visitor: MakePage,
) -> None:
    teacher, phone = visitor(), visitor(phone=True)
    code = start(teacher, "", lesson="first-pod")
    join(phone, code)
    for wrong in (True, False):
        to_question(teacher)
        expect(phone.locator("#predict .answer").first).to_be_visible()
        phone.locator("#predict .answer").nth(0 if wrong else 1).click()
        expect(teacher.locator(".class-answered")).to_have_text("1 of 1 answered")
        press(teacher, "ArrowRight")
        expect(teacher.locator("#histogram b").first).to_be_visible()
        until(teacher, "() => !document.getElementById('player').dataset.asked")
        wait_for_same_step(teacher, phone)
    for page in (teacher, phone):  # the second question is about lanes
        until(page, "() => document.querySelectorAll('#histogram.beside b').length === 2")
        covered = """() => [...document.querySelectorAll('#histogram b, .prediction-tag')].filter((mark) => {
          const [a, b] = [mark, document.getElementById('stage')].map((one) => one.getBoundingClientRect());
          return a.left < b.right || a.right > innerWidth;
        }).map(({textContent}) => textContent)"""
        until(page, f"() => ({covered})().length === 0")
    phone.reload()
    wait_until_drawn(phone)
    press(teacher, "ArrowRight " * 6)  # beyond the end: only a click opens the next lesson
    until(teacher, "() => kschedui.player.event.type === 'RunFinished'")
    wait_for_same_step(teacher, phone)
    expect(teacher.locator(".class-tally")).to_have_text("In all, 1 of 2 right")
    expect(phone.locator(".end-card")).to_contain_text("1 of 2 predicted right")
    teacher.get_by_role("link", name="Continue learning").click()
    expect(teacher.locator(".class-count")).to_have_text("1 following")
    assert code not in phone.url
    wait_for_same_step(teacher, phone)
