"""Stacks that a test may break, clients that read nothing, and the memory and processor time of a process."""

import json
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker, serve
from tests.web.visitor import Visitor

SMALL = scenario(*(node(f"n{i}", cpu=4) for i in range(4)), *(pod(f"p{i}", cpu=1) for i in range(60)))
ONE_POD = scenario(node("n1"), pod("only"))


def breakable(
    make_stack: StackMaker, *, processes: int = 1, experiments: int = 0, library: bool = False, **env: str
) -> Stack:
    """Return a separate running stack that detects a lost run quickly."""
    stack = make_stack(library=library, KSCHEDUI_RUN_LEASE_SECONDS="2", KSCHEDUI_REAPER_SECONDS="1", **env)
    stack.start_workers(runs=processes, experiments=experiments)
    serve(stack)
    return stack


def narrow_connection(visitor: Visitor) -> socket.socket:
    """Return a connection to the site with a small receive buffer, so that the system accepts little data for it."""
    address = urlsplit(visitor.url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((address.hostname, address.port))
    return connection


def deaf_socket(visitor: Visitor, run: str) -> socket.socket:
    """Return a websocket that subscribes to a run and then reads nothing."""
    host = urlsplit(visitor.url).netloc
    connection = narrow_connection(visitor)
    lines = [
        "GET /ws/run/ HTTP/1.1",
        f"Host: {host}",
        f"Origin: http://{host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    assert connection.recv(4096).startswith(b"HTTP/1.1 101")
    message = json.dumps({"type": "subscribe", "run": run, "cursor": 0}).encode()
    connection.sendall(bytes((0x81, 0x80 | len(message))) + bytes(4) + message)  # masked by zeros
    return connection


def deaf_request(visitor: Visitor, path: str) -> socket.socket:
    """Return a connection with a GET request whose answer is not read."""
    connection = narrow_connection(visitor)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {urlsplit(visitor.url).netloc}\r\n\r\n".encode())
    return connection


def megabytes(process: int) -> int:
    """Return the megabytes of memory that a process uses."""
    line = next(one for one in Path(f"/proc/{process}/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process so far, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# Replaces the chunks of a run by `frames` chunks of `size` random bytes each; for `manage.py shell`.
FILL = """
import os
from kschedui.models import Chunk, Run
from kschedui.runs import frames
run = Run.objects.get(public_id="{run}")
Chunk.objects.filter(run=run).delete()
for seq in range({frames}):
    body = os.urandom({size})
    known = (frames.MAGIC, frames.SCHEMA_VERSION, frames.CHECKED, seq, seq, 1, {size})
    frame = frames.HEADER.pack(*known, frames.checksum_of(frames.HEADER.pack(*known, 0), body)) + body
    Chunk.objects.create(run=run, seq=seq, first_step=seq, events=1, frame=frame)
Run.objects.filter(pk=run.pk).update(chunks={frames}, steps={frames}, bytes={frames} * {size}, state="done")
"""
