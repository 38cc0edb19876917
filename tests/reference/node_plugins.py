"""Filters and scores that look at one node alone: cordon, name, taints, node affinity, host ports, images.

Rules: kube-scheduler's plugins nodeunschedulable, nodename, tainttoleration, nodeaffinity, nodeports, imagelocality.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_core.apis.config import NodeAffinityArgs
from scheduler_core.apis.core import HostPort, Node, Pod, PreferredNodeTerm, Taint
from tests.reference.node_rules import matches_required_node_affinity, tolerates

Verdict = tuple[str, tuple[str, ...]]
NodeWithPods = tuple[Node, Sequence[Pod]]

FITS: Verdict = ("Success", ())
MIB = 1024 * 1024
UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


def filter_unschedulable(pod: Pod, node: Node) -> Verdict:
    """A cordoned node is closed to pods that do not tolerate the unschedulable taint."""
    if not node.unschedulable or any(tolerates(t, UNSCHEDULABLE_TAINT) for t in pod.tolerations):
        return FITS
    return "UnschedulableAndUnresolvable", ("node(s) were unschedulable",)


def filter_taints(pod: Pod, node: Node) -> Verdict:
    """The first NoSchedule or NoExecute taint that the pod does not tolerate rejects it."""
    for taint in node.taints:
        hard = taint.effect in ("NoSchedule", "NoExecute")
        if hard and not any(tolerates(toleration, taint) for toleration in pod.tolerations):
            reason = f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
            return "UnschedulableAndUnresolvable", (reason,)
    return FITS


def filter_node_affinity(pod: Pod, node: Node, args: NodeAffinityArgs) -> Verdict:
    """The profile's added affinity, then the pod's node selector and required affinity."""
    if args.added_required is not None and not args.added_required.matches(node.labels, node.name):
        return "UnschedulableAndUnresolvable", ("node(s) didn't match scheduler-enforced node affinity",)
    if not matches_required_node_affinity(pod, node):
        return "UnschedulableAndUnresolvable", ("node(s) didn't match Pod's node affinity/selector",)
    return FITS


def names_of_required_affinity(pod: Pod) -> set[str] | None:
    """NodeAffinity's PreFilterResult: the names that matchFields leave; None when some term names no node."""
    terms = pod.required_node_affinity.terms if pod.required_node_affinity else ()
    names: set[str] = set()
    for term in terms:
        named = [set(r.values) for r in term.match_fields if r.key == "metadata.name" and r.operator == "In"]
        if not named:
            return None
        names |= set.intersection(*named)
    return names if terms else None


def filter_ports(pod: Pod, taken: set[HostPort]) -> Verdict:
    """No host port that the pod wants is among the node's used ports."""
    if any(_conflict(wanted, used) for wanted in pod.host_ports for used in taken):
        return "Unschedulable", ("node(s) didn't have free ports for the requested pod ports",)
    return FITS


def _conflict(left: HostPort, right: HostPort) -> bool:
    same = (left.protocol, left.port) == (right.protocol, right.port)
    return same and (left.ip == right.ip or "0.0.0.0" in (left.ip, right.ip))


def score_taints(pod: Pod, node: Node) -> int:
    """How many PreferNoSchedule taints the pod does not tolerate."""
    tolerations = [t for t in pod.tolerations if t.effect in ("", "PreferNoSchedule")]
    soft = [taint for taint in node.taints if taint.effect == "PreferNoSchedule"]
    return sum(not any(tolerates(toleration, taint) for toleration in tolerations) for taint in soft)


def score_node_affinity(node: Node, terms: Sequence[PreferredNodeTerm]) -> int:
    """The sum of the weights of the preferred terms that match the node; a term of weight 0 counts as absent."""
    return sum(t.weight for t in terms if t.weight and t.term.matches(node.labels, node.name))


def score_images(pod: Pod, images: Mapping[str, tuple[int, int]], nodes: int) -> int:
    """Bytes of the pod's images that are there, each scaled by the share of nodes that have it, from 23 MiB on.

    `images` is the copy of the node's image states that the snapshot has: name -> (bytes, nodes that have it).
    """
    total = 0
    for image in pod.images:
        name = image if image.rfind(":") > image.rfind("/") else image + ":latest"
        if name in images:
            size, holders = images[name]
            total += int(float(size) * (float(holders) / float(nodes)))
    lowest, highest = 23 * MIB, 1000 * MIB * pod.num_containers
    clamped = min(max(total, lowest), highest)
    return _truncated(100 * (clamped - lowest), highest - lowest)


def normalize(raw: dict[str, int], *, reverse: bool) -> dict[str, int]:
    """`helper.DefaultNormalizeScore`: to 0..100 of the highest, or that subtracted from 100."""
    highest = max(raw.values())
    if highest == 0:
        return dict.fromkeys(raw, 100 if reverse else 0)
    scaled = {name: 100 * value // highest for name, value in raw.items()}
    return {name: 100 - value for name, value in scaled.items()} if reverse else scaled


def _truncated(numerator: int, denominator: int) -> int:
    """Go's integer division."""
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient
