"""Challenges: the rules for their documents, what everybody may read of them, and the verdicts on those of the library.

Each challenge of the library is solved by its solution, and failed by its initial text and by texts that are almost
right.
"""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.challenge import (
    AnswerVerdict,
    BadVariant,
    answer_in,
    judge,
    split_challenge,
    variant_text,
    with_challenge,
)
from scheduler_core.scenario.parse import Limits, Scenario, ScenarioErrors
from scheduler_core.scenario.types import Limit, RunLimits

FOLDER = Path(__file__).parents[3] / "kschedui/scenarios/challenges"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))

RULE = """
apiVersion: kschedui.io/v1alpha1
kind: SchedulerPlugin
metadata: {name: Almost}
spec:
"""
ALMOST = {  # an answer that solves the scenario itself, and the first variant that it does not solve
    "challenge-weights": (
        """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      disabled: [{name: TaintToleration}]
""",
        1,
    ),
    "challenge-spot": (
        RULE
        + """
  filter: (pod.metadata.labels['tier'] == 'batch') == (node.metadata.labels['price'] == 'spot')
""",
        2,
    ),
    "challenge-gpu": (
        RULE
        + """
  filter: podRequests[?'nvidia.com/gpu'].orValue(0) > 0 || allocatable[?'nvidia.com/gpu'].orValue(0) == 0
""",
        1,
    ),
    "challenge-price": (
        RULE
        + """
  score: int(node.metadata.labels[?'price'].orValue('0'))
  normalize: Reversed
  weight: 1000
""",
        2,
    ),
    "challenge-three-per-node": (
        RULE
        + """
  filter: |
    pod.metadata.labels[?'tier'].orValue('') != 'batch' || pod.spec.priority >= 1000 ||
    node.metadata.labels[?'price'].orValue('') == 'spot' && pods.size() < 3
""",
        1,
    ),
    "challenge-one-database": (
        RULE
        + """
  filter: |
    node.metadata.labels[?'evict'].orValue('') == 'allowed' &&
    !pods.exists(p, p.metadata.labels[?'app'].orValue('') == 'database')
""",
        1,
    ),
    "challenge-rollout": (
        """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 50%}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: 'registry.k8s.io/web:1', resources: {requests: {cpu: '3', memory: 1Gi}}}]}
""",
        1,
    ),
    "challenge-drain": (
        """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 3, selector: {matchLabels: {app: web}}}
""",
        1,
    ),
}


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def verdicts(scenario: Scenario, answer: str) -> list[AnswerVerdict]:
    assert scenario.challenge is not None
    text, _ = split_challenge(scenario)
    return list(judge(text, scenario.challenge, answer, parse_scenario, simulate))


def test_there_are_eight_of_them_and_all_have_words_in_both_languages() -> None:
    assert len(NAMES) == 8
    for name in NAMES:
        scenario = parse_scenario(text_of(name))
        assert scenario.name == name
        assert scenario.challenge is not None
        assert len(scenario.challenge.variants) >= 2
        assert len(scenario.challenge.seeds) >= 2
        words = scenario.lesson
        assert all((words.title, words.title_zh, words.description, words.description_zh, words.level, words.topics))
        assert all(variant.title and variant.title_zh for variant in scenario.challenge.variants)
        assert not scenario.warnings


@pytest.mark.parametrize("name", NAMES)
def test_a_challenge_is_solved_by_its_solution(name: str) -> None:
    scenario = parse_scenario(text_of(name))
    assert scenario.challenge is not None
    made = verdicts(scenario, scenario.challenge.solution)
    assert [verdict.unmet for verdict in made if not verdict.holds] == []
    assert len(made) == 1 + len(scenario.challenge.variants)
    assert {verdict.seeds for verdict in made} == {len(scenario.challenge.seeds)}


@pytest.mark.parametrize("name", NAMES)
def test_a_challenge_is_not_solved_by_what_it_starts_with(name: str) -> None:
    scenario = parse_scenario(text_of(name))
    assert scenario.challenge is not None
    first, *_ = verdicts(scenario, answer_in(scenario.text, scenario.challenge.asks))
    assert not first.holds
    with suppress(BadVariant):  # for a timeline that changes the Deployment that an empty answer lacks
        assert not verdicts(scenario, "")[0].holds


@pytest.mark.parametrize("name", NAMES)
def test_only_a_variant_finds_an_answer_that_is_almost_right(name: str) -> None:
    answer, failed = ALMOST[name]
    made = verdicts(parse_scenario(text_of(name)), answer)
    assert made[0].holds, made[0].unmet
    assert next(verdict.number for verdict in made if not verdict.holds) == failed


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_as_a_text_of_its_own_ends_as_it_was_judged(name: str) -> None:
    answer, failed = ALMOST[name]
    scenario = parse_scenario(text_of(name))
    assert scenario.challenge is not None
    text, _ = split_challenge(scenario)
    verdict = verdicts(scenario, answer)[failed]
    played = variant_text(text, scenario.challenge, answer, verdict.variant, verdict.seed, json.dumps)
    alone = parse_scenario(played)
    assert alone.challenge is None
    assert alone.seed == verdict.seed
    (again, *_) = judge(played, scenario.challenge, answer, parse_scenario, simulate)
    assert again.unmet == verdict.unmet


