"""`kschedui` in a terminal and in a pipeline: its output on both streams, and its exit status."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
import yaml

from kschedui.cli.main import main
from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from tests.builders import node, pod, scenario
from tests.conftest import ROOT
from tests.core.controllers.worlds import node as live_node
from tests.core.controllers.worlds import text as live_text
from tests.core.controllers.worlds import workload
from tests.dumps import SECRET, Cluster, as_json, as_yaml, listed

GOOD = scenario(node("n1"), pod("a", cpu=1), expect={"pods": {"default/a": "n1"}})


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this work tree, unpack it, and return the folder."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    ZipFile(made).extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_what_the_pages_need(wheel: Path, tmp_path: Path) -> None:
    for path in ("templates/home.html", "static/js/player/main.js", "locale/zh_Hans/LC_MESSAGES/django.mo"):
        assert (wheel / "kschedui" / "assets" / path).is_file()
    scripts = next(wheel.glob("*.dist-info/entry_points.txt")).read_text()
    assert "kschedui = kschedui.cli.main:run_as_script" in scripts
    assert "kubectl-kschedui = kschedui.cli.main:run_as_script" in scripts
    env = {**os.environ, "PYTHONPATH": str(wheel), "XDG_DATA_HOME": str(tmp_path)}
    env.pop("KSCHEDUI_DATA_DIR", None)
    ask = "from django.conf import settings; print(settings.TEMPLATES[0]['DIRS'][0], settings.DATA_DIR)"
    start = ["-c", f"import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'kschedui.settings'; {ask}"]
    output = subprocess.run([sys.executable, *start], env=env, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert output.stdout.split() == [str(wheel / "kschedui/assets/templates"), str(tmp_path / "kschedui")]
    lesson = wheel / "kschedui" / "scenarios" / "lessons" / "first-pod.yaml"
    check = [sys.executable, "-m", "kschedui", "check", str(lesson)]
    assert subprocess.run(check, env=env, cwd=tmp_path, check=False).returncode == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_check_is_green_when_every_promise_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", put("good.yaml", GOOD)]) == 0
    assert capsys.readouterr().out == "ok   good.yaml (kube-scheduler 1.36)\n1 of 1 as expected\n"


def test_check_counts_the_pods_that_stay_available(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    promise = {"leastAvailable": {"web": 1}}
    live = live_text(live_node("n1"), workload("Deployment", "web", replicas=1), expect=promise)
    assert main(["check", put("live.yaml", live)]) == 0
    assert capsys.readouterr().out == "ok   live.yaml (kube-scheduler 1.36)\n1 of 1 as expected\n"


BAD = {
    "no expect": (scenario(node("n1"), pod("a")), "promises nothing"),
    "a pod that is not there": (scenario(node("n1"), expect={"pods": {"default/b": "n1"}}), "there is no such pod"),
    "a pod that is not there, waiting": (scenario(node("n1"), expect={"pods": {"b": "pending"}}), "no such pod"),
    "another node": (scenario(node("n1"), pod("a"), expect={"pods": {"default/a": "n2"}}), "expected on n2"),
}


@pytest.mark.parametrize("case", BAD)
def test_check_fails_for_what_it_cannot_promise(folder: Path, case: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, sentence = BAD[case]
    assert main(["check", put("bad.yaml", text)]) == 1
    assert sentence in capsys.readouterr().out


CHALLENGE = """apiVersion: kschedui.io/v1alpha1
kind: Challenge
metadata: {name: mine}
spec:
  variants: [{title: Again, expect: {pods: {default/a: pending}}}]
  solution: |
    apiVersion: kschedui.io/v1alpha1
    kind: SchedulerPlugin
    metadata: {name: None}
    spec: {filter: 'false'}
