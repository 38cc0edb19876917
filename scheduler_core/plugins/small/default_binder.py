"""DefaultBinder: writes the binding to the API server (kube-scheduler: plugins/defaultbinder)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import (
    SUCCESS,
    BindPlugin,
    Status,
)


class DefaultBinder(BindPlugin):
    """Binds pods. The binding cycle writes the binding once a Bind plugin has succeeded."""

    name = "DefaultBinder"

    def bind(self, pod: Pod, state: object, node_name: str) -> Status:
        return SUCCESS
