"""Requests of described pods, and their events from other components, for the page that explains messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kschedui.scenarios.importers.for_people import Reading

OF_SCHEDULER = frozenset(("FailedScheduling", "Scheduled"))
MOST = 5  # pods, and events


class DescribedPod(NamedTuple):
    """A pod, its requests ("cpu: 1500m"), selected labels ("disktype=ssd") and tolerations, as the text has them."""

    pod: str
    requests: list[str]
    selector: list[str]
    tolerations: list[str]


def described_pods(reading: Reading) -> list[DescribedPod]:
    """Return at most MOST pods of the text that have no node."""
    pods = (manifest for manifest in reading.objects if manifest.get("kind") == "Pod")
    return [_described(manifest) for manifest in pods if not manifest["spec"].get("nodeName")][:MOST]


def other_events(reading: Reading) -> list[str]:
    """Return at most MOST warnings of the text that the scheduler did not write: "FailedMount (kubelet): ..."."""
    others = (event for event in reading.events if event.type == "Warning" and event.reason not in OF_SCHEDULER)
    return list(dict.fromkeys(f"{event.reason} ({event.source}): {event.message}" for event in others))[:MOST]


def _described(manifest: Mapping[str, Any]) -> DescribedPod:
    spec, meta = manifest["spec"], manifest["metadata"]
    return DescribedPod(
        f"{meta.get('namespace', 'default')}/{meta['name']}",
        list(_requests(spec.get("containers") or ())),
        [f"{key}={value}" for key, value in (spec.get("nodeSelector") or {}).items()],
        [_toleration(toleration) for toleration in spec.get("tolerations") or ()],
    )


def _requests(containers: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for container in containers:
        requests = (container.get("resources") or {}).get("requests") or {}
        for name, quantity in requests.items():
            yield f"{name}: {quantity}"


def _toleration(toleration: Mapping[str, Any]) -> str:
    key, value = toleration.get("key", ""), toleration.get("value", "")
    return f"{key or '*'}{f'={value}' if value else ''}:{toleration.get('effect') or '*'}"
