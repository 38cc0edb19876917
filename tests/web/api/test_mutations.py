"""Randomly changed requests and manifests: no answer is a 5xx, and none takes long.

`make test` sends a sample; `make test-mutations` sends 20,000 requests and 2,000 manifests.
"""

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kschedui.library import FOLDER
from kschedui.models import Run
from kschedui.runs import store as runs
from kschedui.web.http import health
from tests.builders import node, pod, scenario
from tests.web.conftest import SMALL, Browser

REQUESTS = int(os.environ.get("KSCHEDUI_MUTATIONS", "400"))
MANIFESTS = max(1, REQUESTS // 10)
LONGEST_SECONDS = 5.0

ODD = [
    "",
    "0",
    "-1",
    "99999999999999999999",
    "null",
    "../../etc",
    "%00",
    "a" * 400,
    "\u202e",
    "é",
    "{}",
    "' OR 1=1",
    "NaN",
]
VALUES: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1.5e308,
    "",
    "x" * 5_000,
    [],
    {},
    [[]] * 50,
    {"a": {"b": []}},
    "\u0000",
    "\ud800",
]
HEADERS = {
    "HTTP_ACCEPT_LANGUAGE": ["zz", "en;q=9", "zh-hans," * 200, "\u00ff"],
    "HTTP_COOKIE": ["a=b", "kschedui_session=\x00", "kschedui_editor=::", "=;=;", "kschedui_csrf=" + "x" * 3_000],
    "HTTP_HOST": ["localhost", "localhost:99999", "a b", "[::1"],
    "HTTP_IF_NONE_MATCH": ['"', "*", "W/"],
    "HTTP_RANGE": ["bytes=9-1", "bytes=a"],
    "CONTENT_TYPE": ["text/plain", "multipart/form-data", "application/json; charset=nonsense", "\u00ff"],
}
METHODS = ["get", "post", "head", "put", "delete", "options", "patch"]


def paths(run: Run) -> list[str]:
    """Return the paths to mutate: pages and API calls about a run and its scenario, and some that do not exist."""
    sid = run.version.scenario.public_id
    page, api = f"/s/{sid}", f"/api/v1/runs/{run.public_id}"
    files = ["scenario.yaml", "events.jsonl", "decisions.jsonl", "trace.json", "picture.svg", "qr.svg"]
    return [
        *(
            f"{page}/{end}"
            for end in ("", "edit/", "fork/", "settings", "delete", "restore", "diff/1/1/", "v/1/", "v/1/run/")
        ),
        *(f"{page}/v/1/{file}" for file in files),
        *(
            f"{api}{end}"
            for end in ("", "/chunks/0", "/cancel", "/explain/1?nodes=n1", "/objects/Pod/default/a", "/events")
        ),
        *(
            f"/api/v1/{end}"
            for end in ("check", "preview", "import", "scenarios", f"scenarios/{sid}", "catalogue", "me")
        ),
        *(f"/api/v1/scenarios/{sid}/{end}" for end in ("", "versions", "versions/1", "versions/1/compare")),
        *("/", "/new/", f"/new/?from={sid}", "/library/nothing/", f"/embed/{sid}/v/1/", "/plugins/NodeAffinity/"),
        *("/accounts/login/", "/accounts/signup/", "/accounts/mine/", "/accounts/logout/", "/claim/x/", "/admin/"),
        *("/language", "/healthz", "/readyz", "/livez", "/favicon.ico"),
    ]


def mutated_path(path: str, rng: random.Random) -> str:
    """Return the path, perhaps with a changed part, an additional part, or a query."""
    parts = path.split("/")
    if rng.random() < 0.4:
        parts[rng.randrange(1, len(parts))] = rng.choice(ODD)
    if rng.random() < 0.1:
        parts.append(rng.choice(ODD))
    query = f"?{rng.choice(['nodes', 'from', 'engine', 'next', 'q'])}={rng.choice(ODD)}" if rng.random() < 0.3 else ""
    return ("/".join(parts) or "/") + query


