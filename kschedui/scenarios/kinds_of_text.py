"""Recognises a text by its words alone: a scenario as it stands, or what has to be converted. Nothing is parsed."""

from __future__ import annotations

import codecs
import re


def _of_kind(*kinds: str) -> str:
    """A document of one of the kinds: in block style, or in JSON and flow style, where apiVersion may be before it."""
    begin = r"""(?m)^(?:\{\s*(?:["']?apiVersion["']?\s*:\s*["']?[\w./-]+["']?\s*,\s*)?)?"""
    return rf"""{begin}["']?kind["']?\s*:\s*["']?(?:{"|".join(kinds)})\b"""


GZIP = b"\x1f\x8b"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # as PowerShell writes a file
# What only an API server writes, and what nobody writes into a scenario.
PRINTED = re.compile(
    r"""(?:^|[\s{,-])["']?(?:managedFields|resourceVersion|selfLink)["']?\s*:|last-applied-configuration"""
    r"""|(?:^|[\s{,-])["']?kind["']?\s*:\s*["']?(?:Secret|ConfigMap)\b"""
)
WORKLOAD = re.compile(_of_kind("Deployment", "DaemonSet", "Job", "CronJob", "List"))
POLICY = re.compile(_of_kind("Policy"))
# Without a Scenario document these are a cluster's objects: they make pods, or change pods that are made.
OF_A_CLUSTER = re.compile(
    _of_kind(
        "StatefulSet", "ReplicaSet", "ReplicationController", "LimitRange", "RuntimeClass", "ResourceQuota", "NodePool"
    )
)
SCENARIO = re.compile(_of_kind("Scenario"))
OLD = re.compile(r"kubescheduler\.config\.k8s\.io/v1(?:alpha|beta)\d")
EXPORT = re.compile(r"""(?:^|[\s{,])["']?schedulerConfig["']?\s*:""")


def was_printed(text: str) -> bool:
    """Did a cluster print the text, or does it hold a Secret?"""
    return PRINTED.search(text) is not None


def is_export(text: str) -> bool:
    """Return whether the text is an export of kube-scheduler-simulator."""
    return EXPORT.search(text) is not None


def is_dump(text: str, *, has_policy: bool = False) -> bool:
    """Return whether the text has to be converted: a dump, workloads, the output of another tool, or an old format.

    `has_policy`: the release that is simulated reads a Policy as it is.
    """
    if not has_scenario(text) and (OF_A_CLUSTER.search(text) or (not has_policy and POLICY.search(text))):
        return True
    return any((was_printed(text), is_export(text), WORKLOAD.search(text), OLD.search(text)))


def has_scenario(text: str) -> bool:
    """Return whether the text has a Scenario document: its objects are meant as they stand."""
    return SCENARIO.search(text) is not None
