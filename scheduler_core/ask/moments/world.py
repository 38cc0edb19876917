"""A world: a copy of the cluster at a moment of a run, with its own plugins, in which decisions can be tried.

A decision stops before anything is changed: it runs PreFilter, Filter, Score and the selection of a node, or the dry
run of preemption. It neither assumes nor evicts pods, and does not affect the run from which the world was copied. The
state of OpportunisticBatching from the previous pod applies until something is edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.core import KubernetesObject, Node, Pod, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import AddNodes, ConfigurationEdit, Edit, NotPossible, Remove, SetField, SetFlag
from scheduler_core.ask.editing.objects import KnownPlugins, edit_configuration, make_nodes, no_such, set_field
from scheduler_core.ask.moments.objections import Objections, run_every_plugin
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.controllers import resourceclaim
from scheduler_core.framework.interface import CycleState, PreBindPlugin
from scheduler_core.framework.runtime.runtime import Framework, Registry
from scheduler_core.framework.runtime.unserved import Unserved
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources
from scheduler_core.releases import Release
from scheduler_core.scenario.types import Scenario
from scheduler_core.scheduler.decide import Decision, decide
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.find_nodes import Search
from scheduler_core.scheduler.search.opportunistic_batch import OpportunisticBatch
from scheduler_core.simulation.assembly import build_batches, build_frameworks
from scheduler_core.trace.records import Because, NodeName


class Domain(NamedTuple):
    """The nodes with one value of a label, on which a group is evaluated."""

    topology_key: str
    value: str


class Services(Unserved):
    """The services that plugins can call in a world: the writes of a placement are applied to the copied cluster.

    Writes of PostFilter take effect after a decision, so they do not happen here.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def write(self, item: Any, action: str) -> None:
        """Apply the object to the copied cluster."""
        self._cluster.apply(item)


