"""resourcequota-controller (pkg/controller/resourcequota): the status of quotas that are new or have changed."""

from __future__ import annotations

from scheduler_core.apis.core import Workload
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.controllers.api import Api


def reconcile(quota: Workload, api: Api) -> None:
    """Write the limits of a quota and their use by the pods of its namespace (syncResourceQuota)."""
    api.pod_admission.recalculate(quota, api.selected(quota.namespace, LabelSelector.everything()))
