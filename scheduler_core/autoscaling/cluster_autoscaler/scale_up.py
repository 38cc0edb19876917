"""Chooses the group that gets more nodes for pending pods (core/scaleup/orchestrator, processors/nodegroupset)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

import msgspec

from scheduler_core.apis.core import Node, Pod
from scheduler_core.autoscaling.cloud import Cloud, CloudError, Group
from scheduler_core.autoscaling.cluster_autoscaler.cluster_state import ClusterState
from scheduler_core.autoscaling.cluster_autoscaler.estimator import PodGroup, estimate
from scheduler_core.autoscaling.cluster_autoscaler.events import Recorder
from scheduler_core.autoscaling.cluster_autoscaler.expanders import Expanders, Option
from scheduler_core.autoscaling.cluster_autoscaler.templates import Template
from scheduler_core.autoscaling.snapshot import Snapshot

MAX_GROUPS_OF_A_CONTROLLER = 10
GIB = 1 << 30
IGNORED_LABELS = (
    "kubernetes.io/hostname",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "beta.kubernetes.io/fluentd-ds-ready",
    "kops.k8s.io/instancegroup",
)


class Resize(msgspec.Struct, frozen=True):
    """A change of a group's size."""

    group: Group
    old: int
    new: int


class ScaleUp(msgspec.Struct):
    """The result of a scale-up. `reasons`: for each pod that no group helps, why; pods not named here wait."""

    result: Literal["successful", "failed", "no options", "too many nodes", "not needed"]
    resizes: list[Resize] = []
    helped: list[Pod] = []
    reasons: dict[str, list[str]] = {}


class Plan(msgspec.Struct):
    """A possible scale-up. `against`: by pod and group, why the group does not help the pod.

    `remaining`: the pods that no group helps, with the reasons in the order in which they are printed. `options`: those
    among which the expanders chose.
    """

    option: Option | None
    resizes: list[Resize]
    against: dict[str, dict[str, str]]
    remaining: dict[str, list[str]]
    options: list[Option] = []


