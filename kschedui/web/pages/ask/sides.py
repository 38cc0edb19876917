"""A side of a comparison: a version on a release, and the run whose steps its stage shows."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.pages import cards
from kschedui.web.pages.views import asked_release, seen
from scheduler_core import ENGINE_VERSION

NAMES = ("first", "second")


@dataclass(frozen=True, slots=True)
class Side:
    """`name` is first or second; `release` "1.36", and `kubernetes` the same, "" where it is the version's own."""

    name: str
    version: Version
    release: str
    kubernetes: str

    @property
    def title(self) -> str:
        return cards.own_title(self.version.scenario)

    @property
    def query(self) -> str:
        """Names the run by this engine, whose steps the comparison counts."""
        asked = {"kubernetes": self.kubernetes} if self.kubernetes else {}
        return urlencode({"engine": ENGINE_VERSION, **asked})

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
    """Of `?first=1.34&second=1.36`; raises Refusal for what there is not, and for whom may not see it."""
    version = scenarios.version(seen(request, sid)[1], number)
    own = runs.own_release(version)
    kubernetes = asked_release(request, version, name)
    release = runs.release_of(version, own if kubernetes is None else kubernetes)
    return Side(name, version, release, "" if kubernetes is None else kubernetes)


def address(sides: list[Side]) -> str:
    """Of the comparison."""
    return reverse("compare", args=[*sides[0].names, *sides[1].names]) + chosen(sides)


def chosen(sides: list[Side]) -> str:
    """The releases as a query, "" where both are the versions' own."""
    asked = {side.name: side.kubernetes for side in sides if side.kubernetes}
    return f"?{urlencode(asked)}" if asked else ""
