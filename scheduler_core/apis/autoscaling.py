"""Settings of the actors of a scenario: Cluster Autoscaler with its node groups, Karpenter and the descheduler.

Each has a document of its own, with flags and a policy as for the real program.
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
    """A failure of the cloud to add nodes to a group, `until` a time in virtual seconds (None: always).

    stuck: instances are listed and never become nodes; ghost: the target grows and no instance is listed;
    outOfResources: instances are listed with an error; error: the increase is refused with the message.
    """

    mode: CloudFailure
    message: str = ""
    until: float | None = None


class NodeGroup(msgspec.Struct, frozen=True):
    """A group of `minimum` to `maximum` nodes (None: any number), each at `price` per hour (None: unknown).

    `template`: the manifest of its nodes; None: new nodes are like an existing one. `size` nodes, named <name>-1 and so
    on, exist at the start, in addition to those in `nodes`. An instance becomes a Node after `boot_seconds` and is
    ready `ready_seconds` later; None: the settings of the actor apply. `options`: the flags that the group overrides.
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
    """The prices per hour of a cpu, a gigabyte of memory and a GPU, from which the price of a pod is computed."""

    cpu: float = 0.0
    memory: float = 0.0
    gpu: float = 0.0


class ClusterAutoscalerSettings(Tagged, frozen=True, tag="ClusterAutoscaler"):
    """The settings of Cluster Autoscaler, and the times that its cloud takes. `flags`: its parsed command line."""

    flags: Mapping[str, Any]
    start_seconds: float = 0.0
    boot_seconds: float = 3.0
    ready_seconds: float = 2.0
    delete_seconds: float = 1.0
    pricing: Pricing | None = None
    priorities: Mapping[int, tuple[str, ...]] | None = None  # of the priority expander's ConfigMap


class DeschedulerSettings(Tagged, frozen=True, tag="Descheduler"):
    """The settings of the descheduler with its DeschedulerPolicy. `interval`: seconds between passes; 0: one pass."""

    policy: Manifest
    start_seconds: float = 0.0
    interval: float = 0.0


class KarpenterSettings(Tagged, frozen=True, tag="Karpenter"):
    """The settings of Karpenter. `flags`: its command line, parsed; `instance_types`: those of its cloud.

    A node is ready `ready_seconds` after it appeared.
    """

    flags: Mapping[str, Any]
    instance_types: tuple[InstanceType, ...]
    start_seconds: float = 0.0
    ready_seconds: float = 2.0


Actor = ClusterAutoscalerSettings | KarpenterSettings | DeschedulerSettings
