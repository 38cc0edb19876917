"""`kschedui import FILE ...`: converts dumps, manifests and exports to one scenario without secrets."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from kschedui.cli.inputs import LIMITS, MAX_BYTES, conversion, hints, in_file, open_input
from kschedui.cli.record import add_cluster_arguments, cluster_errors
from kschedui.cli.unusable import Unusable
from kschedui.recording.api_server import ApiServer
from kschedui.recording.listing import list_cluster
from kschedui.recording.other_tools import (
    SIMKUBE_LACKS,
    SIMULATOR_LACKS,
    NoRecording,
    is_simkube_trace,
    is_simulator_recording,
    read_simkube_trace,
    read_simulator_recording,
)
from kschedui.recording.recording import Recording
from kschedui.scenarios import importers
from kschedui.scenarios.imported import IMPORTED, Conversion, Imported
from kschedui.scenarios.intake import import_source
from scheduler_core import ScenarioError
from scheduler_core.apis.messages import Message

HEAD_BYTES = 1 << 16  # enough for the first line of a recording


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="- reads standard input; several become one scenario")
    parser.add_argument("--cluster", action="store_true", help="read the cluster of the kubeconfig instead of files")
    add_cluster_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the output file (default: standard output)")
    parser.add_argument(
        "--autoscaler",
        nargs="?",
        const="",
        choices=("", "cluster-autoscaler", "karpenter"),
        help="add the cluster's autoscaler, which acts in the run: node groups with their sizes, or NodePools and "
        "NodeClaims; without a name Karpenter if the cluster has NodePools",
    )
    parser.add_argument("--quiet", action="store_true", help="print no notes about what was left out")
    parser.add_argument("--strict", action="store_true", help="exit status 1 if the text is truncated")


def run(options: Namespace) -> int:
    if options.cluster == bool(options.files):
        raise Unusable("import needs either files or --cluster")
    imported = import_cluster(options) if options.cluster else convert_files(options.files, options.autoscaler)
    if not options.quiet:
        sys.stderr.writelines(f"{note}\n" for note in imported.notes)
    if options.output:
        try:
            Path(options.output).write_text(imported.text, encoding="utf-8")
        except OSError as error:
            raise Unusable(f"cannot write {options.output}: {error.strerror}") from None
    else:
        sys.stdout.write(imported.text)
    return int(options.strict and imported.cut)


def convert_files(names: list[str], autoscaler: str | None = None) -> Imported:
    """Convert all files to one text. Raises Unusable, which names the file."""
    if autoscaler is not None and len(names) > 1:
        raise Unusable("--autoscaler reads one file; put the objects into one")
    parts = []
    for name in names:
        with open_input(name) as source:
            parts.append(convert(name, source, autoscaler=autoscaler))
    if len(parts) == 1:
        return parts[0]
    joined = without_titles("---\n".join(part.text for part in parts))
    release = next((part.release for part in parts if part.release), "")
    imported = convert("the files together", io.BytesIO(joined.encode()), release)
    imported.notes[:0] = [note for part in parts for note in part.notes]
    return imported


def import_cluster(options: Namespace) -> Imported:
    """Return the objects of a cluster as a scenario; print notes on the kinds that cannot be read. Raises Unusable."""
    with cluster_errors():
        dump, notes = list_cluster(ApiServer.of_kubeconfig(options.context), options.namespace)
    try:
        imported = importers.convert_dump(dump, conversion(autoscaler=options.autoscaler))
    except ScenarioError as error:
        raise Unusable(in_file("the cluster", error)) from None
    if not options.quiet:
        sys.stderr.writelines(f"{note}\n" for note in notes)
    return imported


def convert(name: str, source: BinaryIO, release: str = "", autoscaler: str | None = None) -> Imported:
    """Convert a file of any supported tool. Raises Unusable."""
    head = source.peek(HEAD_BYTES) if isinstance(source, io.BufferedReader) else b""
    try:
        if is_simulator_recording(head):
            return as_import(read_simulator_recording(source), SIMULATOR_LACKS)
        if is_simkube_trace(head):
            return as_import(read_simkube_trace(source.read(MAX_BYTES), LIMITS), SIMKUBE_LACKS)
    except NoRecording as error:
        raise Unusable(f"{name}: {error}") from None
    try:
        return import_source(source, Conversion(LIMITS, MAX_BYTES, release, autoscaler=autoscaler))
    except ScenarioError as error:
        raise Unusable("\n".join([in_file(name, error), *hints(name, head)])) from None


def as_import(recording: Recording, notes: Iterable[Message]) -> Imported:
    """Return another tool's recording as a scenario."""
    out = io.StringIO()
    recording.write(out)
    return Imported(out.getvalue(), list(notes))


def without_titles(text: str) -> str:
    """Return the text without the Scenario documents that imports have added; the whole gets a new one."""
    return "---\n".join(part for part in text.split("---\n") if IMPORTED not in part)
