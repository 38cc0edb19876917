"""Find mutants that only slow tests kill: the evidence for what `make test` leaves to `make test-all`.

    python tests/mutants/mutants.py --number 150 --seed 1 --folder /tmp/mutants

Places mutants at random in the engine's, the web's and the browser's code (a third in each), all in one copy of the
tree; a switch activates one of them. A run of all tests finds the tests that reach each mutant. Then, for each mutant,
the quickest tests of `make test` that reach it run until one fails, and if none does, the quickest slow ones. That
takes hours; the command continues where it stopped, and `--report` prints the table so far. Once all tests have run, a
second process can try other mutants at the same time: `--kinds engine` for one, `--kinds web browser` for the other.

mutmut and cosmic-ray are not used: neither mutates the browser's code, nor finds the code that a test reaches in other
processes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.mutants.places import Place, places  # noqa: E402

KINDS = {"engine": "scheduler_core", "web": "kschedui", "browser": "static/js"}
LEFT_OUT = ("cel/grammar", "migrations", "parts/plugins.js", "supervisor/guard.py", "supervisor/probe.py")
SWITCH = "mutants_switch.py"
JS_SWITCH = "tests/mutants/node_switch.mjs"
JOBS = "3"  # processes of pytest-xdist, for the run of all tests
MAX_SECONDS = 90.0  # total duration of the tests that run for a mutant, of `make test` and again of the slow ones
PATIENCE = 10  # times the tests' duration without the mutant, plus five minutes, until they count as failed


class Work:
    """A folder with the mutated tree, the mutants that each test reaches, and the results so far."""

    def __init__(self, folder: Path, kinds: list[str]) -> None:
        self.folder = folder
        self.kinds = kinds
        self.tree = folder / "tree"
        self.mutants_file, self.results_file = folder / "mutants.json", folder / "results.jsonl"
        self.reached_file, self.times_file = folder / "reached", folder / "times.jsonl"

    def make(self, number: int, seed: int) -> None:
        """Copy the tree, and place the mutants in it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        git("worktree", "add", "--detach", str(self.tree), "HEAD")
        for name in (".venv", "node_modules"):
            (self.tree / name).symlink_to((ROOT / name).resolve())
        chance, mutants = random.Random(seed), []
        for kind, top in KINDS.items():
            chosen = chance.sample(sorted(all_places(self.tree, top)), number // len(KINDS))
            mutants += [{"kind": kind, "path": path, **place._asdict()} for path, place in chosen]
        (self.tree / SWITCH).write_text((ROOT / "tests/mutants/switch.py").read_text())
        by_path = defaultdict(list)
        for at, mutant in enumerate(mutants):
            by_path[mutant["path"]].append((Place(*(mutant[name] for name in Place._fields)), at))
        for path, here in by_path.items():
            dropped = write_mutants(self.tree / path, here)
            for at in dropped:
                mutants[at]["dropped"] = True
        self.mutants_file.write_text(json.dumps(mutants, indent=1))

    @property
    def mutants(self) -> list[dict[str, object]]:
        return json.loads(self.mutants_file.read_text())  # type: ignore[no-any-return]

    def environment(self, **more: str) -> dict[str, str]:
        return {
            **os.environ,
            "MUTANTS_PREPARED": str(self.folder / f"prepared-{self.kinds[0]}"),
            "KSCHEDUI_REQUIRE_BROWSER": "1",
            **more,
        }

    def pytest(self, *arguments: str, timeout: float | None = None, **env: str) -> int:
        command = [str(self.tree / ".venv/bin/python"), "-m", "pytest", "-q", "-p", "tests.mutants.plugin"]
        command += [
            "-p",
            "no:cacheprovider",
            "-o",
            "faulthandler_timeout=240",
            "-o",
            "faulthandler_exit_on_timeout=true",
        ]
        command += arguments
        return self.run(command, timeout, env)

    def node(self, *files: str, timeout: float | None = None, **env: str) -> int:
        return self.run(["node", "--import", f"./{JS_SWITCH}", "--test", *files], timeout, env)

    def run(self, command: list[str], timeout: float | None, env: dict[str, str]) -> int:
        """Run a command in the tree. Return its exit status, or 124 after the timeout."""
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            process = subprocess.Popen(
                command, cwd=self.tree, env=self.environment(**env), stdout=log, stderr=log, start_new_session=True
            )
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return 124

    def find_reached(self, which: str) -> None:
        """Run all tests that are (not) slow once without a mutant, and store the mutants that each reaches."""
        done = self.folder / f"reached-{which.replace(' ', '-')}"
        if done.exists():
            return
        reached = {"MUTANTS_REACHED": str(self.reached_file), "MUTANTS_TIMES": str(self.times_file)}
        reached["MUTANTS_TEST"] = str(self.folder / "test")
        if which == "not slow":
            for file in sorted((self.tree / "tests/js").rglob("*.test.js")):
                name = str(file.relative_to(self.tree))
                started = time.monotonic()
                status = self.node(name, MUTANTS_NAME=name, **reached)
                with self.times_file.open("a") as times:
                    times.write(json.dumps([name, time.monotonic() - started, False, not status]) + "\n")
        self.pytest("-m", which, "--numprocesses", JOBS, "--dist", "loadfile", "--no-loadscope-reorder", **reached)
        done.touch()

    def tests(self) -> tuple[dict[int, set[str]], dict[str, tuple[float, bool]]]:
        """Return the tests that reach each mutant, and the seconds of each passing test and whether it is slow.

        The second mapping leaves out tests that fail without a mutant, such as those that read the source.
        """
        reach: dict[int, set[str]] = defaultdict(set)
        for line in self.reached_file.read_text().splitlines():
            number, _, name = line.partition(" ")
            reach[int(number)].add(name)
        times = {}
        for line in self.times_file.read_text().splitlines():
            name, seconds, slow, passed = json.loads(line)
            if passed:
                times[name] = (seconds, slow)
        return reach, times

    def results(self, which: str) -> dict[int, dict[str, object]]:
        lines = self.results_file.read_text().splitlines() if self.results_file.exists() else []
        return {row["mutant"]: row for row in map(json.loads, lines) if row["which"] == which}

    def try_all(self, which: str, *, slow: bool) -> None:
        """Run the tests for each mutant without a result, and store it; slow tests only if the others all passed."""
        reach, times = self.tests()
        done, before = self.results(which), self.results("not slow")
        for at, mutant in enumerate(self.mutants):
            survived = before.get(at, {}).get("result") in ("survived", "not reached")
            if mutant["kind"] not in self.kinds or "dropped" in mutant or at in done or (slow and not survived):
                continue
            names = sorted(
                (name for name in reach[at] if times.get(name, (0, None))[1] is slow), key=lambda name: times[name]
            )
            sums = accumulate(times[name][0] for name in names)
            shown = [name for name, seconds in zip(names, sums, strict=True) if seconds <= MAX_SECONDS] or names[:1]
            result = self.try_one(at, shown, times) if names else "not reached"
            row = {"mutant": at, "which": which, "result": result, "tests": len(names), "shown": len(shown)}
            with self.results_file.open("a") as file:
                file.write(json.dumps(row) + "\n")

    def try_one(self, at: int, names: list[str], times: dict[str, tuple[float, bool]]) -> str:
        in_node = [name for name in names if name.endswith(".js")]
        in_python = [name for name in names if not name.endswith(".js")]
        patience = PATIENCE * sum(times[name][0] for name in names) + 300
        if in_node and self.node(*in_node, timeout=patience, MUTANT=str(at)):
            return "killed"
        if in_python:
            chosen = self.folder / f"chosen-{self.kinds[0]}"
            chosen.write_text("\n".join(in_python))
            if self.pytest("-x", f"@{chosen}", timeout=patience, MUTANT=str(at)):
                return "killed"
        return "survived"

    def report(self) -> str:
        """Return a table with the number of mutants of each kind that `make test`, slow tests or nothing killed."""
        quick, slow = self.results("not slow"), self.results("slow")
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for at, mutant in enumerate(self.mutants):
            if at not in quick:
                continue
            result = "make test" if quick[at]["result"] == "killed" else "unknown"
            if result == "unknown" and at in slow:
                result = "slow tests only" if slow[at]["result"] == "killed" else "nothing"
                if "not reached" == quick[at]["result"] == slow[at]["result"]:
                    result = "not reached"
            for row in (str(mutant["kind"]), "all"):
                counts[row][result] += 1
        names = ("make test", "slow tests only", "nothing", "not reached", "unknown")
        lines = [f"| mutants in | {' | '.join(names)} |", "|--" * (len(names) + 1) + "|"]
        lines += [f"| {kind} | {' | '.join(str(row[name]) for name in names)} |" for kind, row in counts.items()]
        return "\n".join(lines)


def all_places(tree: Path, top: str) -> list[tuple[str, Place]]:
    """Return (path, place) for the places in the files below a folder."""
    suffix = ".js" if top.startswith("static") else ".py"
    files = [
        path for path in sorted((tree / top).rglob(f"*{suffix}")) if not any(part in str(path) for part in LEFT_OUT)
    ]
    if suffix == ".py":
        return [(str(path.relative_to(tree)), place) for path in files for place in places(path.read_bytes())]
    names = [str(path.relative_to(tree)) for path in files]
    listed = subprocess.run(
        ["node", "tests/mutants/places.mjs", *names], cwd=tree, capture_output=True, check=True
    ).stdout
    return [(row.pop("path"), Place(**row)) for row in json.loads(listed)]


def write_mutants(path: Path, here: list[tuple[Place, int]]) -> list[int]:
    """Write the mutants into the file; return the numbers of those left out because they overlap another."""
    text, python = path.read_bytes(), path.suffix == ".py"
    dropped, earliest = [], len(text)
    switch = "_mutant" if python else "globalThis.__mutant?."
    for place, at in sorted(here, reverse=True):
        if place.end > earliest:
            dropped.append(at)
            continue
        earliest = place.start
        original = text[place.start : place.end].decode()
        if python and place.whole:
            column = place.start - text.rfind(b"\n", 0, place.start) - 1
            written = f"if not {switch}({at}):\n{' ' * (column + 1)}{original}"
        elif python:
            written = f"(({place.mutant}) if {switch}({at}) else ({original}))"
        elif place.whole:
            written = f"{{ if (!{switch}({at})) {original} }}"
        else:
            written = f"({switch}({at}) ? ({place.mutant}) : ({original}))"
        text = text[: place.start] + written.encode() + text[place.end :]
    if python:
        line = b"from mutants_switch import mutant as _mutant\n"
        future = text.find(b"from __future__ import annotations\n")
        if future >= 0:
            after = future + len(b"from __future__ import annotations\n")
            text = text[:after] + line + text[after:]
        else:
            text = after_docstring(text, line)
    path.write_bytes(text)
    return dropped


def after_docstring(text: bytes, line: bytes) -> bytes:
    """Return the text with a line inserted after the module's docstring, or at the start if it has none."""
    end = text.index(b'"""', 3) + 4 if text.startswith(b'"""') else 0
    return text[:end] + line + text[end:]


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--folder", type=Path, required=True)
    options.add_argument("--number", type=int, default=150)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options.add_argument("--report", action="store_true")
    chosen = options.parse_args()
    work = Work(chosen.folder, chosen.kinds)
    if chosen.report:
        print(work.report())
        return
    if not work.mutants_file.exists():
        work.make(chosen.number, chosen.seed)
    for which in ("not slow", "slow"):
        work.find_reached(which)
    for which in ("not slow", "slow"):
        work.try_all(which, slow=which == "slow")
        print(work.report(), flush=True)


if __name__ == "__main__":
    main()
