"""A recorded conversation with a real API server, served over HTTP, becomes a recording, which is replayed.

The conversation has paged lists, watches that end normally or are lost, a restart of the API server with 403 and 410
after it, and everything that a real kube-scheduler 1.36.2 decided meanwhile.
"""

from __future__ import annotations

import io
import json
import lzma
import threading
from collections import Counter
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client

from kschedui.cli import main
from kschedui.recording.api_server import ApiServer
from kschedui.recording.recorder import Recorder
from kschedui.recording.recording import Recording
from kschedui.recording.reflector import Seen
from kschedui.recording.resources import EVENTS, resources_to_import, resources_to_record
from tests.recorded_api_server import Conversation, serve

ROOT = Path(__file__).resolve().parents[3]
CONVERSATION = ROOT / "tests" / "recordings" / "conversation.jsonl.xz"
BINDINGS = 163
PATIENCE_SECONDS = 120
FAILURES = 272  # rows of FailedScheduling events
BEFORE_THE_FIRST_LIST = 45  # bindings that were made before the recorder's first list
BOUND_IN_THE_GAP = 3  # bindings of pods that were created while the API server was down


@pytest.fixture(scope="module")
def exchanges() -> list[dict[str, Any]]:
    with lzma.open(CONVERSATION, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def conversation(exchanges: list[dict[str, Any]]) -> Conversation:
    return Conversation(exchanges)


@pytest.fixture(scope="module")
def recording(conversation: Conversation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the recording of the whole conversation."""
    server = serve(conversation)
    recorder = Recorder(api_server(server))
    recorder.begin()
    watched = {resource.path() for resource in [*resources_to_record(), EVENTS]}
    waiting = threading.Thread(target=_stop_after, args=(conversation, watched, recorder.stop), daemon=True)
    waiting.start()
    recorder.watch(PATIENCE_SECONDS)
    path = tmp_path_factory.mktemp("recording") / "recorded.yaml"
    with path.open("w", encoding="utf-8") as out:
        recorder.recording.write(out)
    server.over.set()  # type: ignore[attr-defined]
    server.shutdown()
    return path


@pytest.fixture(scope="module")
def rows(recording: Path) -> list[dict[str, Any]]:
    """Return the rows that `kschedui replay` prints for the recording."""
    return replayed(recording)


def replayed(path: Path, *options: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        status = main.main(["replay", str(path), "--format", "json", "--quiet", *options])
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert status == any(row["verdict"] == "different" for row in rows)
    return rows


def api_server(server: ThreadingHTTPServer) -> ApiServer:
    configuration = client.Configuration()
    configuration.connection_pool_maxsize = 64
    configuration.host = f"http://127.0.0.1:{server.server_address[1]}"
    return ApiServer(client.ApiClient(configuration))


def _stop_after(conversation: Conversation, watched: set[str], stop: threading.Event) -> None:
    """Set `stop` 3 s after every recorded watch of these addresses has been requested, so that its last lines arrive.

    Return earlier if `stop` is set by others.
    """
    while not stop.is_set():
        left = sum(len(waiting) for (path, _), waiting in conversation.watches.items() if path in watched)
        if not left:
            stop.wait(3)
            stop.set()
        stop.wait(0.1)


def test_neither_secrets_nor_config_maps_are_requested(recording: Path, conversation: Conversation) -> None:
    assert recording.exists()
    assert not [target for target in conversation.requests if "secret" in target or "configmap" in target]


def test_every_binding_is_in_the_replay(rows: list[dict[str, Any]]) -> None:
    bound = [row["pod"] for row in rows if (row["observed"] or {}).get("node")]
    assert len(bound) == len(set(bound)) == BINDINGS


def test_every_decision_is_equal_or_a_tie_or_explained(rows: list[dict[str, Any]]) -> None:
    assert not [row for row in rows if row["verdict"] == "different"]
    assert all(row["reason"] for row in rows)
    bindings = Counter(row["verdict"] for row in rows if (row["observed"] or {}).get("node"))
    assert bindings["unknowable"] == BEFORE_THE_FIRST_LIST + BOUND_IN_THE_GAP
    assert bindings["equal"] + bindings["tie"] == BINDINGS - BEFORE_THE_FIRST_LIST - BOUND_IN_THE_GAP
    failures = Counter(row["verdict"] for row in rows if "message" in (row["observed"] or {}))
    assert failures["equal"] + failures["tie"] >= FAILURES - 1


def test_decisions_before_the_recording_and_in_its_gap_are_unknowable(rows: list[dict[str, Any]]) -> None:
    reasons = Counter(row["reason"].rpartition(": ")[2] for row in rows if row["verdict"] == "unknowable")
    assert reasons == {
        "the decision was made before the recording began.": BEFORE_THE_FIRST_LIST,
        "the cluster could not be watched at that time.": BOUND_IN_THE_GAP + 1,
    }


def test_a_row_has_the_documented_fields(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        assert {"pod", "time", "observed", "simulated", "verdict", "reason"} < row.keys()
        assert row["verdict"] in ("equal", "tie", "different", "unknowable")


def test_unobserved_fields_are_reported_once(recording: Path) -> None:
    *_, scenario = yaml.safe_load_all(recording.read_text())
    unobserved = [row["what"] for row in scenario["spec"]["unobserved"]]
    assert len(set(unobserved)) == len(unobserved)
    assert not [what for what in unobserved if what.startswith("resourceclaims.")]


def test_a_run_of_the_recording_ends_with_the_last_list(recording: Path, exchanges: list[dict[str, Any]]) -> None:
    """Pods that were deleted while the API server was down are gone too, although no watch reported it."""
    from scheduler_core import parse_scenario, simulate
    from scheduler_core.scenario.parse import Limits
    from scheduler_core.trace.events import RunFinished
    from scheduler_core.trace.summaries import pods_of

    scenario = parse_scenario(recording.read_text(), Limits(bytes=1 << 28))
    events = list(simulate(scenario))
    finished = next(event for event in events if isinstance(event, RunFinished))
    there = {pod.pod for pod in pods_of(events[0])} | set(finished.bound) | set(finished.pending)  # type: ignore[arg-type]
    there -= set(finished.deleted)
    pages = [one for one in exchanges if one["purpose"].startswith("last reading") and "/v1/pods" in one["path"]]
    last = [item for page in pages for item in json.loads(page["body"])["items"]]
    running = {
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        for pod in last
        if pod["status"].get("phase") not in ("Succeeded", "Failed")
    }
    assert running == there


def test_a_configuration_that_is_not_the_clusters_explains_less(
    rows: list[dict[str, Any]], recording: Path, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
        "- plugins: {score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality}]}}\n"
    )
    others = replayed(recording, "--config", str(config))
    equal = [sum(row["verdict"] in ("equal", "tie") for row in some) for some in (rows, others)]
    assert equal[1] < equal[0]


def test_an_account_that_may_not_list_nodes_gets_one_sentence(
    exchanges: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    forbidden = [
        {**one, "user": "recorder", "purpose": "first reading: list page 1"}
        for one in exchanges
        if one["purpose"] == "403: a user without rights on nodes"
    ]
    others = [one for one in exchanges if "/nodes" not in one["path"]]
    for command in (["import", "--cluster"], ["record", "--minutes", "1"]):
        server = serve(Conversation([*others, *forbidden]))
        answering = staticmethod(lambda context, server=server: api_server(server))
        monkeypatch.setattr(ApiServer, "of_kubeconfig", answering)
        assert main.main(command) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "this account may not list nodes" in error
        server.shutdown()


def test_an_imported_cluster_has_its_12_nodes_without_managed_fields(
    exchanges: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(Conversation(exchanges))
    monkeypatch.setattr(ApiServer, "of_kubeconfig", staticmethod(lambda context: api_server(server)))
    assert main.main(["import", "--cluster", "--quiet"]) == 0
    text = capsys.readouterr().out
    server.shutdown()
    assert text.count("kind: Node\n") == 12
    assert "managedFields" not in text


def test_import_wants_files_or_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["import"]) == 2
    assert "either files or --cluster" in capsys.readouterr().err


def test_the_cluster_role_allows_exactly_what_is_read() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    blocks = [rest.split("```")[0] for rest in text.split("```yaml")[1:]]
    role = next(yaml.safe_load(block) for block in blocks if "ClusterRole" in block)
    assert all(rule["verbs"] == ["get", "list", "watch"] for rule in role["rules"])
    allowed = {(group, name) for rule in role["rules"] for group in rule["apiGroups"] for name in rule["resources"]}
    read = [*resources_to_import(), *resources_to_record(), EVENTS]
    assert allowed == {(resource.group, resource.name) for resource in read}


@pytest.mark.parametrize("version", ["9" * 5000, "9" * 25, "opaque"])
def test_a_resource_version_that_is_no_64_bit_integer_has_the_place_of_the_newest_one(version: str) -> None:
    pods = next(resource for resource in resources_to_record() if resource.kind == "Pod")
    recording = Recording()
    for key, number in (("a", "7"), ("b", version)):
        made = {"metadata": {"name": key, "namespace": "default"}, "spec": {"containers": [{"name": "main"}]}}
        recording.take(Seen(pods, "applied", ("default", key), number, 1.0, made))
    assert recording.counts() == (0, 2)
