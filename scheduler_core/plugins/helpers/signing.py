"""The parts of a pod that determine a plugin's verdict and score (kube-scheduler: framework/signers.go).

Two pods with equal signatures get equal results, and OpportunisticBatching may reuse the result of the first for the
second. Each function returns the fragments of a signature, or None for a pod that cannot be signed.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping

from scheduler_core.apis.core import Pod
from scheduler_core.apis.selectors import NodeSelectorTerm, SelectorRequirement

Fragments = Mapping[str, Hashable]

_CONFIGURATION_VOLUMES = ("configMap", "secret")


def by_tolerations(pod: Pod) -> Fragments:
    return {"tolerations": tuple(sorted(pod.tolerations, key=lambda toleration: (toleration.key, toleration.value)))}


def by_node_name(pod: Pod) -> Fragments:
    return {"nodeName": pod.node_name}


def by_node_affinity(pod: Pod) -> Fragments:
    """Sign node affinity, independent of the order of terms, requirements and values."""
    required = pod.required_node_affinity.terms if pod.required_node_affinity else ()
    preferred = [(preferred_term.weight, _term(preferred_term.term)) for preferred_term in pod.preferred_node_affinity]
    affinity = (tuple(sorted(map(_term, required))), tuple(sorted(preferred)))
    return {"nodeAffinity": affinity, "nodeSelector": tuple(sorted(pod.node_selector.items()))}


def by_host_ports(pod: Pod) -> Fragments:
    """Sign the numbers of the host ports, without protocol and address."""
    return {"hostPorts": frozenset(port.port for port in pod.host_ports)}


def by_requests(pod: Pod) -> Fragments:
    return {"requests": tuple(sorted((name, amount) for name, amount in pod.requests.items() if amount))}


def by_volumes(pod: Pod) -> Fragments:
    """Sign the sources of volumes without those of ConfigMaps and Secrets, which do not affect scheduling."""
    volumes = (pod.manifest.get("spec") or {}).get("volumes") or ()
    sources = [
        json.dumps({name: value for name, value in volume.items() if name != "name"}, sort_keys=True, default=str)
        for volume in volumes
        if not any(volume.get(kind) is not None for kind in _CONFIGURATION_VOLUMES)
    ]
    return {"volumes": tuple(sorted(sources))}


def by_claims(pod: Pod) -> Fragments | None:
    """Return no fragments; None for a pod with resource claims, which cannot be signed."""
    return None if pod.has_resource_claims else {}


def _term(term: NodeSelectorTerm) -> tuple[Hashable, ...]:
    return _requirements(term.match_expressions), _requirements(term.match_fields)


def _requirements(requirements: Iterable[SelectorRequirement]) -> tuple[Hashable, ...]:
    return tuple(
        sorted(
            (requirement.key, requirement.operator, tuple(sorted(requirement.values))) for requirement in requirements
        )
    )
