"""`kschedui explain POD FILE`: explains why a pod was placed on its node, or why it is pending."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from kschedui.ask.advice_words import advice_words
from kschedui.ask.afterwards_words import broken_words, evicted_words, stuck_words
from kschedui.ask.pod_histories import KINDS, history_of, pods_named
from kschedui.ask.words import missing_words, near_words, no_profile_words
from kschedui.cli import answers
from kschedui.cli.inputs import Input
from kschedui.cli.numbers import counted
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import registry
from kschedui.waiting import words
from kschedui.waiting.analysis import Follower, Nearby, PendingPod, dumped_messages
from scheduler_core import attempt_records, decisions, explain
from scheduler_core.apis.core import Pod
from scheduler_core.ask.afterwards import broken_rules, evicted_pods, stuck_pods
from scheduler_core.ask.histories import Histories, deletion_words
from scheduler_core.ask.moments.moment import Moment, run_to_end
from scheduler_core.ask.smallest.owners import workload_of
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import VictimEvicted

MAX_NEAR = 10
MAX_SCORED = 3  # nodes whose scores are printed by default


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser, pod=True)
    parser.add_argument("--all-scores", action="store_true", help="print the scores of all feasible nodes")


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    events: list[AnyEvent] = []
    follower = Follower()

    def take(step: int, event: AnyEvent) -> None:
        events.append(event)
        follower.take(step, event)

    with answers.named_errors(source):
        moment = run_to_end(source.scenario, take, registry())
    histories = follower.histories
    keys = known_pods(source, options.pod, histories)
    with answers.named_errors(source):
        explained = [
            {
                **answer,
                **msgspec.to_builtins(history_of(answer["pod"], histories, str)),
                "kubernetesVersion": source.scenario.release.version,
            }
            for answer in explain_pods(source, keys, moment, follower, events)
        ]
    answers.write_answer(options, explained[0] if len(keys) == 1 else explained, lambda: write_all(options, explained))
    return int(failed)


def explain_pods(
    source: Input, keys: Sequence[str], moment: Moment, follower: Follower, events: list[AnyEvent]
) -> Iterator[dict[str, Any]]:
    """Yield the explanation of each pod."""
    nearby = Nearby(moment)
    dumped = dumped_messages(source.scenario)
    for key in keys:
        if key in follower.pending:
            pod = follower.waiting_pod(key, nearby, dumped.get(key, ""))
            answer = explain_waiting(pod)
            add_examples(answer["causes"], source, pod.attempt, events)
            yield answer
        else:
            yield explain_placed(key, events, moment, source, follower.histories)


def known_pod(source: Input, name: str) -> str:
    """Return the pod's key; of a workload, that of its first pod without a node, or else of its first pod.

    Raises Unusable, with similar names.
    """
    keys = known_pods(source, name)
    without = {pod.key for pod in _pods(source) if not pod.node_name}
    return next((key for key in keys if key in without), keys[0])


def known_pods(source: Input, name: str, histories: Histories | None = None) -> list[str]:
    """Return the keys of the pod, or of all pods of the workload, with this name. Raises Unusable.

    A workload is named "web", "shop/web", "deployment/web" or "deploy/web"; a pod that a controller made during the run
    by its name or "web@1/0".
    """
    in_run = histories.pods if histories is not None else ()
    pods = list(dict.fromkeys([*(pod.key for pod in _pods(source)), *in_run]))
    for key in (name, f"default/{name}"):
        if key in pods:
            return [key]
    if histories is not None and (numbered := histories.find(name)) is not None:
        return [numbered]
    if owned := _pods_of_workload(source, name):
        return owned
    if histories is not None and (owned := pods_named(name, histories)):
        return owned
    alike = [key for key in pods if key.endswith(f"/{name}")]
    if len(alike) == 1:
        return alike
    hint = f"; is it one of {', '.join(alike[:5])}?" if alike else ""
    raise Unusable(f"{source.name}: there is no pod or workload {name}{hint}")


def _pods(source: Input) -> Iterator[Pod]:
    objects = [*source.scenario.objects, *(event.object for event in source.scenario.events)]
    return (item for item in objects if isinstance(item, Pod))


def _pods_of_workload(source: Input, name: str) -> list[str]:
    first, _, last = name.rpartition("/")
    kinds = {kind.lower() for kind in KINDS.values()} | {"job", "replicationcontroller"}
    kind = KINDS.get(first.lower(), first).lower()
    keys: dict[str, None] = {}
    for pod in _pods(source):
        owners = [(pod.owner.kind, pod.owner.name)] if pod.owner else []
        if (workload := workload_of(pod)) is not None:
            owners.append((workload.kind, workload.name))
        for owner_kind, owner in owners:
            of_kind = kind not in kinds or owner_kind.lower() == kind
            if owner == last and of_kind and (kind in kinds or first in ("", pod.namespace)):
                keys[pod.key] = None
    return list(keys)


def explain_waiting(pod: PendingPod) -> dict[str, Any]:
    """Return the explanation of a pending pod."""
    return {
        "pod": pod.pod,
        "state": "waiting",
        "attempt": pod.attempt,
        "step": pod.step,
        "blocker": str(words.blocker_words(pod)),
        "message": pod.message or (str(no_profile_words(pod.scheduler)) if pod.scheduler else ""),
        "causes": msgspec.to_builtins(pod.causes),
        "nearest": [] if pod.group and pod.group.node else [str(near_words(near)) for near in pod.nearest or ()],
        "missing": [str(missing_words(absent)) for absent in pod.missing],
        "advice": [*map(str, words.group_words(pod)), *(str(advice_words(advice)) for advice in pod.advice)],
        "condition": pod.dumped,
        "differences": [str(difference) for difference in words.differences(pod)],
    }


def add_examples(causes: Sequence[dict[str, Any]], source: Input, attempt: int, events: Sequence[AnyEvent]) -> None:
    """Add `example` to each cause that rejects nodes: {node, facts}, one of them and the facts that do not hold."""
    record = next((candidate for candidate in attempt_records(events) if candidate["attempt"] == attempt), None)
    rejected = record["filter"] if record else {}
    of_cause = {(status["plugin"], *status["reasons"]): node for node, status in reversed(rejected.items())}
    nodes = {number: of_cause.get((cause["plugin"], *cause["reasons"]), "") for number, cause in enumerate(causes)}
    if not any(nodes.values()):
        return
    explained = explain(source.scenario, attempt, [node for node in nodes.values() if node], registry())
    filters = {(node.node, evaluated.plugin): evaluated for node in explained.nodes for evaluated in node.filters}
    for number, node in nodes.items():
        if (evaluated := filters.get((node, causes[number]["plugin"]))) is not None:
            facts = [fact.text for fact in evaluated.facts if not fact.holds and fact.text]
            causes[number]["example"] = {"node": node, "facts": facts}


def explain_placed(
    key: str, events: list[AnyEvent], moment: Moment, source: Input, histories: Histories
) -> dict[str, Any]:
    """Return the explanation of a pod that has a node or was deleted."""
    records = list(decisions(events))
    final = records[-1]["final"]
    own = [candidate for candidate in records[:-1] if candidate.get("pod") == key]
    node = final["bound"].get(key, "")
    evictions = [event for event in events if isinstance(event, VictimEvicted)]
    pods = {pod.key: pod for pod in _pods(source)}
    answer: dict[str, Any] = {"pod": key, "state": "running", "node": node}
    if key in final["deleted"]:
        answer |= {"state": "deleted", "why": why_deleted(key, events, histories)}
        mine = [event for event in evictions if event.pod == key]
    else:
        mine = [event for event in evictions if event.preemptor == key]
    answer["victims"] = [str(evicted_words(victim)) for victim in evicted_pods(moment, mine, pods, histories)]
    stuck = [pod for pod in stuck_pods(moment) if pod.pod == key]
    answer["advice"] = list(map(str, [*map(stuck_words, stuck), *map(broken_words, broken_rules(moment, key))]))
    if (pod := pods.get(key)) is not None and pod.terminating and node:
        answer["state"] = "terminating"
    if not own:
        return {**answer, "why": answer.get("why", "It ran there as the run began.")}
    record = own[-1]
    totals = dict(sorted(record["totals"].items(), key=lambda pair: -pair[1]))
    return {
        **answer,
        "state": "bound" if answer["state"] == "running" else answer["state"],
        "node": record["node"],
        "attempt": record["attempt"],
        "feasible": len(record["feasible"]),
        "rejected": len(record["filter"]),
        "totals": dict(list(totals.items())[:MAX_NEAR]),
        "scores": {
            name: {plugin: by_node[name] for plugin, by_node in record["scores"].items() if name in by_node}
            for name in totals
        },
    }


def why_deleted(key: str, events: Iterable[AnyEvent], histories: Histories) -> str:
    evicted = next((event for event in events if isinstance(event, VictimEvicted) and event.pod == key), None)
    if evicted:
        return f"{evicted.preemptor} preempted it on {evicted.node}."
    history = histories.pods.get(key)
    if history is not None and history.deleted is not None and history.deleted.because is not None:
        return str(deletion_words(history))
    return "The timeline deletes it."


def write_all(options: Namespace, explained: Sequence[dict[str, Any]]) -> None:
    """Print the explanations as text; one that several waiting pods share is printed once."""
    alike: dict[str, list[dict[str, Any]]] = {}
    for answer in explained:
        same = {name: value for name, value in answer.items() if name not in ("pod", "attempt", "step")}
        alike.setdefault(repr(same) if answer["state"] == "waiting" else answer["pod"], []).append(answer)
    for first, *others in alike.values():
        write(first, every=options.all_scores)
        if others:
            sys.stdout.write(f"  also {counted(len(others), 'pod')}: {', '.join(other['pod'] for other in others)}\n")


def write_history(answer: dict[str, Any]) -> None:
    """Print who created and deleted the pod, and why the rollout of its workload is incomplete."""
    for name, title in (("made", "made"), ("deleted", "deleted"), ("replacedBy", "in its place")):
        if name in answer:
            sys.stdout.write(f"  {title}: {answer[name]}\n")
    sys.stdout.writelines(f"  rollout: {line}\n" for line in answer.get("rollout", ()))


def write(answer: dict[str, Any], *, every: bool = False) -> None:
    """Print the explanation as text. `every`: the scores of all nodes."""
    node = f" on {answer['node']}" if answer.get("node") else ""
    sys.stdout.write(f"{answer['pod']}: {answer['state']}{node}, kube-scheduler {answer['kubernetesVersion']}\n")
    if answer["state"] != "waiting":
        for name in ("why", "attempt", "feasible", "rejected"):
            if name in answer:
                sys.stdout.write(f"  {name}: {answer[name]}\n")
        write_history(answer)
        write_scores(answer, every=every)
        sys.stdout.writelines(f"  {line}\n" for line in (*answer["victims"], *answer["advice"]))
        return
    sys.stdout.write(f"  {answer['blocker']}\n  {answer['message']}\n")
    write_history(answer)
    for cause in answer["causes"]:
        nodes = counted(cause["nodes"], "node") if cause["nodes"] else "the pod"
        sys.stdout.write(f"  {nodes:>12}  {cause['plugin']}: {', '.join(cause['reasons'])}\n")
        sys.stdout.writelines(f"               {fact}\n" for fact in cause.get("example", {}).get("facts", ()))
    sys.stdout.writelines(f"  missing: {line}\n" for line in answer["missing"])
    sys.stdout.writelines(f"  note: {line}\n" for line in answer["advice"])
    sys.stdout.writelines(f"  nearest: {line}\n" for line in answer["nearest"])
    if answer["condition"]:
        sys.stdout.write(f"  the cluster said: {answer['condition']}\n")
        sys.stdout.writelines(f"    {line}\n" for line in answer["differences"])


def write_scores(answer: dict[str, Any], *, every: bool) -> None:
    """Print the totals of the best nodes, and the score of each plugin, normalized and times weight, on the first ones.

    These are MAX_SCORED nodes, or with `every` all feasible ones.
    """
    scores = answer.get("scores", {})
    totals = answer.get("totals", {})
    shown = len(scores) if every else MAX_SCORED
    for number, (name, by_plugin) in enumerate(scores.items()):
        total = sum(weighted for _, _, weighted in by_plugin.values())
        if number >= shown and name not in totals:
            break
        sys.stdout.write(f"  {totals.get(name, total):>6}  {name}\n")
        if number < shown:
            for plugin, (_, normalized, weighted) in by_plugin.items():
                weight = f" ({normalized} x {weighted // normalized})" if normalized and weighted != normalized else ""
                sys.stdout.write(f"          {weighted:>6}  {plugin}{weight}\n")
