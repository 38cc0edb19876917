"""job-controller (pkg/controller/job: job_controller.go, backoff_utils.go, indexed_job_utils.go, pod_failure_policy.go,
success_policy.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Pod, Workload
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.apis.workloads import FailureRule, JobSpec
from scheduler_core.cluster.statuses import Condition, PodStatus, WorkloadStatus
from scheduler_core.controllers.admission import AdmissionRefused
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.pods import (
    Owned,
    in_order_of_deletion_of_jobs,
    is_active,
    is_terminating,
    pod_manifest,
    suffix,
)
from scheduler_core.controllers.replicaset import BURST_REPLICAS, slow_start
from scheduler_core.releases import Rules
from scheduler_core.scenario.objects.workloads import parse_indexes

FIRST_BACKOFF, LONGEST_BACKOFF, MAX_DOUBLINGS = 10.0, 600.0, 6
INDEX = "batch.kubernetes.io/job-completion-index"
INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count"
INDEX_IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count"
JOB_NAME, CONTROLLER_UID = "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid"
BATCH_SECONDS = 1.0
DEFAULT_LIMIT, NO_LIMIT = 6, 2**31 - 1  # of backoffLimit (SetDefaults_Job)
MAX_COMPLETIONS = 100_000  # of an Indexed Job (validation.go: maxParallelismForIndexedJob)
NUMBER = re.compile("[0-9]{1,18}")
DISRUPTION_TARGET = "DisruptionTarget"
LIMIT_MESSAGE = "Job has reached the specified backoff limit"
Failing = tuple[str, str]  # reason and message


class JobProgress(msgspec.Struct):
    """The counts of a Job, and its controller's backoff, which are kept between syncs."""

    counted: set[str] = msgspec.field(default_factory=set)  # uids of finished pods
    succeeded: int = 0
    failed: int = 0
    done: set[int] = msgspec.field(default_factory=set)  # succeeded indexes
    lost: set[int] = msgspec.field(default_factory=set)  # failed indexes
    failures: int = 0  # since the last success
    last_failure: float = 0.0
    started: float | None = None
    completed: float | None = None
    is_suspended: bool | None = None


def copy_progress(progress: JobProgress) -> JobProgress:
    """Return a copy of the counts."""
    sets = {name: set(getattr(progress, name)) for name in ("counted", "done", "lost")}
    return replace(progress, **sets)


def reconcile(job: Workload, api: Api) -> None:
    """Count finished pods, create or delete pods, and write the status (syncJob)."""
    spec = job.spec
    assert isinstance(spec, JobSpec)
    _Sync(job, as_stored(spec, api.release.rules), api).run()


def as_stored(spec: JobSpec, rules: Rules) -> JobSpec:
    """Return the spec without the fields that the release's API server drops (strategy.go: dropDisabledFields)."""
    if not rules.jobs_have_success_policies and spec.success_rules is not None:
        spec = replace(spec, success_rules=None)
    if not rules.jobs_count_failures_by_index and spec.backoff_limit_per_index is not None:
        limit = DEFAULT_LIMIT if spec.backoff_limit == NO_LIMIT else spec.backoff_limit
        spec = replace(spec, backoff_limit_per_index=None, max_failed_indexes=None, backoff_limit=limit)
    if not rules.jobs_may_replace_failed_pods_only and spec.replaces_failed_only:
        spec = replace(spec, replaces_failed_only=False)
    return spec


def progress_of(job: Workload, api: Api) -> JobProgress:
    """Return the counts of a Job."""
    known: dict[str, JobProgress] = api.memory.setdefault("job", {})
    return known.setdefault(job.uid, JobProgress())


def take_over(job: Workload, api: Api) -> None:
    """Read the status of an existing Job: its counts, and whether it has finished.

    The parser does not check a status: values of the wrong type are ignored.
    """
    given = job.manifest.get("status")
    status = given if isinstance(given, dict) else {}
    progress = progress_of(job, api)
    counts = [status.get(name) for name in ("succeeded", "failed")]
    progress.succeeded, progress.failed = (count if isinstance(count, int) else 0 for count in counts)
    for indexes, name in ((progress.done, "completedIndexes"), (progress.lost, "failedIndexes")):
        text = str(status.get(name) or "")
        if all(int(number) < MAX_COMPLETIONS for number in NUMBER.findall(text)):
            indexes.update(parse_indexes(text))
    if status.get("startTime"):
        progress.started = api.second
    given = status.get("conditions")
    conditions = [
        Condition(str(entry.get("type")), "True", str(entry.get("reason") or ""), str(entry.get("message") or ""))
        for entry in (given if isinstance(given, list) else ())
        if isinstance(entry, dict) and entry.get("status") == "True"
    ]
    if conditions:
        api.statuses.workloads[job.kind, job.key] = WorkloadStatus({}, tuple(conditions))


