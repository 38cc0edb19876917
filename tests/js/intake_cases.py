"""Print texts with what Python reads of them, as JSON lines {name, text, objects, leftOut, renamed, names, keys}.

The first line is {table, naming}.
"""

from __future__ import annotations

import json
import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from msgspec.structs import asdict

from kschedui.scenarios.anonymise import rename
from kschedui.scenarios.anonymise.naming_table import naming_table
from kschedui.scenarios.importers.reading.dump_reader import read_dump
from kschedui.scenarios.importers.reading.reading_table import reading_table
from scheduler_core.scenario.parse import Limits, ScenarioErrors
from scheduler_core.scenario.reading.yaml_composer import resolve_plain
from tests.builders import node, pod
from tests.dumps import Cluster, as_json, as_yaml, listed
from tests.web.intake.test_dumps import FLOW, of_devices
from tests.web.intake.test_files import AROUND, CLUSTER_INFO, WRITTEN
from tests.web.intake.test_ways_of_writing import ANCHORS, KEYS, SCALARS, STYLES, TEXTS

POLICY = {
    "apiVersion": "v1",
    "kind": "Policy",
    "predicates": [{"name": "Racks", "argument": {"serviceAffinity": {"labels": ["acme.com/rack", "acme.com/row"]}}}],
    "priorities": [{"name": "Spread", "weight": 1, "argument": {"serviceAntiAffinity": {"label": "acme.com/rack"}}}],
    "extenders": [{"urlPrefix": "http://acme.com", "tlsConfig": {"keyData": "s3cr3t"}}],
}
CONFORMANCE = Path(__file__).parent.parent / "conformance"


def texts() -> dict[str, str]:
    dump = Cluster(nodes=4, pods=110, images=6).objects()
    yaml_text, json_text = as_yaml(listed(dump)), as_json(listed(dump))
    slipped = pod("a")
    slipped["spec"] |= {"nodeSelektor": {"disk": "ssd"}, "future": {"a": 1}, "tolaration": [], "envFrm": 1}
    slipped["spec"]["containers"][0] |= {"resource": {"requests": {"cpu": "1"}}, "envs": [{"value": "x"}]}
    service = {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "a"}}
    found = {
        "a dump in YAML": yaml_text,
        "a dump in JSON": json_text,
        "Windows": yaml_text.replace("\n", "\r\n"),
        "cut off YAML": yaml_text[: len(yaml_text) // 2],
        "cut off JSON": json_text[: len(json_text) // 2],
        "YAML after YAML": as_yaml(listed([node("n1")])) + as_yaml(listed([pod("a")])) + as_yaml(pod("b")),
        "JSON after YAML": as_yaml(listed([node("n1")])) + as_json(listed([pod("a")])),
        "YAML after JSON": as_json(listed([node("n1")])) + "---\n" + as_yaml(listed([pod("a")])),
        "an array": json.dumps([node("n1"), service, {"kind": "Odd"}]),
        "slips": as_yaml(listed([slipped, service])),
        "devices": as_yaml(listed(of_devices("v1"))),
        "devices of an older API": as_yaml(listed(of_devices("v1beta1"))),
        "a Policy": as_yaml(listed([node("n1", labels={"acme.com/rack": "a"}), POLICY])),
    }
    for kind, known in reading_table()["kinds"].items():
        group = known["version"].rpartition("/")[0]
        for version in (*known["versions"], f"{group}/v9".removeprefix("/"), "example.com/v1", ""):
            of_version = {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": {"a": 1}}
            found[f"{kind} of {version}"] = as_yaml(of_version)
            found[f"{kind} of {version} in JSON"] = as_json(listed([of_version]))
    for number, scalar in enumerate(SCALARS):
        text = f"apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    a: {scalar}\n"
        with suppress(ScenarioErrors):  # and numbers that only a server reads as kubectl does stay lines
            read_dump([text], Limits())
            if isinstance(resolve_plain(scalar), str) or (scalar.isdecimal() and scalar[0] != "0"):
                found[f"value {number}: {scalar}"] = text
        text = f"{{apiVersion: v1, kind: Pod, metadata: {{labels: {{a: {scalar}}}}}}}\n"
        with suppress(ScenarioErrors):
            read_dump([text], Limits())
            if scalar != "-":  # which the browser refuses there, and sends as it was typed
                found[f"value in braces {number}: {scalar}"] = text
    around = "\n".join(AROUND.values())
    found |= {f"{form} in a terminal": f"{around}\n{WRITTEN[form]}{around}\n" for form in ("YAML", "JSON", "Windows")}
    found["cleaned by hand"] = as_yaml(pod("a")).replace("metadata:\n", 'metadata:\n  resourceVersion: "1"\n')
    found["an anchor for other items"] = ANCHORS
    found["cluster-info dump"] = CLUSTER_INFO
    for form, text in WRITTEN.items():
        for part in range(1, 20):
            with suppress(ScenarioErrors):
                read_dump([text[: len(text) * part // 20]], Limits())
                found[f"{form}, cut off at {part} of 20"] = text[: len(text) * part // 20]
    found["a List in a List"] = as_yaml(listed([listed([node("n1"), pod("a")]), pod("b")]))
    found["YAML in braces"] = FLOW + "---\n" + as_yaml(pod("a"))
    found |= {name: f"apiVersion: v1\nkind: Pod\n{style}\n" for name, style in STYLES.items()}
    found |= {f"a dump made up from seed {seed}": made_up(random.Random(seed)) for seed in range(40)}
    for path in sorted(CONFORMANCE.rglob("*.yaml"))[::12]:
        found[path.name] = path.read_text(encoding="utf-8")
    return found


def made_up(rng: random.Random) -> str:
    """Return a List of pods with random fields, as written by kubectl, by PyYAML, or as JSON."""
    items = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": mapping(rng, 3), "spec": mapping(rng, 4)}
        for _ in range(rng.randint(1, 4))
    ]
    return rng.choice((as_yaml, yaml.safe_dump, as_json))(listed(items))


def mapping(rng: random.Random, depth: int) -> dict[str, Any]:
    return {key: tree(rng, depth - 1) for key in rng.sample(KEYS, rng.randint(0, 4))}


def tree(rng: random.Random, depth: int) -> Any:
    if depth and rng.random() < 0.6:
        return mapping(rng, depth) if rng.random() < 0.6 else [tree(rng, depth - 1) for _ in range(2)]
    one_line = [text for text in TEXTS if "\n" not in text]  # PyYAML indents the others less than YAML 1.2 allows
    return rng.choice((*one_line, 7, True, None, [], {}))


def main() -> None:
    sys.stdout.write(json.dumps({"table": reading_table(), "naming": naming_table()}) + "\n")
    for name, text in texts().items():
        dump = read_dump([text], Limits())
        case = {"name": name, "text": text, "objects": dump.objects, "leftOut": asdict(dump.left_out)}
        case["renamed"], case["names"], case["keys"] = rename(dump.objects)
        sys.stdout.write(json.dumps(case) + "\n")


main()
