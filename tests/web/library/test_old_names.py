"""Former names lead to a current lesson, and to a step of a lesson on 1.15 that shows them."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from kschedui import library
from kschedui.library import loading
from kschedui.scenarios import engine
from kschedui.scenarios.lessons.old_names import OLD_NAMES, OldName
from scheduler_core.trace.events import NodesFiltered, ScoresComputed

IN_1_15 = [one for one in OLD_NAMES if one.then]
PARTS = {"PodFitsResources", "PodFitsHostPorts", "PodFitsHost", "HostName"}  # of GeneralPredicates
NOT_IN_1_15 = {"EvenPodsSpread"}


@pytest.mark.parametrize("old", IN_1_15, ids=lambda old: old.names[0])
def test_the_step_on_1_15_shows_what_the_name_stands_for(old: OldName) -> None:
    slug, _, place = old.then.partition("#")
    step, _, frame = place.partition(".")
    scenario = engine.read((library.FOLDER / f"{slug}.yaml").read_text(encoding="utf-8"))
    assert scenario.release.version == "1.15"
    event = list(engine.simulate(scenario))[int(step)]
    if not frame or not isinstance(event, NodesFiltered | ScoresComputed):
        return
    plugins = event.plugins if isinstance(event, NodesFiltered) else [one.plugin for one in event.plugins]
    shown = plugins[int(frame)]
    named = {re.sub("Priority$", "", name) for name in old.names}
    known = {*plugins} | {f"{name}Priority" for name in named}
    if named & PARTS:
        assert shown == "GeneralPredicates"
    elif {*old.names} & known:
        assert re.sub("Priority$", "", shown) in named, f"{place} shows {shown}"


def test_every_name_but_those_that_came_later_has_a_step_on_1_15() -> None:
    assert {old.names[0] for old in OLD_NAMES if not old.then} == NOT_IN_1_15


@pytest.mark.django_db
def test_each_link_of_the_page_opens(client: Client) -> None:
    slugs = {one.lesson for one in OLD_NAMES} | {one.then.partition("#")[0] for one in IN_1_15}
    for slug in slugs:
        loading.load_text(slug, (library.FOLDER / f"{slug}.yaml").read_text(encoding="utf-8"))
    links = set(re.findall(r'href="(/library/[^"#]+)', client.get("/names/").content.decode()))
    assert links == {f"/library/{slug}/" for slug in slugs}
    for link in links:
        answer = client.get(link, follow=True)
        assert answer.status_code == 200, link
