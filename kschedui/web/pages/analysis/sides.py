"""A side of a comparison: a version on a release, and the run whose steps its stage shows."""

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec
from django.http import HttpRequest
from django.urls import reverse

from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.pages import cards
from kschedui.web.pages.requested import requested_release
from scheduler_core import ENGINE_VERSION
from scheduler_core.releases import RELEASES

NAMES = ("first", "second")


class Side(msgspec.Struct, frozen=True):
    """A side of a comparison. `name`: first or second. `release`: "1.36". `kubernetes`: "" for the version's own
    release.

    `refused`: releases on which the scenario does not run, with the reason.
    """

    name: str
    version: Version
    release: str
    kubernetes: str
    refused: Mapping[str, str] = {}

    @property
    def releases(self) -> list[tuple[str, str]]:
        """Return all releases, newest first, each with the reason why it cannot be selected, or ""."""
        return [(release, self.refused.get(release, "")) for release in reversed(RELEASES)]

    @property
    def title(self) -> str:
        return cards.own_title(self.version.scenario)

    @property
    def query(self) -> str:
        """Return the query that selects the run by this engine, whose steps the comparison counts."""
        releases = {"kubernetes": self.kubernetes} if self.kubernetes else {}
        return urlencode({"engine": ENGINE_VERSION, **releases})

    @property
    def url(self) -> str:
        return f"{reverse('version', args=self.names)}?{self.query}"

    @property
    def frame(self) -> str:
        return f"{reverse('embed', args=self.names)}?{self.query}"

    @property
    def names(self) -> tuple[str, int]:
        return self.version.scenario.public_id, self.version.number


def side_of(request: HttpRequest, name: str, sid: str, number: int) -> Side:
    """Return the side of this name, on the release in the query (`?first=1.34`). Raises Refusal, DoesNotExist or
    NotAllowed.
    """
    version = scenarios.version(visible_scenario(request, sid)[1], number)
    own = runs.own_release(version)
    kubernetes = requested_release(request, version, name)
    release = runs.release_of(version, own if kubernetes is None else kubernetes)
    return Side(name, version, release, "" if kubernetes is None else kubernetes)


def address(sides: list[Side]) -> str:
    """Return the URL of the comparison."""
    return reverse("compare", args=[*sides[0].names, *sides[1].names]) + releases_query(sides)


def releases_query(sides: list[Side]) -> str:
    """Return the releases as a query, "" if both are the versions' own."""
    releases = {side.name: side.kubernetes for side in sides if side.kubernetes}
    return f"?{urlencode(releases)}" if releases else ""
