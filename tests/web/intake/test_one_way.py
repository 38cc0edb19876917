"""The page, the API and the command line read a text in the same way: same scenario, messages and lines."""

import gzip
import json

import pytest
import yaml

from kschedui.cli import inputs
from kschedui.scenarios import intake
from kschedui.scenarios.digest import as_scenario
from kschedui.scenarios.intake import import_source
from kschedui.scenarios.kinds_of_text import Kind, kind_of
from scheduler_core import Limits, Scenario, ScenarioError, parse_scenario
from tests.builders import node, pod, scenario
from tests.dumps import SECRET, Cluster, as_json, as_yaml, listed
from tests.web.intake.test_importers import workload

DUMP = Cluster(nodes=3, pods=20, images=2).objects()
PRINTED = [*DUMP[:3], *[one for one in DUMP if one["kind"] == "Pod"][:3]]
OF_SCENARIO = "apiVersion: kschedui.io/v1alpha1\nkind: Scenario\nmetadata: {name: mine}\nspec: {title: Mine}\n---\n"
TABLE = "NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   1d    v1.34.1\n"
EXPORT = {
    "nodes": [{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "2", "pods": "10"}}}],
    "schedulerConfig": {"profiles": [{"schedulerName": "default-scheduler"}]},
}
UNREADABLE = {"metadata": {"labels": {"app": "web"}}, "spec": pod("a", cpu="much")["spec"]}
TEXTS = {
    "a scenario": (Kind.SCENARIO, OF_SCENARIO + scenario(node("n1"), pod("a"))),
    "objects without a Scenario document": (Kind.SCENARIO, scenario(node("n1"), pod("a"))),
    "a scenario with a workload": (Kind.SCENARIO, OF_SCENARIO + scenario(node("n1"), workload("Deployment", "web"))),
    "workloads": (Kind.OBJECTS, scenario(node("n1"), workload("Deployment", "web"))),
    "a List": (Kind.OUTPUT, as_yaml(listed([node("n1"), pod("a")]))),
    "a dump in YAML": (Kind.OUTPUT, as_yaml(listed(DUMP))),
    "a dump in JSON": (Kind.OUTPUT, as_json(listed(DUMP))),
    "a scenario with printed objects": (Kind.PRINTED_SCENARIO, OF_SCENARIO + "---\n".join(map(as_yaml, PRINTED))),
    "a table": (Kind.OBJECTS, TABLE),
    "an export": (Kind.OUTPUT, json.dumps(EXPORT)),
}
WRONG = {
    "of a pod": OF_SCENARIO + scenario(node("n1"), {**pod("a"), "spec": {"priority": "high"}}),
    "of a template": scenario(node("n1"), workload("Deployment", "web", template=UNREADABLE)),
    "of a printed pod": OF_SCENARIO + as_yaml(DUMP[0]) + "---\n" + scenario({**pod("a"), "spec": {"priority": "high"}}),
    "no YAML": OF_SCENARIO + "a: [\n",
    "too many pods": scenario(node("n1"), workload("Deployment", "web", replicas=10**9)),
}


def of_page(text: str) -> tuple[Scenario, list[str]]:
    read = as_scenario(text)
    return read.scenario, [str(note) for note in read.imported.notes]


def of_command_line(text: str) -> tuple[Scenario, list[str]]:
    read = inputs.from_content("text", text.encode())
    return read.scenario, [str(note) for note in read.notes]


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_recognised_and_read_alike_everywhere(name: str) -> None:
    kind, text = TEXTS[name]
    assert kind_of(text) is kind
    (page, notes), (command_line, other_notes) = of_page(text), of_command_line(text)
    assert page.text == command_line.text
    assert page.warnings == command_line.warnings
    assert notes == other_notes
    assert SECRET not in page.text


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_has_one_sentence_and_place_everywhere(name: str) -> None:
    errors = []
    for read in (of_page, of_command_line):
        with pytest.raises(ScenarioError) as error:
            read(WRONG[name])
        errors.append(str(error.value))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("name", TEXTS)
def test_a_packed_file_is_read_like_its_text(name: str) -> None:
    _, text = TEXTS[name]
    packed = inputs.from_content("text", gzip.compress(text.encode()))
    assert packed.scenario == inputs.from_content("text", text.encode()).scenario


def test_a_workload_of_a_scenario_with_printed_objects_is_used_as_it_stands() -> None:
    text = OF_SCENARIO + as_yaml(DUMP[0]) + "---\n" + scenario(workload("Deployment", "web", replicas=3))
    assert not any("pods were created" in note for note in of_command_line(text)[1])
    assert of_command_line(text)[0].text == of_page(text)[0].text
    assert [one["kind"] for one in yaml.safe_load_all(of_page(text)[0].text)] == ["Scenario", "Node", "Deployment"]


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_parsed_once(name: str) -> None:
    texts = []

    def parse(text: str) -> Scenario:
        texts.append(text)
        return parse_scenario(text)

    intake.read_scenario(TEXTS[name][1], intake.DEFAULTS, parse)
    assert len(texts) == 1


def test_an_import_is_what_reading_converts() -> None:
    text = TEXTS["a dump in YAML"][1]
    assert import_source(text).text == of_page(text)[0].text
    assert parse_scenario(import_source(text).text, Limits()).text == of_command_line(text)[0].text