def is_finished(job: Workload, api: Api) -> bool:
    """Return whether a Job is complete or has failed."""
    status = api.workload_status(job)
    return any(condition.type in ("Complete", "Failed") for condition in status.conditions)


class _Sync:
    """One sync of a Job."""

    def __init__(self, job: Workload, spec: JobSpec, api: Api) -> None:
        self._job, self._spec, self._api = job, spec, api
        self._progress = progress_of(job, api)
        self._pods = api.pods_of(job)
        self._last_failed: dict[int, Owned] = {}
        self._conditions = list(api.workload_status(job).conditions)

    def run(self) -> None:
        if is_finished(self._job, self._api):
            self._remove_finalizers(all_of_them=True)
            return
        progress, spec = self._progress, self._spec
        before = copy_progress(progress)
        if progress.started is None and not spec.suspend:
            progress.started = self._api.second
        self._count()
        failing = self._failing()
        active = [owned for owned in self._pods if is_active(*owned)]
        shown: int | None = None
        if failing is not None:
            self._delete(active, because("job-failed", owner=self._label, reason=failing[0]))
            self._set_condition("FailureTarget", *failing)
            self._count_failed(self._uncounted())  # every pod that has not ended counts as failed
        elif self._condition("SuccessCriteriaMet") is not None or self._meets_success_policy():
            self._delete(active, because("job-succeeded", owner=self._label))
            self._count_failed(list(self._last_failed.values()))
            progress.counted.update(pod.uid for pod, _ in self._pods)
        else:
            shown = self._manage(active)
            if not self._check_completion():
                self._update_suspension()
        ready = sum(status.ready for _, status in active)
        refuses = self._api.release.rules.jobs_may_not_be_more_ready_than_active
        if refuses and shown is not None and ready > shown:
            self._api.memory["job"][self._job.uid] = before
            # validateJobStatus
            raise AdmissionRefused(f"status.ready: Invalid value: {ready}: cannot set more ready pods than active")
        self._remove_finalizers(all_of_them=False)
        self._finish()
        self._write_status(shown)

    # Counting

    def _count(self) -> None:
        """Count pods that have succeeded or failed since the last sync (getNewFinishedPods).

        With `backoffLimitPerIndex`, the last failed pod of an index is counted when the index has a new pod.
        """
        progress = self._progress
        finished = [owned for owned in self._uncounted() if owned[1].phase == "Succeeded" or self._has_failed(*owned)]
        valid = [owned for owned in finished if self._is_valid(owned[0])]
        succeeded = [owned for owned in valid if owned[1].phase == "Succeeded"]
        failed = [owned for owned in valid if owned[1].phase != "Succeeded"]
        progress.counted.update(pod.uid for pod, _ in finished if not self._is_valid(pod))
        progress.counted.update(pod.uid for pod, _ in succeeded)
        if self._spec.indexed:
            progress.done = {index for index in progress.done if index < self._completions}
            progress.done.update(index_of(pod) for pod, _ in succeeded)
            progress.succeeded = len(progress.done)
        else:
            progress.succeeded += len(succeeded)
        if self._spec.backoff_limit_per_index is not None:
            self._count_by_index(failed)
            kept = {pod.uid for pod, _ in self._last_failed.values()}
            failed = [owned for owned in failed if owned[0].uid not in kept]
        self._count_failed(failed)
        self._back_off(succeeded, failed)

    def _uncounted(self) -> list[Owned]:
        """Return the pods with a finalizer that are not counted yet."""
        return [
            (pod, status) for pod, status in self._pods if status.finalizer and pod.uid not in self._progress.counted
        ]

    def _is_valid(self, pod: Pod) -> bool:
        """Return whether the pod has an index that an Indexed Job completes; True for other Jobs."""
        return not self._spec.indexed or 0 <= index_of(pod) < self._completions

    def _count_failed(self, pods: Sequence[Owned]) -> None:
        """Count pods as failed, but for those that the podFailurePolicy ignores, and those without a valid index."""
        self._progress.failed += self._failures(pods)
        self._progress.counted.update(pod.uid for pod, _ in pods)

    def _failures(self, pods: Iterable[Owned]) -> int:
        return sum(self._is_valid(pod) and self._action(pod, status)[0] != "Ignore" for pod, status in pods)

    def _has_failed(self, pod: Pod, status: PodStatus) -> bool:
        """Return whether a pod counts as failed (isPodFailed)."""
        if status.phase == "Failed":
            return True
        if self._spec.replaces_failed_only:
            return False
        return status.deletion_requested is not None and status.phase != "Succeeded"

    def _back_off(self, succeeded: Sequence[Owned], failed: Sequence[Owned]) -> None:
        """Record the failures since the last success (newBackoffRecord)."""
        progress = self._progress
        times = sorted(finish_time(*owned) for owned in failed)
        if succeeded:
            last_success = max(finish_time(*owned) for owned in succeeded)
            times = [time for time in times if time > last_success]
            progress.failures = 0
        if times:
            progress.failures += len(times)
            progress.last_failure = times[-1]

    def _remaining_backoff(self) -> float:
        return remaining_backoff(self._progress.failures, self._progress.last_failure, self._api.now)

    def _count_by_index(self, failed: Sequence[Owned]) -> None:
        """Find failed indexes (calculateFailedIndexes), and of the others that have no active pod the last failed pod,
        which stays until the index has a new one (getPodsWithDelayedDeletionPerIndex).
        """
        limit = self._spec.backoff_limit_per_index
        assert limit is not None
        progress = self._progress
        progress.lost = {index for index in progress.lost if index < self._completions}
        for pod, status in failed:
            action, _ = self._action(pod, status)
            if action == "FailIndex" or (action != "Ignore" and failures_of(pod) >= limit):
                progress.lost.add(index_of(pod))
        active = {index_of(pod) for pod, status in self._pods if is_active(pod, status)}
        waiting = [owned for owned in failed if index_of(owned[0]) not in progress.done | progress.lost | active]
        for owned in waiting:
            last = self._last_failed.setdefault(index_of(owned[0]), owned)
            if all_failures_of(last[0]) <= all_failures_of(owned[0]) and finish_time(*last) <= finish_time(*owned):
                self._last_failed[index_of(owned[0])] = owned

    def _action(self, pod: Pod, status: PodStatus) -> tuple[str, str]:
        """Return the action of the podFailurePolicy for a failed pod, and the reason (matchPodFailurePolicy)."""
        for number, rule in enumerate(self._spec.failure_rules or ()):
            if (why := _matches(rule, pod, status)) is not None:
                name = f"{pod.namespace}/{status.called}"
                return rule.action, f"{why.format(pod=name)} matching {rule.action} rule at index {number}"
        return "Count", ""

    # Judging

    def _failing(self) -> Failing | None:
        """Return the reason and message of the Job's failure; None if it does not fail."""
        if (condition := self._condition("FailureTarget")) is not None:
            return condition.reason, condition.message
        spec, progress = self._spec, self._progress
        if self._condition("SuccessCriteriaMet") is not None:
            return None
        for pod, status in self._pods:
            if spec.failure_rules and status.phase == "Failed":
                action, why = self._action(pod, status)
                if action == "FailJob":
                    return "PodFailurePolicy", why
        failed = progress.failed + self._failures(self._last_failed.values())
        if failed > spec.backoff_limit or self._restarts_too_often():
            return "BackoffLimitExceeded", LIMIT_MESSAGE
        if self._is_past_deadline():
            return "DeadlineExceeded", "Job was active longer than specified deadline"
        if spec.max_failed_indexes is not None and len(progress.lost) > spec.max_failed_indexes:
            return "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"
        if progress.lost and len(progress.lost) + progress.succeeded >= self._completions:
            return "FailedIndexes", "Job has failed indexes"
        return None

    def _restarts_too_often(self) -> bool:
        """Return whether the pods' containers have restarted too often (pastBackoffLimitOnFailure)."""
        pod_spec = self._spec.template.get("spec") or {}
        if pod_spec.get("restartPolicy") != "OnFailure":
            return False
        restarts = sum(status.restarts for _, status in self._pods if status.phase in ("Running", "Pending"))
        limit = self._spec.backoff_limit
        return restarts > 0 if limit == 0 else restarts >= limit

    def _is_past_deadline(self) -> bool:
        """Return whether activeDeadlineSeconds have passed; if not, sync again when they have (pastActiveDeadline)."""
        deadline, started = self._spec.active_deadline_seconds, self._progress.started
        if deadline is None or started is None or self._spec.suspend:
            return False
        seconds = started + deadline - self._api.now
        if seconds > 0:
            self._api.later(seconds, self._job.key)
        return seconds <= 0

    def _meets_success_policy(self) -> bool:
        """Return whether a rule of the successPolicy is met, and set SuccessCriteriaMet if so (matchSuccessPolicy)."""
        for number, rule in enumerate(self._spec.success_rules or ()):
            indexes = range(self._completions) if rule.indexes is None else rule.indexes
            wanted = {index for index in indexes if index < self._completions}
            done = len(self._progress.done & wanted)
            if done and (done == len(wanted) or (rule.count is not None and done >= rule.count)):
                self._set_condition("SuccessCriteriaMet", "SuccessPolicy", f"Matched rules at index {number}")
                return True
        return False

    def _check_completion(self) -> bool:
        """Return whether enough pods have succeeded and none is active; set the condition SuccessCriteriaMet if so."""
        wanted = 1 if self._spec.completions is None else self._spec.completions
        active = sum(is_active(*owned) for owned in self._api.pods_of(self._job))
        if self._progress.succeeded < wanted or active:
            return False
        self._set_condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods")
        return True

    def _update_suspension(self) -> None:
        """Set the condition Suspended, and restart the time limit when the Job is resumed."""
        progress, suspend = self._progress, self._spec.suspend
        condition = self._condition("Suspended")
        if suspend and (condition is None or condition.status != "True"):
            self._set_condition("Suspended", "JobSuspended", "Job suspended")
            self._api.record(self._job, "Suspended", "Job suspended")
            if self._api.release.rules.suspended_jobs_have_no_start_time:
                progress.started = None
        elif not suspend and condition is not None and condition.status == "True":
            self._set_condition("Suspended", "JobResumed", "Job resumed", "False")
            self._api.record(self._job, "Resumed", "Job resumed")
            progress.started = self._api.second
            if self._spec.active_deadline_seconds is not None:
                self._api.later(float(self._spec.active_deadline_seconds), self._job.key)

    # Pods

    @property
    def _completions(self) -> int:
        return self._spec.completions or 0

    def _manage(self, active: list[Owned]) -> int | None:
        """Create or delete pods (manageJob). Return the active pods to report in the status; None: the actual ones."""
        spec, progress = self._spec, self._progress
        if spec.suspend:
            self._delete_uncounted(active, because("job-suspended", owner=self._label))
            return None
        terminating = sum(is_terminating(*owned) for owned in self._pods) if spec.replaces_failed_only else 0
        if spec.completions is None:
            wanted = len(active) if progress.succeeded else spec.parallelism
        else:
            wanted = max(min(spec.parallelism, spec.completions - progress.succeeded), 0)
        surplus = self._surplus(active, len(active) - wanted)
        if surplus:
            cause = because("pods-too-many", owner=self._label, active=len(active), replicas=wanted)
            self._delete_uncounted(surplus[:BURST_REPLICAS], cause)
            return None
        missing = min(wanted - terminating - len(active), BURST_REPLICAS)
        if missing <= 0:
            return None
        if spec.backoff_limit_per_index is None and (wait := self._remaining_backoff()) > 0:
            self._api.later(max(wait, BATCH_SECONDS), self._job.key)
            return self._shown_in_backoff()
        cause = because("pods-missing", owner=self._label, active=len(active), replicas=wanted)
        return self._make(missing, active, cause)

    def _surplus(self, active: Sequence[Owned], count: int) -> list[Owned]:
        """Return the pods to delete, those with an invalid or duplicate index first (activePodsForRemoval)."""
        surplus: list[Owned] = []
        if self._spec.indexed:
            valid = [owned for owned in active if self._is_valid(owned[0])]
            kept = {index_of(owned[0]): owned for owned in in_order_of_deletion_of_jobs(valid)}
            surplus = [owned for owned in active if kept.get(index_of(owned[0])) is not owned]
        others = [owned for owned in active if owned not in surplus]
        return surplus + in_order_of_deletion_of_jobs(others)[: max(count - len(surplus), 0)]

    def _shown_in_backoff(self) -> int | None:
        """Return the active pods to report in the status while new pods have to wait, None: the actual number."""
        return None if self._api.release.rules.jobs_in_backoff_report_their_active_pods else 0

    def _make(self, missing: int, active: Sequence[Owned], cause: Any) -> int | None:
        """Create pods. Raises AdmissionRefused.

        The result of `_shown_in_backoff` is returned if all of their indexes have to wait, otherwise None.
        """
        if not self._spec.indexed:
            refused = slow_start(missing, lambda _: self._create(cause))
        else:
            indexes, wait = self._pending_indexes(missing, active)
            if wait and not indexes:
                self._api.later(max(wait, BATCH_SECONDS), self._job.key)
                return self._shown_in_backoff()
            refused = slow_start(len(indexes), lambda number: self._create(cause, indexes[number]))
        if refused is not None:
            raise refused
        return None

    def _pending_indexes(self, missing: int, active: Sequence[Owned]) -> tuple[list[int], float]:
        """Return the lowest indexes without a pod, and the seconds until the next of those in backoff is due.

        At most `missing` indexes are considered, of which those in backoff are left out; 0 seconds if none is.
        """
        taken = {index_of(pod) for pod, _ in active} | self._progress.done | self._progress.lost
        if self._spec.replaces_failed_only:
            taken |= {index_of(pod) for pod, status in self._pods if is_terminating(pod, status)}
        free = islice((index for index in range(self._completions) if index not in taken), missing)
        waits = {index: self._remaining_backoff_of(index) for index in free}
        return [index for index, wait in waits.items() if wait == 0], min(filter(None, waits.values()), default=0.0)

    def _remaining_backoff_of(self, index: int) -> float:
        """Return the seconds until an index may have a new pod (getRemainingTimePerIndex)."""
        last = self._last_failed.get(index)
        return (
            0.0 if last is None else remaining_backoff(all_failures_of(last[0]) + 1, finish_time(*last), self._api.now)
        )

    def _create(self, cause: Any, index: int | None = None) -> None:
        number = self._api.next_pod_number(self._job)
        random = suffix(f"{self._job.uid}/{number}", 5)
        labels = {JOB_NAME: self._job.name, "job-name": self._job.name, CONTROLLER_UID: self._job.uid}
        annotations: dict[str, str] = {}
        name = f"{self._job.name}-{random}"
        if index is not None:
            name = f"{self._job.name}-{index}-{random}"
            labels[INDEX] = annotations[INDEX] = str(index)
            if self._spec.backoff_limit_per_index is not None:
                annotations.update(self._failure_counts(index))
        manifest = pod_manifest(self._job, self._spec.template, name, labels=labels, annotations=annotations)
        place = None if index is None else str(index)
        self._api.create_pod(self._job, manifest, cause, place=place, finalizer=True)

    def _failure_counts(self, index: int) -> dict[str, str]:
        """Return the annotations with the failures of an index (addIndexFailureCountAnnotation)."""
        if (last := self._last_failed.get(index)) is None:
            return {INDEX_FAILURES: "0"}
        ignored = self._action(*last)[0] == "Ignore"
        counts = {INDEX_FAILURES: failures_of(last[0]) + (not ignored)}
        if ignored_failures := ignored_failures_of(last[0]) + ignored:
            counts[INDEX_IGNORED_FAILURES] = ignored_failures
        return {name: str(count) for name, count in counts.items()}

    def _delete(self, pods: Sequence[Owned], cause: Any) -> None:
        for pod, _ in pods:
            self._api.delete_pod(pod, cause)

    def _delete_uncounted(self, pods: Sequence[Owned], cause: Any) -> None:
        """Delete pods that do not count as failed; their finalizer is removed first (deleteJobPods)."""
        for pod, _ in pods:
            self._api.remove_finalizer(pod)
        self._delete(pods, cause)

    def _remove_finalizers(self, *, all_of_them: bool) -> None:
        """Remove the finalizers of counted pods (trackJobStatusAndRemoveFinalizers)."""
        for pod, status in self._api.pods_of(self._job):
            done = pod.uid in self._progress.counted or (all_of_them and not is_active(pod, status))
            if status.finalizer and done:
                self._api.remove_finalizer(pod)

    # Status

    @property
    def _label(self) -> str:
        return self._api.label(self._job)

    def _condition(self, name: str) -> Condition | None:
        return next((condition for condition in self._conditions if condition.type == name), None)

    def _set_condition(self, name: str, reason: str, message: str, status: str = "True") -> None:
        old = self._condition(name)
        if old is not None and old.status == status:
            return
        second = self._api.second
        condition = Condition(name, status, reason, message, second, second)
        self._conditions = [*(c for c in self._conditions if c.type != name), condition]

    def _finish(self) -> None:
        """Add the final condition once no pod is terminating (enactJobFinished)."""
        waits = self._api.release.rules.jobs_wait_for_terminating_pods
        if waits and any(is_terminating(*owned) for owned in self._api.pods_of(self._job)):
            return
        for target, end in (("FailureTarget", "Failed"), ("SuccessCriteriaMet", "Complete")):
            condition = self._condition(target)
            if condition is None:
                continue
            self._set_condition(end, condition.reason, condition.message)
            self._progress.completed = self._api.second
            if end == "Complete":
                if self._spec.completions is not None and self._progress.succeeded > self._spec.completions:
                    message = "Too many succeeded pods running after completion count reached"
                    self._api.record(self._job, "TooManySucceededPods", message, "Warning")
                self._api.record(self._job, "Completed", "Job completed")
            else:
                self._api.record(self._job, condition.reason, condition.message, "Warning")
            if not waits:
                self._conditions = [c for c in self._conditions if c.type != target]
            self._remove_finalizers(all_of_them=True)
            return

    def _write_status(self, shown: int | None) -> None:
        pods, progress = self._api.pods_of(self._job), self._progress
        active = [status for pod, status in pods if is_active(pod, status)]
        numbers: dict[str, int | str] = {
            "active": len(active) if shown is None else shown,
            "ready": sum(status.ready for status in active),
            "terminating": sum(is_terminating(*owned) for owned in pods),
            "succeeded": progress.succeeded,
            "failed": progress.failed,
        }
        if progress.started is not None:
            numbers["startTime"] = "set"
        if self._spec.indexed and progress.done:
            numbers["completedIndexes"] = shown_indexes(progress.done)
        if self._spec.backoff_limit_per_index is not None and progress.lost:
            numbers["failedIndexes"] = shown_indexes(progress.lost)
        if self._condition("Complete") is not None:
            numbers["completionTime"] = "set"
        self._api.write_status(self._job, numbers, self._conditions)


