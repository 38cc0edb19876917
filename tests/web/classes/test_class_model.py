"""A class shows everybody the same and loses nothing, for random actions of a teacher, three phones and the network."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from kschedui.classrooms import store
from kschedui.runs import worker
from kschedui.web.live import class_consumer, live_classes
from tests.web.classes.class_pages import LONG_MS, TEACHERS, Network, Pages
from tests.web.conftest import Browser

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js"),
]
EXAMPLES = int(os.environ.get("KSCHEDUI_CLASSES", "20"))  # `make test-classes` plays 600
LESSONS = ("first-pod", "flash-sale")
PHONES = ("a", "b", "c")
Action = tuple[str, ...]
PHASES = (Phase.explicit, Phase.generate, Phase.shrink)  # without the explanation, which would trace all threads

TEACHER = ("next", "next", "back", "to question", "to question", "reveal", "skip", "pause", "gather", "wait", "reload")
PHONE = ("answer 0", "answer 1", "look back", "look on", "cut", "mend", "reload", "join")
STEPS = st.lists(
    st.one_of(st.tuples(st.sampled_from(TEACHER)), st.tuples(st.sampled_from(PHONE), st.sampled_from(PHONES))),
    min_size=5,
    max_size=40,
)


@pytest.fixture(scope="module", params=LESSONS)
def pages(request: pytest.FixtureRequest) -> Iterator[Pages]:
    made = Pages(request.param)
    yield made
    made.stop()


@pytest.fixture
def saved(author: Browser, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return a saved scenario with a complete run; the server's delays are removed."""
    monkeypatch.setattr(class_consumer, "SHOW_SECONDS", 0.0)
    monkeypatch.setattr(class_consumer, "BURST", 1e9)
    monkeypatch.setattr(live_classes.LiveClass, "pause_seconds", 0.0)
    made = author.save()
    worker.execute(made["run"])
    return made


class Model:
    """A model of a class: the teacher's position, the questions and the answers. Positions are (step, frame)."""

    def __init__(self, walk: dict[str, Any]) -> None:
        self.places = [tuple(place) for place in walk["places"]]
        self.questions = [
            {**one, **{name: tuple(one[name]) for name in ("before", "from", "shown")}} for one in walk["questions"]
        ]
        self.at = self.since = self.places[0]
        self.open: dict[str, Any] | None = None
        self.warned = False
        self.counts: dict[str, list[int]] = {}  # of revealed questions
        self.skipped: set[str] = set()
        self.answers: dict[str, dict[str, int]] = {one["id"]: {} for one in self.questions}
        self.paused = False
        self.phones: set[str] = set()  # the connected ones

    @property
    def asked(self) -> str:
        return self.open["id"] if self.open else ""

    @property
    def shown_counts(self) -> list[int] | None:
        """Return the counts of the open question, or of the last one whose answer is shown, or None without counts."""
        if self.open:
            return self.counts.get(self.asked)
        step, frame = self.at
        shown = [one for one in self.questions if one["shown"][0] == step and one["shown"][1] <= frame]
        return next((self.counts[one["id"]] for one in reversed(shown) if one["id"] in self.counts), None)

    def next(self) -> None:
        if self.open:
            return self.advance()
        after = self.places.index(self.at) + 1
        if after == len(self.places):
            return
        settled = self.counts.keys() | self.skipped
        ahead = next((one for one in self.questions if one["id"] not in settled and one["from"] > self.since), None)
        if ahead and self.places[after] >= ahead["from"]:
            self.at, self.open, self.warned = ahead["before"], ahead, False
        else:
            self.at = self.places[after]

    def advance(self) -> None:
        """Handle the key for the next step while a question is open."""
        if self.asked in self.counts:
            self.wait()
        elif self.warned or len(self.answers[self.asked]) >= len(self.phones):
            self.reveal()
        else:
            self.warned = True

    def reveal(self) -> None:
        if self.open and self.asked not in self.counts:
            choices = list(self.answers[self.asked].values())
            self.counts[self.asked] = [choices.count(n) for n in range(self.open["choices"])]

    def answer(self, question: str, phone: str, choice: int) -> None:
        """Record an answer.

        The last missing answer reveals the question, if the teacher has already tried to reveal it.
        """
        answers = self.answers[question]
        is_new = phone not in answers
        answers[phone] = choice
        if is_new and self.warned and len(answers) >= len(self.phones):
            self.reveal()

    def wait(self) -> None:
        """Continue to the answer of a revealed question, which plays by itself."""
        if self.open and self.asked in self.counts:
            self.at, self.open = self.open["shown"], None

    def back(self) -> None:
        before = self.places.index(self.at) - 1
        if before >= 0:
            self.at, self.open = self.places[before], None

    def skip(self) -> None:
        if self.open and self.asked not in self.counts:
            self.skipped.add(self.asked)
            self.at, self.open = self.open["from"], None

    def reload(self) -> None:
        """Reload the teacher's page, which forgets skipped and earlier questions."""
        self.skipped.clear()
        self.since, self.warned = self.at, False


