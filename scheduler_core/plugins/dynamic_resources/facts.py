"""Facts about the verdict on a node: the reasons against each device, or the devices that were found."""

from __future__ import annotations

from scheduler_core.framework.facts import Fact, join_names
from scheduler_core.trace.device_events import DeviceTry, NodeSearch

SENTENCES = {  # by the kind of step; {devices}: names without driver and pool
    "held": "{devices}: claim {text} has it.",
    "selector": "{devices}: {text}.",
    "constraint": "{devices}: {text}, against a constraint of claim {claim}.",
    "taint": "{devices}: taint {text} is not tolerated.",
    "counters": "{devices}: {text} left.",
    "capacity": "{devices}: {text} left.",
    "chosen": "{devices}: chosen for the pod already.",
    "elsewhere": "{devices}: only where {text}.",
    "empty": "Request {request}: no device matches.",
    "error": "{text}.",
}
MAX_FACTS = 8


def facts_of(search: NodeSearch) -> list[Fact]:
    """Return one fact that holds if the node passes, otherwise facts that do not hold.

    They are the distinct reasons, a shortage of devices first, then in the order of the search and of the pools; at
    least one, and at most MAX_FACTS.
    """
    if search.outcome == "found":
        devices = join_names([_name(device) for _, _, device in search.found], "the allocated devices")
        text = f"The claims of the pod can have {devices}."
        return [Fact("DynamicResources.found", devices, "for", "claims", True, {"devices": devices}, text)]
    facts = {fact.text: fact for fact in (_shortage_fact(search), *map(_fact, search.tries)) if fact is not None}
    for pool in (pool for pool in search.pools if pool.problem):
        text = f"Pool {pool.pool} of {pool.driver} is left out: {pool.problem} {pool.message}".strip() + "."
        values: dict[str, int | str] = {"pool": pool.pool, "driver": pool.driver, "problem": pool.problem}
        facts[text] = Fact("DynamicResources.pool", pool.pool, "is", pool.problem, False, values, text)
    text = f"No device of the node suits: {search.message}."
    none = Fact("DynamicResources.none", "0", "of", "devices", False, {}, text)
    return list(facts.values())[:MAX_FACTS] or [none]


def _shortage_fact(search: NodeSearch) -> Fact | None:
    """Return a fact about the number of available devices; None if there is no shortage."""
    shortage = search.shortage
    if shortage is None:
        return None
    values: dict[str, int | str] = {"found": shortage.found, "wanted": shortage.wanted, "request": shortage.request}
    text = f"Request {shortage.request} can have {shortage.found} of {shortage.wanted} devices."
    return Fact("DynamicResources.few", str(shortage.found), "of", str(shortage.wanted), False, values, text)


def _fact(step: DeviceTry) -> Fact | None:
    sentence = SENTENCES.get(step.kind)
    if sentence is None:
        return None
    values: dict[str, int | str] = {
        "devices": join_names([_name(device) for device in step.devices]),
        "text": step.text,
        "claim": step.claim,
        "request": step.request,
    }
    left = str(values["devices"])
    return Fact(f"DynamicResources.{step.kind}", left, ":", step.text, False, values, sentence.format(**values))


def _name(device: str) -> str:
    return device.rpartition("/")[2]
