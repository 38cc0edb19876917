"""Scenarios in Python and Jupyter: a run, its decisions as tables, its steps as pictures, what-if questions.

    from kschedui import notebook as ks

    run = ks.simulate(ks.read_file("cluster.yaml"))
    run.decisions()                                   # a pandas DataFrame
    run.step(12)                                      # a picture, in the output of a cell
    run.what_if("web", ks.cordon("node-1"))

The tables need pandas: `pip install 'kschedui[notebook]'`. docs/python.md is the guide, docs/example.ipynb an example.

Units: `time` is virtual seconds since the start of the run. CPU is in millicores, memory in bytes. Pods are named
`namespace/name`. A step is one event of the trace, with the number that it has in the player's links, from 0. An
attempt is one try to schedule a pod, from 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kschedui.cli import inputs
from kschedui.cli.explain import known_pod
from kschedui.cli.inputs import Input
from kschedui.cli.simulate import records
from kschedui.cli.unusable import Unusable
from kschedui.cli.what_if import outcome_words
from kschedui.runs.cluster_drawing import ClusterDrawing
from kschedui.scenarios import outside_plugins, yaml_text
from kschedui.web.pages.pictures import alone
from kschedui.web.pages.pictures.step_words import pod_of, sentence_of
from scheduler_core import RunEnded, Scenario, ScenarioErrors, decisions
from scheduler_core.ask.durations import Durations, Part
from scheduler_core.ask.editing.edits import (
    AddNodes,
    DisablePlugin,
    Edit,
    NotPossible,
    Remove,
    SetField,
    SetStrategy,
    SetWeight,
    cordon,
)
from scheduler_core.ask.editing.text import apply_edits
from scheduler_core.ask.moments.judge import Judgement, NodeChange, Side, judge
from scheduler_core.ask.moments.moment import before_attempt
from scheduler_core.trace.events import AnyEvent, ClockAdvanced, CycleStarted

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "AddNodes",
    "DisablePlugin",
    "Edit",
    "NotPossible",
    "Picture",
    "Remove",
    "Run",
    "RunEnded",
    "Scenario",
    "ScenarioErrors",
    "ScenarioWarning",
    "SetField",
    "SetStrategy",
    "SetWeight",
    "Side",
    "Unusable",
    "WhatIf",
    "cordon",
    "edited",
    "read_file",
    "read_text",
    "simulate",
]

DECISIONS = (
    "attempt",
    "time",
    "pod",
    "outcome",
    "node",
    "feasible",
    "rejected",
    "nominated_node",
    "victims",
    "message",
)
NODES = ("node", "feasible", "plugin", "reasons", "total")
PODS = ("pod", "state", "node")
STEPS = ("step", "time", "event", "pod", "sentence")
TIMES = ("pod", *Part.__struct_fields__)
WHAT_IF = ("node", "change", "before", "after", "total_before", "total_after")


class ScenarioWarning(UserWarning):
    """The warning for a part of the input that is ignored, or was left out of a dump."""


def read_file(path: str | Path, *, kubernetes_version: str | None = None) -> Scenario:
    """Return the scenario in a file: a scenario, manifests, or the output of kubectl, as the command line reads it.

    `kubernetes_version` ("1.34") overrides the release that the file names. Warns with a ScenarioWarning of each part
    that is ignored or left out. Raises Unusable with every error of the file, one per line.
    """
    return _warned(inputs.read(str(path), kubernetes_version))


def read_text(text: str, *, kubernetes_version: str | None = None) -> Scenario:
    """Return the scenario in a text; see `read_file`. Raises ScenarioErrors with the line of each error."""
    return _warned(inputs.from_content("text", text.encode(), kubernetes_version))


def edited(scenario: Scenario, *edits: Edit) -> Scenario:
    """Return the scenario with edits applied to its text, to simulate it from the start.

    Raises NotPossible if an object or field to edit does not exist, and ScenarioErrors if the result is not valid.
    """
    return read_text(apply_edits(scenario.text, edits, yaml_text.write), kubernetes_version=scenario.release.version)


def simulate(scenario: Scenario) -> Run:
    """Run the scenario to its end, with the plugins of installed packages. Raises RunEnded at one of its limits."""
    return Run(scenario, tuple(outside_plugins.simulate(scenario)))


class Run(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A finished run. `events` is the trace, one event per step; its types are in scheduler_core.trace.events."""

    scenario: Scenario
    events: tuple[AnyEvent, ...]

    def __repr__(self) -> str:
        title = f"{self.scenario.title}: " if self.scenario.title else ""
        return f"<Run {title}{len(self.events):,} steps, kube-scheduler {self.scenario.release.version}>"

    def decisions(self) -> DataFrame:
        """Return a row for each attempt, and for each pod that was never tried.

        `attempt`: 0 if it was never tried. `time`: virtual seconds. `outcome`: Scheduled, Unschedulable, Nominated,
        Error or NotTried. `node`: "" unless it was scheduled. `feasible`, `rejected`: numbers of nodes.
        `nominated_node` and `victims` (a list of pods): the result of preemption. `message`: why it stays pending.
        """
        return _table([_decision_row(record) for record in self._attempts], DECISIONS)

    def nodes(self, attempt: int) -> DataFrame:
        """Return a row for each node that an attempt evaluated: first the feasible ones, then the rejected ones.

        `plugin` and `reasons` say what rejected the node. `total` is its score, and one more column for each Score
        plugin has its share of that: the normalized score (0 to 100) times the weight of the plugin. They are missing
        (NA) where nodes were not scored, as when only one is feasible. Raises Unusable without such an attempt.
        """
        record = next((record for record in self._attempts if record["attempt"] == attempt and attempt), None)
        if record is None:
            raise Unusable(f"the run has no attempt {attempt}")
        scores = record["scores"]
        rows = [
            {"node": node, "feasible": True, "plugin": "", "reasons": "", "total": record["totals"].get(node)}
            | {plugin: by_node[node][2] for plugin, by_node in scores.items() if node in by_node}
            for node in record["feasible"]
        ]
        rows += [
            {"node": node, "feasible": False, "plugin": status["plugin"], "reasons": ", ".join(status["reasons"])}
            for node, status in record["filter"].items()
        ]
        return _table(rows, (*NODES, *scores), numbers=("total", *scores))

    def pods(self) -> DataFrame:
        """Return a row for each pod at the end: `state` is bound, pending or deleted, `node` "" unless bound."""
        final = self._records[-1]["final"]
        rows = [{"pod": pod, "state": "bound", "node": node} for pod, node in final["bound"].items()]
        for state in ("pending", "deleted"):
            rows += [{"pod": pod, "state": state, "node": ""} for pod in final[state]]
        return _table(rows, PODS)

    def steps(self) -> DataFrame:
        """Return a row for each step: its number, `time` in virtual seconds, the name of its event, the pod that it is
        about, and a sentence ("" for kinds of events that have none).
        """
        rows = []
        time, cycle = 0.0, self.events[:1]
        for number, event in enumerate(self.events):
            time = event.time if isinstance(event, ClockAdvanced) else time
            cycle = (event,) if isinstance(event, CycleStarted) else cycle
            pod = pod_of([*cycle, event])
            sentence = sentence_of(event, _name(pod), str)
            rows.append({"step": number, "time": time, "event": type(event).__name__, "pod": pod, "sentence": sentence})
        return _table(rows, STEPS)

    def times(self) -> DataFrame:
        """Return a row for each part of the time of each pod, from its creation until it was ready (ask/durations.py).

        `start` and `end` are in virtual seconds, `cause` says what the pod waited for, `step` where the part begins.
        """
        durations = Durations()
        for step, event in enumerate(self.events):
            durations.take(step, event)
        rows = [
            {"pod": duration.pod, **msgspec.structs.asdict(part)}
            for duration in durations.of.values()
            for part in duration.parts
        ]
        return _table(rows, TIMES)

    def step(self, number: int) -> Picture:
        """Return the cluster right after a step, as the site's `picture.svg?step=N` draws it.

        Columns are nodes, as tall as their allocatable CPU; the pods in them are as tall as their CPU requests. Pods
        that wait are on the left; darker ones have a higher priority, and the pod that the step is about is yellow.
        Negative numbers count from the end. Raises IndexError.
        """
        number = range(len(self.events))[number]
        shown = self.events[: number + 1]
        cluster = ClusterDrawing()
        for event in shown:
            cluster.take(event)
        pod = pod_of(list(shown))
        foot = f"kube-scheduler {self.scenario.release.version} · step {number} of {len(self.events) - 1}"
        words = alone.PictureWords(
            self.scenario.title or f"Step {number}", sentence_of(shown[-1], _name(pod), str), foot
        )
        return Picture(alone.svg(cluster.drawing(subject=pod), words))

    def what_if(self, pod: str, *edits: Edit) -> WhatIf:
        """Return the last attempt of a pod, decided again with edits, together with the original decision.

        `pod` is `namespace/name`, a name that only one pod has, or a workload, of which one pod is used. Only this
        decision is computed; for a run that has the edits from the start, simulate `edited(scenario, ...)`. Raises
        Unusable if there is no such pod or it is never tried, and NotPossible if an edit is not possible.
        """
        key = known_pod(Input("the scenario", self.scenario), pod)
        attempts = [record["attempt"] for record in self._attempts if record["pod"] == key and record["attempt"]]
        if not attempts:
            raise Unusable(f"{key} is not tried in this run")
        moment = before_attempt(self.scenario, attempts[-1], outside_plugins.registry())
        plugins = outside_plugins.known_plugins(outside_plugins.outside_plugins())
        return WhatIf(attempts[-1], judge(moment, edits, plugins))

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        return list(records(self.events, self.scenario.release.version, decisions))

    @property
    def _attempts(self) -> Iterator[dict[str, Any]]:
        return (record for record in self._records if "attempt" in record)


