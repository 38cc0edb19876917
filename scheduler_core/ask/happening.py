"""Edits as timeline events: the run is unchanged until their time and continues from there.

An edit of a node or budget after the start becomes a timeline event; pods and the configuration are edited where they
are defined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.apis.core import Node
from scheduler_core.ask.editing.edits import (
    AddNodes,
    ConfigurationEdit,
    Edit,
    ObjectEdit,
    Remove,
    SetField,
    SetFlag,
    Step,
    apply_steps,
)
from scheduler_core.ask.editing.objects import find_object, manifests_like, slices_of
from scheduler_core.ask.editing.slices import slices_like
from scheduler_core.ask.editing.text import Dump, add_event, apply_edits
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.scenario.objects.kinds import KINDS

LATER = ("Node", "PodDisruptionBudget")


def apply_as_events(moment: Moment, text: str, edits: Sequence[Edit], dump: Dump) -> str:
    """Return the edited text; after the start, edits of nodes and budgets become events. Raises NotPossible."""
    later = [edit for edit in edits if moment.time > 0 and _is_event(edit)]
    text = apply_edits(text, [edit for edit in edits if edit not in later], dump)
    for event in reversed(_events(moment, later)):
        text = add_event(text, {"at": _seconds(moment.time), **event}, dump)
    return text


def _is_event(edit: Edit) -> bool:
    if isinstance(edit, ConfigurationEdit | SetFlag):
        return False
    return isinstance(edit, AddNodes) or edit.kind in LATER


def _seconds(time: float) -> float | int:
    return int(time) if time == int(time) else time


def _events(moment: Moment, edits: Sequence[Edit]) -> list[dict[str, Any]]:
    """Return an event for each object, with its state after all edits."""
    cluster = moment.world().cluster
    events: dict[tuple[str, str, str], dict[str, Any]] = {}
    for edit in edits:
        assert isinstance(edit, ObjectEdit)
        match edit:
            case AddNodes():
                nodes: dict[str, Mapping[str, Any]] = {node.name: node.manifest for node in cluster.all_nodes()}
                nodes |= {key[2]: event["create"] for key, event in events.items() if "create" in event}
                for data in manifests_like(edit, nodes.get(edit.like), nodes):
                    name = data["metadata"]["name"]
                    events["Node", "", name] = {"create": data}
                    for piece in slices_like(edit.like, name, slices_of(cluster)):
                        events["ResourceSlice", "", piece["metadata"]["name"]] = {"create": piece}
            case SetField():
                key = (edit.kind, edit.namespace, edit.name)
                event = events.get(key) or {"update": _manifest(find_object(cluster, *key))}
                events[key] = {
                    action: apply_steps(data, [Step(edit.path, edit.value, edit.add)]) for action, data in event.items()
                }
            case Remove():
                names = {"apiVersion": KINDS[edit.kind].api_version, "kind": edit.kind, "name": edit.name}
                namespace = {"namespace": edit.namespace} if edit.namespace else {}
                events[edit.kind, edit.namespace, edit.name] = {"delete": {**names, **namespace}}
    return list(events.values())


def _manifest(item: Any) -> Mapping[str, Any]:
    manifest: Mapping[str, Any] = item.manifest
    if isinstance(item, Node):
        return {"apiVersion": "v1", "kind": "Node", **manifest}
    return manifest
