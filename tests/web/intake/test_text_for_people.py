"""Reading kubectl's output for people: the texts of three real releases of kubectl (tests/kubectl/record.py)."""

# ruff: noqa: E501 -- lines are as long as the printed ones
from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.test import Client

from kschedui.cli.main import main
from kschedui.scenarios.importers.for_people import read
from kschedui.scenarios.importers.for_people.events import SeenEvent
from kschedui.scenarios.intake import import_source
from scheduler_core import ScenarioError, parse_scenario
from scheduler_core.apis.core import Node, Pod
from tests.kubectl.record import PRINTED, SEEDS
from tests.sampling import rest_slow

Manifest = dict[str, Any]
UNPRINTED = (
    "affinity",
    "schedulingGates",
    "resourceClaims",
    "schedulerName",
    "overhead",
)  # `kubectl describe pod` leaves them out


@cache
def recorded() -> dict[str, dict[str, str]]:
    """Return the recorded texts of each scenario by name: objects.json, RELEASE/COMMAND.txt."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    with tarfile.open(PRINTED) as archive:
        for entry in archive:
            scenario, _, name = entry.name.partition("/")
            texts[scenario][name] = archive.extractfile(entry).read().decode()  # type: ignore[union-attr]
    return texts


def objects_of(scenario: str) -> tuple[list[Manifest], list[Manifest]]:
    """Return the nodes and the pods of a scenario, as the API server had them."""
    objects = json.loads(recorded()[scenario]["objects.json"])
    nodes, pods = ([one for one in objects if one["kind"] == kind] for kind in ("Node", "Pod"))
    return nodes, pods


def printed(scenario: str, command: str) -> dict[str, str]:
    """Return the output of a command by release of kubectl."""
    return {
        name.partition("/")[0]: text for name, text in recorded()[scenario].items() if name.endswith(f"/{command}.txt")
    }


def parsed(objects: list[Manifest]) -> dict[tuple[str, ...], Node | Pod]:
    """Return the objects as the engine has them, by kind, namespace and name."""
    if not objects:
        return {}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    return {
        (type(item).__name__, getattr(item, "namespace", ""), item.name): item
        for item in parse_scenario(text).objects
        if isinstance(item, Node | Pod)
    }


def found(kind: str, text: str) -> list[Manifest]:
    return [one for one in read(text).objects if one["kind"] == kind]


@pytest.mark.parametrize("scenario", rest_slow(4, sorted(recorded())))
def test_nodes_are_read_back_from_what_kubectl_describes(scenario: str) -> None:
    """Each node is unchanged; the requests on it are those of its pods."""
    nodes, pods = objects_of(scenario)
    texts = printed(scenario, "describe-nodes")
    assert len(texts) == 3
    for text in texts.values():
        before, after = parsed(nodes), parsed(found("Node", text))
        assert before.keys() == after.keys()
        for key, node in before.items():
            back = after[key]
            assert isinstance(node, Node)
            assert isinstance(back, Node)
            assert back.labels == node.labels
            assert set(back.taints) == set(node.taints)
            assert (back.unschedulable, back.allocatable) == (node.unschedulable, node.allocatable)
        names = {one["metadata"]["name"] for one in nodes}
        running = [
            one
            for one in pods
            if one["status"]["phase"] not in ("Succeeded", "Failed") and one["spec"].get("nodeName") in names
        ]
        assert requests_by_node(found("Pod", text)) == requests_by_node(running)


def requests_by_node(pods: list[Manifest]) -> dict[tuple[str, str], int]:
    """Return the total requests by (node, resource), as kubectl prints them for each node."""
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for pod in parsed(pods).values():
        assert isinstance(pod, Pod)
        for name, amount in pod.requests.items():
            if pod.node_name and amount:
                sums[pod.node_name, name] += amount
    return sums


@pytest.mark.parametrize("scenario", rest_slow(4, sorted(recorded())))
def test_pods_are_read_back_from_what_kubectl_describes(scenario: str) -> None:
    _, pods = objects_of(scenario)
    before = parsed([as_described(pod) for pod in pods])
    for text in printed(scenario, "describe-pods").values():
        back = found("Pod", text)
        assert list(map(as_printed, back)) == list(map(as_printed, sorted(pods, key=name_of)))
        after = parsed(back)
        assert before.keys() == after.keys()
        for key, pod in before.items():
            compare_pods(pod, after[key])


def as_printed(pod: Manifest) -> object:
    """Return the name, the controllers, and the init containers and containers of a pod in their order."""
    owners = [(one["kind"], one["name"]) for one in pod["metadata"].get("ownerReferences") or () if one["controller"]]
    containers = [
        [
            (one["name"], one["image"], amounts(one, "requests"), amounts(one, "limits"))
            for one in pod["spec"].get(key, ())
        ]
        for key in ("initContainers", "containers")
    ]
    return name_of(pod), owners, containers


def amounts(container: Manifest, name: str) -> Manifest:
    return container.get("resources", {}).get(name) or {}


def as_described(pod: Manifest) -> Manifest:
    """Return the pod without the fields that `describe` does not print."""
    spec = {key: value for key, value in pod["spec"].items() if key not in UNPRINTED}
    for containers in ("containers", "initContainers"):
        for container in spec.get(containers) or ():
            container.pop("restartPolicy", None)
            container.get("resources", {}).pop("claims", None)
    return {**pod, "spec": spec}


def compare_pods(first: Node | Pod, second: Node | Pod) -> None:
    assert isinstance(first, Pod)
    assert isinstance(second, Pod)
    for field in (
        *("requests", "node_name", "labels", "node_selector", "priority", "phase", "terminating", "ready"),
        *("nominated_node_name", "preemption_policy", "namespace"),
    ):
        assert getattr(second, field) == getattr(first, field), field
    assert set(second.tolerations) == set(first.tolerations)
    spread = [
        [(one.topology_key, one.max_skew, one.when_unsatisfiable) for one in pod.topology_spread_constraints]
        for pod in (first, second)
    ]
    assert sorted(spread[0]) == sorted(spread[1])
    claims = [[one.claim for one in pod.volumes if one.claim and not one.ephemeral] for pod in (first, second)]
    assert claims[0] == claims[1]
    assert {one.port for one in second.host_ports} == {one.port for one in first.host_ports}


@pytest.mark.parametrize("scenario", rest_slow(4, sorted(recorded())))
def test_tables_say_who_runs_where_and_the_state_of_nodes(scenario: str) -> None:
    nodes, pods = objects_of(scenario)
    listed = [pod for pod in pods if not is_printed_as_ended(pod)]
    where = {name_of(one): one["spec"].get("nodeName", "") for one in listed}
    for command in ("get-nodes", "get-nodes-wide", "get-both"):
        for table in printed(scenario, command).values():
            compare_node_tables(nodes, found("Node", table), labels=command == "get-nodes-wide")
    for command in ("get-pods-wide", "get-both"):
        for table in printed(scenario, command).values():
            back = found("Pod", table)
            assert {name_of(one): one["spec"].get("nodeName", "") for one in back} == where
            compare_pod_tables(listed, back, labels=command == "get-pods-wide")
    for table in printed(scenario, "get-pods").values():  # without the column NODE, running pods are left out
        back = found("Pod", table)
        waiting = {name for name, node in where.items() if not node}
        gone = {name_of(one) for one in listed if "deletionTimestamp" in one["metadata"]}
        assert waiting <= {name_of(one) for one in back} <= waiting | gone | unsure(listed)


def name_of(one: Manifest) -> tuple[str, str]:
    return one["metadata"].get("namespace", ""), one["metadata"]["name"]


def is_printed_as_ended(pod: Manifest) -> bool:
    return pod["status"]["phase"] in ("Succeeded", "Failed")


def unsure(pods: list[Manifest]) -> set[tuple[str, str]]:
    """Return the (namespace, name) of the pods in phase Pending, which may be on a node all the same."""
    return {name_of(one) for one in pods if one["status"]["phase"] == "Pending"}


def compare_node_tables(nodes: list[Manifest], back: list[Manifest], *, labels: bool) -> None:
    by_name = {one["metadata"]["name"]: one for one in back}
    assert by_name.keys() == {one["metadata"]["name"] for one in nodes}
    for node in nodes:
        row = by_name[node["metadata"]["name"]]
        assert row["spec"].get("unschedulable", False) == node["spec"].get("unschedulable", False)
        assert row["status"]["nodeInfo"]["kubeletVersion"] == node["status"]["nodeInfo"]["kubeletVersion"]
        [ready] = [one["status"] for one in node["status"]["conditions"] if one["type"] == "Ready"]
        tainted = any(taint["key"].endswith("/not-ready") for taint in row["spec"].get("taints", ()))
        assert tainted == (ready != "True")
        if labels:
            assert row["metadata"]["labels"] == node["metadata"].get("labels", {})
        else:
            role = "node-role.kubernetes.io/control-plane"
            assert (role in row["metadata"]["labels"]) == (role in node["metadata"].get("labels", {}))


def compare_pod_tables(pods: list[Manifest], back: list[Manifest], *, labels: bool) -> None:
    by_name = {name_of(one): one for one in back}
    for pod in pods:
        row = by_name[name_of(pod)]
        assert ("deletionTimestamp" in row["metadata"]) == ("deletionTimestamp" in pod["metadata"])
        nominated = pod["status"].get("nominatedNodeName") if not pod["spec"].get("nodeName") else None
        assert row.get("status", {}).get("nominatedNodeName") == nominated
        assert bool(row["spec"].get("schedulingGates")) == bool(pod["spec"].get("schedulingGates"))
        ready = all(one["ready"] for one in pod["status"].get("containerStatuses") or ())
        if pod["spec"].get("nodeName") and pod["status"]["phase"] == "Running":
            assert is_ready(row) == ready
        if labels:
            assert row["metadata"].get("labels", {}) == pod["metadata"].get("labels", {})


def is_ready(pod: Manifest) -> bool:
    return not any(one["type"] == "Ready" for one in pod.get("status", {}).get("conditions", ()))


@pytest.mark.parametrize("scenario", rest_slow(4, sorted(recorded())))
def test_events_are_read_back_from_tables_and_descriptions(scenario: str) -> None:
    """Object, type, reason, message, count and age of every event, and its reporter if it is printed."""
    objects = json.loads(recorded()[scenario]["objects.json"])
    expected = [one for one in objects if one["kind"] == "Event" and one["involvedObject"]["kind"] == "Pod"]
    for command in ("get-events", "get-events-wide", "events", "describe-pods"):
        for release, text in printed(scenario, command).items():
            now = datetime.fromisoformat(recorded()[scenario][f"{release}/time.txt"])
            counted = command != "get-events"  # that table has neither the count nor the first time
            seen = [event for event in read(text).events if event.kind == "pod"]
            assert Counter(as_seen(one, counted=counted) for one in expected) == Counter(
                (one.namespace, one.name, one.type, one.reason, one.message, one.count if counted else 1)
                for one in seen
            )
            for one in seen:
                compare_ages(one, expected, now, counted=counted)


def as_seen(event: Manifest, *, counted: bool) -> tuple[object, ...]:
    about = event["involvedObject"]
    count = event.get("count") or (event.get("series") or {}).get("count") or 1
    message = event["message"].strip()
    return about["namespace"], about["name"], event["type"], event["reason"], message, count if counted else 1


def compare_ages(seen: SeenEvent, events: list[Manifest], now: datetime, *, counted: bool) -> None:
    """Assert that an event with these words has the printed age, which kubectl rounds."""
    about = [
        one
        for one in events
        if (one["involvedObject"]["name"], one["reason"], one["message"].strip())
        == (seen.name, seen.reason, seen.message)
    ]
    pairs = [("lastTimestamp", seen.last), *([("firstTimestamp", seen.first)] if counted else [])]
    for field, age in pairs:
        ages = [(now - datetime.fromisoformat(one.get(field) or one["eventTime"])).total_seconds() for one in about]
        assert age is not None
        assert any(abs(real - age) <= 5 + 0.1 * real for real in ages), (seen, ages)


def test_a_table_of_events_alone_says_which_pods_wait_and_why() -> None:
    """Scheduled pods have only their node; pending ones have their message."""
    table = (
        "LAST SEEN   TYPE      REASON             OBJECT    MESSAGE\n"
        "9m          Warning   FailedScheduling   pod/a     0/1 nodes are available: 1 Insufficient cpu.\n"
        "2m          Normal    Scheduled          pod/a     Successfully assigned default/a to n1\n"
        "3m          Warning   FailedScheduling   pod/b     0/1 nodes are available: 1 Too many pods.\n"
        "4m          Normal    Killing            pod/c     Stopping container main\n"
    )
    [pod] = read(table).objects
    assert pod["metadata"]["name"] == "b"
    assert pod["status"]["conditions"][0]["message"] == "0/1 nodes are available: 1 Too many pods."
    running = "NAME   READY   STATUS    RESTARTS   AGE\na      1/1     Running   0          9m\n\n"
    assert [one["spec"].get("nodeName") for one in read(running + table).objects] == ["n1"]


def around(text: str, random: Random) -> str:
    """Return the text as people paste it: after a prompt, in a code fence, with line numbers, or with Windows line ends."""
    match random.randrange(5):
        case 0:
            return f"user@host:~$ kubectl describe node\n{text}"
        case 1:
            return f"```console\n$ kubectl describe nodes\n{text}```\n"
        case 2:
            return "".join(f"{number:>4}  {line}\n" for number, line in enumerate(text.split("\n"), 1))
        case 3:
            return text.replace("\n", "\r\n")
    return f"[root@cp ~]# kubectl describe node n1\n{text}[root@cp ~]# \n"


@pytest.mark.parametrize("seed", SEEDS)
def test_what_stands_around_the_text_does_not_matter(seed: int) -> None:
    scenario = f"random-{seed}"
    text = printed(scenario, "describe-nodes")["1.30"] + "\n" + printed(scenario, "get-pods-wide")["1.30"]
    assert read(around(text, Random(seed))).objects == read(text).objects


PROMPTS = (
    "$ ", "# ", "> ", "", "[ops@jump ~]$ ", "root@cp-1:~# ", "ubuntu@ip-10-0-0-1:~/work$ sudo ", "me@mac ~ % ", "(base) me@pc:~$ ",
    "PS C:\\Users\\me> ", "➜  ~ ", "➜  app git:(main) ", "❯ ", "C:\\Users\\me>", "cp $ KUBECONFIG=/etc/admin.conf ",
    "[root@k8s-master01 ~]# ",
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_several_commands_in_one_terminal_are_read_as_what_they_describe(seed: int) -> None:
    """Tables and events around the descriptions add and remove no object."""
    scenario = f"random-{seed}"
    described = ("describe-pods", "describe-nodes")
    commands = [*described, "get-both", "get-events", "get-pods-wide", "get-nodes"]
    Random(seed).shuffle(commands)
    prompt = PROMPTS[seed % len(PROMPTS)]
    session = "".join(
        f"{prompt}kubectl {name.replace('-', ' ')}\n{printed(scenario, name)['1.30']}" for name in commands
    )
    session += prompt
    alone = read("\n".join(printed(scenario, name)["1.30"] for name in described))
    assert sorted(read(session).objects, key=str) == sorted(alone.objects, key=str)


@pytest.mark.parametrize("seed", SEEDS)
def test_mutilated_text_is_read_as_far_as_it_goes(seed: int) -> None:
    """Missing, duplicated, truncated or reordered lines give a scenario or one sentence."""
    random = Random(seed)
    texts = recorded()[f"random-{seed}"]
    for name in random.sample(sorted(one for one in texts if one.endswith(".txt")), 8):
        lines = texts[name].split("\n")
        for _ in range(random.randint(1, 12)):
            at = random.randrange(len(lines))
            match random.randrange(4):
                case 0:
                    lines.insert(at, lines[random.randrange(len(lines))])
                case 1 if len(lines) > 1:
                    del lines[at]
                case 2:
                    lines[at] = lines[at][random.randrange(len(lines[at]) + 1) :]
                case _:
                    lines[at] = lines[at][: random.randrange(len(lines[at]) + 1)]
        text = "\n".join(lines)
        with suppress(ScenarioError):
            parse_scenario(import_source(text).text)


@pytest.mark.parametrize("number", ["²", "9" * 5000, "-1", "1e9", ""])
def test_a_number_that_int_rejects_leads_to_a_scenario_or_to_one_sentence(number: str) -> None:
    for name, text in next(iter(recorded().values())).items():
        if name.endswith(".txt"):
            matches = list(re.finditer(r"\d+", text))[::41]
            changed = [text[: match.start()] + number + text[match.end() :] for match in matches]
            for one in (re.sub(r"\d+", number, text), *changed):
                with suppress(ScenarioError):
                    parse_scenario(import_source(one).text)


def test_a_described_node_and_a_manifest_are_read_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = printed("random-3", "describe-nodes")["1.33"]
    mine = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: 30}}}]}\n"
    path = tmp_path / "pasted.txt"
    path.write_text(f"$ kubectl describe nodes\n{described}---\n{mine}")
    assert main(["explain", "web", str(path)]) == 0
    assert "The pod requests 30 of cpu; n1 has" in capsys.readouterr().out


def test_notes_say_what_was_read_and_what_one_more_paste_settles() -> None:
    found = import_source(printed("lessons-first-pod", "describe-pods")["1.30"])
    notes = " ".join(found.notes)
    assert "pods described: 2" in notes
    assert "paste kubectl describe nodes too" in notes
    assert "neither the affinity of a pod nor its scheduling gates" in notes


def pending(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the output of `kschedui pending` for a text."""
    path = folder / "text"
    path.write_text(text)
    main(["pending", str(path)])
    return capsys.readouterr().out


