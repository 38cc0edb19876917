"""Builds a `Pod` from its document, as stored by kube-apiserver and read by the scheduler."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.container_resources import is_sidecar
from scheduler_core.apis.core import OwnerReference, Pod, Volume
from scheduler_core.apis.devices import PodClaim
from scheduler_core.apis.messages import Message
from scheduler_core.releases import Release
from scheduler_core.scenario.fields.names import (
    check_labels,
    check_metadata,
    check_name,
    dns_subdomain,
    qualified_name,
    rfc_1123_label,
    text_map,
)
from scheduler_core.scenario.fields.pod_fields import READ_VOLUME_SOURCES, VOLUME
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.pod_affinity import node_affinity, pod_affinity, spread_constraints, tolerations
from scheduler_core.scenario.objects.pod_containers import (
    check_containers,
    host_ports,
    image_volumes,
    images,
    pod_requests,
    required_features,
)
from scheduler_core.scenario.objects.pod_groups import pod_group_name
from scheduler_core.scenario.objects.resources import count_amounts
from scheduler_core.scenario.reading.problems import Problems, duplicate, forbidden, invalid, required

Manifest = Mapping[str, Any]

DEFAULT_SCHEDULER = "default-scheduler"
TERMINATION_SECONDS = "kschedui.io/termination-seconds"
STOP_SECONDS = "kschedui.io/stop-seconds"
CLAIM_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")
TERMINAL_PHASES = ("Succeeded", "Failed")  # for the scheduler, pods in these phases do not exist


def build_pod(data: Manifest, problems: Problems, admission: Admission) -> Pod:
    """Build a pod: validation (`ValidatePodCreate`), defaults and admission. The types of `data` have been checked."""
    metadata, spec, status = (data.get(key) or {} for key in ("metadata", "spec", "status"))
    namespace = metadata.get("namespace") or "default"
    labels, annotations = text_map(metadata.get("labels")), text_map(metadata.get("annotations"))
    check_metadata(metadata, ("metadata",), problems)
    check_containers(spec, problems, admission)
    _check_spec(spec, problems)
    node_name = spec.get("nodeName") or ""
    priority, preemption_policy, class_name = admission.priority(spec, problems)
    rules = admission.release.rules
    all_images = images(spec, admission.release)
    volumes = image_volumes(spec) if rules.image_volumes_are_scored else ()
    pod = Pod(
        name=metadata.get("name") or "",
        namespace=namespace,
        uid=admission.uid(metadata),
        labels=labels,
        annotations=annotations,
        priority=priority,
        preemption_policy=preemption_policy,
        scheduler_name=spec.get("schedulerName") or DEFAULT_SCHEDULER,
        **request_fields(spec, status if node_name else {}, problems, admission.release),
        images=all_images,
        num_containers=len(all_images) + (len(volumes) if rules.image_volumes_raise_the_threshold else 0),
        image_volumes=volumes,
        creation_timestamp=admission.creation(metadata),
        start_time=admission.start_time(metadata, status) if node_name else None,
        node_name=node_name,
        nominated_node_name="" if node_name else status.get("nominatedNodeName") or "",
        phase=_phase(node_name, status),
        terminating=bool(metadata.get("deletionTimestamp")),
        ready=not node_name or _is_ready(status),
        disruption_target=_is_disruption_target(status),
        priority_class_name=class_name,
        termination_seconds=_termination_seconds(spec, annotations, problems, admission.stop_seconds),
        node_selector=text_map(spec.get("nodeSelector")),
        tolerations=tolerations(spec.get("tolerations"), ("spec", "tolerations"), problems),
        topology_spread_constraints=spread_constraints(
            spec.get("topologySpreadConstraints"), ("spec", "topologySpreadConstraints"), problems, labels
        ),
        host_ports=host_ports(spec, admission.release),
        scheduling_gates=()
        if admission.release.gate_is_off("PodSchedulingReadiness")
        else _scheduling_gates(spec, problems),
        volumes=_volumes(spec, metadata.get("name") or "", problems),
        owner=controller(metadata),
        has_resource_claims=bool(spec.get("resourceClaims")),
        resource_claims=_resource_claims(spec, problems),
        resource_claim_statuses=tuple(
            (resource_claim_status.get("name") or "", resource_claim_status.get("resourceClaimName") or "")
            for resource_claim_status in status.get("resourceClaimStatuses") or ()
        ),
        extended_resource_claim=(status.get("extendedResourceClaimStatus") or {}).get("resourceClaimName") or "",
        pod_group=pod_group_name(spec, problems),
        required_features=required_features(spec),
        has_sidecars=any(map(is_sidecar, spec.get("initContainers") or ())),
        manifest=data,
    )
    return _with_affinity(pod, spec["affinity"], problems) if spec.get("affinity") else pod


def request_fields(spec: Manifest, status: Manifest, problems: Problems, release: Release) -> dict[str, Any]:
    """Return the fields of Pod that contain its requests, by name; which ones are set depends on the release.

    `status` is that of a pod on a node, whose allocated and actual requests count during a resize; {} for other pods.
    """
    if not release.rules.pods_have_overhead:
        spec = {name: value for name, value in spec.items() if name != "overhead"}
    requests = pod_requests(spec, status, problems, release)
    total = requests.total()
    if release.rules.generic_scheduler:
        return {"requests": count_amounts(total), **requests.before_1_19()}
    if release.rules.pods_on_nodes_count_sidecars:
        non_zero, scoring = requests.non_zero(total), requests.scoring()
    else:
        non_zero, scoring = requests.non_zero_before_1_32(), requests.incoming()
    balance = None
    if release.rules.scorers_read_cpu_overhead_as_cores and (scored := requests.scored_before_1_27()):
        scoring, balance = scored
    non_zero_cpu, non_zero_memory = non_zero
    return {
        "requests": count_amounts(total),
        "non_zero_cpu": non_zero_cpu,
        "non_zero_memory": non_zero_memory,
        "scoring_requests": scoring,
        "balance_requests": balance,
    }


def _with_affinity(pod: Pod, affinity: Manifest, problems: Problems) -> Pod:
    path = ("spec", "affinity")
    required_node, preferred_node = node_affinity(affinity.get("nodeAffinity") or {}, (*path, "nodeAffinity"), problems)
    required_terms, preferred_terms = pod_affinity(
        affinity.get("podAffinity") or {}, (*path, "podAffinity"), problems, pod.namespace, pod.labels
    )
    required_anti_terms, preferred_anti_terms = pod_affinity(
        affinity.get("podAntiAffinity") or {}, (*path, "podAntiAffinity"), problems, pod.namespace, pod.labels
    )
    return replace(
        pod,
        required_node_affinity=required_node,
        preferred_node_affinity=preferred_node,
        required_affinity=required_terms,
        preferred_affinity=preferred_terms,
        required_anti_affinity=required_anti_terms,
        preferred_anti_affinity=preferred_anti_terms,
    )


def _check_spec(spec: Manifest, problems: Problems) -> None:
    for field in ("nodeName", "priorityClassName", "runtimeClassName"):
        if (name := spec.get(field)) and (reason := dns_subdomain(name)):
            problems.error(
                ("spec", field), invalid(name, Message("a lowercase RFC 1123 subdomain {reason}", reason=reason))
            )
    if selector := spec.get("nodeSelector"):
        check_labels(text_map(selector), ("spec", "nodeSelector"), problems)
    if spec.get("nodeName") and spec.get("schedulingGates"):
        reason = Message("cannot be set until all schedulingGates have been cleared")
        problems.error(("spec", "nodeName"), forbidden(reason))
    if (seconds := spec.get("terminationGracePeriodSeconds")) is not None and seconds < 0:
        problems.error(
            ("spec", "terminationGracePeriodSeconds"), invalid(seconds, Message("must be greater than or equal to 0"))
        )


def _scheduling_gates(spec: Manifest, problems: Problems) -> tuple[str, ...]:
    """Return the names of the scheduling gates in order, without repetitions (`validateSchedulingGates`)."""
    names: dict[str, None] = {}
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        name, path = gate.get("name") or "", ("spec", "schedulingGates", index)
        if reason := qualified_name(name):
            problems.error(path, invalid(name, reason))
        if name in names:
            problems.error(path, duplicate(name))
        names[name] = None
    return tuple(names)


def _resource_claims(spec: Manifest, problems: Problems) -> tuple[PodClaim, ...]:
    """Build the entries of spec.resourceClaims (`validatePodResourceClaim`)."""
    claims: dict[str, PodClaim] = {}
    for index, resource_claim in enumerate(spec.get("resourceClaims") or ()):
        path = ("spec", "resourceClaims", index)
        name, claim, template = (resource_claim.get(key) or "" for key in ("name", *CLAIM_SOURCES))
        check_name(name, (*path, "name"), problems, others=claims)
        if bool(claim) == bool(template):
            message = Message("must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`")
            problems.error(path, message)
        for field, source in zip(CLAIM_SOURCES, (claim, template), strict=True):
            if source and (reason := dns_subdomain(source)):
                problems.error((*path, field), invalid(source, reason))
        claims[name] = PodClaim(name, claim, template)
    return tuple(claims.values())


def _volumes(spec: Manifest, pod_name: str, problems: Problems) -> tuple[Volume, ...]:
    """Build the volumes with the parts that the volume plugins read (`ValidateVolumes`); emptyDir without a source."""
    volumes: list[Volume] = []
    names: set[str] = set()
    for index, volume in enumerate(spec.get("volumes") or ()):
        name, path = volume.get("name") or "", ("spec", "volumes", index)
        check_name(name, (*path, "name"), problems, validate=rfc_1123_label, others=names)
        names.add(name)
        sources = [key for key in volume if key in VOLUME.fields and key != "name" and volume[key] is not None]
        if len(sources) > 1:
            problems.error((*path, sources[1]), forbidden(Message("may not specify more than 1 volume type")))
        source_type = sources[0] if sources else "emptyDir"
        volumes.append(_volume(name, source_type, volume.get(source_type) or {}, pod_name))
        if source_type == "persistentVolumeClaim" and not volumes[-1].claim:
            problems.error((*path, source_type, "claimName"), required())
    return tuple(volumes)


def _volume(name: str, source_type: str, source: Any, pod_name: str) -> Volume:
    if source_type == "persistentVolumeClaim":
        return Volume(name, source.get("claimName") or "", False, bool(source.get("readOnly")), source_type)
    if source_type == "ephemeral":
        return Volume(name, f"{pod_name}-{name}", True, False, source_type)
    if source_type in READ_VOLUME_SOURCES:
        return Volume(name, None, False, bool(source.get("readOnly")), source_type, source)
    return Volume(name, source_type=source_type)


def controller(metadata: Manifest) -> OwnerReference | None:
    """Return the first owner reference with `controller: true`, or None (`metav1.GetControllerOf`)."""
    for reference in metadata.get("ownerReferences") or ():
        if reference.get("controller"):
            return OwnerReference(
                reference.get("kind") or "",
                reference.get("name") or "",
                reference.get("apiVersion") or "",
                reference.get("uid") or "",
            )
    return None


def _phase(node_name: str, status: Manifest) -> str:
    """Return the phase: Succeeded or Failed as stated, otherwise Running on a node and Pending without one."""
    phase = status.get("phase") or ""
    if phase in TERMINAL_PHASES:
        return phase
    return "Running" if node_name else "Pending"


def _is_ready(status: Manifest) -> bool:
    """Return whether the condition Ready is True, or absent (`podutil.IsPodReady`, where absent means not ready)."""
    conditions = status.get("conditions") or ()
    return all(condition.get("status") == "True" for condition in conditions if condition.get("type") == "Ready")


def _is_disruption_target(status: Manifest) -> bool:
    """Return whether the status says that kube-scheduler is preempting the pod."""
    return any(
        condition.get("type") == "DisruptionTarget"
        and condition.get("status") == "True"
        and condition.get("reason") == "PreemptionByScheduler"
        for condition in status.get("conditions") or ()
    )


def _termination_seconds(
    spec: Manifest, annotations: Mapping[str, str], problems: Problems, kubelet_seconds: float | None
) -> float:
    """Return the number of seconds that the pod takes to stop when it is deleted.

    This is the value of the annotation termination-seconds, or else of stop-seconds, or else `kubelet_seconds`
    (`spec.kubelet.stopSeconds`), but at most the grace period that the pod states. Without any of them, it is that
    grace period, or 0.
    """
    grace = spec.get("terminationGracePeriodSeconds")
    most = math.inf if grace is None else float(max(grace, 0))
    for annotation in (TERMINATION_SECONDS, STOP_SECONDS):
        if (text := annotations.get(annotation)) is not None:
            return min(_seconds(text, annotation, problems), most)
    if kubelet_seconds is not None:
        return min(kubelet_seconds, most)
    return 0.0 if grace is None else most


def _seconds(text: str, annotation: str, problems: Problems) -> float:
    """Return the seconds in the value of an annotation; 0 if it is not a finite number of 0 or more, an error."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not (0 <= seconds < math.inf):
        problems.error(
            ("metadata", "annotations", annotation),
            invalid(text, Message("must be a number of seconds, 0 or more")),
        )
        return 0.0
    return seconds
