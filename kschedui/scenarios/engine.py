"""The interface of the web to scheduler_core: parses a text within this site's limits and summarizes it."""

import hashlib
import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from django.conf import settings

import scheduler_core
from kschedui.language import in_language
from kschedui.scenarios import parsed
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins, registry
from kschedui.work import progress
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.messages import Message
from scheduler_core.apis.rules import Rule
from scheduler_core.ask.replay.placing import place_decisions
from scheduler_core.explain.records import AttemptExplanation
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.challenge import Challenge
from scheduler_core.scenario.parse import Limits, ParseWarning, Scenario, ScenarioError, ScenarioErrors, parse_scenario
from scheduler_core.scenario.types import Limit, RunLimits
from scheduler_core.trace.events import AnyEvent

KEPT = 8_000_000  # characters of the texts whose scenarios stay in a process; these take about 17 times as much memory
DRAWN_NODES = 48
DRAWN_PODS = 40  # of one node
DRAWN_WAITING = 36


def limits() -> Limits:
    """Return the limits for a text of a visitor."""
    maximums = settings.LIMITS
    return Limits(
        bytes=maximums["scenario_bytes"],
        documents=maximums["documents"],
        nodes=maximums["nodes"],
        pods=maximums["pods"],
        values=maximums["yaml_values"],
        depth=maximums["yaml_depth"],
        alias_nodes=maximums["yaml_aliases"],
        run=RunLimits(
            Limit(maximums["run_steps"], setting_of("run_steps")),
            Limit(maximums["run_attempts"], setting_of("run_attempts")),
            Limit(maximums["virtual_seconds"], setting_of("virtual_seconds")),
            Limit(maximums["pods"], setting_of("pods")),
        ),
    )


def setting_of(limit: str) -> str:
    """Return the environment variable that sets a limit of settings.LIMITS."""
    return f"KSCHEDUI_MAX_{limit.upper()}"


def read(text: str, kubernetes: str = "") -> Scenario:
    """Parse a text. Raises ScenarioErrors with a place and a sentence for each error.

    `kubernetes` replaces the text's release, unless it is empty or not a known release.
    """
    evict(len(text))
    plugins, release = known_plugins(outside_plugins()), RELEASES.get(kubernetes)
    return place_decisions(parse_scenario(text, limits(), plugins, release, progress.report))


def simulate(scenario: Scenario) -> Iterator[AnyEvent]:
    """Yield the events of a run, with the plugins of other packages too."""
    return scheduler_core.simulate(scenario, registry())


def explain(text: str, attempt: int, nodes: Sequence[str] | None, kubernetes: str = "") -> AttemptExplanation:
    """Explain an attempt of a stored text's run; see `scheduler_core.explain`."""
    return scheduler_core.explain(read_again(text, kubernetes), attempt, nodes, registry())


def pack(scenario: Scenario) -> bytes:
    """Return the bytes that are stored with the text of a scenario, so that `read_stored` need not parse it."""
    return parsed.pack(scenario, mark())


def read_stored(text: str, kubernetes: str = "") -> Scenario:
    """Return the scenario of a text like `read`; if it was stored with the text, it is unpacked instead of parsed."""
    evict(len(text))
    stored = None if kubernetes else parsed.find_parsed(text, mark())
    return stored or read(text, kubernetes)


def mark() -> bytes:
    """Return a hash of everything that a parsed scenario depends on besides its text: engine, limits, outside
    plugins.
    """
    depends = scheduler_core.ENGINE_VERSION, limits(), known_plugins(outside_plugins())
    return hashlib.sha256(msgspec.json.encode(depends)).digest()


def read_again(text: str, kubernetes: str = "") -> Scenario:
    """Return the scenario of a text like `read_stored`; recently read scenarios are cached in this process."""
    key = text, kubernetes
    with _guard:
        if scenario := _scenarios.pop(key, None):
            _scenarios[key] = scenario
            return scenario
    scenario = read_stored(text, kubernetes)
    with _guard:
        _scenarios[key] = scenario
    return scenario


def evict(characters: int) -> None:
    """Remove the least recently used scenarios from the cache until a text of this length fits."""
    with _guard:
        while _scenarios and sum(len(text) for text, _ in _scenarios) + characters > KEPT:
            _scenarios.popitem(last=False)


def forget() -> None:
    """Empty the cache of scenarios, when memory is short."""
    with _guard:
        _scenarios.clear()


_scenarios: OrderedDict[tuple[str, str], Scenario] = OrderedDict()
_guard = threading.Lock()


def error_row(error: ScenarioError) -> dict[str, Any]:
    """Return an error as in the API's responses, in the visitor's language."""
    place = {"document": error.document, "line": error.line, "column": error.column, "path": error.path}
    return {"message": in_language(error.message), **place, "fix": fix(error.message)}


