"""Measure the memory of `kschedui record` with a simulated API server of a large cluster that keeps changing.

Run by hand: tests/bench/bench_record.py [MINUTES [NODES [PODS [EVENTS_A_SECOND]]]]; the defaults are 3 5000 10000 100.
The time is virtual: the server sends the changes of a second at once, as fast as they are read. Prints the resident
memory after the lists, after each minute, and after the file is written.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kubernetes import client

from kschedui.recording.api_server import ApiServer
from kschedui.recording.recorder import Recorder

Manifest = dict[str, Any]
PAGE = 1 << 20


def node(number: int) -> Manifest:
    """Return a node as a kubelet writes it, with the fields that make it long."""
    capacity = {"cpu": "16", "memory": "64Gi", "pods": "110", "ephemeral-storage": "200Gi"}
    images = [{"names": [f"registry.example/image-{k}@sha256:{k:064x}"], "sizeBytes": 10**8} for k in range(20)]
    labels = {"kubernetes.io/hostname": f"node-{number}", "topology.kubernetes.io/zone": f"zone-{number % 3}"}
    status = {
        "capacity": capacity,
        "allocatable": capacity,
        "images": images,
        "nodeInfo": {"kubeletVersion": "v1.36.2"},
    }
    return {"metadata": {"name": f"node-{number}", "labels": labels}, "spec": {}, "status": status}


def pod(number: int, node_name: str = "") -> Manifest:
    """Return a pod with the environment and the managed fields that a recording leaves out."""
    environment = [{"name": f"VARIABLE_{k}", "value": "x" * 40} for k in range(20)]
    requests = {"cpu": "100m", "memory": "128Mi"}
    container = {
        "name": "main",
        "image": "registry.example/web:1",
        "env": environment,
        "resources": {"requests": requests},
    }
    spec: Manifest = {"containers": [container], "schedulerName": "default-scheduler"}
    metadata = {
        "name": f"pod-{number}",
        "namespace": "default",
        "uid": f"uid-{number}",
        "managedFields": [{"f": "x" * 800}],
    }
    return {"metadata": metadata, "spec": spec | ({"nodeName": node_name} if node_name else {}), "status": {}}


class Cluster:
    """A cluster that changes at constant size: a pod is created, fails once and is bound, and the oldest is deleted."""

    def __init__(self, nodes: int, pods: int, rate: int, seconds: int) -> None:
        self.nodes, self.pods, self.rate, self.seconds = nodes, pods, rate, seconds
        self.virtual_second = 0
        self.over = threading.Event()

    def listed(self, name: str) -> Iterator[Manifest]:
        if name == "nodes":
            yield from (versioned(node(number), number + 1) for number in range(self.nodes))
        if name == "pods":
            yield from (
                versioned(pod(number, f"node-{number % self.nodes}"), 10_000 + number) for number in range(self.pods)
            )

    def watched(self, name: str) -> Iterator[Manifest]:
        """Yield the watch events of a resource, one virtual second after another.

        There are as many of pods as of Events, and none of other resources.
        """
        for second in range(self.seconds if name in ("pods", "events") else 0):
            for turn in range(self.rate // 6):
                number = self.pods + second * (self.rate // 6) + turn
                version = 1_000_000 + 10 * number
                if name == "pods":
                    self.virtual_second = second
                    yield {"type": "ADDED", "object": versioned(pod(number), version)}
                    yield {
                        "type": "MODIFIED",
                        "object": versioned(pod(number, f"node-{number % self.nodes}"), version + 3),
                    }
                    yield {"type": "DELETED", "object": versioned(pod(number - self.pods), version + 5)}
                else:
                    yield from (
                        event(number, version + 1 + k, reason)
                        for k, reason in enumerate(("FailedScheduling", "Scheduled", "Pulled"))
                    )


def event(number: int, version: int, reason: str) -> Manifest:
    about = {"kind": "Pod", "namespace": "default", "name": f"pod-{number}", "uid": f"uid-{number}"}
    message = "0/5000 nodes are available: 5000 Insufficient cpu." if reason == "FailedScheduling" else "..."
    metadata = {"namespace": "default", "name": f"pod-{number}.{reason}"}
    item = {"metadata": metadata, "involvedObject": about, "reason": reason, "message": message, "count": 1}
    return {"type": "ADDED", "object": versioned(item, version)}


def versioned(item: Manifest, version: int) -> Manifest:
    item["metadata"]["resourceVersion"] = str(version)
    return item


def serve(cluster: Cluster) -> ThreadingHTTPServer:
    """Return an API server with a free port, which does not serve yet."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            name = parts.path.rpartition("/")[2]
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if "watch" in query:
                for item in cluster.watched(name):
                    self._send(json.dumps(item).encode() + b"\n")
                cluster.over.wait()
            elif name == "version":
                self._send(b'{"gitVersion": "v1.36.2"}')
            else:
                self._send(json.dumps(self._page(name, query)).encode())
            self.wfile.write(b"0\r\n\r\n")

        def _page(self, name: str, query: dict[str, str]) -> Manifest:
            start, limit = int(query.get("continue", 0)), int(query["limit"])
            items = list(cluster.listed(name))
            more = {"continue": str(start + limit)} if start + limit < len(items) else {}
            return {"metadata": {"resourceVersion": "900000", **more}, "items": items[start : start + limit]}

        def _send(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

        def log_message(self, *words: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    return server


def resident() -> float:
    """Return the resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    minutes, nodes, pods, rate = [*map(int, sys.argv[1:]), *(3, 5000, 10_000, 100)[len(sys.argv) - 1 :]]
    cluster = Cluster(nodes, pods, rate, minutes * 60)
    import os

    reading, writing = os.pipe()
    child = os.fork()  # the server's memory is not the recorder's
    if not child:
        server = serve(cluster)
        os.write(writing, f"{server.server_address[1]}\n".encode())
        server.serve_forever()
    port = int(os.read(reading, 16))
    try:
        record(port, minutes, rate)
    finally:
        os.kill(child, 9)


def record(port: int, minutes: int, rate: int) -> None:
    configuration = client.Configuration()
    configuration.host = f"http://127.0.0.1:{port}"
    configuration.connection_pool_maxsize = 64
    recorder = Recorder(ApiServer(client.ApiClient(configuration)))
    began = time.process_time()
    recorder.begin()
    listed = recorder.progress().objects
    print(f"{listed:,} objects listed: {resident():.0f} MB, {time.process_time() - began:.1f} s of CPU")
    a_minute = 60 * (rate // 6) * 5  # five of six changes are recorded: "Pulled" is about no decision
    printed = 0

    def show(progress: Any) -> None:
        nonlocal printed
        while printed < minutes and progress.changes >= (printed + 1) * a_minute:
            printed += 1
            print(f"minute {printed}, {progress.changes:,} changes: {resident():.0f} MB", flush=True)
        if printed == minutes:
            recorder.stop.set()

    recorder.watch(None, show=show)
    with TemporaryDirectory() as folder, (Path(folder) / "recorded.yaml").open("w") as out:
        recorder.recording.write(out)
        print(f"written, {out.tell() / 1e6:.0f} MB: {resident():.0f} MB, {time.process_time() - began:.1f} s of CPU")


if __name__ == "__main__":
    main()
