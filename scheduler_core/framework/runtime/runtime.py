"""Framework: the plugins of a profile at each extension point (framework/runtime/framework.go)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginRef, Profile
from scheduler_core.apis.core import KubernetesObject, Pod, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.disruption import disruptions_allowed
from scheduler_core.framework.cluster_event import ANY_EVENT, EXTENDER_NAME, RegisteredEvent, registered_events
from scheduler_core.framework.extended_resources import ExtendedResources
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    POINTS,
    SUCCESS,
    Code,
    CycleState,
    Diagnosis,
    EnqueueExtensions,
    Extender,
    FilterPlugin,
    Nominator,
    PermitPlugin,
    Plugin,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    RecordsSearch,
    ReservePlugin,
    ScorePlugin,
    Status,
    Verdicts,
    WaitingPod,
    WhatIf,
)
from scheduler_core.framework.pod_groups import PodGroupManager
from scheduler_core.framework.reads import Reads, ReadsError, reads_of
from scheduler_core.framework.runtime import before_1_28, missing_state
from scheduler_core.framework.runtime.filters import Filters, Nominations
from scheduler_core.framework.runtime.scores import PluginScore, Scorers
from scheduler_core.framework.runtime.verdict_cache import VerdictCache
from scheduler_core.framework.what_if import CounterLimits
from scheduler_core.releases import Release, Rules
from scheduler_core.trace.preemption_events import PreemptionEvaluated

Registry = Mapping[str, type[Plugin]]
P = TypeVar("P", bound=Plugin)
PluginStatuses = tuple[list[tuple[str, Status]], Status]  # of each plugin that ran, and the final one
StateFunction = tuple[str, Callable[[Pod, Any, str], Status]]  # a plugin's name, and its Reserve or PreBind

REJECTING = (PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, ReservePlugin, PermitPlugin)


class Services(Protocol):
    """The services of the simulation for plugins; see `interface.Handle`."""

    def waiting_pods(self) -> Sequence[WaitingPod]: ...

    def is_running_preemption(self, pod: Pod) -> bool: ...

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None: ...

    def activate_now(self, keys: Sequence[PodKey]) -> None: ...

    def write(self, item: KubernetesObject, action: Literal["create", "update"]) -> None: ...

    def write_later(self, item: KubernetesObject) -> None: ...

    def delete_later(self, kind: str, key: str) -> None: ...


class SeesNominations(Nominator, Nominations, Protocol):
    """A Nominator with the additional methods that filtering needs."""


class Framework:
    """The framework of a profile. `points[extension point]` are (plugin, weight) in order.

    `pre_filters` are the PreFilter functions of this release by plugin name. `nominator` is set once the queue exists,
    before anything is scheduled.
    """

    nominator: SeesNominations

    def __init__(
        self,
        profile: Profile,
        registry: Registry,
        cluster: Cluster,
        services: Services,
        *,
        extenders: Sequence[Extender],
        feature_gates: Mapping[str, bool],
        release: Release,
        pod_groups: PodGroupManager,
    ) -> None:
        self.profile = profile
        self.profile_name = profile.scheduler_name
        self.cluster = cluster
        self.extenders = extenders
        self.feature_gates = feature_gates
        self.release = release
        self.pod_groups = pod_groups
        self.extended_resources = ExtendedResources(cluster, release)
        self._rules = release.rules
        self._misses_states = (
            not self._rules.pre_filter_rejects_every_node or self._rules.pre_filter_reasons_are_counted
        )
        self._services = services
        self._instances: dict[str, Plugin] = {}
        self._registered: list[tuple[str, Sequence[RegisteredEvent]]] | None = None
        self.points: dict[str, list[tuple[Plugin, int]]] = {
            point: [
                (plugin, ref.weight)
                for ref in refs
                if implements(plugin := self._instance(ref, registry), POINTS[point])
            ]
            for point, refs in profile.plugins.items()
        }
        self._at: dict[type[Plugin], list[Any]] = {
            protocol: [plugin for plugin, _ in self.points.get(point, ())] for point, protocol in POINTS.items()
        }
        self.recorders = [plugin for plugin in self.at(FilterPlugin) if implements(plugin, RecordsSearch)]
        pre_filters, reserves = self.at(PreFilterPlugin), self.at(ReservePlugin)
        self._at[PreBindPlugin] = missing_state.pre_binds(self.at(PreBindPlugin), reserves, pre_filters)
        self._at[ReservePlugin] = missing_state.reserves(reserves, pre_filters)
        self._reserves: list[StateFunction] = [(plugin.name, plugin.reserve) for plugin in self.at(ReservePlugin)]
        self._pre_binds: list[StateFunction] = [(plugin.name, plugin.pre_bind) for plugin in self.at(PreBindPlugin)]
        self.filters = Filters(
            missing_state.filters(self.at(FilterPlugin), pre_filters, cluster),
            cluster,
            release.rules,
            checks_all=profile.checks_all_filters,
        )
        weights = [weight for _, weight in self.points.get("score", ())]
        scores = self.at(ScorePlugin)
        self._scorers = Scorers(self.at(PreScorePlugin), list(zip(scores, weights, strict=True)))
        self.pre_filters = [(plugin.name, before_1_28.pre_filter(plugin, self._rules)) for plugin in pre_filters]
        self._cache = VerdictCache(cluster, self.filters.plugins, scores)

    def _instance(self, ref: PluginRef, registry: Registry) -> Plugin:
        if ref.name not in self._instances:
            plugin = registry[ref.name](self.profile.plugin_args.get(ref.name), self)
            if not implements(plugin, Plugin):
                raise TypeError(f'plugin "{ref.name}" has no `name`')
            reads = reads_of(plugin)
            if not isinstance(reads, Reads | None):
                raise ReadsError(f'plugin "{ref.name}": `reads` has to be a Reads, not {reads!r}')
            self._instances[ref.name] = plugin
        return self._instances[ref.name]

    # The services for plugins (Handle)

    @property
    def now(self) -> float:
        return self.cluster.now

    def waiting_pods(self) -> Sequence[WaitingPod]:
        return self._services.waiting_pods()

    def is_running_preemption(self, pod: Pod) -> bool:
        return self._services.is_running_preemption(pod)

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None:
        self._services.activate(pod, keys)

    def activate_now(self, keys: Sequence[PodKey]) -> None:
        self._services.activate_now(keys)

    def write(self, item: KubernetesObject, action: Literal["create", "update"] = "update") -> None:
        self._services.write(item, action)

    def write_later(self, item: KubernetesObject) -> None:
        self._services.write_later(item)

    def delete_later(self, kind: str, key: str) -> None:
        self._services.delete_later(kind, key)

    def disruptions_allowed(self) -> Mapping[str, int]:
        return disruptions_allowed(self.cluster)

    def use_cached_results(self, cycle: CycleState) -> None:
        """Let the cycle use cached results of earlier pods of the same shape. Call it after PreFilter."""
        cycle.shape = self._cache.shape(cycle.pod)
        cycle.cached = self._cache.results(cycle, self.filters.plan(cycle).leading)

    def run_filters(self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None = None) -> Verdicts:
        return self.filters.run_with_nominated_pods(cycle, rows, what_if, self.nominator)

    def counter_limits(self, cycle: CycleState, what_if: WhatIf) -> CounterLimits | None:
        return self.filters.counter_limits(cycle, what_if, self.nominator)

    def alike(self, cycle: CycleState) -> Hashable | None:
        plan = self.filters.plan(cycle)
        return (cycle.shape, *plan.names) if cycle.cached is not None and plan.of_node_alone else None

    # Extension points

    def has(self, plugin: str) -> bool:
        """Return whether the plugin is enabled at any extension point."""
        return plugin in self._instances

    def at(self, point: type[P]) -> list[P]:
        """Return the plugins of an extension point, which is given as a protocol."""
        return self._at[point]

    def events_to_register(self) -> list[tuple[str, Sequence[RegisteredEvent]]]:
        """Return the events of all plugins, in the order of the plugins.

        Those of extenders come first. Extenders, and plugins that may reject a pod and do not implement
        EnqueueExtensions, are registered for ANY_EVENT.
        """
        if self._registered is None:
            self._registered = self._events_to_register()
        return self._registered

    def _events_to_register(self) -> list[tuple[str, Sequence[RegisteredEvent]]]:
        events: list[tuple[str, Sequence[RegisteredEvent]]] = [(EXTENDER_NAME, ANY_EVENT)] if self.extenders else []
        for name, plugin in self._instances.items():
            if name in self.release.registered_events:
                events.append((name, registered_events(self.release.registered_events[name])))
            elif implements(plugin, EnqueueExtensions):
                events.append((name, plugin.events_to_register()))
            elif any(implements(plugin, point) for point in REJECTING):
                events.append((name, ANY_EVENT))
        return events

    def run_pre_filter(self, cycle: CycleState) -> PreFilterOutcome:
        """Run PreFilter (RunPreFilterPlugins) until an error, an unresolvable rejection, or no node is left.

        Return the combined result. Whether other rejections end it depends on the release.
        """
        outcome = PreFilterOutcome(self._rules)
        pod, cluster, states, skipped = cycle.pod, self.cluster, cycle.states, cycle.skip_filter
        results = outcome.results
        for name, pre_filter in self.pre_filters:
            result: PreFilterResult = pre_filter(pod, cluster)
            states[name] = result.state
            results.append((name, result))
            status = result.status
            if status.is_skip:
                skipped.add(name)
            elif status.is_success:
                if result.node_names is not None and outcome.narrow(name, result.node_names):
                    break
            elif status.code is Code.UNSCHEDULABLE and self._rules.pre_filter_goes_on_after_a_plain_rejection:
                outcome.status = status.by(name)
            else:
                outcome.reject(status.by(name))
                break
        if not outcome.status.is_success and self._misses_states:
            cycle.remove_pod_error = before_1_28.remove_pod_error(
                self.at(PreFilterPlugin), self.filters.plugins, outcome.results, self.release
            )
        return outcome

    def run_post_filter(self, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """Run PostFilter (RunPostFilterPlugins) until a plugin returns another code than Unschedulable.

        Return its result. If there is none, return an Unschedulable result with the reasons of all plugins, and with
        the nomination and evaluation of the last one that has either.
        """
        last: PostFilterResult | None = None
        reasons: list[str] = []
        for plugin in self.at(PostFilterPlugin):
            result: PostFilterResult = plugin.post_filter(cycle.pod, cycle, diagnosis)
            if result.status.code != Code.UNSCHEDULABLE:
                return _with_evaluation(result)
            reasons += result.status.reasons
            if result.nominated_node is not None or result.evaluation is not None:
                last = result
        status = Status(Code.UNSCHEDULABLE, tuple(reasons))
        if last is None:
            return _with_evaluation(PostFilterResult(status))
        return replace(last, status=status)

    def run_scores(self, cycle: CycleState, rows: NDArray[np.intp]) -> tuple[list[PluginScore], list[str], Status]:
        """Return (scores by plugin, skipped plugins, status) of PreScore, Score, NormalizeScore and weights."""
        return self._scorers.run(cycle, self.cluster.nodes, rows)

    def total_scores(
        self, cycle: CycleState, rows: NDArray[np.intp], raw: Mapping[str, NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """Return the total scores for raw scores by plugin. `run_scores` has run before, for any node."""
        return self._scorers.total(cycle, self.cluster.nodes, rows, raw)

    def run_reserve(self, pod: Pod, cycle: CycleState, node_name: str) -> PluginStatuses:
        """Run Reserve in order until a failure. Return the status of each plugin, and the final status."""
        return _run_until_failure("Reserve", self._reserves, pod, cycle, node_name)

    def run_pre_bind(self, pod: Pod, cycle: CycleState, node_name: str) -> PluginStatuses:
        """Run PreBind in order until a failure. Return the status of each plugin, and the final status."""
        return _run_until_failure("PreBind", self._pre_binds, pod, cycle, node_name)


def _run_until_failure(
    point: str, plugins: Sequence[StateFunction], pod: Pod, cycle: CycleState, node_name: str
) -> PluginStatuses:
    results: list[tuple[str, Status]] = []
    for name, run in plugins:
        status = run(pod, cycle.states.get(name), node_name)
        results.append((name, status))
        if not status.is_success:
            return results, as_failure(point, name, status)
    return results, SUCCESS


def as_failure(point: str, plugin: str, status: Status) -> Status:
    """Return a failed status with the plugin's name; a status other than a rejection becomes an error."""
    if status.is_rejected:
        return status.by(plugin)
    return Status(Code.ERROR, (f'running {point} plugin "{plugin}": {status.message}',), plugin)


