"""The text of a scenario file: documents, Lists, YAML as kubectl reads it, limits, and the lines of problems."""

# ruff: noqa: E501 - tables of cases read best with one case a line

from __future__ import annotations

import json

import pytest

from scheduler_core.apis.core import Pod
from scheduler_core.scenario.objects.nodes import _taints
from scheduler_core.scenario.objects.pods import _scheduling_gates
from scheduler_core.scenario.parse import ScenarioError, ScenarioErrors, field_catalogue, parse_scenario
from scheduler_core.scenario.reading.documents import read_documents
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.reading.yaml_composer import resolve_plain
from tests.builders import node, pod, scenario


def errors_of(text: str, limits: Limits | None = None) -> tuple[ScenarioError, ...]:
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(text, limits)
    return caught.value.errors


def only_error(text: str, limits: Limits | None = None) -> ScenarioError:
    errors = errors_of(text, limits)
    assert len(errors) == 1, errors
    return errors[0]


def data_of(text: str) -> list[dict[str, object]]:
    problems = Problems()
    documents = read_documents(text, Limits(), problems)
    assert not problems.count
    return [document.data for document in documents]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0755", 493),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", 1000),
        ("-5", -5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("yes", True),
        ("off", False),
        ("~", None),
        ("", None),
        ("2001-01-01", "2001-01-01"),
        ("1:30", "1:30"),
        ("08", 8),
        ("-0_899", -899),
        ("0b2", "0b2"),
        ("1_0.5", 10.5),
        (".5_0", ".5_0"),
        (".inf", ".inf"),
        ("1.2.3", "1.2.3"),
        ("500m", "500m"),
    ],
)
def test_plain_scalars_are_read_as_kubectl_reads_them(text: str, value: object) -> None:
    assert resolve_plain(text) == value
    assert type(resolve_plain(text)) is type(value)


def test_y_and_n_without_quotes_are_letters() -> None:
    found = data_of("labels: {app: y, tier: N, debug: yes}")
    assert found == [{"labels": {"app": "y", "tier": "N", "debug": True}}]


def test_json_and_yaml_and_lists_hold_the_same_objects() -> None:
    first, second = node("n1"), pod("a")
    in_yaml = "# comment\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: c, image: x}\n"
    assert len(parse_scenario(in_yaml).objects) == 2  # with its namespace
    several = parse_scenario(scenario(first, second))
    assert (
        several.objects
        == parse_scenario(json.dumps({"kind": "List", "apiVersion": "v1", "items": [first, second]})).objects
    )
    pods = {"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": second["metadata"], "spec": second["spec"]}]}
    assert [found.name for found in parse_scenario(json.dumps(pods)).objects if isinstance(found, Pod)] == ["a"]


def test_anchors_and_merge_keys_work_within_a_document() -> None:
    assert data_of("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\nc: *x") == [
        {"a": {"k": 1, "l": 2}, "b": {"k": 1, "l": 3}, "c": {"k": 1, "l": 2}}
    ]


def test_documents_without_content_are_not_counted() -> None:
    error = only_error("# head\n---\n---\n# comment only\n---\nkind: Pod\n")
    assert (error.document, error.line, error.path) == (1, 6, "apiVersion")


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a: 1\nb: [1, 2\nc: 3\n", 3, "not valid YAML"),
        ("a: 1\n---\nb: 1\nb: 2\n", 4, '"b" occurs twice'),
        ("a: 1\nb: *nowhere\n", 2, "alias *nowhere"),
        ("a: !!python/object:os.system {}\n", 1, "tag"),
        ("a: !!binary aGk=\n", 1, "tag"),
        ("a: 1\nb: \x00\n", 2, "U+0000"),
        ("a: \ud800\n", 1, "U+D800"),
        ("? [a, b]\n: 1\n", 1, "key must be a string"),
        ("- a\n- b\n", 1, "must be a mapping"),
        ("just text\n", 1, "must be a mapping"),
        ("", 1, "no documents"),
        ("# only a comment\n", 1, "no documents"),
        ('{"a": 1, "a": 2}', 1, '"a" occurs twice'),
        ('{"apiVersion": "v1", "kind": "Pod"', 1, "not valid YAML"),
    ],
)
def test_text_that_is_no_yaml_is_refused_with_its_line(text: str, line: int, part: str) -> None:
    found = errors_of(text)[-1]
    assert found.line == line
    assert part in found.message


