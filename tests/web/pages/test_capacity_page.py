"""The page about the number of copies of a pod that fit: the form, the answer with its picture, and refusals."""

import re

import pytest
from django.test import Client

from kschedui.scenarios import store
from kschedui.scenarios.access import Visitor
from tests.builders import node, pod, scenario


@pytest.fixture
def address(db: None) -> str:
    nodes = [node(name, cpu=4, labels={"topology.kubernetes.io/zone": f"z-{name}"}) for name in ("n1", "n2")]
    made = store.create(Visitor(), scenario(*nodes, pod("web", cpu=1), pod("huge", cpu=9)))
    return f"/s/{made.scenario.public_id}/v/{made.number}/capacity/"


def test_the_form_offers_all_pods_and_begins_with_one_that_waits(address: str) -> None:
    found = Client().get(address).content.decode()
    assert '<option value="default/huge">' in found
    assert '<input name="pod" type="text" value="default/huge"' in found


def test_the_answer_has_the_reason_the_zones_the_nodes_and_what_more_would_take(address: str) -> None:
    found = Client().get(f"{address}?pod=default/web&replicas=9").content.decode()
    assert "7 of 9 copies of default/web fit" in found
    assert "Insufficient cpu" in found
    assert "<span>z-n2</span>" in found
    assert "<span>n2</span>" in found
    assert "cpu runs out first" in found
    assert "1 more node like n1" in found
    assert "7 copies of default/web fit" in Client().get(f"{address}?pod=default/web").content.decode()


@pytest.mark.parametrize("query", ["pod=default/nobody", "pod=default/web&replicas=0", "pod=web&replicas=x"])
def test_an_impossible_count_is_refused_with_a_sentence(address: str, query: str) -> None:
    answer = Client().get(f"{address}?{query}")
    assert answer.status_code == 422
    assert re.fullmatch(r"[A-Z].*\.", answer.context["sentence"])
    assert Client().get(f"{address}?pod=default/web&kubernetes=0.1").status_code == 404


@pytest.mark.django_db
def test_a_field_that_a_release_lacks_is_reported_with_its_line() -> None:
    gated = pod("web", cpu=1)
    gated["spec"]["schedulingGates"] = [{"name": "a"}]
    made = store.create(Visitor(), scenario(node("n1", cpu=4), gated))
    page = f"/s/{made.scenario.public_id}/v/1/capacity/?kubernetes=1.25"
    answer = Client().get(page, headers={"accept-language": "zh-hans"})
    assert answer.status_code == 422
    assert re.search(r"第 \d+ 行，spec.schedulingGates", answer.content.decode())


def test_the_answer_comes_in_chinese(address: str) -> None:
    found = Client().get(f"{address}?pod=default/web", headers={"accept-language": "zh-hans"}).content.decode()
    assert "能放下 7 个 default/web 的副本" in found
