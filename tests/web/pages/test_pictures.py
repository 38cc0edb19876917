"""Pictures of runs: what a card shows is what the run did, in a page and alone."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

from kschedui import library
from kschedui.models import Run, Version
from kschedui.runs import cluster_drawing, frames, worker
from kschedui.runs import store as runs
from kschedui.runs.cluster_drawing import EVICTED, PLACED, RUNNING, SUBJECT, ClusterDrawing
from kschedui.scenarios import engine
from kschedui.scenarios import store as scenarios
from kschedui.web.pages import cards
from kschedui.web.pages.pictures import alone, inline, shapes
from kschedui.web.pages.pictures.moment import moment_of
from scheduler_core.trace.controller_events import PodFinished
from scheduler_core.trace.events import NodesFiltered, ObjectDeleted, PodBound
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser

PREEMPTION = scenario(
    node("n1", cpu=2), pod("low", cpu=1.5, node="n1"), pod("high", cpu=1, priority=1000), pod("huge", cpu=50)
)


def drawing_of(text: str) -> dict[str, object]:
    watched = ClusterDrawing()
    for event in engine.simulate(engine.read(text)):
        watched.take(event)
    return watched.drawing()


def test_a_picture_shows_who_was_placed_who_evicted_and_who_waits() -> None:
    drawing = drawing_of(PREEMPTION)
    assert drawing["nodes"] == [
        {"name": "n1", "cpu": 2000, "joined": False, "pods": [[1000, 1000, PLACED], [1500, 0, EVICTED]]}
    ]
    assert drawing["queue"] == [[1000, 0], [0, 1]]


def test_a_node_that_joins_is_drawn_as_such_and_one_that_leaves_is_not_drawn() -> None:
    late = {"at": 1.0, "create": node("n2", cpu=4)}
    gone = {"at": 2.0, "delete": {"kind": "Node", "name": "n1"}}
    drawing = drawing_of(scenario(node("n1", cpu=2), pod("a", cpu=3), events=[late, gone]))
    assert drawing["nodes"] == [{"name": "n2", "cpu": 4000, "joined": True, "pods": [[3000, 0, PLACED]]}]


def test_a_deleted_pod_leaves_the_picture() -> None:
    watched = ClusterDrawing()
    for event in engine.simulate(engine.read(scenario(node("n1"), pod("a", cpu=1, node="n1")))):
        watched.take(event)
    watched.take(ObjectDeleted(kind="Pod", name="a", namespace="default"))
    assert watched.drawing()["nodes"][0]["pods"] == []


def test_pods_that_have_ended_leave_the_picture() -> None:
    watched, bound = ClusterDrawing(), set()
    for event in engine.simulate(engine.read((library.FOLDER / "job-retries.yaml").read_text(encoding="utf-8"))):
        watched.take(event)
        match event:
            case PodBound():
                bound.add(event.pod)
            case PodFinished():
                bound.remove(event.pod)
                assert sum(len(one["pods"]) for one in watched.drawing()["nodes"]) == len(bound)
    assert not bound
    assert watched.drawing(subject="")["queue"] == []


def test_at_a_step_the_queue_has_who_waits_then_and_the_pod_that_it_is_about() -> None:
    watched = ClusterDrawing()
    for event in engine.simulate(engine.read(scenario(node("n1", cpu=1), pod("a", cpu=1), pod("b", cpu=1), pod("c")))):
        watched.take(event)
        if isinstance(event, PodBound):
            break
    assert watched.drawing(subject="default/b")["queue"] == [[0, 2], [0, 0]]
    watched.take(ObjectDeleted(kind="Pod", name="b", namespace="default"))
    assert watched.drawing(subject="")["queue"] == [[0, 0]]
    assert len(watched.drawing()["queue"]) == 3


def test_a_large_cluster_is_a_field_of_cells() -> None:
    many = [node(f"n{i}", cpu=1) for i in range(600)]
    drawing = drawing_of(scenario(*many, pod("a", cpu=1)))
    assert drawing["nodes"] == []
    assert len(drawing["cells"]) == cluster_drawing.CELLS
    assert drawing["cells"].count(str(PLACED)) == 1
    drawn = shapes.shapes(drawing)
    assert max(shape.x + shape.width for shape in drawn) <= shapes.WIDTH
    assert max(shape.y + shape.height for shape in drawn) <= shapes.HEIGHT


def test_an_empty_cluster_says_so() -> None:
    assert "no nodes" in inline.inline(drawing_of(scenario(pod("a", cpu=1))))


def test_what_has_not_run_is_drawn_as_it_begins() -> None:
    drawing = cluster_drawing.before_running(engine.summary(engine.read(PREEMPTION)))
    assert drawing["nodes"][0]["pods"] == [[1500, 0, RUNNING]]
    assert [waits for _, waits in drawing["queue"]] == [0, 0]


@pytest.mark.parametrize("text", [PREEMPTION, scenario(pod("a")), scenario(*(node(f"n{i}") for i in range(50)))])
def test_pictures_are_well_formed_and_bring_no_style_into_a_page(text: str) -> None:
    drawing = drawing_of(text)
    page = inline.inline(drawing)
    ElementTree.fromstring(page)
    assert not re.search(r"style=|fill=|stroke=", page)
    words = alone.PictureWords('A <title> & "more"', "<b>", "&")
    ElementTree.fromstring(alone.svg(drawing, words))
    assert alone.png(drawing, words).startswith(b"\x89PNG")


def test_cards_say_in_words_what_the_strip_draws(db: None, keep: Callable[..., Version]) -> None:
    run = runs.start_run(keep(PREEMPTION))
    worker.execute(run.public_id)
    scenario_ = scenarios.with_newest(type(run.version.scenario).objects.all()).get()
    card = cards.card(scenario_)
    assert card["outcome"] == "3 attempts, 1 pod bound, 1 evicted, 1 pending"
    assert card["strip"].count("<rect") == Run.objects.get().outcome["count"]
    assert 'class="nominated"' in card["strip"]


def test_a_card_shows_the_new_version_until_that_has_run(db: None, keep: Callable[..., Version]) -> None:
    version = keep(PREEMPTION)
    worker.execute(runs.start_run(version).public_id)
    scenarios.save(version.scenario, scenario(node("n1", cpu=8)))
    card = cards.card(scenarios.with_newest(type(version.scenario).objects.all()).get())
    assert "strip" not in card
    assert "gone" not in card["picture"]


def step_of(run: Run, kind: type, nth: int = 0) -> int:
    events = [event for frame in runs.all_frames(run) for event in frames.events_of(frame)]
    return [step for step, event in enumerate(events) if isinstance(event, kind)][nth]


def test_a_step_of_any_chunk_is_drawn_with_its_pod_and_its_sentence(many: Run) -> None:
    assert many.chunks > 2
    events = [event for frame in runs.all_frames(many) for event in frames.events_of(frame)]
    for step in (0, step_of(many, NodesFiltered), step_of(many, PodBound, -1), many.steps - 1):
        watched = ClusterDrawing()
        for event in events[: step + 1]:
            watched.take(event)
        moment = moment_of(many.public_id, step)
        assert moment is not None
        assert moment.drawing["total"] == watched.drawing()["total"]
        placed = [[pod[:2] for pod in one["pods"]] for one in moment.drawing["nodes"]]
        assert placed == [[pod[:2] for pod in one["pods"]] for one in watched.drawing()["nodes"]]
    bound = moment_of(many.public_id, step_of(many, PodBound, -1))
    assert bound is not None
    assert sum(pod[2] == SUBJECT for one in bound.drawing["nodes"] for pod in one["pods"]) == 1
    assert "is bound to" in bound.sentence


def test_a_link_to_a_step_shows_that_step_elsewhere(author: Browser, many: Run) -> None:
    page = f"/s/{many.version.scenario.public_id}/v/1/"
    step = step_of(many, PodBound)
    head = author.get(page, {"step": f"{step}.2", "kubernetes": "1.36", "other": "x"}).content.decode()
    (image,) = re.findall(r'og:image" content="([^"]+)"', head)
    assert image.endswith(f"{page}picture.png?step={step}.2&amp;kubernetes=1.36")
    at_step, at_end = (author.get(f"{page}picture.svg{query}").content for query in (f"?step={step}", ""))
    assert f"step {step} of {many.steps - 1}".encode() in at_step
    assert at_step != at_end
    assert author.get(image.replace("&amp;", "&")).content.startswith(b"\x89PNG")


def test_who_is_to_predict_is_not_told_by_the_link(author: Browser, many: Run) -> None:
    page = f"/s/{many.version.scenario.public_id}/v/1/"
    head = author.get(page, {"step": step_of(many, PodBound), "predict": "1"}).content.decode()
    assert re.findall(r'og:image" content="[^"]+(\?[^"]+)"', head) == ["?step=0"]


@pytest.mark.parametrize("step", ["99999999", "999999999", "0.0"])
def test_a_step_that_the_run_does_not_have_shows_its_end(author: Browser, many: Run, step: str) -> None:
    assert author.get(f"/s/{many.version.scenario.public_id}/v/1/picture.png", {"step": step}).status_code == 200


def test_long_words_keep_to_the_picture() -> None:
    drawing = drawing_of(
        scenario(*(node(f"gke-production-pool-{i}-0a1b2c3d-xyz{i}", cpu=1) for i in range(9)), pod("a"))
    )
    drawn = alone.svg(drawing, alone.PictureWords("title " * 40, "每个节点都不够用" * 40, "foot"))
    texts = [one.text or "" for one in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert max(len(text) for text in texts) <= 62
    assert sum("xyz" in text for text in texts) == 9