def billion_laughs() -> str:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for above, here in zip("abcdefgh", "bcdefghi", strict=True):
        rows.append(f"{here}: &{here} [{', '.join([f'*{above}'] * 9)}]")
    return "\n".join(rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (billion_laughs(), "aliases add more than 10000 values"),
        ("a: &a x\nb: [" + "*a, " * 100_000 + "]", "aliases add more than 10000 values"),
        ("---\n".join(["a: &a x\nb: [" + "*a, " * 4000 + "]\n"] * 3), "aliases add more than 10000 values"),
        ("[" * 100_000, "nested deeper than 64 levels"),
        ("{a: " * 100_000, "nested deeper than 64 levels"),
        ('{"a": ' * 70 + "1" + "}" * 70, "nested deeper than 64 levels"),
    ],
)
def test_tricks_end_in_one_located_sentence(text: str, message: str) -> None:
    errors = errors_of(text)
    assert errors[-1].message == message
    assert errors[-1].line


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(bytes=100), "bytes; the limit is 100"),
        (Limits(nodes=1), "2 nodes; the limit is 1"),
        (Limits(pods=2), "3 pods; the limit is 2"),
        (Limits(events=0), "1 events; the limit is 0"),
        (Limits(documents=3), "more than 3 documents"),
    ],
)
def test_scenario_beyond_a_limit_is_refused_with_a_sentence(limits: Limits, message: str) -> None:
    text = scenario(node("n1"), node("n2"), pod("a"), pod("b"), events=[{"at": 1, "create": pod("c")}])
    assert message in only_error(text, limits).message


def test_problem_names_document_line_column_and_field_path() -> None:
    text = scenario(node("n1")) + (
        "\n---\n# the second\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n"
        "  - name: main\n    image: x\n    resources:\n      requests:\n        memory: 1Gi\n        cpu: 1 core\n"
    )
    error = only_error(text)
    assert (error.document, error.line, error.column) == (2, 15, 9)
    assert str(error) == (
        'document 2, line 15, spec.containers[0].resources.requests.cpu: "1 core" is not a quantity; '
        "expected a number with an optional suffix such as 500m or 2Gi"
    )


def test_a_number_without_a_float_is_text_in_json_as_in_yaml() -> None:
    first = {**node("n1"), "x": 7.5}
    text = json.dumps(first).replace("7.5", "1e400")
    assert parse_scenario(text).objects[-1] == parse_scenario(text.replace('"x"', "x")).objects[-1]
    assert '"1e400"' in json.dumps(parse_scenario(text).objects[-1].manifest)


def test_problem_in_a_json_list_names_the_item() -> None:
    items = [node("n1"), {**node("n2"), "spec": {"unschedulable": "yes"}}]
    text = json.dumps({"kind": "List", "apiVersion": "v1", "items": items}, indent=1)
    error = only_error(text)
    assert error.path == "items[1].spec.unschedulable"
    assert error.message == '"yes" is a string; expected true or false'
    assert '"unschedulable": "yes"' in text.splitlines()[error.line - 1]


def test_problem_with_something_absent_is_where_it_should_be() -> None:
    error = only_error("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  nodeName: n1\n")
    assert (error.line, error.path) == (5, "spec.containers")


def test_all_problems_are_reported_in_document_order() -> None:
    text = scenario(pod("A"), node("n1", taints=["a:Never"]), pod("b", cpu="-1"), node("n1"))
    found = [(error.document, error.path) for error in errors_of(text)]
    assert found == [
        (1, "metadata.name"),
        (2, "spec.taints[0].effect"),
        (3, "spec.containers[0].resources.requests.cpu"),
        (4, "metadata.name"),
    ]


def test_reading_stops_at_a_hundred_problems() -> None:
    assert len(errors_of(scenario(*[pod(f"BAD{index}") for index in range(300)]))) == 100


def test_unknown_field_of_an_object_is_a_warning_with_a_suggestion() -> None:
    found = parse_scenario(scenario(pod("a", nodeSelecter={"disk": "ssd"})))
    warning = found.warnings[0]
    assert (warning.document, warning.path) == (1, "spec.nodeSelecter")
    assert warning.message == 'unknown field "nodeSelecter"; did you mean "nodeSelector"?'


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"apiVersion": "v1", "kind": "Pdo"}, 'no kind "Pdo" is known in "v1"; did you mean "Pod"?'),
        (
            {"apiVersion": "policy/v9", "kind": "PodDisruptionBudget"},
            'no kind "PodDisruptionBudget" is known in "policy/v9"; expected apiVersion policy/v1 or policy/v1beta1',
        ),
    ],
)
def test_unknown_kind_is_refused(document: dict[str, str], message: str) -> None:
    error = only_error(json.dumps(document))
    assert (error.path, error.message) == ("kind", message)


def test_a_custom_resource_is_left_out_with_a_warning() -> None:
    found = parse_scenario(scenario({"apiVersion": "example.com/v1", "kind": "Thing"}, node("n1")))
    assert [warning.message for warning in found.warnings] == ["Thing of example.com/v1 is not read and is left out"]


