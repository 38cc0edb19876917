"""Facts that explain a plugin's verdict or score with the numbers of this pod and node.

A plugin that filters has a method

    explain_filter(pod, state, cluster, row, change=None) -> list[Fact]

which compares the inputs of `filter` for one row of the node table; `change` is the argument of `filter` for that row
(`change.delta` is int64[k, 1]). A plugin that scores has

    explain_score(pod, state, cluster, rows, raw, index) -> ScoreExplanation

for the `index`-th of the feasible rows `rows`; `raw` are its raw scores of all of them. Both run only on request
(`explain/`), never in a scheduling cycle, and change nothing in the cluster. A fact of `explain_filter` that does not
hold is a reason for a rejection: if the plugin rejects the node, at least one fact does not hold; if it accepts it, all
of them hold.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.apis.quantity import format_bytes, format_cpu

BYTES = ("memory", "ephemeral-storage")


class Fact(msgspec.Struct, frozen=True, omit_defaults=True):
    """A comparison of a plugin: `left op right` on this node, and whether the rule `holds`.

    A request that fits is shown as "500m ≤ 2" and holds; one that does not is shown as "3 > 2" and does not hold. `key`
    identifies the comparison among all plugins ("NodeResourcesFit.cpu"), `values` are its raw numbers (millicores,
    bytes) and names, `text` is a plain English sentence, and `field` is the path of the compared field in the manifest
    of the pod or node.
    """

    key: str
    left: str
    op: str
    right: str
    holds: bool
    values: dict[str, int | str] = {}
    text: str = ""
    field: str = ""


class ScoreExplanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The arithmetic of a score, one line per step, and facts about its inputs."""

    arithmetic: list[str] = []
    facts: list[Fact] = []


def format_amount(resource: str, value: int) -> str:
    """Return an amount in Kubernetes' format: cpu from millicores; memory, ephemeral storage and huge pages from bytes.

    Other amounts are plain numbers.
    """
    if resource == "cpu":
        return format_cpu(value)
    return format_bytes(value) if resource in BYTES or resource.startswith("hugepages-") else str(value)


def join_names(names: Sequence[str], empty: str = "none", most: int = 8) -> str:
    """Return the first `most` names, separated by commas, and the number of the others: "a, b and 3 more".

    Return `empty` if there are no names.
    """
    if not names:
        return empty
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an "s" unless the number is 1: "1 pod", "2 pods"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
