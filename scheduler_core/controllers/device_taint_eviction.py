"""device-taint-eviction-controller (pkg/controller/devicetainteviction/device_taint_eviction.go).

It deletes pods whose devices have a NoExecute taint that their claim does not tolerate, or only for some time. Taints
come from ResourceSlices and DeviceTaintRules.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.apis.devices import (
    DeviceID,
    DeviceResult,
    DeviceTaint,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because

REASON = "DeviceTaintManagerEviction"


class Eviction(msgspec.Struct, frozen=True, order=True):
    """The time of a pod's deletion, the device that causes it, and all taints that require it (evictionAndReason)."""

    time: float
    device: DeviceID
    taints: tuple[tuple[str, float], ...] = ()  # DeviceTaintRule or ResourceSlice and taint, and when it was added


class Memory(msgspec.Struct):
    """The planned deletions (deletePodAt) and those that were carried out, by the pod's uid; and all slices.

    `rests`: the minimum seconds that a pod stays on its node, by its uid; `next_rests`: those of the next pod, by
    device and taints. They double with each deletion: otherwise pods that are recreated and get the same devices would
    be deleted endlessly at the same moment.
    """

    planned: dict[str, Eviction] = {}
    done: dict[str, Eviction] = {}
    rests: dict[str, float] = {}
    next_rests: dict[Hashable, float] = {}
    pools: dict[tuple[str, str], list[ResourceSlice]] = {}  # by driver and pool, as of `version` of the slices
    version: int = -1

    def after_rest(self, eviction: Eviction, pod: Pod, now: float) -> Eviction:
        """Return the eviction, postponed until the pod has been on its node for the minimum time (`rests`)."""
        rest = self.rests.setdefault(pod.uid, self.next_rests.get((eviction.device, eviction.taints), 1.0))
        bound = now if pod.start_time is None else pod.start_time
        return replace(eviction, time=max(eviction.time, bound + rest))


def reconcile(key: PodKey, api: Api) -> None:
    """Plan, cancel or carry out the deletion of a pod (handlePod, maybeDeletePod)."""
    pod = api.pod(key)
    if pod is None:
        return
    memory: Memory = api.memory.setdefault("device-taint-eviction", Memory())
    eviction = _eviction(pod, api)
    if eviction is not None:
        eviction = memory.after_rest(eviction, pod, api.now)
    if eviction is None:
        if memory.planned.pop(pod.uid, None) is not None:
            api.record(pod, REASON, "Cancelling deletion")
    elif api.status(pod).deletion_requested is not None:
        if memory.done.setdefault(pod.uid, eviction) != eviction:
            memory.planned[pod.uid] = eviction  # nothing is left to do, but it can be cancelled
    elif eviction.time > api.now + 1e-9:
        memory.planned[pod.uid] = eviction
        api.later(eviction.time - api.now, key)
    else:
        memory.planned.pop(pod.uid, None)
        memory.done[pod.uid] = eviction
        memory.next_rests[eviction.device, eviction.taints] = 2 * memory.rests[pod.uid]
        api.record(pod, REASON, "Marking for deletion")
        api.set_disruption_target(pod, "DeletionByDeviceTaintManager")
        api.delete_pod(pod, because("device-no-execute", device="/".join(eviction.device)))


def users(claim: ResourceClaim) -> Iterator[PodKey]:
    """Yield the pods for which a claim is reserved."""
    for consumer in claim.reserved_for:
        if consumer.resource == "pods" and not consumer.api_group:
            yield f"{claim.namespace}/{consumer.name}"


def may_concern(item: DeviceTaintRule | ResourceSlice, claim: ResourceClaim) -> bool:
    """Return whether the rule may taint devices of the claim, or the slice is of a pool of its devices."""
    results = claim.allocation.results if claim.allocation is not None else ()
    if isinstance(item, DeviceTaintRule):
        return bool(results)  # also if it matched before
    return any((result.driver, result.pool) == (item.driver, item.pool) for result in results)


def _eviction(pod: Pod, api: Api) -> Eviction | None:
    """Return the deletion that the pod's claims require, or None (podEvictionTime).

    Claims of extended resources are not checked.
    """
    if not pod.node_name:
        return None
    names = dict(pod.resource_claim_statuses)
    evictions: list[Eviction] = []
    for entry in pod.resource_claims:
        name = entry.claim or names.get(entry.name, "")
        claim = api.cluster.get("ResourceClaim", f"{pod.namespace}/{name}")
        if not isinstance(claim, ResourceClaim) or claim.allocation is None or not claim.is_reserved_for(pod.uid):
            continue
        if not entry.template or claim.owner_uid == pod.uid:
            evictions += [eviction for result in claim.allocation.results for eviction in _evictions(result, api)]
    if not evictions:
        return None
    return replace(min(evictions), taints=tuple(sorted({taint for entry in evictions for taint in entry.taints})))


def _evictions(result: DeviceResult, api: Api) -> Iterator[Eviction]:
    """Yield an eviction for each taint of an allocated device that is not tolerated forever (claimEvictionTime).

    Only tolerations with the effect NoExecute count.
    """
    for source, taint, added in _taints(result, api):
        if taint.effect != "NoExecute":
            continue
        matching = [entry for entry in result.tolerations if entry.effect == "NoExecute" and entry.tolerates(taint)]
        if any(entry.seconds is None for entry in matching):
            continue
        seconds = min((max(entry.seconds or 0, 0) for entry in matching), default=0)
        yield Eviction(added + seconds, result.device_id, ((source, added),))


def _taints(result: DeviceResult, api: Api) -> Iterator[tuple[str, DeviceTaint, float]]:
    """Yield the taints of a device, each with its source and the time when it was added (allEvictingDeviceTaints).

    A rule also taints an allocated device that its driver no longer publishes; a rule without a selector taints none.
    """
    for resource_slice in _newest(result, api):
        for device in resource_slice.devices:
            if device.name == result.device:
                for number, (taint, added) in enumerate(device.slice_taints):
                    yield f"{resource_slice.name} {device.name} {number}", taint, added
    for rule in api.cluster.objects("DeviceTaintRule"):
        if isinstance(rule, DeviceTaintRule) and rule.has_selector and rule.matches(*result.device_id):
            yield rule.name, rule.taint, rule.added


def _newest(result: DeviceResult, api: Api) -> Iterable[ResourceSlice]:
    """Return the slices of the newest generation of the device's pool."""
    memory: Memory = api.memory["device-taint-eviction"]
    version = api.cluster.version("ResourceSlice")
    if memory.version != version:
        memory.version, memory.pools = version, {}
        for item in api.cluster.objects("ResourceSlice"):
            assert isinstance(item, ResourceSlice)
            memory.pools.setdefault((item.driver, item.pool), []).append(item)
    slices = memory.pools.get((result.driver, result.pool), [])
    newest = max((item.generation for item in slices), default=0)
    return [item for item in slices if item.generation == newest]
