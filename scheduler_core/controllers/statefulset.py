"""statefulset-controller (pkg/controller/statefulset/stateful_set_control.go, stateful_pod_control.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_core.apis.core import Pod, Workload
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.apis.workloads import StatefulSetSpec
from scheduler_core.cluster.statuses import PodStatus
from scheduler_core.controllers.admission import AdmissionRefused
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.pods import Owned, is_available, next_available, pod_manifest
from scheduler_core.controllers.replicaset import slow_start

INDEX_LABEL, NAME_LABEL = "apps.kubernetes.io/pod-index", "statefulset.kubernetes.io/pod-name"


def reconcile(stateful_set: Workload, api: Api) -> None:
    """Create, delete or update pods, one at a time unless pods are managed in parallel (updateStatefulSet)."""
    spec = stateful_set.spec
    assert isinstance(spec, StatefulSetSpec)
    api.claim_pods(stateful_set)
    sync = _Sync(stateful_set, spec, api)
    try:
        sync.run()
    finally:
        sync.write_status()


class _Sync:
    """One sync of a StatefulSet. A pod that does not exist is None."""

    def __init__(self, stateful_set: Workload, spec: StatefulSetSpec, api: Api) -> None:
        self._set, self._spec, self._api = stateful_set, spec, api
        self._update_revision = api.revision(stateful_set, spec.template)
        status = api.workload_status(stateful_set)
        self._current_revision = status.number("currentRevision") or self._update_revision
        self._replicas, self._condemned = self._sorted_pods()

    def _sorted_pods(self) -> tuple[list[Owned | None], list[Owned]]:
        """Return the pods by ordinal, and those beyond the replicas, with the highest ordinal first."""
        replicas: list[Owned | None] = [None] * self._spec.replicas
        condemned = []
        for owned in self._api.pods_of(self._set):
            index = ordinal(owned[0]) - self._spec.start
            if 0 <= index < len(replicas):
                replicas[index] = owned
            elif index >= -self._spec.start:
                condemned.append(owned)
        return replicas, sorted(condemned, key=lambda owned: -ordinal(owned[0]))

    def run(self) -> None:
        """Process the replicas, then the condemned, then the update; the first step that has to wait ends the sync."""
        monotonic = not self._spec.parallel
        if self._run_for_all(len(self._replicas), self._process_replica, monotonic):
            return
        for owned in self._condemned:
            self._own_claims(owned[0])
        first = self._first_unavailable()
        if self._run_for_all(len(self._condemned), lambda i: self._process_condemned(i, first), monotonic):
            return
        if not self._spec.on_delete:
            self._roll()

    def _run_for_all(self, count: int, process: Callable[[int], bool], monotonic: bool) -> bool:
        """Process all pods: one by one until one has to wait, or in parallel. Return whether the sync ends here.

        Raises AdmissionRefused if it ended the parallel batches.
        """
        if monotonic:
            return any(process(index) for index in range(count))
        refused = slow_start(count, process)
        if refused is not None:
            raise refused
        return False

    def _process_replica(self, index: int) -> bool:
        """Create a missing pod, or replace a finished one. Return whether the sync ends here."""
        owned, monotonic = self._replicas[index], not self._spec.parallel
        if owned is None:
            self._create(index)
            return monotonic
        pod, status = owned
        if status.phase in ("Succeeded", "Failed"):
            if status.deletion_requested is None:
                self._api.delete_pod(pod, because("pod-ended", owner=self._label, phase=status.phase))
            return True
        if status.phase == "Pending":
            self._create_claims(ordinal(pod))
        return monotonic and (status.deletion_requested is not None or not self._is_available(status))

    def _process_condemned(self, index: int, first_unavailable: str) -> bool:
        """Delete a condemned pod once it is its turn. Return whether the sync ends here."""
        pod, status = self._condemned[index]
        monotonic = not self._spec.parallel
        if status.deletion_requested is not None:
            return monotonic
        if monotonic and not self._is_available(status) and pod.key != first_unavailable:
            return True
        active = len(self._condemned) + sum(owned is not None for owned in self._replicas)
        cause = because("pods-too-many", owner=self._label, active=active, replicas=self._spec.replicas)
        self._api.delete_pod(pod, cause)
        return True

    def _first_unavailable(self) -> str:
        """Return the key of the first pod that is not available, in order of ordinals; "" if all are."""
        for owned in (*self._replicas, *reversed(self._condemned)):
            if owned is not None and self._is_unavailable(owned):
                return owned[0].key
        return ""

    def _roll(self) -> None:
        """Delete the highest pod of another revision down to the partition, once all above it are available."""
        for index in range(len(self._replicas) - 1, self._spec.partition - 1, -1):
            owned = self._replicas[index]
            if owned is None:
                return
            pod, status = owned
            if status.revision != self._update_revision and status.deletion_requested is None:
                self._api.delete_pod(pod, because("old-revision", owner=self._label, revision=self._update_revision))
                return
            if self._is_unavailable(owned):
                return

    # Pods

    def _create(self, index: int) -> None:
        number = index + self._spec.start
        is_current = not self._spec.on_delete and index < self._spec.partition
        revision = self._current_revision if is_current else self._update_revision
        template = self._api.template_of(self._set, revision)
        name = f"{self._set.name}-{number}"
        manifest = pod_manifest(self._set, template, name, labels={INDEX_LABEL: str(number), NAME_LABEL: name})
        volumes = self._claim_volumes(number)
        if volumes:
            own = {volume["name"] for volume in volumes}
            others = [volume for volume in manifest["spec"].get("volumes") or () if volume.get("name") not in own]
            manifest["spec"] = {**manifest["spec"], "volumes": [*volumes, *others]}
        missing = sum(owned is None for owned in self._replicas)
        active = len(self._replicas) - missing
        cause = because("pods-missing", owner=self._label, active=active, replicas=self._spec.replicas)
        self._create_claims(number)
        if self._api.pod(f"{self._set.namespace}/{name}") is not None:  # of another owner
            raise AdmissionRefused(f'pods "{name}" already exists')
        self._api.create_pod(self._set, manifest, cause, place=str(number), revision=(revision, ""))

    def _claim_name(self, template: Any, number: int) -> str:
        return f"{(template.get('metadata') or {}).get('name')}-{self._set.name}-{number}"

    def _claim_volumes(self, number: int) -> list[dict[str, Any]]:
        return [
            {
                "name": (template.get("metadata") or {}).get("name"),
                "persistentVolumeClaim": {"claimName": self._claim_name(template, number)},
            }
            for template in self._spec.claim_templates
        ]

    def _create_claims(self, number: int) -> None:
        for template in self._spec.claim_templates:
            name, namespace = self._claim_name(template, number), self._set.namespace
            key = f"{namespace}/{name}"
            if self._api.cluster.get("PersistentVolumeClaim", key) is not None:
                continue
            metadata = {**(template.get("metadata") or {}), "name": name, "namespace": namespace}
            claim = self._api.build(
                "PersistentVolumeClaim",
                {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "metadata": metadata,
                    "spec": template.get("spec") or {},
                },
            )
            self._api.apply_object(claim, "create", because("claim-template", owner=self._label))
            if self._spec.delete_claims[1]:
                self._api.own(self._set.uid, "PersistentVolumeClaim", key)

    def _own_claims(self, pod: Pod) -> None:
        """Make a condemned pod the owner of its claims, so that they are deleted with it."""
        if self._spec.delete_claims[0]:
            for template in self._spec.claim_templates:
                name = self._claim_name(template, ordinal(pod))
                self._api.own(pod.uid, "PersistentVolumeClaim", f"{pod.namespace}/{name}")

    def _is_available(self, status: PodStatus) -> bool:
        return status.phase == "Running" and is_available(status, self._spec.min_ready_seconds, self._api.now)

    def _is_unavailable(self, owned: Owned) -> bool:
        return owned[1].deletion_requested is not None or not self._is_available(owned[1])

    @property
    def _label(self) -> str:
        return self._api.label(self._set)

    # Status

    def write_status(self) -> None:
        """Write the status (updateStatus, completeRollingUpdate)."""
        pods = [status for _, status in self._api.pods_of(self._set)]
        staying = [status for status in pods if status.deletion_requested is None]
        ready = [status for status in pods if status.phase == "Running" and status.ready]
        updated = sum(status.revision == self._update_revision for status in staying)
        current_revision = self._current_revision
        if not self._spec.on_delete and updated == len(pods) == len(ready) == self._spec.replicas:
            current_revision = self._update_revision
        self._api.write_status(
            self._set,
            {
                "replicas": len(pods),
                "readyReplicas": len(ready),
                "currentReplicas": sum(status.revision == current_revision for status in staying),
                "updatedReplicas": updated,
                "availableReplicas": sum(map(self._is_available, ready)),
                "currentRevision": current_revision,
                "updateRevision": self._update_revision,
            },
        )
        seconds = next_available(pods, self._spec.min_ready_seconds, self._api.now)
        if seconds is not None:
            self._api.later(seconds, self._set.key)


def ordinal(pod: Pod) -> int:
    """Return the ordinal in a pod's name, -1 if it has none (getOrdinal)."""
    number = parse_int64(pod.name.rpartition("-")[2])
    return -1 if number is None else number
