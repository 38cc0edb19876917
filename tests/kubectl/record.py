"""Record the output of kubectl about the nodes, pods and events of this project's scenarios after a run.

    python -m tests.kubectl.record KUBE_APISERVER KUBECTL...

Needs `etcd` on the path, a kube-apiserver, and a kubectl of each release. Writes printed.tar.xz next to this file:
SCENARIO/objects.json, as the API server has them, SCENARIO/RELEASE/COMMAND.txt, and SCENARIO/RELEASE/time.txt, the time
before the first command. The texts here are of kube-apiserver 1.36.3 and kubectl 1.27.16, 1.30.14 and 1.33.
"""

from __future__ import annotations

import io
import json
import ssl
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from scheduler_core import ScenarioError
from tests.conftest import ROOT
from tests.core.ask.operations.clusters import text as random_cluster
from tests.kubectl.clusters import cluster_of

Manifest = dict[str, Any]

PRINTED = Path(__file__).with_name("printed.tar.xz")
COMMANDS = {
    "describe-nodes": ("describe", "nodes"),
    "describe-pods": ("describe", "pods", "--all-namespaces"),
    "get-nodes": ("get", "nodes"),
    "get-pods": ("get", "pods", "--all-namespaces"),
    "get-nodes-wide": ("get", "nodes", "--output", "wide", "--show-labels"),
    "get-pods-wide": ("get", "pods", "--all-namespaces", "--output", "wide", "--show-labels"),
    "get-both": ("get", "nodes,pods", "--all-namespaces", "--output", "wide"),
    "get-events": ("get", "events", "--all-namespaces"),
    "get-events-wide": ("get", "events", "--all-namespaces", "--output", "wide"),
    "events": ("events", "--all-namespaces"),
}
FOLDERS = ("kschedui/scenarios/lessons", "kschedui/scenarios/starters", "tests/conformance/classic")
SEEDS = range(24)
PORT = 16443
TOKEN = "recorder"
WITHOUT_CHECK = ssl._create_unverified_context()


