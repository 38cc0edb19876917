"""The source of a plugin is shown next to its decisions; other files are not shown."""

from __future__ import annotations

import html
import inspect
import re
from importlib.metadata import EntryPoint

import pytest
from django.test import Client

from kschedui import library
from kschedui.library import loading
from kschedui.scenarios import outside_plugins as plugins
from kschedui.web.pages import plugin_source
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.node_affinity.plugin import NodeAffinity
from scheduler_core.releases import DEFAULT_RELEASE
from tests.sampling import rest_slow


class Picky:
    """A plugin of another package, simulated by this file."""

    name = "Picky"

    def filter(self) -> None:
        """Do nothing; the page opens at this line."""


def shown(page: str, prefix: str = "") -> list[str]:
    """Return the lines of a file on the page, as text."""
    rows = re.findall(rf'<tr id="{prefix}L\d+".*?<code>(.*?)</code></td></tr>', page, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", "", row)) for row in rows]


@pytest.mark.parametrize("name", rest_slow(8, REGISTRY))
def test_every_plugin_shows_its_own_file_word_for_word(client: Client, name: str) -> None:
    page = client.get(f"/plugins/{name}/").content.decode()
    module = inspect.getmodule(REGISTRY[name])
    assert module
    assert shown(page) == inspect.getsource(module).splitlines()


def test_the_anchor_of_a_method_stands_on_its_line_and_the_rule_is_marked(client: Client) -> None:
    page = client.get("/plugins/NodeAffinity/").content.decode()
    for method in ("filter", "score", "explain_filter"):
        line = inspect.getsourcelines(getattr(NodeAffinity, method))[1]
        assert re.search(rf'<tr id="L{line}"[^>]*><td>.*?</td><td><span class="anchor" id="{method}">', page)
    body, first = inspect.getsourcelines(NodeAffinity.filter)
    ruled = [int(n) for n in re.findall(r'<tr id="L(\d+)" class="rule">', page)]
    assert ruled[: len(body)] == list(range(first, first + len(body)))


def test_the_explanation_stands_beside_the_rule(client: Client) -> None:
    page = client.get("/plugins/NodeAffinity/").content.decode()
    assert "scheduler_core/plugins/node_affinity/explain.py" in page
    assert any("def explain_required" in line for line in shown(page, "explain-"))
    assert "pkg/scheduler/framework/plugins/nodeaffinity" in page


def test_preemption_shows_the_files_that_do_its_work() -> None:
    source = plugin_source.source_of("DefaultPreemption")
    assert source
    assert {
        "scheduler_core/plugins/default_preemption/pick_one_node.py",
        "scheduler_core/plugins/default_preemption/victims.py",
    } <= {file.name for file in source.rest}


@pytest.mark.parametrize("name", ["NoSuchPlugin", "scheduler_core.simulation", "kschedui.settings", "..", "__init__"])
def test_nothing_but_a_plugin_can_be_asked_for(client: Client, db: None, name: str) -> None:
    answer = client.get(f"/plugins/{name}/")
    assert answer.status_code == 404
    assert "SECRET_KEY" not in answer.content.decode()


def test_a_plugin_of_another_package_shows_its_one_file(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [EntryPoint("Picky", f"{__name__}:Picky", plugins.GROUP)]
    monkeypatch.setattr(plugins, "entry_points", lambda group: found)
    plugins.outside_plugins.cache_clear()
    page = client.get("/plugins/Picky/").content.decode()
    monkeypatch.undo()
    plugins.outside_plugins.cache_clear()
    plugin_source.read.cache_clear()
    assert "class Picky:" in shown(page)
    assert 'id="filter"' in page
    assert 'href="https://' not in page
    assert client.get("/plugins/Picky/").status_code == 404


def test_names_that_are_no_plugins_are_not_remembered(client: Client) -> None:
    plugin_source.read.cache_clear()
    for number in range(5):
        client.get(f"/plugins/Nobody{number}/")
    assert plugin_source.read.cache_info().currsize == 0


@pytest.mark.parametrize(
    ("asked", "tag"),
    [
        ("?kubernetes=1.34", "v1.34.1"),
        ("?kubernetes=9.9", f"v{DEFAULT_RELEASE.patch}"),
        ("", f"v{DEFAULT_RELEASE.patch}"),
    ],
)
def test_the_link_into_kube_scheduler_is_to_the_release_that_was_asked_for(
    client: Client, asked: str, tag: str
) -> None:
    page = client.get(f"/plugins/NodeName/{asked}").content.decode()
    assert f"/tree/{tag}/pkg/scheduler/framework/plugins/nodename" in page


RULE = """
apiVersion: kschedui.io/v1alpha1
kind: SchedulerPlugin
metadata: {name: Mine}
spec: {filter: "'<b>' != node.metadata.name", message: "'no'"}
"""


def test_the_page_of_a_rule_shows_its_expressions(client: Client, db: None) -> None:
    scenario = make_scenario(client, RULE)
    page = client.get(f"/plugins/Mine/?scenario={scenario}&version=1").content.decode()
    assert "&#x27;&lt;b&gt;&#x27; != node.metadata.name" in page
    assert "Node/Add" in page


@pytest.mark.parametrize("query", ["version=1", "version=2", "version=x", "version=", "version=99999999999"])
def test_a_rule_that_a_version_does_not_have_is_not_found(client: Client, db: None, query: str) -> None:
    scenario = make_scenario(client, RULE)
    name = "Other" if query == "version=1" else "Mine"
    assert client.get(f"/plugins/{name}/?scenario={scenario}&{query}").status_code == 404
    assert client.get(f"/plugins/{name}/?scenario=nowhere&{query}").status_code == 404


def test_a_rule_without_its_scenario_is_looked_for_in_ones_own_and_in_the_library(client: Client, db: None) -> None:
    scenario = make_scenario(client, RULE)
    assert client.get("/plugins/Mine/")["Location"] == f"/plugins/Mine/?scenario={scenario}&version=1"
    assert Client().get("/plugins/Mine/").status_code == 404
    assert client.get("/plugins/Other/").status_code == 404
    loading.load_text("own-rule", (library.FOLDER / "own-rule.yaml").read_text())
    address = Client().get("/plugins/SpotFirst/")["Location"]
    assert "SpotFirst" in Client().get(address).content.decode()


def test_the_player_gets_the_texts_of_rules_with_the_page(client: Client, db: None) -> None:
    scenario = make_scenario(client, RULE)
    page = client.get(f"/s/{scenario}/v/1/").content.decode()
    assert f"/plugins/Mine/?scenario={scenario}" in page.replace("\\u0026", "&")
    assert "rule.Mine" in page


def make_scenario(client: Client, text: str) -> str:
    """Save a scenario; return its id."""
    answer = client.post("/api/v1/scenarios", {"text": text}, content_type="application/json")
    return str(answer.json()["id"])