"""


@pytest.mark.parametrize(
    ("text", "status", "output"),
    [
        (CHALLENGE, 0, "1 of 1 as expected"),
        (
            CHALLENGE.replace("'false'", "'true'"),
            1,
            "variant 2: the solution fails: default/a: expected pending",
        ),
        (CHALLENGE.split("  solution")[0], 1, "the challenge has no solution"),
        (CHALLENGE.replace("pods: {default/a: pending}", "victims: [1]"), 2, "expect.victims"),
    ],
)
def test_check_judges_the_solution_of_a_challenge(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, status: int, output: str
) -> None:
    cluster = scenario(node("n1"), pod("a"), expect={"pods": {"default/a": "pending"}})
    assert main(["check", put("challenge.yaml", f"{cluster}\n---\n{text}")]) == status
    assert output in "".join(capsys.readouterr())


def test_a_file_that_cannot_be_read_is_one_line_and_status_two(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put("broken.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: N1}\n")
    for command in (["simulate"], ["check"], ["explain", "a"]):
        assert main([*command, "broken.yaml"]) == 2
        assert "broken.yaml: document 1, line 3, metadata.name" in "".join(capsys.readouterr())
    assert main(["simulate", "absent.yaml"]) == 2
    assert capsys.readouterr().err == "kschedui: cannot read absent.yaml: No such file or directory\n"


def test_a_warning_goes_to_standard_error_and_fails_only_when_strict(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slipped = pod("a")
    slipped["spec"]["nodeSelektor"] = {"a": "b"}
    put("slip.yaml", scenario(node("n1"), slipped, expect={"pods": {"default/a": "n1"}}))
    for command in ("simulate", "check"):
        assert main([command, "slip.yaml"]) == 0
        assert 'unknown field "nodeSelektor"; did you mean "nodeSelector"?' in capsys.readouterr().err
        assert main([command, "--strict", "--quiet", "slip.yaml"]) == 1
        assert capsys.readouterr().err == ""


def test_several_files_make_one_answer_for_a_pipeline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [put("good.yaml", GOOD), put("bad.yaml", BAD["another node"][0])]
    assert main(["check", "--format", "junit", *files]) == 1
    suite = ElementTree.fromstring(capsys.readouterr().out)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert main(["check", "--format", "jsonl", *files]) == 1
    assert [json.loads(line)["ok"] for line in capsys.readouterr().out.splitlines()] == [True, False]


def test_simulate_is_short_unless_columns_are_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("many.yaml", scenario(*(node(f"n{i}") for i in range(50)), *(pod(f"p{i}", cpu=1) for i in range(5))))
    assert main(["simulate", "many.yaml"]) == 0
    short = capsys.readouterr().out
    first = json.loads(short.splitlines()[0])
    assert (first["pod"], first["outcome"], first["feasible"]) == ("default/p0", "Scheduled", 50)
    assert main(["simulate", "--columns", "many.yaml"]) == 0
    long = capsys.readouterr().out
    assert len(json.loads(long.splitlines()[0])["totals"]) == 50
    assert len(short) * 20 < len(long)
    assert main(["simulate", "--format", "table", "many.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split()[2:4] == ["Scheduled", "default/p0"]


def test_columns_are_the_records_of_the_recorded_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The keys for a gated pod and a scheduled one are those of kube-scheduler's records."""
    text = scenario(node("n1"), pod("web", cpu=1), pod("gated", gates=["example.com/quota"]), kubernetesVersion="1.35")
    put("gated.yaml", text)
    expected = list(decisions(simulate(parse_scenario(text))))
    for more in ([], ["--kubernetes-version", "1.35"]):
        assert main(["simulate", "--columns", *more, "gated.yaml"]) == 0
        assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == expected
    assert "kubernetesVersion" not in expected[-1]["final"]


