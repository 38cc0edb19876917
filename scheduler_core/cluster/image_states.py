"""The number of nodes that have each image, as stored in each node's NodeInfo (cache.go: addNodeImageStates).

The snapshot copies a NodeInfo, and with it the number of nodes that have each of its images, only when that node has
changed. So after another node was added or removed, a node's numbers stay outdated until a pod is added to it. The size
of an image is that on the first node with the image.
"""

from __future__ import annotations

from scheduler_core.apis.core import Node
from scheduler_core.cluster.nodes import Interned

ImageState = tuple[tuple[str, int, int], ...]  # (name, bytes, nodes that have it), sorted


class ImageStates:
    """The image counts of all nodes. Call `touch` for every change of a node's pods, and `refresh` at a snapshot."""

    def __init__(self) -> None:
        self._nodes_with: dict[str, dict[str, None]] = {}
        self._sizes: dict[str, int] = {}
        self._own: dict[str, dict[str, int]] = {}  # node -> image -> bytes
        self._seen: dict[str, ImageState] = {}  # by node, as of its last copy
        self._touched: dict[str, None] = {}
        self._settled = True  # every copy is up to date, so `refresh` has nothing to copy

    def copy(self) -> ImageStates:
        """Return an independent copy."""
        other = ImageStates()
        other._nodes_with = {name: dict(nodes) for name, nodes in self._nodes_with.items()}
        other._sizes, other._own, other._seen = dict(self._sizes), dict(self._own), dict(self._seen)
        other._touched, other._settled = dict(self._touched), self._settled
        return other

    def replace(self, old: Node | None, new: Node) -> None:
        """Add or update a node."""
        if old is not None:
            self._forget(old)
        for name, size in new.images.items():
            self._nodes_with.setdefault(name, {})[new.name] = None
            self._sizes.setdefault(name, size)
        self._own[new.name] = {name: self._sizes[name] for name in new.images}
        self._settled = self._settled and not new.images and not (old and old.images)
        self.touch(new.name)

    def remove(self, node: Node) -> None:
        """Remove a node."""
        self._forget(node)
        self._own.pop(node.name, None)
        self._seen.pop(node.name, None)
        self._settled = self._settled and not node.images

    def touch(self, node_name: str) -> None:
        """Mark the node, so that the next `refresh` copies it again."""
        self._touched[node_name] = None

    def refresh(self) -> bool:
        """Copy the counts of the nodes that were touched. Return whether any of them changed."""
        touched, self._touched = self._touched, {}
        changed = False
        if self._settled:
            return changed
        for name in touched:
            now = self._now(name)
            changed |= self._seen.get(name, ()) != now
            if name in self._own:
                self._seen[name] = now
        if changed:
            others = (name for name in self._own if name not in touched)
            self._settled = all(self._seen.get(name, ()) == self._now(name) for name in others)
        return changed

    def rows(self, names: list[str]) -> Interned[ImageState]:
        """Return the copied counts of the nodes with these names, interned, () for a node without a copy."""
        return Interned.of(self._seen.get(name, ()) for name in names)

    def _forget(self, node: Node) -> None:
        for name in node.images:
            nodes = self._nodes_with.get(name, {})
            nodes.pop(node.name, None)
            if not nodes:
                self._nodes_with.pop(name, None)
                self._sizes.pop(name, None)

    def _now(self, node_name: str) -> ImageState:
        """Return the counts of a node's images as they are now."""
        own = self._own.get(node_name, {})
        return tuple(sorted((name, size, len(self._nodes_with.get(name, ()))) for name, size in own.items()))


class ImageStatesBefore129(ImageStates):
    """Image counts before 1.29: a node keeps the counts of the time at which it was added or updated."""

    def __init__(self) -> None:
        super().__init__()
        self._recorded: dict[str, ImageState] = {}

    def replace(self, old: Node | None, new: Node) -> None:
        """Add or update a node, and keep its counts as they are now."""
        super().replace(old, new)
        self._recorded[new.name] = super()._now(new.name)

    def _now(self, node_name: str) -> ImageState:
        return self._recorded.get(node_name, ()) if node_name in self._own else ()