def test_an_extender_without_a_script_is_a_warning() -> None:
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "extenders": [{"urlPrefix": "http://a"}],
    }
    (warning,) = parse_scenario(scenario(configuration, node("n1"))).warnings
    assert (warning.path, "is never called" in warning.message) == ("extenders[0].urlPrefix", True)


def test_an_unknown_plugin_that_is_disabled_is_a_warning() -> None:
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"score": {"disabled": [{"name": "ImageLocalty"}]}}}],
    }
    (warning,) = parse_scenario(scenario(configuration, node("n1"))).warnings
    assert warning.message.startswith('no plugin "ImageLocalty" exists, so nothing is disabled; did you mean')


def test_a_pod_of_a_class_that_is_not_in_the_file_has_its_own_priority() -> None:
    found = parse_scenario(scenario(node("n1"), pod("a", priority=7, priority_class="gone")))
    assert found.objects[-1].priority == 7
    assert "the pod's own priority is used" in found.warnings[0].message


def test_kinds_that_have_no_part_in_scheduling_are_left_out_with_a_warning() -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {}}
    found = parse_scenario(scenario(node("n1"), config_map))
    assert [warning.message for warning in found.warnings] == ["ConfigMap has no part in scheduling and is left out"]


def test_catalogue_describes_the_tables_that_the_parser_uses() -> None:
    catalogue = json.loads(json.dumps(field_catalogue()))
    kinds = {entry["kind"]: entry for entry in catalogue["kinds"]}
    assert kinds["PodDisruptionBudget"]["apiVersion"] == "policy/v1"
    assert catalogue["types"]["Pod"]["spec"]["type"] == "PodSpec"
    assert catalogue["types"]["PodSpec"]["tolerations"] == {"type": "Toleration", "list": True}
    assert catalogue["types"]["Toleration"]["effect"]["values"] == ["NoSchedule", "PreferNoSchedule", "NoExecute"]
    assert "filter" in catalogue["plugins"]["NodeName"]
    assert kinds["Policy"]["apiVersion"] == "v1"
    assert "GeneralPredicates" in catalogue["types"]["PredicatePolicy"]["name"]["values"]
    assert "LeastRequestedPriority" in catalogue["types"]["PriorityPolicy"]["name"]["values"]
    named = {field["type"] for fields in catalogue["types"].values() for field in fields.values()}
    scalars = {
        "string",
        "integer",
        "number",
        "boolean",
        "quantity",
        "time",
        "duration",
        "enum",
        "any",
        "integer or percentage",
    }
    assert named - scalars <= set(catalogue["types"])


REAL_DUMP = """
apiVersion: v1
kind: List
metadata: {resourceVersion: ""}
items:
- apiVersion: v1
  kind: Node
  metadata:
    annotations: {node.alpha.kubernetes.io/ttl: "0", volumes.kubernetes.io/controller-managed-attach-detach: "true"}
    creationTimestamp: "2024-05-02T11:12:13Z"
    labels: {beta.kubernetes.io/arch: amd64, kubernetes.io/hostname: worker-1, node-role.kubernetes.io/worker: ""}
    managedFields: [{apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {}}, manager: kubelet}]
    name: worker-1
    resourceVersion: "4242"
    uid: 0a7c6a0e-0000-4444-8888-000000000001
  spec: {podCIDR: 10.42.1.0/24, podCIDRs: [10.42.1.0/24], providerID: "k3s://worker-1"}
  status:
    addresses: [{address: 10.0.0.5, type: InternalIP}]
    allocatable: {cpu: "4", ephemeral-storage: "30410876Ki", hugepages-1Gi: "0", memory: 8029304Ki, pods: "110"}
    capacity: {cpu: "4", ephemeral-storage: 31260Mi, hugepages-1Gi: "0", memory: 8129304Ki, pods: "110"}
    conditions: [{lastHeartbeatTime: "2024-06-01T00:00:00Z", message: ok, reason: KubeletReady, status: "True", type: Ready}]
    daemonEndpoints: {kubeletEndpoint: {Port: 10250}}
    images: [{names: ["docker.io/library/nginx@sha256:abc", "docker.io/library/nginx:1.27"], sizeBytes: 72000000}]
    nodeInfo: {architecture: amd64, kubeletVersion: v1.34.1, osImage: Debian GNU/Linux 12}
- apiVersion: v1
  kind: Pod
  metadata:
    creationTimestamp: "2024-06-01T10:00:00Z"
    generateName: web-7d9c-
    labels: {app: web, pod-template-hash: 7d9c}
    name: web-7d9c-x2x4v
    namespace: shop
    ownerReferences:
    - {apiVersion: apps/v1, blockOwnerDeletion: true, controller: true, kind: ReplicaSet, name: web-7d9c, uid: u}
    resourceVersion: "777"
    uid: 0a7c6a0e-0000-4444-8888-000000000002
  spec:
    containers:
    - env: [{name: A, value: b}]
      image: nginx:1.27
      imagePullPolicy: IfNotPresent
      livenessProbe: {httpGet: {path: /, port: 80}}
      name: nginx
      ports: [{containerPort: 80, name: http, protocol: TCP}]
      resources: {limits: {memory: 128Mi}, requests: {cpu: 50m, memory: 64Mi}}
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
      volumeMounts: [{mountPath: /var/run/secrets, name: kube-api-access, readOnly: true}]
    dnsPolicy: ClusterFirst
    enableServiceLinks: true
    nodeName: worker-1
    preemptionPolicy: PreemptLowerPriority
    priority: 0
    restartPolicy: Always
    schedulerName: default-scheduler
    securityContext: {}
    serviceAccount: default
    serviceAccountName: default
    terminationGracePeriodSeconds: 30
    tolerations: [{effect: NoExecute, key: node.kubernetes.io/not-ready, operator: Exists, tolerationSeconds: 300}]
    volumes: [{name: kube-api-access, projected: {defaultMode: 420, sources: []}}]
  status:
    conditions: [{lastProbeTime: null, lastTransitionTime: "2024-06-01T10:00:05Z", status: "True", type: Ready}]
    containerStatuses:
    - {name: nginx, ready: true, restartCount: 0, image: nginx, imageID: x, containerID: y, started: true,
       allocatedResources: {cpu: 50m, memory: 64Mi}, resources: {requests: {cpu: 50m, memory: 64Mi}}}
    hostIP: 10.0.0.5
    phase: Running
    podIP: 10.42.1.7
    podIPs: [{ip: 10.42.1.7}]
    qosClass: Burstable
    startTime: "2024-06-01T10:00:01Z"
"""