class ClaimWriter:
    """The API server for the ResourceClaim controller: writes are applied to the copied cluster at once."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def apply_object(self, item: KubernetesObject, action: str, because: Because | None) -> None:
        self.cluster.apply(item)

    def delete(self, kind: str, key: str, because: Because) -> None:
        self.cluster.delete(kind, key)

    def write_pod_status(self, pod: Pod) -> None:
        self.cluster.apply(pod)


class World:
    """A copy of a cluster. `scheduler` is that of the run, stopped between two attempts; it is only read."""

    def __init__(
        self, scenario: Scenario, registry: Registry, scheduler: Scheduler, domain: Domain | None = None
    ) -> None:
        self._scenario, self._registry, self._origin = scenario, registry, scheduler
        self.cluster: Cluster = scheduler.cluster.copy()
        self._domain = domain
        self._search, self._rng = scheduler.search, scheduler.rng
        self._last = self._search, self._rng
        self._edited = False
        self._cycle: CycleState | None = None
        self._build_frameworks(scenario.config)

    def _build_frameworks(self, config: SchedulerConfiguration) -> None:
        """Create the plugins for this cluster; extenders continue to count their failures."""
        origin = self._origin
        scenario = replace(self._scenario, config=config)
        self.frameworks: Mapping[str, Framework] = build_frameworks(
            scenario, self._registry, self.cluster, Services(self.cluster)
        )
        nominator = self._nominator = origin.queue.nominator.copy(self.cluster.pods)
        for name, framework in self.frameworks.items():
            framework.nominator = nominator
            if name in origin.frameworks and config.extenders == self._scenario.config.extenders:
                framework.extenders = deepcopy(origin.frameworks[name].extenders)
        self._percentage = config.percentage_of_nodes_to_score

    @property
    def release(self) -> Release:
        """Return the release of the scheduler."""
        return self._scenario.release

    def apply_edits(self, edits: Sequence[Edit], plugins: KnownPlugins) -> None:
        """Apply the edits of the configuration, then the others in order. Raises NotPossible."""
        self._edited = self._edited or bool(edits)
        of_configuration = [edit for edit in edits if isinstance(edit, ConfigurationEdit)]
        if of_configuration:
            self._build_frameworks(edit_configuration(self._scenario, of_configuration, plugins))
        for edit in edits:
            if not isinstance(edit, ConfigurationEdit):
                self._apply_edit(edit)

    def _apply_edit(self, edit: SetField | AddNodes | Remove | SetFlag) -> None:
        cluster, release = self.cluster, self._scenario.release
        match edit:
            case SetField():
                cluster.apply(set_field(edit, cluster, release))
            case AddNodes():
                for added in make_nodes(edit, self._nodes(), cluster, release):
                    cluster.apply(added)
            case SetFlag():
                raise NotPossible(Message("the flags of {actor} cannot be changed here", actor=edit.actor))
            case Remove():
                key = f"{edit.namespace}/{edit.name}" if edit.namespace else edit.name
                there = {"Pod": cluster.pods.get, "Node": cluster.node}.get(edit.kind)
                if (there(key) if there else cluster.get(edit.kind, key)) is None:
                    raise no_such(edit.kind, key)
                cluster.delete(edit.kind, key)

    def revert(self, kind: str, key: str, before: KubernetesObject | None) -> None:
        """Restore an object to its state before a change; None: it did not exist."""
        self._edited = True
        if kind == "Pod":
            self._nominator.delete(key, "deleted")
        stored = {"Pod": self.cluster.pods.get, "Node": self.cluster.node}.get(kind, partial(self.cluster.get, kind))
        if stored(key) is not None and (before is None or kind == "Pod"):
            self.cluster.delete(kind, key)  # a pod has to leave its node first
        if before is not None:
            self.cluster.apply(before)
        if isinstance(before, Pod) and not before.node_name:
            self._nominator.add(before, None)

    def _nodes(self) -> dict[str, Node]:
        return {node.name: node for node in self.cluster.all_nodes()}

    def decide(self, key: PodKey, *, all_nodes: bool = False) -> Decision:
        """Return the decision about a pending pod now. Raises NotPossible.

        `all_nodes`: do not stop after enough feasible nodes.
        """
        pod, framework = self._pod(key)
        cycle = self._cycle = CycleState(pod, self.cluster.pods.slot_of[key], placement=self._placement())
        return decide(self._scheduler(all_nodes=all_nodes), framework, cycle)

    def create(self, pod: Pod) -> None:
        """Create a pending pod, with the claims that a controller generates for it."""
        self.cluster.apply(pod)
        resourceclaim.reconcile(pod, ClaimWriter(self.cluster))

    def place(self, key: PodKey, node: NodeName) -> str:
        """Assume the pod of the last decision on a node, and allocate devices to its claims.

        Return why they cannot be written, "" if they can.
        """
        assert self._cycle is not None
        pod, framework = self._pod(key)
        for plugin in framework.at(PreBindPlugin):
            if isinstance(plugin, DynamicResources):
                state = self._cycle.states.get(plugin.name)
                for status in (plugin.reserve(pod, state, node), plugin.pre_bind(pod, state, node)):
                    if not status.is_success:
                        return status.message
        self.cluster.assume(key, node)
        self.go_on()
        return ""

    def objections(self, key: PodKey, nodes: Sequence[str] | None = None) -> Objections:
        """Return the objections of all plugins to the pod on these nodes of the domain, or on all of it.

        Raises NotPossible.
        """
        pod, framework = self._pod(key)
        self.cluster.snapshot()
        placement = self._placement()
        rows = self.cluster.nodes.all_rows if placement is None else placement
        if nodes is not None:
            rows = np.array([row for name in nodes if (row := self.cluster.nodes.row_of.get(name)) in rows], np.intp)
        cycle = CycleState(pod, self.cluster.pods.slot_of[key], placement=placement)
        return run_every_plugin(framework, cycle, rows)

    def _pod(self, key: PodKey) -> tuple[Pod, Framework]:
        """Return the pod and its profile's framework. Raises NotPossible."""
        pod = self.cluster.pods.get(key)
        if pod is None:
            raise no_such("Pod", key)
        framework = self.frameworks.get(pod.scheduler_name)
        if framework is None:
            raise NotPossible(Message("no profile of the configuration is named {name}", name=pod.scheduler_name))
        return pod, framework

    def _placement(self) -> NDArray[np.intp] | None:
        """Return the rows of the domain's nodes; None if it has all nodes or there is no domain."""
        if self._domain is None:
            return None
        self.cluster.snapshot()
        key, value = self._domain
        rows = [row for row, node in enumerate(self.cluster.nodes.nodes) if node.labels.get(key) == value]
        return np.array(rows, np.intp) if len(rows) < len(self.cluster.nodes) else None

    def _batches(self) -> dict[str, OpportunisticBatch]:
        batches = build_batches(self._scenario, self.frameworks)
        for name, batch in batches.items():
            batch.copy_state_from(self._origin.batches[name])
        return batches

    def go_on(self) -> None:
        """Start the next decision with the search position and random numbers after the last one."""
        self._search, self._rng = self._last
        self._edited = True

    def _scheduler(self, *, all_nodes: bool) -> Scheduler:
        """Return a scheduler in the same state as the run's scheduler."""
        search = Search(100 if all_nodes else self._percentage, self._search.next_start_node_index)
        rng = deepcopy(self._rng)
        self._last = search, rng
        return replace(
            self._origin,
            cluster=self.cluster,
            frameworks=self.frameworks,
            search=search,
            batches={} if self._edited else self._batches(),
            rng=rng,
        )
