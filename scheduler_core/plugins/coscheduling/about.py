"""The texts of Coscheduling: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Text

ABOUT = About(
    question=Text("Gang?", "成组？"),
    blocker=Text("Its group is not complete", "所在的组尚未凑齐"),
    upstream="https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling",
)
