"""Compare the actions of actors in a run with those in a recorded run (README, "Controllers")."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import Any

Row = dict[str, Any]

STRICT = {
    "created",
    "bound",
    "running",
    "ready",
    "deletion-requested",
    "deleted",
    "phase",
    "scaled",
    "nominated",
    "evicted",
}
KINDS = {"Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Node"}
BY_CHANCE = ("time", "node", "missing")  # `racy`: what differs between two recordings of the same scenario
LEFT_OUT = {"message", "causes", "requests", "failures"}
AT_THE_START = 0.3  # seconds; objects created before are those of the scenario


def differences(expected: list[Row], got: list[Row], tolerance: float) -> list[str]:
    """Return a line for each difference in the final states, and for each row without a match within the tolerance.

    Rows that differ by chance need no match. `tolerance` is in seconds.
    """
    want, have = strict_rows(expected), strict_rows(got)
    left, twins = set(range(len(have))), set()
    for by_owner in (False, True):  # first the same name, then any pod of the same owner
        pool = defaultdict(list)
        for number in sorted(left):
            pool[key(have[number], by_owner=by_owner)].append(number)
        for number, row in enumerate(want):
            if number in twins or (by_owner and row["kind"] != "Pod"):
                continue
            near = [
                n for n in pool[key(row, by_owner=by_owner)] if n in left and abs(have[n]["t"] - row["t"]) <= tolerance
            ]
            if near:
                left.discard(min(near, key=lambda n, t=row["t"]: abs(have[n]["t"] - t)))  # type: ignore[misc]
                twins.add(number)
    by_chance = {key(row, by_owner=True)[:3] for row in want if row.get("racy") in BY_CHANCE}
    missing = [row for number, row in enumerate(want) if number not in twins and row.get("racy") not in BY_CHANCE]
    extra = [have[number] for number in sorted(left) if key(have[number], by_owner=True)[:3] not in by_chance]
    return [
        *map("missing: {}".format, missing),
        *map("extra: {}".format, extra),
        *final_differences(expected[-1], got[-1]),
    ]


def strict_rows(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["what"] in STRICT and row["kind"] in KINDS and not is_given(row)]


def is_given(row: Row) -> bool:
    return row["what"] == "created" and row["kind"] not in ("Pod", "ReplicaSet") and row["t"] < AT_THE_START


def key(row: Row, *, by_owner: bool) -> tuple[str, str, str, str]:
    """Return a key that is equal for rows about the same action; `by_owner`: also on other pods of the same owner."""
    name = row.get("owner") or re.sub(r"/\d+(#\d+)?$", "/*", row["name"]) if by_owner else row["name"]
    left_out = LEFT_OUT | ({"node", "pinned"} if by_owner and row["what"] != "bound" else set())
    details = {name: value for name, value in (row.get("details") or {}).items() if name not in left_out}
    return row["what"], row["kind"], name, json.dumps(details, sort_keys=True)


def final_differences(want: Row, got: Row) -> list[str]:
    pods = [Counter(map(pod_key, final["pods"])) for final in (want, got)]
    found = [f"pod: {pod}" for pod in (pods[0] - pods[1]) + (pods[1] - pods[0])]
    for field in ("workloads", "pdbs", "nodes", "claims", "quotas"):
        before, after = ({(e.get("kind"), e["name"]): plain(e) for e in final.get(field, [])} for final in (want, got))
        found += [
            f"{field} {name}: {before.get(name)} is {after.get(name)}"
            for name in {**before, **after}
            if before.get(name) != after.get(name)
        ]
    return found


def pod_key(pod: Row) -> str:
    owner = pod.get("owner") or ""
    name = pod["name"] if not owner or owner.startswith("StatefulSet") else owner
    return json.dumps([name, *(pod.get(field) for field in ("node", "phase", "ready", "terminating", "revision"))])


def plain(entry: Row) -> Row:
    conditions = sorted([c.get("type"), c.get("status"), c.get("reason")] for c in entry.get("conditions", []))
    return {
        **{name: value for name, value in entry.items() if name not in ("conditions", "real")},
        "conditions": conditions,
    }