def test_pods_that_run_on_a_node_that_the_table_does_not_name_do_not_wait(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = (
        "NAME   READY   STATUS             RESTARTS   AGE   ZONE\n"
        "web-1  1/1     Running            0          7s    a\n"
        "web-2  0/1     Pending            0          7s\n"
        "web-3  0/1     CrashLoopBackOff   9          7s    b\n"
    )
    reading = read(table)
    assert [one["metadata"]["name"] for one in reading.objects] == ["web-2"]
    assert any("were left out: 2." in note for note in reading.notes)
    wide = read(table.replace("ZONE", "NODE")).objects
    assert [one["spec"].get("nodeName") for one in wide] == ["a", None, "b"]
    assert "1 pod waits" in pending(table, tmp_path, capsys)


def test_the_heading_of_an_old_release_names_the_resource(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "NAME   STATUS   ROLES    AGE   VERSION\ngpu1   Ready    <none>   16h   v1.15.3\n\n"
        "Name:         train\nNamespace:    default\nStatus:       Pending\nContainers:\n  c:\n    Limits:\n"
        "      nvidia.com/gpu:  1\nQoS Class:    BestEffort\n"
    )
    out = pending(text, tmp_path, capsys)
    assert "Too little nvidia.com/gpu" in out
    assert "Rejected by" not in out


def import_on_page(client: Client, text: str) -> dict[str, Any]:
    """Import a text as the page does, and return the API's answer."""
    answer = client.post("/api/v1/import", gzip.compress(text.encode()), content_type="application/gzip")
    return json.loads(answer.content)  # type: ignore[no-any-return]


@pytest.mark.django_db
def test_the_page_imports_what_kubectl_prints_for_people(client: Client) -> None:
    described = "\n".join(printed("random-3", name)["1.30"] for name in ("describe-nodes", "describe-pods"))
    nodes, pods = objects_of("random-3")
    summary = import_on_page(client, described)["checked"]["summary"]
    assert len(summary["nodes"]) == len(nodes)
    ended = [pod for pod in pods if pod["status"]["phase"] in ("Succeeded", "Failed")]
    assert len(summary["pods"]) == len(pods) - len(ended)


@pytest.mark.django_db
def test_a_text_with_messages_alone_is_refused_as_one_that_can_be_explained(client: Client) -> None:
    [error] = import_on_page(client, "0/3 nodes are available: 3 Too many pods.")["errors"]
    assert error["explains"]
    assert "messages of a scheduler" in error["message"]
    [error] = import_on_page(client, "nothing of the kind")["errors"]
    assert "explains" not in error


def test_a_command_that_gets_messages_names_the_one_that_explains_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log"
    path.write_text("I0211 15:35:46.498872       1 scale_up.go:441] No expansion options\n")
    assert main(["pending", str(path)]) == 2
    assert f"kschedui decode - < {path}" in capsys.readouterr().err
