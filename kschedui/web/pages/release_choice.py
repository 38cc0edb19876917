"""The release of a run: its recorded runs, and the version's runs on other releases."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kschedui.models import Run, Version
from kschedui.runs import store as runs
from scheduler_core.releases import RELEASES, Release

GANG = "gang"  # a kind of recorded runs that is counted apart


def context(version: Version, run: Run, path: str) -> dict[str, Any]:
    """Return `kubernetes` ("1.36"), `badge` (a sentence), `recorded` (number of recorded runs), `releases` [{version,
    url, shown, run}] newest first: the URL of the version's run on each release, and whether it exists. `path`: the
    version's own address.
    """
    shown = runs.release_of(version, run.kubernetes_version)
    own = runs.release_of(version, runs.own_release(version))
    existing = {runs.release_of(version, other.kubernetes_version) for other in version.runs.all()}
    links = [
        {
            "version": release,
            "url": path if release == own else f"{path}?kubernetes={release}",
            "shown": release == shown,
            "run": release in existing,
        }
        for release in reversed(RELEASES)
    ]
    release = RELEASES[shown]
    return {"kubernetes": shown, "badge": badge(release), "recorded": release.recorded_runs, "releases": links}


def badge(release: Release) -> str:
    """Return a sentence about the number of recorded runs that the simulation reproduces.

    tests/conformance fails if it does not reproduce them.
    """
    if not release.recorded:
        return _("no run of it was recorded: its rules are those of its release notes and sources")
    gangs = release.recorded.get(GANG, 0)
    others = release.recorded_runs - gangs
    text = _("{n} of {n} recorded runs match").format(n=others)
    if not gangs:
        return text
    return text + ngettext(", {n} of {n} gang", ", {n} of {n} gangs", gangs).format(n=gangs)
