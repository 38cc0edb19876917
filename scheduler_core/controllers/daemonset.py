"""daemonset-controller (pkg/controller/daemon/daemon_controller.go, update.go, util/daemonset_util.go)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.apis.core import Node, Pod, Workload
from scheduler_core.apis.workloads import DaemonSetSpec, scaled
from scheduler_core.cluster.statuses import PodStatus
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.pods import Owned, is_available, next_available, pod_manifest, suffix
from scheduler_core.controllers.replicaset import BURST_REPLICAS, slow_start
from scheduler_core.plugins.node_affinity.rule import matches_required
from scheduler_core.plugins.taint_toleration.rule import find_untolerated_taint

FIRST_BACKOFF, LONGEST_BACKOFF = 1.0, 900.0  # of failed pods on a node
TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
Backoff = dict[tuple[str, int, str], tuple[float, float]]  # by set, revision and node: the wait, and since when


def reconcile(daemon_set: Workload, api: Api) -> None:
    """Create and delete pods so that each node on which the set runs has one (syncDaemonSet).

    If none is missing or surplus, replace old ones unless the strategy is OnDelete. Raises AdmissionRefused.
    """
    spec = daemon_set.spec
    assert isinstance(spec, DaemonSetSpec)
    api.claim_pods(daemon_set)
    sync = _Sync(daemon_set, spec, api)
    try:
        if not sync.manage() and not spec.on_delete:
            sync.roll()
    finally:
        sync.write_status()


class _Sync:
    """One sync of a DaemonSet."""

    def __init__(self, daemon_set: Workload, spec: DaemonSetSpec, api: Api) -> None:
        self._set, self._spec, self._api = daemon_set, spec, api
        self._revision = api.revision(daemon_set, spec.template)
        self._runs: dict[str, tuple[bool, bool]] = {}
        self._sample = _sample(daemon_set, spec, api)

    def _by_node(self) -> dict[str, list[Owned]]:
        """Return the pods of each node, without terminating pods that have ended (getNodesToDaemonPods)."""
        pods: dict[str, list[Owned]] = {}
        for pod, status in self._api.pods_of(self._set):
            if status.deletion_requested is None or status.phase not in ("Succeeded", "Failed"):
                pods.setdefault(target_node(pod), []).append((pod, status))
        return pods

    def _runs_on(self, node: Node) -> tuple[bool, bool]:
        """Return whether a pod should (run, continue to run) on a node (NodeShouldRunDaemonPod)."""
        if node.name not in self._runs:
            self._runs[node.name] = _runs_on(self._sample, node)
        return self._runs[node.name]

    def manage(self) -> bool:
        """Create missing and delete surplus pods. Return whether there were any. Raises AdmissionRefused (manage)."""
        nodes, by_node = self._api.cluster.all_nodes(), self._by_node()
        missing: list[str] = []
        surplus: list[tuple[Pod, Any]] = []
        for node in nodes:
            self._compare_node(node, by_node.get(node.name, []), missing, surplus)
        names = {node.name for node in nodes}
        for name, pods in by_node.items():
            if name not in names:
                cause = because("node-gone", node=name)
                surplus += [(pod, cause) for pod, status in pods if not pod.node_name and _is_staying(status)]
        self._sync_nodes(surplus, missing, because("node-without-pod", owner=self._label))
        return bool(missing or surplus)

    def _compare_node(self, node: Node, pods: list[Owned], missing: list[str], surplus: list[tuple[Pod, Any]]) -> None:
        """Add the node to `missing` if it needs a pod, or its surplus pods to `surplus` (podsShouldBeOnNode)."""
        runs, continues = self._runs_on(node)
        if runs and not pods:
            missing.append(node.name)
        elif not continues:
            cause = because("node-not-for-pod", owner=self._label, node=node.name)
            surplus += [(pod, cause) for pod, status in pods if _is_staying(status)]
        else:
            running = []
            for pod, status in pods:
                if not _is_staying(status):
                    continue
                if status.phase in ("Failed", "Succeeded"):
                    if self._may_replace(node.name, pod, status):
                        surplus.append((pod, because("pod-ended", owner=self._label, phase=status.phase)))
                else:
                    running.append((pod, status))
            if runs and not running and self._allows_surge:
                missing.append(node.name)
            surplus += [(pod, because("one-a-node", owner=self._label)) for pod in self._surplus_on_node(running)]

    def _may_replace(self, node_name: str, pod: Pod, status: PodStatus) -> bool:
        """Return whether a pod that has ended is replaced now, and record that; else sync again after its backoff."""
        where = f"{pod.namespace}/{status.called} on node {node_name}"
        if status.phase == "Succeeded":
            message = f"Found succeeded daemon pod {where}, will try to delete it"
            self._api.record(self._set, "SucceededDaemonPod", message)
            return True
        backoff: Backoff = self._api.memory.setdefault("daemonset", {})
        key, now = (self._set.uid, self._revision, node_name), self._api.now
        wait, since = backoff.get(key, (0.0, now))
        if wait and now - since < wait:
            self._api.later(wait, self._set.key)
            return False
        has_expired = wait and now - since > 2 * LONGEST_BACKOFF
        backoff[key] = (FIRST_BACKOFF if not wait or has_expired else min(2 * wait, LONGEST_BACKOFF), now)
        message = f"Found failed daemon pod {where}, will try to kill it"
        self._api.record(self._set, "FailedDaemonPod", message, "Warning")
        return True

    def _surplus_on_node(self, running: Sequence[Owned]) -> list[Pod]:
        """Return the running pods of a node that exceed one, or one of each revision during a surge."""
        if len(running) <= 1:
            return []
        by_age = sorted(running, key=lambda owned: (not owned[0].node_name, owned[1].number))
        if not self._allows_surge:
            return [pod for pod, _ in by_age[1:]]
        new = [owned for owned in by_age if owned[1].revision == self._revision]
        old = [owned for owned in by_age if owned[1].revision != self._revision]
        doubled = [pod for pod, _ in (*new[1:], *old[1:])]
        if new and old and (not old[0][1].ready or self._is_available(new[0][1])):
            doubled.append(old[0][0])
        return doubled

    @property
    def _desired(self) -> int:
        return sum(self._runs_on(node)[0] for node in self._api.cluster.all_nodes())

    @property
    def _allows_surge(self) -> bool:
        """Return whether a node may have an old and a new pod (AllowsSurge)."""
        return scaled(self._spec.max_surge, 1, up=True) > 0

    @property
    def _surge(self) -> int:
        return scaled(self._spec.max_surge, self._desired, up=True)

    @property
    def _unavailable(self) -> int:
        most = scaled(self._spec.max_unavailable, self._desired, up=True)
        return 1 if most == 0 and self._surge == 0 else most

    def roll(self) -> None:
        """Replace old pods within the limits of the strategy (rollingUpdate)."""
        if self._surge:
            self._roll_with_surge()
        else:
            self._roll_by_deleting()

    def _roll_by_deleting(self) -> None:
        unavailable, replaced, candidates = 0, [], []
        for pods in self._by_node().values():
            new, old, is_clear = self._new_and_old(pods)
            if not is_clear or (new is None) == (old is None):
                unavailable += 1
            elif new is not None:
                unavailable += not self._is_available(new[1])
            elif old is not None and not self._is_available(old[1]):
                replaced.append(old[0])
                unavailable += 1
            elif old is not None and unavailable < self._unavailable:
                candidates.append(old[0])
        remaining = max(self._unavailable - unavailable, 0)
        cause = because("old-revision", owner=self._label, revision=self._revision)
        self._sync_nodes([(pod, cause) for pod in (*replaced, *candidates[:remaining])], [], cause)

    def _roll_with_surge(self) -> None:
        surge, available = 0, 0
        deleted, leaving, allowed, candidates = [], [], [], []
        for name, pods in self._by_node().items():
            new, old, is_clear = self._new_and_old(pods)
            if not is_clear:
                surge += 1
                continue
            current = old or new
            available += current is not None and self._is_available(current[1])
            if old is None:
                continue
            if new is not None:
                if self._is_available(new[1]):
                    deleted.append(old[0])
                else:
                    surge += 1
                continue
            node = self._api.cluster.node(name)
            if node is None:
                return  # the real sync ends with an error
            runs = self._runs_on(node)[0]
            if not self._is_available(old[1]):
                if runs:
                    allowed.append(name)
                else:
                    deleted.append(old[0])
            elif not runs:
                leaving.append(old[0])
            elif surge < self._surge:
                candidates.append(name)
        deleted += leaving[: max(available - self._desired, 0)]
        remaining = max(self._surge - surge, 0)
        cause = because("old-revision", owner=self._label, revision=self._revision)
        self._sync_nodes([(pod, cause) for pod in deleted], [*allowed, *candidates[:remaining]], cause)

    def _new_and_old(self, pods: Sequence[Owned]) -> tuple[Owned | None, Owned | None, bool]:
        """Return a node's new and old pod, or None, and whether there is at most one of each (findUpdatedPodsOnNode).

        Pods that are about to leave are not counted. If there are several of a kind, both are None.
        """
        staying = [owned for owned in pods if _is_staying(owned[1])]
        new = [owned for owned in staying if owned[1].revision == self._revision]
        old = [owned for owned in staying if owned[1].revision != self._revision]
        if len(new) > 1 or len(old) > 1:
            return None, None, False
        return (new[0] if new else None), (old[0] if old else None), True

    def _sync_nodes(self, surplus: Sequence[tuple[Pod, Any]], missing: Sequence[str], cause: Any) -> None:
        refused = slow_start(len(missing[:BURST_REPLICAS]), lambda number: self._create(missing[number], cause))
        for pod, why in surplus[:BURST_REPLICAS]:
            self._api.delete_pod(pod, why)
        if refused is not None:
            raise refused

    def _create(self, node_name: str, cause: Any) -> None:
        number = self._api.next_pod_number(self._set)
        name = f"{self._set.name}-{suffix(f'{self._set.uid}/{number}', 5)}"
        manifest = daemon_pod_manifest(self._set, self._spec.template, name, node_name)
        self._api.create_pod(self._set, manifest, cause, place=node_name, revision=(self._revision, ""))

    def _is_available(self, status: PodStatus) -> bool:
        return is_available(status, self._spec.min_ready_seconds, self._api.now)

    @property
    def _label(self) -> str:
        return self._api.label(self._set)

    def write_status(self) -> None:
        """Write the status (updateDaemonSetStatus)."""
        by_node = self._by_node()
        names = ("desired", "current", "misscheduled", "ready", "updated", "available")
        counts = dict.fromkeys(names, 0)
        for node in self._api.cluster.all_nodes():
            pods = sorted(by_node.get(node.name, []), key=lambda owned: (not owned[0].node_name, owned[1].number))
            if not self._runs_on(node)[0]:
                counts["misscheduled"] += bool(pods)
                continue
            counts["desired"] += 1
            if pods:
                status = pods[0][1]
                counts["current"] += 1
                counts["ready"] += status.ready
                counts["available"] += self._is_available(status)
                counts["updated"] += status.revision == self._revision
        self._api.write_status(
            self._set,
            {
                "desiredNumberScheduled": counts["desired"],
                "currentNumberScheduled": counts["current"],
                "numberMisscheduled": counts["misscheduled"],
                "numberReady": counts["ready"],
                "updatedNumberScheduled": counts["updated"],
                "numberAvailable": counts["available"],
                "numberUnavailable": counts["desired"] - counts["available"],
            },
        )
        statuses = [status for pods in by_node.values() for _, status in pods]
        seconds = next_available(statuses, self._spec.min_ready_seconds, self._api.now)
        if seconds is not None:
            self._api.later(seconds, self._set.key)


def _is_staying(status: PodStatus) -> bool:
    return status.deletion_requested is None


def target_node(pod: Pod) -> str:
    """Return the node of a pod, or the node for which it was created; "" without either (GetTargetNodeName)."""
    if pod.node_name:
        return pod.node_name
    affinity = ((pod.manifest.get("spec") or {}).get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field.get("key") == "metadata.name" and field.get("values"):
                return str(field["values"][0])
    return ""


def daemon_pod_manifest(daemon_set: Workload, template: Mapping[str, Any], name: str, node_name: str) -> dict[str, Any]:
    """Return the manifest of a pod for a node: pinned by a field in its affinity, with the tolerations of
    daemon pods.
    """
    manifest = pod_manifest(daemon_set, template, name)
    spec = pinned_to(node_name, manifest["spec"])
    spec["tolerations"] = [*(spec.get("tolerations") or ()), *_tolerations(bool(spec.get("hostNetwork")))]
    return {**manifest, "spec": spec}


def pinned_to(node_name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of a pod whose required node affinity is the name of a node, and nothing else
    (ReplaceDaemonSetPodNodeNameNodeAffinity).
    """
    pin = {"key": "metadata.name", "operator": "In", "values": [node_name]}
    required = {"nodeSelectorTerms": [{"matchFields": [pin]}]}
    affinity = spec.get("affinity") or {}
    of_nodes = {**(affinity.get("nodeAffinity") or {}), "requiredDuringSchedulingIgnoredDuringExecution": required}
    return {**spec, "affinity": {**affinity, "nodeAffinity": of_nodes}}


