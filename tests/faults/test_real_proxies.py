"""Behind real proxies, a forged X-Forwarded-For changes nothing: Caddy with the shipped file, nginx that extends the
header, and nginx before Caddy.

Tests are skipped where the programs are not installed; .ci/run installs them. Each visitor has another loopback
address.
"""

import os
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from django.conf import settings

from kschedui.supervisor.ports import answers_http, free_port, wait_until
from kschedui.web.api.rates import MINUTE
from tests.conftest import ROOT, StackMaker, manage, serve
from tests.web.visitor import LONG

CADDY_HAS_STRICT = (2, 8)  # the version that brought trusted_proxies_strict
FORGED = ("198.51.100.{0}", "127.0.0.1", "10.0.0.{0}, 127.0.0.1", "unknown", "")
ADDRESSES = (f"127.0.1.{number}" for number in count(1))  # each visitor takes the next
NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxied;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {url};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
        }}
    }}
}}
"""


def caddy_program() -> str:
    program = shutil.which("caddy")
    if program is None:
        pytest.skip("Caddy is not installed")
    text = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.findall(r"\d+", text)[:2]))
    if version < CADDY_HAS_STRICT:
        pytest.skip(f"this Caddy is too old for the shipped file: {text.split()[0]}")
    return program


@contextmanager
def caddy(url: str, folder: Path) -> Iterator[str]:
    """Yield the address of Caddy, with the shipped file, in front of the web server at `url`."""
    program, address = caddy_program(), f"http://127.0.0.1:{free_port()}"
    shipped = (ROOT / "deploy" / "Caddyfile").read_text()
    text, found = re.subn(r"dynamic a \{[^}]*\}", f"to {urlsplit(url).netloc}", shipped)
    assert found == 1
    file = folder / "Caddyfile"
    file.write_text(text)
    homes = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "KSCHEDUI_SITE_ADDRESS": address}
    with running([program, "run", "--adapter", "caddyfile", "--config", str(file)], address, homes):
        yield address


@contextmanager
def nginx(url: str, folder: Path) -> Iterator[str]:
    """Yield the address of nginx in front of the server at `url`."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    port, file = free_port(), folder / "nginx.conf"
    file.write_text(NGINX.format(folder=folder, port=port, url=url))
    with running([program, "-e", "stderr", "-c", str(file)], f"http://127.0.0.1:{port}", {}):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def running(command: list[str], address: str, env: Mapping[str, str]) -> Iterator[None]:
    """Run a proxy until the block ends; the block starts once the proxy answers."""
    process = subprocess.Popen(command, env={**os.environ, **env})
    try:
        assert wait_until(lambda: answers_http(f"{address}/livez"), LONG)
        yield
    finally:
        process.terminate()
        process.wait(LONG)


@pytest.fixture(scope="module")
def site(stack_maker: StackMaker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a web server in production mode."""
    env = {"KSCHEDUI_ENV": "production", "SECRET_KEY": "x" * 60, "KSCHEDUI_HTTPS": "0"}
    stack = stack_maker(library=False, **env, KSCHEDUI_STATIC_ROOT=str(tmp_path_factory.mktemp("static")))
    manage(stack, "collectstatic", "--noinput", "--verbosity", "0")
    serve(stack)
    yield stack.url
    stack.stop()


@pytest.fixture(scope="module", params=["caddy", "nginx", "nginx before caddy"])
def proxy(request: pytest.FixtureRequest, site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the proxy that visitors connect to."""
    with ExitStack() as proxies:
        url = site
        for start in {"caddy": [caddy], "nginx": [nginx]}.get(request.param, [caddy, nginx]):
            url = proxies.enter_context(start(url, tmp_path_factory.mktemp("proxy")))
        yield url


def status_of(proxy: str, path: str, address: str, number: int, form: Mapping[str, str] | None = None) -> int:
    """Return the status for a visitor at the address who forges the header; a `form` is posted with a CSRF token."""
    connection = HTTPConnection(urlsplit(proxy).netloc, timeout=LONG, source_address=(address, 0))
    headers = {"X-Forwarded-For": FORGED[number % len(FORGED)].format(number)}
    connection.request("GET", "/accounts/login/" if form else path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    if form:
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        token = cookie.partition("=")[2]
        headers |= {"Cookie": cookie, "Referer": proxy, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", path, urlencode({**form, "csrfmiddlewaretoken": token}), headers)
        answer = connection.getresponse()
        answer.read()
    connection.close()
    return answer.status


def statuses_of(proxy: str, path: str, tries: int, form: Mapping[str, str] | None = None) -> tuple[Counter[int], int]:
    """Return the number of answers to a new visitor by status, and the number of clock minutes that they took.

    The limits are per clock minute.
    """
    address, begun = next(ADDRESSES), time.time()
    statuses = Counter(status_of(proxy, path, address, number, form) for number in range(tries))
    return statuses, 1 + int(time.time() // MINUTE - begun // MINUTE)


def test_wrong_codes_are_limited_by_the_address_of_the_connection(proxy: str) -> None:
    most = settings.RATE_LIMITS["code"]
    statuses, minutes = statuses_of(proxy, "/c/QQQQ/", 200)
    assert set(statuses) == {404, 429}
    assert most <= statuses[404] <= minutes * most
    assert status_of(proxy, "/c/QQQQ/", next(ADDRESSES), 1) == 404, "somebody else is not limited"


def test_wrong_passwords_are_limited_by_the_address_of_the_connection(proxy: str) -> None:
    most = settings.RATE_LIMITS["login"]
    form = {"username": next(ADDRESSES), "password": "wrong"}
    statuses, minutes = statuses_of(proxy, "/accounts/login/", 4 * most, form)
    assert set(statuses) == {200, 429}
    assert most <= statuses[200] <= minutes * most
