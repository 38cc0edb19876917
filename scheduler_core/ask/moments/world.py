"""A world: the cluster as it was at one moment of a run, copied, with plugins of its own, to try decisions in.

A decision is what comes before anything is changed: PreFilter, Filter, Score and the choice of a node, or preemption's
dry run. Nothing is assumed, evicted or told to the run that the world was taken from. What OpportunisticBatching
knows from the pod before counts until something is edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import AddNodes, ConfigurationEdit, Edit, NotPossible, Remove, SetField
from scheduler_core.ask.editing.objects import KnownPlugins, added_nodes, configured, no_such, set_field
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.interface import CycleState, PostFilterPlugin
from scheduler_core.framework.runtime.runtime import Framework, Registry
from scheduler_core.scenario.types import Scenario
from scheduler_core.scheduler.schedule_one import schedule_pod
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.find_nodes import Search
from scheduler_core.scheduler.search.fit_error import FitError, NoNodesAvailable, SchedulingError
from scheduler_core.scheduler.search.opportunistic_batch import OpportunisticBatch
from scheduler_core.simulation.assembly import build_batches, build_frameworks
from scheduler_core.trace.decisions import Record, record_of_cycle
from scheduler_core.trace.events import AnyEvent


class Domain(NamedTuple):
    """The nodes with one value of a label: a group's members are tried there."""

    topology_key: str
    value: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What a pod came to: a node, or the node that preemption nominated with its victims, or the reasons against all.

    `record` is as in `trace/decisions.py`: filter statuses, feasible nodes, scores and totals by node.
    """

    pod: PodKey
    node: str
    message: str
    record: Record

    @property
    def nominated(self) -> str:
        """The node that preemption chose, "" if it did not."""
        preemption = self.record["preemption"]
        return str(preemption["nominatedNode"]) if preemption else ""

    @property
    def victims(self) -> list[PodKey]:
        preemption = self.record["preemption"]
        return list(preemption["victims"]) if preemption else []


class NoServices:
    """What plugins may ask of a run; of a world there is none: no pod waits on Permit, and nothing is written."""

    def waiting_pods(self) -> Sequence[Any]:
        return ()

    def is_running_preemption(self, pod: Pod) -> bool:
        return False

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None:
        """Nobody waits to be activated."""

    def activate_now(self, keys: Sequence[PodKey]) -> None:
        """Nobody waits to be activated."""

    def write(self, item: Any, action: str) -> None:
        raise AssertionError("a decision writes nothing")


class World:
    """`scheduler` is the run's, stopped between two attempts; it is only read."""

    def __init__(
        self, scenario: Scenario, registry: Registry, scheduler: Scheduler, domain: Domain | None = None
    ) -> None:
        self._scenario, self._registry, self._origin = scenario, registry, scheduler
        self.cluster: Cluster = scheduler.cluster.copied()
        self._domain = domain
        self._search, self._rng = scheduler.search, scheduler.rng
        self._last = self._search, self._rng
        self._edited = False
        self._arrange(scenario.config)

    def _arrange(self, config: SchedulerConfiguration) -> None:
        """Plugins for this cluster; extenders go on counting their failures where the run stands."""
        origin = self._origin
        scenario = replace(self._scenario, config=config)
        self.frameworks: Mapping[str, Framework] = build_frameworks(
            scenario, self._registry, self.cluster, NoServices()
        )
        nominator = origin.queue.nominator.copied(self.cluster.pods)
        for name, framework in self.frameworks.items():
            framework.nominator = nominator
            if name in origin.frameworks and config.extenders == self._scenario.config.extenders:
                framework.extenders = deepcopy(origin.frameworks[name].extenders)
        self._percentage = config.percentage_of_nodes_to_score

    def edited(self, edits: Sequence[Edit], known: KnownPlugins) -> None:
        """Make the edits, in order; raises NotPossible."""
        self._edited = self._edited or bool(edits)
        of_configuration = [edit for edit in edits if isinstance(edit, ConfigurationEdit)]
        if of_configuration:
            self._arrange(configured(self._scenario, of_configuration, known))
        for edit in edits:
            if not isinstance(edit, ConfigurationEdit):
                self._make(edit)

    def _make(self, edit: SetField | AddNodes | Remove) -> None:
        cluster, release = self.cluster, self._scenario.release
        match edit:
            case SetField():
                cluster.apply(set_field(edit, cluster, release))
            case AddNodes():
                for node in added_nodes(edit, self._nodes(), cluster, release):
                    cluster.apply(node)
            case Remove():
                key = f"{edit.namespace}/{edit.name}" if edit.namespace else edit.name
                there = {"Pod": cluster.pods.get, "Node": cluster.node}.get(edit.kind)
                if (there(key) if there else cluster.get(edit.kind, key)) is None:
                    raise no_such(edit.kind, key)
                cluster.delete(edit.kind, key)

    def _nodes(self) -> dict[str, Node]:
        return {node.name: node for node in self.cluster.all_nodes()}

    def decide(self, key: PodKey, *, all_nodes: bool = False) -> Decision:
        """What the scheduler would decide for a pending pod now; `all_nodes`: even if enough were found before."""
        pod = self.cluster.pods.get(key)
        if pod is None:
            raise no_such("Pod", key)
        framework = self.frameworks.get(pod.scheduler_name)
        if framework is None:
            raise NotPossible(Message("no profile of the configuration is named {name}", name=pod.scheduler_name))
        events: list[AnyEvent] = []
        scheduler = self._scheduler(events, all_nodes=all_nodes)
        cycle = CycleState(pod, self.cluster.pods.slot_of[key], placement=self._placement())
        node = message = ""
        try:
            node = schedule_pod(scheduler, framework, cycle)
        except FitError as error:
            if framework.at(PostFilterPlugin):
                result = framework.run_post_filter(cycle, error.diagnosis)
                error.diagnosis.post_filter_message = result.status.message
                if result.evaluation is not None:
                    events.append(result.evaluation)
            message = str(error)
        except (NoNodesAvailable, SchedulingError) as error:
            message = str(error)
        return Decision(key, node, message, record_of_cycle(events, self.cluster.nodes.names))

    def _placement(self) -> NDArray[np.intp] | None:
        """The rows of the domain, as the nodes are now."""
        if self._domain is None:
            return None
        self.cluster.snapshot()
        key, value = self._domain
        rows = [row for row, node in enumerate(self.cluster.nodes.nodes) if node.labels.get(key) == value]
        return np.array(rows, np.intp) if len(rows) < len(self.cluster.nodes) else None

    def _batches(self) -> dict[str, OpportunisticBatch]:
        batches = build_batches(self._scenario, self.frameworks)
        for name, batch in batches.items():
            batch.go_on_from(self._origin.batches[name])
        return batches

    def go_on(self) -> None:
        """The next decision starts its search where the last one ended, and draws what comes next."""
        self._search, self._rng = self._last
        self._edited = True

    def _scheduler(self, events: list[AnyEvent], *, all_nodes: bool) -> Scheduler:
        """A scheduler that stands where the run's does; each decision starts from there anew."""
        search = Search(100 if all_nodes else self._percentage, self._search.next_start_node_index)
        rng = deepcopy(self._rng)
        self._last = search, rng
        return replace(
            self._origin,
            cluster=self.cluster,
            frameworks=self.frameworks,
            emit=events.append,
            search=search,
            batches={} if self._edited else self._batches(),
            rng=rng,
        )
