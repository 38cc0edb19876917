"""Converts the output of other tools to a scenario: a kubectl dump, workloads without their pods, a simulator's export.

This is the third stage from a text to a scenario (`intake`). The browser removes everything that `reading_table` does
not keep before it sends a text, which is then read like any other.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.file_text import refusal
from kschedui.scenarios.imported import IMPORTED, Conversion, Imported
from kschedui.scenarios.importers import (
    autoscalers,
    cleaning,
    configurations,
    for_people,
    node_pools,
    pod_admission,
    priorities,
    simulator_export,
    workloads,
)
from kschedui.scenarios.importers.cluster_release import cluster_release, release_of_scenario
from kschedui.scenarios.importers.reading.dump_reader import Dump, read_dump
from kschedui.scenarios.importers.reading.pruning import Manifest
from kschedui.scenarios.kinds_of_text import Kind
from scheduler_core.apis.messages import Message
from scheduler_core.releases import release_named
from scheduler_core.scenario.parse import Limits, ScenarioErrors, parse_scenario, without_collection

NOT_OURS = {"LimitRange", "RuntimeClass"}  # kinds that only affect the creation of pods

MAX_NAMES = 5  # in a note


def convert(blocks: Iterable[str], options: Conversion, kind: Kind, *, printed_for_people: bool) -> Imported:
    """Convert a text, which comes in blocks, from any of the formats. Raises ScenarioErrors if it is in none
    of them.
    """
    reading = replace(options.limits, bytes=options.max_bytes or options.limits.bytes)
    with without_collection():
        if not printed_for_people:
            return convert_dump(read_dump(blocks, reading), options, kind)
        described = for_people.read("".join(blocks))
        dump = read_dump([described.rest], reading) if described.rest else Dump()
        has_claims = "PersistentVolumeClaim" in described.rest
        if not has_claims and (unknown := for_people.remove_volumes(described.objects)):
            described.notes.append(
                Message(
                    "Claims that the text does not have were left out: {claims}. kubectl get pvc,pv -A -o yaml "
                    "says where their volumes are.",
                    claims=shorten_names(unknown),
                )
            )
        for manifest in described.objects:
            dump.take(manifest)
        if not dump.objects:
            raise refusal(
                Message(
                    "this is output of kubectl describe or kubectl get without a node or a pod; expected kubectl "
                    "describe nodes, kubectl describe pod, or kubectl get with -o yaml"
                )
            )
        imported = convert_dump(dump, options, kind)
    imported.notes[:0] = described.notes
    return imported


def convert_dump(dump: Dump, options: Conversion, kind: Kind = Kind.OUTPUT) -> Imported:
    """Convert parsed objects. Raises ScenarioErrors if there are none, or the result is too large."""
    limits = options.limits
    drop_truncated(dump, limits)
    objects, notes = read_export(dump)
    detected, release_notes = cluster_release(objects)
    release = detected or options.release
    simulated = release_named(options.simulated or release_of_scenario(objects) or release)
    objects, more = configurations.read(
        objects, limits, has_policy=simulated is not None and simulated.policy is not None
    )
    if options.autoscaler is None:
        objects, of_pools = node_pools.convert_node_pools(objects)
    else:
        objects, of_pools = autoscalers.add_autoscaler(
            objects, options.autoscaler or autoscalers.autoscaler_of(objects)
        )
    notes += [*more, *of_pools]
    manifests, more = made_of(list(map(cleaning.in_version, objects)), limits)
    if not any(manifest.get("kind") not in NOT_OURS for manifest in manifests):
        raise refusal(nothing_read(dump))
    if not any(manifest.get("kind") == "Scenario" for manifest in manifests):
        if simulated is not None:
            manifests, of_fields = cleaning.without_fields_of_others(manifests, simulated)
            notes += of_fields
        manifests = with_title(cleaning.tidy_all(manifests), release, is_private=kind.is_private)
        notes += release_notes
    else:
        manifests = cleaning.tidy_all(manifests)
    text = compact_yaml.write_all(manifests)
    if len(text.encode()) > limits.bytes:
        raise refusal(workloads.too_long(limits).sentence)
    if any(item.get("kind") == "ResourceQuota" for item in objects):
        notes.append(Message("ResourceQuotas are not enforced: every pod of a workload is created."))
    return Imported(text, [*dump.left_out.notes(), *notes, *more], bool(dump.left_out.cut), release, kind)


def drop_truncated(dump: Dump, limits: Limits) -> None:
    """Drop the last object if the text seems to be truncated in it and it cannot be read."""
    if not dump.left_out.lacks:
        return
    line = dump.left_out.lacks[0]
    try:
        parse_scenario(compact_yaml.write_all(dump.objects[-1:]), limits)
    except ScenarioErrors:
        dump.objects.pop()
        dump.left_out.cut, dump.left_out.lacks = [int(line), len(dump.objects)], []


def read_export(dump: Dump) -> tuple[list[Manifest], list[Message]]:
    """Return the objects, and notes; the objects of a simulator's export get their kinds."""
    manifests: list[Manifest] = []
    notes: list[Message] = []
    for item in dump.objects:
        export = simulator_export.objects_of(item)
        if export is None:
            manifests.append(item)
        else:
            manifests += export
            notes.append(Message("Read an export of kube-scheduler-simulator. Objects: {number}.", number=len(export)))
    return manifests, notes


