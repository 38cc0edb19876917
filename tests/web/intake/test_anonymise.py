"""Anonymised scenarios have the same decisions; tested on scenarios with decisions recorded from kube-scheduler."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from kschedui.cli.main import main
from kschedui.scenarios.anonymise import anonymise, rename
from kschedui.scenarios.compact_yaml import write_all
from kschedui.scenarios.imported import Conversion
from kschedui.scenarios.importers.reading.dump_reader import read_dump
from kschedui.scenarios.intake import import_source
from scheduler_core import Limits, decisions, parse_scenario, simulate
from scheduler_core.apis.vendor_labels import GROUP_LABELS, GROUP_OWNER
from scheduler_core.ask.operations.helping import helping
from tests.builders import node, pod, scenario
from tests.conftest import ROOT
from tests.dumps import Cluster, as_yaml, listed

FILES = sorted(
    path for path in (ROOT / "tests/conformance").rglob("*.yaml") if path.parent.name != "older"
)  # cases that the newest release reads
SAID = ("message", "reasons")  # fields whose texts may contain names
SAMPLE = 8  # one case in so many is in `make test`


def outcome(text: str, mapping: dict[str, str]) -> list[Any]:
    """Return the result of each attempt, with names replaced according to the mapping."""

    def named(name: str | None) -> str:
        space, slash, rest = (name or "").partition("/")
        return f"{mapping.get(space, space)}/{mapping.get(rest, rest)}" if slash else mapping.get(space, space)

    def everywhere(value: Any) -> Any:
        if isinstance(value, dict):
            return sorted((named(key), everywhere(item)) for key, item in value.items() if key not in SAID)
        if isinstance(value, list):
            return [everywhere(item) for item in value]
        return named(value) if isinstance(value, str) else value

    made: list[Any] = []
    for record in decisions(simulate(parse_scenario(text))):
        if final := record.get("final"):
            bound = sorted((named(key), named(at)) for key, at in final["bound"].items())
            made.append((bound, len(final["pending"]), len(final["deleted"]), final["time"]))
            continue
        if "pod" not in record:  # a record of a pod group
            made.append(everywhere(record))
            continue
        verdicts = sorted((named(name), one["plugin"], one["code"]) for name, one in record["filter"].items())
        totals = sorted((named(name), total) for name, total in record["totals"].items())
        pod, at = named(record["pod"]), named(record["node"])
        made.append((record["attempt"], record["time"], pod, record["outcome"], at, verdicts, totals))
    return made


@pytest.mark.parametrize("path", FILES[::SAMPLE], ids=lambda path: path.stem)
def test_nothing_is_decided_otherwise(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    made = anonymise(text, Limits())
    assert outcome(text, made.mapping) == outcome(made.text, {})


def test_the_same_text_gets_the_same_names() -> None:
    text = FILES[0].read_text(encoding="utf-8")
    assert anonymise(text, Limits()) == anonymise(text, Limits())


def test_no_name_of_a_cluster_is_left(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    dump, mapping = tmp_path / "dump.yaml", tmp_path / "mapping.json"
    dump.write_text(as_yaml(listed(Cluster(nodes=3, pods=30, images=3).objects())))
    assert main(["anonymise", "--mapping", str(mapping), str(dump)]) == 0
    text = capsys.readouterr().out
    for name in ("node-00", "billing", "registry.example.com/shop", "eu-west", "app-", "m5.4xlarge"):
        assert name not in text
    assert json.loads(mapping.read_text())["names"]["billing"].startswith("team-")
    assert mapping.stat().st_mode & 0o077 == 0
    parse_scenario(text)


def test_words_that_people_wrote_are_dropped() -> None:
    own = pod("web", cpu=1)
    own["metadata"]["annotations"] = {"example.com/owner": "Ada"}
    text = scenario(
        node("n1"),
        own,
        title={"en": "Ada's cluster"},
        description="of Ada",
        lesson={"lookAt": "Ada's pod"},
        expect={"pods": {"default/web": "n1"}},
    )
    made = anonymise(text, Limits())
    assert "Ada" not in made.text
    (document,) = (one for one in yaml.safe_load_all(made.text) if one["kind"] == "Scenario")
    assert document["spec"]["expect"]["pods"] == {f"default/{made.mapping['web']}": made.mapping["n1"]}


def test_names_of_ones_own_in_a_policy_are_replaced_and_those_of_kubernetes_stay() -> None:
    policy = {
        "apiVersion": "v1",
        "kind": "Policy",
        "predicates": [
            {"name": "PodFitsResources"},
            {"name": "CheckServiceAffinity", "argument": {"serviceAffinity": {"labels": ["acme.com/row"]}}},
        ],
        "priorities": [
            {"name": "LeastRequestedPriority", "weight": 1},
            {"name": "AcmeFast", "weight": 2, "argument": {"labelPreference": {"label": "acme", "presence": True}}},
        ],
    }
    nodes = (node("n1", cpu=4), node("n2", cpu=4, labels={"acme": "1", "acme.com/row": "a"}))
    text = scenario(*nodes, pod("web", cpu=1), policy, kubernetesVersion="1.16")
    made = anonymise(text, Limits())
    assert "acme" not in made.text.lower()
    assert all(name in made.text for name in ("PodFitsResources", "CheckServiceAffinity", "LeastRequestedPriority"))
    assert outcome(text, made.mapping) == outcome(made.text, {})


def test_an_amount_stays_though_a_label_says_the_same() -> None:
    own = pod("web", cpu="500m", memory="1Gi")
    own["metadata"]["labels"] = {"size": "500m", "class": "1Gi", "policy": "Never"}
    own["spec"]["preemptionPolicy"] = "Never"
    made = next(yaml.safe_load_all(anonymise(scenario(own), Limits()).text))
    assert made["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "500m", "memory": "1Gi"}
    assert made["spec"]["preemptionPolicy"] == "Never"
    assert not set(made["metadata"]["labels"].values()) & {"500m", "1Gi", "Never"}


def test_a_dump_that_is_renamed_before_it_is_read_makes_no_pods_twice() -> None:
    objects = [one for one in Cluster(nodes=2, pods=20, images=2).objects() if one["kind"] != "ReplicaSet"]
    dump = read_dump([as_yaml(listed(objects))], Limits())
    made, _, _ = rename(dump.objects)
    kinds = Counter(one["kind"] for one in yaml.safe_load_all(import_source(write_all(made)).text))
    assert (kinds["Node"], kinds["Pod"]) == (2, 20)


def test_label_values_that_are_compared_as_numbers_stay(tmp_path: Path) -> None:
    made = anonymise(scenario(node("n1", labels={"cores": "16", "kind": "fast"})), Limits())
    labels = next(yaml.safe_load_all(made.text))["metadata"]["labels"]
    assert "16" in labels.values()
    assert "fast" not in labels.values()


@pytest.mark.parametrize("label", [*GROUP_LABELS, GROUP_OWNER])
def test_the_same_node_groups_are_found(label: str) -> None:
    pools = [node(f"n{number}", cpu=2) for number in range(4)]
    for number, one in enumerate(pools):
        where = "annotations" if label == GROUP_OWNER else "labels"
        one["metadata"].setdefault(where, {})[label] = f"team-{number % 2}"
    declared = {"apiVersion": "kschedui.io/v1alpha1", "kind": "NodeGroup", "metadata": {"name": "team-1"}, "spec": {}}
    text = import_source(
        scenario(*pools, declared, pod("waits", cpu=2, nodeSelector={label: "team-0"})), Conversion(Limits())
    ).text
    made = anonymise(text, Limits())
    assert "team-" not in made.text
    groups = [(one.name, one.label, one.nodes) for one in helping(parse_scenario(text)).groups]
    renamed = [(one.name, one.label, one.nodes) for one in helping(parse_scenario(made.text)).groups]
    assert renamed == [
        (made.mapping[name], label, [made.mapping[one] for one in nodes]) for name, label, nodes in groups
    ]
    assert len(groups) == 2
