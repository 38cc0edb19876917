"""What other tools print, as a scenario: a kubectl dump, workloads without their pods, a simulator's export."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import yaml

from kschedui.importers import cleaning, simulator_export, workloads
from scheduler_core.manifests.documents import read_documents
from scheduler_core.manifests.problems import Problems, TooManyProblems
from scheduler_core.messages import Message
from scheduler_core.scenario import Limits, ScenarioError, ScenarioErrors

Manifest = dict[str, Any]


@dataclass
class Imported:
    """The scenario's text, and a sentence for each thing that was done on the way."""

    text: str
    notes: list[Message] = field(default_factory=list)


def convert(text: str, limits: Limits) -> Imported:
    """Read any of the formats; raises ScenarioErrors when it is none of them."""
    objects, notes = read_objects(text, limits)
    cleaned = [cleaning.clean(found) for found in objects if cleaning.is_wanted(found)]
    notes += left_out([found for found in objects if not cleaning.is_wanted(found)])
    made, expanded = workloads.expand(cleaned, limits.pods)
    notes += expanded
    if not made:
        raise ScenarioErrors([ScenarioError("", 0, Message("there is no object in it that a scheduler reads"))])
    return Imported(write(made), notes)


def read_objects(text: str, limits: Limits) -> tuple[list[Manifest], list[Message]]:
    """Every object of the text; raises ScenarioErrors."""
    problems = Problems()
    try:
        documents = read_documents(text, limits, problems)
    except TooManyProblems:
        documents = []
    if errors := problems.errors():
        raise ScenarioErrors(errors)
    found = [dict(document.data) for document in documents]
    export = simulator_export.objects_of(found[0]) if len(found) == 1 else None
    if export is not None:
        return export, [
            Message("Read as an export of kube-scheduler-simulator with {number} objects.", number=len(export))
        ]
    return found, []


def left_out(objects: list[Manifest]) -> list[Message]:
    """A sentence about the kinds that no scheduler reads."""
    kinds = Counter(str(found.get("kind", "objects without a kind"))[:60] for found in objects)
    if not kinds:
        return []
    listed = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    return [Message("Left out, since the scheduler does not read it: {kinds}.", kinds=listed)]


def write(objects: list[Manifest]) -> str:
    """A multi-document YAML stream."""
    return "---\n".join(
        yaml.dump(found, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=110) for found in objects
    )
