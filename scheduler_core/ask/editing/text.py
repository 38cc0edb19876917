"""Edits applied to a scenario's text; only the affected lines change.

A value is replaced in place or added as a new line at the top of its mapping. If that is not possible (an alias, a path
that is not found), the whole document is written again. Objects that the timeline creates are edited in the timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.configuring import EMPTY, steps_of
from scheduler_core.ask.editing.edits import (
    AddNodes,
    ConfigurationEdit,
    Edit,
    NotPossible,
    Remove,
    SetField,
    SetFlag,
    Step,
    apply_steps,
)
from scheduler_core.ask.editing.objects import manifests_like, no_such
from scheduler_core.ask.editing.place import apply_step
from scheduler_core.ask.editing.slices import slices_like
from scheduler_core.scenario.objects.kinds import CONFIGURATION, KINDS, OF_AUTOSCALING, SCENARIO
from scheduler_core.scenario.objects.workloads import SPECS
from scheduler_core.scenario.reading.documents import Chunk, Document, data_of, read_documents
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import Path, Problems
from scheduler_core.scenario.settings.autoscaling import split_flag
from scheduler_core.scenario.settings.controllers import ALL, BARE_PODS

Dump = Callable[[Any], str]  # writes data as one YAML document


class _Located(NamedTuple):
    """An object's data, the chunk of the text that contains it, and its path in the document."""

    data: Mapping[str, Any]
    chunk: Chunk
    prefix: Path


def apply_edits(text: str, edits: Sequence[Edit], dump: Dump) -> str:
    """Return the text with the edits applied in order. Raises NotPossible."""
    for edit in edits:
        match _as_written(text, edit):
            case None:
                pass
            case SetField() as edit:
                for located in reversed(_objects(text, edit.kind, edit.namespace, edit.name)):
                    steps = [Step(edit.path, edit.value, edit.add)]
                    text = _with_steps(text, located, steps, dump)
            case AddNodes() as edit:
                text = _with_nodes(text, edit, dump)
            case Remove() as edit:
                for located in reversed(_objects(text, edit.kind, edit.namespace, edit.name)):
                    text = _without(text, located, dump)
            case SetFlag() as edit:
                text = _with_flag(text, edit, dump)
            case edit:
                text = _configured(text, edit, dump)
    return text


def _as_written(text: str, edit: Edit) -> Edit | None:
    """Return the edit to apply to the text: an edit of a generated ResourceClaim changes its template.

    None: the text stays unchanged. The run determines the state of a claim, and deletes a generated claim with its pod.
    """
    if not isinstance(edit, SetField | Remove) or edit.kind != "ResourceClaim":
        return edit
    of_status = isinstance(edit, SetField) and edit.path == ("status",)
    template = _template_of(text, edit.namespace, edit.name)
    if template and (of_status or isinstance(edit, Remove)):
        return None
    if template and isinstance(edit, SetField):
        return replace(edit, kind="ResourceClaimTemplate", name=template, path=("spec", *edit.path))
    if of_status and not any(
        located.data.get("status") for located in _objects(text, edit.kind, edit.namespace, edit.name)
    ):
        return None
    return edit


def _template_of(text: str, namespace: str, claim: str) -> str:
    """Return the template from which a pod's claim is generated; "" for a claim that is in the text itself."""
    for document in _documents(text):
        for data in (document.data, *(located.data for located in _created(document))):
            pod, spec = data.get("metadata") or {}, data.get("spec") or {}
            if data.get("kind") != "Pod" or (pod.get("namespace") or "default") != namespace:
                continue
            for entry in spec.get("resourceClaims") or ():
                if f"{pod.get('name')}-{entry.get('name')}" == claim and entry.get("resourceClaimTemplateName"):
                    return str(entry["resourceClaimTemplateName"])
    return ""


def set_seed(text: str, seed: int, dump: Dump) -> str:
    """Return the text with the seed in its Scenario document, which is added if it is missing."""
    return _in_scenario(text, [Step(("spec", "seed"), seed)], dump)


