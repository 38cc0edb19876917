"""Decides which pods may be evicted, and limits their number (plugins/defaultevictor, pkg/descheduler/evictions)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.core import Namespace, Node, PersistentVolumeClaim, Pod
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.disruption import budgets_of
from scheduler_core.controllers.eviction import CREATED, MESSAGES, TOO_MANY, evict
from scheduler_core.controllers.pods import is_terminating
from scheduler_core.plugins.node_affinity.rule import matches_required
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS, find_untolerated_taint
from scheduler_core.scenario.objects.label_selectors import label_selector
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.reading.times import parse_duration

NAME = "sigs.k8s.io.descheduler"  # the reporting component of its events
EVICT = "descheduler.alpha.kubernetes.io/evict"
PREFER_NO_EVICTION = "descheduler.alpha.kubernetes.io/prefer-no-eviction"
MIRROR = "kubernetes.io/config.mirror"
SOURCE, API = "kubernetes.io/config.source", "api"  # static pods have another source
CRITICAL = 2_000_000_000
DEFAULT_MAX_PODS = 110
# The protections that are on by default, with the old argument that switches each off; those that are off, and on.
DEFAULT_PROTECTIONS = {
    "PodsWithLocalStorage": "evictLocalStoragePods",
    "DaemonSetPods": "evictDaemonSetPods",
    "SystemCriticalPods": "evictSystemCriticalPods",
    "FailedBarePods": "evictFailedBarePods",
}
EXTRA_PROTECTIONS = {"PodsWithPVC": "ignorePvcPods", "PodsWithoutPDB": "ignorePodsWithoutPDB"}
Args = Mapping[str, Any]


class TotalLimit(Exception):
    """The policy allows no more evictions in this pass."""


class NodeLimit(Exception):
    """The policy allows no more evictions from the pod's node in this pass."""


class Limits:
    """The evictions of a pass, in all profiles, and how the policy wants them done."""

    def __init__(self, policy: Args) -> None:
        self.per_node = policy.get("maxNoOfPodsToEvictPerNode")
        self.per_namespace = policy.get("maxNoOfPodsToEvictPerNamespace")
        self.total = policy.get("maxNoOfPodsToEvictTotal")
        self.tells_failures = bool(policy.get("evictionFailureEventNotification"))
        self.grace = policy.get("gracePeriodSeconds")
        self.nodes: Counter[str] = Counter()
        self.namespaces: Counter[str] = Counter()