def mutated_body(rng: random.Random) -> Any:
    """Return a body: JSON with odd values, or random bytes."""
    if rng.random() < 0.2:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(60)))
    fields = ["text", "parent", "version", "fork_of", "username", "password", "title", "visibility", "next"]
    body: dict[str, Any] = {name: rng.choice([*VALUES, SMALL]) for name in fields if rng.random() < 0.5}
    return json.dumps(body if rng.random() < 0.9 else [body]).encode()


def requests(run: Run, count: int) -> Iterator[tuple[str, str, bytes, dict[str, str]]]:
    """Yield method, address, body and headers of random requests."""
    rng = random.Random(16)
    known = paths(run)
    for _ in range(count):
        method = rng.choice(METHODS[:2] * 5 + METHODS)
        headers = {name: rng.choice(values) for name, values in HEADERS.items() if rng.random() < 0.1}
        headers.setdefault("CONTENT_TYPE", rng.choice(["application/json", "application/x-www-form-urlencoded"]))
        yield method, mutated_path(rng.choice(known), rng), mutated_body(rng), headers


def timed(ask: Callable[[], Any]) -> tuple[Any, float]:
    """Return the answer, and the seconds of processor time that it took in this process."""
    begun = time.process_time()
    return ask(), time.process_time() - begun


@pytest.fixture
def _without_limits(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable rate limits, and act as if the broker answered."""
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**9)
    settings.LIMITS = {**settings.LIMITS, "browser_bytes": 10**12, "address_day_bytes": 10**12}
    monkeypatch.setattr(health, "broker_answers", lambda: True)
    monkeypatch.setattr(runs, "enqueue", lambda public_id: None)


@pytest.mark.usefixtures("_without_limits")
def test_no_mutated_request_fails_or_takes_long(author: Browser, finished: Run) -> None:
    author.raise_request_exception = False
    failed, slowest = [], 0.0
    for method, path, body, headers in requests(finished, REQUESTS):
        kind = headers.pop("CONTENT_TYPE")
        answer, seconds = timed(
            lambda: author.generic(method.upper(), path, body, content_type=kind, **headers)  # noqa: B023
        )
        slowest = max(slowest, seconds)
        if answer.status_code >= 500 or seconds > LONGEST_SECONDS:
            failed.append((answer.status_code, method, path, body[:80], headers, round(seconds, 1)))
    print(f"{REQUESTS} requests, {len(failed)} failed, the slowest took {slowest:.2f} s")
    assert not failed


def texts() -> list[str]:
    """Return manifests of every kind: those of the lessons, and small ones."""
    lessons = [path.read_text() for path in sorted(FOLDER.glob("*.yaml")) if path.stat().st_size < 20_000]
    return [SMALL, scenario(node("n1"), pod("a")), *lessons]


def mutated_text(text: str, rng: random.Random) -> str:
    """Return the text with characters, words or lines removed, duplicated, moved, or replaced by odd ones."""
    for _ in range(rng.randrange(1, 5)):
        lines = text.split("\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                del lines[i]
            case 1:
                lines.insert(j, lines[i])
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3:
                lines[i] = lines[i].replace(":", f": {rng.choice(ODD)} ", 1)
            case 4:
                lines[i] = " " * rng.randrange(9) + lines[i].lstrip()
            case _:
                place = rng.randrange(len(lines[i]) + 1)
                lines[i] = lines[i][:place] + rng.choice("{}[]&*!|>'\"%@`,?-#\t0:") + lines[i][place:]
        text = "\n".join(lines) or "x"
    return text


@pytest.mark.usefixtures("_without_limits")
def test_no_mutated_manifest_fails_or_takes_long(author: Browser) -> None:
    author.raise_request_exception = False
    rng, known, failed, slowest = random.Random(17), texts(), [], 0.0
    for _ in range(MANIFESTS):
        text = mutated_text(rng.choice(known), rng)
        endpoint = rng.choice(["/api/v1/check", "/api/v1/preview", "/api/v1/import", "/api/v1/scenarios"])
        answer, seconds = timed(lambda: author.post_json(endpoint, text=text))  # noqa: B023
        slowest = max(slowest, seconds)
        if answer.status_code >= 500 or seconds > LONGEST_SECONDS:
            failed.append((answer.status_code, endpoint, round(seconds, 1), text[:2_000]))
    print(f"{MANIFESTS} manifests, {len(failed)} failed, the slowest took {slowest:.2f} s")
    assert not failed
