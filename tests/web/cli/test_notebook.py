"""kschedui.notebook: scenarios in Python and Jupyter. The example in docs/ is run by a real kernel."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from kschedui import notebook as ks
from scheduler_core import decisions
from scheduler_core.trace.events import PodBound
from tests.builders import node, pod, scenario
from tests.conftest import ROOT

EXAMPLE = ROOT / "docs/example.ipynb"
PREEMPTION = scenario(
    node("n1", cpu=2), node("n2", cpu=1), pod("low", cpu=1.5, node="n1"), pod("high", cpu=1.8, priority=1000), pod("b")
)


@pytest.fixture(scope="module")
def run() -> ks.Run:
    return ks.simulate(ks.read_text(PREEMPTION))


def outputs(notebook: Any) -> list[list[str]]:
    """Return the output of each cell: its texts and pictures."""
    return [
        [
            *([output["text"]] if "text" in output else []),
            *(output.get("data", {}).get(kind, "") for kind in ("text/plain", "image/svg+xml")),
        ]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    ]


def test_the_example_runs_and_shows_what_it_showed(monkeypatch: pytest.MonkeyPatch) -> None:
    """To accept a change, run `.venv/bin/jupyter-execute --inplace docs/example.ipynb`."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)  # as in a user's notebook
    stored = nbformat.read(EXAMPLE, as_version=4)
    nbformat.validate(stored)
    executed = nbformat.read(EXAMPLE, as_version=4)
    NotebookClient(executed, timeout=None, kernel_name="python3", resources={"metadata": {"path": ROOT}}).execute()
    shown = outputs(executed)
    assert sum(bool(texts[-1]) for texts in shown) == 2, "two pictures"
    assert shown == outputs(stored)


def test_it_needs_no_settings_of_django() -> None:
    code = f"from kschedui import notebook as ks; print(ks.simulate(ks.read_text({PREEMPTION!r})).step(-1).svg)"
    env = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    ElementTree.fromstring(done.stdout)


def test_the_table_of_decisions_says_what_the_records_say(run: ks.Run) -> None:
    records = [record for record in decisions(run.events) if "attempt" in record]
    table = run.decisions()
    assert list(table.attempt) == [record["attempt"] for record in records]
    assert list(table.outcome) == [record["outcome"] for record in records] == ["Nominated", "Scheduled", "Scheduled"]
    first = table.iloc[0]
    assert (first.node, first.nominated_node, first.victims) == ("", "n1", ["default/low"])
    assert (first.feasible, first.rejected) == (0, 2)
    assert "Insufficient cpu" in first.message


def test_a_pod_that_is_never_tried_has_a_row_with_the_reason() -> None:
    gated = pod("gated", schedulingGates=[{"name": "example.com/quota"}])
    table = ks.simulate(ks.read_text(scenario(node("n1"), gated))).decisions()
    assert list(table.attempt) == [0]
    assert list(table.outcome) == ["NotTried"]
    assert "example.com/quota" in table.message[0]


def test_the_nodes_of_an_attempt_have_their_scores_or_what_rejected_them(run: ks.Run) -> None:
    rejected = run.nodes(1).set_index("node")
    assert not rejected.feasible.any()
    assert set(rejected.plugin) == {"NodeResourcesFit"}
    scored = run.nodes(2).set_index("node")
    assert scored.feasible.all()
    plugins = scored.columns.difference(["feasible", "plugin", "reasons", "total"])
    assert "NodeResourcesFit" in plugins
    assert list(scored[plugins].sum(axis=1)) == list(scored.total)
    with pytest.raises(ks.Unusable, match="no attempt 99"):
        run.nodes(99)
    with pytest.raises(ks.Unusable, match="no attempt 0"):
        run.nodes(0)


def test_the_pods_of_the_end(run: ks.Run) -> None:
    assert {pod: (state, node) for pod, state, node in run.pods().itertuples(index=False)} == {
        "default/high": ("bound", "n1"),
        "default/b": ("bound", "n1"),
        "default/low": ("deleted", ""),
    }


