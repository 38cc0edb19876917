"""Validates a pod's containers, and returns its host ports, images, required node features and requests.

Sources: core/validation `validateContainers`, `validateInitContainers`, `validateContainerPorts`,
`validatePodResources`, `validatePodHostNetworkDeps`; core/v1 defaults `defaultPodRequests`,
`defaultHugePagePodLimits`; scheduler `GetHostPorts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.apis.constraints import HostPort
from scheduler_core.apis.container_resources import Amounts, amounts, is_sidecar, requests_or_limits
from scheduler_core.apis.messages import Message
from scheduler_core.releases import Release
from scheduler_core.scenario.fields.names import check_name, port_name, rfc_1123_label
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.resources import (
    Containers,
    PodRequests,
    aggregate,
    check_quantities,
    check_requirements,
    is_native,
    is_pod_level,
    raise_to,
)
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)

Manifest = Mapping[str, Any]
DEFAULT_IP = "0.0.0.0"  # noqa: S104 - a host port that names no address is taken on all of them


RESTART_ALL_CONTAINERS = "RestartAllContainersOnContainerExits"
USER_NAMESPACES_HOST_NETWORK = "UserNamespacesHostNetworkSupport"


def check_containers(spec: Manifest, problems: Problems, admission: Admission) -> None:
    """Check names, images, ports, resources and restart rules of containers and init containers.

    Ephemeral containers are left out, with a warning.
    """
    containers, init_containers = spec.get("containers") or (), spec.get("initContainers") or ()
    if not containers:
        problems.error(("spec", "containers"), required(Message("a pod needs at least one container")))
    claims = [claim.get("name") or "" for claim in spec.get("resourceClaims") or ()]
    names: set[str] = set()
    taken: set[tuple[str, str, int]] = set()
    for field, entries in (("containers", containers), ("initContainers", init_containers)):
        for index, container in enumerate(entries):
            path: Path = ("spec", field, index)
            _check_name(container, path, names, problems)
            if resources := container.get("resources"):
                check_requirements(resources, (*path, "resources"), problems, claims=claims)
            if ports := container.get("ports"):
                _check_ports(ports, (*path, "ports"), problems)
                if field == "containers":
                    _check_port_conflicts(ports, (*path, "ports"), taken, problems)
                    if spec.get("hostNetwork"):
                        _check_host_network(ports, (*path, "ports"), problems)
            if rules := container.get("restartPolicyRules"):
                _check_restart_rules(rules, container, path, problems, admission)
    only_always = not admission.has_on("ContainerRestartRules")
    for index, container in enumerate(init_containers if only_always else ()):
        if container.get("restartPolicy") not in (None, "", "Always"):
            message = Message("an init container's restartPolicy can only be Always, which makes it a sidecar")
            problems.error(("spec", "initContainers", index, "restartPolicy"), message)
    if USER_NAMESPACES_HOST_NETWORK in required_features(spec) and not admission.has_on(USER_NAMESPACES_HOST_NETWORK):
        problems.error(("spec", "hostNetwork"), forbidden(Message("when `hostUsers` is false")))
    if spec.get("ephemeralContainers"):
        problems.warn(("spec", "ephemeralContainers"), Message("they request nothing and are left out"))


def _check_name(container: Manifest, path: Path, names: set[str], problems: Problems) -> None:
    name, image = container.get("name") or "", container.get("image") or ""
    check_name(name, (*path, "name"), problems, validate=rfc_1123_label, others=names)
    names.add(name)
    if not image:
        problems.error((*path, "image"), required())
    elif image != image.strip():
        problems.error((*path, "image"), invalid(image, Message("must not have leading or trailing whitespace")))


def _check_restart_rules(rules: Any, container: Manifest, path: Path, problems: Problems, admission: Admission) -> None:
    """Check restartPolicyRules (`validateContainerRestartPolicy`)."""
    if not container.get("restartPolicy"):
        message = Message("must specify restartPolicy when restart rules are used")
        problems.error((*path, "restartPolicy"), required(message))
    actions = ("Restart", *(("RestartAllContainers",) if admission.has_on(RESTART_ALL_CONTAINERS) else ()))
    for index, rule in enumerate(rules):
        at = (*path, "restartPolicyRules", index)
        if rule.get("action") not in actions:
            problems.error((*at, "action"), not_supported(rule.get("action") or "", actions))
        if (codes := rule.get("exitCodes")) is None:
            problems.error((*at, "exitCodes"), required(Message("must be specified")))
        elif codes.get("operator") not in ("In", "NotIn"):
            problems.error((*at, "exitCodes", "operator"), not_supported(codes.get("operator") or "", ("In", "NotIn")))


def required_features(spec: Manifest) -> tuple[str, ...]:
    """Return the features that the node must declare, sorted (component-helpers: `InferForPodScheduling`)."""
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    actions = {rule.get("action") for container in containers for rule in container.get("restartPolicyRules") or ()}
    needed = (
        (RESTART_ALL_CONTAINERS, "RestartAllContainers" in actions),
        (USER_NAMESPACES_HOST_NETWORK, bool(spec.get("hostNetwork")) and spec.get("hostUsers") is False),
    )
    return tuple(feature for feature, needs in needed if needs)


def _check_ports(ports: Any, path: Path, problems: Problems) -> None:
    names: set[str] = set()
    for index, port in enumerate(ports):
        at = (*path, index)
        if name := port.get("name"):
            if reason := port_name(name):
                problems.error((*at, "name"), invalid(name, reason))
            elif name in names:
                problems.error((*at, "name"), duplicate(name))
            names.add(name)
        container_port, host_port = port.get("containerPort") or 0, port.get("hostPort") or 0
        if not container_port:
            problems.error((*at, "containerPort"), required())
        for field, number in (("containerPort", container_port), ("hostPort", host_port)):
            if number and not 1 <= number <= 65535:
                problems.error((*at, field), invalid(number, Message("must be between 1 and 65535, inclusive")))


def _check_host_network(ports: Any, path: Path, problems: Problems) -> None:
    """Check the ports of a container with hostNetwork (`validatePodHostNetworkDeps`)."""
    for index, port in enumerate(ports):
        host_port = port.get("hostPort") or 0
        if host_port not in (0, port.get("containerPort") or 0):
            reason = Message("must match `containerPort` when `hostNetwork` is true")
            problems.error((*path, index, "hostPort"), invalid(host_port, reason))


def _check_port_conflicts(ports: Any, path: Path, taken: set[tuple[str, str, int]], problems: Problems) -> None:
    for index, port in enumerate(ports):
        if number := port.get("hostPort"):
            key = (port.get("protocol") or "TCP", port.get("hostIP") or "", number)
            if key in taken:
                problems.error((*path, index, "hostPort"), duplicate("/".join(map(str, key))))
            taken.add(key)


def host_ports(spec: Manifest, release: Release) -> tuple[HostPort, ...]:
    """Return the host ports of sidecars (in releases that count them), then of containers (`GetHostPorts`).

    With hostNetwork, a port without a hostPort takes its containerPort on the host.
    """
    counted = release.rules.node_ports_counts_sidecars
    sidecars = [
        init_container for init_container in spec.get("initContainers") or () if counted and is_sidecar(init_container)
    ]
    host_network = spec.get("hostNetwork")
    ports = []
    for container in (*sidecars, *(spec.get("containers") or ())):
        for port in container.get("ports") or ():
            number = port.get("hostPort") or (port.get("containerPort") if host_network else 0)
            if number:
                ports.append(HostPort(port.get("hostIP") or DEFAULT_IP, port.get("protocol") or "TCP", number))
    return tuple(ports)


def images(spec: Manifest, release: Release) -> tuple[str, ...]:
    """Return the images of init containers (in releases that count them), then of containers (`sumImageScores`)."""
    init_containers = spec.get("initContainers") if release.rules.image_locality_counts_init_containers else ()
    containers = (*(init_containers or ()), *(spec.get("containers") or ()))
    return tuple(container.get("image") or "" for container in containers)


def image_volumes(spec: Manifest) -> tuple[str, ...]:
    """Return the references of image volumes, in order; a volume without one is left out."""
    sources = (volume.get("image") for volume in spec.get("volumes") or ())
    return tuple(source["reference"] for source in sources if source and source.get("reference"))


def pod_requests(spec: Manifest, status: Manifest, problems: Problems, release: Release) -> PodRequests:
    """Check and return the requests of a pod after defaulting: of its containers, of the pod level, and its overhead.

    `status` has the allocated and actual requests of a pod on a node, which count during a resize; {} for other pods.
    """
    desired = _containers(spec, _desired)
    check_quantities(spec.get("overhead"), ("spec", "overhead"), problems)
    pod_level = None
    if resources := spec.get("resources"):
        check_requirements(resources, ("spec", "resources"), problems, pod_level=True)
        pod_level = _pod_level(resources, spec, aggregate(*desired))
        _check_pod_level(pod_level, aggregate(*desired), problems)
        if release.has_on("InPlacePodLevelResourcesVerticalScaling") and status.get("resources") is not None:
            pod_level = _resized_pod_level(pod_level, status)
    states = _resize_states(spec, status, desired, release) if status else [desired]
    return PodRequests(states, pod_level, amounts(spec.get("overhead")))


def _containers(spec: Manifest, requests_of: Callable[[Manifest], Amounts]) -> Containers:
    containers = [requests_of(container) for container in spec.get("containers") or ()]
    return containers, [
        (requests_of(container), is_sidecar(container)) for container in spec.get("initContainers") or ()
    ]


def _desired(container: Manifest) -> Amounts:
    return requests_or_limits(container.get("resources") or {})


def _resize_states(spec: Manifest, status: Manifest, desired: Containers, release: Release) -> list[Containers]:
    """Return the desired, allocated and actual requests during a resize; of the sums, the largest counts.

    The desired ones are left out if the resize is infeasible. In releases that compare containers instead of sums, the
    largest of each container are returned as the only state. Sources: component-helpers `AggregateContainerRequests`,
    and before 1.37 `determineEffectiveRequests`.
    """
    fields = ("containerStatuses", "initContainerStatuses")
    entries: dict[str | None, Manifest] = {
        entry.get("name"): entry for field in fields for entry in status.get(field) or ()
    }
    infeasible = _is_infeasible(status)

    def effective(container: Manifest) -> Amounts:
        entry = entries.get(container.get("name"), {})
        if entry.get("resources") is None or (
            container in (spec.get("initContainers") or ()) and not is_sidecar(container)
        ):
            return _desired(container)
        requests = {} if infeasible else dict(_desired(container))
        raise_to(requests, amounts(entry["resources"].get("requests")))
        raise_to(requests, amounts(entry.get("allocatedResources")))
        return requests

    def allocated(container: Manifest) -> Amounts:
        requests = entries.get(container.get("name"), {}).get("allocatedResources")
        if requests is None:
            return {} if infeasible else _desired(container)
        return amounts(requests)

    def actual(container: Manifest) -> Amounts:
        requests = (entries.get(container["name"], {}).get("resources") or {}).get("requests")
        return allocated(container) if requests is None else amounts(requests)

    if not release.rules.resize_compares_sums:
        return [_containers(spec, effective)]
    of_pod = status.get("allocatedResources"), (status.get("resources") or {}).get("requests")
    if all(requests is not None for requests in of_pod):
        states: list[Containers] = [([amounts(requests)], []) for requests in of_pod]
    else:
        states = [_containers(spec, allocated), _containers(spec, actual)]
    return states if infeasible else [desired, *states]


def _resized_pod_level(desired: Amounts, status: Manifest) -> Amounts:
    """Return the largest of the desired, actual and allocated pod-level requests (`effectivePodLevelResources`).

    The desired ones do not count if the resize is infeasible; the others count for resources that are desired.
    """
    requests = {} if _is_infeasible(status) else dict(desired)
    for field in (status["resources"].get("requests"), status.get("allocatedResources")):
        raise_to(requests, {name: number for name, number in amounts(field).items() if name in desired})
    return requests


def _is_infeasible(status: Manifest) -> bool:
    """Return whether the first condition PodResizePending has the reason Infeasible (`IsPodResizeInfeasible`)."""
    conditions = [entry for entry in status.get("conditions") or () if entry.get("type") == "PodResizePending"]
    return bool(conditions) and conditions[0].get("reason") == "Infeasible"


def _pod_level(resources: Manifest, spec: Manifest, containers: Amounts) -> Amounts:
    """Return spec.resources.requests as the API server stores them (`defaultHugePagePodLimits`, `defaultPodRequests`).

    `containers`: the sum of the containers' requests.
    """
    requests, limits = amounts(resources.get("requests")), amounts(resources.get("limits"))
    if requests or limits:
        for name, number in _huge_page_limits(spec).items():
            if name not in requests:
                limits.setdefault(name, number)
    if limits:
        for name, number in containers.items():
            if is_pod_level(name) and is_native(name) and not name.startswith("hugepages-"):
                requests.setdefault(name, number)
        for name, number in limits.items():
            if is_pod_level(name):
                requests.setdefault(name, number)
    return requests


def _huge_page_limits(spec: Manifest) -> Amounts:
    """Return the sum of the containers' limits of huge pages."""
    limits = aggregate(
        [amounts((container.get("resources") or {}).get("limits")) for container in spec.get("containers") or ()],
        [
            (amounts((container.get("resources") or {}).get("limits")), is_sidecar(container))
            for container in spec.get("initContainers") or ()
        ],
    )
    return {name: number for name, number in limits.items() if name.startswith("hugepages-")}


def _check_pod_level(pod_level: Amounts, containers: Amounts, problems: Problems) -> None:
    """Check that pod-level requests are not below those of all containers (`validatePodResourceConsistency`)."""
    for name, number in containers.items():
        if name in pod_level and number > pod_level[name]:
            reason = Message("must be greater than or equal to aggregate container requests of {number}", number=number)
            problems.error(("spec", "resources", "requests", name), invalid(pod_level[name], reason))
