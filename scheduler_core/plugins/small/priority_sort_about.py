"""The texts of PrioritySort: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Text

ABOUT = About(
    rule=Text(
        "Higher priority goes first; pods of equal priority go in the order in which they were queued.",
        "优先级高的在前；优先级相同，先入队的在前。",
    ),
    looks_at=("priority",),
    upstream="queuesort",
)