def test_real_dump_is_read_without_a_warning() -> None:
    found = parse_scenario(REAL_DUMP)
    assert found.warnings == ()
    (web,) = [one for one in found.objects if isinstance(one, Pod)]
    assert (web.key, web.node_name, web.requests["cpu"]) == ("shop/web-7d9c-x2x4v", "worker-1", 50)
    assert web.start_time
    assert web.start_time < web.creation_timestamp + 2


NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"


def test_a_flat_list_of_millions_of_values_is_refused_at_the_limit() -> None:
    with pytest.raises(ScenarioErrors, match="line 4: more than 1,000 values"):
        parse_scenario(f"{NODE}x: [{'1,' * 5_000}1]", Limits(values=1_000))


def test_many_taints_and_gates_are_compared_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    class Counted(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    count = 3_000
    taints = [{"key": Counted(f"k{i}"), "effect": Counted("NoSchedule")} for i in range(count)]
    gates = [{"name": Counted(f"k{i}")} for i in range(count)]
    assert (
        len(_taints(taints, (), Problems())) == len(_scheduling_gates({"schedulingGates": gates}, Problems())) == count
    )
    assert compared < 20 * count


WITH_ALLOCATABLE = """apiVersion: v1
kind: Node
metadata: {{name: n1}}
status: {{allocatable: {}}}"""


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a:\n  cpu: '4'\n   memory: 8Gi\n", 3, "this line is indented 1 deeper than the line above"),
        ("a:\n    b:\n      c: 1\n   d: 2\n", 4, "no line above is indented by 3, as this one is"),
        ("kind: Pod\nname: {{ .Release.Name }}\n", 2, "this is a template; paste what `helm template` prints"),
        ("{{- if .Values.on }}\nkind: Pod\n{{- end }}\n", 1, "this is a template; paste what `helm template` prints"),
        (WITH_ALLOCATABLE.format('{cpu: 500mi, pods: "1"}'), 4, '"500mi" is not a quantity; did you mean "500m"?'),
        (WITH_ALLOCATABLE.format('{memory: 2GB, pods: "1"}'), 4, '"2GB" is not a quantity; did you mean "2Gi"?'),
        (
            WITH_ALLOCATABLE.format('{memory: 2Go, pods: "1"}'),
            4,
            "expected a number with an optional suffix such as 500m or 2Gi",
        ),
    ],
)
def test_slips_of_yaml_and_of_quantities_are_reported_with_a_suggestion(text: str, line: int, words: str) -> None:
    error = only_error(text)
    assert (error.line, words in str(error.message)) == (line, True), error


def test_a_node_without_resources_is_warned_of() -> None:
    scenario = parse_scenario(WITH_ALLOCATABLE.format("").partition("\nstatus")[0])
    assert [str(warning.message) for warning in scenario.warnings] == [
        "it is missing, so that no pod fits on this node"
    ]
