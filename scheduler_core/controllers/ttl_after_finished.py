"""ttl-after-finished-controller (pkg/controller/ttlafterfinished): finished Jobs are deleted after a time."""

from __future__ import annotations

from scheduler_core.apis.core import Workload
from scheduler_core.apis.workloads import JobSpec
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.job import is_finished, progress_of


def reconcile(job: Workload, api: Api) -> None:
    """Delete a Job whose ttlSecondsAfterFinished has passed, or check again when it has."""
    spec = job.spec
    assert isinstance(spec, JobSpec)
    completed = progress_of(job, api).completed
    if spec.ttl_seconds is None or completed is None or not is_finished(job, api):
        return
    remaining = completed + spec.ttl_seconds - api.now
    if remaining > 0:
        api.later(remaining, job.key)
    else:
        api.delete("Job", job.key, because("ttl", owner=api.label(job), seconds=spec.ttl_seconds))
