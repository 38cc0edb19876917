"""The database is unavailable during a run: SQLite that another program has locked, or PostgreSQL that is restarted.

Visitors get a message, stored data stays, and the run continues to the same end.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from kschedui.supervisor.ports import wait_until
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker, run_manage
from tests.faults.stacks import breakable
from tests.faults.test_killed_full_and_jumping import LARGE
from tests.web.postgres import SECONDS, postgres_url, server_user, takes_connections  # noqa: F401
from tests.web.visitor import LONG, Visitor

OTHER = scenario(node("n1"), pod("another"))
LOCKED_SECONDS = 25


def check_recovery(visitor: Visitor, run: str) -> None:
    """Wait until the run and a new one are done. Assert that the run is the same as without the fault."""
    assert wait_until(lambda: visitor.get("/readyz")[0] == 200, LONG)
    assert visitor.wait_for(run, "done", "failed")["state"] == "done"
    assert visitor.wait_for(visitor.save(OTHER), "done", "failed")["state"] == "done"
    undisturbed = visitor.save(LARGE)
    visitor.wait_for(undisturbed, "done", "failed")
    assert visitor.frames(run) == visitor.frames(undisturbed)


def test_sqlite_that_is_locked_for_long_is_waited_for(make_stack: StackMaker) -> None:
    """The lock lasts longer than the site (5 s) and its workers (20 s) wait for it."""
    stack = breakable(make_stack)
    visitor = Visitor(stack.url)
    run = visitor.save(LARGE)
    page = f"/s/{visitor.run(run)['scenario']['id']}/v/1/"
    assert wait_until(lambda: visitor.run(run)["chunks"] > 0, LONG)
    with closing(sqlite3.connect(stack.env["DATABASE_URL"].removeprefix("sqlite:///"), timeout=LONG)) as database:
        database.execute("BEGIN IMMEDIATE")
        status, answer = visitor.post("/api/v1/scenarios", text=OTHER)
        assert (status, answer["detail"]) == (503, "The database of this site is busy. Try again in a moment.")
        assert [visitor.get(path)[0] for path in ("/", page, "/livez", "/readyz")] == [200, 200, 200, 503]
        wait_until(lambda: False, LOCKED_SECONDS)
        assert visitor.get(page)[0] == 200
        database.rollback()
    check_recovery(visitor, run)


class Server:
    """The PostgreSQL server at an address; it can be stopped without a shutdown checkpoint, and started again."""

    def __init__(self, url: str) -> None:
        with psycopg.connect(url) as connection:
            row = connection.execute("SHOW data_directory").fetchone()
        assert row
        self.url, self.data = url, Path(row[0])
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")).parent

    def stop(self) -> None:
        command = [self.programs / "pg_ctl", "stop", "--mode", "immediate", "--no-wait", "--pgdata", self.data]
        subprocess.run(command, cwd=self.data.parent, user=server_user(), check=True, capture_output=True)
        assert wait_until(lambda: not (self.data / "postmaster.pid").exists(), SECONDS)

    def start(self) -> None:
        options = ["-D", self.data, "-p", str(urlsplit(self.url).port), "-h", "127.0.0.1", "-k", "", "-F"]
        command, folder = [self.programs / "postgres", *options], self.data.parent
        subprocess.Popen(command, cwd=folder, user=server_user(), stderr=subprocess.DEVNULL)
        assert wait_until(lambda: takes_connections(self.url), SECONDS)


def test_postgresql_that_crashes_and_comes_back_is_waited_for(
    make_stack: StackMaker,
    postgres_url: str,  # noqa: F811
) -> None:
    run_manage({**os.environ, "DATABASE_URL": postgres_url}, "migrate", "--verbosity", "0")
    stack = breakable(make_stack, DATABASE_URL=postgres_url)
    visitor, server = Visitor(stack.url), Server(postgres_url)
    run = visitor.save(LARGE)
    assert wait_until(lambda: visitor.run(run)["chunks"] > 0, LONG)
    server.stop()
    try:
        assert [visitor.get(path)[0] for path in ("/livez", f"/api/v1/runs/{run}")] == [200, 503]
        assert wait_until(lambda: visitor.get("/readyz")[0] == 503, LONG), "when the last successful check is too old"
        server.start()
        check_recovery(visitor, run)
    finally:
        stack.stop()
        server.stop()
