"""The texts of NodePorts: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster


def take_ports(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    ports = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    cluster.spec["containers"][0] |= ports
    for node in nodes:
        cluster.add_neighbour(node, container=ports)


ABOUT = About(
    question=Text("Ports?", "端口？"),
    rule=Text(
        "A host port can be used once per node, address and protocol.",
        "一个主机端口在每个节点、地址和协议上只能用一次。",
    ),
    blocker=Text("Its host port is taken", "主机端口被占用"),
    looks_at=("port",),
    reasons=(
        Reason(
            r"node\(s\) didn't have free ports for the requested pod ports",
            Text(
                "A pod on the node already uses a host port that this pod asks for.",
                "节点上已有 Pod 占用了这个 Pod 要用的主机端口。",
            ),
            Text("Which port, and which pod has it.", "是哪个端口，被哪个 Pod 占用。"),
            preemption_helps=True,
            lesson="host-ports",
            kind="ports",
            short=Text("host port taken", "主机端口被占用"),
            starter=take_ports,
            about_nodes=True,
        ),
    ),
    captions={
        "filter.*.none": Text("The host port of {pod} is free on {all}.", "{pod} 的主机端口在{all}上都空闲。"),
        "filter.*.one": Text(
            "The host port that {pod} needs is taken on {node}.", "{pod} 需要的主机端口在 {node} 上已被占用。"
        ),
        "filter.*.many": Text(
            "The host port that {pod} needs is taken on {n} nodes: {nodes}.",
            "{pod} 需要的主机端口在 {n} 个节点上已被占用：{nodes}。",
        ),
        "next.filter.*": Text("NodePorts looks for taken host ports.", "NodePorts 查找被占用的主机端口。"),
        "fact.*.port": Text(
            "Port {v_port} of {node} is taken by {v_pods}.", "{node} 的端口 {v_port} 已被 {v_pods} 占用。"
        ),
        "stop.*.port": Text("port {port} taken|by {pods}", "端口 {port} 被占用|由 {pods}"),
        "pass.*.port": Text("{port} free", "{port} 空闲"),
    },
)
