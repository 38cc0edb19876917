"""The texts of DynamicResources: its question, reasons and captions."""

from __future__ import annotations

import re

from scheduler_core.framework.about import About, PostFilterNote, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster


def name_missing_claim(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Add a claim that does not exist to the pod; the quoted part of the reason is its name."""
    quoted = re.search(r'"(?:[^"/]*/)?([^"]+)"', reason)
    claim = quoted[1] if quoted else "missing"
    cluster.spec["resourceClaims"] = [{"name": "device", "resourceClaimName": claim}]
    cluster.spec["containers"][0].setdefault("resources", {})["claims"] = [{"name": "device"}]


ABOUT = About(
    question=Text("Devices?", "设备？"),
    score=Text("Devices", "设备"),
    rule=Text(
        "A pod needs a node with devices for all its claims, or with access to the devices that they already have.",
        "Pod 只能去能为其全部申领找到设备的节点，或能使用申领已有设备的节点。",
    ),
    blocker=Text("Its resource claims", "资源申领"),
    looks_at=("device",),
    reasons=(
        Reason(
            r"resourceclaim not available on the node",
            Text(
                "A resource claim of the pod has devices already, and they cannot be used from the node.",
                "Pod 的某个资源申领已有设备，而这些设备在该节点上无法使用。",
            ),
            Text("Which claim, and where its devices are.", "是哪个申领，它的设备在哪里。"),
            lesson="device-elsewhere",
            kind="deviceselsewhere",
            short=Text("its devices are elsewhere", "设备在别处"),
        ),
        Reason(
            r"cannot allocate all claims"
            r"|resourceclaim cannot be allocated for the node .*"
            r"|excluded by (?:device|resource) class node filter"
            r"|cannot fit resource|checking structured parameters failed: .*"
            r"|cannot schedule extended resource claim"
            r"|insufficient resources",
            Text(
                "The devices that a resource claim of the pod asks for are not free on the node.",
                "Pod 的资源申领（ResourceClaim）所要的设备，在该节点上没有空闲的。",
            ),
            Text(
                "Which devices there are (ResourceSlice), and who has them.",
                "有哪些设备（ResourceSlice），以及被谁占用。",
            ),
            lesson="device-challenge",
            kind="devices",
            short=Text("no devices for its claims", "没有申领所需的设备"),
        ),
        Reason(
            r'could not find ResourceClaim "[^"]+"'
            r'|resourceclaims?(?:\.resource\.k8s\.io)? "[^"]+" not found',
            Text(
                "A resource claim that the pod names does not exist, or not yet.",
                "Pod 所指名的资源申领（ResourceClaim）不存在，或者尚未创建。",
            ),
            Text(
                "Who creates it: you, or the controller that makes claims from a ResourceClaimTemplate.",
                "由谁创建它：您自己，还是根据 ResourceClaimTemplate 创建申领的控制器。",
            ),
            starter=name_missing_claim,
        ),
        Reason(
            r'resourceclaim (?:in use|must be reallocated|depends on .*|"[^"]+" is being deleted)'
            r"|unallocated immediate resourceclaim"
            r"|waiting for resource driver.*"
            r'|(?:pod "[^"]+": )?ResourceClaim (?:not created yet|\S+ was not created for .*)'
            r"|resource claim \S+ is in the process of being allocated"
            r"|de(?:alloca|le)tion of ResourceClaim completed",
            Text(
                "A resource claim of the pod cannot be used yet, or is used by others.",
                "Pod 的某个资源申领（ResourceClaim）还不能用，或正被其他 Pod 使用。",
            ),
            Text("Which claim that is.", "是哪一个资源申领。"),
        ),
        Reason(
            r"(?:resource claim [^,]+, )?request [^:]+: .*"
            r"|resource class \S+ does not exist"
            r"|(?:generated )?(?:claim|class) parameters .* not found",
            Text(
                "A request of a resource claim cannot be understood: the device class may not exist.",
                "资源申领中的某个请求无法处理：设备类可能不存在。",
            ),
            Text(
                "Which classes there are: see kubectl get deviceclass.", "有哪些设备类：请看 kubectl get deviceclass。"
            ),
        ),
    ),
    captions={
        "next.filter.*": Text("DynamicResources looks for devices.", "DynamicResources 寻找设备。"),
        "stop.*.few": Text(
            "{found} of {wanted} devices|for request {request}", "要 {wanted} 个设备，只有 {found} 个|请求 {request}"
        ),
        "reserve.*.nothing": Text(
            "Reserve: DynamicResources has nothing to hold on {node}, since {pod} has no claim.",
            "Reserve：{pod} 没有资源申领，DynamicResources 无需在 {node} 上预留什么。",
        ),
        "prebind.*.nothing": Text(
            "PreBind: DynamicResources has nothing to write for {pod} on {node}, since it has no claim.",
            "PreBind：{pod} 没有资源申领，DynamicResources 无需为它在 {node} 上写入什么。",
        ),
    },
    post_filter_notes=(
        PostFilterNote(
            r"no new claims to deallocate|still not schedulable|plugin disabled|not found",
            Text(
                "That is DynamicResources: it freed no resource claim that could help this pod. Most pods have none.",
                "这句来自 DynamicResources：没有可以释放、能帮到这个 Pod 的资源申领。多数 Pod 根本没有资源申领。",
            ),
        ),
    ),
)
