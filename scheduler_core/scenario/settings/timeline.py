"""`spec.events` of a Scenario document: objects built with the classes that exist at their time, in order of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.kinds import KINDS, POD_MAKERS, UNREAD, Identity, Kind
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    did_you_mean,
    duplicate,
    name_of_type,
    required,
    show,
)
from scheduler_core.scenario.settings.cluster_state import build, identity, kind_of
from scheduler_core.scenario.settings.scenario_document import seconds
from scheduler_core.scenario.types import TimelineEvent

Manifest = Mapping[str, Any]
Action = Literal["create", "update", "delete"]

ACTIONS: tuple[Action, ...] = ("create", "update", "delete")


class Timeline:
    """Builds the events. `exist`: the existing objects, which the events change as they are read."""

    def __init__(self, document: Document, problems: Problems, admission: Admission, exist: set[Identity]) -> None:
        self._document = document
        self._problems = problems
        self._admission = admission
        self._exist = exist
        self._ever = set(exist)
        self.namespaces: list[str] = []  # mentioned by objects that events create

    def build(self, data: tuple[Manifest, ...]) -> tuple[TimelineEvent, ...]:
        """Return the events sorted by time, equal times in document order."""
        timed = [(self._at(entry, ("spec", "events", index)), index, entry) for index, entry in enumerate(data)]
        events = []
        for at, index, entry in sorted(timed, key=lambda entry: entry[:2]):
            self._admission.now = at
            if event := self._event(at, entry, ("spec", "events", index)):
                events.append(event)
        return tuple(events)

    def _enter(self, path: Path = ()) -> None:
        self._problems.enter(self._document.chunk, (*self._document.prefix, *path))

    def _at(self, data: Manifest, path: Path) -> float:
        self._enter()
        if (at := data.get("at")) is None:
            self._problems.error((*path, "at"), required(Message("when the event happens, in seconds")))
            return 0.0
        return seconds(at, (*path, "at"), self._problems)

    def _event(self, at: float, found: Manifest, path: Path) -> TimelineEvent | None:
        self._enter()
        actions: list[Action] = [action for action in ACTIONS if found.get(action) is not None]
        if len(actions) != 1:
            self._problems.error(path, Message("an event needs exactly one of create, update and delete"))
            return None
        action = actions[0]
        data, at_object = found[action], (*path, action)
        if not isinstance(data, dict):
            self._problems.error(
                at_object, Message("{value} is {type}; expected a mapping", value=show(data), type=name_of_type(data))
            )
            return None
        if action == "delete":
            return self._delete(at, data, at_object)
        return self._change(at, action, data, at_object)

    def _change(self, at: float, action: Action, data: Manifest, path: Path) -> TimelineEvent | None:
        self._enter(path)
        kind = kind_of(data, (), self._problems)
        if kind is None:
            return None
        key = identity(kind, data)
        self._check_exists(action, key)
        self._exist.add(key)
        self._ever.add(key)
        if key[1]:
            self.namespaces.append(key[1])
        self._admission.updating = action == "update"
        built = build(kind, data, self._problems, self._admission)
        return TimelineEvent(at, action, key[0], key[1], key[2], built) if built else None

    def _check_exists(self, action: Action, key: Identity) -> None:
        """Report changes of objects that cannot exist.

        Pods may have been deleted as victims; namespaces are created when mentioned.
        """
        kind, _, name = key
        if action == "create" and key in self._exist and kind not in ("Pod", "Namespace"):
            self._problems.error(
                ("metadata", "name"),
                Message("{problem}: {kind} {name} exists already", problem=duplicate(name), kind=kind, name=name),
            )
        existing = self._ever if kind == "Pod" else self._exist
        if action == "update" and key not in existing and kind != "Namespace":
            self._problems.error(
                ("metadata", "name"), Message("no {kind} {name} exists at this time", kind=kind, name=show(name))
            )

    def _delete(self, at: float, data: Manifest, path: Path) -> TimelineEvent | None:
        kind = self._kind_to_delete(data, path)
        if kind is None:
            return None
        name, namespace = data.get("name") or "", data.get("namespace") or "default"
        if not name:
            self._problems.error((*path, "name"), required(Message("the name of the object to delete")))
            return None
        key = (kind.name, namespace if kind.namespaced else "", name)
        if key not in self._ever and kind.name == "Pod":
            self._problems.warn(
                path,
                Message(
                    "no Pod {namespace}/{name} exists before this time: nothing is deleted",
                    namespace=namespace,
                    name=name,
                ),
            )
        elif key not in self._exist and kind.name not in ("Pod", "Namespace"):
            self._problems.error(
                (*path, "name"), Message("no {kind} {name} exists at this time", kind=kind.name, name=show(name))
            )
        self._exist.discard(key)
        if kind.name == "PriorityClass":
            self._admission.priority_classes.pop(name, None)
        elif kind.name == "StorageClass":
            self._admission.storage_classes.pop(name, None)
        return TimelineEvent(at, "delete", *key)

    def _kind_to_delete(self, data: Manifest, path: Path) -> Kind | None:
        name = data.get("kind") or ""
        if kind := KINDS.get(name):
            return kind
        unread = {kind for _, kind in UNREAD}
        makers = [kind for kinds in POD_MAKERS.values() for kind in kinds]
        if name in unread and name not in makers:
            self._problems.warn((*path, "kind"), Message("{name} has no part in scheduling and is left out", name=name))
        else:
            message = (
                Message("no kind {value} is known{hint}", value=show(name), hint=did_you_mean(name, KINDS))
                if name
                else required(Message("such as Pod"))
            )
            self._problems.error((*path, "kind"), message)
        return None
