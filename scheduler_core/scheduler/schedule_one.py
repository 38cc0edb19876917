"""A scheduling attempt: the scheduling cycle in kube-scheduler's steps (schedule_one.go)."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.apis.messages import Message
from scheduler_core.framework.interface import (
    SUCCESS,
    CycleState,
    PostFilterPlugin,
    PostFilterResult,
    ScorePlugin,
    Status,
)
from scheduler_core.framework.runtime.filters import contiguous
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.framework.runtime.scores import PluginScore, total_scores
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.before_1_19 import require_basic_checks, snapshot_rows
from scheduler_core.scheduler.binding_cycle import reserve_and_permit
from scheduler_core.scheduler.handle_failure import handle_scheduling_failure
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search import extenders
from scheduler_core.scheduler.search.find_nodes import find_nodes_that_fit_pod
from scheduler_core.scheduler.search.fit_error import FitError, NoNodesAvailable, SchedulerPanic, SchedulingError
from scheduler_core.scheduler.search.passing_filters import RowArray
from scheduler_core.scheduler.search.scored_nodes import ScoredNodes
from scheduler_core.scheduler.search.select_host import draw, top_of_heap
from scheduler_core.trace.columns import encode_column, encode_rows, encode_run, encode_small, highest
from scheduler_core.trace.events import CycleStarted, HostSelected, PodAssumed, ScoresComputed
from scheduler_core.trace.records import PluginScores

TIES_SHOWN = 20


def schedule_one(scheduler: Scheduler, queued: QueuedPod, *, from_active: bool) -> Attempt | None:
    """Try to schedule one pod (ScheduleOne). Return the attempt; None if the pod is being deleted or assumed."""
    pod = queued.pod
    if pod.terminating or pod.key in scheduler.cluster.assumed:
        scheduler.queue.done(pod.key)
        return None
    framework = scheduler.frameworks[pod.scheduler_name]
    scheduler.attempts += 1
    attempt = scheduler.current = Attempt(scheduler.attempts, queued, framework)
    source = "active" if from_active else "backoff"
    scheduler.emit(CycleStarted(attempt.number, pod.key, framework.profile_name, queued.attempts, source))  # type: ignore[arg-type]
    try:
        scheduling_cycle(scheduler, attempt)
    except (FitError, NoNodesAvailable, SchedulingError) as error:
        handle_scheduling_failure(scheduler, attempt, error)
    return attempt


def scheduling_cycle(scheduler: Scheduler, attempt: Attempt) -> None:
    """Find a node, assume the pod, run Reserve and Permit (schedulingCycle). If no node fits, run PostFilter.

    Raises FitError, NoNodesAvailable or SchedulingError.
    """
    pod, framework = attempt.pod, attempt.framework
    cycle = attempt.cycle = CycleState(pod, scheduler.cluster.pods.slot_of[pod.key])
    try:
        attempt.node_name = schedule_pod(scheduler, framework, cycle)
    except FitError as error:
        run_post_filter(scheduler, attempt, error)
        raise
    scheduler.cluster.assume(pod.key, attempt.node_name)
    scheduler.emit(PodAssumed(pod.key, attempt.node_name))
    scheduler.queue.nominator.delete(pod.key, "bound")
    reserve_and_permit(scheduler, attempt)


def schedule_pod(scheduler: Scheduler, framework: Framework, cycle: CycleState) -> str:
    """Return the name of the best node (schedulePod), or of the only feasible one, which is not scored.

    Raises FitError, NoNodesAvailable or SchedulingError.
    """
    num_all_nodes = _update_snapshot(scheduler, cycle)
    if not num_all_nodes:
        raise NoNodesAvailable
    batch = scheduler.batches.get(framework.profile_name)
    hint = partial(batch.hint, cycle, scheduler.queue.scheduling_cycle) if batch else None
    feasible, diagnosis = find_nodes_that_fit_pod(framework, cycle, scheduler.search, scheduler.emit, hint)
    if not len(feasible):
        raise FitError(num_all_nodes, diagnosis, post_filter_dot=scheduler.rules.post_filter_message_gets_a_dot)

    names, evaluated = scheduler.cluster.nodes.names, len(feasible) + diagnosis.count_explicit()
    if len(feasible) == 1:
        node_name = names[int(feasible[0])]
        scheduler.emit(HostSelected(node_name, 1, evaluated, ties=[node_name]))
        if batch:
            batch.store(node_name)
        return node_name

    totals, scores, extenders_scored = prioritize_nodes(scheduler, framework, cycle, feasible)
    node_name = select_host(scheduler, feasible, totals, evaluated, extenders_scored=extenders_scored)
    if batch:
        feasible_names = [names[row] for row in feasible.tolist()]
        batch.store(node_name, lambda: ScoredNodes.without_the_best(feasible_names, totals, scores))
    return node_name


def _update_snapshot(scheduler: Scheduler, cycle: CycleState) -> int:
    """Update the snapshot. Return the number of its nodes.

    Before 1.19, raises SchedulingError if a claim of the pod cannot be used.
    """
    cluster = scheduler.cluster
    if scheduler.rules.generic_scheduler:
        require_basic_checks(cluster, cycle.pod)
    cluster.snapshot()
    if scheduler.rules.generic_scheduler:
        cycle.placement = snapshot_rows(cluster)
    return len(cluster.nodes) if cycle.placement is None else len(cycle.placement)


def prioritize_nodes(
    scheduler: Scheduler, framework: Framework, cycle: CycleState, feasible: RowArray
) -> tuple[NDArray[np.int64], list[PluginScore], bool]:
    """Return the total score of each feasible node, the scores by plugin, and whether an extender scored.

    Source: prioritizeNodes. Without Score plugins and extenders, each node scores 1. Raises SchedulingError if a plugin
    fails, and SchedulerPanic where kube-scheduler panics.
    """
    if not framework.extenders and not framework.at(ScorePlugin):
        return np.ones(len(feasible), np.int64), [], False
    scores, skipped, status = framework.run_scores(cycle, feasible)
    if scheduler.rules.scores_are_allocated_without_skipped and len(skipped) > len(framework.at(ScorePlugin)):
        raise _panic(framework, cycle)
    if not status.is_success:
        raise SchedulingError(status.message)
    totals = total_scores(scores, len(feasible))
    nodes = [framework.cluster.nodes.nodes[row] for row in feasible.tolist()] if framework.extenders else []
    by_extender = extenders.prioritize(framework.extenders, cycle.pod, nodes, framework.release.rules)
    for result in by_extender:
        totals += result.weighted
    run = contiguous(feasible, scheduler.cluster.nodes.all_rows)
    scheduler.emit(
        ScoresComputed(
            rows=encode_run(run.start, len(feasible)) if isinstance(run, slice) else encode_rows(feasible),
            count=len(feasible),
            plugins=[_plugin_scores(score) for score in scores],
            total=encode_column(totals),
            skipped=skipped,
            extenders=[
                PluginScores(
                    result.extender, result.weight, encode_column(result.normalized), encode_column(result.scores)
                )
                for result in by_extender
            ],
        )
    )
    return totals, scores, bool(by_extender)


def _panic(framework: Framework, cycle: CycleState) -> SchedulerPanic:
    sentence = Message(
        "kube-scheduler {release} panics here (makeslice: cap out of range): PreScore skips more plugins than score "
        "{pod}",
        release=framework.release.version,
        pod=cycle.pod.key,
    )
    return SchedulerPanic(sentence)


def select_host(
    scheduler: Scheduler, feasible: RowArray, totals: NDArray[np.int64], evaluated: int, *, extenders_scored: bool
) -> str:
    """Return a node with the highest total (selectHost).

    Which of several equal nodes is selected depends on the release: the top of a heap, a random node, or the next node
    in turn. A heap is replaced by a random selection if an extender scored and the run has a seed. Without a seed, the
    first node is selected instead of a random one.
    """
    best = highest(totals)
    tied = (totals == best).nonzero()[0]
    by_heap = not scheduler.rules.ties_are_broken_at_random and not (extenders_scored and scheduler.rng is not None)
    choice = 0
    if scheduler.rules.ties_are_taken_in_turn:
        choice = scheduler.search.take_turn(len(tied))
    elif len(tied) > 1 and by_heap:
        choice = top_of_heap(tied)
    elif len(tied) > 1 and scheduler.rng is not None:
        choice = draw(scheduler.rng, len(tied))
    names = scheduler.cluster.nodes.names
    ties = [names[row] for row in feasible[tied[:TIES_SHOWN]].tolist()]
    node_name: str = names[feasible.item(tied.item(choice))]
    scheduler.emit(
        HostSelected(node_name, len(feasible), evaluated, best, ties, len(tied), by_heap=by_heap and len(tied) > 1)
    )
    return node_name


def run_post_filter(scheduler: Scheduler, attempt: Attempt, error: FitError) -> None:
    """Run PostFilter. After a nomination, evict the victims and clear nominations of lower-priority pods.

    With SchedulerAsyncPreemption, only start to do so. Otherwise, the pod is not nominated if an eviction fails.
    """
    framework = attempt.framework
    if not framework.at(PostFilterPlugin):
        return
    assert attempt.cycle is not None
    result = try_post_filter(framework, attempt.cycle, error)
    attempt.nominated_node = result.nominated_node
    attempt.nominated = result.status.is_success and bool(result.nominated_node)
    if result.evaluation is not None:
        scheduler.emit(result.evaluation)
    if attempt.nominated and scheduler.async_preemption is not None:
        assert attempt.nominated_node is not None
        scheduler.async_preemption.start(scheduler, attempt.pod, attempt.nominated_node, result.victims)
    elif attempt.nominated:
        if scheduler.rules.failure_precedes_preemption:
            scheduler.api.patch_status(attempt.pod.key, ("Unschedulable", str(error)), None)
        status = prepare_candidate(scheduler, attempt.pod, result)
        if not status.is_success:
            attempt.nominated, attempt.nominated_node = False, None
            if framework.release.rules.post_filter_errors_are_reported:
                error.diagnosis.post_filter_message = f"preemption: {status.message}"


def try_post_filter(framework: Framework, cycle: CycleState, error: FitError) -> PostFilterResult:
    """Run PostFilter, add its message to the error, and return its result, which is not carried out."""
    result = framework.run_post_filter(cycle, error.diagnosis)
    if not result.status.is_error or framework.release.rules.post_filter_errors_are_reported:
        error.diagnosis.post_filter_message = result.status.message
    return result


def prepare_candidate(scheduler: Scheduler, preemptor: Pod, result: PostFilterResult) -> Status:
    """Evict the victims, then clear nominations of lower-priority pods. Before 1.19, nominate the pod first.

    Return SUCCESS, or the error of the first failed eviction, after which nothing more is done.
    """
    if scheduler.rules.generic_scheduler and result.nominated_node:
        scheduler.api.nominate(preemptor.key, result.nominated_node)
    for victim in result.victims:
        status = scheduler.faults.next_error(victim.key, "Preempt")
        if not status.is_success:
            return status
        scheduler.evict(victim, preemptor.key)
    for pod in result.cleared:
        scheduler.api.clear_nomination(pod.key)
    return SUCCESS


def _plugin_scores(score: PluginScore) -> PluginScores:
    if isinstance(score.raw, int) and isinstance(score.normalized, int):
        return _same_for_all(score.plugin, score.weight, score.raw, score.normalized)
    assert not isinstance(score.raw, int)
    assert not isinstance(score.normalized, int)
    normalized = encode_small(score.normalized)
    raw = normalized if score.raw is score.normalized else encode_column(score.raw)
    return PluginScores(score.plugin, score.weight, normalized, None if raw == normalized else raw)


@lru_cache(maxsize=64)
def _same_for_all(plugin: str, weight: int, raw: int, normalized: int) -> PluginScores:
    """Return the cached record of a plugin that gives all nodes the same score."""
    return PluginScores(plugin, weight, normalized, None if raw == normalized else raw)
