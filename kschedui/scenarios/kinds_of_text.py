"""Recognises, by words alone and without parsing, whether a text is a scenario or has to be converted."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple


class Mark(NamedTuple):
    """A pattern, and words of which every matching text contains one: searching for words is much faster."""

    words: tuple[str, ...]
    pattern: re.Pattern[str]

    def is_in(self, text: str) -> bool:
        """Return whether the pattern is found in the text."""
        return any(word in text for word in self.words) and self.pattern.search(text) is not None


def _of_kind(*kinds: str) -> str:
    """A document of one of the kinds: in block style, or in JSON and flow style, where apiVersion may be before it."""
    begin = r"""(?m)^(?:\{\s*(?:["']?apiVersion["']?\s*:\s*["']?[\w./-]+["']?\s*,\s*)?)?"""
    return rf"""{begin}["']?kind["']?\s*:\s*["']?(?:{"|".join(kinds)})\b"""


GZIP = b"\x1f\x8b"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # as PowerShell writes a file
# What only an API server writes, and what nobody writes into a scenario.
PRINTED = Mark(
    ("managedFields", "resourceVersion", "selfLink", "last-applied-configuration", "Secret", "ConfigMap"),
    re.compile(
        r"""(?:^|[\s{,-])["']?(?:managedFields|resourceVersion|selfLink)["']?\s*:|last-applied-configuration"""
        r"""|(?:^|[\s{,-])["']?kind["']?\s*:\s*["']?(?:Secret|ConfigMap)\b"""
    ),
)
LIST = Mark(("List",), re.compile(_of_kind("List")))
POLICY = Mark(("Policy",), re.compile(_of_kind("Policy")))
# Without a Scenario document these are a cluster's objects: they make pods, or change pods that are made.
WORKLOADS = (
    *("Deployment", "DaemonSet", "Job", "CronJob", "StatefulSet", "ReplicaSet", "ReplicationController"),
    *("LimitRange", "RuntimeClass", "ResourceQuota", "NodePool"),
)
OF_A_CLUSTER = Mark(WORKLOADS, re.compile(_of_kind(*WORKLOADS)))
SCENARIO = Mark(("Scenario",), re.compile(_of_kind("Scenario")))
OLD = Mark(("kubescheduler.config.k8s.io",), re.compile(r"kubescheduler\.config\.k8s\.io/v1(?:alpha|beta)\d"))
# The beginning of what kubectl describe and kubectl get print for people.
FOR_PEOPLE = Mark(
    ("Name:  ", "NAME  ", "LAST SEEN  "),
    re.compile(r"(?m)^(?:\s{0,6}\d{1,5}[:|\t]? ?)?(?:Name: {2,}\S|(?:NAMESPACE {2,})?(?:NAME|LAST SEEN) {2,}[A-Z])"),
)
EXPORT = Mark(("schedulerConfig",), re.compile(r"""(?:^|[\s{,])["']?schedulerConfig["']?\s*:"""))


def was_printed(text: str) -> bool:
    """Return whether a cluster printed the text, or the text contains a Secret."""
    return PRINTED.is_in(text)


def is_export(text: str) -> bool:
    """Return whether the text is an export of kube-scheduler-simulator."""
    return EXPORT.is_in(text)


def is_dump(text: str, *, has_policy: bool = False) -> bool:
    """Return whether the text has to be converted: a dump, workloads, the output of another tool, or an old format.

    `has_policy`: the release that is simulated reads a Policy as it is.
    """
    if not has_scenario(text) and (OF_A_CLUSTER.is_in(text) or (not has_policy and POLICY.is_in(text))):
        return True
    return was_printed(text) or is_export(text) or FOR_PEOPLE.is_in(text) or LIST.is_in(text) or OLD.is_in(text)


def has_scenario(text: str) -> bool:
    """Return whether the text has a Scenario document, so that its objects are used unchanged."""
    return SCENARIO.is_in(text)
