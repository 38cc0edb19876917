"""Builds `spec.events` of a Scenario document in order of time, each with the classes that exist at its time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from scheduler_core.apis.messages import Message
from scheduler_core.apis.patches import PatchError, apply_patch
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.kinds import KINDS, UNREAD, Identity, Kind
from scheduler_core.scenario.objects.workloads import SPECS
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.numbers import seconds
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    did_you_mean,
    duplicate,
    invalid,
    name_of_type,
    one_of,
    required,
    show,
)
from scheduler_core.scenario.settings.cluster_state import build, identity, kind_of
from scheduler_core.scenario.types import TimelineEvent, Verb

Manifest = Mapping[str, Any]

OBJECT_VERBS: tuple[Verb, ...] = ("create", "update", "delete")
VERBS: tuple[Verb, ...] = get_args(Verb)
SCALABLE = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")
RESTARTABLE = ("Deployment", "DaemonSet", "StatefulSet")
MADE_KINDS = ("Pod", "ReplicaSet", "Job", "PersistentVolumeClaim", "NodeClaim")  # controllers create such objects, too
NODE_VERBS: tuple[Verb, ...] = ("cordon", "uncordon", "drain", "failNode", "recoverNode", "taint", "untaint")


class Timeline:
    """Builds the events, and keeps track of the objects that exist at the time of each.

    `exist`: the initial objects, each with its document or None.
    """

    def __init__(
        self,
        document: Document,
        problems: Problems,
        admission: Admission,
        exist: Mapping[Identity, Document | None],
        *,
        nodes_are_added: bool = False,
    ) -> None:
        self._document = document
        self._nodes_are_added = nodes_are_added  # by an autoscaler, so that names of nodes cannot be checked
        self._problems = problems
        self._admission = admission
        self._existing: dict[Identity, Manifest] = {key: doc.data if doc else {} for key, doc in exist.items()}
        # The objects that exist at the start, or have been created or updated by an event so far.
        self._ever_existed = set(exist)
        self.namespaces: list[str] = []  # of the objects that events create or update, possibly repeated

    def build(self, data: tuple[Manifest, ...]) -> tuple[TimelineEvent, ...]:
        """Return the valid events sorted by time, equal times in document order."""
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

    def _event(self, at: float, entry: Manifest, path: Path) -> TimelineEvent | None:
        self._enter()
        actions = [verb for verb in VERBS if entry.get(verb) is not None]
        if len(actions) != 1:
            self._problems.error(path, Message("an event needs exactly one of {verbs}", verbs=one_of(VERBS)))
            return None
        action = actions[0]
        data, at_object = entry[action], (*path, action)
        if action not in OBJECT_VERBS:
            return self._other_event(at, action, data, at_object)
        if not isinstance(data, dict):
            self._problems.error(
                at_object, Message("{value} is {type}; expected a mapping", value=show(data), type=name_of_type(data))
            )
            return None
        if action == "delete":
            return self._deletion_event(at, data, at_object)
        return self._object_event(at, action, data, at_object)

    def _other_event(self, at: float, verb: Verb, data: Any, path: Path) -> TimelineEvent | None:
        """Return an event of a verb other than create, update and delete; None if it is invalid.

        Its details are the fields as written, with "nodes", "pod" or "names" added.
        """
        details = data if isinstance(data, dict) else {"names": data}
        if verb == "deleteFirst":
            kind = self._kind_to_delete({"kind": data}, path[:-1])
            return TimelineEvent(at, verb, kind.name, "", "") if kind is not None else None
        if verb in NODE_VERBS:
            names = data.get("node") if isinstance(data, dict) else data
            nodes = names if isinstance(names, list) else [names]
            below = "node" if isinstance(data, dict) else None
            if not isinstance(details.get("force", True), bool):
                message = Message("{value} is {type}; expected true or false", **_typed(details["force"]))
                self._problems.error((*path, "force"), message)
                return None
            return self._node_event(at, verb, nodes, details, path if below is None else (*path, below))
        if verb in ("evict", "ready", "finish"):
            return self._pod_event(at, verb, data, details, path)
        if verb == "pressure":
            return self._node_event(at, verb, [data.get("node")], details, (*path, "node"))
        return self._workload_event(at, verb, details, path)

    def _pod_event(self, at: float, verb: Verb, data: Any, details: Manifest, path: Path) -> TimelineEvent | None:
        pod = data.get("pod", data) if isinstance(data, dict) else data
        if isinstance(pod, dict) and not {"name", "owner", "node"} & set(pod):
            self._problems.error(path, required(Message("the pod: its name, or owner, node and index")))
            return None
        spellings = (data.get(name) for name in ("exitCode", "exit", "code")) if isinstance(data, dict) else ()
        code = next((spelling for spelling in spellings if spelling is not None), 0)
        exit_code = parse_int64(str(code))
        if exit_code is None or exit_code < 0:
            self._problems.error((*path, "exitCode"), invalid(code, Message("must be an integer")))
            return None
        more = {"pod": pod, **({"exitCode": exit_code} if verb == "finish" else {})}
        return TimelineEvent(at, verb, "Pod", _namespace_of(data), "", details={**details, **more})

    def _node_event(
        self, at: float, verb: Verb, nodes: list[Any], details: Manifest, path: Path
    ) -> TimelineEvent | None:
        for name in nodes:
            is_known = self._nodes_are_added or ("Node", "", name) in self._ever_existed
            if not isinstance(name, str) or not is_known:
                self._problems.error(path, Message("no Node {name} exists at this time", name=show(name)))
                return None
        if verb == "taint" and not details.get("effect"):
            self._problems.error((*path[:-1], "effect"), required(Message("as in NoSchedule")))
            return None
        if verb in ("taint", "untaint") and not details.get("key"):
            self._problems.error((*path[:-1], "key"), required())
            return None
        if isinstance(details.get("value"), bool):  # YAML's `y`
            details = {**details, "value": "true" if details["value"] else "false"}
        return TimelineEvent(at, verb, "Node", "", "", details={**details, "nodes": nodes})

    def _workload_event(self, at: float, verb: Verb, data: Manifest, path: Path) -> TimelineEvent | None:
        """Return the event of a patch, scale, rollout or load; None if it is invalid."""
        name_of_kind = data.get("kind") or ""
        kind = KINDS.get(name_of_kind)
        if kind is None:
            hint = did_you_mean(name_of_kind, KINDS)
            message = Message("no kind {value} is known{hint}", value=show(name_of_kind), hint=hint)
            self._problems.error((*path, "kind"), message)
            return None
        allowed = {"scale": SCALABLE, "rollout": RESTARTABLE}.get(verb)
        if allowed is not None and name_of_kind not in allowed:
            message = Message(
                "the server does not allow {verb} on {kind}; expected {kinds}",
                verb=verb,
                kind=name_of_kind,
                kinds=one_of(allowed),
            )
            self._problems.error((*path, "kind"), message)
            return None
        name = data.get("name") or ""
        namespace = (data.get("namespace") or "default") if kind.namespaced else ""
        key = (kind.name, namespace, name if isinstance(name, str) else "")
        is_made = kind.name in MADE_KINDS or (kind.name == "Node" and self._nodes_are_added)
        if key not in self._existing and not is_made:
            self._problems.error(
                (*path, "name"), Message("no {kind} {name} exists at this time", kind=kind.name, name=show(name))
            )
            return None
        if verb == "scale" and (data.get("replicas") is None or data["replicas"] < 0):
            replicas = data.get("replicas")
            message = Message("must be greater than or equal to 0")
            self._problems.error((*path, "replicas"), invalid(replicas, message) if replicas else required())
            return None
        if verb == "rollout" and not data.get("action"):
            self._problems.error((*path, "action"), required(one_of(("restart", "undo", "pause", "resume"))))
            return None
        if verb == "patch" and data.get("body") is not None:
            data = {**data, "patch": data["body"], "type": "merge"}
        if verb == "patch" and not self._check_patch(kind, key, data, path):
            return None
        return TimelineEvent(at, verb, *key, details=data)

    def _check_patch(self, kind: Kind, key: Identity, data: Manifest, path: Path) -> bool:
        """Return whether the API server accepts the patch; its result is the object's document from now on.

        Without a document, only the form of the patch is checked, and errors of a JSON patch are left to the run.
        """
        before = self._existing.get(key)
        try:
            after = apply_patch(before or {}, data.get("patch"), data.get("type") or "strategic")
        except PatchError as error:
            if before or data.get("type") != "json":
                self._problems.error((*path, "patch"), error.sentence)
            return not before and data.get("type") == "json"
        if not before:
            return True
        errors = self._problems.count
        self._enter((*path, "patch"))
        self._admission.updating = True
        with self._admission.template():
            build(kind, after, self._problems, self._admission)
        self._enter()
        self._existing[key] = after
        return self._problems.count == errors

    def _object_event(self, at: float, action: Verb, data: Manifest, path: Path) -> TimelineEvent | None:
        self._enter(path)
        kind = kind_of(data, (), self._problems)
        if kind is None:
            return None
        key = identity(kind, data)
        self._check_exists(action, key)
        self._existing[key] = data
        self._ever_existed.add(key)
        if key[1]:
            self.namespaces.append(key[1])
        self._admission.updating = action == "update"
        built = build(kind, data, self._problems, self._admission)
        return TimelineEvent(at, action, key[0], key[1], key[2], built) if built else None

    def _check_exists(self, action: Verb, key: Identity) -> None:
        """Report the creation of an object that exists already, or an update of one that does not exist.

        Pods may have been deleted as victims before they are created again or updated; namespaces exist if an object
        mentions them.
        """
        kind, _, name = key
        if action == "create" and key in self._existing and kind not in ("Pod", "Namespace"):
            self._problems.error(
                ("metadata", "name"),
                Message("{problem}: {kind} {name} exists already", problem=duplicate(name), kind=kind, name=name),
            )
        existing = self._ever_existed if kind == "Pod" else self._existing.keys()
        if action == "update" and key not in existing and kind != "Namespace":
            self._problems.error(
                ("metadata", "name"), Message("no {kind} {name} exists at this time", kind=kind, name=show(name))
            )

    def _deletion_event(self, at: float, data: Manifest, path: Path) -> TimelineEvent | None:
        kind = self._kind_to_delete(data, path)
        if kind is None:
            return None
        name, namespace = data.get("name") or "", data.get("namespace") or "default"
        if isinstance(name, dict) and kind.name == "Pod":
            return TimelineEvent(at, "delete", kind.name, namespace, "", details={**data, "pod": name})
        if not name or not isinstance(name, str):
            self._problems.error((*path, "name"), required(Message("the name of the object to delete")))
            return None
        grace = data.get("gracePeriodSeconds")
        if grace is not None and grace < 0:
            message = Message("must be greater than or equal to 0")
            self._problems.error((*path, "gracePeriodSeconds"), invalid(grace, message))
            return None
        key = (kind.name, namespace if kind.namespaced else "", name)
        if key not in self._ever_existed and kind.name == "Pod" and not self._has_workloads():
            self._problems.warn(
                path,
                Message(
                    "no Pod {namespace}/{name} exists before this time: nothing is deleted",
                    namespace=namespace,
                    name=name,
                ),
            )
        elif (
            key not in self._existing
            and kind.name not in ("Pod", "Namespace")
            and not (kind.name in MADE_KINDS and self._has_workloads())
            and not (kind.name == "Node" and self._nodes_are_added)
        ):
            self._problems.error(
                (*path, "name"), Message("no {kind} {name} exists at this time", kind=kind.name, name=show(name))
            )
        self._existing.pop(key, None)
        if kind.name == "PriorityClass":
            self._admission.priority_classes.pop(name, None)
        elif kind.name == "StorageClass":
            self._admission.storage_classes.pop(name, None)
        return TimelineEvent(at, "delete", *key, details=data if "gracePeriodSeconds" in data else {})

    def _has_workloads(self) -> bool:
        """Return whether a workload has existed so far, whose controller may have created an object."""
        return any(kind in SPECS for kind, _, _ in self._ever_existed)

    def _kind_to_delete(self, data: Manifest, path: Path) -> Kind | None:
        name = data.get("kind") or ""
        if kind := KINDS.get(name):
            return kind
        if name in {unread_kind for _, unread_kind in UNREAD}:
            self._problems.warn((*path, "kind"), Message("{name} has no part in scheduling and is left out", name=name))
        else:
            message = (
                Message("no kind {value} is known{hint}", value=show(name), hint=did_you_mean(name, KINDS))
                if name
                else required(Message("such as Pod"))
            )
            self._problems.error((*path, "kind"), message)
        return None


def _typed(value: Any) -> dict[str, Any]:
    """Return `value` and `type` of a message: a value and the name of its type."""
    return {"value": show(value), "type": name_of_type(value)}


def _namespace_of(data: Any) -> str:
    return (data.get("namespace") if isinstance(data, dict) else None) or "default"
