"""The search for devices: what DynamicResources' allocator tried on each node, and the reasons for its results."""

from __future__ import annotations

from typing import Literal

from scheduler_core.trace.event import Event
from scheduler_core.trace.records import ClaimKey, NodeName, Record

TryKind = Literal[
    "subrequest",  # the next subrequest of a prioritized list is tried
    "taken",
    "returned",  # it was selected, and was returned because the search could not be completed with it
    "held",  # it is allocated to a claim
    "chosen",  # it was already selected in this search
    "selector",
    "constraint",
    "taint",
    "counters",
    "capacity",
    "elsewhere",  # the device can only be used on other nodes
    "empty",  # mode All, and no device matches
    "error",
]
PoolProblem = Literal["", "incomplete", "invalid", "elsewhere", "outdated"]


class ShownDocument(Record, frozen=True):
    """A claim or class as YAML, line by line."""

    kind: Literal["ResourceClaim", "DeviceClass"]
    name: str
    lines: list[str]


class SearchedRequest(Record, frozen=True):
    """A request, or a subrequest: "gpu", "gpu/large". `count` 0: all that match."""

    claim: ClaimKey
    name: str
    device_class: str
    count: int
    of_list: bool = False  # part of a prioritized list


class SearchedPool(Record, frozen=True):
    """A pool as the node sees it; a pool with a `problem` provides no devices (before 1.35 an incomplete one does)."""

    driver: str
    pool: str
    devices: list[str] = []  # those for this node, in the order in which they are tried
    problem: PoolProblem = ""
    message: str = ""  # "2 of 3 slices", "duplicate device name gpu-0"


class DeviceTry(Record, frozen=True):
    """One step of the search. `devices` ("driver/pool/device") has several if they were rejected for the same reason.

    `text` is the reason with its values: "memory 40Gi < 80Gi", the claim to which the device is allocated, the taint.
    It is in `line` of document `document` (-1: none).
    """

    kind: TryKind
    request: str
    claim: ClaimKey = ""
    devices: list[str] = []
    text: str = ""
    document: int = -1
    line: int = -1


class DeviceShortage(Record, frozen=True):
    """A request for several devices that the search cannot complete: it finds at most `found` of `wanted` at once."""

    claim: ClaimKey
    request: str
    found: int
    wanted: int


class NodeSearch(Record, frozen=True):
    """The search on one node. `outcome` "unavailable": its allocated devices cannot be used on this node."""

    node: NodeName
    outcome: Literal["found", "none", "unavailable", "error"]
    pools: list[SearchedPool] = []
    tries: list[DeviceTry] = []
    unfinished: bool = False  # the search continued after these tries
    found: list[tuple[str, str, str]] = []  # claim, request, device
    message: str = ""
    shortage: DeviceShortage | None = None


class DevicesSearched(Event, frozen=True, tag=True):
    """DynamicResources searched for devices on these nodes, in this order, and on `more` other nodes."""

    part_of = "cycle"
    extension_point = "Filter"

    claims: list[ClaimKey]
    requests: list[SearchedRequest]
    nodes: list[NodeSearch]
    documents: list[ShownDocument] = []
    more: int = 0