def test_steps_are_the_events_with_their_pods_and_times(run: ks.Run) -> None:
    steps = run.steps()
    assert list(steps.event) == [type(event).__name__ for event in run.events]
    bound = steps[steps.event == "PodBound"]
    assert set(bound.pod) == {"default/high", "default/b"}
    assert list(bound.step) == [n for n, event in enumerate(run.events) if isinstance(event, PodBound)]
    assert "high still fits its nominated node n1." in set(steps.sentence)


def test_the_parts_of_the_time_of_pods_are_a_table() -> None:
    run = ks.simulate(ks.read_text(scenario(node("n1", cpu=2), pod("a"), bindingSeconds=2)))
    times = run.times()
    assert list(times.columns)[:5] == ["pod", "cause", "start", "end", "step"]
    assert times.iloc[0, :4].to_list() == ["default/a", "binding", 0.0, 2.0]
    assert run.step(int(times.step[0])).svg


def test_a_step_is_a_picture_of_that_step(run: ks.Run, tmp_path: Path) -> None:
    steps = run.steps()
    eviction = int(steps[steps.event == "VictimEvicted"].step.iloc[0])
    picture = run.step(eviction)
    drawn = picture._repr_svg_()
    texts = [text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert "low on n1 is evicted for high." in texts
    assert any(text.endswith(f"step {eviction} of {len(run.events) - 1}") for text in texts if text)
    assert drawn != run.step(eviction - 1).svg
    assert run.step(-1).svg == run.step(len(run.events) - 1).svg
    picture.save(tmp_path / "step.svg")
    assert (tmp_path / "step.svg").read_text() == drawn
    with pytest.raises(IndexError):
        run.step(len(run.events))


def test_what_if_decides_the_last_attempt_again() -> None:
    run = ks.simulate(ks.read_text(scenario(node("n1", cpu=1), node("n2", cpu=4, unschedulable=True), pod("a", cpu=2))))
    answer = run.what_if("a", ks.cordon("n2", on=False))
    assert (answer.before.node, answer.after.node, answer.attempt) == ("", "n2", 1)
    assert next(answer.nodes().itertuples(index=False))[:2] == ("n2", "gained")
    assert "after:  bound to n2" in repr(answer)
    with pytest.raises(ks.Unusable, match="there is no pod or workload nobody"):
        run.what_if("nobody", ks.cordon("n2"))
    with pytest.raises(ks.NotPossible):
        run.what_if("a", ks.cordon("n9"))


def test_an_edited_scenario_runs_from_the_start_on_its_release() -> None:
    text = scenario(node("n1", cpu=1), pod("a", cpu=1), pod("b", cpu=1))
    scenario_1_30 = ks.read_text(text, kubernetes_version="1.30")
    run = ks.simulate(ks.edited(scenario_1_30, ks.AddNodes("n1")))
    assert set(run.pods().state) == {"bound"}
    assert "kube-scheduler 1.30" in repr(run)


def test_what_is_ignored_is_a_warning_and_what_is_wrong_an_error(tmp_path: Path) -> None:
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}}
    with pytest.warns(ks.ScenarioWarning, match="Lease"):
        ks.read_text(scenario(node("n1"), lease))
    with pytest.raises(ks.ScenarioErrors):
        ks.read_text("kind: Node\napiVersion: v1\nmetadata: {}\n")
    with pytest.raises(ks.Unusable, match="cannot read"):
        ks.read_file(tmp_path / "none.yaml")


def test_the_guide_names_every_public_name_that_there_is() -> None:
    guide = (ROOT / "docs/python.md").read_text()
    types = {"Edit", "Picture", "Run", "Scenario", "Side", "WhatIf"}  # of results
    assert not [name for name in ks.__all__ if name not in types and name not in guide]
    calls = set(re.findall(r"`(?:run\.)?(\w+)\(", guide)) - {"nodes", "save"}
    assert not [name for name in calls if not hasattr(ks, name) and not hasattr(ks.Run, name)]
    columns = {*ks.DECISIONS, *ks.NODES, *ks.PODS, *ks.STEPS}
    assert not [column for column in columns if f"`{column}`" not in guide]