CLUSTER = """apiVersion: v1
kind: Node
metadata: {name: n1}
status: {capacity: {cpu: '4', pods: '110'}}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: main, image: pause}]}
"""
EXPECT = """apiVersion: kschedui.io/v1alpha1
kind: Scenario
metadata: {name: mine}
spec: {expect: {pods: {default/a: pending}}}
"""
CHALLENGE = """apiVersion: kschedui.io/v1alpha1
kind: Challenge
metadata: {name: mine}
spec:
  variants:
  - {title: Secret, expect: {pods: {default/a: pending}}}
"""
IN_A_LIST = "apiVersion: v1\nkind: List\nitems:\n- " + CHALLENGE.replace("\n", "\n  ")


def joined(*documents: str) -> str:
    return "---\n".join(documents)


@pytest.mark.parametrize(
    "text",
    [
        joined(CLUSTER, EXPECT, CHALLENGE),
        joined(CHALLENGE, CLUSTER, EXPECT),
        joined(CLUSTER, CHALLENGE, EXPECT),
        "\ufeff" + joined(CHALLENGE, CLUSTER, EXPECT),
        joined(CLUSTER, CHALLENGE, EXPECT).replace("\n", "\r\n"),
    ],
)
def test_the_challenge_is_taken_out_of_the_text_wherever_it_stands(text: str) -> None:
    scenario = parse_scenario(text)
    left, challenge = split_challenge(scenario)
    assert "Secret" not in left
    assert "Challenge" not in left
    without = parse_scenario(left)
    assert (without.objects, without.expect, without.challenge) == (scenario.objects, scenario.expect, None)
    again = parse_scenario(with_challenge(left, challenge)).challenge
    assert again is not None
    assert scenario.challenge is not None
    assert again.variants == scenario.challenge.variants


def test_only_the_documents_that_are_asked_for_are_an_answer() -> None:
    rule = f"{RULE}  filter: 'false'\n"
    more_room = CLUSTER.replace("name: n1", "name: n2")
    assert answer_in(joined(more_room, rule, EXPECT), ["SchedulerPlugin"]) == rule.strip()
    assert answer_in(joined(more_room, rule, EXPECT), ["KubeSchedulerConfiguration"]) == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (joined(CLUSTER, CHALLENGE), "a challenge needs spec.expect in the Scenario document"),
        (joined(CLUSTER, EXPECT, CHALLENGE, CHALLENGE), "a file has at most one Challenge"),
        (joined(CLUSTER, EXPECT, CHALLENGE.replace("variants", "varaints")), "did you mean"),
        (joined(CLUSTER, EXPECT, CHALLENGE.replace("spec:", "spec:\n  seeds: [-1]")), "must be 0 or greater"),
        (joined(CLUSTER, EXPECT, CHALLENGE.replace("spec:", "spec:\n  seeds: [1,2,3,4,5,6]")), "must have at most 5"),
        (joined(CLUSTER, EXPECT, CHALLENGE.replace("spec:", "spec:\n  asks: [Pod]")), "Unsupported value"),
        (joined(CLUSTER, EXPECT, CHALLENGE.replace(", expect: {pods: {default/a: pending}}", "")), "expect: Required"),
        (joined(CLUSTER, EXPECT, CHALLENGE.replace("Secret,", "Secret, objects: [1],")), "a whole object"),
        (joined(CLUSTER, EXPECT, CHALLENGE.replace("Secret,", "Secret, remove: [{kind: Pod}],")), "kind and name"),
        (joined(CLUSTER, EXPECT, IN_A_LIST), "a document of its own"),
    ],
)
def test_a_challenge_that_cannot_be_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ScenarioErrors) as refused:
        parse_scenario(text)
    assert sentence in str(refused.value)


def test_a_variant_that_is_no_scenario_is_reported_as_such_and_not_as_the_learners_mistake() -> None:
    broken = CHALLENGE.replace(
        "Secret,", "Secret, objects: [{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: 7}}],"
    )
    with pytest.raises(BadVariant, match=r"Variant 2 of the challenge is invalid"):
        verdicts(parse_scenario(joined(CLUSTER, EXPECT, broken)), "")


def test_a_run_that_cannot_go_on_is_a_variant_that_does_not_hold() -> None:
    limits = Limits(run=RunLimits(attempts=Limit(0, "MAX_ATTEMPTS")))
    scenario = parse_scenario(joined(CLUSTER, EXPECT, CHALLENGE))
    assert scenario.challenge is not None
    text, _ = split_challenge(scenario)
    made = list(judge(text, scenario.challenge, "", lambda text: parse_scenario(text, limits), simulate))
    assert [verdict.holds for verdict in made] == [False, False]
    assert "MAX_ATTEMPTS" in made[0].unmet[0]
