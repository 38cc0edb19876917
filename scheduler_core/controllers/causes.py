"""The causes of writes for people: a name, and a sentence in both languages with placeholders."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scheduler_core.apis.messages import Message, Text
from scheduler_core.trace.records import Because

PLURAL = re.compile(r"\{(\w+)\|([^{|}]*)\|([^{}]*)\}")  # "{count|pod|pods}": the word for one, and for any other number
CAUSES: Mapping[str, Text] = {
    "pods-missing": Text(
        "{owner} has {active} of {replicas} {replicas|pod|pods}", "{owner} 有 {active} 个 Pod，应有 {replicas} 个"
    ),
    "pods-too-many": Text(
        "{owner} has {active} {active|pod|pods}, but needs only {replicas}",
        "{owner} 有 {active} 个 Pod，只需要 {replicas} 个",
    ),
    "new-template": Text("{owner} has a template that no ReplicaSet has", "{owner} 的 Pod 模板还没有对应的 ReplicaSet"),
    "rollout-up": Text(
        "{owner} may have {most} {most|pod|pods} during its rollout and has {pods}",
        "{owner} 在滚动更新期间最多可以有 {most} 个 Pod，现有 {pods} 个",
    ),
    "rollout-down": Text(
        "{owner} needs {least} available {least|pod|pods} during its rollout and has {available}",
        "{owner} 在滚动更新期间至少需要 {least} 个可用的 Pod，现有 {available} 个",
    ),
    "rollout-unhealthy": Text(
        "pods of {old} that are not available go first in the rollout of {owner}",
        "{owner} 滚动更新时，{old} 中不可用的 Pod 先被删除",
    ),
    "recreate-down": Text(
        "{owner} replaces all pods at once: the old ones go first", "{owner} 一次替换所有 Pod：先删除旧的"
    ),
    "scaled": Text("{owner} was scaled to {replicas}", "{owner} 被扩缩为 {replicas} 个副本"),
    "revision-history": Text(
        "{owner} keeps {limit} old {limit|ReplicaSet|ReplicaSets}", "{owner} 只保留 {limit} 个旧的 ReplicaSet"
    ),
    "rolled-back": Text("{owner} has the template of {name} again", "{owner} 又用回了 {name} 的模板"),
    "owner-deleted": Text("its owner {owner} was deleted", "它的属主 {owner} 已被删除"),
    "pod-ended": Text("a pod of {owner} has ended: {phase}", "{owner} 的一个 Pod 已结束：{phase}"),
    "old-revision": Text("{owner} updates its pods to revision {revision}", "{owner} 把 Pod 更新到修订版本 {revision}"),
    "claim-template": Text("{owner} has a claim template", "{owner} 有卷申领模板"),
    "node-without-pod": Text("{owner} has no pod on this node", "{owner} 在此节点上没有 Pod"),
    "node-gone": Text("there is no node {node}", "没有节点 {node}"),
    "node-not-for-pod": Text("{owner} does not run on {node} any more", "{owner} 不再在 {node} 上运行"),
    "one-a-node": Text("{owner} has one pod on each node", "{owner} 在每个节点上只有一个 Pod"),
    "job-failed": Text("{owner} has failed: {reason}", "{owner} 已失败：{reason}"),
    "job-succeeded": Text("{owner} has succeeded", "{owner} 已成功"),
    "job-suspended": Text("{owner} is suspended", "{owner} 已挂起"),
    "evicted": Text("its eviction was granted", "对它的驱逐请求已被批准"),
    "no-execute": Text("{node} has a NoExecute taint", "{node} 有 NoExecute 污点"),
    "device-no-execute": Text("{device} has a NoExecute taint", "{device} 有 NoExecute 污点"),
    "device-taint-rule": Text(
        "the taints of its devices follow DeviceTaintRule {rule}", "其设备的污点随 DeviceTaintRule {rule} 变化"
    ),
    "node-condition": Text("the taints of {node} follow its conditions", "{node} 的污点随其状况变化"),
    "unscheduled": Text("it is being deleted and has no node", "它正在被删除，且没有节点"),
    "out-of-service": Text("{node} is out of service", "{node} 已停止服务"),
    "volume-found": Text("{volume} is the smallest volume for {claim}", "{volume} 是适合 {claim} 的最小的卷"),
    "cron-due": Text("the schedule of {owner} is due", "{owner} 的计划时间已到"),
    "cron-replaced": Text("{owner} replaces the Job that still runs", "{owner} 替换仍在运行的 Job"),
    "cron-history": Text("{owner} keeps {limit} of its finished Jobs", "{owner} 只保留 {limit} 个已结束的 Job"),
    "load": Text(
        "{owner} needs {replicas} {replicas|replica|replicas} for the load", "{owner} 需要 {replicas} 个副本来承担负载"
    ),
    "pressure": Text("{node} is under {resource} pressure", "{node} 处于 {resource} 压力之下"),
    "released": Text("the selector of {owner} does not match it any more", "{owner} 的选择器不再匹配它"),
    "adopted": Text("the selector of {owner} matches it", "{owner} 的选择器匹配它"),
    "ttl": Text("{owner} finished {seconds} s ago", "{owner} 已在 {seconds} 秒前结束"),
    "absent-owner": Text("{owner}, which is not in the scenario, recreates it", "不在场景中的 {owner} 重新创建了它"),
    "static-pod": Text("the kubelet of {node} mirrors its static pod", "{node} 的 kubelet 为它的静态 Pod 创建镜像 Pod"),
    "ephemeral-volume": Text("{pod} has an ephemeral volume", "{pod} 有临时卷"),
    "claim-of-template": Text("{pod} needs a claim from {template}", "{pod} 需要一个来自 {template} 的资源申领"),
    "claim-bound": Text("{claim} is bound to {volume}", "{claim} 已绑定到 {volume}"),
    "claim-users": Text("{users} {users|pod uses|pods use} {claim}", "有 {users} 个 Pod 使用 {claim}"),
    "resized": Text("its containers have the resources that it asked for", "它的容器已有所请求的资源"),
    "resize-infeasible": Text("its node is too small for what it asked for", "它所在的节点太小，放不下所请求的资源"),
    "stopped": Text("its containers have stopped", "它的容器已经停止"),
    "requested": Text("somebody asked for it", "有人请求了它"),
    "descheduled": Text(
        "{strategy} of the descheduler takes it off {node}", "descheduler 的 {strategy} 让它离开 {node}"
    ),
    "instance-started": Text("the cloud started an instance of {group}", "云平台启动了 {group} 的一个实例"),
    "instance-ended": Text("the cloud ended the instance of {node}", "云平台结束了 {node} 的实例"),
    "nodeclaim-needed": Text(
        "{count} {count|pod needs|pods need} a node of NodePool {pool}: {pods}",
        "{count} 个 Pod 需要 NodePool {pool} 的一个节点：{pods}",
    ),
    "nodeclaim-launched": Text("the cloud launched the instance of {claim}", "云平台启动了 {claim} 的实例"),
    "nodeclaim-status": Text("Karpenter writes the status of {claim}", "Karpenter 写入 {claim} 的状态"),
    "nodeclaim-deleted": Text("the deletion of {claim} was requested", "有人请求删除 {claim}"),
    "nodeclaim-ended": Text("the instance of {claim} has ended", "{claim} 的实例已结束"),
    "node-registered": Text(
        "Karpenter gives it the labels and taints of its NodeClaim", "Karpenter 给它加上 NodeClaim 的标签和污点"
    ),
    "node-initialized": Text("it is ready and has no startup taint any more", "它已就绪，启动污点也已去掉"),
    "node-disrupted": Text("Karpenter disrupts {node}: {reason}", "Karpenter 中断 {node}：{reason}"),
    "node-ready": Text("its kubelet is ready", "它的 kubelet 已就绪"),
    "node-unneeded": Text("the pods of {node} fit elsewhere", "{node} 上的 Pod 可以放到别处"),
    "node-needed": Text("{node} is needed again", "又需要 {node} 了"),
    "node-removed": Text("{node} is being removed", "正在移除 {node}"),
    "node-kept": Text("{node} could not be removed", "未能移除 {node}"),
    "preempted": Text("{preemptor} preempted it", "{preemptor} 抢占了它"),
}


def because(name: str, /, **values: str | int | float) -> Because:
    """Return a cause; its name is one of CAUSES."""
    assert name in CAUSES, name
    return Because(name, values)


def sentence(cause: Because) -> Message:
    """Return the cause as a sentence, in the grammatical form for its numbers."""

    def word(plural: re.Match[str]) -> str:
        return plural[2] if cause.values.get(plural[1]) == 1 else plural[3]

    text = CAUSES[cause.name]
    return Text(PLURAL.sub(word, text.en), PLURAL.sub(word, text.zh)).message(**cause.values)
