"""Counts of everything that an import leaves out, described with the same sentences on every page and in the CLI.

The browser sends the counts of the things that it removed in a document of the kind `LeftOut`, the last one in the
text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import asdict

from kschedui.scenarios.importers.reading.reading_table import reading_table
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.reading.problems import did_you_mean, one_of

API_VERSION, KIND = "kschedui.io/v1alpha1", "LeftOut"
LONGEST_NAME = 80
PEOPLES_NAMES = {"Container": "container", "TemplateMeta": "metadata", "ObjectMeta": "metadata"}
FIELDS = ("phase", "nodeInfo", "status")  # of `lacks`
VERSION = re.compile(r"(?:[^/]+/)?v[0-9]\w*")


class LeftOut(msgspec.Struct):
    """Counts by name. `said`: lines of terminal output around the dump, by their beginning.

    `cut`: the place where the text is truncated, as (line, number of objects before it). `lacks`: (line, field) if the
    last object ends there without a field that an API server always prints.
    """

    kinds: Counter[str] = msgspec.field(default_factory=Counter)
    fields: Counter[str] = msgspec.field(default_factory=Counter)
    unknown: Counter[str] = msgspec.field(default_factory=Counter)
    said: Counter[str] = msgspec.field(default_factory=Counter)
    cut: list[int] = []
    lacks: list[int | str] = []

    def document(self) -> str:
        """Return the counts as one line of JSON."""
        return json.dumps({"apiVersion": API_VERSION, "kind": KIND, **asdict(self)}, separators=(",", ":"))

    def add(self, manifest: dict[str, Any]) -> None:
        """Add the valid counts of a `LeftOut` document."""
        for name in ("kinds", "fields", "unknown", "said"):
            counts = manifest.get(name)
            for key, number in counts.items() if isinstance(counts, dict) else ():
                if isinstance(number, int) and not isinstance(number, bool):
                    getattr(self, name)[str(key)[:LONGEST_NAME]] += number
        cut = manifest.get("cut")
        if isinstance(cut, list) and len(cut) == 2 and all(isinstance(bound, int) for bound in cut):
            self.cut = cut
        match manifest.get("lacks"):
            case [int(line), str(field)] if field in FIELDS:
                self.lacks = [line, field]

    def notes(self) -> Iterator[Message]:
        """Yield a sentence for each kind of thing that was left out."""
        if self.cut:
            line, number = self.cut
            yield Message(
                "The text is truncated: it ends at line {line:,}, in the middle of an object. "
                "Objects that were read before it: {number:,}. The rest of the cluster is missing.",
                line=line,
                number=number,
            )
        if self.lacks:
            at, field = self.lacks
            yield Message(
                "The last object ends at line {line:,} without {field}, which an API server always prints. "
                "If the text is truncated there, the rest of the cluster is missing.",
                line=at,
                field=field,
            )
        if self.said:
            yield Message(
                "Ignored lines from kubectl or the terminal around the objects: {lines}. Objects "
                "named in an error might be missing.",
                lines=_list_counts(self.said),
            )
        versions = {name: versions_of for name in self.kinds if (versions_of := _versions_instead(name))}
        for name, expected in sorted(versions.items()):
            version, _, kind = name.rpartition("/")
            yield Message(
                "{kind} of {version} is not read ({number:,}); expected apiVersion {versions}.",
                kind=kind,
                version=version,
                number=self.kinds[name],
                versions=one_of(expected),
            )
        kinds = {name: number for name, number in self.kinds.items() if name not in versions}
        known_kinds = {name: number for name, number in kinds.items() if not _suggest_kind(name)}
        if known_kinds:
            yield Message(
                "Skipped, because the scheduler does not read it: {kinds}.",
                kinds=_list_counts(known_kinds, by_kind=True),
            )
        for name in sorted(kinds.keys() - known_kinds.keys()):
            yield Message("Unknown kind {name}{hint}", name=f"{name} ({self.kinds[name]:,})", hint=_suggest_kind(name))
        if self.fields:
            yield Message("Removed fields that scheduling does not read: {fields}.", fields=_list_counts(self.fields))
        misplaced = {name: number for name, number in self.unknown.items() if _is_misplaced(name)}
        for name, number in sorted(misplaced.items()):
            inside, _, field = name.partition(".")
            yield Message(
                "{field} stands inside a {type}, where it has no effect ({number:,}); it belongs to the spec of the "
                "pod.",
                field=field,
                type=PEOPLES_NAMES.get(inside, inside),
                number=number,
            )
        unknown = {name: number for name, number in self.unknown.items() if name not in misplaced}
        if unknown:
            yield Message(
                "Removed fields that this version of the API does not have: {fields}.",
                fields=_list_counts(unknown),
            )


def _is_misplaced(name: str) -> bool:
    """Return whether the name is that of a pod's field within another type (`pruning.unknown_name`)."""
    types = reading_table()["types"]
    inside, dot, field = name.partition(".")
    return bool(dot) and inside in types and field in types["PodSpec"]


def _versions_instead(name: str) -> list[str]:
    """Return the versions of a kind that are read, if the name contains an unsupported version of its group."""
    version, _, kind = name.rpartition("/")
    kind_row = reading_table()["kinds"].get(kind)
    return kind_row["versions"] if kind_row is not None and VERSION.fullmatch(version) else []


def _suggest_kind(name: str) -> str:
    """Return a hint if a kind looks like a misspelling of a supported one; otherwise "". A kind with a group belongs
    to another tool.
    """
    if "/" in name or len(name) < 4 or name in _REAL:
        return ""
    return did_you_mean(name, KINDS) if any(_is_similar(name, kind) for kind in KINDS) else ""


def _is_similar(name: str, kind: str) -> bool:
    return name.lower() == kind.lower() or (abs(len(name) - len(kind)) <= 2 and name[:2].lower() == kind[:2].lower())


# Kinds of most clusters that look like misspellings of the supported ones.
_REAL = {"Role", "PodTemplate", "ServiceAccount", "ResourceClass"}


def _list_counts(counts: dict[str, int], *, by_kind: bool = False) -> str:
    """Format counts, most frequent first: "12 Secret, 3 Lease" or "managedFields (8,000), env (7,200)"."""
    entries = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{number:,} {name}" if by_kind else f"{name} ({number:,})" for name, number in entries)
