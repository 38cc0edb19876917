"""The field table of Challenge (kschedui.io/v1alpha1). Unknown fields are errors."""

from __future__ import annotations

from typing import get_args

from scheduler_core.scenario.challenge import AnswerKind
from scheduler_core.scenario.fields.common_fields import OBJECT_META
from scheduler_core.scenario.fields.scenario_fields import EXPECTATION
from scheduler_core.scenario.fields.schema import ANY, INT64, LOCALIZED, STRING, Enum, Fields, ListOf, strings

ANSWER_KINDS: tuple[str, ...] = get_args(AnswerKind)

_VARIANT = Fields(
    "ChallengeVariant",
    {
        "title": LOCALIZED,
        "objects": ListOf(ANY),
        "remove": ListOf(Fields("RemovedObject", strings("kind namespace name"))),
        "expect": EXPECTATION,
    },
    {
        "title": "what is different, shown once the answer was tried",
        "objects": "whole objects, which are added, or replace those of the same kind and name",
        "remove": "objects of the scenario that the variant does not have",
        "expect": "the required outcome, as spec.expect of the Scenario",
    },
)

CHALLENGE = Fields(
    "Challenge",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": OBJECT_META,
        "spec": Fields(
            "ChallengeSpec",
            {
                "asks": ListOf(Enum(ANSWER_KINDS, "kind of document")),
                "seeds": ListOf(INT64),
                "variants": ListOf(_VARIANT),
                "solution": STRING,
            },
            {
                "asks": "the documents that are the answer; SchedulerPlugin and KubeSchedulerConfiguration when absent",
                "seeds": "each variant is run with each of them; absent: with the scenario's own",
                "variants": "clusters that the answer must hold in besides the scenario itself; hidden until tried",
                "solution": "an answer that holds, for `kschedui check`; shown to nobody",
            },
        ),
    },
)
