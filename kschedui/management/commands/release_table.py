"""`manage.py release_table`: writes the table of releases and rules into docs/fidelity.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from scheduler_core.releases import RELEASES, Release, Rules
from scheduler_core.releases.rules.rule import PLUGIN, SAYS

HEADING = "## Release by rule\n"
SECTION = re.compile(rf"{HEADING}.*?(?=^## )", re.DOTALL | re.MULTILINE)


class Command(BaseCommand):
    """To be run after a rule or a release was added; a test compares."""

    help = "Write the table of releases and rules into docs/fidelity.md"

    def handle(self, *args: Any, **options: Any) -> None:
        path = settings.BASE_DIR / "docs/fidelity.md"
        made = "\n".join(section()) + "\n\n"
        path.write_text(SECTION.sub(lambda _: made, path.read_text(encoding="utf-8")), encoding="utf-8")


def section() -> Iterator[str]:
    """The section's lines."""
    releases = list(RELEASES.values())
    runs = ", ".join(f"{one.version} ({one.patch}) {_recorded(one)}" for one in reversed(releases))
    yield HEADING
    yield f"Recorded runs that are equal, of as many: {runs}.\n"
    yield "| rule | whose | what the newest does | otherwise in |\n|--|--|--|--|"
    for rule in fields(Rules):
        now = getattr(releases[-1].rules, rule.name)
        others = [one.version for one in releases if getattr(one.rules, rule.name) != now]
        whose = rule.metadata[PLUGIN] or "the scheduler"
        yield f"| `{rule.name}` | {whose} | {rule.metadata[SAYS][now]} | {', '.join(others)} |"


def _recorded(release: Release) -> str:
    gangs = release.recorded.get("gang", 0)
    return f"{release.recorded_runs - gangs} and {gangs} of {gangs} gangs" if gangs else str(release.recorded_runs)
