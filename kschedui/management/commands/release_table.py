"""`manage.py release_table`: writes the rules to docs/fidelity.md, and the number of recorded runs to README.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from scheduler_core.releases import RELEASES, Release, Rules
from scheduler_core.releases.rules.rule import DESCRIPTIONS, PLUGIN

HEADING = "## Release by rule\n"
FIGURES = re.compile(
    r"\d{1,3}(?:,\d{3}){0,3} recorded runs of the real kube-schedulers from \d\.\d{1,2} to \d\.\d{1,2} "
)
SECTION = re.compile(rf"{HEADING}.*?(?=^## )", re.DOTALL | re.MULTILINE)


class Command(BaseCommand):
    """Write the table of release rules. Run it after adding a rule or a release; a test checks that it was run."""

    help = "Write the releases and rules into docs/fidelity.md, and the number of recorded runs into README.md"

    def handle(self, *args: Any, **options: Any) -> None:
        _replace("docs/fidelity.md", SECTION, "\n".join(section()) + "\n\n")
        _replace("README.md", FIGURES, figures())


def _replace(name: str, pattern: re.Pattern[str], text: str) -> None:
    path = settings.BASE_DIR / name
    path.write_text(pattern.sub(lambda _: text, path.read_text(encoding="utf-8")), encoding="utf-8")


def figures() -> str:
    """Return the README's phrase with the number of recorded runs and the range of their releases."""
    recorded = [release for release in RELEASES.values() if release.recorded]
    runs, versions = sum(release.recorded_runs for release in recorded), [release.version for release in recorded]
    return f"{runs:,} recorded runs of the real kube-schedulers from {versions[0]} to {versions[-1]} "


def section() -> Iterator[str]:
    """Yield the lines of the section."""
    releases = list(RELEASES.values())
    recorded = [release for release in reversed(releases) if release.recorded]
    runs = ", ".join(f"{release.version} ({release.patch}) {_recorded_runs(release)}" for release in recorded)
    yield HEADING
    yield f"Recorded runs, all of which are equal: {runs}.\n"
    yield "| rule | applies to | newest release | different in |\n|--|--|--|--|"
    for rule in fields(Rules):
        now = getattr(releases[-1].rules, rule.name)
        others = [release.version for release in releases if getattr(release.rules, rule.name) != now]
        plugin = rule.metadata[PLUGIN] or "the scheduler"
        yield f"| `{rule.name}` | {plugin} | {rule.metadata[DESCRIPTIONS][now].en} | {', '.join(others)} |"


def _recorded_runs(release: Release) -> str:
    gangs = release.recorded.get("gang", 0)
    return f"{release.recorded_runs - gangs} and {gangs} gangs" if gangs else str(release.recorded_runs)
