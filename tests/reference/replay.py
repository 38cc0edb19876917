"""The reference follows the engine's order of attempts (which pod, when) and decides each on its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scheduler_core import decisions, simulate
from scheduler_core.manifests.updates import merge_update
from scheduler_core.scenario_types import Scenario, TimelineEvent
from tests.reference.cycle import schedule_one
from tests.reference.extenders import Extenders
from tests.reference.state import ReferenceCluster, key_of

Record = dict[str, Any]


def attempts(scenario: Scenario) -> Iterator[tuple[Record, Record]]:
    """(decision record of the engine, what the reference finds) per attempt."""
    cluster = ReferenceCluster()
    for item in scenario.objects:
        cluster.apply(item)
    extenders = Extenders([(one, scenario.script_for(one.url_prefix)) for one in scenario.config.extenders])
    timeline = list(scenario.events)
    for record in decisions(simulate(scenario)):
        if "final" in record:
            return
        now = record["time"]
        catch_up(cluster, timeline, now)
        pod = cluster.pending[record["pod"]]
        profile = scenario.config.profile_for(pod.scheduler_name)
        assert profile is not None
        percentage = scenario.config.percentage_of_nodes_to_score
        yield record, schedule_one(cluster, pod.key, profile, now, percentage, extenders).record()


def catch_up(cluster: ReferenceCluster, timeline: list[TimelineEvent], now: float) -> None:
    """What has happened to the cluster since the last attempt: at one moment terminations come before events."""
    while timeline and timeline[0].at <= now:
        event = timeline.pop(0)
        cluster.finish_terminations(event.at)
        if event.object is None:
            key = f"{event.namespace}/{event.name}" if event.namespace else event.name
            if cluster.get(event.kind, key) is not None:
                cluster.delete(event.kind, key)
            continue
        old = cluster.get(event.kind, key_of(event.object))
        cluster.apply(event.object if old is None else merge_update(old, event.object))
    cluster.finish_terminations(now)


def difference(scenario: Scenario) -> str:
    """The first field of the first attempt that is decided otherwise; "" if there is none."""
    for found, expected in attempts(scenario):
        for name, value in expected.items():
            if normalized(found[name], name) != normalized(value, name):
                where = f"attempt {found['attempt']} of {found['pod']} at {found['time']}: {name}"
                return f"{where}\n  engine    {found[name]}\n  reference {value}"
    return ""


def normalized(value: Any, name: str) -> Any:
    """The order of scalar resources among the reasons is Go's map order; a record does not tell an extender's code."""
    if name != "filter":
        return value
    return {
        node: ("", status["reasons"])
        if status["plugin"] == "" or status["plugin"].startswith("http")
        else (status["plugin"], status["code"], sorted(status["reasons"]))
        for node, status in value.items()
    }
