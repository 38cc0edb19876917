"""The order of the library's lessons: thirteen chapters, each lesson in one of them."""

from collections.abc import Iterable
from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _

from kschedui.models import Scenario


class Chapter(msgspec.Struct, frozen=True):
    """Lessons by slug, in order."""

    key: str
    title: Any  # lazy
    lessons: tuple[str, ...]


CHAPTERS = (
    Chapter("first", _("A pod finds a node"), ("first-pod", "resources-fit", "cordoned-node")),
    Chapter("queue", _("Queue"), ("priority-order", "backoff", "queueing-hints", "scheduling-gates", "no-nodes")),
    Chapter(
        "filters",
        _("Filters"),
        (
            "requests-counted",
            "taints-and-tolerations",
            "node-affinity",
            "host-ports",
            "filter-order",
            "make-it-fit",
        ),
    ),
    Chapter(
        "scores",
        _("Scores"),
        (
            "image-locality",
            "balanced-allocation",
            "least-or-most",
            "bin-packing",
            "which-weight-decides",
            "two-profiles",
            "extender",
            "own-rule",
        ),
    ),
    Chapter(
        "preemption",
        _("Preemption"),
        (
            "high-finds-no-room",
            "high-preempts-low",
            "graceful-eviction",
            "two-filter-passes",
            "minimal-victims",
            "preemption-never",
            "pdb-respected",
            "pdb-violated",
            "rung-1-pdb",
            "rung-2-highest-victim",
            "rung-3-priority-sum",
            "rung-4-fewest-victims",
            "rung-5-latest-start",
            "rung-6-first",
            "nomination-lost",
            "async-preemption",
        ),
    ),
    Chapter("framework", _("Extension points"), ("extension-points", "statuses")),
    Chapter("spread", _("Spread and affinity"), ("soft-spread", "hard-spread", "affinity", "anti-affinity")),
    Chapter(
        "binding",
        _("Volumes and binding"),
        ("volume-waits", "overlap", "bind-failure", "permit-gang", "permit-timeout"),
    ),
    Chapter(
        "gangs",
        _("Gangs"),
        ("gang-fits", "gang-waits", "gang-too-big", "gang-preempts", "gang-one-zone"),
    ),
    Chapter(
        "devices",
        _("Devices"),
        (
            "device-claim",
            "device-selector",
            "device-pair",
            "device-first-available",
            "device-shared",
            "device-elsewhere",
            "device-partitions",
            "device-tainted",
            "device-challenge",
        ),
    ),
    Chapter(
        "cluster",
        _("The cluster around it"),
        (
            "victim-comes-back",
            "rollout-without-room",
            "surge-and-unavailable",
            "scale-down-order",
            "statefulset-waits",
            "daemonset-and-nodes",
            "job-retries",
            "preempted-job",
            "quota-and-limits",
            "budgets-and-drain",
            "node-is-lost",
            "toleration-seconds",
            "pressure-and-qos",
            "descheduler-repairs",
            "hpa-on-a-full-cluster",
            "autoscaler-adds",
            "autoscaler-removes",
            "karpenter-packs",
        ),
    ),
    Chapter(
        "before",
        _("The scheduler of 1.15"),
        (
            "predicates-in-order",
            "all-predicates",
            "priorities-0-to-10",
            "same-cluster-1-15",
            "cheapest-victims",
            "budget-of-one",
            "preemption-might-help",
        ),
    ),
    Chapter("scale", _("Scale"), ("flash-sale", "thousand-nodes", "five-thousand-nodes")),
)


def order() -> list[str]:
    """Return the slugs of all lessons in the order of the track."""
    return [slug for chapter in CHAPTERS for slug in chapter.lessons]


def in_order(lessons: Iterable[Scenario]) -> list[Scenario]:
    """Return lessons in the order of the track; those that are not part of it come last."""
    places = {slug: i for i, slug in enumerate(order())}
    return sorted(lessons, key=lambda lesson: (places.get(str(lesson.slug), len(places)), str(lesson.slug)))


def place_of(slug: str) -> dict[str, Any] | None:
    """Return {chapter, number, of} and the slugs {back, on, like} of a lesson; None if the scenario is not in the
    track.

    `back` and `on`: the lessons before and after it; `like`: another lesson of its chapter. A slug is "" if there is
    none.
    """
    everything = order()
    chapter = next((chapter for chapter in CHAPTERS if slug in chapter.lessons), None)
    if chapter is None:
        return None
    at, number = everything.index(slug), chapter.lessons.index(slug)
    on = everything[at + 1] if at + 1 < len(everything) else ""
    others = [*chapter.lessons[number + 1 :], *chapter.lessons[:number]]
    return {
        "chapter": str(chapter.title),
        "number": number + 1,
        "of": len(chapter.lessons),
        "back": everything[at - 1] if at else "",
        "on": on,
        "like": next((other for other in others if other != on), ""),
    }
