"""The causes of writes, as people read them: a name, and a sentence in both languages with its placeholders."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.apis.messages import Message, Text
from scheduler_core.trace.records import Because

CAUSES: Mapping[str, Text] = {
    "pods-missing": Text("{owner} has {active} of {replicas} pods", "{owner} 有 {active} 个 Pod，应有 {replicas} 个"),
    "pods-too-many": Text(
        "{owner} has {active} pods, but needs only {replicas}", "{owner} 有 {active} 个 Pod，只需要 {replicas} 个"
    ),
    "new-template": Text("{owner} has a template that no ReplicaSet has", "{owner} 的 Pod 模板还没有对应的 ReplicaSet"),
    "rollout-up": Text(
        "{owner} may have {most} pods during its rollout and has {pods}",
        "{owner} 在滚动更新期间最多可以有 {most} 个 Pod，现有 {pods} 个",
    ),
    "rollout-down": Text(
        "{owner} needs {least} available pods during its rollout and has {available}",
        "{owner} 在滚动更新期间至少需要 {least} 个可用的 Pod，现有 {available} 个",
    ),
    "rollout-unhealthy": Text(
        "pods of {old} that are not available go first in the rollout of {owner}",
        "{owner} 滚动更新时，{old} 中不可用的 Pod 先被删除",
    ),
    "recreate-down": Text(
        "{owner} replaces all pods at once: the old ones go first", "{owner} 一次替换所有 Pod：先删除旧的"
    ),
    "scaled": Text("{owner} was scaled to {replicas}", "{owner} 被扩缩到 {replicas}"),
    "revision-history": Text("{owner} keeps {limit} old ReplicaSets", "{owner} 只保留 {limit} 个旧的 ReplicaSet"),
    "rolled-back": Text("{owner} has the template of {name} again", "{owner} 又用回了 {name} 的模板"),
    "owner-deleted": Text("its owner {owner} was deleted", "它的所有者 {owner} 已被删除"),
    "stopped": Text("its containers have stopped", "它的容器已经停止"),
    "requested": Text("somebody asked for it", "有人请求了它"),
    "preempted": Text("{preemptor} preempted it", "{preemptor} 抢占了它"),
}


def because(name: str, /, **values: str | int | float) -> Because:
    """Return a cause; its name is one of CAUSES."""
    assert name in CAUSES, name
    return Because(name, values)


def sentence(cause: Because) -> Message:
    """Return the cause as a sentence."""
    return CAUSES[cause.name].message(**cause.values)
