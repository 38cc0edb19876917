"""Pictures of runs: what a card shows is what the run did, in a page and alone."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

from kschedui.models import Run, Version
from kschedui.runs import ending, worker
from kschedui.runs import store as runs
from kschedui.runs.ending import EVICTED, PLACED, RUNNING, Ending
from kschedui.scenarios import engine
from kschedui.scenarios import store as scenarios
from kschedui.web.pages import cards, picture
from scheduler_core.trace.events import ObjectDeleted
from tests.builders import node, pod, scenario

PREEMPTION = scenario(
    node("n1", cpu=2), pod("low", cpu=1.5, node="n1"), pod("high", cpu=1, priority=1000), pod("huge", cpu=50)
)


def drawing_of(text: str) -> dict[str, object]:
    watched = Ending()
    for event in engine.simulate(engine.read(text)):
        watched.take(event)
    return watched.drawing()


def test_a_picture_shows_who_was_placed_who_evicted_and_who_waits() -> None:
    drawing = drawing_of(PREEMPTION)
    assert drawing["nodes"] == [{"cpu": 2000, "joined": False, "pods": [[1000, 1000, PLACED], [1500, 0, EVICTED]]}]
    assert drawing["queue"] == [[1000, 0], [0, 1]]


def test_a_node_that_joins_is_drawn_as_such_and_one_that_leaves_is_not_drawn() -> None:
    late = {"at": 1.0, "create": node("n2", cpu=4)}
    gone = {"at": 2.0, "delete": {"kind": "Node", "name": "n1"}}
    drawing = drawing_of(scenario(node("n1", cpu=2), pod("a", cpu=3), events=[late, gone]))
    assert drawing["nodes"] == [{"cpu": 4000, "joined": True, "pods": [[3000, 0, PLACED]]}]


def test_a_deleted_pod_leaves_the_picture() -> None:
    watched = Ending()
    for event in engine.simulate(engine.read(scenario(node("n1"), pod("a", cpu=1, node="n1")))):
        watched.take(event)
    watched.take(ObjectDeleted(kind="Pod", name="a", namespace="default"))
    assert watched.drawing()["nodes"][0]["pods"] == []


def test_a_large_cluster_is_a_field_of_cells() -> None:
    many = [node(f"n{i}", cpu=1) for i in range(600)]
    drawing = drawing_of(scenario(*many, pod("a", cpu=1)))
    assert drawing["nodes"] == []
    assert len(drawing["cells"]) == ending.CELLS
    assert drawing["cells"].count(str(PLACED)) == 1
    shapes = picture.shapes(drawing)
    assert max(shape.x + shape.width for shape in shapes) <= picture.WIDTH
    assert max(shape.y + shape.height for shape in shapes) <= picture.HEIGHT


def test_an_empty_cluster_says_so() -> None:
    assert "no nodes" in picture.inline(drawing_of(scenario(pod("a", cpu=1))))


def test_what_has_not_run_is_drawn_as_it_begins() -> None:
    drawing = ending.before_running(engine.summary(engine.read(PREEMPTION)))
    assert drawing["nodes"][0]["pods"] == [[1500, 0, RUNNING]]
    assert [waits for _, waits in drawing["queue"]] == [0, 0]


@pytest.mark.parametrize("text", [PREEMPTION, scenario(pod("a")), scenario(*(node(f"n{i}") for i in range(50)))])
def test_pictures_are_well_formed_and_bring_no_style_into_a_page(text: str) -> None:
    drawing = drawing_of(text)
    page = picture.inline(drawing)
    ElementTree.fromstring(page)
    assert not re.search(r"style=|fill=|stroke=", page)
    ElementTree.fromstring(picture.svg(drawing, 'A <title> & "more"'))
    assert picture.png(drawing).startswith(b"\x89PNG")


def test_cards_say_in_words_what_the_strip_draws(db: None, keep: Callable[..., Version]) -> None:
    run = runs.start_run(keep(PREEMPTION))
    worker.execute(run.public_id)
    scenario_ = scenarios.with_newest(type(run.version.scenario).objects.all()).get()
    card = cards.card(scenario_)
    assert card["outcome"] == "3 attempts, 1 pod placed, 1 evicted, 1 left waiting"
    assert card["strip"].count("<rect") == Run.objects.get().outcome["count"]
    assert 'class="nominated"' in card["strip"]


def test_a_card_shows_the_new_version_until_that_has_run(db: None, keep: Callable[..., Version]) -> None:
    version = keep(PREEMPTION)
    worker.execute(runs.start_run(version).public_id)
    scenarios.save(version.scenario, scenario(node("n1", cpu=8)))
    card = cards.card(scenarios.with_newest(type(version.scenario).objects.all()).get())
    assert "strip" not in card
    assert "gone" not in card["picture"]
