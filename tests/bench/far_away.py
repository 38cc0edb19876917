"""A TCP proxy that adds a delay to every round trip, as if the server were far away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


@contextmanager
def far_away(url: str, milliseconds: float) -> Iterator[str]:
    """Yield the address of a proxy for `url` with this time for a round trip.

    It is added once to open a connection, and once for each request.
    """
    place = urlsplit(url)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def listen() -> asyncio.Server:
        host, port = str(place.hostname), int(place.port or 80)
        return await loop.create_server(lambda: FromClient(host, port, milliseconds / 1000), "127.0.0.1", 0)

    try:
        server = asyncio.run_coroutine_threadsafe(listen(), loop).result()
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


class End(asyncio.Protocol):
    """One end of a connection; data reaches the other end half a round trip later, in order."""

    def __init__(self, round_trip: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.round_trip = round_trip
        self.open_from = 0.0  # the earliest time at which data could be sent
        self.transport: asyncio.Transport | None = None
        self.waiting: list[bytes] = []
        self.other: End

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        for data in self.waiting:
            self.send(data)

    def data_received(self, data: bytes) -> None:
        self.later(self.other.send, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.later(self.other.send, b"")

    def later(self, deliver: object, data: bytes) -> None:
        self.loop.call_at(max(self.loop.time(), self.open_from) + self.round_trip / 2, deliver, data)  # type: ignore[arg-type]

    def send(self, data: bytes) -> None:
        if self.transport is None:
            self.waiting.append(data)
        elif data:
            self.transport.write(data)
        else:
            self.transport.close()


class FromClient(End):
    """The client's end: connects to the server after the time that the client's handshake takes."""

    def __init__(self, host: str, port: int, round_trip: float) -> None:
        super().__init__(round_trip)
        self.open_from = self.loop.time() + round_trip
        self.other = End(round_trip)
        self.other.other = self
        self.connecting = self.loop.create_task(self.loop.create_connection(lambda: self.other, host, port))
