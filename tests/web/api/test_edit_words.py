"""Descriptions of edits in the title of the fork that has them."""

from typing import Any

import pytest

from kschedui.ask.edit_rows import edits_of
from kschedui.ask.edit_words import edits_words

POD: dict[str, Any] = {"type": "set", "kind": "Pod", "name": "web", "namespace": "default"}
NODE: dict[str, Any] = {"type": "set", "kind": "Node", "name": "n1"}
CORDON = {**NODE, "path": ["spec", "unschedulable"], "value": True}
TERMS = ["spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]


@pytest.mark.parametrize(
    ("edits", "phrase"),
    [
        ([CORDON], "n1 cordoned"),
        ([{**CORDON, "value": None}], "n1 uncordoned"),
        ([CORDON, {**CORDON, "value": None}], "n1 uncordoned"),
        ([{**NODE, "path": ["metadata", "labels", "disk"], "value": "ssd"}], "n1 labelled disk=ssd"),
        ([{**NODE, "path": ["metadata", "labels", "disk"], "value": None}], "n1 without disk"),
        ([{**NODE, "path": ["spec", "taints"], "value": []}], "taints of n1 changed"),
        ([{**POD, "path": ["spec", "priority"], "value": 1000}], "web with priority 1000"),
        ([{**POD, "path": [*TERMS, 0, "topologyKey"], "value": "zone"}], "podAntiAffinity of web changed"),
        ([{**POD, "path": ["spec", "nodeName"], "value": "n" * 99}], f"web with nodeName {'n' * 59}…"),
        ([{"type": "remove", "kind": "Node", "name": "n1"}], "without n1"),
        ([{"type": "add-nodes", "like": "n1"}], "1 more node like n1"),
        ([{"type": "weight", "plugin": "ImageLocality", "weight": 5}], "ImageLocality with weight 5"),
        ([{"type": "disable", "plugin": "ImageLocality"}], "without ImageLocality"),
        ([{"type": "strategy", "strategy": "MostAllocated"}], "scored by MostAllocated"),
    ],
)
def test_an_edit_has_a_short_phrase(edits: list[dict[str, Any]], phrase: str) -> None:
    assert edits_words(edits_of(edits)) == phrase
