"""ImageLocality: prefers nodes that already have the pod's images (kube-scheduler: plugins/imagelocality)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.apis.quantity import format_bytes
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.image_states import ImageState
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    ExplainsScore,
    Reads,
    ScorePlugin,
    Scores,
    SignPlugin,
)
from scheduler_core.plugins.helpers.signing import Fragments

MIB = 1024 * 1024
MIN_THRESHOLD = 23 * MIB
MAX_CONTAINER_THRESHOLD = 1000 * MIB


class ImageLocality(ScorePlugin, ExplainsScore, SignPlugin):
    """Scores a node by the pod's images that it has: each counts its size times the share of nodes that have it."""

    name = "ImageLocality"
    about = AboutFile("image_locality.yaml")
    reads = Reads(pod=("images", "image_volumes", "num_containers"), node=("images",))

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        scores: Scores = np.array(image_scores(nodes, pod), np.int64)[nodes.image_states.codes[rows]]
        return scores

    def max_threshold(self, pod: Pod) -> int:
        """Return the sum of scaled sizes, in bytes, from which on a node has the highest score."""
        return MAX_CONTAINER_THRESHOLD * pod.num_containers

    def sign_pod(self, pod: Pod) -> Fragments:
        return {"images": frozenset(image_names(pod))}

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        """Return the contribution of each image, their sum, and the sum limited by the two thresholds."""
        nodes, row = cluster.nodes, int(rows[index])
        names = image_names(pod)
        parts = {name: scaled(*_state(nodes, row, name), len(nodes)) for name in names}
        facts = [_image_fact(nodes, row, name) for name in parts]
        return ScoreExplanation(
            _arithmetic(self.max_threshold(pod), [parts[name] for name in names], int(raw[index])), facts
        )


def image_scores(nodes: NodeTable, pod: Pod) -> list[int]:
    """Return the score of each distinct set of images: 0 up to 23 MiB, 100 from 1000 MiB per container on.

    In between, it is linear.
    """
    most = MAX_CONTAINER_THRESHOLD * pod.num_containers
    clipped = [min(max(total, MIN_THRESHOLD), most) for total in image_sums(nodes, pod)]
    return [MAX_NODE_SCORE * (total - MIN_THRESHOLD) // (most - MIN_THRESHOLD) for total in clipped]


def image_sums(nodes: NodeTable, pod: Pod, deleted_nodes: int = 0) -> list[int]:
    """Return the sum of the scaled sizes of the pod's images for each distinct set of images of a node.

    `deleted_nodes`: the number of deleted nodes that still count (in 1.15 and 1.16).
    """
    names, num_nodes = image_names(pod), len(nodes) + deleted_nodes
    return [sum([_scaled_size(images, name, num_nodes) for name in names]) for images in nodes.image_states.values]


def image_names(pod: Pod) -> list[str]:
    """Return the names of the images of containers and volumes."""
    return [normalized_image_name(image) for image in (*pod.images, *pod.image_volumes)]


def normalized_image_name(name: str) -> str:
    """Return an image name with the tag :latest if it has none (`normalizedImageName`)."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"


def scaled(size: int, having: int, nodes: int) -> int:
    """Return the size times the share of the nodes that have the image (scaledImageScore)."""
    return int(float(size) * (having / nodes))


def _state(nodes: NodeTable, row: int, image: str) -> tuple[int, int]:
    """Return (bytes, nodes that have it) of an image on the node, zeros if the node does not have it."""
    images: ImageState = nodes.image_states.values[nodes.image_states.codes[row]]
    return next(((size, having) for name, size, having in images if name == image), (0, 0))


def _scaled_size(images: ImageState, image: str, nodes: int) -> int:
    """Return the scaled size of an image on a node with these images, 0 if it is not one of them."""
    return next((scaled(size, having, nodes) for name, size, having in images if name == image), 0)


def _arithmetic(most: int, parts: list[int], score: int) -> list[str]:
    low, high = MIN_THRESHOLD // MIB, most // MIB
    total = sum(parts)
    lines = [f"{' + '.join(map(str, parts))} = {total} bytes, {total / MIB:.1f}Mi, kept between {low}Mi and {high}Mi"]
    clipped = min(max(total, MIN_THRESHOLD), most)
    lines.append(f"{MAX_NODE_SCORE} * ({clipped} - {MIN_THRESHOLD}) / {most - MIN_THRESHOLD} = {score}")
    return lines


def _image_fact(nodes: NodeTable, row: int, name: str) -> Fact:
    size, having = _state(nodes, row, name)
    node, has_image = nodes.nodes[row], having > 0
    text = (
        f"{node.name} has {name} ({format_bytes(size)}), as have {having} of {len(nodes)} nodes: it counts "
        f"{size} * {having} / {len(nodes)} = {scaled(size, having, len(nodes))} bytes."
        if has_image
        else f"{node.name} does not have the image {name}."
    )
    return Fact(
        "ImageLocality.image",
        left=name,
        op="∈" if has_image else "∉",
        right=f"{node.name}'s images",
        holds=has_image,
        values={"size": size, "nodesWithImage": having, "nodes": len(nodes)},
        text=text,
        field="spec.containers[*].image",
    )
