"""The web's one door to scheduler_core: read a text within this site's limits, and sum up what it holds."""

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from django.conf import settings

import scheduler_core
from kschedui.language import spoken
from kschedui.scenarios import lessons
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.messages import Message
from scheduler_core.explain.records import AttemptExplanation
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Limits, ParseWarning, Scenario, ScenarioError, ScenarioErrors, parse_scenario
from scheduler_core.trace.events import AnyEvent

DRAWN_NODES = 48
DRAWN_PODS = 40  # of one node
DRAWN_WAITING = 36


def limits() -> Limits:
    """What a stranger's text may hold."""
    known = settings.LIMITS
    return Limits(
        bytes=known["scenario_bytes"],
        documents=known["documents"],
        nodes=known["nodes"],
        pods=known["pods"],
        values=known["yaml_values"],
        depth=known["yaml_depth"],
        alias_nodes=known["yaml_aliases"],
    )


def read(text: str, kubernetes: str = "") -> Scenario:
    """Parse; raises ScenarioErrors with a place and a sentence for each reason. `kubernetes`: instead of the text's."""
    plugins, release = known_plugins(outside_plugins()), RELEASES.get(kubernetes)
    return parse_scenario(text, limits(), plugins, release, lessons.problems)


def simulate(scenario: Scenario) -> Iterator[AnyEvent]:
    """The events of a run, with the plugins of other packages too."""
    return scheduler_core.simulate(scenario, {**REGISTRY, **outside_plugins()})


def explain(text: str, attempt: int, nodes: Sequence[str] | None, kubernetes: str = "") -> AttemptExplanation:
    """Why an attempt of a stored text's run went as it did; see `scheduler_core.explain`."""
    return scheduler_core.explain(read_again(text, kubernetes), attempt, nodes, {**REGISTRY, **outside_plugins()})


@lru_cache(maxsize=2)  # a large one takes hundreds of megabytes
def read_again(text: str, kubernetes: str = "") -> Scenario:
    """`read` for a stored text that is asked about many times."""
    return read(text, kubernetes)


def error_row(error: ScenarioError) -> dict[str, Any]:
    """An error as the API gives it, in the visitor's language."""
    place = {"document": error.document, "line": error.line, "column": error.column, "path": error.path}
    return {"message": spoken(error.message), **place, "fix": fix(error.message)}


def warning_row(warning: ParseWarning) -> dict[str, Any]:
    """The same of a warning."""
    place = {"document": warning.document, "line": warning.line, "path": warning.path}
    return {"message": spoken(warning.message), **place, "fix": fix(warning.message)}


def fix(message: Message) -> dict[str, Any]:
    """What an editor may mend: {value: the JSON found, instead: the JSON of what may be meant}, as far as known."""
    found: dict[str, Any] = {name: message.values[name] for name in ("value", "instead") if name in message.values}
    for part in message.values.values():
        if isinstance(part, Message):
            found |= fix(part)
    return found


def error_rows(errors: ScenarioErrors) -> list[dict[str, Any]]:
    """All of them."""
    return [error_row(error) for error in errors.errors]


def nodes_and_pods(scenario: Scenario) -> tuple[list[Node], list[Pod]]:
    """Those that are there at the start, in load order."""
    nodes = [found for found in scenario.objects if isinstance(found, Node)]
    return nodes, [found for found in scenario.objects if isinstance(found, Pod)]


def summary(scenario: Scenario) -> dict[str, Any]:
    """What a card shows without reading the text again: counts, the cluster's drawing, the lesson's words.

    {nodes, pods, drawing: {nodes: [{name, cpu, pods: [[cpu, priority]]}], waiting: [[cpu, priority]]}, lesson}
    """
    nodes, pods = nodes_and_pods(scenario)
    created = [event.object for event in scenario.events if event.action == "create"]
    drawing = {"nodes": drawn_nodes(nodes, pods), "waiting": drawn_waiting(pods)}
    return {
        "nodes": len(nodes) + sum(isinstance(found, Node) for found in created),
        "pods": len(pods) + sum(isinstance(found, Pod) for found in created),
        "drawing": drawing,
        "kubernetes": scenario.release.version,
        "lesson": msgspec.to_builtins(lessons.read(scenario)),
    }


def drawn_nodes(nodes: list[Node], pods: list[Pod]) -> list[dict[str, Any]]:
    """The first nodes with their running pods, in millicores."""
    on_node: dict[str, list[list[int]]] = {node.name: [] for node in nodes[:DRAWN_NODES]}
    for pod in pods:
        if pod.node_name in on_node and len(on_node[pod.node_name]) < DRAWN_PODS:
            on_node[pod.node_name].append([pod.requests.get("cpu", 0), pod.priority])
    return [
        {"name": node.name, "cpu": node.allocatable.get("cpu", 0), "pods": on_node[node.name]}
        for node in nodes[:DRAWN_NODES]
    ]


def drawn_waiting(pods: list[Pod]) -> list[list[int]]:
    """The first pods that wait, those of high priority first."""
    waiting = sorted((pod for pod in pods if not pod.node_name), key=lambda pod: -pod.priority)
    return [[pod.requests.get("cpu", 0), pod.priority] for pod in waiting[:DRAWN_WAITING]]


def manifest(text: str, kind: str, namespace: str, name: str) -> Any:
    """An object as its author wrote it, from the start of the run or from its timeline; None if there is none."""
    scenario = read_again(text)
    created = (event.object for event in scenario.events if event.object is not None)
    for found in itertools.chain(scenario.objects, created):
        kinds = {type(found).__name__.lower(), getattr(found, "kind", "").lower()}
        if found.name == name and getattr(found, "namespace", "") == namespace and kind.lower() in kinds:
            return found.manifest or None
    return None