class WhatIf(msgspec.Struct, frozen=True):
    """An attempt decided with edits and without. `judgement` is the complete result."""

    attempt: int
    judgement: Judgement

    @property
    def before(self) -> Side:
        """Return the original decision; `feasible` is a number of nodes."""
        return self.judgement.before

    @property
    def after(self) -> Side:
        """Return the decision with the edits."""
        return self.judgement.after

    def __repr__(self) -> str:
        before, after = outcome_words(self.before), outcome_words(self.after)
        return f"{self.judgement.pod}, attempt {self.attempt}\n  before: {before}\n  after:  {after}"

    def nodes(self) -> DataFrame:
        """Return the nodes that became feasible ("gained"), no longer are ("lost"), or have other scores ("moved").

        `before` and `after`: what rejected the node, "" if it was feasible. At most 200 nodes of each kind;
        `judgement.counts` has how many there are.
        """
        changes: dict[str, Sequence[NodeChange]] = {
            "gained": self.judgement.gained,
            "lost": self.judgement.lost,
            "moved": self.judgement.moved,
        }
        rows = [
            {
                "node": node.node,
                "change": change,
                "before": node.before,
                "after": node.after,
                "total_before": node.total_before,
                "total_after": node.total_after,
            }
            for change, nodes in changes.items()
            for node in nodes
        ]
        return _table(rows, WHAT_IF, numbers=("total_before", "total_after"))


