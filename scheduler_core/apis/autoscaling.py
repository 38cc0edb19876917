"""Actors that add, remove and repair: Cluster Autoscaler with its node groups, Karpenter, descheduler.

Their documents are of the scenario; the flags and the policy are written as for the real ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.karpenter import InstanceType
from scheduler_core.apis.tagged import Tagged

Manifest = Mapping[str, Any]
CloudFailure = Literal["stuck", "ghost", "outOfResources", "error"]


class CloudFault(msgspec.Struct, frozen=True):
    """A failure of the cloud to add nodes to a group, until a time (None: always).

    stuck: instances are listed and never become nodes; ghost: the target grows and no instance is listed;
    outOfResources: instances are listed with an error; error: the increase is refused with the message.
    """

    mode: CloudFailure
    message: str = ""
    until: float | None = None


class NodeGroup(msgspec.Struct, frozen=True):
    """Nodes that can be added: at most `maximum` (None: any number), at `price` an hour each (None: unknown).

    `template`: the manifest of such a node, None: like the existing ones. `size` nodes, named <name>-1 and so on, exist
    at the start, beside those that `nodes` names. A new one is a Node after `boot_seconds` and ready `ready_seconds`
    later, None: as the actor says. `options`: the flags that are other for this group, by name.
    """

    name: str
    minimum: int = 0
    maximum: int | None = None
    price: float | None = None
    template: Manifest | None = None
    size: int = 0
    startup_taints: tuple[Taint, ...] = ()
    fault: CloudFault | None = None
    options: Mapping[str, Any] = {}
    boot_seconds: float | None = None
    ready_seconds: float | None = None
    nodes: tuple[str, ...] = ()


class Pricing(msgspec.Struct, frozen=True):
    """The prices of a cloud for an hour of a cpu, a gigabyte and a GPU, by which pods are priced."""

    cpu: float = 0.0
    memory: float = 0.0
    gpu: float = 0.0


class ClusterAutoscalerSettings(Tagged, frozen=True, tag="ClusterAutoscaler"):
    """The settings of Cluster Autoscaler and of its cloud, which needs the seconds. `flags`: its command line."""

    flags: Mapping[str, Any]
    start_seconds: float = 0.0
    boot_seconds: float = 3.0
    ready_seconds: float = 2.0
    delete_seconds: float = 1.0
    pricing: Pricing | None = None
    priorities: Mapping[int, tuple[str, ...]] | None = None  # of the priority expander's ConfigMap


class DeschedulerSettings(Tagged, frozen=True, tag="Descheduler"):
    """The settings of the descheduler with its DeschedulerPolicy; `interval` in seconds, 0: one pass."""

    policy: Manifest
    start_seconds: float = 0.0
    interval: float = 0.0


class KarpenterSettings(Tagged, frozen=True, tag="Karpenter"):
    """The settings of Karpenter. `flags`: its command line, parsed; `instance_types`: those of its cloud.

    Its cloud makes a node ready `ready_seconds` after it appeared.
    """

    flags: Mapping[str, Any]
    instance_types: tuple[InstanceType, ...]
    start_seconds: float = 0.0
    ready_seconds: float = 2.0


Actor = ClusterAutoscalerSettings | KarpenterSettings | DeschedulerSettings