def warning_row(warning: ParseWarning) -> dict[str, Any]:
    """Return a warning as in the API's responses, in the visitor's language."""
    place = {"document": warning.document, "line": warning.line, "path": warning.path}
    return {"message": in_language(warning.message), **place, "fix": fix(warning.message)}


def fix(message: Message) -> dict[str, Any]:
    """Return a correction for the editor: {value: the JSON in the text, instead: the suggested JSON}, or {}."""
    values: dict[str, Any] = {name: message.values[name] for name in ("value", "instead") if name in message.values}
    for part in message.values.values():
        if isinstance(part, Message):
            values |= fix(part)
    return values


def error_rows(errors: ScenarioErrors) -> list[dict[str, Any]]:
    """Return the rows of all errors."""
    return [error_row(error) for error in errors.errors]


def nodes_and_pods(scenario: Scenario) -> tuple[list[Node], list[Pod]]:
    """Return the initial nodes and pods, in load order."""
    nodes = [item for item in scenario.objects if isinstance(item, Node)]
    return nodes, [item for item in scenario.objects if isinstance(item, Pod)]


def summary(scenario: Scenario) -> dict[str, Any]:
    """Return the summary that is stored with a version, so that cards need not parse the text.

    {nodes, pods, kubernetes, drawing: {nodes: [{name, cpu, pods: [[cpu, priority]]}], waiting: [[cpu, priority]]},
    rules, autoscaled, challenge}. Only if there are any: `rules`, those of SchedulerPlugins; `autoscaled`, True with
    node groups, an autoscaler or the descheduler; `challenge`, {asks, variants}.
    """
    nodes, pods = nodes_and_pods(scenario)
    created = [event.object for event in scenario.events if event.action == "create"]
    drawing = {"nodes": drawn_nodes(nodes, pods), "waiting": drawn_waiting(pods)}
    return {
        "nodes": len(nodes) + sum(isinstance(item, Node) for item in created),
        "pods": len(pods) + sum(isinstance(item, Pod) for item in created),
        "drawing": drawing,
        "kubernetes": scenario.release.version,
        **({"rules": msgspec.to_builtins(scenario.rules)} if scenario.rules else {}),
        **({"autoscaled": True} if scenario.node_groups or scenario.actors else {}),
        **({"challenge": challenge_summary(scenario.challenge)} if scenario.challenge else {}),
    }


def challenge_summary(challenge: Challenge) -> dict[str, Any]:
    """Return the public data of a challenge: {asks: kinds of documents, variants: their number with the original}."""
    return {"asks": list(challenge.asks), "variants": 1 + len(challenge.variants)}


def rules_of(summary: Mapping[str, Any] | None) -> list[Rule]:
    """Return the rules in a version's summary; [] without a summary."""
    return [msgspec.convert(rule, Rule) for rule in (summary or {}).get("rules", ())]


def drawn_nodes(nodes: list[Node], pods: list[Pod]) -> list[dict[str, Any]]:
    """Return {name, cpu, pods: [[cpu, priority], ...]} of the first nodes and their first pods, cpu in millicores."""
    on_node: dict[str, list[list[int]]] = {node.name: [] for node in nodes[:DRAWN_NODES]}
    for pod in pods:
        if pod.node_name in on_node and len(on_node[pod.node_name]) < DRAWN_PODS:
            on_node[pod.node_name].append([pod.requests.get("cpu", 0), pod.priority])
    return [
        {"name": node.name, "cpu": node.allocatable.get("cpu", 0), "pods": on_node[node.name]}
        for node in nodes[:DRAWN_NODES]
    ]


def drawn_waiting(pods: list[Pod]) -> list[list[int]]:
    """Return [cpu, priority] of the first pending pods, those of high priority first; cpu in millicores."""
    waiting = sorted((pod for pod in pods if not pod.node_name), key=lambda pod: -pod.priority)
    return [[pod.requests.get("cpu", 0), pod.priority] for pod in waiting[:DRAWN_WAITING]]


def manifest(text: str, kind: str, namespace: str, name: str) -> Any:
    """Return an object as its author wrote it, from the start or the timeline; None if there is none. Raises
    ScenarioErrors.
    """
    scenario = read_again(text)
    created = (event.object for event in scenario.events if event.object is not None)
    for item in itertools.chain(scenario.objects, created):
        kinds = {type(item).__name__.lower(), getattr(item, "kind", "").lower()}
        if item.name == name and getattr(item, "namespace", "") == namespace and kind.lower() in kinds:
            return item.manifest or None
    return None
