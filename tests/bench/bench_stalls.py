#!/usr/bin/env python3
"""Measure how long requests block the web process: a GET of each address, about the largest scenario of a site.

    python tests/bench/bench_stalls.py [--pods 8000] [--megabytes 11] [--only WORDS]

A scenario of many pods and a long text is saved and run; then each address is requested, one after another. Meanwhile
two clocks in the web process measure stalls (tests/stalls.py).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from http.client import HTTPException
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

MOST = 50.0  # milliseconds; nothing should hold Python's lock for longer


def main() -> None:
    """Print a row for each address."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pods", type=int, default=8000)
    options.add_argument("--megabytes", type=int, default=11)
    options.add_argument("--only", default="", help="addresses that contain this")
    chosen = options.parse_args()
    from kschedui.supervisor.ports import free_port
    from kschedui.supervisor.stack import Stack
    from tests.bench.machine import describe_machine
    from tests.conftest import run_manage
    from tests.stalls import replace_web

    print(describe_machine(), flush=True)
    with tempfile.TemporaryDirectory() as name:
        env = {"KSCHEDUI_DATA_DIR": name, "DATABASE_URL": f"sqlite:///{name}/bench.sqlite3"}
        env |= {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("DOWNLOAD", "PAGE", "READ", "ASK", "CHECK", "RUN")}
        with Stack(env, Path(name)) as stack:
            stack.start_broker()
            run_manage(stack.env, "migrate", "--verbosity", "0")
            run_manage(stack.env, "load_library", "--verbosity", "0")
            stack.start_workers(runs=2)
            stack.start_web("127.0.0.1", free_port())
            stack.wait()
            replace_web(stack)
            measure(stack.url, chosen)
    print(describe_machine())


def measure(url: str, chosen: Any) -> None:
    """Save and run the scenario, and request each address."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
    django.setup()
    from tests.bench.bench_class import start_class
    from tests.builders import node, pod, scenario
    from tests.web.accounts.test_access_matrix import ROUTES, VALUES
    from tests.web.visitor import Visitor

    visitor = Visitor(url)
    text = long_text(chosen.pods, chosen.megabytes)
    visitor.get("/new/")
    print(f"{'address':60}{'status':>7}{'kB':>8}{'s':>6}{'thread':>8}{'loop':>6}  where")
    if not chosen.only:
        show(visitor, "POST api/v1/scenarios", lambda: visitor.post("/api/v1/scenarios", text=text))
    saved = visitor.post("/api/v1/scenarios", text=text)[1]
    done = visitor.wait_for(saved["run"], "done", "failed")
    print(f"{len(text):,} bytes, run {done['state']}, {done['chunks']} chunks", flush=True)
    small = visitor.save(scenario(node("n"), pod("p")))
    code = start_class(visitor, small)
    ids = {"sid": saved["id"], "rid": saved["run"], "a": saved["id"], "b": saved["id"], "m": "1", "n": "1"}
    values = {**VALUES, **ids, "code": code, "slug": "first-pod", "kind": "pod", "name": "p0"}
    for route in ROUTES:
        numbers = {"a": "1", "b": "1"} if "diff" in route or "compare/{a}/compare" in route else {}
        try:
            path = "/" + route.format(**{**values, **numbers})
        except KeyError:
            continue
        if chosen.only in route:
            show(visitor, route, lambda path=path: visitor.get(path))  # type: ignore[misc]


def show(visitor: Any, route: str, ask: Any) -> None:
    """Print the answer to one address, and the stalls that it caused."""
    from tests.stalls import take

    take(visitor.url)
    begun = time.perf_counter()
    try:
        status, body = ask()
    except (HTTPException, OSError) as error:
        status, body = 0, repr(error).encode()
    seconds = time.perf_counter() - begun
    stalls = take(visitor.url)
    thread, loop = stalls["thread"], stalls["loop"]
    where = (thread[1] or loop[1])[:200] if max(thread[0], loop[0]) > MOST / 2 else ""
    figures = f"{status:>7}{len(body) // 1000:>8}{seconds:>6.1f}{thread[0]:>8.0f}{loop[0]:>6.0f}"
    print(f"{route:60}{figures}  {where}", flush=True)


def long_text(pods: int, megabytes: int) -> str:
    """Return a scenario of `pods`, with annotations that make it about `megabytes` large."""
    from tests.builders import node, pod, scenario

    note = ("<b>'quoted' & \"said\"</b> " * 1000)[: max(1, megabytes * 1_000_000 // pods - 200)]
    objects = [pod(f"p{i}", cpu="100m") for i in range(pods)]
    for one in objects:
        one["metadata"]["annotations"] = {"example.com/note": note}
    return scenario(*(node(f"n{i}", cpu=64, zone=f"z{i % 3}") for i in range(300)), *objects)


if __name__ == "__main__":
    main()