def made_of(objects: list[Manifest], limits: Limits) -> tuple[list[Manifest], list[Message]]:
    """Return the objects of the scenario, and notes. Raises ScenarioErrors if the workloads create too many pods."""
    ended = [manifest for manifest in objects if cleaning.has_ended(manifest)]
    built_in = sum(map(cleaning.is_built_in, objects))
    admission = pod_admission.PodAdmission(objects)
    manifests = [
        manifest for manifest in objects if not cleaning.has_ended(manifest) and not cleaning.is_built_in(manifest)
    ]
    manifests, twice = without_repeats(manifests)
    notes = []
    if ended:
        notes.append(Message("Finished pods that were skipped: {number}.", number=len(ended)))
    if built_in:
        notes.append(Message("Built-in priority classes that were skipped: {number}.", number=built_in))
    if twice:
        notes.append(Message("Duplicate objects were read once: {kinds}.", kinds=format_counts(twice)))
    manifests, gated = cleaning.without_gates_of_bound_pods(manifests)
    if gated:
        notes.append(
            Message(
                "Pods that are bound but still have scheduling gates are treated as bound: {pods}.",
                pods=shorten_names(gated),
            )
        )
    notes += extender_notes(manifests)
    try:
        expanded_manifests, expanded = workloads.expand(manifests, limits, ended, admission)
    except workloads.TooManyPods as error:
        raise refusal(error.sentence) from None
    unused = Counter(str(manifest.get("kind")) for manifest in expanded_manifests if manifest.get("kind") in NOT_OURS)
    if not admission.done["LimitRange"] and not admission.done["RuntimeClass"] and unused:
        notes.append(Message("No effect, because the pods already exist: {kinds}.", kinds=format_counts(unused)))
    if images := cleaning.images_of_several_sizes(manifests):
        notes.append(
            Message(
                "Nodes report different sizes for these images: {images}. kube-scheduler uses the "
                "size that the first node reported; here, that is the first node in the text.",
                images=shorten_names(images),
            )
        )
    if not any("template" in cleaning.part(manifest, "spec") for manifest in expanded_manifests):
        expanded_manifests = [manifest for manifest in expanded_manifests if manifest.get("kind") not in NOT_OURS]
    expanded_manifests, settled = priorities.settle_priorities(expanded_manifests)
    return expanded_manifests, [*notes, *expanded, *admission.notes(), *settled]


def without_repeats(objects: list[Manifest]) -> tuple[list[Manifest], Counter[str]]:
    """Return each object once, as it is in the last dump that contains it, and the number of repeats of each kind."""
    last: dict[tuple[str, str, str], Manifest] = {}
    repeated: Counter[str] = Counter()
    for number, manifest in enumerate(objects):
        metadata = cleaning.part(manifest, "metadata")
        name = metadata.get("name")
        key = (
            str(manifest.get("kind")),
            str(metadata.get("namespace")),
            name if isinstance(name, str) else f"#{number}",
        )
        repeated[key[0]] += key in last
        last[key] = manifest
    return list(last.values()), +repeated


def extender_notes(objects: list[Manifest]) -> list[Message]:
    """Return notes about extenders: external programs, which a simulation cannot call."""
    schedulers = [item for item in objects if item.get("kind") in (configurations.KIND, "Policy")]
    return [
        Message(
            "Extender {url} is not called. Describe its answers in spec.extenders of the Scenario document.",
            url=str(item.get("urlPrefix")),
        )
        for scheduler in schedulers
        for item in cleaning.mappings_in(scheduler, "extenders")
    ]


def with_title(objects: list[Manifest], release: str, *, is_private: bool) -> list[Manifest]:
    """Return the objects and a Scenario document with a title and the release; `is_private` marks it as imported."""
    kinds = Counter(str(manifest.get("kind")) for manifest in objects)
    title = f"{kinds['Node']:,} nodes, {kinds['Pod']:,} pods"
    metadata = {"name": "imported"} | ({"annotations": {IMPORTED: "true"}} if is_private else {})
    version = "kschedui.io/v1alpha1"
    spec = {"title": title} | ({"kubernetesVersion": release} if release else {})
    return [*objects, {"apiVersion": version, "kind": "Scenario", "metadata": metadata, "spec": spec}]


def shorten_names(names: Sequence[str]) -> str:
    """Return the first of many names, and the number of the rest."""
    more = len(names) - MAX_NAMES
    return ", ".join([*names[:MAX_NAMES], *([f"+{more:,}"] if more > 0 else [])])


def format_counts(kinds: Counter[str]) -> str:
    """Return counts such as "2 Node, 14 Pod"."""
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items()))


def nothing_read(dump: Dump) -> Message:
    """Return the error for a text without objects that the scheduler reads."""
    left_out = dump.left_out
    if left_out.cut:
        line, _ = left_out.cut
        return Message(
            "the text is truncated at line {line:,}, and contains no whole object that the scheduler reads", line=line
        )
    if left_out.said and not left_out.kinds and not dump.objects:
        return Message(
            "the text contains no objects, only messages of kubectl: {lines}", lines=", ".join(left_out.said)
        )
    if kinds := sorted(left_out.kinds.keys() - {"?"}):
        return Message("the text contains no object that the scheduler reads, only {kinds}", kinds=", ".join(kinds[:9]))
    return Message("the text contains no object that the scheduler reads")
