"""The switch of mutants, copied into the mutated tree: `mutant(n)` is true where mutant n replaces the code.

MUTANT is its number. With MUTANTS_REACHED, a file, each mutant that is reached is written there with the name of the
test. A test process sets the name in `test`; other processes read it from a file, whose name is MUTANTS_TEST with the
name of the pytest-xdist worker appended.
"""

import os
import time

ACTIVE = int(os.environ.get("MUTANT", "-1"))
REACHED = os.environ.get("MUTANTS_REACHED", "")
TEST_FILE = os.environ.get("MUTANTS_TEST", "")
if TEST_FILE:
    TEST_FILE += os.environ.get("PYTEST_XDIST_WORKER", "")
SECONDS = 0.1  # between two looks at the file

test = ""
_seen: set[tuple[int, str]] = set()
_told = (float("-inf"), "")


def mutant(number: int) -> bool:
    """Return whether the mutant is active."""
    if REACHED:
        reach(number)
    return number == ACTIVE


def reach(number: int) -> None:
    """Record that the current test reaches the mutant."""
    name = test or _test_of_another_process()
    if name and (number, name) not in _seen:
        _seen.add((number, name))
        with open(REACHED, "a", encoding="utf-8") as file:
            file.write(f"{number} {name}\n")


def _test_of_another_process() -> str:
    global _told
    if TEST_FILE and time.monotonic() > _told[0] + SECONDS:
        try:
            with open(TEST_FILE, encoding="utf-8") as file:
                _told = (time.monotonic(), file.read())
        except FileNotFoundError:
            return ""
    return _told[1]
