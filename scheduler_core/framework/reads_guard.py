"""A guard that raises if a plugin reads fields that its `reads` does not name. For tests, since it is slow.

    registry = {**REGISTRY, "Team": Team}
    for event in simulate(scenario, guarded_registry(registry)): ...   # ReadsError at the first field that is not named

The plugin gets proxies of the pod, the nodes and its other arguments, which record what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.reads import LOAD_FIELDS, OBJECT_FIELDS, POD_FIELDS, Reads, ReadsError

GUARDED = ("pre_filter", "filter", "score", "normalize")
TABLE_FIELDS = {  # attribute of NodeTable -> the field of the node that it depends on
    **{name: name for name in LOAD_FIELDS},
    "names": "name", "row_of": "name", "label": "labels", "labels": "labels", "taints": "taints",
    "unschedulable": "unschedulable", "images": "images", "image_states": "images",
    "declared_features": "declared_features",
    "allocatable": "allocatable", "allowed_pods": "allocatable", "everywhere": "allocatable",
}  # fmt: skip
UNRESTRICTED = ("all_rows", "resources", "generation")
# Attributes of a handle that are constant during a run, or change only with the nodes' `generation`.
PROFILE = ("profile_name", "feature_gates", "release", "extended_resources")


def guarded_registry(registry: Mapping[str, type[Any]]) -> dict[str, type[Any]]:
    """Return the registry with a guard around each plugin that has `reads`."""
    return {name: guard_plugin(plugin) if hasattr(plugin, "reads") else plugin for name, plugin in registry.items()}


def guard_plugin(plugin: type[Any]) -> type[Any]:
    """Return a plugin that raises ReadsError for fields that `reads` does not name. `seen` are the fields read."""
    watch = _Watch(plugin.__name__, plugin.reads)

    def construct(self: Any, args: Any, handle: Any) -> None:
        plugin.__init__(self, args, _Only(handle, PROFILE, watch, "handle"))

    methods = {name: _watched(getattr(plugin, name), watch) for name in GUARDED if hasattr(plugin, name)}
    if hasattr(plugin, "pre_score"):
        methods["pre_score"] = _watched_pre_score(plugin.pre_score, watch)
    return type(plugin.__name__, (plugin,), {"__init__": construct, "seen": watch.seen, **methods})


class _Watch:
    """Records the fields that a plugin reads, as ("pod" or "node", field)."""

    def __init__(self, plugin: str, reads: Reads) -> None:
        self._plugin = plugin
        self._named = {"pod": reads.pod, "node": reads.node}
        self.seen: set[tuple[str, str]] = set()

    def note(self, kind: str, field: str) -> None:
        """Record the field. Raises ReadsError if `reads` does not name it."""
        if field not in self._named[kind]:
            raise ReadsError(f"{self._plugin} reads the {kind}'s {field}, which its `reads` does not name")
        self.seen.add((kind, field))

    def refuse(self, subject: str) -> NoReturn:
        """Raise ReadsError, since no `reads` can name the subject."""
        raise ReadsError(f"{self._plugin} reads {subject}; a plugin that does has no `reads`")


def _watched(method: Callable[..., Any], watch: _Watch) -> Callable[..., Any]:
    def call(self: Any, *arguments: Any) -> Any:
        return method(self, *(_proxy_of(argument, watch) for argument in arguments))

    return call


def _watched_pre_score(method: Callable[..., Any], watch: _Watch) -> Callable[..., Any]:
    def call(self: Any, pod: Pod, state: Any, nodes: NodeTable, rows: Any) -> Any:
        return method(self, _proxy_of(pod, watch), state, _Unseen(watch), _Unseen(watch))

    return call


def _proxy_of(item: Any, watch: _Watch) -> Any:
    if isinstance(item, Pod):
        return _Fields(item, "pod", POD_FIELDS, watch)
    if isinstance(item, Node):
        return _Fields(item, "node", OBJECT_FIELDS, watch)
    if isinstance(item, NodeTable):
        return _Table(item, watch)
    return _Only(item, (), watch, "the cluster") if isinstance(item, Cluster) else item


class _Fields:
    """A proxy of a pod or node."""

    def __init__(self, item: Pod | Node, kind: str, fields: frozenset[str], watch: _Watch) -> None:
        self._item, self._kind, self._fields, self._watch = item, kind, fields, watch

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # a library looks for an optional method, as numpy.array does
        if name not in self._fields:
            self._watch.refuse(f"the {self._kind}'s {name}")
        self._watch.note(self._kind, name)
        return getattr(self._item, name)


class _Table:
    """A proxy of the node table; derived values are computed again for every read."""

    def __init__(self, table: NodeTable, watch: _Watch) -> None:
        self._table, self._watch = table, watch

    def __len__(self) -> int:
        return len(self._table)

    def __getattr__(self, name: str) -> Any:
        if name in TABLE_FIELDS:
            self._watch.note("node", TABLE_FIELDS[name])
        elif name not in UNRESTRICTED:
            self._watch.refuse(f"the node table's {name}")
        return getattr(self._table, name)

    @property
    def nodes(self) -> list[Any]:
        return [_proxy_of(node, self._watch) for node in self._table.nodes]

    def derived(self, key: object, build: Callable[[Any], Any]) -> Any:
        return build(self)


class _Unseen:
    """A proxy of the nodes and rows for PreScore, which must not read them."""

    def __init__(self, watch: _Watch) -> None:
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        self._watch.refuse("in PreScore which nodes there are")

    def __len__(self) -> int:
        self._watch.refuse("in PreScore how many nodes there are")


class _Only:
    """A proxy of an object of which only some attributes may be read."""

    def __init__(self, item: object, allowed: tuple[str, ...], watch: _Watch, kind: str) -> None:
        self._item, self._allowed, self._watch, self._kind = item, allowed, watch, kind

    def __getattr__(self, name: str) -> Any:
        if name not in self._allowed:
            self._watch.refuse(f"{self._kind}'s {name}")
        return getattr(self._item, name)
