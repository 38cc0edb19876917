"""Questions from public reports: the first lines of each input give the question, the right answer and the command."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from kschedui.cli.main import main

INPUTS = Path(__file__).parent / "inputs"

Ask = Callable[..., str]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return a function that runs a command on the input with this number, and returns its stdout and stderr."""

    def run(command: str, number: str, *arguments: str, pod: str = "") -> str:
        [path] = INPUTS.glob(f"{number}-*")
        capsys.readouterr()
        assert main([command, *([pod] if pod else []), str(path), *arguments]) in (0, 1)
        captured = capsys.readouterr()
        return captured.out + captured.err

    return run


def test_04_the_patch_of_the_nodes_chooses_the_order_of_victims(ask: Ask) -> None:
    found = ask("simulate", "04", "--format", "table")
    assert "default/very-high                        node2" in found
    assert "your cluster runs 1.30.10" in found
    assert "victims are ordered by importance" in found


def test_06_nodes_decide_the_release_without_a_list(ask: Ask) -> None:
    found = ask("explain", "06", pod="new")
    assert "default/new: bound on b, kube-scheduler 1.30" in found
    assert "436  b" in found
    assert "Kubernetes 1.30 on 2 of 2 nodes" in found


def test_11_an_eviction_that_a_budget_refuses_names_the_policy_for_unready_pods(ask: Ask) -> None:
    found = ask("drain", "11", "--node", "n1")
    assert "Cannot evict pod as it would violate the pod's disruption budget." in found
    assert "unhealthyPodEvictionPolicy is AlwaysAllow" in found


def test_13_a_budget_whose_status_allows_nothing_is_kept(ask: Ask) -> None:
    assert "default/urgent                           n2" in ask("simulate", "13", "--format", "table")


def test_16_an_old_configuration_keeps_its_weights(ask: Ask) -> None:
    found = ask("explain", "16", pod="new")
    assert "default/new: bound on b, kube-scheduler 1.25" in found
    assert "NodeAffinity 1 (v1: 2)" in found
    assert "PodTopologySpread 1" not in found