def end_at(text: str, seconds: float, dump: Dump) -> str:
    """Return the text with the end of the run set to this time, in seconds."""
    return _in_scenario(text, [Step(("spec", "untilSeconds"), seconds)], dump)


def add_event(text: str, event: Mapping[str, Any], dump: Dump) -> str:
    """Return the text with another timeline event, at the start of the list."""
    steps = [Step(("spec", "events"), event, add=True)]
    return _in_scenario(text, steps, dump)


def append_events(text: str, events: Sequence[Mapping[str, Any]], dump: Dump) -> str:
    """Return the text with more events at the end of its timeline, and without `untilSeconds`.

    Unless the text names controllers, all of them run; bare pods are recreated too if neither a pod has an owner nor a
    workload creates pods.
    """
    api_version, kind = SCENARIO
    controllers = [ALL] if any(map(_names_owner, _documents(text))) else [ALL, BARE_PODS]
    for document in _documents(text):
        if (document.data.get("apiVersion"), document.data.get("kind")) == SCENARIO:
            spec = document.data.get("spec") or {}
            steps = [Step(("spec", "events"), [*(spec.get("events") or ()), *events])]
            if "untilSeconds" in spec:
                steps.append(Step(("spec", "untilSeconds"), None))
            if not spec.get("controllers"):
                steps.append(Step(("spec", "controllers"), controllers))
            return _with_steps(text, _Located(document.data, document.chunk, document.prefix), steps, dump)
    spec = {"controllers": controllers, "events": list(events)}
    return _appended(text, [{"apiVersion": api_version, "kind": kind, "spec": spec}], dump)


def _names_owner(document: Document) -> bool:
    """Return whether the document or its timeline has a pod with an owner, or a workload that creates pods."""
    objects = [document.data, *(located.data for located in _created(document))]
    return any(
        bool((data.get("metadata") or {}).get("ownerReferences"))
        if data.get("kind") == "Pod"
        else data.get("kind") in SPECS and "template" in (data.get("spec") or {})
        for data in objects
    )


def _in_scenario(text: str, steps: Sequence[Step], dump: Dump) -> str:
    for document in _documents(text):
        if (document.data.get("apiVersion"), document.data.get("kind")) == SCENARIO:
            return _with_steps(text, _Located(document.data, document.chunk, document.prefix), steps, dump)
    api_version, kind = SCENARIO
    return _appended(text, [apply_steps({"apiVersion": api_version, "kind": kind}, steps)], dump)


def _documents(text: str) -> list[Document]:
    return read_documents(text, Limits(), Problems())


def _objects(text: str, kind: str, namespace: str, name: str) -> list[_Located]:
    """Return the places in the text, including the timeline, that define the object.

    Raises NotPossible if there is none.
    """
    located = []
    for document in _documents(text):
        if (document.data.get("apiVersion"), document.data.get("kind")) == SCENARIO:
            located += [item for item in _created(document) if _is_object(item.data, kind, namespace, name)]
        elif _is_object(document.data, kind, namespace, name):
            located.append(_Located(document.data, document.chunk, document.prefix))
    if not located:
        raise no_such(kind, f"{namespace}/{name}" if namespace else name)
    return located


def _created(document: Document) -> list[_Located]:
    """Return the objects that the timeline creates or updates."""
    events = (document.data.get("spec") or {}).get("events") or ()
    return [
        _Located(event[action], document.chunk, (*document.prefix, "spec", "events", index, action))
        for index, event in enumerate(events)
        for action in ("create", "update")
        if isinstance(event.get(action), dict)
    ]


def _with_flag(text: str, edit: SetFlag, dump: Dump) -> str:
    """Return the text with the flag at the end of the actor's flags; earlier ones are removed. Raises NotPossible."""
    for document in _documents(text):
        if (document.data.get("apiVersion"), document.data.get("kind")) == (SCENARIO[0], edit.actor):
            flags = (document.data.get("spec") or {}).get("flags") or ()
            kept = [flag for flag in flags if split_flag(flag)[0] != edit.flag]
            steps = [Step(("spec", "flags"), [*kept, f"--{edit.flag}={edit.value}"])]
            return _with_steps(text, _Located(document.data, document.chunk, document.prefix), steps, dump)
    raise NotPossible(Message("the scenario has no {actor}", actor=edit.actor))


