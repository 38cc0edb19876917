"""A class in Chromium: after random actions of the teacher, the phones and the network, all pages show the same.

`tests/web/classes/test_class_model.py` tries far more sequences without a browser. These tests are for keys, buttons,
reloaded pages and lost connections.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from kschedui.supervisor.stack import Stack
from tests.conftest import PATIENCE_MS
from tests.e2e.player_page import wait_until_drawn
from tests.e2e.test_class import PHONE, join, press

EXAMPLES = 6
SHOWN = """() => {
  const player = document.getElementById("player"), text = (one) => one.textContent.trim();
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    link: player.dataset.ready ?? "",
    asked: player.dataset.asked ?? "",
    sentence: text(document.querySelector("#caption h1")),
    answers: all("#predict .answer").length,
    counts: all("#histogram b").map(text),
    paused: Boolean(document.querySelector("#class-bar [aria-pressed=true].pause-class, #class-bar .is-paused")),
    over: all("#class-bar p").some((one) => /is over/.test(one.textContent)),
  };
}"""

ACTIONS = st.lists(
    st.one_of(
        st.just(("next",)),
        st.just(("next",)),
        st.just(("back",)),
        st.just(("reveal",)),
        st.just(("skip",)),
        st.just(("pause",)),
        st.just(("gather",)),
        st.just(("join",)),
        st.just(("reload teacher",)),
        st.tuples(st.just("answer"), st.integers(0, 2), st.integers(0, 3)),
        st.tuples(st.just("look back"), st.integers(0, 2)),
        st.tuples(st.just("reload"), st.integers(0, 2)),
        st.tuples(st.just("cut"), st.integers(0, 2)),
        st.tuples(st.just("mend"), st.integers(0, 2)),
    ),
    min_size=6,
    max_size=25,
)


class Class:
    """A class with a teacher's page, and two or three phones."""

    def __init__(self, browser: Browser, stack: Stack, scenario: str) -> None:
        self.browser, self.stack = browser, stack
        self.contexts: list[Any] = []
        self.teacher = self.page(phone=False)
        self.teacher.goto(f"/library/{scenario}")
        wait_until_drawn(self.teacher)
        press(self.teacher, "s")
        self.teacher.locator("dialog[open] .share-class button").click()
        self.code = self.teacher.locator(".class-code-letters").inner_text()
        self.teacher.locator("#class-code button").click()
        self.phones: list[Page] = []
        self.cut: set[Page] = set()
        self.join()
        self.join()

    def page(self, *, phone: bool) -> Page:
        size = PHONE if phone else {"width": 1280, "height": 720}
        context = self.browser.new_context(base_url=self.stack.url, viewport=size, has_touch=phone)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        self.contexts.append(context)
        return context.new_page()

    def do(self, action: tuple[Any, ...]) -> None:
        name, *more = action
        if name in ("next", "back"):
            press(self.teacher, {"next": "ArrowRight", "back": "ArrowLeft"}[name])
        elif name in ("reveal", "skip", "pause", "gather"):
            buttons = self.teacher.locator("#class-bar button, .predict-go button").filter(has_text=NAMES[name])
            buttons.evaluate_all("(found) => found[0]?.click()")  # at once: the next drawing may remove it
        elif name == "join":
            self.join()
        elif name == "reload teacher":
            self.teacher.reload()
            wait_until_drawn(self.teacher)
        else:
            PHONE_ACTIONS[name](self, self.phones[more[0] % len(self.phones)], *more[1:])

    def join(self) -> None:
        if len(self.phones) < 3:
            self.phones.append(self.page(phone=True))
            join(self.phones[-1], self.code)

    def answer(self, phone: Page, choice: int) -> None:
        press(phone, str(choice + 1))

    def look_back(self, phone: Page) -> None:
        press(phone, "ArrowLeft")

    def reload(self, phone: Page) -> None:
        if phone not in self.cut:
            phone.reload()
            wait_until_drawn(phone)

    def cut_off(self, phone: Page) -> None:
        """Take a phone offline."""
        phone.context.set_offline(True)
        self.cut.add(phone)

    def mend(self, phone: Page) -> None:
        phone.context.set_offline(False)
        self.cut.discard(phone)

    def settle(self) -> None:
        """Reconnect the phones, bring all students back, and wait until all pages show the same."""
        for phone in list(self.cut):
            self.mend(phone)
        self.do(("gather",))
        last: list[dict[str, Any]] = []
        for _ in range(PATIENCE_MS // 50):
            last = [page.evaluate(SHOWN) for page in (self.teacher, *self.phones)]
            if last[0]["link"] and all(one == last[0] for one in last):
                return
            self.teacher.wait_for_timeout(50)
        raise AssertionError("\n".join(map(str, last)))

    def close(self) -> None:
        for context in self.contexts:
            context.close()


NAMES = {"reveal": "Reveal", "skip": "Skip", "pause": "No looking ahead", "gather": "Bring back"}
PHONE_ACTIONS: dict[str, Callable[..., None]] = {
    "answer": Class.answer,
    "look back": Class.look_back,
    "reload": Class.reload,
    "cut": Class.cut_off,
    "mend": Class.mend,
}


@pytest.mark.parametrize("scenario", ["first-pod/?predict=1"])
def test_all_pages_show_the_same_after_any_actions(browser: Browser, live_stack: Stack, scenario: str) -> None:
    @settings(max_examples=EXAMPLES, phases=[Phase.generate])  # to shrink a failure takes many minutes
    @given(ACTIONS)
    def play(actions: list[tuple[Any, ...]]) -> None:
        lesson = Class(browser, live_stack, scenario)
        try:
            for action in actions:
                lesson.do(action)
            lesson.settle()
        finally:
            lesson.close()

    play()


def test_a_question_right_after_a_revealed_one_is_asked(browser: Browser, live_stack: Stack) -> None:
    lesson = Class(browser, live_stack, "first-pod/?predict=1")
    asked = []
    for _ in range(7):
        lesson.do(("next",))
        lesson.settle()
        asked.append(lesson.teacher.evaluate("document.getElementById('player').dataset.asked"))
        for phone in lesson.phones:
            lesson.answer(phone, 0)
        lesson.settle()
        lesson.do(("reveal",))
        lesson.settle()
    lesson.close()
    assert len({*asked} - {""}) == 2, asked
