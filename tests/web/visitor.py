"""A visitor of a running site: HTTP with cookies, and websockets that store their messages."""

import json
import socket
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from kschedui.runs import frames
from kschedui.supervisor.ports import wait_until

LONG = 300.0  # seconds; reached only if something is broken


class Visitor:
    """A visitor with their own cookies on the site at `url`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests = 0  # the number sent so far
        self.cookies = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> tuple[int, bytes]:
        """Send a GET request; return status and body."""
        return self.send(urllib.request.Request(self.url + path))

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        """Send JSON; return status and JSON."""
        self.get("/new/")  # for the CSRF token
        token = next(cookie.value for cookie in self.cookies if "csrf" in cookie.name)
        headers = {"Content-Type": "application/json", "X-CSRFToken": token or "", "Referer": self.url}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers, method="POST")
        status, answer = self.send_and_wait(request)
        return status, json.loads(answer)

    def send_and_wait(self, request: urllib.request.Request) -> tuple[int, bytes]:
        """Send a request, and return status and body; if a worker answers it, wait for that answer."""
        status, body = self.send(request)
        if status != 202:
            return status, body
        url = json.loads(body)["url"]
        assert wait_until(lambda: self.upload(url)["state"] not in ("queued", "running"), LONG), self.upload(url)
        assert self.upload(url)["state"] == "done", self.upload(url)
        return self.get(self.upload(url)["answer"])

    def upload(self, url: str) -> dict[str, Any]:
        """Return the state of a large request that a worker answers."""
        status, body = self.get(url)
        assert status == 200, body
        found: dict[str, Any] = json.loads(body)
        return found

    def send(self, request: urllib.request.Request) -> tuple[int, bytes]:
        """Send a request; return status and body, also if it is refused."""
        self.requests += 1
        try:
            with self.opener.open(request, timeout=LONG) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def save(self, text: str) -> str:
        """Save a scenario, and return the id of its run."""
        status, saved = self.post("/api/v1/scenarios", text=text)
        assert status == 201, saved
        run: str = saved["run"]
        return run

    def run(self, run: str) -> dict[str, Any]:
        """Return the run's state."""
        status, body = self.get(f"/api/v1/runs/{run}")
        assert status == 200, body
        found: dict[str, Any] = json.loads(body)
        return found

    def wait_for(self, run: str, *states: str) -> dict[str, Any]:
        """Wait until the run is in one of the states, and return it."""
        assert wait_until(lambda: self.run(run)["state"] in states, LONG), self.run(run)
        return self.run(run)

    def frames(self, run: str) -> list[bytes]:
        """Return all stored frames, read over HTTP."""
        found = [self.get(f"/api/v1/runs/{run}/chunks/{seq}") for seq in range(self.run(run)["chunks"])]
        assert all(status == 200 for status, _ in found)
        return [body for _, body in found]

    def socket(self, *, origin: str | None = None, sock: socket.socket | None = None, **more: Any) -> ClientConnection:
        """Return an open websocket with this visitor's cookies."""
        address = "ws://" + urlsplit(self.url).netloc + "/ws/run/"
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies)
        headers = {"Cookie": cookies} if cookies else {}
        return connect(address, origin=origin or self.url, additional_headers=headers, sock=sock, max_size=None, **more)


class Follower:
    """A client that follows a run as the player does.

    A chunk with the number of the cursor is taken; one below is ignored; above it, the follower subscribes again.
    """

    def __init__(self, visitor: Visitor, run: str) -> None:
        self.visitor = visitor
        self.run = run
        self.taken: list[bytes] = []
        self.texts: list[dict[str, Any]] = []

    def follow(self, *, most: int | None = None) -> None:
        """Follow the run to its end, or until `most` more chunks are taken; then close the connection."""
        with self.visitor.socket() as connection:
            self.subscribe(connection)
            goal = len(self.taken) + most if most else None
            while goal is None or len(self.taken) < goal:
                message = connection.recv(timeout=LONG)
                if isinstance(message, bytes):
                    self.take(connection, message)
                else:
                    self.texts.append(json.loads(message))
                    if self.texts[-1]["type"] == "end":
                        return

    def subscribe(self, connection: ClientConnection) -> None:
        """Subscribe from the cursor on."""
        connection.send(json.dumps({"type": "subscribe", "run": self.run, "cursor": len(self.taken)}))

    def take(self, connection: ClientConnection, frame: bytes) -> None:
        """Handle a chunk by the client's rule."""
        seq = frames.header_of(frame).seq
        if seq == len(self.taken):
            self.taken.append(frame)
        elif seq > len(self.taken):
            self.subscribe(connection)
