"""The texts of NodeResourcesFit: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import AMOUNTS, Manifest, StarterCluster


def insufficient(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    resource = reason.removeprefix("Insufficient ") or "cpu"
    default, request = AMOUNTS.get(resource, ("4", "3"))
    cluster.request(resource, request)
    if resource.startswith("hugepages-"):
        cluster.spec["containers"][0]["resources"]["requests"].setdefault("memory", "64Mi")  # cannot be requested alone
    for node in cluster.nodes:
        node["status"]["allocatable"].setdefault(resource, default)
    for node in nodes:
        if cluster.small:
            node["status"]["allocatable"][resource] = {"cpu": "2", "memory": "2Gi"}.get(resource, "2")
        elif resource in AMOUNTS:
            requests = {resource: {"cpu": "2", "memory": "4Gi"}.get(resource, "8Gi")}
            cluster.add_neighbour(node, container={"resources": {"requests": requests}})
        else:
            node["status"]["allocatable"][resource] = "2"


def too_many_pods(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    for node in nodes:
        node["status"]["allocatable"]["pods"] = "1"
        cluster.add_neighbour(node)


ABOUT = About(
    question=Text("Room?", "资源？"),
    score=Text("Room", "资源"),
    rule=Text(
        "The pod’s requests must be free on the node: allocatable minus the requests of its pods. "
        "The free share determines the score.",
        "Pod 请求的量必须在节点上空闲：可分配减去已有 Pod 的请求。空闲比例计分。",
    ),
    blocker=Text("Too little {resources}", "{resources} 不足"),
    colour=4,
    looks_at=("requests",),
    upstream="noderesources",
    reasons=(
        Reason(
            r"Insufficient (?P<resource>[^\s/]+/\S+)",
            Text(
                "The node offers none of this extended resource, because its device plugin is not running or a driver "
                "is missing; or its pods already request all of it.",
                "节点不提供这种扩展资源（设备插件没有运行，或缺少驱动），或者节点上的 Pod 已请求了全部。",
            ),
            Text(
                "Which of the two: see status.allocatable of the node.",
                "是哪一种：请看节点的 status.allocatable。",
            ),
            preemption_helps=True,
            lesson="resources-fit",
            kind="insufficient",
            short=Text("too little {resource}", "{resource} 不足"),
            starter=insufficient,
            about_nodes=True,
            beside_others=True,
        ),
        Reason(
            r"Insufficient (?P<resource>\S+)",
            Text(
                "The pods on the node already request so much that what this pod requests is not left.",
                "节点上的 Pod 已请求了太多资源，剩下的不够这个 Pod 的请求。",
            ),
            Text(
                "How much is missing. Requests count, not use: an idle node may be full.",
                "缺多少。计算的是请求量而不是用量：空闲的节点也可能已满。",
            ),
            preemption_helps=True,
            lesson="resources-fit",
            kind="insufficient",
            short=Text("too little {resource}", "{resource} 不足"),
            starter=insufficient,
            about_nodes=True,
            beside_others=True,
        ),
        Reason(
            r"Too many (?P<resource>pods)",
            Text(
                'The node runs as many pods as it may (its resource "pods").',
                "节点上的 Pod 数量已达上限（它的 “pods” 资源）。",
            ),
            Text(
                "The limit, which is often 110, or as many as the node has addresses for.",
                "上限是多少：通常是 110，或由节点的地址数量决定。",
            ),
            preemption_helps=True,
            lesson="resources-fit",
            kind="pods",
            short=Text("too many pods", "Pod 太多"),
            starter=too_many_pods,
            about_nodes=True,
            beside_others=True,
        ),
        Reason(
            r"Pod has a restartable init container and the SidecarContainers feature is disabled",
            Text(
                "An init container of the pod keeps running, and this scheduler cannot count it in.",
                "Pod 的某个 Init 容器会一直运行，而这个调度器无法把它计算进去。",
            ),
            Text("Which one: it has restartPolicy: Always.", "是哪一个：它设置了 restartPolicy: Always。"),
        ),
    ),
    captions={
        "filter.*.none": Text("There is room for {pod} on {all}.", "{pod} 请求的资源，在{all}上都够用。"),
        "filter.*.none.why": Text(
            "Requests of pods count, not their actual usage.", "算的是 Pod 的请求量，不是实际用量。"
        ),
        "scored.*.best": Text(
            "{nodes} {n|gets|get} {top} {top|point|points} for {n|its|their} room, the lowest is {low}.",
            "{nodes} 剩余资源多，得 {top} 分，最低的得 {low} 分。",
        ),
        "scored.*.same": Text(
            "Room is equal everywhere: {top} {top|point|points} each.", "各节点的剩余资源相当：各得 {top} 分。"
        ),
        "next.filter.*": Text(
            "NodeResourcesFit compares requests with free resources.", "NodeResourcesFit 比较请求量与空闲资源。"
        ),
        "scored.*.full": Text(
            "{nodes}, the fullest, {n|gets|get} {top} {top|point|points}; the lowest is {low}.",
            "{nodes} 占用最多，得 {top} 分；最低的得 {low} 分。",
        ),
        "filter.*.one": Text(
            "{pod} needs {need}, but {node} has {free} of {capacity} left.",
            "{pod} 需要 {need}，但 {node} 的 {capacity} 中还剩 {free}。",
        ),
        "filter.*.never": Text(
            "{pod} needs {need}, but {node} has only {capacity} in all.",
            "{pod} 需要 {need}，但 {node} 总共只有 {capacity}。",
        ),
        "filter.*.many": Text(
            "{pod} needs {need}, and {n} nodes have less than that left.",
            "{pod} 需要 {need}，有 {n} 个节点没有这么多空闲。",
        ),
        "filter.*.all": Text(
            "{pod} needs {need}, and none of the {n} nodes left has that much.",
            "{pod} 需要 {need}，剩下的 {n} 个节点都没有这么多空闲。",
        ),
        "filter.*.pods.one": Text(
            "{node} is full: it already runs {capacity} pods, its limit.",
            "{node} 满了：已运行 {capacity} 个 Pod，达到上限。",
        ),
        "filter.*.pods.many": Text("{n} nodes already run as many pods as they may.", "{n} 个节点的 Pod 数已达上限。"),
        "filter.*.holders": Text("{pods} {n|holds|hold} {used} there.", "那里 {pods} 已占用 {used}。"),
        "filter.*.mixed": Text(
            "{n} nodes have too little for {pod}: {reasons}.", "{n} 个节点放不下 {pod}，不足的是：{reasons}。"
        ),
        "filter.*.mixed.one": Text("{resource} on {k}", "{resource}（{k} 个）"),
        "filter.*.held": Text("{used} more is kept for {pods}.", "另有 {used} 为 {pods} 保留。"),
    },
)
