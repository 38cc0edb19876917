#!/usr/bin/env python3
"""Measure the processor time of ordinary requests, of this tree and of another commit.

    python tests/bench/bench_requests.py [--against COMMIT] [--rounds 10]

Both sites run side by side and get the same requests, one site after the other in each round. Prints for each request
the milliseconds of processor time of the web process and its children (median of the rounds), which other load of the
machine hardly changes.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.machine import describe_machine  # noqa: E402
from tests.builders import node, pod, scenario  # noqa: E402
from tests.processes import descendants  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

TIMES = 20  # requests in a round
TICKS = os.sysconf("SC_CLK_TCK")
TEXT = scenario(*(node(f"n{i}", cpu=4) for i in range(10)), *(pod(f"p{i}", cpu=1) for i in range(60)))
UNLIMITED = {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("SAVE", "RUN", "PAGE", "READ", "CHECK", "ASK", "CHUNK")}


class Site:
    """A site (`manage.py up`) of a work tree, with a saved run."""

    def __init__(self, tree: Path, folder: Path) -> None:
        env = {**os.environ, **UNLIMITED, "KSCHEDUI_DATA_DIR": str(folder)}
        env["PYTHONPATH"] = f"{tree}:{env.get('PYTHONPATH', '')}"  # with packages that only the other needs
        env["DATABASE_URL"] = f"sqlite:///{folder}/bench.sqlite3"
        command = [sys.executable, "manage.py", "up", "--port", "0"]
        self.up = subprocess.Popen(command, cwd=tree, env=env, stdout=subprocess.PIPE, text=True)
        assert self.up.stdout
        found = re.search(r"http://\S+", self.up.stdout.readline())
        assert found, "the site did not start"
        self.visitor = Visitor(found[0])
        self.run = self.visitor.save(TEXT)
        self.visitor.wait_for(self.run, "done")
        self.scenario = self.visitor.run(self.run)["scenario"]["id"]
        family = descendants(self.up.pid)
        self.web = next(one.pid for one in family if "uvicorn" in one.command)

    def seconds(self) -> float:
        """Return the seconds of processor time so far of the web process, its descendants and their ended children."""
        return sum(map(seconds_of, (self.web, *(one.pid for one in descendants(self.web)))))

    def stop(self) -> None:
        self.up.terminate()
        self.up.wait()


def seconds_of(pid: int) -> float:
    """Return a process's seconds of processor time and those of its ended children; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def requests() -> dict[str, Callable[[Site], Any]]:
    """Return the requests by name."""
    pages = ("/", "/accounts/login/", "/new/", "/s/{sid}/v/1/", "/s/{sid}/v/1/scenario.yaml")
    calls = ("/api/v1/runs/{rid}", "/api/v1/runs/{rid}/chunks/0", "/api/v1/runs/{rid}/attempts/50")
    made: dict[str, Callable[[Site], Any]] = {
        path: lambda site, path=path: site.visitor.get(path.format(sid=site.scenario, rid=site.run))  # type: ignore[misc]
        for path in (*pages, *calls)
    }
    return {**made, "POST /api/v1/check": lambda site: site.visitor.post("/api/v1/check", text=TEXT)}


def measure(sites: list[Site], rounds: int) -> None:
    """Print a row for each request."""
    print(f"{'request':40}" + "".join(f"{name:>12}" for name in ("now", "before")[: len(sites)]) + " ms")
    for name, ask in requests().items():
        figures: list[list[float]] = [[] for _ in sites]
        for number in range(rounds + 1):
            for site, found in zip(sites, figures, strict=True):
                begun = site.seconds()
                for _ in range(TIMES):
                    status, _body = ask(site)
                    assert status == 200, (name, status)
                if number:  # the first warms up
                    found.append(1000 * (site.seconds() - begun) / TIMES)
        print(f"{name:40}" + "".join(f"{statistics.median(found):>12.1f}" for found in figures), flush=True)


def main() -> None:
    """Start both sites, measure, and stop them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--against", default="", metavar="COMMIT")
    options.add_argument("--rounds", type=int, default=10)
    chosen = options.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory() as name:
        folder, trees, sites = Path(name), [ROOT], []
        if chosen.against:
            trees.append(folder / "tree")
            subprocess.run(["git", "worktree", "add", "--detach", trees[1], chosen.against], cwd=ROOT, check=True)
        try:
            for number, tree in enumerate(trees):
                (folder / str(number)).mkdir()
                sites.append(Site(tree, folder / str(number)))
            measure(sites, chosen.rounds)
        finally:
            for site in sites:
                site.stop()
            if chosen.against:
                subprocess.run(["git", "worktree", "remove", "--force", trees[1]], cwd=ROOT, check=True)
    print(describe_machine())


if __name__ == "__main__":
    main()
