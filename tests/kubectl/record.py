"""Record what the real kubectl prints of the nodes and pods of this project's scenarios.

    python -m tests.kubectl.record KUBE_APISERVER KUBECTL...

Needs `etcd` on the path, a kube-apiserver, and one kubectl for each release. Writes printed.tar.xz beside this file:
SCENARIO/objects.json, as the API server has them, and SCENARIO/RELEASE/COMMAND.txt.
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
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.core.ask.operations.clusters import text as random_cluster

Manifest = dict[str, Any]

PRINTED = Path(__file__).with_name("printed.tar.xz")
COMMANDS = {
    "describe-nodes": ("describe", "nodes"),
    "describe-pods": ("describe", "pods", "--all-namespaces"),
    "get-nodes": ("get", "nodes"),
    "get-pods": ("get", "pods", "--all-namespaces"),
    "get-nodes-wide": ("get", "nodes", "--output", "wide"),
    "get-pods-wide": ("get", "pods", "--all-namespaces", "--output", "wide"),
}
FOLDERS = ("kschedui/scenarios/lessons", "kschedui/scenarios/starters", "tests/conformance/classic")
SEEDS = range(40)
PORT = 16443
TOKEN = "recorder"
WITHOUT_CHECK = ssl._create_unverified_context()


def scenarios() -> Iterator[tuple[str, str]]:
    """Yield name and text of each scenario that is recorded."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.yaml")):
            if path.stat().st_size < 20_000:
                yield f"{path.parent.name}-{path.stem}", path.read_text()
    for seed in SEEDS:
        yield f"random-{seed}", random_cluster(seed)


def objects_of(text: str) -> list[Manifest]:
    """Return the nodes and pods of a scenario."""
    documents = [one for one in yaml.safe_load_all(text) if isinstance(one, dict)]
    documents = [item for one in documents for item in (one["items"] if one.get("kind") == "List" else [one])]
    return [one for one in documents if one.get("kind") in ("Node", "Pod")]


@contextmanager
def api_server(binary: str) -> Iterator[None]:
    """Run etcd and a kube-apiserver that admits whatever is valid."""
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
    """Send one request; return the object of the answer. Raises HTTPError."""
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
    """Create an object with its status; a pod that names its node runs."""
    metadata = one["metadata"]
    if one["kind"] == "Node":
        request("POST", "/api/v1/nodes", {"apiVersion": "v1", **one})
        return
    namespace = metadata.setdefault("namespace", "default")
    try:
        request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise
    path = f"/api/v1/namespaces/{namespace}/pods"
    for unresolved in ("priorityClassName", "preemptionPolicy"):  # whose class is not created
        one["spec"].pop(unresolved, None)
    for container in (*one["spec"].get("containers", ()), *one["spec"].get("initContainers", ())):
        container.setdefault("image", "example.com/app:1")
    made = request("POST", path, {"apiVersion": "v1", **one})
    if one["spec"].get("nodeName"):
        status = {**made["status"], "phase": "Running"}
        request("PUT", f"{path}/{metadata['name']}/status", {**made, "status": status})


def delete_all() -> None:
    """Delete every node and pod at once."""
    for pod in request("GET", "/api/v1/pods")["items"]:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        request("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}?gracePeriodSeconds=0")
    request("DELETE", "/api/v1/nodes")


def listed(kind: str) -> list[Manifest]:
    """Return the objects of a kind, without who wrote which field."""
    objects = [{"apiVersion": "v1", "kind": kind, **one} for one in request("GET", f"/api/v1/{kind.lower()}s")["items"]]
    for one in objects:
        one["metadata"].pop("managedFields", None)
    return objects


def printed(kubectl: str, *arguments: str) -> str:
    """Return what a kubectl prints."""
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

        for name, text in scenarios():
            try:
                for one in objects_of(text):
                    create(one)
            except urllib.error.HTTPError as error:
                print(name, error.code, error.read().decode()[:300])
                delete_all()
                continue
            objects = [*listed("Node"), *listed("Pod")]
            if objects:
                write(f"{name}/objects.json", json.dumps(objects, sort_keys=True, indent=1))
                for release, kubectl in releases.items():
                    for command, arguments in COMMANDS.items():
                        write(f"{name}/{release}/{command}.txt", printed(kubectl, *arguments))
            delete_all()
            print(name, len(objects), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
