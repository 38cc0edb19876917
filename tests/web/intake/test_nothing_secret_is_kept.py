"""A dump with marked secrets is imported in every way on a running site; then everything stored or sent is searched.

The requests of the page are tested in `tests/e2e/test_editor_files.py`.
"""

import gzip
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kschedui.cli.main import main
from kschedui.runs import frames
from tests.conftest import StackMaker, serve
from tests.dumps import SECRET, Cluster, as_json, as_yaml, listed
from tests.web.visitor import Visitor

DUMP = Cluster(nodes=3, pods=12, images=2, fields=3, waits=6).objects()
TEXTS = {"YAML": as_yaml(listed(DUMP)), "JSON": as_json(listed(DUMP)), "documents": "---\n".join(map(as_yaml, DUMP))}
PAGES = ("", "edit/", "settings", "diff/1/1/", "v/1/pending/", "v/1/pending/?by=workload")
DOWNLOADS = ("scenario.yaml", "events.jsonl", "decisions.jsonl", "trace.json", "picture.svg")
CUT = 0.7  # share of the dump that is left when it is cut off


def test_no_marked_value_is_kept_or_sent(
    make_stack: StackMaker, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stack = make_stack(library=False, KSCHEDUI_LOG_LEVEL="INFO")
    stack.start_workers(runs=2)
    serve(stack)
    sent = [*by_command(tmp_path, capfd), *by_api(Visitor(stack.url))]
    assert len(sent) > 100
    for number, body in enumerate(sent):
        assert SECRET.encode() not in body, (number, body[:200])
    stack.stop()  # while it runs, SQLite creates and removes files
    kept = {path: path.read_bytes() for path in stack.logs.rglob("*") if path.is_file()}
    assert any("sqlite3" in path.name and b"app-0" in content for path, content in kept.items())
    assert [path for path, content in kept.items() if SECRET.encode() in content] == []
    output = capfd.readouterr()
    assert SECRET not in output.out + output.err
    assert "Traceback" not in output.err


def by_command(folder: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[bytes]:
    """Yield the output of every command about a dump."""
    for name, text in TEXTS.items():
        dump = folder / f"{name}.txt"
        dump.write_text(text)
        for command in (["import"], ["simulate"], ["simulate", "--format", "events"], ["anonymise"], ["check"]):
            main([*command, str(dump)])
            output = capfd.readouterr()
            yield (output.out + output.err).encode()


def by_api(visitor: Visitor) -> Iterator[bytes]:
    """Yield every response to requests that import, check, preview or save the dumps, also cut off or packed."""
    for text in TEXTS.values():
        for cut in (text, text[: int(len(text) * CUT)]):
            yield raw(visitor, cut.encode())
            yield raw(visitor, gzip.compress(cut.encode()))
            for address in ("check", "preview", "scenarios", "import"):
                yield json.dumps(visitor.post(f"/api/v1/{address}", text=cut)[1]).encode()
        saved = visitor.post("/api/v1/scenarios", text=text)[1]
        visitor.wait_for(saved["run"], "done")
        more = visitor.post(f"/api/v1/scenarios/{saved['id']}/versions", text=text + "# more\n")[1]
        yield json.dumps([saved, more]).encode()
        yield from about(visitor, saved)


def raw(visitor: Visitor, content: bytes) -> bytes:
    """Post the dump itself to /api/v1/import, and return the body of the response."""
    visitor.get("/new/")
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    headers = {"Content-Type": "application/yaml", "X-CSRFToken": token, "Referer": visitor.url}
    request = urllib.request.Request(f"{visitor.url}/api/v1/import", content, headers, method="POST")
    status, body = visitor.send(request)
    assert status == 200, body
    return body


def about(visitor: Visitor, saved: dict[str, str]) -> Iterator[bytes]:
    """Yield pages, downloads, API answers and websocket messages about a saved scenario."""
    place, run = f"/s/{saved['id']}/", f"/api/v1/runs/{saved['run']}"
    calls = (run, f"{run}/explain/1", f"{run}/events", f"{run}/objects/pod/{POD}")
    addresses = [place + page for page in PAGES] + [f"{place}v/1/{name}" for name in DOWNLOADS] + list(calls)
    for address in (*addresses, f"/api/v1/scenarios/{saved['id']}", "/api/v1/scenarios?whose=mine"):
        status, body = visitor.get(address)
        assert status == 200, (address, body[:300])
        yield body
    yield from map(frames.body_of, visitor.frames(saved["run"]))
    with visitor.socket() as socket:
        socket.send(json.dumps({"type": "subscribe", "run": saved["run"], "cursor": 0}))
        for message in socket:
            yield message.encode() if isinstance(message, str) else frames.body_of(message)
            if isinstance(message, str) and json.loads(message)["type"] == "end":
                return


POD = next(f"{one['metadata']['namespace']}/{one['metadata']['name']}" for one in DUMP if one["kind"] == "Pod")
