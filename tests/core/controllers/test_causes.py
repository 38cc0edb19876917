"""Every cause is a sentence in both languages, with any numbers."""

from __future__ import annotations

import re

import pytest

from scheduler_core.apis.messages import TranslatedMessage
from scheduler_core.controllers.causes import CAUSES, because, sentence


@pytest.mark.parametrize("name", CAUSES)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_cause_is_a_sentence(name: str, number: int) -> None:
    names = set(re.findall(r"\{(\w+)", CAUSES[name].en))
    assert names == set(re.findall(r"\{(\w+)", CAUSES[name].zh))
    text = sentence(because(name, **dict.fromkeys(names, number)))
    assert isinstance(text, TranslatedMessage)
    assert not re.search(r"[{}|]", text + text.chinese.format(**text.values))


def test_the_words_follow_the_numbers() -> None:
    values = {"owner": "ReplicaSet web", "active": 1}
    assert sentence(because("pods-too-many", **values, replicas=0)) == "ReplicaSet web has 1 pod, but needs only 0"
