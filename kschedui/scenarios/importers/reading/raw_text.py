"""A text as it may be kept: what a cluster printed does not come to the database with its secrets."""

from __future__ import annotations

import re

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.line_filter import Unsure, kept_lines
from kschedui.scenarios.importers.reading.pruning import pruned
from kschedui.scenarios.importers.reading.yaml_pieces import pieces
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
    """A printed text without what scheduling does not read; any other as it is.

    Line by line where that can be, so that the rest stays as it was written; else document by document.
    """
    if not was_printed(text):
        return text
    made: list[str] = []
    for piece in pieces(iter(text.split("\n"))):
        try:
            if not piece.typed or piece.cut:
                raise Unsure
            kept = kept_lines(piece.lines, LeftOut(), piece.parent_kind)
            made += ["\n".join(kept[0]) + "\n"] if kept else []
        except Unsure:
            made.append(_parsed("\n".join(piece.lines), limits))
    return "---\n".join(filter(None, made))


def _parsed(text: str, limits: Limits) -> str:
    """Documents that had to be parsed; nothing of what cannot be."""
    documents = read_documents(text, limits, Problems())
    kept = (pruned(document.data, LeftOut()) for document in documents)
    return compact_yaml.write_all(found for found in kept if found)


WORKLOAD = re.compile(
    r"""^["']?kind["']?\s*:\s*["']?(?:Deployment|DaemonSet|Job|CronJob|List|Policy)\b""", re.MULTILINE
)
OLD = re.compile(r"kubescheduler\.config\.k8s\.io/v1(?:alpha|beta)\d")


EXPORT = re.compile(r"""(?:^|[\s{,])["']?schedulerConfig["']?\s*:""")


def is_export(text: str) -> bool:
    """Is it an export of kube-scheduler-simulator?"""
    return EXPORT.search(text) is not None


def is_dump(text: str) -> bool:
    """Is it no scenario yet: printed by a cluster, with workloads to expand, of another program, in an old format?"""
    return any((was_printed(text), is_export(text), WORKLOAD.search(text), OLD.search(text)))
