"""Advice about a pending pod in sentences."""

from __future__ import annotations

from typing import Any

from scheduler_core.apis.messages import Message
from scheduler_core.ask.smallest.advice import Advice

SURE_OF_DEFAULT = 4  # pods of which 25% is less than one


def advice_words(advice: Advice) -> Message:
    """Return a piece of advice as sentences."""
    values: dict[str, Any] = dict(advice.values)
    match advice.kind:
        case "rollout":
            return _rollout_words(values)
        case "pinned":
            return Message("This pod of DaemonSet {daemon} can run on {node} only.", **values)
        case "init":
            return Message(
                "The init container {container} decides: it requests {most} {resource}, the containers together "
                "{together}. A pod counts as the larger of the two, also after its init containers have ended.",
                **values,
            )
        case "condition":
            return _condition_words(values)
        case "toleration":
            return _toleration_words(values)
        case "key":
            return Message("No node has the label {key}; {nodes}: {similar}. Is the key misspelt?", **values)
        case "domain" if values["taints"]:
            return Message(
                "The domain {key}={domain} has {count} matching pods, and this pod cannot go there because of a taint. "
                "It counts all the same, because nodeTaintsPolicy is Ignore unless the pod says Honor.",
                **values,
            )
        case "domain":
            return Message(
                "The domain {key}={domain} has {count} matching pods, and this pod cannot go there ({plugins}). It "
                "holds back all other domains.",
                **values,
            )
        case "offers":
            return Message(
                "{nodes}: no {resource} is offered there, though labels or taints mention it. Is its device plugin "
                "running, and its driver installed?",
                **values,
            )
        case "released":
            return Message(
                "PersistentVolume {volume} is kept for an earlier claim ({claim}), which was deleted: its claimRef has "
                "that claim's uid. Remove the uid from spec.claimRef to make the volume Available.",
                **values,
            )


def _rollout_words(values: dict[str, Any]) -> Message:
    if values["pods"] < SURE_OF_DEFAULT:
        return Message(
            "The rollout of Deployment {workload} waits for itself: this pod fits where {old} runs, and the Deployment "
            "deletes no old pod before a new one is Ready (a quarter of {pods} pods rounds down to maxUnavailable 0). "
            "Set maxSurge: 0 and maxUnavailable: 1 in its rollingUpdate.",
            **values,
        )
    return Message(
        "The rollout of Deployment {workload} waits for itself: this pod fits where {old} runs, and the Deployment "
        "deletes no old pod before a new one is Ready. Set maxSurge: 0 and maxUnavailable: 1 in its rollingUpdate.",
        **values,
    )


def _condition_words(values: dict[str, Any]) -> Message:
    """Return the meaning of a taint that a controller or an agent of the node removes (well_known_taints.go)."""
    match values["taint"]:
        case "node.kubernetes.io/not-ready":
            return Message(
                "{nodes}: not Ready (taint {taint}). The taint goes away by itself when the kubelet reports Ready; "
                "until then, the message of the node's Ready condition says what is missing. On new nodes, that is "
                "usually the network plugin (CNI): install it.",
                **values,
            )
        case "node.kubernetes.io/unreachable":
            return Message(
                "{nodes}: the kubelet does not answer (taint {taint}). The taint goes away by itself when it does; "
                "look at the machine and its network.",
                **values,
            )
        case "node.cloudprovider.kubernetes.io/uninitialized":
            return Message(
                "{nodes}: not initialized by the cloud provider (taint {taint}). The cloud controller manager removes "
                "the taint: check that it runs.",
                **values,
            )
        case "node.kubernetes.io/network-unavailable":
            return Message(
                "{nodes}: the network of the node is not configured (taint {taint}). The network plugin or the cloud "
                "provider removes the taint.",
                **values,
            )
        case str(key) if key.startswith("node.kubernetes.io/"):
            return Message(
                "{nodes}: the node has a problem (taint {taint}). A controller removes the taint when it is over; see "
                "the conditions of the node.",
                **values,
            )
    return Message(
        "{nodes}: an agent of the node is not ready (taint {taint}). It removes the taint itself when it is: check its "
        "DaemonSet.",
        **values,
    )


def _toleration_words(values: dict[str, Any]) -> Message:
    match values["field"]:
        case "effect":
            return Message(
                "{node}: the taint {taint} is nearly tolerated: the effect of the toleration is {has}, that of the "
                "taint {wants}.",
                **values,
            )
        case "value":
            return Message(
                "{node}: the taint {taint} is nearly tolerated: the value of the toleration is {has}, that of the "
                "taint {wants}.",
                **values,
            )
    return Message(
        "{node}: the taint {taint} is nearly tolerated: the key of the toleration is {has}, that of the taint {wants}.",
        **values,
    )
