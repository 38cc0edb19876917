"""The requests of the claims of one search, as the allocator prepares them (allocator_*.go: validateDeviceRequest)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.apis.devices import ALL, DeviceClass, DeviceRequest
from scheduler_core.plugins.dynamic_resources.pools import Candidate

RequestKey = tuple[int, int, int]  # indices of claim, request and subrequest (0 for a request without subrequests)


class AllocationError(Exception):
    """The search on a node ends with an error: a claim, class, selector or pool is invalid, or a request for all
    devices cannot be satisfied.
    """


class RequestData(msgspec.Struct, frozen=True):
    """A request, or a subrequest of `parent`. `all_devices`: the devices for mode All; None for other modes."""

    request: DeviceRequest
    parent: DeviceRequest | None
    device_class: DeviceClass
    count: int
    all_devices: Sequence[Candidate] | None = None

    @property
    def base_name(self) -> str:
        """Return the name of the request in the claim."""
        return self.request.name if self.parent is None else self.parent.name

    @property
    def subrequest_name(self) -> str:
        return "" if self.parent is None else self.request.name

    @property
    def name(self) -> str:
        """Return the name in allocation results: "request" or "request/subrequest"."""
        return self.request.name if self.parent is None else f"{self.parent.name}/{self.request.name}"

    @property
    def takes_all(self) -> bool:
        return self.request.mode == ALL
