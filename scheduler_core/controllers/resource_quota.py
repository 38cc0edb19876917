"""resourcequota-controller (pkg/controller/resourcequota): the status of quotas after their limits change."""

from __future__ import annotations

from scheduler_core.apis.core import Workload
from scheduler_core.controllers.api import Api


def reconcile(quota: Workload, api: Api) -> None:
    """Write the limits of a quota and their use (syncResourceQuota)."""
    api.pod_admission.write(quota)
