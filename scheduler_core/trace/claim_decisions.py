"""ResourceClaims in decision records, in the form of the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.trace import events as trace
from scheduler_core.trace.records import ClaimKey, ClaimState, DeviceRequirement, GivenDevice

Record = dict[str, Any]


class Claims:
    """The state of claims according to the events."""

    def __init__(self) -> None:
        self._states: dict[ClaimKey, ClaimState] = {}
        self._any = False

    def take(self, event: trace.RunStarted | trace.ObjectApplied | trace.ObjectDeleted) -> None:
        """Process the next event."""
        match event:
            case trace.RunStarted():
                self._states = {claim.claim: claim for claim in event.claims}
            case trace.ObjectApplied(claim=ClaimState() as claim):
                self._states[claim.claim] = claim
            case trace.ObjectDeleted(kind="ResourceClaim"):
                self._states.pop(f"{event.namespace}/{event.name}", None)
        published = isinstance(event, trace.RunStarted) and event.slices
        self._any = self._any or bool(self._states or published)

    def of(self, keys: Iterable[ClaimKey]) -> Record:
        """Return the field `claims` of a record; empty for a pod without claims."""
        records = {key: _record(self._states[key]) if key in self._states else None for key in keys}
        return {"claims": records} if records else {}

    def reserved_node(self, failed: trace.BindingFailed | None) -> Record:
        """Return the field `reservedNode` if PreBind failed on it in a run with claims or devices, otherwise empty."""
        if failed is None or failed.point != "PreBind" or not self._any:
            return {}
        return {"reservedNode": failed.node}

    def all(self) -> Record:
        """Return the field `claims` with all claims; empty in a run without claims and devices."""
        if not self._any:
            return {}
        return {"claims": {key: _record(self._states[key]) for key in sorted(self._states)}}


def _record(claim: ClaimState) -> Record:
    allocation = None
    if claim.allocated:
        allocation = {
            "results": [_device(device) for device in claim.devices],
            "nodeSelector": None
            if claim.nodes is None
            else {"nodeSelectorTerms": [_term(alternative) for alternative in claim.nodes]},
            **({"config": claim.configs} if claim.configs else {}),
        }
    return {
        "allocation": allocation,
        "reservedFor": claim.reserved_for,
        **({"deleting": True} if claim.deleting else {}),
    }


def _term(requirements: Iterable[DeviceRequirement]) -> Record:
    term: Record = {}
    for requirement in requirements:
        expression = {
            "key": requirement.key,
            "operator": requirement.operator,
            **({"values": requirement.values} if requirement.values else {}),
        }
        term.setdefault("matchFields" if requirement.field else "matchExpressions", []).append(expression)
    return term


def _device(device: GivenDevice) -> Record:
    """Return a device; the id of its share, which kube-scheduler generates, is recorded as "*"."""
    result: Record = {
        "request": device.request,
        "driver": device.driver,
        "pool": device.pool,
        "device": device.device,
        "adminAccess": device.admin_access,
        "tolerations": [_toleration(*toleration) for toleration in device.tolerations] or None,
        "bindingConditions": device.binding_conditions or None,
        "bindingFailureConditions": device.binding_failure_conditions or None,
        "shareID": "*" if device.share_id else None,
        "consumedCapacity": device.consumed or None,
    }
    return {name: value for name, value in result.items() if value is not None}


def _toleration(key: str, operator: str, value: str, effect: str, seconds: int | None) -> Record:
    fields = {"key": key, "operator": operator, "value": value, "effect": effect}
    record: Record = {name: text for name, text in fields.items() if text}
    return record if seconds is None else {**record, "tolerationSeconds": seconds}