@pytest.fixture
def decode(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return a function that decodes the input with this number from standard input, and returns the stdout."""

    def run(number: str) -> str:
        [path] = INPUTS.glob(f"{number}-*")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        assert main(["decode", "-"]) == 0
        return capsys.readouterr().out

    return run


def test_10_a_manifest_behind_a_printed_node_is_read(ask: Ask) -> None:
    found = ask("explain", "10", pod="web")
    assert "The pod requests 5 of cpu; n1 has 4 free" in found
    assert "truncated" not in found


def test_17_an_autoscaler_without_reasons_is_decoded(decode: Callable[[str], str]) -> None:
    found = decode("17")
    assert "A new node of any group would not have room" in found
    assert "3 nodes  MatchInterPodAffinity" in found


def test_19_the_autoscalers_log_names_group_and_reason(decode: Callable[[str], str]) -> None:
    found = decode("19")
    assert "eks-pool-a-d6bf7003: node(s) didn't match Pod's node affinity" in found
    assert "No node group is left" in found


def test_20_a_group_at_its_maximum_may_help(decode: Callable[[str], str]) -> None:
    found = decode("20")
    assert "more nodes of it may help. Raise its maximum." in found
    assert "would not help" not in found
    assert "1 node group  max node group size reached" in found


def test_22_karpenters_log_has_a_reason_for_each_pool(decode: Callable[[str], str]) -> None:
    found = decode("22")
    assert "default: unsatisfiable topology constraint for pod affinity" in found
    assert "No pod that the required podAffinity looks for" in found
    assert "batch: did not tolerate app=batch:NoSchedule" in found


def test_30_a_resource_that_no_node_offers_names_the_device_plugin(decode: Callable[[str], str]) -> None:
    found = decode("30")
    assert "device plugin is not running or a driver is missing" in found
    assert "already request so much" not in found


def test_01_a_rollout_that_waits_for_itself_names_its_strategy(ask: Ask) -> None:
    for command in ("explain", "fix"):
        found = ask(command, "01", pod="front-bbbb2-x")
        assert "Set maxSurge: 0 and maxUnavailable: 1" in found
        assert "Remove the label" not in found
        assert "priority" not in found
    assert "Add a node like w1" in found


def test_05_the_control_plane_is_a_domain_unless_taints_are_honoured(ask: Ask) -> None:
    found = ask("pending", "05")
    assert "Set nodeTaintsPolicy over kubernetes.io/hostname to Honor" in found
    assert "The domain kubernetes.io/hostname=cp has 0 matching pods" in found
    pod = found.split("test_")[0].split("           default/")[1].split()[0]
    fixed = ask("fix", "05", pod=pod)
    assert fixed.index("nodeTaintsPolicy over") < fixed.index("  2. ")
    assert "enough for all 7 pods" in fixed


def test_08_the_init_container_is_named(ask: Ask) -> None:
    explained, fixed = (ask(command, "08", pod="batch-b") for command in ("explain", "fix"))
    assert "The init container warm-up decides: it requests 3 cpu, the containers together 1." in explained
    assert "Request 1 cpu instead of 3 in init container warm-up" in fixed


def test_23_a_toleration_that_nearly_fits_is_named_first(ask: Ask) -> None:
    found = ask("pending", "23")
    assert "5  Taints that it does not tolerate. On other nodes: Labels that it asks for" in found
    assert "the effect of the toleration is PreferNoSchedule, that of the taint NoSchedule" in found
    assert "No node has" not in found


def test_27_a_gpu_node_in_the_zone_of_the_volume_is_proposed_first(ask: Ask) -> None:
    found = ask("fix", "27", pod="train")
    assert "1. Add a node like gpu-a in zone us-east-1b" in found
    assert found.index("Request no nvidia.com/gpu") > found.index("  2. ")


def test_32_the_taint_of_a_condition_goes_away_by_itself(ask: Ask) -> None:
    found = ask("fix", "32", pod="kube-system/coredns-5d78c9869d-abcde")
    assert "cp, w1: not Ready (taint node.kubernetes.io/not-ready). The taint goes away by itself" in found
    assert "network plugin (CNI): install it" in found
    assert "1. Uncordon w2" in found
    for change in found.split("Tolerate the taint node.kubernetes.io/not-ready")[1:]:
        assert "but: The taint says that the node cannot run pods well now" in change


def test_02_a_running_pod_that_breaks_its_rule_names_the_field(ask: Ask) -> None:
    for found in (ask("explain", "02", pod="app1-new-2"), ask("pending", "02")):
        assert "would not be scheduled to n1 now" in found
        assert "matchLabelKeys: [pod-template-hash]" in found
        assert "nothing moves a running pod later" in found


def test_03_a_victim_is_seen_and_what_becomes_of_it(ask: Ask) -> None:
    assert "worker: evicts default/agent-x" in ask("simulate", "03", "--format", "table")
    for found in (ask("explain", "03", pod="urgent"), ask("explain", "03", pod="agent-x"), ask("pending", "03")):
        assert "default/urgent preempts default/agent-x on worker" in found
        assert "DaemonSet agent recreates it, and it stays Pending" in found
        assert "1 Insufficient example.com/dummy" in found


def test_14_a_terminating_pod_of_a_stateful_set_is_waited_for(ask: Ask) -> None:
    found = ask("explain", "14", pod="ci-0")
    assert "default/ci-0: terminating on n1" in found
    assert "StatefulSet ci makes no second one before it is gone" in found
    assert "node.kubernetes.io/out-of-service" in found
    pending = ask("pending", "14")
    assert "ReplicaSet web-5d has made another one already: default/web-5d-new" in pending
    assert "default/ci-0  n1 -> " in ask("lose", "14", "--node", "n1")


def test_34_each_member_of_a_gang_has_its_own_reason(ask: Ask) -> None:
    found = ask("explain", "34", pod="w1")
    assert "pod group is unschedulable, waiting for minCount pods from a gang" in found
    assert "1 of 2 pods found a node" in found
    assert "Without a node: default/w2" in found
    assert "claim default/w1-gpu has it" not in found
    pending = ask("pending", "34")
    assert "1  Its pod group default/pair is not complete" in pending
    assert "1  Its resource claims" in pending


def test_a_workload_is_asked_about_by_its_name(ask: Ask) -> None:
    found = ask("explain", "23", pod="deploy/scaleout")
    assert "also 4 pods: " in found
    assert found.count(": waiting, kube-scheduler 1.25") == 1
    assert "scaleout-" in ask("fix", "23", pod="test/scaleout")


def test_explain_prints_the_score_of_each_plugin(ask: Ask) -> None:
    found = ask("explain", "06", pod="new")
    assert "96  NodeResourcesBalancedAllocation" in found
    assert "300  TaintToleration (100 x 3)" in found


def test_25_one_mistake_is_one_error_at_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    [path] = INPUTS.glob("25-*")
    assert main(["pending", str(path)]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line]
    assert len(lines) == 1
    assert "document 4, line 106, spec.template.spec.nodeSelector.affinity" in lines[0]


def test_26_a_field_in_the_wrong_place_is_named_with_its_place(ask: Ask) -> None:
    found = ask("pending", "26")
    assert "tolerations stands inside a container" in found
    assert (
        'line 69, spec.template.spec.nodeselector: unknown field "nodeselector"; did you mean "nodeSelector"?' in found
    )
    assert found.count("unknown field") == 1
    assert "2  Taints that it does not tolerate" in found


def test_29_a_described_node_is_read(ask: Ask) -> None:
    found = ask("pending", "29")
    assert "gpu-node-1: 3810m cpu" in found
    assert "extended resources: -" in found


def test_36_a_pod_takes_its_grace_to_end(ask: Ask) -> None:
    found = ask("simulate", "36", "--format", "table")
    assert "a: evicts default/low" in found
    assert "b: evicts default/mid" in found
    assert found.rstrip().endswith("default/high                             b")


# Messages that people posted, and sentences that the answer must contain.
MESSAGES = {
    "an error of binding, a claim and a volume elsewhere": (
        '  Warning  FailedScheduling  12s (x4 over 3m)  default-scheduler  running PreBind plugin "VolumeBinding": '
        "binding volumes: timed out waiting for the condition\n"
        '  Warning  FailedScheduling  9s  default-scheduler  persistentvolumeclaim "data-0" not found\n'
        '  Warning  FailedAttachVolume  2m  attachdetach-controller  Multi-Attach error for volume "pvc-1" Volume is '
        "already used by node\n",
        (
            "A node was found, but a plugin failed before the pod was bound to it",
            '\npersistentvolumeclaim "data-0" not found\n',
            "its volume is still attached to another one",
        ),
    ),
    "a cloud without instances": (
        '{"level":"ERROR","logger":"controller","message":"failed launching nodeclaim","NodeClaim":{"name":"gpu-1"},'
        '"error":"insufficient capacity, all requested instance types were unavailable during launch"}\n',
        ("The cloud has none of the instance types",),
    ),
    "limits of a NodePool": (
        '{"level":"DEBUG","message":"40 out of 458 instance types were excluded because they would breach limits"}\n',
        ("raise the limits",),
    ),
    "a scale-up that failed": (
        "  Normal   TriggeredScaleUp      3m  cluster-autoscaler  pod triggered scale-up: [{pool-1 1->2 (max: 5)}]\n"
        "  Warning  FailedToScaleUpGroup  2m  cluster-autoscaler  Scale-up failed for group pool-1: quota exceeded\n",
        ("New nodes are on their way", "The cloud did not add a node to the group"),
    ),
    "nodes that stay": (
        "I0430 18:32:17.878590  1 cluster.go:169] Node h1 cannot be removed: pod with local storage present: traefik\n"
        'reason: {messageId: "no.scale.down.node.pod.not.backed.by.controller"}\n',
        ("cannot be removed: pod with local storage present: traefik", "safe-to-evict", "not.backed.by.controller"),
    ),
    "a quota": (
        '  Warning  FailedCreate  2m (x15 over 4m)  replicaset-controller  Error creating: pods "web-5" is forbidden: '
        "exceeded quota: compute, requested: limits.cpu=1, used: limits.cpu=8, limited: limits.cpu=8\n",
        ("the scheduler never sees it", "exceeded quota: compute, requested: limits.cpu=1"),
    ),
    "the log of a scheduler, two pods": (
        'I0815 09:55:48.613828  1 schedule_one.go:826] "Unable to schedule pod; no fit; waiting" pod="oss/minio-0" '
        "err=\"0/12 nodes are available: 2 node(s) had volume node affinity conflict, 10 node(s) didn't match Pod's "
        'node affinity/selector."\n'
        'I0815 09:55:49.613828  1 schedule_one.go:826] "Unable to schedule pod; no fit; waiting" pod="oss/minio-1" '
        'err="0/12 nodes are available: 12 Too many pods."\n',
        ("A volume of the pod is bound to another node or zone", "12 of 12 nodes"),
    ),
    "Kueue's pod sets": (
        "  Warning  Pending  4m23s  kueue-admission  couldn't assign flavors to pod set job: insufficient quota for "
        "nvidia.com/gpu in flavor f, previously considered podsets requests (16) + current podset request (8) > "
        "maximum capacity (16)\n",
        ("it is never admitted: raise nominalQuota",),
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_each_of_several_messages_is_explained(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text, expected = MESSAGES[name]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["decode", "-"]) == 0
    found = capsys.readouterr().out
    for sentence in expected:
        assert sentence in found


def test_a_table_that_does_not_say_why_a_pod_waits_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pasted"
    path.write_text(
        "NAMESPACE   NAME     READY   STATUS    RESTARTS   AGE   IP       NODE     NOMINATED NODE   READINESS GATES\n"
        "t           client   0/1     Pending   0          5m    <none>   <none>   <none>           <none>\n\n"
        "NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   85m   v1.31.2\n"
    )
    assert main(["pending", str(path)]) == 0
    assert "prints neither requests nor rules, so that a run may place them: 1." in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["replicaCount: 3\nimage: {repository: nginx}\nresources: {}\n", "apiVersion: v2\nname: web\nversion: 0.1.0\n"],
)
def test_a_part_of_a_chart_is_answered_with_the_command_that_renders_it(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "values.yaml"
    path.write_text(text)
    assert main(["pending", str(path)]) == 2
    assert "helm template CHART --values VALUES" in capsys.readouterr().err


def test_claims_that_nobody_pasted_are_not_said_to_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pasted"
    path.write_text(
        "Name:       web\nNamespace:  shop\nNode:       <none>\nStatus:     Pending\n"
        "Containers:\n  web:\n    Image:  i\n"
        "Volumes:\n  data:\n    Type:       PersistentVolumeClaim\n    ClaimName:  data-web\nQoS Class:  Burstable\n"
        "Node-Selectors:  disktype=ssd\n\n"
        "NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   3d    v1.31.1\n"
    )
    assert main(["pending", str(path)]) == 0
    captured = capsys.readouterr()
    assert "Labels that it asks for" in captured.out
    assert "Claims that the text does not have were left out: data-web." in captured.err
