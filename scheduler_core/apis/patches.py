"""Patches of a manifest, as the API server applies them.

Strategic: lists of the fields in MERGE_KEYS are merged by a key (`patchMergeKey` of the API types); other lists are
replaced. Merge: RFC 7386, but fields that begin with "$" are skipped. JSON: RFC 6902.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from scheduler_core.apis.messages import Message, WithSentence
from scheduler_core.apis.selectors import parse_int64

Manifest = dict[str, Any]
PatchType = Literal["strategic", "merge", "json"]

MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "ports": "containerPort",
    "imagePullSecrets": "name",
    "conditions": "type",
    "ownerReferences": "uid",
    "topologySpreadConstraints": "topologyKey",
    "hostAliases": "ip",
    "resourceClaims": "name",
    "schedulingGates": "name",
}
DIRECTIVE = "$patch"
DELETE_PRIMITIVES = "$deleteFromPrimitiveList/"


class PatchError(WithSentence):
    """The patch cannot be applied."""


def apply_patch(manifest: Mapping[str, Any], patch: Any, kind: PatchType = "strategic") -> Manifest:
    """Return the manifest with the patch applied; the given one is not changed. Raises PatchError."""
    if kind == "json":
        return _apply_json_patch(manifest, patch)
    if not isinstance(patch, dict):
        raise PatchError(Message("a patch must be a mapping"))
    return _merge(manifest, patch, strategic=kind == "strategic")


def _merge(old: Any, patch: Mapping[str, Any], *, strategic: bool) -> Manifest:
    merged = dict(old) if isinstance(old, Mapping) else {}
    if strategic and patch.get(DIRECTIVE) == "replace":
        return {key: value for key, value in patch.items() if key != DIRECTIVE}
    for key, value in patch.items():
        if key.startswith("$"):
            continue
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            if strategic and value.get(DIRECTIVE) == "delete":
                merged.pop(key, None)
            else:
                merged[key] = _merge(merged.get(key), value, strategic=strategic)
        elif isinstance(value, list) and strategic and key in MERGE_KEYS:
            merged[key] = _merge_lists(merged.get(key) or [], value, MERGE_KEYS[key])
        else:
            merged[key] = value
    return merged


def _merge_lists(old: Sequence[Any], patch: Sequence[Any], key: str) -> list[Any]:
    if any(isinstance(item, dict) and item.get(DIRECTIVE) == "replace" for item in patch):
        return [item for item in patch if not (isinstance(item, dict) and DIRECTIVE in item)]
    merged = list(old)
    for item in patch:
        if not isinstance(item, dict):
            merged.append(item)
            continue
        same = (i for i, other in enumerate(merged) if isinstance(other, Mapping) and other.get(key) == item.get(key))
        position = next(same, None)
        if item.get(DIRECTIVE) == "delete":
            if position is not None:
                del merged[position]
        elif position is None:
            merged.append(_merge({}, item, strategic=True))
        else:
            merged[position] = _merge(merged[position], item, strategic=True)
    return merged


def _apply_json_patch(manifest: Mapping[str, Any], patch: Any) -> Manifest:
    if not isinstance(patch, list):
        raise PatchError(Message("a JSON patch must be a list of operations"))
    document: Any = _copy(manifest)
    for operation in patch:
        if not isinstance(operation, dict) or not isinstance(operation.get("path"), str):
            raise PatchError(Message("each operation needs op and path"))
        document = _apply_operation(document, operation)
    if not isinstance(document, dict):
        raise PatchError(Message("the patch leaves no object"))
    return document


def _apply_operation(document: Any, operation: Mapping[str, Any]) -> Any:
    op, path = operation.get("op"), _pointer(operation["path"])
    if op in ("move", "copy"):
        source = _pointer(str(operation.get("from")))
        value = _copy(_value_at(document, source))
        document = _write_value(document, source, None, "remove") if op == "move" else document
        return _write_value(document, path, value, "add")
    if op == "test":
        if _value_at(document, path) != operation.get("value"):
            raise PatchError(Message("the value at {path} is another one", path=operation["path"]))
        return document
    if op not in ("add", "remove", "replace"):
        raise PatchError(Message("{operation} is no operation of a JSON patch", operation=op))
    return _write_value(document, path, operation.get("value"), op)


def _write_value(document: Any, path: Sequence[str], value: Any, op: str) -> Any:
    """Add, remove or replace the value at the path in place, and return the document. Raises PatchError."""
    if not path:
        return value
    parent, last = _value_at(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        index = len(parent) if last == "-" else _index(last)
        if op == "add" and index <= len(parent):
            parent.insert(index, value)
        elif index >= len(parent):
            raise PatchError(Message("there is no item {item}", item=last))
        elif op == "remove":
            del parent[index]
        else:
            parent[index] = value
    elif isinstance(parent, dict):
        if op != "add" and last not in parent:
            raise PatchError(Message("there is no field {field}", field=last))
        if op == "remove":
            del parent[last]
        else:
            parent[last] = value
    else:
        raise PatchError(Message("{field} is not inside a mapping or list", field=last))
    return document


def _value_at(document: Any, path: Sequence[str]) -> Any:
    """Return the value at the path. Raises PatchError if there is none."""
    for part in path:
        if isinstance(document, list):
            index = _index(part)
            if index >= len(document):
                raise PatchError(Message("there is no item {item}", item=part))
            document = document[index]
        elif isinstance(document, dict) and part in document:
            document = document[part]
        else:
            raise PatchError(Message("there is no field {field}", field=part))
    return document


def _index(text: str) -> int:
    """Return a part of a path as a position in a list. Raises PatchError."""
    position = parse_int64(text)
    if position is None or position < 0:
        raise PatchError(Message("{text} is no position in a list", text=text))
    return position


def _pointer(path: str) -> list[str]:
    """Return the parts of a JSON pointer (RFC 6901). Raises PatchError."""
    if path and not path.startswith("/"):
        raise PatchError(Message("{path} does not begin with a slash", path=path))
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
