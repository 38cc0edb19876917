"""The page that compares two runs: where they diverge, why, which pods moved; and access to it."""

import pytest
from django.test import Client

from kschedui.models import Scenario
from kschedui.scenarios import store
from kschedui.scenarios.access import Visitor
from kschedui.web.pages.analysis.experiments import NAMES
from scheduler_core.ask.measures import Measures
from tests.builders import node, pod, scenario
from tests.conftest import ROOT

NODES = (node("n1"), node("n2"))


def save_text(text: str) -> str:
    """Save a text, and return its part of the address."""
    made = store.create(Visitor(), text)
    return f"{made.scenario.public_id}/{made.number}"


def page(before: str, after: str, **headers: str) -> str:
    answer = Client().get(f"/compare/{save_text(before)}/{save_text(after)}/", headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.django_db
def test_the_first_decision_that_differs_is_shown_with_its_cause_and_its_steps() -> None:
    cordoned = (node("n1", unschedulable=True), node("n2"))
    found = page(scenario(*NODES, pod("web", cpu=1)), scenario(*cordoned, pod("web", cpu=1)))
    assert "The second run rejects n1: NodeUnschedulable: node(s) were unschedulable" in found
    assert "1 attempt differs." in found
    assert "1 pod ends up elsewhere" in found
    assert "First run: <b>n1</b>" in found
    assert "Second run: <b>n2</b>" in found
    assert '"first": 0' in found


@pytest.mark.django_db
def test_runs_that_are_the_same_are_said_to_be() -> None:
    text = scenario(*NODES, pod("web", cpu=1))
    assert "All decisions are the same in both runs." in page(text, text)


@pytest.mark.django_db
def test_the_cause_comes_in_the_readers_language() -> None:
    cordoned = (node("n1", unschedulable=True), node("n2"))
    texts = scenario(*NODES, pod("web", cpu=1)), scenario(*cordoned, pod("web", cpu=1))
    assert "第二次运行拒绝了 n1" in page(*texts, accept_language="zh-hans")


@pytest.mark.django_db
def test_a_private_scenario_is_compared_for_its_owner_alone() -> None:
    first, second = save_text(scenario(*NODES)), save_text(scenario(*NODES))
    Scenario.objects.filter(public_id=second.partition("/")[0]).update(visibility=Scenario.Visibility.PRIVATE)
    assert Client().get(f"/compare/{first}/{second}/").status_code == 403
    assert Client().get(f"/compare/{first}/{first.partition('/')[0]}/9/").status_code == 404


@pytest.mark.django_db
def test_the_page_of_two_texts_leads_to_their_runs() -> None:
    made = store.create(Visitor(), scenario(*NODES))
    store.save(made.scenario, scenario(*NODES, pod("web")))
    sid = made.scenario.public_id
    assert f"/compare/{sid}/1/{sid}/2/" in Client().get(f"/s/{sid}/diff/1/2/").content.decode()


@pytest.mark.django_db
def test_a_side_may_be_on_another_release() -> None:
    path = save_text(scenario(*NODES, pod("web", cpu=1)))
    answer = Client().get(f"/compare/{path}/{path}/?first=1.34")
    found = answer.content.decode()
    assert '<option value="1.34" selected>1.34</option>' in found
    assert "kubernetes=1.34" in found
    assert Client().get(f"/compare/{path}/{path}/?second=0.9").status_code == 404


@pytest.mark.django_db
def test_another_seed_for_a_side_is_a_fork_that_is_compared() -> None:
    path = save_text(scenario(*NODES, pod("web", cpu=1)))
    answer = Client().post(f"/compare/{path}/{path}/seed?first=1.34", {"side": "second", "seed": "7"})
    assert answer.status_code == 302
    made = Scenario.objects.get(fork_of__isnull=False)
    assert answer.url == f"/compare/{path}/{made.public_id}/1/?first=1.34"
    assert "seed: 7" in store.newest(made).text
    for wrong in ({"side": "second", "seed": "-1"}, {"side": "third", "seed": "1"}, {}):
        assert Client().post(f"/compare/{path}/{path}/seed", wrong).status_code == 422


def test_every_measure_has_a_name_and_a_row_in_the_guide() -> None:
    guide = (ROOT / "docs/experiments.md").read_text(encoding="utf-8")
    for name in Measures.__struct_fields__:
        assert name in NAMES, f'name the measure "{name}" in MEASURES of kschedui/web/pages/analysis/compare.py'
        assert f"`{name}`" in guide, f'describe the measure "{name}" in docs/experiments.md'
