"""CEL expressions over devices, compiled as the API server does (pkg/apis/resource/validation: validateCELSelector).

An expression that the API server would reject is a warning: the object may already be in a cluster, accepted by another
release, and kube-scheduler then reports the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scheduler_core.apis.devices import ClaimSpec, DeviceRequest
from scheduler_core.apis.messages import Message
from scheduler_core.releases import Release
from scheduler_core.scenario.reading.problems import Path, Problems, forbidden, invalid


def check_claim_selectors(spec: ClaimSpec, path: Path, problems: Problems, release: Release) -> None:
    """Check the selectors of all requests and subrequests; `path` is the path of the claim's spec."""
    for at, request in exact_requests(spec, (*path, "devices", "requests")):
        check_selectors(request.selectors, (*at, "selectors"), problems, release)


def check_selectors(expressions: Iterable[str], path: Path, problems: Problems, release: Release) -> None:
    """Warn about each expression that the API server would reject, with its message; empty ones are skipped."""
    for index, expression in enumerate(expressions):
        refused = _refusal(expression, release) if expression else None
        if refused is not None:
            problems.warn((*path, index, "cel", "expression"), refused)


def exact_requests(spec: ClaimSpec, path: Path) -> Iterator[tuple[Path, DeviceRequest]]:
    """Yield the exact requests and the subrequests of a claim, each with its path; `path` is that of all requests."""
    for index, request in enumerate(spec.requests):
        if not request.first_available:
            yield (*path, index, "exactly"), request
        for place, entry in enumerate(request.first_available):
            yield (*path, index, "firstAvailable", place), entry


def _refusal(expression: str, release: Release) -> Message | None:
    """Return the error with which the API server of the release would reject the expression, or None."""
    # Imported here: importing the compiler would take an eighth of the time of a small run without devices.
    from scheduler_core.cel.device import MAX_COST, compile_device_selector
    from scheduler_core.cel.environment import CompileError

    minor = int(release.version.partition(".")[2])
    consumable = release.has_on("DRAConsumableCapacity")
    try:
        compiled = compile_device_selector(expression, minor, consumable_capacity=consumable)
    except CompileError as error:
        return invalid(expression, Message("{error}", error=str(error)))
    return forbidden(Message("too complex, exceeds cost limit")) if compiled.max_cost > MAX_COST else None
