"""The switch of mutants, copied into the mutated tree: `mutant(n)` is true if mutant n is active.

The variable MUTANT is the number of the active mutant. MUTANTS_REACHED names a file to which each mutant that is
reached is written, with the name of the test. A test process sets the name in `test`; other processes read it from a
file, whose name is MUTANTS_TEST with the name of the pytest-xdist worker appended.
"""

import os
import time

ACTIVE = int(os.environ.get("MUTANT", "-1"))
REACHED = os.environ.get("MUTANTS_REACHED", "")
TEST_FILE = os.environ.get("MUTANTS_TEST", "")
if TEST_FILE:
    TEST_FILE += os.environ.get("PYTEST_XDIST_WORKER", "")
SECONDS = 0.1  # between two readings of the file

test = ""
_seen: set[tuple[int, str]] = set()
_last_read = (float("-inf"), "")


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
    global _last_read
    if TEST_FILE and time.monotonic() > _last_read[0] + SECONDS:
        try:
            with open(TEST_FILE, encoding="utf-8") as file:
                _last_read = (time.monotonic(), file.read())
        except FileNotFoundError:
            return ""
    return _last_read[1]
