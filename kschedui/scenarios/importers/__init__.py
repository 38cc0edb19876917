"""What other tools print, as a scenario: a kubectl dump, workloads without their pods, a simulator's export.

Every door reads it here: the page and the API (`kschedui.web.api`), the command line (`kschedui.cli`). The browser
drops before it sends what `reading_table` does not keep; what it sends is read as any other text.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import BinaryIO

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.importers import (
    cleaning,
    configurations,
    pod_admission,
    priorities,
    simulator_export,
    workloads,
)
from kschedui.scenarios.importers.reading.dump_reader import Dump, read_dump
from kschedui.scenarios.importers.reading.file_text import refusal
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Limits

IMPORTED = "kschedui.io/imported"  # an annotation of the Scenario: the text was printed by a cluster
NOT_OURS = {"LimitRange", "RuntimeClass"}  # read on the way, and nothing that a scenario holds


@dataclass
class Imported:
    """The scenario's text, and a sentence for each thing that was done on the way."""

    text: str
    notes: list[Message] = field(default_factory=list)
    cut: bool = False  # the source ended in the middle of something


def convert(source: str | BinaryIO, limits: Limits, most: int | None = None) -> Imported:
    """Read any of the formats; raises ScenarioErrors when it is none of them. `most`: bytes of the source, unpacked."""
    reading = Limits(**{**{name: getattr(limits, name) for name in Limits.__slots__}, "bytes": most or limits.bytes})
    dump = read_dump(source, reading)
    objects, notes = exported(dump)
    objects, more = configurations.read(objects, limits)
    notes += more
    made, more = made_of(list(map(cleaning.in_version, objects)), limits)
    if not any(found.get("kind") not in NOT_OURS for found in made):
        raise refusal(nothing_read(dump.left_out))
    text = compact_yaml.write_all(with_title(cleaning.tidied(made)))
    if len(text.encode()) > limits.bytes:
        raise refusal(workloads.too_long(limits).sentence)
    return Imported(text, [*dump.left_out.notes(), *notes, *more], bool(dump.left_out.cut))


def exported(dump: Dump) -> tuple[list[Manifest], list[Message]]:
    """The objects, those of a simulator's export with their kinds."""
    found: list[Manifest] = []
    notes: list[Message] = []
    for one in dump.objects:
        export = simulator_export.objects_of(one)
        if export is None:
            found.append(one)
        else:
            found += export
            notes.append(
                Message("Read as an export of kube-scheduler-simulator with {number} objects.", number=len(export))
            )
    return found, notes


def made_of(objects: list[Manifest], limits: Limits) -> tuple[list[Manifest], list[Message]]:
    """The scenario's objects; raises ScenarioErrors when the workloads become too many."""
    ended = [found for found in objects if cleaning.has_ended(found)]
    built_in = sum(map(cleaning.is_built_in, objects))
    admission = pod_admission.PodAdmission(objects)
    kept = [found for found in objects if not cleaning.has_ended(found) and not cleaning.is_built_in(found)]
    kept, twice = without_repeats(kept)
    notes = []
    if ended:
        notes.append(Message("Pods that have ended are left out: {number}.", number=len(ended)))
    if built_in:
        notes.append(Message("Priority classes that every cluster has are left out: {number}.", number=built_in))
    if twice:
        notes.append(Message("Objects that are there twice are read once: {kinds}.", kinds=counted(twice)))
    notes += extender_notes(kept)
    try:
        made, expanded = workloads.expand(kept, limits, ended, admission)
    except workloads.TooLarge as error:
        raise refusal(error.sentence) from None
    unused = Counter(str(found.get("kind")) for found in made if found.get("kind") in NOT_OURS)
    if not admission.done["LimitRange"] and not admission.done["RuntimeClass"] and unused:
        notes.append(
            Message("Read, but without effect, since the pods are there already: {kinds}.", kinds=counted(unused))
        )
    made, settled = priorities.settled([found for found in made if found.get("kind") not in NOT_OURS])
    return made, [*notes, *expanded, *admission.notes(), *settled]


def without_repeats(objects: list[Manifest]) -> tuple[list[Manifest], Counter[str]]:
    """Each object once, the last of several dumps; and how many of each kind were there again."""
    last: dict[tuple[str, str, str], Manifest] = {}
    repeated: Counter[str] = Counter()
    for number, found in enumerate(objects):
        metadata = cleaning.part(found, "metadata")
        name = metadata.get("name")
        key = (str(found.get("kind")), str(metadata.get("namespace")), name if isinstance(name, str) else f"#{number}")
        repeated[key[0]] += key in last
        last[key] = found
    return list(last.values()), +repeated


def extender_notes(objects: list[Manifest]) -> list[Message]:
    """Extenders are other programs, which no simulation can ask."""
    found = [one for one in objects if one.get("kind") == configurations.KIND]
    return [
        Message(
            "Extender {url} is not asked: write what it answers in spec.extenders of the Scenario document.",
            url=str(one.get("urlPrefix")),
        )
        for each in found
        for one in cleaning.listed(each, "extenders")
    ]


def with_title(objects: list[Manifest]) -> list[Manifest]:
    """With a Scenario document that tells what this is, unless the text has one of its own."""
    if any(found.get("kind") == "Scenario" for found in objects):
        return objects
    kinds = Counter(str(found.get("kind")) for found in objects)
    title = f"{kinds['Node']:,} nodes, {kinds['Pod']:,} pods"
    metadata = {"name": "imported", "annotations": {IMPORTED: "true"}}
    version = "kschedui.io/v1alpha1"
    return [*objects, {"apiVersion": version, "kind": "Scenario", "metadata": metadata, "spec": {"title": title}}]


def counted(kinds: Counter[str]) -> str:
    """As in: 2 Node, 14 Pod."""
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items()))


def nothing_read(left_out: LeftOut) -> Message:
    """The refusal of a text without a node, a pod or what belongs to them."""
    if left_out.cut:
        line, _ = left_out.cut
        return Message("the text is cut off at line {line:,}, before its first object is whole", line=line)
    if left_out.said and not left_out.kinds:
        return Message("there is no object in it, only what kubectl says: {lines}", lines=", ".join(left_out.said))
    if kinds := sorted(left_out.kinds.keys() - {"?"}):
        return Message("there is no object in it that a scheduler reads, only {kinds}", kinds=", ".join(kinds[:9]))
    return Message("there is no object in it that a scheduler reads")
