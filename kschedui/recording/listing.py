"""Lists the objects of a cluster at one time, page by page, pruned while they arrive."""

from __future__ import annotations

from kschedui.recording.api_server import ApiError, ApiServer
from kschedui.recording.resources import Resource, refusal_note, resources_to_import
from kschedui.scenarios.importers.reading.dump_reader import Dump


def list_cluster(server: ApiServer, namespace: str = "") -> tuple[Dump, list[str]]:
    """Return everything that an import reads, and the reasons for missing kinds.

    Raises MissingPermission or Unreachable.
    """
    dump = Dump()
    notes = []

    def take(resource: Resource) -> None:
        for page in server.pages(resource.path(namespace)):
            dump.take({**page, "apiVersion": resource.group_version, "kind": f"{resource.kind}List"})

    for resource in resources_to_import():
        try:
            resource.read_served(take)
        except ApiError as refusal:
            notes.append(refusal_note(resource, refusal))
    return dump, notes
