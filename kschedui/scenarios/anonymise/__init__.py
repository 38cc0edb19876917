"""Replaces the names in a scenario: nodes, namespaces, pods, workloads, labels, images and zones get readable generated
names.

The result depends only on the text, a name is replaced by the same name everywhere, and names keep their order, so that
the run differs only in its names. The mapping belongs to the owner of the original.

`static/js/intake/naming.js` does the same before a dump leaves the browser, with the same table; a test requires equal
output of both.
"""

from __future__ import annotations

import msgspec

from kschedui.scenarios import compact_yaml
from kschedui.scenarios.anonymise.names import Manifest, Names
from kschedui.scenarios.anonymise.renaming import Renaming
from scheduler_core.scenario.parse import Limits, ScenarioErrors
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.problems import Problems


class Anonymised(msgspec.Struct):
    """An anonymised scenario.

    `mapping`: original -> generated name; `label_keys`: the same for the keys of labels and taints.
    """

    text: str
    mapping: dict[str, str] = {}
    label_keys: dict[str, str] = {}


def anonymise(text: str, limits: Limits) -> Anonymised:
    """Anonymise a text. Raises ScenarioErrors if it is not well-formed."""
    problems = Problems()
    documents = [document.data for document in read_documents(text, limits, problems)]
    if errors := problems.errors():
        raise ScenarioErrors(errors)
    renamed, mapping, keys = rename(documents)
    return Anonymised(compact_yaml.write_all(renamed), mapping, keys)


def rename(objects: list[Manifest]) -> tuple[list[Manifest], dict[str, str], dict[str, str]]:
    """Return the objects with replaced names, and the two mappings."""
    names = Names()
    for manifest in objects:
        names.collect(manifest)
    mapping, keys = names.mapping(), names.number("key")
    renaming = Renaming(mapping, keys, names.owners)
    return [renaming.value(manifest, ()) for manifest in objects], mapping, keys
