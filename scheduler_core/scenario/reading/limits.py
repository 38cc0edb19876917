"""Limits for scenario files and their runs, checked before memory is allocated."""

from __future__ import annotations

import msgspec

from scheduler_core.scenario.types import NO_LIMITS, RunLimits


class Limits(msgspec.Struct, frozen=True):
    """Limits for a file, and for its run. The defaults suit a cluster of 5,000 nodes and 50,000 pods."""

    bytes: int = 32 * 1024 * 1024  # bytes of the text in UTF-8
    documents: int = 100_000  # documents and items of Lists
    nodes: int = 5_000  # Node documents, and nodes that events create
    pods: int = 50_000  # Pod documents, and pods that events create
    events: int = 50_000  # timeline events
    values: int = 2_000_000  # keys and list items of a YAML document (a list of digits has one for two bytes)
    depth: int = 64  # levels of nesting in a document
    alias_nodes: int = 10_000  # values that YAML aliases add, over the whole file
    run: RunLimits = NO_LIMITS
