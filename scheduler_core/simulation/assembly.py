"""The assembly of a scheduler from a scenario: profiles, extenders, queue (kube-scheduler: scheduler.go's New)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from msgspec.structs import replace

from scheduler_core.apis.config import NodeResourcesFitArgs, Profile
from scheduler_core.apis.core import Namespace, Pod, PodGroup, PodKey
from scheduler_core.apis.devices import ResourceClaim, ResourceSlice
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.image_states import ImageStates, ImageStatesBefore129
from scheduler_core.cluster.node_tree import NodeTree
from scheduler_core.cluster.node_tree_before_1_19 import NodeTreeBefore117, NodeTreeBefore119
from scheduler_core.framework.interface import (
    PreEnqueuePlugin,
    QueueSortPlugin,
)
from scheduler_core.framework.pod_groups import PodGroupManager
from scheduler_core.framework.runtime.runtime import Framework, Registry, Services
from scheduler_core.queue.backoff_queue import Backoff
from scheduler_core.queue.before_1_19 import SchedulingQueueBefore117, SchedulingQueueBefore119
from scheduler_core.queue.before_1_32 import SchedulingQueueBefore132
from scheduler_core.queue.queueing_hints import QueueingHintMap
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.releases import Rules
from scheduler_core.scenario.types import Scenario
from scheduler_core.scheduler.apiserver.api_server import ApiServer
from scheduler_core.scheduler.apiserver.event_handlers import EventHandlers
from scheduler_core.scheduler.apiserver.event_handlers_before_1_19 import EventHandlersBefore119
from scheduler_core.scheduler.apiserver.faults import Faults
from scheduler_core.scheduler.async_preemption import AsyncPreemption
from scheduler_core.scheduler.before_1_19 import ApiServerBefore117, ApiServerBefore119
from scheduler_core.scheduler.scheduler import Later, Scheduler
from scheduler_core.scheduler.search.extenders import build_extenders, resources_ignored_by_scheduler
from scheduler_core.scheduler.search.find_nodes import Search
from scheduler_core.scheduler.search.opportunistic_batch import OpportunisticBatch, batch_of
from scheduler_core.scheduler.waiting_pods import WaitingPods
from scheduler_core.trace.events import AnyEvent, RunStarted
from scheduler_core.trace.summaries import (
    claim_state,
    node_columns,
    pod_columns,
    pod_group_summary,
    slice_state,
    storage,
)
from scheduler_core.version import ENGINE_VERSION

POP_FROM_BACKOFF_QUEUE_GATE = "SchedulerPopFromBackoffQ"
BATCHING_GATE = "OpportunisticBatching"
ASYNC_PREEMPTION_GATE = "SchedulerAsyncPreemption"
GANG_SCHEDULING_GATE = "GangScheduling"
FITS = ("NodeResourcesFit", "GeneralPredicates", "PodFitsResources")
# For each part, the classes of older releases, the oldest first, each with the rule that distinguishes them.
OLDER: Mapping[type[Any], Sequence[tuple[str, type[Any]]]] = {
    ImageStates: [("images_are_counted_once", ImageStatesBefore129)],
    NodeTree: [
        ("nodes_are_taken_from_the_tree", NodeTreeBefore117),
        ("generic_scheduler", NodeTreeBefore119),
    ],
    SchedulingQueue: [
        ("backoff_is_stored_separately", SchedulingQueueBefore117),
        ("every_event_moves_every_pod", SchedulingQueueBefore119),
        ("event_handlers_check_pods", SchedulingQueueBefore132),
    ],
    EventHandlers: [("every_event_moves_every_pod", EventHandlersBefore119)],
    ApiServer: [
        ("failure_precedes_preemption", ApiServerBefore117),
        ("generic_scheduler", ApiServerBefore119),
    ],
}
Part = TypeVar("Part")


class Surroundings(Services, Protocol):
    """The environment of a scheduler: plugin services, the trace, kubelets and time."""

    emit: Callable[[AnyEvent], None]
    later: Later

    def delete_pod(self, key: PodKey) -> None: ...

    def terminate(self, key: PodKey, at: float) -> None: ...


DRAWN_NODES = 200  # in larger clusters, devices are not drawn


def build_scheduler(scenario: Scenario, registry: Registry, surroundings: Surroundings) -> Scheduler:
    """Return a scheduler for the scenario, with an empty cluster."""
    rules, gates, emit = scenario.release.rules, scenario.feature_gates, surroundings.emit
    cluster = Cluster(
        images=_class_of(ImageStates, rules)(),
        tree=_class_of(NodeTree, rules)(),
    )
    frameworks = build_frameworks(scenario, registry, cluster, surroundings)
    queue = build_queue(scenario, frameworks, cluster, emit)
    for framework in frameworks.values():
        framework.nominator = queue.nominator
    waiting = WaitingPods()
    handlers = _class_of(EventHandlers, rules)(
        cluster, queue, waiting, frameworks, rules, new_pods_wake_others=gates.get(GANG_SCHEDULING_GATE, False)
    )
    return Scheduler(
        cluster=cluster,
        queue=queue,
        frameworks=frameworks,
        handlers=handlers,
        api=_class_of(ApiServer, rules)(
            cluster, handlers, rules, delete_pod=surroundings.delete_pod, terminate=surroundings.terminate
        ),
        emit=emit,
        later=surroundings.later,
        search=Search(scenario.config.percentage_of_nodes_to_score),
        waiting=waiting,
        faults=Faults(scenario.faults),
        rules=rules,
        feature_gates=gates,
        batches=build_batches(scenario, frameworks),
        async_preemption=build_async_preemption(scenario),
        rng=None if scenario.seed is None else np.random.Generator(np.random.PCG64(scenario.seed)),
        binding_seconds=scenario.binding_seconds,
    )


def build_frameworks(
    scenario: Scenario, registry: Registry, cluster: Cluster, services: Services
) -> dict[str, Framework]:
    """Return a framework for each profile, by scheduler name; all share the extenders."""
    config = scenario.config
    if scenario.release.rules.plugins_as_of:
        from scheduler_core.plugins.before_1_19.variants import PLUGINS

        registry = {**registry, **PLUGINS[scenario.release.rules.plugins_as_of]}
    for profile in config.profiles:
        registry = {**registry, **named_in_policy(profile, registry)}
    if scenario.rules:
        from scheduler_core.plugins.rules.plugin import with_rules  # imports the compiler, which other runs do not need

        registry = with_rules(registry, scenario.rules)
    extenders = build_extenders(config.extenders, scenario.script_for)
    ignored = resources_ignored_by_scheduler(config.extenders)
    pod_groups = PodGroupManager(cluster, {profile.scheduler_name for profile in config.profiles})
    return {
        profile.scheduler_name: Framework(
            _with_ignored_resources(profile, ignored),
            registry,
            cluster,
            services,
            extenders=extenders,
            feature_gates=scenario.feature_gates,
            release=scenario.release,
            pod_groups=pod_groups,
        )
        for profile in config.profiles
    }


def named_in_policy(profile: Profile, registry: Registry) -> Registry:
    """Return a plugin class for each other name under which a Policy enables a plugin, by these names."""
    return {name: type(name, (registry[plugin],), {"name": name}) for name, plugin in profile.names_in_policy.items()}


def build_queue(
    scenario: Scenario,
    frameworks: Mapping[str, Framework],
    cluster: Cluster,
    emit: Callable[[AnyEvent], None],
) -> SchedulingQueue:
    """Return the queue of all profiles, which must all have the same QueueSort plugin."""
    config, first, release = scenario.config, next(iter(frameworks.values())), scenario.release
    pre_enqueue = {
        name: [(plugin.name, plugin.pre_enqueue) for plugin in framework.at(PreEnqueuePlugin)]
        for name, framework in frameworks.items()
    }
    return _class_of(SchedulingQueue, release.rules)(
        cluster.pods,
        backoff=Backoff(
            config.pod_initial_backoff_seconds,
            config.pod_max_backoff_seconds,
            scenario.feature_gates.get(POP_FROM_BACKOFF_QUEUE_GATE, False),
            release.rules,
        ),
        queue_sort=first.at(QueueSortPlugin)[0].key,
        hints={
            name: QueueingHintMap.build(framework.events_to_register(), release)
            for name, framework in frameworks.items()
        },
        pre_enqueue=pre_enqueue,
        emit=emit,
        release=release,
        labels_of=lambda name: _labels_of_namespace(cluster, name),
    )


def _class_of(part: type[Part], rules: Rules) -> type[Part]:
    """Return the class of a part in a release: that of the first rule in OLDER that holds, or the current class."""
    return next((older for rule, older in OLDER[part] if getattr(rules, rule)), part)


def _labels_of_namespace(cluster: Cluster, name: str) -> Mapping[str, str]:
    namespace = cluster.get("Namespace", name)
    return namespace.labels if isinstance(namespace, Namespace) else {}


def build_batches(scenario: Scenario, frameworks: Mapping[str, Framework]) -> dict[str, OpportunisticBatch]:
    """Return a batch for each profile that allows batching; empty without the feature gate."""
    if not scenario.feature_gates.get(BATCHING_GATE, False):
        return {}
    batches = {name: batch_of(framework) for name, framework in frameworks.items()}
    return {name: batch for name, batch in batches.items() if batch is not None}


def build_async_preemption(scenario: Scenario) -> AsyncPreemption | None:
    """Return the asynchronous preemption; None if victims are deleted within the attempt."""
    if not scenario.feature_gates.get(ASYNC_PREEMPTION_GATE, False):
        return None
    return AsyncPreemption(skips_terminating=not scenario.release.rules.terminating_victims_are_marked)


def run_started(
    scenario: Scenario, cluster: Cluster, pending: Sequence[Pod], frameworks: Mapping[str, Framework]
) -> RunStarted:
    """Return the first event of the trace, which describes the cluster with its pending pods and the profiles."""
    nodes = node_columns(cluster.all_nodes())
    detailed = len(nodes.nodes) <= DRAWN_NODES
    position = {name: i for i, name in enumerate(nodes.nodes)}
    return RunStarted(
        title=scenario.title or scenario.name,
        engine_version=ENGINE_VERSION,
        profiles=list(frameworks),
        order=[position[name] for name in cluster.order()],
        loaded_nodes=nodes,
        loaded=pod_columns((*cluster.pods.all(), *pending), nodes.nodes),
        plugins={
            name: {
                point: [(plugin.name, weight) for plugin, weight in plugins]
                for point, plugins in framework.points.items()
                if plugins
            }
            for name, framework in frameworks.items()
        },
        seed=scenario.seed,
        feature_gates={name: on for name, on in scenario.feature_gates.items() if on or scenario.release.has_on(name)},
        kubernetes_version=scenario.release.version,
        storage=[
            state
            for kind in ("PersistentVolume", "PersistentVolumeClaim")
            for state in map(storage, cluster.objects(kind))
            if state is not None
        ],
        wakes={
            name: [event for registered in events for event in registered.event.names()]
            for framework in frameworks.values()
            for name, events in framework.events_to_register()
        },
        claims=[claim_state(item) for item in cluster.objects("ResourceClaim") if isinstance(item, ResourceClaim)],
        slices=[
            slice_state(item, detailed=detailed)
            for item in cluster.objects("ResourceSlice")
            if isinstance(item, ResourceSlice)
        ],
        pod_groups=[pod_group_summary(item) for item in cluster.objects("PodGroup") if isinstance(item, PodGroup)],
    )


def _with_ignored_resources(profile: Profile, ignored: frozenset[str]) -> Profile:
    """Return the profile with the resources that only extenders manage as ignoredResources (buildExtenders)."""
    if not ignored:
        return profile
    args = profile.plugin_args.get("NodeResourcesFit")
    fit = replace(args if isinstance(args, NodeResourcesFitArgs) else NodeResourcesFitArgs(), ignored_resources=ignored)
    return replace(profile, plugin_args={**profile.plugin_args, **dict.fromkeys(FITS, fit)})
