"""`spec.extenders` of a Scenario document: the scripted responses of the configured extenders. No server is called.

    extenders:
    - urlPrefix: http://licences.example/scheduler    # that of an extender in KubeSchedulerConfiguration
      filter:                                         # a rule that matches rejects; unresolvable ones first
      - pods: {matchLabels: {app: cad}}               # a label selector, {names: [...]}, a list of names; absent: all
        nodes: [node-1, node-2]
        reject: no licence left
        unresolvable: true                            # preemption would not help; false when absent
      prioritize:                                     # the first rule that matches gives the score; none: 0
      - nodes: {matchLabels: {licences: many}}
        score: 10                                     # 0 to 10
      preempt:                                        # nodes that are not candidates for preemption
      - nodes: [node-3]
      failures:
      - {verb: filter, message: connection refused, times: 2, pods: [default/web-1]}    # times absent: always

Binding needs no script: an extender with a bindVerb binds, unless a failure says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.scenario_fields import EXTENDER_VERBS, SELECTION
from scheduler_core.scenario.fields.schema import STRING, ListOf, check
from scheduler_core.scenario.objects.label_selectors import label_selector
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, invalid, required
from scheduler_core.scenario.types import (
    EVERYTHING,
    ExtenderFailure,
    ExtenderFilterRule,
    ExtenderPreemptRule,
    ExtenderPrioritizeRule,
    ExtenderScript,
    ExtenderVerb,
    Selection,
)

Manifest = Mapping[str, Any]


def extender_scripts(data: Any, path: Path, problems: Problems) -> tuple[ExtenderScript, ...]:
    """Build the scripts in document order; the types of `data` have been checked."""
    scripts: list[ExtenderScript] = []
    for index, entry in enumerate(data or ()):
        at = (*path, index)
        prefix = entry.get("urlPrefix") or ""
        if not prefix:
            problems.error(
                (*at, "urlPrefix"), required(Message("the urlPrefix of an extender in KubeSchedulerConfiguration"))
            )
        elif any(script.url_prefix == prefix for script in scripts):
            problems.error((*at, "urlPrefix"), duplicate(prefix))
        scripts.append(_script(entry, prefix, at, problems))
    return tuple(scripts)


def _script(data: Manifest, prefix: str, path: Path, problems: Problems) -> ExtenderScript:
    return ExtenderScript(
        prefix,
        filter=tuple(
            _filter_rule(entry, (*path, "filter", index), problems)
            for index, entry in enumerate(data.get("filter") or ())
        ),
        prioritize=tuple(
            _prioritize_rule(entry, (*path, "prioritize", index), problems)
            for index, entry in enumerate(data.get("prioritize") or ())
        ),
        preempt=tuple(
            ExtenderPreemptRule(*_pods_and_nodes(entry, (*path, "preempt", index), problems))
            for index, entry in enumerate(data.get("preempt") or ())
        ),
        failures=tuple(
            _failure(failure, (*path, "failures", index), problems)
            for index, failure in enumerate(data.get("failures") or ())
        ),
    )


def _filter_rule(data: Manifest, path: Path, problems: Problems) -> ExtenderFilterRule:
    message = data.get("reject") or ""
    if not message:
        problems.error((*path, "reject"), required(Message("the message with which the nodes are rejected")))
    pods, nodes = _pods_and_nodes(data, path, problems)
    return ExtenderFilterRule(message, pods, nodes, bool(data.get("unresolvable")))


def _prioritize_rule(data: Manifest, path: Path, problems: Problems) -> ExtenderPrioritizeRule:
    score = data.get("score")
    if score is None:
        problems.error((*path, "score"), required(Message("a score from 0 to 10")))
    elif not 0 <= score <= 10:
        problems.error((*path, "score"), invalid(score, Message("not in valid range [0, 10]")))
    pods, nodes = _pods_and_nodes(data, path, problems)
    return ExtenderPrioritizeRule(score or 0, pods, nodes)


def _failure(data: Manifest, path: Path, problems: Problems) -> ExtenderFailure:
    verb, message, times = data.get("verb") or "", data.get("message") or "", data.get("times")
    if verb not in EXTENDER_VERBS:
        problems.error((*path, "verb"), required(Message("filter, prioritize, preempt or bind")))
        verb = "filter"
    if not message:
        problems.error((*path, "message"), required(Message("the error that the call ends with")))
    if times is not None and times < 1:
        problems.error((*path, "times"), invalid(times, Message("must be at least 1")))
    pods = _selection(data.get("pods"), (*path, "pods"), problems, pods=True)
    return ExtenderFailure(cast(ExtenderVerb, verb), message, pods, times)


def _pods_and_nodes(data: Manifest, path: Path, problems: Problems) -> tuple[Selection, Selection]:
    return (
        _selection(data.get("pods"), (*path, "pods"), problems, pods=True),
        _selection(data.get("nodes"), (*path, "nodes"), problems, pods=False),
    )


def _selection(data: Any, path: Path, problems: Problems, *, pods: bool) -> Selection:
    """Build a selection from a list of names, or from names and a label selector; EVERYTHING if absent or invalid."""
    if data is None:
        return EVERYTHING
    shape = ListOf(STRING) if isinstance(data, list) else SELECTION
    if not check(shape, data, path, problems, strict=True):
        return EVERYTHING
    names = data if isinstance(data, list) else data.get("names") or ()
    selector = None
    if isinstance(data, dict) and ("matchLabels" in data or "matchExpressions" in data):
        selector = label_selector(data, path, problems)
    return Selection(frozenset(pod_key(name) if pods else name for name in names), selector)


def pod_key(name: str) -> str:
    """Return namespace/name of a pod or workload; without a namespace, it is in default."""
    return name if "/" in name else f"default/{name}"