def scenarios() -> Iterator[tuple[str, str]]:
    """Yield the name and text of each scenario that is recorded."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.yaml")):
            if path.stat().st_size < 20_000:
                yield f"{path.parent.name}-{path.stem}", path.read_text()
    for seed in SEEDS:
        yield f"random-{seed}", random_cluster(seed)


@contextmanager
def api_server(binary: str) -> Iterator[None]:
    """Run etcd and a kube-apiserver without the admission plugins that would change or reject the objects."""
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder, "key")
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        Path(folder, "tokens").write_text(f'{TOKEN},recorder,1,"system:masters"\n')
        etcd = subprocess.Popen(
            ["etcd", "--data-dir", f"{folder}/etcd", "--listen-client-urls", "http://127.0.0.1:12379",
             "--advertise-client-urls", "http://127.0.0.1:12379", "--listen-peer-urls", "http://127.0.0.1:12380"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        server = subprocess.Popen(
            [binary, "--etcd-servers=http://127.0.0.1:12379", f"--secure-port={PORT}", "--bind-address=127.0.0.1",
             f"--cert-dir={folder}/certificates", f"--token-auth-file={folder}/tokens",
             "--authorization-mode=AlwaysAllow",
             "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={key}",
             f"--service-account-signing-key-file={key}", "--service-cluster-ip-range=10.96.0.0/16",
             "--disable-admission-plugins=ServiceAccount,Priority,DefaultTolerationSeconds,TaintNodesByCondition"],
            stdout=subprocess.DEVNULL, stderr=Path("/tmp/kube-apiserver.log").open("w"),  # noqa: SIM115 -- the recorder's log
        )  # fmt: skip
        try:
            for _ in range(120):
                try:
                    request("GET", "/readyz")
                    break
                except OSError:
                    time.sleep(1)
            yield
        finally:
            server.terminate()
            server.wait()
            etcd.terminate()
            etcd.wait()


def request(method: str, path: str, body: Manifest | None = None) -> Manifest:
    """Send one request; return the object in the answer, or {} if it has none. Raise HTTPError."""
    call = urllib.request.Request(
        f"https://127.0.0.1:{PORT}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(call, context=WITHOUT_CHECK, timeout=60) as answer:
        text = answer.read()
    return json.loads(text) if text.startswith(b"{") else {}


def create(one: Manifest) -> None:
    """Create an object with its status. One with a deletionTimestamp is then deleted; its finalizer delays that."""
    metadata = one["metadata"]
    if namespace := metadata.get("namespace"):
        with suppress_status(409):
            request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    path = path_of(one["kind"], namespace)
    deleted = metadata.pop("deletionTimestamp", None)
    if one["kind"] == "Event":  # `describe` finds the events of an object by its uid
        about = one["involvedObject"]
        pod = request("GET", f"{path_of('Pod', about['namespace'])}/{about['name']}")
        about["uid"] = pod["metadata"]["uid"]
    made = request("POST", path, {"apiVersion": "v1", **one})
    if one["kind"] == "Pod":
        request("PUT", f"{path}/{metadata['name']}/status", {**made, "status": one["status"]})
    if deleted:
        request("DELETE", f"{path}/{metadata['name']}?gracePeriodSeconds={len(metadata['name']) % 2 * 30}")


def path_of(kind: str, namespace: str | None = None) -> str:
    """Return the address of the objects of a kind."""
    group = "apis/coordination.k8s.io/v1" if kind == "Lease" else "api/v1"
    return f"/{group}{f'/namespaces/{namespace}' if namespace else ''}/{kind.lower()}s"


@contextmanager
def suppress_status(code: int) -> Iterator[None]:
    """Ignore an HTTP error with this status, such as 404 (the object is gone) or 409 (it exists already)."""
    try:
        yield
    except urllib.error.HTTPError as error:
        if error.code != code:
            raise


def delete_all() -> None:
    """Delete all pods, without a grace period, and all nodes, events and leases."""
    for pod in request("GET", "/api/v1/pods")["items"]:
        path = f"{path_of('Pod', pod['metadata']['namespace'])}/{pod['metadata']['name']}"
        if pod["metadata"].pop("finalizers", None):
            request("PUT", path, pod)
        with suppress_status(404):
            request("DELETE", f"{path}?gracePeriodSeconds=0")
    request("DELETE", "/api/v1/nodes")
    for kind in ("Event", "Lease"):
        for namespace in {one["metadata"]["namespace"] for one in request("GET", path_of(kind))["items"]}:
            request("DELETE", path_of(kind, namespace))


def listed(kind: str) -> list[Manifest]:
    """Return the objects of a kind, without managed fields."""
    objects = [{"apiVersion": "v1", "kind": kind, **one} for one in request("GET", f"/api/v1/{kind.lower()}s")["items"]]
    for one in objects:
        one["metadata"].pop("managedFields", None)
    return objects


def output_of(kubectl: str, *arguments: str) -> str:
    """Return the output of a kubectl command."""
    base = [kubectl, "--server", f"https://127.0.0.1:{PORT}", "--insecure-skip-tls-verify", "--token", TOKEN]
    return subprocess.run([*base, *arguments], check=True, capture_output=True, text=True).stdout


def release_of(kubectl: str) -> str:
    version = json.loads(
        subprocess.run([kubectl, "version", "--client", "--output", "json"], check=True, capture_output=True).stdout
    )
    return f"{version['clientVersion']['major']}.{version['clientVersion']['minor'].rstrip('+')}"


def main(binary: str, *kubectls: str) -> None:
    releases = {release_of(kubectl): kubectl for kubectl in kubectls}
    with api_server(binary), tarfile.open(PRINTED, "w:xz", preset=9) as archive:

        def write(name: str, text: str) -> None:
            entry = tarfile.TarInfo(name)
            data = text.encode()
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))

        for number, (name, text) in enumerate(scenarios()):
            try:
                for one in cluster_of(text, Random(number), datetime.now(UTC)):
                    create(one)
            except (urllib.error.HTTPError, ScenarioError) as error:
                print(name, error, error.read().decode()[:300] if isinstance(error, urllib.error.HTTPError) else "")
                delete_all()
                continue
            objects = [*listed("Node"), *listed("Pod"), *listed("Event")]
            if objects:
                write(f"{name}/objects.json", json.dumps(objects, sort_keys=True, indent=1))
                for release, kubectl in releases.items():
                    write(f"{name}/{release}/time.txt", datetime.now(UTC).isoformat())
                    for command, arguments in COMMANDS.items():
                        write(f"{name}/{release}/{command}.txt", output_of(kubectl, *arguments))
            delete_all()
            print(name, len(objects), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
