"""`spec.controllers` chooses what kube-controller-manager's `--controllers` would."""

from __future__ import annotations

from itertools import product

from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.controllers import BARE_PODS, CONTROLLERS, controller_names

NAMES = ("*", "job", "-job", "job-controller", "deployment", "-deployment", BARE_PODS)


def is_enabled(name: str, choice: tuple[str, ...]) -> bool:
    """Return whether the choice enables a controller: IsControllerEnabled, written down step by step."""
    full = [entry if entry in ("*", BARE_PODS, "job-controller") else f"{entry}-controller" for entry in choice]
    for entry in full:
        if entry == name:
            return True
        if entry == f"-{name}":
            return False
    return "*" in choice and name != BARE_PODS


def test_every_choice_of_up_to_three_names() -> None:
    for count in range(4):
        for choice in product(NAMES, repeat=count):
            problems = Problems()
            expected = tuple(name for name in (*CONTROLLERS, BARE_PODS) if is_enabled(name, choice))
            assert controller_names(list(choice), problems) == expected, choice
            assert not problems.errors()


def test_the_first_mention_counts() -> None:
    assert "job-controller" not in (controller_names(["*", "-job", "job"], Problems()) or ())
    assert "job-controller" not in (controller_names(["-job", "*"], Problems()) or ())
    assert controller_names(None, Problems()) is None