def test_a_summary_counts_by_message(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("full.yaml", scenario(node("n1", cpu=1), *(pod(f"p{i}", cpu=1) for i in range(3))))
    assert main(["simulate", "--summary", "full.yaml"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["bound"], found["waiting"]) == (1, 2)
    assert [count for message, count in found["messages"].items() if "Insufficient cpu" in message] == [2]


def test_explain_says_what_blocks_and_how_near_the_nearest_node_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waits = pod("web", cpu="5")
    said = "0/3 nodes are available: 3 Insufficient cpu."
    waits["status"] = {"conditions": [{"type": "PodScheduled", "status": "False", "message": said}]}
    put("dump.yaml", scenario(node("n-16", cpu=4), node("n-17", cpu="4500m"), waits))
    assert main(["explain", "web", "dump.yaml"]) == 0
    output = capsys.readouterr().out
    assert "Too little cpu" in output
    nearer, farther = (
        f"nearest: {words} instead of 5" for words in ("n-17: Request 4.5 cpu", "n-16 and 1 more: Request 4 cpu")
    )
    assert output.index(nearer) < output.index(farther)
    assert "The cluster had 3 nodes at the attempt; the text has 2." in output
    assert main(["explain", "--format", "json", "web", "dump.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["causes"][0]["plugin"] == "NodeResourcesFit"
    assert main(["explain", "wbe", "dump.yaml"]) == 2


@pytest.mark.parametrize("write", [as_yaml, as_json])
def test_import_reads_standard_input_and_keeps_no_secret(
    write: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = write(listed(Cluster(nodes=3, pods=20, images=2).objects()))  # type: ignore[operator]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(dump.encode()))))
    assert main(["import", "-"]) == 0
    output = capsys.readouterr()
    assert "2 Secret" in output.err
    assert SECRET not in output.out + output.err
    kinds = [found["kind"] for found in yaml.safe_load_all(output.out)]
    assert (kinds.count("Node"), kinds.count("Pod")) == (3, 20)


def test_import_says_which_of_the_files_it_refuses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("good.yaml", GOOD)
    put("bad.yaml", "kind: [")
    assert main(["import", "good.yaml", "bad.yaml"]) == 2
    assert capsys.readouterr().err.startswith("kschedui: bad.yaml: document 1, line 1: ")


def test_a_dump_is_simulated_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("dump.yaml", as_yaml(listed(Cluster(nodes=3, pods=100, images=2).objects())))
    assert main(["simulate", "--summary", "dump.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["waiting"] == 1


def test_another_release_is_simulated_on_demand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("good.yaml", GOOD)
    assert main(["simulate", "--format", "events", "--kubernetes-version", "1.33", "good.yaml"]) == 0


@pytest.mark.parametrize("release", [version for version in RELEASES if version not in ("1.36", "1.37")])
def test_a_gang_is_refused_by_every_older_release_with_the_line_and_the_release(
    release: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put("gang.yaml", (ROOT / "tests/conformance/gang/001-gang-fits.yaml").read_text(encoding="utf-8"))
    assert main(["simulate", "--kubernetes-version", release, "gang.yaml"]) == 2
    output = capsys.readouterr().err
    assert f"gang.yaml: document 4, line 30, kind: Kubernetes {release} has no PodGroup" in output
    assert f"document 5, line 45, spec.schedulingGroup: Kubernetes {release} has no such field" in output


def test_the_management_command_is_the_same(folder: Path) -> None:
    put("good.yaml", GOOD)
    made = [
        subprocess.run(
            [sys.executable, *start, "good.yaml"], capture_output=True, text=True, cwd=folder, check=True
        ).stdout
        for start in ([str(ROOT / "manage.py"), "simulate"], ["-c", START, "simulate"])
    ]
    assert made[0] == made[1] != ""


START = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kschedui.cli.main import main; sys.exit(main())"


def test_the_example_for_github_actions_runs(folder: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), re.DOTALL)
    workflow = next(found for found in map(yaml.safe_load, blocks) if "jobs" in found)
    (folder / "scenarios").mkdir()
    put("scenarios/good.yaml", GOOD)
    put("kschedui", f"#!{sys.executable}\n{START}\n")
    Path("kschedui").chmod(0o755)
    steps = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    shell = [line for step in steps for line in step.splitlines() if not line.startswith("pip")]
    assert any("kschedui check" in line for line in shell)
    subprocess.run(
        ["sh", "-e", "-c", "\n".join(shell)], check=True, env={"PATH": f"{folder}:/usr/bin:/bin"}, cwd=folder
    )
    assert ElementTree.parse("kschedui.xml").getroot().get("failures") == "0"