def _with_evaluation(result: PostFilterResult) -> PostFilterResult:
    """Return the result; a failure without an evaluation gets one for the trace."""
    if result.evaluation is not None or result.status.is_success:
        return result
    reason = result.status.message
    return replace(result, evaluation=PreemptionEvaluated(False, reason, message=reason))


class PreFilterOutcome:
    """The result of PreFilter. `narrowed_by` are the plugins that named nodes, `node_names` is the intersection.

    `node_names` None: the search is not limited.
    """

    def __init__(self, rules: Rules) -> None:
        self._sorts = rules.narrowing_plugins_are_blamed
        self._unresolvable = rules.no_node_left_is_unresolvable
        self.results: list[tuple[str, PreFilterResult]] = []
        self.status = SUCCESS
        self.node_names: frozenset[str] | None = None
        self.narrowed_by: list[str] = []

    def reject(self, status: Status) -> None:
        """Set the rejection or error that ends PreFilter; earlier narrowing is dropped."""
        if status.is_error:
            status = Status(
                Code.ERROR, (f'running PreFilter plugin "{status.plugin}": {status.message}',), status.plugin
            )
        self.status = status
        self.node_names = None
        self.narrowed_by = []

    def narrow(self, plugin: str, names: frozenset[str]) -> bool:
        """Limit the search to these nodes, in addition to earlier limits. Return whether no node is left."""
        self.narrowed_by.append(plugin)
        if self._sorts:
            self.narrowed_by.sort()
        self.node_names = names if self.node_names is None else self.node_names & names
        if self.node_names:
            return False
        plural = f"plugin(s) [{' '.join(self.narrowed_by)}] simultaneously"
        subject = plural if len(self.narrowed_by) > 1 else f"plugin {self.narrowed_by[0]}"
        code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE if self._unresolvable else Code.UNSCHEDULABLE
        self.node_names = self.node_names if self._unresolvable else None
        self.status = Status(code, (f"node(s) didn't satisfy {subject}",))
        return True
