"""The address of a visitor behind a proxy does not depend on an X-Forwarded-For header that the visitor sends."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from tests.conftest import ROOT

VISITOR = "203.0.113.5"
FORGED = [
    "",
    "198.51.100.7",
    "127.0.0.1",
    "10.0.0.1, 172.16.0.1",
    "unknown",
    "198.51.100.7, 198.51.100.8",
    ",,,",
    "\u00e9",
]


def compose() -> str:
    """Return the networks of the trusted proxies in Docker Compose."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return str(services["web"]["environment"]["FORWARDED_ALLOW_IPS"])


def manifests() -> str:
    """Return the networks of the trusted proxies in the Kubernetes manifests."""
    documents = yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text())
    config = next(document for document in documents if document["kind"] == "ConfigMap")
    return str(config["data"]["FORWARDED_ALLOW_IPS"])


def client_behind(trusted: str, proxy: str, forwarded: str) -> str:
    """Return the address that the application sees."""
    seen: list[str] = []

    async def application(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])

    headers = [(b"x-forwarded-for", forwarded.encode("latin-1"))]
    scope: Any = {"type": "http", "scheme": "http", "client": (proxy, 40000), "headers": headers}
    asyncio.run(ProxyHeadersMiddleware(application, trusted)(scope, None, None))  # type: ignore[arg-type]
    return seen[0]


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize(("trusted", "proxy"), [(compose(), "172.18.0.5"), (manifests(), "10.244.1.7")])
def test_a_proxy_that_extends_the_header_is_read_from_the_right(trusted: str, proxy: str, forged: str) -> None:
    assert client_behind(trusted, proxy, f"{forged}, {VISITOR}") == VISITOR


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("trusted", [compose(), manifests()])
def test_a_visitor_who_is_no_proxy_cannot_say_who_they_are(trusted: str, forged: str) -> None:
    assert client_behind(trusted, VISITOR, forged) == VISITOR


def test_the_shipped_proxy_sends_one_address_which_it_takes_from_the_right() -> None:
    caddy = (ROOT / "deploy" / "Caddyfile").read_text()
    assert re.search(r"^\s*trusted_proxies_strict$", caddy, re.MULTILINE)
    assert re.search(r"^\s*header_up X-Forwarded-For \{client_ip\}$", caddy, re.MULTILINE)


def test_a_site_that_would_believe_everybody_does_not_start() -> None:
    env = {**os.environ, "FORWARDED_ALLOW_IPS": "*"}
    started = subprocess.run([sys.executable, "manage.py", "check"], cwd=ROOT, env=env, capture_output=True, text=True)
    assert started.returncode != 0
    assert "FORWARDED_ALLOW_IPS must name the addresses or networks of your proxies" in started.stderr
