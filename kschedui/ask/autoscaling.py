"""Questions about autoscalers for the site: the plan of one with its reasons, and a comparison of two."""

from __future__ import annotations

import msgspec

from kschedui.language import in_language
from kschedui.scenarios import engine, yaml_text
from kschedui.scenarios.other_autoscaler import NAMES, autoscaler_of, with_autoscaler
from kschedui.scenarios.outside_plugins import registry
from kschedui.work import progress
from scheduler_core.apis.messages import Message
from scheduler_core.ask.autoscale.answers import Autoscaling
from scheduler_core.ask.autoscale.comparison import Comparison, Name, compare
from scheduler_core.ask.autoscale.question import autoscale
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.text import end_at

MOST_PODS = 1000
MOST_NODES = 1000


class Answer(msgspec.Struct):
    """The answer about one autoscaler. `own`: the scenario's autoscaler, "" if it has none.

    `notes`: notes on the conversion of the scenario. `more_pods` and `more_nodes` count the entries that are left out.
    Pods list the instance types that a pool would not create only if the question names a pod.
    """

    asked: Name
    own: str
    notes: list[str]
    autoscaling: Autoscaling
    price: float | None
    more_pods: int = 0
    more_nodes: int = 0


class ComparedAutoscalers(msgspec.Struct):
    """A run with Cluster Autoscaler and a run with Karpenter on the load of a scenario. `own`, `notes`: see Answer."""

    own: str
    notes: list[str]
    comparison: Comparison


def ask(
    text: str, kubernetes: str, autoscaler: str = "", pod: str = "", node: str = "", at: float | None = None
) -> Answer:
    """Return the actions of an autoscaler; "": the scenario's own, or else Cluster Autoscaler.

    `pod`, `node`: only the answer about this one; the reasons by instance type are in that about a pod. Long lists are
    cut. `at`: the time of the run in seconds (see `autoscale`). Raises NotPossible if the autoscaler, the waiting pod
    or the node does not exist.
    """
    own = autoscaler_of(text)
    asked = _named(autoscaler) if autoscaler else own or NAMES[0]
    converted = with_autoscaler(text, asked)
    scenario = engine.read_again(converted.text, kubernetes)
    answers = autoscale(scenario, registry(), at, proves=not (pod or node), report_progress=progress.report)
    answer = next(answer for answer in answers if answer.actor == asked)
    if pod:
        answer.pods = [other for other in answer.pods if other.pod == _key(pod)]
        if not answer.pods:
            raise NotPossible(Message("no pod {pod} waits for a node", pod=_key(pod)))
    for waiting in answer.pods:
        waiting.types = waiting.types if pod else []
        waiting.changes = list(map(in_language, waiting.changes))
    if node:
        answer.nodes = [other for other in answer.nodes if other.node == node]
        if not answer.nodes:
            raise NotPossible(Message("no node {node} exists", node=node))
    answer.pods.sort(key=lambda waiting: waiting.outcome != "none")
    more = max(0, len(answer.pods) - MOST_PODS), max(0, len(answer.nodes) - MOST_NODES)
    answer.pods, answer.nodes = answer.pods[:MOST_PODS], answer.nodes[:MOST_NODES]
    return Answer(asked, own or "", list(map(in_language, converted.notes)), answer, answer.price, *more)


def compare_both(text: str, kubernetes: str) -> ComparedAutoscalers:
    """Return a comparison of both autoscalers on the scenario's load. Raises NotPossible or RunEnded."""
    converted = {name: with_autoscaler(text, name) for name in NAMES}
    scenarios = {name: engine.read_again(imported.text, kubernetes) for name, imported in converted.items()}
    comparison = compare(scenarios, registry(), report_progress=progress.report)
    notes = [in_language(note) for imported in converted.values() for note in imported.notes]
    return ComparedAutoscalers(autoscaler_of(text) or "", notes, comparison)


def scenario_with(text: str, autoscaler: str, until: float | None = None) -> str:
    """Return the scenario with an autoscaler. `until`: the time at which its run then ends; None: unchanged.

    Raises NotPossible.
    """
    converted = with_autoscaler(text, _named(autoscaler)).text
    return converted if until is None else end_at(converted, until, yaml_text.write)


def _named(autoscaler: str) -> Name:
    name = next((name for name in NAMES if name == autoscaler), None)
    if name is None:
        raise NotPossible(
            Message("no autoscaler {name} is known; expected cluster-autoscaler or karpenter", name=autoscaler)
        )
    return name


def _key(pod: str) -> str:
    return pod if "/" in pod else f"default/{pod}"
