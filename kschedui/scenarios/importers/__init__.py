"""What other tools print, as a scenario: a kubectl dump, workloads without their pods, a simulator's export."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from kschedui.scenarios import yaml_text
from kschedui.scenarios.importers import cleaning, simulator_export, workloads
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Limits, ScenarioError, ScenarioErrors
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems, TooManyProblems

Manifest = dict[str, Any]
NEXT_JSON = re.compile(r"\}[ \t\r]*\n\s*^\{", re.MULTILINE)


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
    try:
        made, expanded = workloads.expand(cleaned, limits)
        text = write(made)
        if len(text.encode()) > limits.bytes:
            raise workloads.too_long(limits)
    except workloads.TooLarge as refusal:
        raise ScenarioErrors([ScenarioError("", 0, refusal.sentence)]) from None
    if not made:
        raise ScenarioErrors([ScenarioError("", 0, nothing_read(objects))])
    return Imported(text, notes + expanded)


def read_objects(text: str, limits: Limits) -> tuple[list[Manifest], list[Message]]:
    """Every object of the text; raises ScenarioErrors."""
    problems = Problems()
    try:
        documents = read_documents(apart(text), limits, problems)
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


def apart(text: str) -> str:
    """The documents of a JSON array, or of several calls of `kubectl get -o json`, told apart."""
    if text.lstrip().startswith("["):
        return f'{{"apiVersion": "v1", "kind": "List", "items": {text.strip()}}}'
    return NEXT_JSON.sub("}\n---\n{", text) if text.lstrip().startswith("{") else text


def nothing_read(objects: list[Manifest]) -> Message:
    """The refusal of a text without a node, a pod or what belongs to them."""
    if kinds := sorted({str(found.get("kind"))[:60] for found in objects if found.get("kind")}):
        return Message("there is no object in it that a scheduler reads, only {kinds}", kinds=", ".join(kinds[:9]))
    return Message("there is no object in it that a scheduler reads")


def left_out(objects: list[Manifest]) -> list[Message]:
    """Sentences about pods that have ended, and about the kinds that no scheduler reads."""
    ended = sum(found.get("kind") == "Pod" for found in objects)
    notes = [Message("Pods that have ended are left out: {number}.", number=ended)] if ended else []
    read = ("Pod", "PriorityClass")  # of which only those are left out that take no room, or that are there anyway
    kinds = Counter(str(found.get("kind", "?"))[:60] for found in objects if found.get("kind") not in read)
    if not kinds:
        return notes
    listed = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    return [*notes, Message("Left out, since the scheduler does not read it: {kinds}.", kinds=listed)]


def write(objects: list[Manifest]) -> str:
    """A multi-document YAML stream."""
    return "---\n".join(map(yaml_text.write, objects))