class Play:
    """Each action is done to the pages and to the model, and their states are compared."""

    def __init__(self, pages: Pages, network: Network) -> None:
        self.pages, self.network = pages, network
        self.model = Model(pages.walk)
        self.unsent: dict[str, tuple[str, int]] = {}  # phone -> (question, choice) given without a connection

    async def begin(self) -> None:
        await self.network.load("teacher")
        await self.network.settle()
        for phone in PHONES[:2]:
            await self.do(("join", phone))

    async def do(self, action: Action) -> None:
        name, *phone = action
        if phone and (name == "join") == (phone[0] in self.pages.shown):
            return
        if name == "to question":
            while not self.model.open and self.model.at != self.model.places[-1]:
                await self.do(("next",))
            return
        self.before = self.model.asked, self.pages.shown
        await (self.phone(name, phone[0]) if phone else self.teach(name))
        await self.network.settle()
        self.compare(action)

    async def teach(self, name: str) -> None:
        if name in ("next", "back"):
            self.pages.call("press", page="teacher", key={"next": "PageDown", "back": "ArrowLeft"}[name])
        elif name == "wait":
            self.pages.call("pass", ms=LONG_MS)
        elif name == "reload":
            await self.network.load("teacher")
        elif name == "pause":
            self.model.paused = not self.model.paused
            self.pages.call("do", page="teacher", what="pause")
        elif name == "gather":
            self.pages.call("do", page="teacher", what="gather")
        elif self.model.open and self.model.asked not in self.model.counts:
            self.pages.call("do", page="teacher", what=name)
        getattr(self.model, name, lambda: None)()

    async def phone(self, name: str, phone: str) -> None:
        model, network = self.model, self.network
        if name.startswith("answer"):
            self.answer(phone, int(name[-1]))
        elif name.startswith("look"):
            self.pages.call("press", page=phone, key={"look back": "ArrowLeft", "look on": "ArrowRight"}[name])
        elif name == "cut" and phone not in network.cut:
            await network.cut_off(phone)
            model.phones.discard(phone)
        elif name == "mend" and phone in network.cut:
            await network.mend(phone)
            model.wait()  # it takes its time
            self.heard(phone)
        elif name == "join" or (name == "reload" and phone not in network.cut):
            await network.load(phone)
            model.phones.add(phone)

    def answer(self, phone: str, choice: int) -> None:
        shown = self.pages.shown[phone]
        if not shown["asked"] or shown["closed"]:
            return
        self.pages.call("press", page=phone, key=str(choice + 1))
        if phone in self.network.cut:
            self.unsent[phone] = shown["asked"], choice
        else:
            self.model.answer(shown["asked"], phone, choice)

    def heard(self, phone: str) -> None:
        """Count an answer that a phone gave without a connection, if its question is still open."""
        self.model.phones.add(phone)
        question, choice = self.unsent.pop(phone, ("", 0))
        if question and question == self.model.asked and question not in self.model.counts:
            self.model.answer(question, phone, choice)

    def compare(self, action: Action) -> None:
        model, screens = self.model, self.pages.shown
        expected = {
            "place": list(model.at),
            "asked": model.asked,
            "counts": model.shown_counts,
            "paused": model.paused,
            "ended": False,
        }
        assert {name: screens["teacher"][name] for name in expected} == expected, action
        assert screens["teacher"]["students"] == len(model.phones)
        for phone in model.phones:
            shown = screens[phone]
            assert shown["paused"] == model.paused, (action, phone)
            if model.asked and shown["asked"]:
                assert shown["picked"] == model.answers[model.asked].get(phone), (action, phone)
            if shown["follows"]:
                assert {name: shown[name] for name in expected} == expected, (action, phone)
            asked, places = self.before
            is_new = model.asked and model.asked != asked and not model.shown_counts
            if is_new or action in (("gather",), ("reload", phone), ("join", phone)):
                assert shown["follows"], (action, phone)
            if action == ("look on", phone) and (model.paused or (model.asked and not model.shown_counts)):
                assert shown["place"] <= max(list(model.at), places[phone]["place"]), (action, phone)

    async def finish(self) -> None:
        """Reconnect everybody, then end the class."""
        for phone in sorted(self.network.cut):
            await self.do(("mend", phone))
        await self.do(("gather",))
        await self.network.end()
        assert all(shown["ended"] for shown in self.pages.shown.values())


