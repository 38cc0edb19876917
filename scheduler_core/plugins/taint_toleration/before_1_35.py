"""TaintToleration's reason before Kubernetes 1.35 (`taint_toleration_reason_names_the_taint`)."""

from __future__ import annotations

from scheduler_core.apis.constraints import Taint


def reason_before_1_35(taint: Taint) -> str:
    """It names the first taint that is not tolerated."""
    return f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