class Orchestrator:
    """Plans and carries out scale-ups."""

    def __init__(
        self, cloud: Cloud, state: ClusterState, flags: Mapping[str, Any], expanders: Expanders, recorder: Recorder
    ) -> None:
        self._cloud = cloud
        self._state = state
        self.flags = flags
        self._expanders = expanders
        self._recorder = recorder

    def carry_out(self, plan: Plan) -> ScaleUp:
        """Request the nodes of a plan from the cloud, and return the result."""
        if not plan.resizes or plan.option is None:
            return ScaleUp("no options", reasons=plan.remaining)
        result = self._execute(plan.resizes)
        result.helped, result.reasons = list(plan.option.pods), plan.remaining
        return result

    def plan(self, pods: Sequence[Pod], snapshot: Snapshot, templates: Mapping[str, Template]) -> Plan:
        """Return the plan with the option that is chosen for the pods, and why groups do not help them."""
        pod_groups = group_pods(pods)
        skipped: dict[str, str] = {}
        fitting: dict[str, list[PodGroup]] = {}
        against: dict[int, dict[str, tuple[str, ...]]] = {number: {} for number in range(len(pod_groups))}
        helps: Counter[int] = Counter()
        nodes = snapshot.nodes()
        for group in self._cloud.groups.values():
            reason = self._reason_to_skip(group, templates, nodes)
            if reason:
                skipped[group.name] = reason
                continue
            fitting[group.name] = []
            trial = snapshot.copy()
            node, daemon_pods = templates[group.name].named("template-node")
            trial.add_node(node, daemon_pods, like=templates[group.name].node.name)
            for number, pod_group in enumerate(pod_groups):
                reasons = trial.reasons(pod_group[0], node.name)
                if reasons:
                    against[number][group.name] = reasons
                else:
                    fitting[group.name].append(pod_group)
                    helps[number] += 1
        options = self._options(fitting, snapshot, templates, len(nodes))
        remaining = {
            pod.key: [*chain.from_iterable(against[number].values()), *skipped.values()]
            for number, pod_group in enumerate(pod_groups)
            if not helps[number]
            for pod in pod_group
        }
        by_pod = {
            pod.key: {**{name: ", ".join(reasons) for name, reasons in against[number].items()}, **skipped}
            for number, pod_group in enumerate(pod_groups)
            for pod in pod_group
        }
        if not options:
            return Plan(None, [], by_pod, remaining)
        self._expanders.node_count = len(nodes)
        best = self._expanders.best(options)
        count = self._capped(best.nodes, best, nodes)
        if count <= 0:
            return Plan(None, [], by_pod, remaining, options)
        return Plan(best, self._balanced(best, count, fitting, templates, nodes), by_pod, remaining, options)

    def fill_to_minimum(self, nodes: Sequence[Node], templates: Mapping[str, Template]) -> ScaleUp:
        """Increase groups that are smaller than their minimum (ScaleUpToNodeGroupMinSize)."""
        resizes = []
        total = self.flags["max-nodes-total"]
        for group in self._cloud.groups.values():
            if group.target >= group.minimum or self._reason_to_skip(group, templates, nodes):
                continue
            count = self._within_quota(group.minimum - group.target, templates[group.name].node, self._left(nodes))
            if total and group.target + count > total:  # not the nodes of the cluster: GetCappedNewNodeCount
                self._recorder.record_status(*total_reached(total), "Warning")
                count = total - group.target
            if count > 0:
                resizes.append(Resize(group, group.target, group.target + count))
        return self._execute(resizes) if resizes else ScaleUp("not needed")

    def _reason_to_skip(self, group: Group, templates: Mapping[str, Template], nodes: Sequence[Node]) -> str:
        if not self._state.is_group_healthy(group):
            return "not ready for scale-up"
        if self._state.backs_off(group):
            return "in backoff after failed scale-up"
        if group.target >= group.maximum:
            return "max node group size reached"
        if group.name not in templates:
            return "not ready for scale-up"
        exceeded = self._exceeded(templates[group.name].node, nodes)
        return f'exceeded quota: "cluster-wide", resources: {", ".join(exceeded)}' if exceeded else ""

    def _left(self, nodes: Sequence[Node]) -> dict[str, int]:
        """Return the amounts that the total limits leave beyond the nodes: cores, and bytes of memory."""
        used = {name: sum(total_of(node)[name] for node in nodes) for name in ("cpu", "memory")}
        most = {"cpu": self.flags["cores-total"][1], "memory": self.flags["memory-total"][1] * GIB}
        return {name: max(most[name] - used[name], 0) for name in most}

    def _exceeded(self, node: Node, nodes: Sequence[Node]) -> list[str]:
        size = total_of(node)
        return [name for name, left in self._left(nodes).items() if size[name] > left]

    def _capped(self, count: int, option: Option, nodes: Sequence[Node]) -> int:
        """Return how many of `count` nodes the limits of the cluster allow; 0 or less: none."""
        if self.flags["max-nodes-total"]:
            count = min(count, int(self.flags["max-nodes-total"]) - len(nodes))
        return self._within_quota(count, option.template.node, self._left(nodes))

    def _within_quota(self, count: int, node: Node, left: Mapping[str, int]) -> int:
        """Return how many of `count` nodes the amounts that are left allow (resourcequotas/tracker.go)."""
        return min([count, *(left[name] // size for name, size in total_of(node).items() if size)])

    def _options(
        self,
        fitting: Mapping[str, list[PodGroup]],
        snapshot: Snapshot,
        templates: Mapping[str, Template],
        node_count: int,
    ) -> list[Option]:
        options = []
        for name, pod_groups in fitting.items():
            if not pod_groups:
                continue
            group, template = self._cloud.groups[name], templates[name]
            estimated = estimate(
                pod_groups, template, snapshot, self._most_nodes(group, fitting, templates, node_count)
            )
            if estimated.nodes:
                options.append(Option(group, template, estimated.nodes, estimated.pods))
        return options

    def _most_nodes(
        self, group: Group, fitting: Mapping[str, list[PodGroup]], templates: Mapping[str, Template], node_count: int
    ) -> int:
        """Return the limit of an estimate (estimator/threshold_based_limiter.go); negative: no node."""
        room = group.maximum - group.target
        for other in self._similar(group, fitting, templates):
            room += other.maximum - other.target
        limits = [self.flags["max-nodes-per-scaleup"] or room, room]
        if self.flags["max-nodes-total"]:
            limits.append(self.flags["max-nodes-total"] - node_count or -1)
        return int(min(limits))

    # Similar groups

    def _similar(
        self, group: Group, fitting: Mapping[str, list[PodGroup]], templates: Mapping[str, Template]
    ) -> list[Group]:
        """Return the groups similar to this one that can hold every pod that it can."""
        if not self.flags["balance-similar-node-groups"]:
            return []
        wanted = {id(pod_group) for pod_group in fitting[group.name]}
        return [
            other
            for name, pod_groups in fitting.items()
            if (other := self._cloud.groups[name]) is not group
            and wanted <= {id(pod_group) for pod_group in pod_groups}
            and self._is_similar(templates[group.name], templates[name])
        ]

    def _is_similar(self, first: Template, second: Template) -> bool:
        """Return whether nodes of the templates are interchangeable (compare_nodegroups.go, label_nodegroups.go)."""
        node, other, flags = first.node, second.node, self.flags
        if flags["balancing-label"]:
            return all(
                key in node.labels and key in other.labels and node.labels[key] == other.labels[key]
                for key in flags["balancing-label"]
            )
        for name in {*node.capacity, *other.capacity}:
            most = flags["memory-difference-ratio"] if name == "memory" else 0.0
            if not _is_close(node.capacity.get(name, 0), other.capacity.get(name, 0), most):
                return False
        for name in {*node.allocatable, *other.allocatable}:
            amount, other_amount = node.allocatable.get(name, 0), other.allocatable.get(name, 0)
            used, other_used = (
                sum(pod.requests.get(name, 0) for pod in template.daemon_pods) for template in (first, second)
            )
            if not _is_close(amount, other_amount, flags["max-allocatable-difference-ratio"]):
                return False
            if not _is_close(amount - used, other_amount - other_used, flags["max-free-difference-ratio"]):
                return False
        ignored = {*IGNORED_LABELS, *flags["balancing-ignore-label"]}
        labels, other_labels = (
            {key: value for key, value in each.labels.items() if key not in ignored} for each in (node, other)
        )
        return labels == other_labels

    def _balanced(
        self,
        best: Option,
        count: int,
        fitting: Mapping[str, list[PodGroup]],
        templates: Mapping[str, Template],
        nodes: Sequence[Node],
    ) -> list[Resize]:
        """Split the nodes between the group and similar ones: each node goes to the smallest
        (balancing_processor.go), as far as the total limits allow it (capScaleUpsByQuota).
        """
        similar = self._similar(best.group, fitting, templates)
        groups = [best.group, *(group for group in similar if not self._exceeded(templates[group.name].node, nodes))]
        sizes = {group.name: group.target for group in groups if group.target < group.maximum}
        for _ in range(count):
            open_groups = [group for group in groups if sizes.get(group.name, group.maximum) < group.maximum]
            if not open_groups:
                break
            sizes[min(open_groups, key=lambda group: sizes[group.name]).name] += 1
        grown = [Resize(group, group.target, sizes[group.name]) for group in groups if group.name in sizes]
        capped, left = [], self._left(nodes)
        for resize in sorted(grown, key=lambda resize: resize.old):
            size = templates[resize.group.name].node
            allowed = self._within_quota(resize.new - resize.old, size, left)
            left = {name: max(amount - allowed * total_of(size)[name], 0) for name, amount in left.items()}
            if allowed:
                capped.append(Resize(resize.group, resize.old, resize.old + allowed))
        return capped

    def _execute(self, resizes: Sequence[Resize]) -> ScaleUp:
        """Call the cloud for one group after the other; the first error ends this, and its group backs off."""
        for resize in resizes:
            name = resize.group.name
            size = f"{resize.new} instead of {resize.old} (max: {resize.group.maximum})"
            self._recorder.record_status("ScaledUpGroup", f"Scale-up: setting group {name} size to {size}")
            try:
                self._cloud.increase(resize.group, resize.new - resize.old)
            except CloudError as error:
                text = f"Scale-up failed for group {name}: {error}"
                self._recorder.record_status("FailedToScaleUpGroup", text, "Warning")
                self._state.fail(resize.group)
                return ScaleUp("failed")
            self._state.request(resize.group, resize.new - resize.old)
            self._recorder.record_status("ScaledUpGroup", f"Scale-up: group {name} size set to {size}")
        return ScaleUp("successful", list(resizes))


def total_of(node: Node) -> dict[str, int]:
    """Return the whole cores and bytes of a node, which --cores-total and --memory-total limit (getNodeResource)."""
    return {"cpu": -(-node.capacity.get("cpu", 0) // 1000), "memory": node.capacity.get("memory", 0)}


def total_reached(most: int) -> tuple[str, str]:
    """Return the reason and the message of the event for --max-nodes-total."""
    return "MaxNodesTotalReached", f"Max total nodes in cluster reached: {most}"


def group_pods(pods: Sequence[Pod]) -> list[PodGroup]:
    """Return groups of pods with the same controller and equal labels and specs (equivalence/groups.go).

    A pod is a group of its own if it has no controller or that of a DaemonSet, or if it differs from all groups of a
    controller that has the maximum number of them.
    """
    groups: list[PodGroup] = []
    of_controller: dict[str, list[list[Pod]]] = {}
    for pod in pods:
        if pod.owner is None or pod.owner.kind == "DaemonSet":
            groups.append([pod])
            continue
        alike = of_controller.setdefault(pod.owner.uid or f"{pod.namespace}/{pod.owner.kind}/{pod.owner.name}", [])
        equivalent = next((group for group in alike if _is_equivalent(group[0], pod)), None)
        if equivalent is not None:
            equivalent.append(pod)
            continue
        group = [pod]
        groups.append(group)
        if len(alike) < MAX_GROUPS_OF_A_CONTROLLER:
            alike.append(group)
    return groups


def _is_equivalent(first: Pod, second: Pod) -> bool:
    spec, other_spec = (pod.manifest.get("spec") or {} for pod in (first, second))
    return first.labels == second.labels and (spec == other_spec or _comparable(spec) == _comparable(other_spec))


def _comparable(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec without hostname, environments and projected volumes, which controllers vary (sanitizePodSpec)."""
    volumes = spec.get("volumes") or ()
    projected = {volume.get("name") for volume in volumes if volume.get("projected") is not None}
    kept = {key: value for key, value in spec.items() if key != "hostname"}
    kept["volumes"] = [volume for volume in volumes if volume.get("name") not in projected]
    for kind in ("initContainers", "containers"):
        kept[kind] = [_comparable_container(container, projected) for container in spec.get(kind) or ()]
    return kept


def _comparable_container(container: Mapping[str, Any], projected: Collection[Any]) -> dict[str, Any]:
    kept = {key: value for key, value in container.items() if key not in ("env", "volumeMounts")}
    mounts = [mount for mount in container.get("volumeMounts") or () if mount.get("name") not in projected]
    return {**kept, "volumeMounts": mounts}


def _is_close(first: float, second: float, most: float) -> bool:
    larger = max(first, second)
    return larger - min(first, second) <= larger * most
