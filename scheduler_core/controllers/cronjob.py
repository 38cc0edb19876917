"""cronjob-controller (pkg/controller/cronjob): Jobs at the times of a schedule. T0 is midnight UTC, 2025-01-01."""

from __future__ import annotations

from datetime import datetime, timedelta

from scheduler_core.apis.core import Workload
from scheduler_core.apis.schedules import ScheduleFields, schedule_fields
from scheduler_core.apis.workloads import CronJobSpec
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.job import is_finished, progress_of
from scheduler_core.scenario.reading.times import START
from scheduler_core.trace.records import Because

DAY = 24 * 60  # minutes
FAR = 366 * DAY  # that are searched for the next time
MINUTE = 60.0
NEXT_DELTA = 0.1  # seconds after the scheduled time at which it is looked at (nextScheduleDelta)
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"


def reconcile(cron_job: Workload, api: Api) -> None:
    """Create the Job that is due, plan the next one, and delete Jobs beyond the history limits (syncCronJob)."""
    spec = cron_job.spec
    assert isinstance(spec, CronJobSpec)
    active = _active_jobs(cron_job, api)
    _update_active(cron_job, active, api)
    if not spec.suspend:
        _schedule(cron_job, spec, active, api)
    _trim_history(cron_job, spec, api)
    scheduled = cron_job.uid in _last_schedule_times(api)
    api.write_status(cron_job, {"active": len(active), **({"lastScheduleTime": "set"} if scheduled else {})})


def _active_jobs(cron_job: Workload, api: Api) -> dict[str, Workload]:
    """Return `status.active`: Jobs by uid, at first those that exist and have not finished."""
    known: dict[str, dict[str, Workload]] = api.memory.setdefault("cronjob active", {})
    if cron_job.uid not in known:
        jobs = api.owned(cron_job.uid, "Job")
        known[cron_job.uid] = {job.uid: job for job in jobs if not is_finished(job, api)}
    return known[cron_job.uid]


def _update_active(cron_job: Workload, active: dict[str, Workload], api: Api) -> None:
    """Remove the Jobs that have finished or are gone."""
    existing = {job.uid: job for job in api.owned(cron_job.uid, "Job")}
    for uid, job in list(active.items()):
        if uid not in existing:
            api.record(cron_job, "MissingJob", f"Active job went missing: {api.called(job)}")
            del active[uid]
        elif is_finished(job, api):
            end = "Failed" if api.workload_status(job).condition("Failed") is not None else "Complete"
            api.record(cron_job, "SawCompletedJob", f"Saw completed job: {api.called(job)}, condition: {end}")
            del active[uid]


def _schedule(cron_job: Workload, spec: CronJobSpec, active: dict[str, Workload], api: Api) -> None:
    last = _last_schedule_times(api)
    earliest = last.get(cron_job.uid, cron_job.creation_timestamp)
    if spec.starting_deadline_seconds is not None:
        earliest = max(earliest, api.now - spec.starting_deadline_seconds)
    due = most_recent_time(spec.schedule, earliest, api.now)
    following = next_time(spec.schedule, api.now)
    if following is not None:
        api.later(following + NEXT_DELTA - api.now, cron_job.key)
    if due is None:
        return
    if spec.concurrency == "Forbid" and active:
        message = "Not starting job because prior execution is running and concurrency policy is Forbid"
        api.record(cron_job, "JobAlreadyActive", message)
        return
    if spec.concurrency == "Replace":
        for job in list(active.values()):
            _delete(cron_job, job, because("cron-replaced", owner=api.label(cron_job)), api)
        active.clear()
    job = _create(cron_job, spec, due, api)
    active[job.uid] = job
    last[cron_job.uid] = due


def _create(cron_job: Workload, spec: CronJobSpec, due: float, api: Api) -> Workload:
    template = spec.job.get("metadata") or {}
    scheduled = START + timedelta(seconds=due)
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": cron_job.name,
        "uid": cron_job.uid,
        "controller": True,
    }
    metadata = {
        "name": f"{cron_job.name}-{int(scheduled.timestamp()) // 60}",
        "namespace": cron_job.namespace,
        "labels": template.get("labels") or {},
        "annotations": {**(template.get("annotations") or {}), SCHEDULED: f"{scheduled:%Y-%m-%dT%H:%M:%SZ}"},
        "ownerReferences": [owner],
    }
    manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec.job.get("spec") or {}}
    built = api.build("Job", manifest)
    assert isinstance(built, Workload)
    numbers: dict[str, int] = api.memory.setdefault("cronjob numbers", {})
    number = numbers[cron_job.uid] = numbers.get(cron_job.uid, 0) + 1
    job = api.create(built, because("cron-due", owner=api.label(cron_job)), called=f"{cron_job.name}@{number}")
    api.record(cron_job, "SuccessfulCreate", f"Created job {api.called(job)}")
    return job


def _delete(cron_job: Workload, job: Workload, cause: Because, api: Api) -> None:
    called = api.called(job)
    api.delete("Job", job.key, cause)
    api.record(cron_job, "SuccessfulDelete", f"Deleted job {called}")


def _trim_history(cron_job: Workload, spec: CronJobSpec, api: Api) -> None:
    """Delete finished Jobs beyond the limits, the oldest first (cleanupFinishedJobs)."""
    done = [job for job in api.owned(cron_job.uid, "Job") if is_finished(job, api)]
    done.sort(key=lambda job: progress_of(job, api).started or 0.0)
    for kind, limit in (("Complete", spec.successful_history), ("Failed", spec.failed_history)):
        jobs = [job for job in done if api.workload_status(job).condition(kind) is not None]
        for job in jobs[: max(len(jobs) - limit, 0)]:
            _delete(cron_job, job, because("cron-history", owner=api.label(cron_job), limit=limit), api)


def _last_schedule_times(api: Api) -> dict[str, float]:
    known: dict[str, float] = api.memory.setdefault("cronjob", {})
    return known


def most_recent_time(schedule: str, after: float, now: float) -> float | None:
    """Return the last time of a schedule after `after` and not after `now`, in seconds; None if there is none
    (mostRecentScheduleTime).
    """
    window = MINUTE
    while True:
        due = next_time(schedule, max(after, now - window))
        if due is not None and due <= now:
            break
        if now - window <= after:
            return None
        window *= 2
    while (later := next_time(schedule, due)) is not None and later <= now:
        due = later
    return due


def next_time(schedule: str, after: float) -> float | None:
    """Return the first time of a schedule after `after`, in seconds; None if invalid, or if it has none for a year."""
    fields = schedule_fields(schedule)
    if fields is None:
        return None
    minute = int(after // MINUTE) + 1
    last = minute + FAR
    while minute < last:
        moment = START + timedelta(minutes=minute)
        if not _matches_day(fields, moment):
            minute += DAY - minute % DAY
        elif _matches_time(fields, moment):
            return minute * MINUTE
        else:
            minute += 1
    return None


def _matches_time(fields: ScheduleFields, moment: datetime) -> bool:
    minutes, hours, *_ = fields
    return (minutes is None or moment.minute in minutes) and (hours is None or moment.hour in hours)


def _matches_day(fields: ScheduleFields, moment: datetime) -> bool:
    *_, days, months, weekdays = fields
    if months is not None and moment.month not in months:
        return False
    weekday = (moment.weekday() + 1) % 7
    if days is not None and weekdays is not None:  # of two restricted fields, one is enough
        return moment.day in days or weekday in weekdays
    return (days is None or moment.day in days) and (weekdays is None or weekday in weekdays)
