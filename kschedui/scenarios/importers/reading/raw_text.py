"""A text as it may be kept: what a cluster printed does not come to the database with its secrets."""

from __future__ import annotations

import re

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import pruned
from kschedui.scenarios.importers.reading.yaml_pieces import Piece, pieces
from kschedui.work import progress
from scheduler_core.scenario.parse import Limits
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems

# What only an API server writes, and what nobody writes into a scenario.
PRINTED = re.compile(
    r"""(?:^|[\s{,-])["']?(?:managedFields|resourceVersion|selfLink)["']?\s*:|last-applied-configuration"""
    r"""|(?:^|[\s{,-])["']?kind["']?\s*:\s*["']?(?:Secret|ConfigMap)\b"""
)


def was_printed(text: str) -> bool:
    """Did a cluster print the text, or does it hold a Secret?"""
    return PRINTED.search(text) is not None


def reduced(text: str, limits: Limits) -> str:
    """Return a printed text without what scheduling does not read, and any other text as it is.

    An object that loses nothing, and one that cannot be read, stay as they were written.
    """
    if not was_printed(text):
        return text
    lines, found, read = text.split("\n"), [], 0
    for piece in pieces(iter(lines)):
        found.append(_reduced(piece, limits))
        read += len(piece.lines)
        progress.tell(min(1.0, read / len(lines)))
    return "---\n".join(filter(None, found))


def _reduced(piece: Piece, limits: Limits) -> str:
    text = "\n".join(piece.lines) + "\n"
    problems = Problems()
    objects = [document.data for document in read_documents(text, limits, problems)]
    kept = [pruned(data, LeftOut()) for data in objects]
    return text if kept == objects or problems.count else compact_yaml.write_all(filter(None, kept))


def _of_kind(*kinds: str) -> str:
    """A document of one of the kinds: in block style, or in JSON and flow style, where apiVersion may be before it."""
    begin = r"""(?m)^(?:\{\s*(?:["']?apiVersion["']?\s*:\s*["']?[\w./-]+["']?\s*,\s*)?)?"""
    return rf"""{begin}["']?kind["']?\s*:\s*["']?(?:{"|".join(kinds)})\b"""


WORKLOAD = re.compile(_of_kind("Deployment", "DaemonSet", "Job", "CronJob", "List", "Policy"))
# Without a Scenario document these are a cluster's objects: they make pods, or change pods that are made.
OF_A_CLUSTER = re.compile(
    _of_kind(
        "StatefulSet", "ReplicaSet", "ReplicationController", "LimitRange", "RuntimeClass", "ResourceQuota", "NodePool"
    )
)
SCENARIO = re.compile(_of_kind("Scenario"))
OLD = re.compile(r"kubescheduler\.config\.k8s\.io/v1(?:alpha|beta)\d")
EXPORT = re.compile(r"""(?:^|[\s{,])["']?schedulerConfig["']?\s*:""")


def is_export(text: str) -> bool:
    """Return whether the text is an export of kube-scheduler-simulator."""
    return EXPORT.search(text) is not None


def is_dump(text: str) -> bool:
    """Return whether the text has to be converted: a dump, workloads, the output of another tool, or an old format."""
    if not has_scenario(text) and OF_A_CLUSTER.search(text):
        return True
    return any((was_printed(text), is_export(text), WORKLOAD.search(text), OLD.search(text)))


def has_scenario(text: str) -> bool:
    """Return whether the text has a Scenario document: its objects are meant as they stand."""
    return SCENARIO.search(text) is not None