@example(actions=[("next",)] * 40)
@given(actions=STEPS)
@settings(max_examples=EXAMPLES, phases=PHASES)
def play_steps(actions: list[Action], *, pages: Pages, author: Browser, saved: dict[str, Any]) -> None:
    network = Network(pages, author, saved)

    async def whole() -> None:
        play = Play(pages, network)
        try:
            await play.begin()
            for action in actions:
                await play.do(action)
            await play.finish()
        finally:
            await network.leave()

    async_to_sync(whole)()


def test_each_step_of_a_class_shows_everybody_what_the_model_says(
    pages: Pages, author: Browser, saved: dict[str, Any]
) -> None:
    play_steps(pages=pages, author=author, saved=saved)


# --- Without waiting for each other ------------------------------------------------------------------------------

HURRY = st.lists(
    st.one_of(
        st.tuples(st.sampled_from([name for name in TEACHER if name != "reload"]), st.sampled_from(TEACHERS)),
        st.tuples(st.sampled_from(["answer 0", "answer 1", "look back", "look on"]), st.sampled_from(PHONES)),
        st.tuples(
            st.sampled_from(["cut", "slow", "mend", "mend", "reload", "late"]), st.sampled_from((*TEACHERS, *PHONES))
        ),
        st.tuples(st.just("carry"), st.just("")),
        st.tuples(st.just("settle"), st.just("")),
    ),
    min_size=5,
    max_size=50,
)


async def hurry(network: Network, action: str, page: str) -> None:
    """Do an action without waiting for the effects of earlier ones, except "settle", which waits for all."""
    pages = network.pages
    if action == "settle":
        await network.settle()
    elif action == "carry":
        await network.carry()
        await asyncio.sleep(0)
    elif action in ("reload", "late") and page not in network.cut:
        await network.load(page, known=0 if action == "late" else 1000)
    elif page not in pages.shown:
        return
    elif action == "to question":
        for _ in range(100):
            if not pages.shown[page]["asked"]:
                pages.call("press", page=page, key="ArrowRight")
    elif action in ("next", "back", "look on", "look back"):
        pages.call("press", page=page, key="ArrowRight" if action in ("next", "look on") else "ArrowLeft")
    elif action.startswith("answer"):
        pages.call("press", page=page, key=str(int(action[-1]) + 1))
    elif action == "wait":
        pages.call("pass", ms=LONG_MS)
    elif action == "cut" and page not in network.cut:
        await network.cut_off(page)
    elif action == "slow" and page not in network.cut:
        network.slow.setdefault(page, [])
    elif action == "mend":
        await network.mend(page)
    elif action in ("reveal", "skip", "pause", "gather"):
        pages.call("do", page=page, what=action)


