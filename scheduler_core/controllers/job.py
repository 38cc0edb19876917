"""job-controller (pkg/controller/job: job_controller.go, backoff_utils.go, indexed_job_utils.go, pod_failure_policy.go,
success_policy.go).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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

FIRST_BACKOFF, LONGEST_BACKOFF = 10.0, 600.0
INDEX = "batch.kubernetes.io/job-completion-index"
INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count"
JOB_NAME, CONTROLLER_UID = "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid"
BATCH_SECONDS = 1.0
DEFAULT_LIMIT, NO_LIMIT = 6, 2**31 - 1  # of backoffLimit (SetDefaults_Job)
MAX_COMPLETIONS = 100_000  # of an Indexed Job (validation.go: maxParallelismForIndexedJob)
NUMBER = re.compile("[0-9]{1,18}")
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
    indexes = str(status.get("completedIndexes") or "")
    if all(int(number) < MAX_COMPLETIONS for number in NUMBER.findall(indexes)):
        progress.done.update(parse_indexes(indexes))
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
            uncounted = [pod.uid for pod, status in self._pods if status.finalizer and pod.uid not in progress.counted]
            progress.failed += len(uncounted)  # every pod that has not ended counts as failed
            progress.counted.update(uncounted)
        elif self._condition("SuccessCriteriaMet") is not None or self._meets_success_policy():
            self._delete(active, because("job-succeeded", owner=self._label))
            progress.counted.update(pod.uid for pod, _ in self._pods)
        else:
            shown = self._manage(active)
            self._check_completion()
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
        """Count pods that have succeeded or failed since the last sync (getNewFinishedPods)."""
        progress = self._progress
        new = [owned for owned in self._pods if owned[0].uid not in progress.counted and owned[1].finalizer]
        succeeded = [owned for owned in new if owned[1].phase == "Succeeded"]
        failed = [owned for owned in new if self._has_failed(*owned)]
        if self._spec.indexed:
            for pod, _ in succeeded:
                progress.done.add(index_of(pod))
            progress.succeeded = sum(index < self._completions for index in progress.done)
        else:
            progress.succeeded += len(succeeded)
        if self._spec.backoff_limit_per_index is not None:
            self._count_by_index(failed)
        progress.failed += sum(self._action(*owned)[0] != "Ignore" for owned in failed)
        progress.counted.update(pod.uid for pod, _ in (*succeeded, *failed))
        self._back_off(succeeded, failed)

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
        limit = self._spec.backoff_limit_per_index
        assert limit is not None
        for pod, status in failed:
            action, _ = self._action(pod, status)
            failures = failures_of(pod) + (action != "Ignore")
            if action == "FailIndex" or failures > limit:
                self._progress.lost.add(index_of(pod))

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
        if progress.failed > spec.backoff_limit or self._restarts_too_often():
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
        done = {index for index in self._progress.done if index < self._completions}
        for number, rule in enumerate(self._spec.success_rules or ()):
            counted = done if rule.indexes is None else done & set(rule.indexes)
            required = len(rule.indexes) if rule.indexes is not None else self._completions
            if counted and len(counted) >= (required if rule.count is None else rule.count):
                self._set_condition("SuccessCriteriaMet", "SuccessPolicy", f"Matched rules at index {number}")
                return True
        return False

    def _check_completion(self) -> None:
        """Set the condition SuccessCriteriaMet if enough pods have succeeded and none is active."""
        wanted = 1 if self._spec.completions is None else self._spec.completions
        active = sum(is_active(*owned) for owned in self._api.pods_of(self._job))
        if self._progress.succeeded >= wanted and active == 0:
            self._set_condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods")

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
            self._delete_uncounted(surplus, cause)
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
            seen: set[int] = set()
            for owned in active:
                index = index_of(owned[0])
                if index >= self._completions or index in seen:
                    surplus.append(owned)
                seen.add(index)
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
            entries, wait = self._pending_indexes(missing, active)
            if wait and not entries:
                self._api.later(max(wait, BATCH_SECONDS), self._job.key)
                return self._shown_in_backoff()
            refused = slow_start(len(entries), lambda number: self._create(cause, *entries[number]))
        if refused is not None:
            raise refused
        return None

    def _pending_indexes(self, missing: int, active: Sequence[Owned]) -> tuple[list[tuple[int, int]], float]:
        """Return the lowest indexes without a pod, each with its number of failures, and the seconds until the next of
        those in backoff is due.

        At most `missing` indexes are considered, of which those in backoff are left out; 0 seconds if none is.
        """
        taken = {index_of(pod) for pod, _ in active}
        if self._spec.replaces_failed_only:
            taken |= {index_of(pod) for pod, status in self._pods if is_terminating(pod, status)}
        progress, entries, waits = self._progress, [], []
        last = self._last_failures()
        free = (
            index
            for index in range(self._completions)
            if index not in taken and index not in progress.done and index not in progress.lost
        )
        for index in list(free)[:missing]:
            failures, time = last.get(index, (0, 0.0)) if self._spec.backoff_limit_per_index is not None else (0, 0.0)
            wait = remaining_backoff(failures, time, self._api.now)
            if wait > 0:
                waits.append(wait)
            else:
                entries.append((index, failures))
        return entries, min(waits, default=0.0)

    def _last_failures(self) -> dict[int, tuple[int, float]]:
        """Return the failures of each index, and the time of the last one."""
        last: dict[int, tuple[int, float]] = {}
        for pod, status in self._pods:
            if self._has_failed(pod, status):
                ignored = self._action(pod, status)[0] == "Ignore"
                failures = failures_of(pod) + (not ignored)
                last[index_of(pod)] = (failures, finish_time(pod, status))
        return last

    def _create(self, cause: Any, index: int | None = None, failures: int = 0) -> None:
        number = self._api.next_pod_number(self._job)
        random = suffix(f"{self._job.uid}/{number}", 5)
        labels = {JOB_NAME: self._job.name, "job-name": self._job.name, CONTROLLER_UID: self._job.uid}
        annotations: dict[str, str] = {}
        name = f"{self._job.name}-{random}"
        if index is not None:
            name = f"{self._job.name}-{index}-{random}"
            labels[INDEX] = annotations[INDEX] = str(index)
            if self._spec.backoff_limit_per_index is not None:
                annotations[INDEX_FAILURES] = str(failures)
        manifest = pod_manifest(self._job, self._spec.template, name, labels=labels, annotations=annotations)
        place = None if index is None else str(index)
        self._api.create_pod(self._job, manifest, cause, place=place, finalizer=True)

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
        kept = (
            set() if all_of_them or self._spec.backoff_limit_per_index is None else self._pods_with_delayed_deletion()
        )
        for pod, status in self._api.pods_of(self._job):
            done = pod.uid in self._progress.counted or (all_of_them and not is_active(pod, status))
            if status.finalizer and done and pod.uid not in kept:
                self._api.remove_finalizer(pod)

    def _pods_with_delayed_deletion(self) -> set[str]:
        """Return the failed pods that stay until their index has a new pod (getPodsWithDelayedDeletionPerIndex)."""
        pods = self._api.pods_of(self._job)
        active = {index_of(pod) for pod, status in pods if is_active(pod, status)}
        kept: dict[int, str] = {}
        for pod, status in pods:
            index = index_of(pod)
            if self._has_failed(pod, status) and index not in active | self._progress.lost | self._progress.done:
                kept[index] = pod.uid
        return set(kept.values())

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
    return max(min(FIRST_BACKOFF * 2.0 ** (failures - 1), LONGEST_BACKOFF) - (now - since), 0.0)


def index_of(pod: Pod) -> int:
    """Return the completion index of a pod, -1 if it has none."""
    index = parse_int64(pod.annotations.get(INDEX, ""))
    return -1 if index is None else index


def failures_of(pod: Pod) -> int:
    """Return the number of failures of the pod's index before the pod was created."""
    return parse_int64(pod.annotations.get(INDEX_FAILURES, "0")) or 0


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
    disrupted = bool(status.disruption) or pod.disruption_target
    for name, wanted in rule.conditions:
        if name == "DisruptionTarget" and disrupted == (wanted == "True"):
            return f"Pod {{pod}} has condition {name}"
    return None
