"""deployment-controller (pkg/controller/deployment: sync.go, rolling.go, recreate.go, progress.go).

A sync takes one step: scaling, one direction of a rollout, or cleaning up; then it writes the status.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import Workload
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.apis.workloads import DeploymentSpec, ReplicaSetSpec, scaled
from scheduler_core.cluster.statuses import Condition, WorkloadStatus
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.pods import template_hash
from scheduler_core.trace.records import Because

DESIRED, MAX_REPLICAS = "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas"
REVISION = "deployment.kubernetes.io/revision"
HASH_LABEL = "pod-template-hash"
NO_DEADLINE = 2**31 - 1


def reconcile(deployment: Workload, api: Api) -> None:
    """Take the next step of a Deployment (syncDeployment)."""
    spec = deployment.spec
    assert isinstance(spec, DeploymentSpec)
    sync = _Sync(deployment, spec, api)
    sync.check_paused()
    if spec.paused or sync.is_scaling_event():
        sync.scale()
    elif spec.strategy == "Recreate":
        sync.recreate()
    else:
        sync.roll()


class _Sync:
    """One sync of a Deployment. ReplicaSets are read again after each write."""

    def __init__(self, deployment: Workload, spec: DeploymentSpec, api: Api) -> None:
        self._deployment, self._spec, self._api = deployment, spec, api
        self._label = api.label(deployment)
        self._surge, self._unavailable = limits(spec)

    # ReplicaSets

    def _all(self) -> list[Workload]:
        return self._api.owned(self._deployment.uid, "ReplicaSet")

    def _new(self) -> Workload | None:
        """Return the oldest ReplicaSet with the Deployment's template, or None (FindNewReplicaSet)."""
        return next((rs for rs in self._all() if self._is_new(rs)), None)

    def _is_new(self, replica_set: Workload) -> bool:
        """Return whether a ReplicaSet has the Deployment's template; cached for each template."""
        known: dict[str, tuple[Any, Any, bool]] = self._api.memory.setdefault("deployment templates", {})
        own, template = _spec(replica_set).template, self._spec.template
        entry = known.get(replica_set.uid)
        if entry is None or entry[0] is not own or entry[1] is not template:
            entry = known[replica_set.uid] = (own, template, same_template(replica_set, template))
        return entry[2]

    def _old(self) -> list[Workload]:
        new = self._new()
        return [rs for rs in self._all() if new is None or rs.uid != new.uid]

    def _available(self, replica_set: Workload) -> int:
        return self._api.workload_status(replica_set).number("availableReplicas")

    def _sync_new(self, *, create: bool) -> Workload | None:
        """Give the new ReplicaSet the highest revision, and return it (getNewReplicaSet).

        If it is missing, it is created if `create`; otherwise None is returned.
        """
        new = self._new()
        newest = max((revision_of(rs) for rs in self._old()), default=0)
        if new is not None:
            number = revision_of(new)
            if newest >= number:
                number = newest + 1
            new = self._set_revision(new, number)
            condition = self._status().condition("Progressing")
            if condition is None and self._has_deadline():
                message = f'Found new replica set "{self._api.called(new)}"'
                self._set_condition(Condition("Progressing", "True", "FoundNewReplicaSet", message))
            return new
        return self._create(newest + 1) if create else None

    def _set_revision(self, replica_set: Workload, number: int) -> Workload:
        ready = getattr(replica_set.spec, "min_ready_seconds", 0)
        if revision_of(replica_set) != number or ready != self._spec.min_ready_seconds:
            cause = because("rolled-back", owner=self._label, name=self._api.called(replica_set))
            spec = replace(_spec(replica_set), min_ready_seconds=self._spec.min_ready_seconds)
            replica_set = replace(with_annotations(replica_set, {REVISION: str(number)}), spec=spec)
            self._api.update(replica_set, cause)
        self._write_revision(number)
        return replica_set

    def _write_revision(self, number: int) -> None:
        if revision_of(self._deployment) != number:
            self._deployment = with_annotations(self._deployment, {REVISION: str(number)})
            self._api.update(self._deployment, None)

    def _create(self, number: int) -> Workload:
        """Create the new ReplicaSet with this revision, and return it. Raises AdmissionRefused."""
        deployment, api = self._deployment, self._api
        size = self._size_of_new(0)
        built = api.build("ReplicaSet", self._manifest_of_new(number, size))
        assert isinstance(built, Workload)
        called = f"{deployment.name}@{api.next_set_number(deployment)}"
        new = api.create(built, because("new-template", owner=self._label), called=called)
        self._write_revision(number)
        if self._has_deadline():
            message = f'Created new replica set "{called}"'
            self._set_condition(Condition("Progressing", "True", "NewReplicaSetCreated", message))
        if size > 0:
            api.record(deployment, "ScalingReplicaSet", f"Scaled up replica set {called} from 0 to {size}")
        return new

    def _manifest_of_new(self, number: int, size: int) -> dict[str, Any]:
        """Return the manifest of the new ReplicaSet with this revision and size."""
        spec, deployment = self._spec, self._deployment
        hash_ = template_hash(spec.template)
        metadata = deployment.manifest.get("metadata") or {}
        labels = {**((spec.template.get("metadata") or {}).get("labels") or {}), HASH_LABEL: hash_}
        template = {**spec.template, "metadata": {**(spec.template.get("metadata") or {}), "labels": labels}}
        selector = dict((deployment.manifest.get("spec") or {}).get("selector") or {})
        selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH_LABEL: hash_}
        annotations = {
            **{key: value for key, value in (metadata.get("annotations") or {}).items() if key != REVISION},
            DESIRED: str(spec.replicas),
            MAX_REPLICAS: str(spec.replicas + self._surge),
            REVISION: str(number),
        }
        owner = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": deployment.name,
            "uid": deployment.uid,
            "controller": True,
        }
        return {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{deployment.name}-{hash_}",
                "namespace": deployment.namespace,
                "labels": labels,
                "annotations": annotations,
                "ownerReferences": [owner],
            },
            "spec": {
                "replicas": size,
                "minReadySeconds": spec.min_ready_seconds,
                "selector": selector,
                "template": template,
            },
        }

    # Sizes

    def _size_of_new(self, size: int) -> int:
        """Return the next size of the new ReplicaSet (NewRSNewReplicas)."""
        spec = self._spec
        if spec.strategy == "Recreate":
            return spec.replicas
        total = sum(_spec(rs).replicas for rs in self._all())
        most = spec.replicas + self._surge
        return size if total >= most else size + min(most - total, spec.replicas - size)

    def _resize(self, replica_set: Workload, size: int, cause: Because) -> bool:
        """Write the size of a ReplicaSet and its annotations (scaleReplicaSet). Return whether the size changed."""
        before = _spec(replica_set).replicas
        given = _annotations(replica_set)
        wanted = {DESIRED: str(self._spec.replicas), MAX_REPLICAS: str(self._spec.replicas + self._surge)}
        changes = before != size
        if changes or any(given.get(key) != value for key, value in wanted.items()):
            self._api.update(with_annotations(with_size(replica_set, size), wanted), cause)
        if changes:
            direction = "up" if size > before else "down"
            called = self._api.called(replica_set)
            message = f"Scaled {direction} replica set {called} from {before} to {size}"
            self._api.record(self._deployment, "ScalingReplicaSet", message)
        return changes

    def is_scaling_event(self) -> bool:
        """Return whether the Deployment's size differs from the one stored in an active ReplicaSet (isScalingEvent).

        The revision of the new ReplicaSet is updated first, if there is one.
        """
        self._sync_new(create=False)
        for replica_set in self._all():
            desired = _annotated_number(replica_set, DESIRED)
            if _spec(replica_set).replicas > 0 and desired not in (None, self._spec.replicas):
                return True
        return False

    def scale(self) -> None:
        """Scale without a rollout (sync, scale)."""
        new = self._sync_new(create=False)
        self._scale(new)
        if self._spec.paused:
            self._clean_up()
        self._write_status(self._calculate_status())

    def _scale(self, new: Workload | None) -> None:
        wanted = self._spec.replicas
        cause = because("scaled", owner=self._label, replicas=wanted)
        replica_sets = self._all()
        active = [rs for rs in replica_sets if _spec(rs).replicas > 0]
        if len(active) <= 1:
            candidates = active or ([new] if new is not None else replica_sets[-1:])
            latest = candidates[0] if candidates else None
            if latest is not None and _spec(latest).replicas != wanted:
                self._resize(latest, wanted, cause)
            return
        if new is not None and self._is_saturated(new):
            for replica_set in active:
                if replica_set.uid != new.uid:
                    self._resize(replica_set, 0, cause)
        elif self._spec.strategy == "RollingUpdate":
            self._scale_in_proportion(active, cause)

    def _is_saturated(self, new: Workload) -> bool:
        wanted = self._spec.replicas
        desired = _annotated_number(new, DESIRED)
        return _spec(new).replicas == wanted and desired == wanted and self._available(new) == wanted

    def _scale_in_proportion(self, active: Sequence[Workload], cause: Because) -> None:
        wanted = self._spec.replicas
        allowed = wanted + self._surge if wanted > 0 else 0
        missing = allowed - sum(_spec(rs).replicas for rs in active)
        by_age = [rs for rs in self._all() if rs in active]
        newest_first = missing > 0
        order = sorted(
            enumerate(by_age), key=lambda item: (-_spec(item[1]).replicas, -item[0] if newest_first else item[0])
        )
        sizes, added = [], 0
        for _, replica_set in order:
            part = self._proportion(replica_set, missing, added) if missing else 0
            added += part
            sizes.append(_spec(replica_set).replicas + part)
        if missing and sizes:
            sizes[0] = max(sizes[0] + missing - added, 0)
        for (_, replica_set), size in zip(order, sizes, strict=True):
            self._resize(replica_set, size, cause)

    def _proportion(self, replica_set: Workload, missing: int, added: int) -> int:
        """Return the number of pods that a ReplicaSet gets or loses (GetReplicaSetProportion)."""
        size = _spec(replica_set).replicas
        if size == 0 or missing in (0, added):
            return 0
        remaining = missing - added
        if self._spec.replicas == 0:
            part = -size
        else:
            most = _annotated_number(replica_set, MAX_REPLICAS) or self._status().number("replicas")
            part = math.floor(size * (self._spec.replicas + self._surge) / most + 0.5) - size if most else 0
        return min(part, remaining) if missing > 0 else max(part, remaining)

    # Rollouts

    def roll(self) -> None:
        """Take a step of a rolling update (rolloutRolling)."""
        new = self._sync_new(create=True)
        assert new is not None
        if not self._roll_up(new) and not self._roll_down(new):
            self._clean_up_when_complete()
        self._write_progress()

    def _roll_up(self, new: Workload) -> bool:
        wanted, size = self._spec.replicas, _spec(new).replicas
        if size == wanted:
            return False
        pods, most = sum(_spec(rs).replicas for rs in self._all()), wanted + self._surge
        cause = because("rollout-up", owner=self._label, most=most, pods=pods)
        return self._resize(new, wanted if size > wanted else self._size_of_new(size), cause)

    def _roll_down(self, new: Workload) -> bool:
        """Scale old ReplicaSets down while enough pods are available (reconcileOldReplicaSets).

        Return whether any was scaled down.
        """
        old = [rs for rs in self._old() if _spec(rs).replicas > 0]
        if not old:
            return False
        total = sum(_spec(rs).replicas for rs in self._all())
        least = self._spec.replicas - self._unavailable
        most = total - least - (_spec(new).replicas - self._available(new))
        if most <= 0:
            return False
        cleaned = self._clean_up_unhealthy(old, most)
        return self._scale_down_available(least) or cleaned

    def _clean_up_unhealthy(self, old: Sequence[Workload], most: int) -> bool:
        removed = 0
        for replica_set in old:
            size = _spec(replica_set).replicas
            count = min(most - removed, size - self._available(replica_set))
            if count > 0:
                name = f"ReplicaSet {self._api.called(replica_set)}"
                cause = because("rollout-unhealthy", owner=self._label, old=name)
                self._resize(replica_set, size - count, cause)
                removed += count
        return removed > 0

    def _scale_down_available(self, least: int) -> bool:
        """Scale down the oldest ReplicaSets first (scaleDownOldReplicaSetsForRollingUpdate).

        Return whether any was scaled down.
        """
        available = sum(map(self._available, self._all()))
        cause = because("rollout-down", owner=self._label, least=least, available=available)
        surplus = available - least
        done = False
        for replica_set in self._old():
            size = _spec(replica_set).replicas
            count = min(size, surplus)
            if count > 0:
                self._resize(replica_set, size - count, cause)
                surplus -= count
                done = True
        return done

    def recreate(self) -> None:
        """Take a step of a recreation: old pods are deleted before new ones are created (rolloutRecreate)."""
        new = self._sync_new(create=False)
        old = [rs for rs in self._old() if _spec(rs).replicas > 0]
        for replica_set in old:
            self._resize(replica_set, 0, because("recreate-down", owner=self._label))
        if not old and not self._old_pods_run():
            new = new or self._sync_new(create=True)
            assert new is not None
            if _spec(new).replicas != self._spec.replicas:
                cause = because("scaled", owner=self._label, replicas=self._spec.replicas)
                self._resize(new, self._spec.replicas, cause)
            self._clean_up_when_complete()
        self._write_progress()

    def _old_pods_run(self) -> bool:
        for replica_set in self._old():
            if self._api.workload_status(replica_set).number("replicas"):
                return True
            if any(status.phase not in ("Succeeded", "Failed") for _, status in self._api.pods_of(replica_set)):
                return True
        return False

    def _clean_up_when_complete(self) -> None:
        if self._is_complete(self._calculate_status()):
            self._clean_up()

    def _clean_up(self) -> None:
        """Delete empty ReplicaSets beyond the history limit (cleanupDeployment)."""
        old = self._old()
        surplus = sorted(old, key=revision_of)[: max(len(old) - self._spec.revision_history_limit, 0)]
        for replica_set in surplus:
            if _spec(replica_set).replicas == 0 and not self._api.workload_status(replica_set).number("replicas"):
                limit = self._spec.revision_history_limit
                cause = because("revision-history", owner=self._label, limit=limit)
                self._api.delete("ReplicaSet", replica_set.key, cause)

    # Status

    def _status(self) -> WorkloadStatus:
        return self._api.workload_status(self._deployment)

    def _has_deadline(self) -> bool:
        return self._spec.progress_deadline_seconds != NO_DEADLINE

    def check_paused(self) -> None:
        """Set the condition Progressing when the rollout is paused or resumed (checkPausedConditions)."""
        condition = self._status().condition("Progressing")
        if not self._has_deadline() or (condition and condition.reason == "ProgressDeadlineExceeded"):
            return
        is_noted = condition is not None and condition.reason == "DeploymentPaused"
        if self._spec.paused and not is_noted:
            self._set_condition(Condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused"))
        elif not self._spec.paused and is_noted:
            self._set_condition(Condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed"))

    def _set_condition(self, condition: Condition) -> None:
        status = self._status()
        self._api.write_status(
            self._deployment, status.numbers, with_condition(status.conditions, condition, self._api.second)
        )

    def _calculate_status(self) -> WorkloadStatus:
        """Return the status calculated from the ReplicaSets (calculateStatus)."""
        replica_sets, new = self._all(), self._new()
        statuses = {rs.uid: self._api.workload_status(rs) for rs in replica_sets}
        total = sum(_spec(rs).replicas for rs in replica_sets)
        available = sum(status.number("availableReplicas") for status in statuses.values())
        numbers: dict[str, int | str] = {
            "replicas": sum(status.number("replicas") for status in statuses.values()),
            "updatedReplicas": statuses[new.uid].number("replicas") if new else 0,
            "readyReplicas": sum(status.number("readyReplicas") for status in statuses.values()),
            "availableReplicas": available,
            "unavailableReplicas": max(total - available, 0),
        }
        if self._api.release.rules.terminating_replicas_are_counted:
            numbers["terminatingReplicas"] = sum(status.number("terminatingReplicas") for status in statuses.values())
        enough = available >= self._spec.replicas - self._unavailable
        condition = (
            Condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
            if enough
            else Condition(
                "Available",
                "False",
                "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.",
            )
        )
        return WorkloadStatus(numbers, with_condition(self._status().conditions, condition, self._api.second))

    def _is_complete(self, status: WorkloadStatus) -> bool:
        wanted = self._spec.replicas
        return all(status.number(name) == wanted for name in ("updatedReplicas", "replicas", "availableReplicas"))

    def _write_progress(self) -> None:
        """Write the status with the condition Progressing (syncRolloutStatus)."""
        new, old = self._calculate_status(), self._status()
        conditions = new.conditions
        if not self._has_deadline():
            conditions = tuple(c for c in conditions if c.type != "Progressing")
        elif not self._was_complete(new, old):
            conditions = self._conditions_with_progress(new, old)
        new_set = self._new()
        failures = [
            condition
            for rs in (self._all() if new_set is None else [new_set, *self._all()])
            for condition in self._api.workload_status(rs).conditions
            if condition.type == "ReplicaFailure" and condition.status == "True"
        ]
        if failures:
            conditions = with_condition(conditions, failures[0], self._api.second)
        else:
            conditions = tuple(c for c in conditions if c.type != "ReplicaFailure")
        if not self._write_status(WorkloadStatus(new.numbers, conditions)):
            self._sync_after_deadline()

    def _was_complete(self, new: WorkloadStatus, old: WorkloadStatus) -> bool:
        condition = old.condition("Progressing")
        return (
            new.number("replicas") == new.number("updatedReplicas")
            and condition is not None
            and condition.reason == "NewReplicaSetAvailable"
        )

    def _conditions_with_progress(self, new: WorkloadStatus, old: WorkloadStatus) -> tuple[Condition, ...]:
        new_set = self._new()
        if new_set is None:
            name = f'Deployment "{self._deployment.name}"'
        else:
            name = f'ReplicaSet "{self._api.called(new_set)}"'
        current, second = new.condition("Progressing"), self._api.second
        if self._is_complete(new):
            done = Condition("Progressing", "True", "NewReplicaSetAvailable", f"{name} has successfully progressed.")
            return with_condition(new.conditions, done, second)
        if _progresses(new, old):
            going = Condition("Progressing", "True", "ReplicaSetUpdated", f"{name} is progressing.", second, second)
            if current is not None and current.status == "True":
                going = replace(going, changed=current.changed)
            return (*(c for c in new.conditions if c.type != "Progressing"), going)
        if self._is_late(current):
            late = Condition("Progressing", "False", "ProgressDeadlineExceeded", f"{name} has timed out progressing.")
            return with_condition(new.conditions, late, second)
        return new.conditions

    def _is_late(self, condition: Condition | None) -> bool:
        """Return whether the deadline has passed since the last progress (DeploymentTimedOut)."""
        if condition is None or condition.reason == "NewReplicaSetAvailable":
            return False
        if condition.reason == "ProgressDeadlineExceeded":
            return True
        return condition.updated + self._spec.progress_deadline_seconds < self._api.now

    def _sync_after_deadline(self) -> None:
        """Sync again a second after the deadline, while the rollout is in progress (requeueStuckDeployment)."""
        condition = self._status().condition("Progressing")
        if not self._has_deadline() or condition is None or self._is_complete(self._status()):
            return
        if condition.reason in ("NewReplicaSetAvailable", "ProgressDeadlineExceeded"):
            return
        after = condition.updated + self._spec.progress_deadline_seconds - self._api.now
        self._api.later(max(after, 0.0) + 1.0, self._deployment.key)

    def _write_status(self, status: WorkloadStatus) -> bool:
        return self._api.write_status(self._deployment, status.numbers, status.conditions)


def limits(spec: DeploymentSpec) -> tuple[int, int]:
    """Return (surge, unavailable pods) of a rolling update, (0, 0) of a recreation (ResolveFenceposts)."""
    if spec.strategy == "Recreate":
        return 0, 0
    surge = scaled(spec.max_surge, spec.replicas, up=True)
    unavailable = scaled(spec.max_unavailable, spec.replicas, up=False)
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return surge, min(unavailable, spec.replicas)


def same_template(replica_set: Workload, template: Mapping[str, Any]) -> bool:
    """Return whether a ReplicaSet has the template, apart from the hash in its labels (EqualIgnoreHash)."""
    return without_hash(_spec(replica_set).template) == without_hash(template)


def without_hash(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return a template without the label that a Deployment adds to it."""
    metadata = dict(template.get("metadata") or {})
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH_LABEL}
    metadata = {key: value for key, value in {**metadata, "labels": labels}.items() if value}
    return {**template, "metadata": metadata}


def revision_of(workload: Workload) -> int:
    """Return the revision in a Deployment's or ReplicaSet's annotations, 0 if it has none."""
    return _annotated_number(workload, REVISION) or 0


def with_annotations(workload: Workload, annotations: Mapping[str, str]) -> Workload:
    """Return the workload with these annotations added."""
    metadata = workload.manifest.get("metadata") or {}
    given = {**(metadata.get("annotations") or {}), **annotations}
    return replace(workload, manifest={**workload.manifest, "metadata": {**metadata, "annotations": given}})


def with_size(workload: Workload, size: int) -> Workload:
    """Return the workload with another number of replicas."""
    spec: Any = workload.spec
    manifest = {**workload.manifest, "spec": {**(workload.manifest.get("spec") or {}), "replicas": size}}
    return replace(workload, spec=replace(spec, replicas=size), manifest=manifest)


def with_condition(conditions: Sequence[Condition], condition: Condition, second: float) -> tuple[Condition, ...]:
    """Return the conditions with this one set; an existing one with the same status and reason is kept
    (SetDeploymentCondition).
    """
    old = next((c for c in conditions if c.type == condition.type), None)
    if old is not None and old.status == condition.status and old.reason == condition.reason:
        return tuple(conditions)
    changed = old.changed if old is not None and old.status == condition.status else second
    new = replace(condition, updated=second, changed=changed)
    return (*(c for c in conditions if c.type != condition.type), new)


def _progresses(new: WorkloadStatus, old: WorkloadStatus) -> bool:
    """Return whether there are more new, ready or available pods, or fewer old ones (DeploymentProgressing)."""
    old_pods_now, old_pods_before = (
        status.number("replicas") - status.number("updatedReplicas") for status in (new, old)
    )
    return old_pods_now < old_pods_before or any(
        new.number(name) > old.number(name) for name in ("updatedReplicas", "readyReplicas", "availableReplicas")
    )


def _spec(replica_set: Workload) -> ReplicaSetSpec:
    assert isinstance(replica_set.spec, ReplicaSetSpec)
    return replica_set.spec


def _annotations(workload: Workload) -> Mapping[str, str]:
    return (workload.manifest.get("metadata") or {}).get("annotations") or {}


def _annotated_number(workload: Workload, key: str) -> int | None:
    """Return the number in an annotation, None if there is none."""
    return parse_int64(_annotations(workload).get(key, ""))
