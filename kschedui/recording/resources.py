"""The resources that are listed and watched, with their names in the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from kschedui.recording.api_server import FORBIDDEN, NOT_FOUND, UNAUTHORIZED, ApiError
from kschedui.scenarios.importers.reading.reading_table import reading_table
from scheduler_core.scenario.objects.kinds import LOAD_ORDER, MOVED_GROUPS

KARPENTER = "karpenter."  # the prefix of its API groups, which the scheduler does not read
NEVER_REQUESTED = (
    "Challenge",
    "ClusterAutoscaler",
    "ConfigMap",
    "Descheduler",
    "KWOKNodeClass",
    "Karpenter",
    "KubeSchedulerConfiguration",
    "NodeGroup",
    "Policy",
    "Scenario",
    "SchedulerPlugin",
    "Secret",
)
NAMESPACED = {kind.name for kind in LOAD_ORDER if kind.namespaced} | {
    "CronJob",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "Job",
    "LimitRange",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceQuota",
}
Result = TypeVar("Result")
NEEDED = ("Node", "Pod")  # without these there is nothing to simulate


class Resource(msgspec.Struct, frozen=True):
    """A resource. `group_version` "v1" or "apps/v1"; `name` as in a URL: "poddisruptionbudgets".

    `older`: other versions of the group to request if this one is not served, the newest first.
    """

    group_version: str
    kind: str
    name: str
    namespaced: bool
    older: tuple[str, ...] = ()

    def path(self, namespace: str = "") -> str:
        """Return the path of the resource's list, in one namespace or in all."""
        root = "/api/" if "/" not in self.group_version else "/apis/"
        inside = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        return f"{root}{self.group_version}{inside}/{self.name}"

    @property
    def group(self) -> str:
        return self.group_version.rpartition("/")[0]

    def read_served(self, read: Callable[[Resource], Result]) -> Result:
        """Return the result of `read` for the newest version that is served.

        Raises ApiError, that of the newest version if none is served.
        """
        try:
            return read(self)
        except ApiError as refusal:
            for group_version in self.older if refusal.status == NOT_FOUND else ():
                try:
                    return read(replace(self, group_version=group_version, older=()))
                except ApiError as other:
                    if other.status != NOT_FOUND:
                        raise
            raise


def resource_of(group_version: str, kind: str, older: tuple[str, ...] = ()) -> Resource:
    """Return the resource of a kind, with the plural of the API server's rule (UnsafeGuessKindToResource)."""
    singular = kind.lower()
    if singular.endswith("s"):
        plural = f"{singular}es"
    elif singular.endswith("y"):
        plural = f"{singular[:-1]}ies"
    else:
        plural = f"{singular}s"
    return Resource(group_version, kind, plural, kind in NAMESPACED, older)


def resources_to_import() -> list[Resource]:
    """Return everything that an import reads: initial objects in load order, then workloads."""
    kinds = reading_table()["kinds"]
    older = {(resource.group, resource.kind): resource.older for resource in resources_to_record()}
    resources = [resource_of(kinds[name]["version"], name) for name in kinds if name not in NEVER_REQUESTED]
    return [replace(resource, older=older.get((resource.group, resource.kind), ())) for resource in resources]


def resources_to_record() -> list[Resource]:
    """Return the resources that the scheduler itself reads: kinds of a scenario, without workload controllers."""
    versions: dict[tuple[str, str], list[str]] = {}
    for kind in LOAD_ORDER:  # of each name, the newest version comes last
        if kind.group not in MOVED_GROUPS and not kind.group.startswith(KARPENTER):
            versions.setdefault((kind.group, kind.name), []).insert(0, kind.api_version)
    return [resource_of(newest, name, tuple(older)) for (_, name), (newest, *older) in versions.items()]


EVENTS = resource_of("v1", "Event")


class MissingPermission(Exception):
    """The account cannot read what a simulation needs; the text is a sentence."""


def refusal_note(resource: Resource, refusal: ApiError) -> str:
    """Return the reason why a kind is missing. Raises MissingPermission or the refusal for a kind in NEEDED."""
    if resource.kind in NEEDED and refusal.status not in (FORBIDDEN, UNAUTHORIZED):
        raise refusal
    if resource.kind in NEEDED:
        raise MissingPermission(
            f"this account may not list {resource.name}, which a simulation needs: {refusal}. "
            "docs/cli.md has a ClusterRole that is enough."
        )
    name = f"{resource.name}.{resource.group}" if resource.group else resource.name
    if refusal.status == NOT_FOUND:
        return f"{name}: not served by this cluster"
    return f"{name}: not read ({refusal})"