async def agree(network: Network, called: str) -> None:
    """Reconnect everybody. Assert that followers show the same, and after "Bring back" everybody the server's state.

    `called`: before "Bring back", the teacher's page is left as it is ("here"), reloaded ("loaded"), or reloaded so
    that the run arrives after the class ("late").
    """
    pages = network.pages
    for page in list(pages.shown):
        pages.call("arrive", page=page)
        await network.mend(page)
    await network.settle()
    pages.call("pass", ms=LONG_MS)
    await network.settle()
    assert_alike([shown for shown in pages.shown.values() if shown["follows"]])
    if called != "here":
        await network.load("teacher", known=0 if called == "late" else 1000)
    pages.call("do", page="teacher", what="gather")
    await network.settle()
    pages.call("arrive", page="teacher")
    await network.settle()
    assert_alike(list(pages.shown.values()))
    shown = pages.shown["teacher"]
    board = await sync_to_async(store.board)(network.pk)
    assert [board.place["step"], board.place["frame"]] == shown["place"]
    assert board.asked.get("counts") == shown["counts"]
    assert board.asked.get("id", "") == shown["asked"] or shown["counts"]
    for phone in network.students:
        kept = await sync_to_async(store.answers_of)(network.pk, network.student_of(phone))
        assert not shown["asked"] or pages.shown[phone]["picked"] == kept.get(board.asked.get("id", ""))


def assert_alike(shown: list[dict[str, Any]]) -> None:
    """Assert that these pages show the same."""
    names = ("place", "asked", "counts", "paused", "ended")
    alike = [{name: page[name] for name in names} for page in shown]
    assert all(page == alike[0] for page in alike), alike


@given(actions=HURRY, called=st.sampled_from(["here", "loaded", "late"]))
@settings(max_examples=EXAMPLES, phases=PHASES)
def play_in_a_hurry(
    actions: list[Action], called: str, *, pages: Pages, author: Browser, saved: dict[str, Any]
) -> None:
    network = Network(pages, author, saved)

    async def whole() -> None:
        try:
            for page in ("teacher", *PHONES):
                await network.load(page)
            await network.settle()
            for action in actions:
                await hurry(network, *action)
            await agree(network, called)
        finally:
            await network.leave()

    async_to_sync(whole)()


def test_a_class_that_nobody_waits_in_agrees_in_the_end(pages: Pages, author: Browser, saved: dict[str, Any]) -> None:
    play_in_a_hurry(pages=pages, author=author, saved=saved)


# --- A press is not lost ------------------------------------------------------------------------------------------

MEANWHILE = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["pause", "gather"]), st.sampled_from(TEACHERS)),
        st.tuples(st.sampled_from(["answer 0", "answer 1"]), st.sampled_from(PHONES)),
        st.tuples(st.sampled_from(["cut", "slow", "mend"]), st.sampled_from((*TEACHERS, *PHONES))),
        st.tuples(st.just("carry"), st.just("")),
    ),
    max_size=8,
)


@example(meanwhile=[[("cut", "teacher")], [("pause", "window"), ("carry", "")], []], presses=2)
@example(meanwhile=[[("slow", "teacher"), ("answer 0", "a"), ("answer 0", "b"), ("answer 0", "c")], [], []], presses=1)
@given(meanwhile=st.lists(MEANWHILE, min_size=3, max_size=3), presses=st.sampled_from([1, 2]))
@settings(max_examples=EXAMPLES, phases=PHASES)
def play_presses(
    meanwhile: list[list[Action]], presses: int, *, pages: Pages, author: Browser, saved: dict[str, Any]
) -> None:
    network = Network(pages, author, saved)

    async def whole() -> None:
        try:
            for page in ("teacher", "window", *PHONES):
                await network.load(page)
            await network.settle()
            await hurry(network, "to question", "teacher")
            await network.settle()
            question = pages.shown["teacher"]["asked"]
            assert question
            for number, actions in enumerate(meanwhile):
                for action in actions:
                    await hurry(network, *action)
                if number < presses:
                    await hurry(network, "next", "teacher")
            for page in pages.shown:
                await network.mend(page)
            await network.settle()
            for phone in PHONES if presses == 1 else ():
                await hurry(network, "answer 0", phone)
            await network.settle()
            board = await sync_to_async(store.board)(network.pk)
            assert board.revealed == [question]
        finally:
            await network.leave()

    async_to_sync(whole)()


def test_a_question_is_revealed_by_two_presses_and_by_one_once_everybody_has_answered(
    pages: Pages, author: Browser, saved: dict[str, Any]
) -> None:
    play_presses(pages=pages, author=author, saved=saved)
