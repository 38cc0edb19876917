"""Recognises the kind of a text by its words, without parsing: the second stage from a text to a scenario
(`intake`).
"""

from __future__ import annotations

import codecs
import re
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """The kinds of text, by how they become scenarios."""

    SCENARIO = "used as it stands"
    PRINTED_SCENARIO = "a scenario with objects that a cluster printed: it loses their fields, and is private"
    OBJECTS = "of a cluster, or in an old format: converted"
    OUTPUT = "of a cluster or of another tool: converted, and private"

    @property
    def is_private(self) -> bool:
        """Return whether the text was printed by somebody's cluster."""
        return self in (Kind.PRINTED_SCENARIO, Kind.OUTPUT)


class Mark(NamedTuple):
    """A pattern, and words one of which every matching text contains: searching for words is much faster."""

    words: tuple[str, ...]
    pattern: re.Pattern[str]

    def is_in(self, text: str) -> bool:
        """Return whether the pattern is found in the text."""
        return any(word in text for word in self.words) and self.pattern.search(text) is not None


def _of_kind(*kinds: str) -> str:
    """Return a pattern for a document of one of the kinds, in block style, flow style or JSON.

    In flow style and JSON, apiVersion may come before kind.
    """
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
LONGEST = 8_000_000  # characters of a text for people
EXPORT = Mark(("schedulerConfig",), re.compile(r"""(?:^|[\s{,])["']?schedulerConfig["']?\s*:"""))


def kind_of(text: str, *, has_policy: bool = False) -> Kind:
    """Return the kind of a text. `has_policy`: the simulated release reads a Policy unchanged."""
    has_scenario = SCENARIO.is_in(text)
    if PRINTED.is_in(text):
        return Kind.PRINTED_SCENARIO if has_scenario else Kind.OUTPUT
    if EXPORT.is_in(text):
        return Kind.OUTPUT
    if FOR_PEOPLE.is_in(text) or LIST.is_in(text) or OLD.is_in(text):
        return Kind.OBJECTS
    if not has_scenario and (OF_A_CLUSTER.is_in(text) or (not has_policy and POLICY.is_in(text))):
        return Kind.OBJECTS
    return Kind.SCENARIO


def is_for_people(text: str) -> bool:
    """Return whether kubectl printed a part of the text for people.

    False for texts longer than LONGEST, and for those with container logs, which may contain anything.
    """
    return len(text) <= LONGEST and FOR_PEOPLE.is_in(text) and "==== START logs" not in text


def has_scenario(text: str) -> bool:
    """Return whether the text contains a Scenario document, so that its objects are used unchanged."""
    return SCENARIO.is_in(text)