def finish_time(pod: Pod, status: PodStatus) -> float:
    """Return the time when a pod ended, in whole seconds (getFinishedTime)."""
    if status.finished_at is not None and status.exit_code is not None:
        return status.finished_at
    if status.running_since is not None and not status.ready and status.ready_since:
        return status.ready_since
    if status.finished_at is not None:
        return status.finished_at
    if status.deletion_requested is not None:
        return float(int(status.deletion_requested))
    return pod.creation_timestamp


def remaining_backoff(failures: int, since: float, now: float) -> float:
    """Return the seconds until the next pod may be created: 10 s, doubling up to 10 min with each failure."""
    if failures <= 0:
        return 0.0
    return max(min(FIRST_BACKOFF * 2.0 ** min(failures - 1, MAX_DOUBLINGS), LONGEST_BACKOFF) - (now - since), 0.0)


def index_of(pod: Pod) -> int:
    """Return the completion index of a pod, -1 if it has none."""
    index = parse_int64(pod.annotations.get(INDEX, ""))
    return -1 if index is None else index


def failures_of(pod: Pod) -> int:
    """Return the number of failures of the pod's index before the pod was created, without those that were ignored."""
    return parse_int64(pod.annotations.get(INDEX_FAILURES, "0")) or 0


def ignored_failures_of(pod: Pod) -> int:
    """Return the number of failures of the pod's index before the pod was created that a podFailurePolicy ignored."""
    return parse_int64(pod.annotations.get(INDEX_IGNORED_FAILURES, "0")) or 0


def all_failures_of(pod: Pod) -> int:
    """Return the number of failures of the pod's index before the pod was created (getIndexAbsoluteFailureCount)."""
    return failures_of(pod) + ignored_failures_of(pod)


def shown_indexes(indexes: set[int]) -> str:
    """Return indexes as the status shows them: "0-2,5"."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)


def _matches(rule: FailureRule, pod: Pod, status: PodStatus) -> str | None:
    """Return how a failed pod matches a rule, with the placeholder {pod}; None if it does not match."""
    if rule.exit_codes is not None:
        containers = (pod.manifest.get("spec") or {}).get("containers") or ()
        names = [container.get("name") or "" for container in containers]
        concerns = bool(status.exit_code) and (not rule.container or rule.container in names)
        if concerns and (status.exit_code in rule.exit_codes) == rule.exit_codes_in:
            name = rule.container or (names[0] if names else "")
            return f"Container {name} for pod {{pod}} failed with exit code {status.exit_code}"
        return None
    if (status.disruption or pod.disruption_target) and (DISRUPTION_TARGET, "True") in rule.conditions:
        return f"Pod {{pod}} has condition {DISRUPTION_TARGET}"
    return None
