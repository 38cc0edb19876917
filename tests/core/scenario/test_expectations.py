"""spec.expect of pods that controllers create: they are named by their owner and number."""

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
