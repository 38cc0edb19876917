"""The lives of a run's pods in words: who made a pod, who deleted it, and why the rollout of its workload stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kschedui.ask.afterwards_words import standing_words
from scheduler_core.apis.core import PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.histories import Histories, deleted_words, made_words

KINDS = {"deploy": "Deployment", "rs": "ReplicaSet", "sts": "StatefulSet", "ds": "DaemonSet"}
Say = Callable[[Message], str]


class PodLife(msgspec.Struct, omit_defaults=True, rename={"replaced_by": "replacedBy"}):
    """The life of a pod, in sentences. `rollout`: why that of its workload stands still; left out if it does not."""

    pod: PodKey
    made: str = ""
    deleted: str = ""
    replaced_by: PodKey = ""
    rollout: list[str] = []


class Lives(msgspec.Struct):
    """Lives of pods, and the reasons for which rollouts stand still at the end of the run."""

    pods: list[PodLife]
    rollouts: list[str]


def life_of(key: PodKey, histories: Histories, say: Say) -> PodLife:
    """Return the life of a pod of the run; it says nothing of a pod that never existed."""
    life = histories.lives.get(key)
    if life is None:
        return PodLife(key)
    deleted, standing = deleted_words(life), histories.standing_of(key)
    return PodLife(
        key,
        made=say(made_words(life)) if life.made is not None and life.made.because is not None else "",
        deleted=say(deleted) if deleted is not None else "",
        replaced_by=histories.made.get(key, ""),
        rollout=[say(line) for line in standing_words(standing)] if standing is not None else [],
    )


def lives_of(keys: Sequence[PodKey], histories: Histories, say: Say) -> Lives:
    """Return the lives of these pods, with all rollouts that stand still."""
    rollouts = [say(line) for standing in histories.standing_rollouts() for line in standing_words(standing)]
    return Lives([life_of(key, histories, say) for key in keys], rollouts)


def pods_named(name: str, histories: Histories) -> list[PodKey]:
    """Return the pod, or the pods that exist of the workload, with this name.

    "web-0", "shop/web-0", "web@1/0"; "web", "deployment/web", "deploy/web".
    """
    for key in (name, f"default/{name}"):
        if key in histories.lives:
            return [key]
    called = histories.find(name)
    return [called] if called is not None else histories.pods_of(*workload_named(name))


def workload_named(name: str) -> tuple[str, str]:
    """Return the kind, "" if it is not given, and the name of "deploy/web" or "shop/web"."""
    first, _, last = name.rpartition("/")
    kind = KINDS.get(first.lower(), first).lower()
    known = {known.lower(): known for known in (*KINDS.values(), "Job", "ReplicationController")}
    return known.get(kind, ""), last
