"""A large request is answered if processes are killed while it waits or while a worker answers it."""

import json
import os
import signal
import urllib.request
from functools import cache

import pytest

from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.stack import Stack
from tests.conftest import StackMaker
from tests.dumps import Cluster, as_yaml, listed
from tests.faults.stacks import breakable
from tests.web.visitor import LONG, Visitor


@cache
def dump() -> bytes:
    return as_yaml(listed(Cluster(40, 900, fields=40).objects())).encode()


def post_dump(visitor: Visitor) -> str:
    """Post the dump, and return the address of the upload."""
    visitor.get("/new/")
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    headers = {"Content-Type": "application/yaml", "X-CSRFToken": token, "Referer": visitor.url}
    request = urllib.request.Request(f"{visitor.url}/api/v1/scenarios/import", dump(), headers, method="POST")
    status, body = visitor.send(request)
    assert status == 202, body
    return str(json.loads(body)["url"])


def wait_for(visitor: Visitor, url: str, state: str) -> None:
    """Wait until the upload is in the state; fail if it is in state "failed" instead."""
    assert wait_until(lambda: visitor.upload(url)["state"] in (state, "failed"), LONG), visitor.upload(url)
    assert visitor.upload(url)["state"] == state, visitor.upload(url)


def restart_worker(stack: Stack) -> None:
    """Kill the worker and its descendants, and start another."""
    os.killpg(stack.children["worker"].group, signal.SIGKILL)
    stack.children.pop("worker").stop()
    stack.start_workers(runs=1)


@pytest.fixture
def stack(make_stack: StackMaker) -> Stack:
    return breakable(make_stack)


def test_an_upload_continues_after_its_worker_is_killed_and_saves_once(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    url = post_dump(visitor)
    wait_for(visitor, url, "running")
    restart_worker(stack)
    wait_for(visitor, url, "done")
    _, body = visitor.get(visitor.upload(url)["answer"])
    saved = json.loads(body)
    assert saved["version"] == 1
    visitor.wait_for(saved["run"], "done")
    _, body = visitor.get("/api/v1/scenarios?whose=mine")
    assert [row["pods"] for row in json.loads(body)["items"]] == [900]


def test_an_upload_that_is_cancelled_in_a_worker_ends_at_once(stack: Stack) -> None:
    visitor = Visitor(stack.url)
    url = post_dump(visitor)
    wait_for(visitor, url, "running")
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    headers = {"X-CSRFToken": token, "Referer": visitor.url}
    status, _ = visitor.send(urllib.request.Request(visitor.url + url, headers=headers, method="DELETE"))
    assert status == 204
    assert visitor.upload(url)["state"] == "cancelled"
    status, answer = visitor.post("/api/v1/scenarios", text="kind: Node\napiVersion: v1\nmetadata: {name: a}\n")
    assert status == 201, answer
    visitor.wait_for(answer["run"], "done")  # by the same worker
    _, body = visitor.get("/api/v1/scenarios?whose=mine")
    assert len(json.loads(body)["items"]) == 1
