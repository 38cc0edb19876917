"""Every question about an attempt of a lesson, a difference of releases or a group is answered, or refused with a
sentence.

Readers never see another exception. The first attempt of each outcome is tested here; `make test-asking` tests all of
them.
"""

import json
import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kschedui.ask import moments
from kschedui.ask.moments import AT_END, Name
from kschedui.scenarios import engine, release_examples
from kschedui.web.api import jobs
from kschedui.web.api.jobs import Refused
from kschedui.web.api.routes.what_if import jobs as asking
from scheduler_core import RunEnded
from scheduler_core.ask.compare import attempts
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Scenario
from scheduler_core.trace.events import AnyEvent
from tests.conftest import ROOT
from tests.sampling import rest_slow

pytestmark = pytest.mark.django_db  # a long text may be stored parsed

ALL = "KSCHEDUI_ASK_ALL" in os.environ
EVERY = 1 if ALL else 3
FOLDERS = {"lessons": 1, "differences": EVERY}  # folder -> one file in so many is tested
LONG = "device_search_that_times_out"  # each question about it searches up to the scheduler's limit
FILES = [
    *(
        path
        for name in FOLDERS
        for path in sorted((ROOT / "kschedui/scenarios" / name).glob("*.yaml"))[:: FOLDERS[name]]
        if ALL or not path.stem.startswith(LONG)
    ),
    *sorted((ROOT / "tests/conformance/gang").glob("*.yaml"))[::EVERY],
]
MAX_PIECES = 200 if ALL else 1  # of a search for the smallest change
LARGE = 300  # nodes, and pods, beyond which one attempt is enough here


def text_in(path: Path) -> str:
    """Return the text of a scenario; that of a difference is for the first release that has it."""
    if path.parent.name != "differences":
        return path.read_text()
    name, _, older = path.stem.rpartition("-")
    order = list(RELEASES)
    return release_examples.text_of(name, older, order[order.index(older) + 1])


def asked_about(scenario: Scenario) -> list[tuple[int, str]]:
    """Return (attempt, pod) of the attempts to test: all, or the first of each outcome; one in a large scenario."""
    found: dict[Any, tuple[int, str]] = {}
    for one in attempts(events_of(scenario)):
        found.setdefault(one.attempt if ALL else (one.outcome, bool(one.nominated)), (one.attempt, one.pod))
    few = len(scenario.objects) + len(scenario.events) > LARGE and not ALL
    return list(found.values())[: 1 if few else None]


def events_of(scenario: Scenario) -> Iterator[AnyEvent]:
    """Yield the events up to the end of the run, or to a limit."""
    try:
        yield from engine.simulate(scenario)
    except RunEnded:
        return


def answered(work: Callable[[], Any]) -> Any:
    """Return the answer, or None if it is refused with a sentence. Other exceptions fail the test."""
    said = ""
    try:
        return work()
    except Refused as refused:
        said = refused.rows[0]["message"]
    assert said, "a refusal has a sentence"
    return None


@pytest.mark.parametrize("path", rest_slow(4, FILES), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_question_about_an_attempt_has_an_answer_or_a_sentence(path: Path) -> None:
    text = text_in(path)
    scenario = engine.read(text)
    sha = sha256(text.encode()).hexdigest()
    for attempt, pod in asked_about(scenario):
        ask(Name(sha, "", attempt), text, pod)
    end = Name(sha, "", AT_END)
    for pod in (answered(lambda: json.loads(asking.pods(end, text) or "[]")) or [])[:2]:
        answered(lambda: asking.how_many(end, text, pod, 3))  # noqa: B023


def ask(name: Name, text: str, pod: str) -> None:
    namespace, _, short = pod.partition("/")
    of_pod = {"type": "set", "kind": "Pod", "namespace": namespace, "name": short}
    edits = [{**of_pod, "path": ["spec", "priority"], "value": 7}, {"type": "strategy", "strategy": "MostAllocated"}]
    answered(lambda: asking.about(name, text))
    answered(lambda: asking.what_if(name, text, edits))
    for _ in range(MAX_PIECES):
        found = answered(lambda: json.loads(asking.smallest(name, text) or "{}"))
        if found is None or found["done"] >= found["pieces"]:
            break
    explained = answered(lambda: jobs.explain(text, name.attempt, [], ""))
    if explained is not None:
        scored = moments.find_moment(name, text).moment.decision.record["totals"]
        for node in list(scored)[:1]:
            answered(lambda: asking.weights(name, text, node))  # noqa: B023


@pytest.mark.parametrize("path", rest_slow(4, FILES[::EVERY]), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_run_is_compared_with_itself_on_another_release(path: Path) -> None:
    text = text_in(path)
    older = "1.34" if engine.read(text).release.version == "1.36" else "1.36"
    answered(lambda: jobs.compare_runs((text, ""), (text, older)))