def _is_object(data: Mapping[str, Any], kind: str, namespace: str, name: str) -> bool:
    if (kind not in KINDS and kind not in OF_AUTOSCALING) or data.get("kind") != kind:
        return False
    metadata = data.get("metadata") or {}
    namespaced = kind in KINDS and KINDS[kind].namespaced
    own = (metadata.get("namespace") or "default") if namespaced else ""
    return metadata.get("name") == name and own == namespace


def _with_steps(text: str, located: _Located, steps: Sequence[Step], dump: Dump) -> str:
    """Return the text with the steps applied to one of its documents."""
    chunk = located.chunk
    inside = [Step((*located.prefix, *step.path), step.value, step.add) for step in steps]
    new = chunk.text
    for step in inside:
        new = apply_step(new, step)
    expected = apply_steps(data_of(chunk.text) or {}, inside)
    if data_of(new) != expected:
        new = _framed(chunk.text, dump(expected))
    return _replaced(text, chunk, new)


def _replaced(text: str, chunk: Chunk, new: str) -> str:
    """Return the text with a chunk's content replaced; the marker before it stays."""
    start = _offset(text, chunk)
    old = chunk.text
    marker = text[start : start + 3] if text[start : start + 3] == "---" else ""
    body = new[3:] if marker and new.startswith("   ") else new
    return text[:start] + marker + body + text[start + len(old) :]


def _offset(text: str, chunk: Chunk) -> int:
    """Return the offset of the first character of the chunk."""
    at = 1 if text.startswith("\ufeff") else 0
    for _ in range(chunk.first_line):
        at = text.index("\n", at) + 1
    return at


def _framed(old: str, body: str) -> str:
    """Return a document's new text, below the blanked marker of the old text if that has one."""
    marker = "   \n" if old.startswith("   ") and old[3:4] in ("\n", "\r", " ", "") else ""
    return marker + body


def _without(text: str, located: _Located, dump: Dump) -> str:
    if not located.prefix:
        start = _offset(text, located.chunk)
        left = text[:start] + text[start + len(located.chunk.text) :]
        return left.removeprefix("---\n") if start == 0 else left
    *above, last = located.prefix
    if last in ("create", "update"):  # the complete event of the timeline
        *above, last = above
    data = data_of(located.chunk.text) or {}
    items: Any = data
    for part in above:
        items = items[part]
    left_items = [item for index, item in enumerate(items) if index != last]
    steps = [Step(tuple(above), left_items)]
    return _with_steps(text, _Located(data, located.chunk, ()), steps, dump)


def _with_nodes(text: str, edit: AddNodes, dump: Dump) -> str:
    documents = [*_documents(text)]
    manifests: list[Mapping[str, Any]] = [item.data for item in documents]
    for document in documents:
        if (document.data.get("apiVersion"), document.data.get("kind")) == SCENARIO:
            manifests += [item.data for item in _created(document)]
    by_name = {(item.get("metadata") or {}).get("name"): item for item in manifests if item.get("kind") == "Node"}
    slices = [item for item in manifests if item.get("kind") == "ResourceSlice"]
    added: list[Mapping[str, Any]] = []
    for node in manifests_like(edit, by_name.get(edit.like), [str(name) for name in by_name]):
        added += [node, *slices_like(edit.like, node["metadata"]["name"], slices)]
    return _appended(text, added, dump)


def _appended(text: str, documents: Sequence[Any], dump: Dump) -> str:
    return "\n---\n".join([text.rstrip(), *(dump(document).rstrip() for document in documents)]) + "\n"


def _configured(text: str, edit: ConfigurationEdit, dump: Dump) -> str:
    for document in _documents(text):
        if (document.data.get("apiVersion"), document.data.get("kind")) == CONFIGURATION:
            located = _Located(document.data, document.chunk, document.prefix)
            return _with_steps(text, located, steps_of(edit, document.data), dump)
    return _appended(text, [apply_steps(EMPTY, steps_of(edit, EMPTY))], dump)