class Evictor:
    """The evictor of a profile."""

    def __init__(self, api: Api, args: Args, limits: Limits) -> None:
        self._api = api
        self._args = args
        self._limits = limits
        self._protects = _protections_of(args)

    def is_evictable(self, pod: Pod) -> bool:
        """Return whether nothing protects the pod, or its annotation allows its eviction (DefaultEvictor.Filter)."""
        if EVICT in pod.annotations:
            return True
        if MIRROR in pod.annotations or pod.annotations.get(SOURCE, API) != API:
            return False
        if is_terminating(pod, self._api.status(pod)):
            return False
        return not any(self._protections(pod))

    def _protections(self, pod: Pod) -> Iterable[bool]:
        """Yield for each protection whether it protects the pod."""
        args, status = self._args, self._api.status(pod)
        if pod.owner is None:
            yield "FailedBarePods" in self._protects or status.phase != "Failed"
        elif pod.owner.kind == "DaemonSet":
            yield "DaemonSetPods" in self._protects
        yield "PodsWithLocalStorage" in self._protects and _has_local_storage(pod)
        if "SystemCriticalPods" in self._protects:
            yield pod.priority >= CRITICAL
            threshold = self._priority_threshold()
            yield threshold is not None and pod.priority >= threshold
        yield "PodsWithPVC" in self._protects and self._has_protected_claim(pod)
        yield "PodsWithoutPDB" in self._protects and not budgets_of(pod, self._api)
        yield "PodsWithResourceClaims" in self._protects and pod.has_resource_claims
        if args.get("labelSelector") is not None:
            selector = label_selector(args["labelSelector"], (), Problems())
            yield not selector.matches(pod.labels)
        owners = (pod.manifest.get("metadata") or {}).get("ownerReferences") or ()
        if (least := args.get("minReplicas") or 0) > 1 and pod.owner is not None and len(owners) < 2:
            yield len(self._api.pods_owned_by(pod.owner.uid)) < least
        if (age := args.get("minPodAge")) is not None:
            started = pod.start_time if status.running_since is None else status.running_since
            yield started is None or self._api.now - started < _seconds(age)
        if args.get("noEvictionPolicy") == "Mandatory":
            yield PREFER_NO_EVICTION in pod.annotations

    def _has_protected_claim(self, pod: Pod) -> bool:
        """Return whether the pod uses a claim, of one of the classes if the configuration names some."""
        config = ((self._args.get("podProtections") or {}).get("config") or {}).get("PodsWithPVC") or {}
        classes = {entry.get("name") for entry in config.get("protectedStorageClasses") or ()}
        sources = [volume["persistentVolumeClaim"] for volume in _volumes(pod) if volume.get("persistentVolumeClaim")]
        if not classes:
            return bool(sources)
        for source in sources:
            claim = self._api.cluster.get("PersistentVolumeClaim", f"{pod.namespace}/{source.get('claimName')}")
            named = claim.storage_class if isinstance(claim, PersistentVolumeClaim) else None
            if not named or named in classes:  # without a class, or without a claim, the real one cannot tell
                return True
        return False

    def _priority_threshold(self) -> int | None:
        threshold = self._args.get("priorityThreshold") or {}
        if threshold.get("value") is not None:
            return int(threshold["value"])
        known = self._api.admission.priority_classes.get(threshold.get("name") or "")
        return None if known is None else known.value

    def passes_pre_eviction(self, pod: Pod) -> bool:
        """Return whether the pod and its namespace pass the evictor's last checks (PreEvictionFilter)."""
        if self._args.get("nodeFit"):
            nodes = ready_nodes(self._api, self._args.get("nodeSelector") or "")
            if not self.fits_other_node(pod, nodes):
                return False
        wanted = self._args.get("namespaceLabelSelector") or {}
        if not wanted.get("matchLabels") and not wanted.get("matchExpressions"):
            return True
        namespace = self._api.cluster.get("Namespace", pod.namespace)
        labels = namespace.labels if isinstance(namespace, Namespace) else {}
        return label_selector(wanted, (), Problems()).matches(labels)

    def fits_other_node(self, pod: Pod, nodes: Iterable[Node]) -> bool:
        """Return whether the pod fits one of the nodes other than its own (PodFitsAnyOtherNode)."""
        return any(node.name != pod.node_name and self.fits(pod, node) for node in nodes)

    def fits(self, pod: Pod, node: Node) -> bool:
        """Return whether the pod fits a node (node.go: NodeFit); anti-affinity is checked against its own pods only."""
        if node.unschedulable or not matches_required(pod, node):
            return False
        if find_untolerated_taint(node.taints, pod.tolerations, HARD_EFFECTS) is not None:
            return False
        here = [other for other, status in self._api.pods_on(node.name) if not _is_finished(status.phase)]
        if node.name != pod.node_name:
            for name, amount in pod.requests.items():
                used = sum(other.requests.get(name, 0) for other in here)
                if amount > node.allocatable.get(name, 0) - used:
                    return False
            if len(here) >= node.allocatable.get("pods", DEFAULT_MAX_PODS):
                return False
        return not any(
            term.selector.matches(other.labels) and other.namespace in term.namespaces and other.name != pod.name
            for term in pod.required_anti_affinity
            if term.topology_key in node.labels
            for other in here
        )

    def all_on(self, node: Node) -> list[Pod]:
        """Return the pods on a node, also those that have finished."""
        return [pod for pod, _ in self._api.pods_on(node.name)]

    def pods_on(self, node: Node) -> list[Pod]:
        """Return the pods on a node that have not finished."""
        return [pod for pod, status in self._api.pods_on(node.name) if not _is_finished(status.phase)]

    def is_terminating(self, pod: Pod) -> bool:
        return self._api.status(pod).deletion_requested is not None

    def evict(self, pod: Pod, strategy: str) -> bool:
        """Evict a pod, and record an event. Return False if its namespace's limit or the API server forbids it.

        Raises NodeLimit or TotalLimit.
        """
        limits, node = self._limits, pod.node_name
        self._api.actor = NAME
        if limits.total is not None and limits.nodes.total() >= limits.total:
            self._tell_failure(pod, f"total eviction limit exceeded ({limits.total})")
            raise TotalLimit
        if limits.per_node is not None and limits.nodes[node] >= limits.per_node:
            self._tell_failure(pod, f"node eviction limit exceeded ({limits.per_node})")
            raise NodeLimit
        if limits.per_namespace is not None and limits.namespaces[pod.namespace] >= limits.per_namespace:
            self._tell_failure(pod, f"namespace eviction limit exceeded ({limits.per_namespace})")
            return False
        cause, grace = because("descheduled", strategy=strategy, node=node), limits.grace
        code = evict(pod, self._api, because_of=cause, grace=None if grace is None else float(grace))
        if code != CREATED:
            ignored = f'error when evicting pod (ignoring) "{pod.name}": ' if code == TOO_MANY else ""
            self._tell_failure(pod, f"{ignored}{MESSAGES[code]}")
            return False
        limits.nodes[node] += 1
        limits.namespaces[pod.namespace] += 1
        self._api.record(pod, strategy, f"pod eviction from {node} node by sigs.k8s.io/descheduler")
        return True

    def _tell_failure(self, pod: Pod, why: str) -> None:
        """Record an event about a refused eviction, if the policy wants it."""
        if self._limits.tells_failures:
            text = f"pod eviction from {pod.node_name} node by sigs.k8s.io/descheduler failed: {why}"
            self._api.record(pod, "EvictionFailed", text, "Warning")


def ready_nodes(api: Api, selector: str) -> list[Node]:
    """Return the ready nodes that a selector of labels such as "a=b,c=d" selects (node.go: ReadyNodes)."""
    pairs = dict(pair.partition("=")[::2] for pair in selector.split(",")) if selector else {}
    labels = label_selector({"matchLabels": pairs}, (), Problems())
    nodes = (node for node in api.cluster.all_nodes() if api.node_status(node.name).ready == "True")
    return [node for node in nodes if not selector or labels.matches(node.labels)]


def _protections_of(args: Args) -> set[str]:
    """Return the protections of pods that are on (getEffectivePodProtections)."""
    given = args.get("podProtections") or {}
    disabled, extra = given.get("defaultDisabled") or (), given.get("extraEnabled") or ()
    if disabled or extra:
        return {*(name for name in DEFAULT_PROTECTIONS if name not in disabled), *extra}
    on = {name for name, switch in DEFAULT_PROTECTIONS.items() if not args.get(switch)}
    return on | {name for name, switch in EXTRA_PROTECTIONS.items() if args.get(switch)}


def _is_finished(phase: str) -> bool:
    return phase in ("Succeeded", "Failed")


def _volumes(pod: Pod) -> Sequence[Mapping[str, Any]]:
    return (pod.manifest.get("spec") or {}).get("volumes") or ()


def _has_local_storage(pod: Pod) -> bool:
    return any("emptyDir" in volume or "hostPath" in volume for volume in _volumes(pod))


def _seconds(value: Any) -> float:
    return parse_duration(str(value))
