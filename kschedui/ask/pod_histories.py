"""The histories of pods in words: who created and deleted a pod, and why its workload's rollout is incomplete."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kschedui.ask.afterwards_words import standing_words
from scheduler_core.apis.core import PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.histories import Histories, creation_words, deletion_words

KINDS = {"deploy": "Deployment", "rs": "ReplicaSet", "sts": "StatefulSet", "ds": "DaemonSet"}
Say = Callable[[Message], str]


class PodHistoryText(msgspec.Struct, omit_defaults=True, rename={"replaced_by": "replacedBy"}):
    """The history of a pod, in sentences. `rollout`: the reasons why the rollout of its workload is incomplete."""

    pod: PodKey
    made: str = ""
    deleted: str = ""
    replaced_by: PodKey = ""
    rollout: list[str] = []


class RunHistory(msgspec.Struct):
    """Histories of pods, and the reasons why rollouts are incomplete at the end of the run."""

    pods: list[PodHistoryText]
    rollouts: list[str]


def history_of(key: PodKey, histories: Histories, say: Say) -> PodHistoryText:
    """Return the history of a pod of the run; that of a pod that never existed has only the key."""
    history = histories.pods.get(key)
    if history is None:
        return PodHistoryText(key)
    deleted, standing = deletion_words(history), histories.incomplete_rollout_of(key)
    return PodHistoryText(
        key,
        made=say(creation_words(history)) if history.made is not None and history.made.because is not None else "",
        deleted=say(deleted) if deleted is not None else "",
        replaced_by=histories.made.get(key, ""),
        rollout=[say(line) for line in standing_words(standing)] if standing is not None else [],
    )


def run_history(keys: Sequence[PodKey], histories: Histories, say: Say) -> RunHistory:
    """Return the histories of these pods, with all incomplete rollouts."""
    rollouts = [say(line) for standing in histories.incomplete_rollouts() for line in standing_words(standing)]
    return RunHistory([history_of(key, histories, say) for key in keys], rollouts)


def pods_named(name: str, histories: Histories) -> list[PodKey]:
    """Return the pod with this name, or the existing pods of the workload with this name; [] if there are none.

    Names of pods: "web-0", "shop/web-0", "web@1/0"; of workloads: "web", "deployment/web", "deploy/web".
    """
    for key in (name, f"default/{name}"):
        if key in histories.pods:
            return [key]
    numbered = histories.find(name)
    return [numbered] if numbered is not None else histories.pods_of(*workload_named(name))


def workload_named(name: str) -> tuple[str, str]:
    """Return the kind and the name in "deploy/web" or "shop/web"; the kind is "" if none is given."""
    first, _, last = name.rpartition("/")
    kind = KINDS.get(first.lower(), first).lower()
    kinds = {known.lower(): known for known in (*KINDS.values(), "Job", "ReplicationController")}
    return kinds.get(kind, ""), last
