"""Removes from scenarios the fields of a cluster's objects that are not read, such as secrets."""

from __future__ import annotations

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import prune
from kschedui.scenarios.importers.reading.yaml_pieces import Piece, pieces, runs
from kschedui.work import progress
from scheduler_core.scenario.parse import Limits
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems


def reduce_text(text: str, limits: Limits) -> str:
    """Return the text without the objects and fields that scheduling does not read.

    Objects that lose nothing, and objects that cannot be parsed, stay as written.
    """
    texts, read = [], 0
    for piece in pieces(runs(text)):
        texts.append(_reduce(piece, limits))
        read += len(piece.text)
        progress.report(min(1.0, read / len(text)))
    return "---\n".join(filter(None, texts))


def _reduce(piece: Piece, limits: Limits) -> str:
    text = piece.text + "\n"
    problems = Problems()
    objects = [document.data for document in read_documents(text, limits, problems)]
    manifests = [prune(data, LeftOut()) for data in objects]
    return text if manifests == objects or problems.count else compact_yaml.write_all(filter(None, manifests))
