"""Counters shared by all processes, web and workers: stored by the broker, read for the metrics.

They start at 0 when the broker starts, as counters may. Counting never fails and never waits for long; counts while the
broker is unavailable are lost.
"""

import logging

from django.core.cache import cache

logger = logging.getLogger(__name__)

ATTEMPTS = "attempts"  # of the simulated scheduler, by result, as kube-scheduler counts its own
RUNS = "runs"  # that ended, by state
CHUNKS = "chunks"
CHUNK_BYTES = "chunk_bytes"
WAITS = "waits"  # runs that a worker took
WAIT_MILLISECONDS = "wait_ms"  # that they had been queued
DAMAGED = "damaged"  # chunks that were read and were not as they had been written
CELLS = "cells"  # of experiments, by whether they have measures
LABELS: dict[str, tuple[str, ...]] = {
    ATTEMPTS: ("scheduled", "unschedulable", "error"),
    RUNS: ("done", "failed", "cancelled"),
    CHUNKS: ("",),
    CHUNK_BYTES: ("",),
    WAITS: ("",),
    WAIT_MILLISECONDS: ("",),
    DAMAGED: ("",),
    CELLS: ("done", "failed"),
}


def add(name: str, label: str = "", amount: int = 1) -> None:
    """Increment a counter; errors of the cache are only logged. Raises ValueError for a label that it does not have."""
    if label not in LABELS[name]:
        raise ValueError(f"{name} has no label {label!r}")
    if not amount:
        return
    key = key_of(name, label)
    try:
        cache.add(key, 0, None)
        cache.incr(key, amount)
    except Exception as error:  # any error of the cache's client
        logger.info("not counted: %s", error)


def read() -> dict[tuple[str, str], int]:
    """Return all counters. Raises any error of the cache's client."""
    keys = {key_of(name, label): (name, label) for name, labels in LABELS.items() for label in labels}
    values = cache.get_many(list(keys))
    return {place: int(values.get(key, 0)) for key, place in keys.items()}


def key_of(name: str, label: str) -> str:
    """Return the counter's key in the cache."""
    return f"tally:{name}:{label}"
