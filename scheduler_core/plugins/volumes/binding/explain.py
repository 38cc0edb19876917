"""VolumeBinding's verdict on one node in words: the result for each claim of the pod.

Uses the binder's own search and rules, in its order; claims after the decisive one are explained as well.
"""

from __future__ import annotations

from collections.abc import Container

from scheduler_core.apis.core import SELECTED_NODE, CSINode, Node, PersistentVolume, PersistentVolumeClaim
from scheduler_core.apis.quantity import format_bytes
from scheduler_core.framework.facts import Fact, join_names
from scheduler_core.plugins.volumes.binding.binder import (
    BIND_CONFLICT,
    NOT_ENOUGH_SPACE,
    BinderError,
    VolumeSearch,
    why_not_provisioned,
)
from scheduler_core.plugins.volumes.csi_migration import TranslationError
from scheduler_core.plugins.volumes.listers import Storage
from scheduler_core.plugins.volumes.matching import (
    NO_PROVISIONER,
    Candidates,
    claim_class,
    reachable_after_migration,
    topology_allowed,
    why_unavailable,
    why_unfit,
)

FIELD = "spec.volumes[*].persistentVolumeClaim.claimName"


def facts(search: VolumeSearch, node: Node, csi_node: CSINode | None) -> list[Fact]:
    """Return one fact for each claim of the pod."""
    all_facts = [_bound(claim, pv, node, csi_node) for claim, pv in search.bound]
    waiting: list[tuple[PersistentVolumeClaim, str]] = []
    for claim in search.selected:
        selected = claim.annotations[SELECTED_NODE]
        if selected == node.name:
            waiting.append((claim, "Its volume is already on the way"))
        else:
            all_facts.append(_selected_node_fact(claim, selected, node))
    chosen: set[str] = set()
    for candidates in search.free:
        pv = candidates.choose(node.labels, chosen)
        if pv is None:
            waiting.append((candidates.claim, _no_match_text(candidates, node, chosen)))
        else:
            chosen.add(pv.name)
            all_facts.append(_matched(candidates, pv, node))
    return all_facts + [_provisioned(claim, search, node, why) for claim, why in waiting]


def _bound(claim: PersistentVolumeClaim, pv: PersistentVolume | None, node: Node, csi_node: CSINode | None) -> Fact:
    if pv is None:
        return Fact(
            "VolumeBinding.bound",
            left=claim.volume_name,
            op="=",
            right="a PersistentVolume that exists",
            holds=False,
            values={"claim": claim.name, "volume": claim.volume_name},
            text=f"The claim {claim.name} is bound to the PersistentVolume {claim.volume_name}, which does not exist.",
            field=FIELD,
        )
    try:
        holds = reachable_after_migration(pv, node.labels, csi_node)
    except TranslationError:
        holds = False
    required = str(pv.node_affinity) if pv.node_affinity is not None else "any node"
    verb = "matches" if holds else "does not match"
    return Fact(
        "VolumeBinding.bound",
        left=node.name,
        op="∈" if holds else "∉",
        right=required,
        holds=holds,
        values={"claim": claim.name, "volume": pv.name, "nodeAffinity": required},
        text=f"The claim {claim.name} is bound to {pv.name}, whose node affinity ({required}) {node.name} {verb}.",
        field=FIELD,
    )


def _selected_node_fact(claim: PersistentVolumeClaim, selected: str, node: Node) -> Fact:
    return Fact(
        "VolumeBinding.selectedNode",
        left=node.name,
        op="≠",
        right=selected,
        holds=False,
        values={"claim": claim.name, "selected": selected},
        text=f"A volume for the claim {claim.name} is already being provisioned for the node {selected}.",
        field=FIELD,
    )


def _matched(candidates: Candidates, pv: PersistentVolume, node: Node) -> Fact:
    claim = candidates.claim
    return Fact(
        "VolumeBinding.match",
        left=format_bytes(pv.capacity),
        op="≥",
        right=format_bytes(claim.request),
        holds=True,
        values={"claim": claim.name, "volume": pv.name, "capacity": pv.capacity, "request": claim.request},
        text=f"The claim {claim.name} asks for {format_bytes(claim.request)}; {node.name} can reach the free volume "
        f"{pv.name} of {format_bytes(pv.capacity)}, the smallest that fits.",
        field=FIELD,
    )


def _provisioned(claim: PersistentVolumeClaim, search: VolumeSearch, node: Node, why: str) -> Fact:
    try:
        reason = why_not_provisioned(claim, search.storage, node.labels)
    except BinderError as error:
        reason = str(error)
    name = claim_class(claim)
    return Fact(
        "VolumeBinding.provision",
        left=f"a new volume of class {name}",
        op="is" if not reason else "is not",
        right="possible",
        holds=not reason,
        values={"claim": claim.name, "class": name, "request": claim.request},
        text=_provision_text(claim, reason, search.storage, node, why),
        field=FIELD,
    )


def _no_match_text(candidates: Candidates, node: Node, chosen: Container[str]) -> str:
    """Return the reason that no volume of the class fits on the node."""
    claim = candidates.claim
    reasons = [
        f"{pv.name} {_why_not_chosen(pv, claim, chosen)}" for pv in candidates.passed_over + candidates.available
    ]
    reasons += [f"{pv.name}, reserved for it, is out of {node.name}'s reach" for pv in candidates.reserved]
    because = f" ({join_names(reasons, most=3)})" if reasons else ""
    return f"No volume that exists fits the claim {claim.name} of {format_bytes(claim.request)}{because}"


def _why_not_chosen(pv: PersistentVolume, claim: PersistentVolumeClaim, chosen: Container[str]) -> str:
    if pv.name in chosen:
        return "goes to another claim of the pod"
    return why_unfit(pv, claim) or why_unavailable(pv, claim) or "is out of the node's reach"


def _provision_text(claim: PersistentVolumeClaim, reason: str, storage: Storage, node: Node, no_match: str) -> str:
    name, size = claim_class(claim), format_bytes(claim.request)
    if not reason:
        return f"{no_match}, so the class {name} provisions a new one for {node.name}."
    storage_class = storage.storage_class(name)
    if reason == NOT_ENOUGH_SPACE:
        return f"{no_match}, and no CSIStorageCapacity of the class {name} offers {size} to {node.name}."
    if storage_class is None or reason != BIND_CONFLICT:
        return f"{no_match}: {reason}."
    if storage_class.provisioner in ("", NO_PROVISIONER):
        return f"{no_match}, and the class {name} provisions no new ones."
    assert not topology_allowed(storage_class, node.labels)
    allowed = [" and ".join(f"{k} in ({', '.join(v)})" for k, v in term) for term in storage_class.allowed_topologies]
    return f"{no_match}, and the class {name} provisions only where {join_names(allowed)}."
