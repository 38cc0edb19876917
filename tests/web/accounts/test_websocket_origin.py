"""Only pages of this site may open a websocket."""

from typing import Any

import pytest

from kschedui.asgi import application
from kschedui.models import Run
from tests.web.sockets import Socket, in_loop

pytestmark = pytest.mark.django_db(transaction=True)

HERE = (b"host", b"localhost:8000")
ORIGINS = [
    (b"http://localhost:8000", True),
    (b"http://localhost:9000", False),
    (b"http://localhost", False),
    (b"https://localhost:8000", False),
    (b"http://evil.example", False),
    (b"http://localhost.evil.example:8000", False),
    (b"null", False),
    (b"", False),
    (b"http://[", False),
    (b"\xff", False),
    (b"https://lectures.example", True),
    (b"https://a.school.example", True),
    (b"http://a.school.example", False),
    (b"https://notschool.example", False),
]


@in_loop
@pytest.mark.parametrize(("origin", "ours"), ORIGINS)
async def test_only_pages_of_this_site_may_connect(origin: bytes, ours: bool, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://lectures.example", "https://*.school.example"]
    made = Socket(application, HERE, (b"origin", origin))
    assert await made.connect() is ours
    await made.disconnect()


@in_loop
@pytest.mark.parametrize(
    "headers",
    [
        [HERE],
        [HERE, (b"origin", b"http://localhost:8000"), (b"origin", b"http://evil.example")],
        [(b"host", b"evil.example"), (b"origin", b"http://evil.example")],
        [(b"host", b"a b"), (b"origin", b"http://a b")],
        [(b"origin", b"http://")],
    ],
    ids=["no origin", "two origins", "a name that leads here", "no host at all", "neither"],
)
async def test_a_handshake_that_no_browser_makes_here_is_refused(headers: list[tuple[bytes, bytes]]) -> None:
    assert not await Socket(application, *headers).connect()


@in_loop
async def test_behind_tls_the_origin_is_https(many: Run) -> None:
    for scheme, origin, ours in (("wss", b"https", True), ("wss", b"http", False), ("ws", b"https", False)):
        made = Socket(application, HERE, (b"origin", origin + b"://localhost:8000"))
        made.scope["scheme"] = scheme
        assert await made.connect() is ours
        await made.disconnect()
