"""spec.expect can name pods that controllers create, by their owner and number."""

import pytest

from scheduler_core import parse_scenario, simulate, unmet_expectations

DEPLOYMENT = """apiVersion: v1
kind: Node
metadata: {name: n1}
status: {capacity: {cpu: '1', pods: '110'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: pause, resources: {requests: {cpu: 700m}}}]}
---
apiVersion: kschedui.io/v1alpha1
kind: Scenario
metadata: {name: named}
spec:
  untilSeconds: 5
  expect: {pods: {EXPECTED}, victims: [VICTIMS]}
"""


@pytest.mark.parametrize(
    ("expected", "victims", "unmet"),
    [
        ("default/web@1/0: n1, default/web@1/1: pending", "", []),
        ("web@1/0: n1", "", ["web@1/0: there is no such pod"]),  # of the namespace web@1
        ("default/web@1/1: n1", "", ["default/web@1/1: expected on n1, but it is pending"]),
        ("default/web@1/2: pending", "", ["default/web@1/2: there is no such pod"]),
        ("default/web@1/0: n1", "default/web@1/0", ["victims: expected default/web@1/0, got none"]),
    ],
)
def test_a_pod_of_a_workload_is_named_by_its_owner_and_number(expected: str, victims: str, unmet: list[str]) -> None:
    scenario = parse_scenario(DEPLOYMENT.replace("EXPECTED", expected).replace("VICTIMS", victims))
    assert list(map(str, unmet_expectations(scenario, simulate(scenario)))) == unmet


ROLLOUT = """
  events:
  - {at: 3, patch: {kind: Deployment, name: web, body: {spec: {template: {metadata: {labels: {revision: '2'}}}}}}}
"""


@pytest.mark.parametrize(
    ("strategy", "least", "unmet"),
    [
        ("{maxSurge: 1, maxUnavailable: 0}", 2, []),
        ("{maxSurge: 0, maxUnavailable: 1}", 1, []),
        ("{maxSurge: 0, maxUnavailable: 1}", 2, ["default/web: expected at least 2 available pods, got 1"]),
        ("{maxSurge: 0, maxUnavailable: 1}", 3, ["default/web: expected at least 3 available pods, got 2"]),  # never
    ],
)
def test_the_least_number_of_available_pods_counts_once_there_were_so_many(
    strategy: str, least: int, unmet: list[str]
) -> None:
    text = DEPLOYMENT.replace("cpu: '1'", "cpu: '4'").replace(
        "replicas: 2", f"replicas: 2\n  strategy: {{rollingUpdate: {strategy}}}"
    )
    text = text.replace(
        "  untilSeconds: 5\n", "  untilSeconds: 30\n  kubelet: {startSeconds: 1, stopSeconds: 1}" + ROLLOUT
    )
    text = text.replace("{pods: {EXPECTED}, victims: [VICTIMS]}", f"{{leastAvailable: {{web: {least}}}}}")
    scenario = parse_scenario(text)
    assert list(map(str, unmet_expectations(scenario, simulate(scenario)))) == unmet


def test_a_pod_that_was_deleted_is_gone_and_not_pending() -> None:
    text = DEPLOYMENT.replace(
        "  untilSeconds: 5\n", "  untilSeconds: 5\n  events: [{at: 2, delete: {kind: Pod, name: web@1/1}}]\n"
    )
    for outcome, unmet in (
        ("gone", []),
        ("pending", ["default/web@1/1: expected pending, but it is gone"]),
        ("n1", ["default/web@1/1: expected on n1, but it is gone"]),
    ):
        changed = text.replace("EXPECTED", f"default/web@1/1: {outcome}").replace("VICTIMS", "")
        scenario = parse_scenario(changed)
        assert list(map(str, unmet_expectations(scenario, simulate(scenario)))) == unmet
