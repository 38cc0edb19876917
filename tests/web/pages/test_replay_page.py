"""The decisions of a recorded cluster next to the simulated ones."""

import pytest

from kschedui.models import Chunk, Run
from kschedui.runs import frames, worker
from scheduler_core import encode
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser


@pytest.fixture
def page(author: Browser) -> str:
    """Return the address of the replay of four decisions.

    They are one from before the recording, an equal one, another node, and a failure although a node fits.
    """
    observed = [
        {"at": 0, "pod": "default/early", "node": "small", "note": "the decision was made before the recording began"},
        {"at": 1, "pod": "default/same", "node": "large"},
        {"at": 2, "pod": "default/other", "node": "small"},
        {"at": 3, "pod": "default/none", "message": "0/2 nodes are available: 2 Insufficient cpu."},
    ]
    pods = [pod("early", cpu=1, node_name="small"), *(pod(name, cpu=1) for name in ("same", "other", "none"))]
    text = scenario(node("small", cpu=4), node("large", cpu=16), *pods, observed=observed)
    saved = author.save(text)
    worker.execute(Run.objects.get().public_id)
    return f"/s/{saved['id']}/v/1/replay/"


def test_every_decision_has_its_verdict_and_those_that_differ_come_first(author: Browser, page: str) -> None:
    context = author.get(page).context
    rows = [(row["pod"], row["verdict"]) for row in context["rows"]]
    assert rows == [
        ("default/other", "different"),
        ("default/none", "different"),
        ("default/early", "unknowable"),
        ("default/same", "equal"),
    ]
    assert "points less here than large" in context["rows"][0]["reason"]
    assert context["rows"][1]["reason"] == "The cluster found no node. Here, large fits."


def test_the_summary_counts_what_can_be_compared(author: Browser, page: str) -> None:
    answer = author.get(page)
    assert (answer.context["agreeing"], answer.context["comparable"], answer.context["all"]) == (1, 3, 4)
    assert [number for _, number in answer.context["unknown"]] == [1]
    assert "1 of 3 comparable decisions are the same here" in answer.content.decode()
    assert "scored bindings" in answer.content.decode()
    assert "kube-scheduler 1.36" in answer.content.decode()


def test_one_verdict_is_chosen_and_another_word_shows_all(author: Browser, page: str) -> None:
    assert [row["pod"] for row in author.get(f"{page}?verdict=equal").context["rows"]] == ["default/same"]
    assert len(author.get(f"{page}?verdict=nonsense").context["rows"]) == 4


def test_a_row_opens_the_step_that_compares(author: Browser, page: str) -> None:
    row = author.get(page).context["rows"][0]
    step = int(row["url"].split("#")[1])
    event = encode(list(frames.events_of(Chunk.objects.get(seq=0).frame))[step])
    assert b'"DecisionObserved"' in event
    assert b'"default/other"' in event


def test_the_player_links_to_the_replay(author: Browser, page: str) -> None:
    assert page.encode() in author.get(page.removesuffix("replay/")).content


def test_a_scenario_that_is_no_recording_says_so(author: Browser) -> None:
    saved = author.save(scenario(node("n1", cpu=4), pod("a", cpu=1)))
    worker.execute(Run.objects.get().public_id)
    answer = author.get(f"/s/{saved['id']}/v/1/replay/")
    assert answer.status_code == 404
    assert "This scenario is not a recording" in answer.content.decode()