def _tolerations(host_network: bool) -> list[dict[str, str]]:
    """Return the tolerations that every daemon pod gets (AddOrUpdateDaemonPodTolerations)."""
    more = (("node.kubernetes.io/network-unavailable", "NoSchedule"),) if host_network else ()
    return [{"key": key, "operator": "Exists", "effect": effect} for key, effect in (*TOLERATED, *more)]


def expected_pod(daemon_set: Workload, node: Node, api: Api) -> Pod | None:
    """Return a pod of the set as a node should run it, whether or not there is room; None if it should not."""
    if not isinstance(daemon_set.spec, DaemonSetSpec):
        return None
    sample = _sample(daemon_set, daemon_set.spec, api)
    return sample if _runs_on(sample, node)[0] else None


def _runs_on(sample: Pod, node: Node) -> tuple[bool, bool]:
    fits = sample.node_name in ("", node.name) and matches_required(sample, node) is True
    taint = find_untolerated_taint(node.taints, sample.tolerations, ("NoSchedule", "NoExecute"))
    evicted = find_untolerated_taint(node.taints, sample.tolerations, ("NoExecute",))
    return fits and taint is None, fits and evicted is None


def _sample(daemon_set: Workload, spec: DaemonSetSpec, api: Api) -> Pod:
    """Return a pod of the set for an unspecified node, which determines where the set runs; cached for each
    template.
    """
    memory = api.memory.setdefault("daemonset samples", {})
    known = memory.get(daemon_set.uid)
    if known is None or known[0] is not spec.template:
        manifest = pod_manifest(daemon_set, spec.template, "sample")
        tolerations = _tolerations(bool(manifest["spec"].get("hostNetwork")))
        tolerations = [*(manifest["spec"].get("tolerations") or ()), *tolerations]
        manifest["spec"] = {**manifest["spec"], "tolerations": tolerations}
        with api.admission.template():
            pod = api.build("Pod", manifest)
        assert isinstance(pod, Pod)
        known = memory[daemon_set.uid] = (spec.template, pod)
    sample: Pod = known[1]
    return sample