class Picture(msgspec.Struct, frozen=True):
    """A drawing, as SVG; Jupyter shows it in the output of a cell."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture, {len(self.svg):,} characters of SVG>"

    def save(self, path: str | Path) -> None:
        """Write the drawing to an SVG file."""
        Path(path).write_text(self.svg, encoding="utf-8")


def _warned(source: Input) -> Scenario:
    """Return the scenario, after issuing its notes and warnings as ScenarioWarnings."""
    for line in inputs.warning_lines(source):
        warnings.warn(line, ScenarioWarning, stacklevel=3)
    return source.scenario


def _decision_row(record: dict[str, Any]) -> dict[str, Any]:
    preemption = record.get("preemption") or {}
    return {
        "attempt": record["attempt"],
        "time": record["time"],
        "pod": record["pod"],
        "outcome": record["outcome"],
        "node": record.get("node") or "",
        "feasible": len(record.get("feasible", ())),
        "rejected": len(record.get("filter", ())),
        "nominated_node": preemption.get("nominatedNode", ""),
        "victims": preemption.get("victims", []),
        "message": record.get("message") or "",
    }


def _name(pod: str) -> str:
    """Return the name in a key."""
    return pod.rpartition("/")[2]


def _table(rows: list[dict[str, Any]], columns: Sequence[str], numbers: Sequence[str] = ()) -> DataFrame:
    """Return a DataFrame with these columns, even without rows. `numbers`: columns of integers, some of them missing.

    Raises ImportError without pandas.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise ImportError("the tables of kschedui.notebook need pandas: pip install 'kschedui[notebook]'") from None
    return DataFrame(rows, columns=list(columns)).astype(dict.fromkeys(numbers, "Int64"))
