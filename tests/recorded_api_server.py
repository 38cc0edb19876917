"""An API server that replays the recorded conversation of a real one over HTTP.

A list gets the pages of the next recorded list of its address, a watch the recorded watch that began at its resource
version; connections that were lost are lost again. A request that was not recorded gets 404; a watch that was not
recorded stays open for a minute.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Exchange = dict[str, Any]


class Conversation:
    """The recorded exchanges of one account, by address, in the order in which they began.

    `left`: the number of watches that have not been replayed. `requests`: the addresses requested so far.
    """

    def __init__(self, exchanges: Iterable[Exchange], *, user: str = "recorder") -> None:
        self.lock = threading.Lock()
        self.requests: list[str] = []
        self.lists: dict[str, deque[list[Exchange]]] = defaultdict(deque)
        self.watches: dict[tuple[str, str], deque[Exchange]] = defaultdict(deque)
        self.plain: dict[str, Exchange] = {}
        self.pages: dict[tuple[str, str], Exchange] = {}
        for exchange in sorted(exchanges, key=lambda one: one["n"]):
            if exchange["user"] == user:
                self._add(exchange)
        self.left = sum(map(len, self.watches.values()))

    def _add(self, exchange: Exchange) -> None:
        path, query = _split(exchange["path"])
        purpose = exchange["purpose"]
        if purpose.startswith("watch ") and purpose[6:7].isdigit():
            self.watches[path, query.get("resourceVersion", "")].append(exchange)
        elif purpose.startswith(("first reading: list page 1", "list again after 410: list page 1")):
            self.lists[path].append([exchange])
        elif purpose.startswith(("first reading", "list again")):
            self.lists[path][-1].append(exchange)
        elif purpose == "discovery":
            self.plain[path] = exchange

    def answer(self, target: str) -> Exchange | None:
        """Return the exchange to answer with, or None if nothing was recorded or all of it was replayed."""
        path, query = _split(target)
        with self.lock:
            self.requests.append(target)
            if "watch" in query:
                waiting = self.watches.get((path, query.get("resourceVersion", "")))
                if waiting:
                    self.left -= 1
                    return waiting.popleft()
                return None
            if "continue" in query:
                return self.pages.pop((path, query["continue"]), None)
            if self.lists.get(path):
                first, *rest = self.lists[path].popleft()
                before = first
                for page in rest:
                    self.pages[path, json.loads(before["body"])["metadata"]["continue"]] = page
                    before = page
                return first
            return self.plain.get(path)


def serve(conversation: Conversation) -> ThreadingHTTPServer:
    """Return a running server on a free port of this machine; `shutdown` ends it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            exchange = conversation.answer(self.path)
            if exchange is None and "watch=1" in self.path:
                server.over.wait(60)
                self._plain(200, "")
            elif exchange is None:
                self._plain(404, "404 page not found\n")
            elif exchange["status"] is None:
                self.close_connection = True
            elif exchange.get("lines") is not None:
                self._watch(exchange)
            else:
                self._plain(exchange["status"], exchange.get("body") or "", dict(exchange.get("headers") or ()))

        def _plain(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", (headers or {}).get("Content-Type", "application/json"))
            if "Retry-After" in (headers or {}):
                self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def _watch(self, exchange: Exchange) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _, line in exchange["lines"]:
                data = line.encode() + b"\n"
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            if exchange["end"] == "client stopped":
                self.wfile.flush()
                server.over.wait(60)
            if exchange["end"] in ("server", "client stopped"):
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.wfile.flush()
                self.close_connection = True
                self.connection.shutdown(2)

        def log_message(self, *words: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.over = threading.Event()  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


def _split(target: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(target)
    return parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}
