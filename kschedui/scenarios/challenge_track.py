"""The order of the library's challenges, from easy to hard."""

from collections.abc import Iterable

from kschedui.models import Scenario

CHALLENGES = (
    "challenge-weights",
    "challenge-spot",
    "challenge-rollout",
    "challenge-gpu",
    "challenge-price",
    "challenge-drain",
    "challenge-three-per-node",
    "challenge-one-database",
)


def in_order(challenges: Iterable[Scenario]) -> list[Scenario]:
    """Return the challenges in the order of CHALLENGES, others last."""
    places = {slug: place for place, slug in enumerate(CHALLENGES)}
    return sorted(challenges, key=lambda scenario: (places.get(str(scenario.slug), len(places)), str(scenario.slug)))
