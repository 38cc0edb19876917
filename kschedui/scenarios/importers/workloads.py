"""Creates the pods of workloads that are in a text without their pods, as their controllers do.

A Deployment creates a ReplicaSet, a ReplicaSet its replicas (name-abcde), a StatefulSet numbered pods and their claims,
a DaemonSet one pod per node, pinned by node affinity, a Job its parallel pods. Random parts of names are derived from a
hash, so that the same file always results in the same scenario.
"""

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers.cleaning import part
from kschedui.scenarios.importers.pod_admission import PodAdmission
from kschedui.scenarios.importers.reading.pruning import Manifest
from kschedui.scenarios.importers.reading.reading_table import reading_table
from scheduler_core.apis.core import Workload
from scheduler_core.apis.messages import Message, WithSentence
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.parse import Limits
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.cluster_state import build

LONGEST_AS_JSON = 3  # an object may be this many times as long as its YAML
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # what kube-apiserver draws names from
SELECTORS = {"ReplicaSet", "StatefulSet", "ReplicationController"}  # default topology spreading reads them
DAEMON_TOLERATIONS = [
    {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}
    for name, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
]


class TooManyPods(WithSentence):
    """The workloads have more pods, or longer ones, than a scenario can contain; the text is a sentence."""


class PodBudget:
    """The remaining number of pods and bytes. Larger workloads are rejected before their pods are created."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pods = limits.pods
        self.bytes = LONGEST_AS_JSON * limits.bytes

    def require(self, manifest: Manifest, pods: int) -> None:
        """Require that a workload's pods fit, each at least as long as its template. Raises TooManyPods."""
        if pods > self.pods:
            kind, name, most = manifest["kind"], name_of(manifest), self.limits.pods
            sentence = Message(
                "{kind} {name} requires {pods:,} pods, but a scenario can have at most {most:,}",
                kind=kind, name=name, pods=pods, most=most,
            )  # fmt: skip
            raise TooManyPods(sentence)
        if pods * length(part(manifest, "spec").get("template")) > self.limits.bytes:
            raise too_long(self.limits)

    def count(self, manifest: Manifest) -> None:
        """Count an object. Raises TooManyPods."""
        self.pods -= manifest["kind"] == "Pod"
        self.bytes -= len(json.dumps(manifest, default=str))
        if self.bytes < 0:
            raise too_long(self.limits)


def too_long(limits: Limits) -> TooManyPods:
    """Return the error for a text that is too long in bytes."""
    return TooManyPods(
        Message("with all pods, the text is longer than {bytes:,} bytes, which is the limit", bytes=limits.bytes)
    )


def admit(pod: Manifest, admission: PodAdmission) -> Manifest:
    """Return a pod as the API server would store it, if it was written by hand; a pod of a dump is returned
    unchanged.
    """
    metadata = part(pod, "metadata")
    if admission.empty or "uid" in metadata or "creationTimestamp" in metadata or not isinstance(pod.get("spec"), dict):
        return pod
    stored = copy.deepcopy(pod)
    admission.admit(stored)
    return stored


def length(data: Any) -> int:
    """Return the length of all keys and values, with a separator each: a lower bound for the YAML."""
    if isinstance(data, dict):
        return sum(len(str(key)) + 2 + length(value) for key, value in data.items())
    if isinstance(data, list):
        return sum(2 + length(item) for item in data)
    return len(str(data))


def expand(
    objects: list[Manifest], limits: Limits, ended: list[Manifest], admission: PodAdmission
) -> tuple[list[Manifest], list[Message]]:
    """Replace workloads without pods by their pods, which come last; return the objects and a sentence for each
    workload.

    Workloads whose pods are in the text stay, so that their controllers continue with them. `ended`: pods that are left
    out; workloads do not create replacements for them. Raises TooManyPods.
    """
    owners = Owners([*objects, *ended])
    nodes = [name_of(manifest) for manifest in objects if manifest.get("kind") == "Node"]
    budget = PodBudget(limits)
    others: list[Manifest] = []
    pods: list[Manifest] = []
    notes: list[Message] = []
    for manifest in objects:
        kind, name = str(manifest.get("kind")), name_of(manifest)
        keeps_alive = owners.keeps_alive(manifest)
        if kind in MAKERS and not is_whole(manifest):
            notes.append(describe_skipping(kind, name))
            continue
        has_pods = owners.has(manifest)
        created = [] if has_pods or kind not in MAKERS else list(made_of(manifest, nodes, budget, admission))
        own = [item for item in created if item["kind"] == "Pod"]
        if own:
            notes.append(describe_expansion(kind, name, len(own)))
        elif kind in (*MAKERS, "CronJob") and kind not in SELECTORS and not has_pods:
            notes.append(Message("{kind} {name} does not create any pods at this time.", kind=kind, name=name))
        pods += own
        others += [
            item if keeps_alive or owners.keeps_alive(item) or item["kind"] not in SELECTORS else as_selector(item)
            for item in created
            if item["kind"] != "Pod"
        ]
        if kind == "Pod":
            pods.append(admit(manifest, admission))
        elif kind not in (*MAKERS, "CronJob") or keeps_alive:
            others.append(manifest)
        elif kind in SELECTORS:
            others.append(as_selector(manifest))
    owning = Counter(
        str(manifest.get("kind"))
        for manifest in objects
        if manifest.get("kind") in (*MAKERS, "CronJob") and manifest.get("kind") not in SELECTORS
        if owners.has(manifest)
    )
    if owning:
        names = ", ".join(f"{number:,} {kind}" for kind, number in sorted(owning.items()))
        notes.append(Message("Workloads that already have their pods were not expanded: {workloads}.", workloads=names))
    return others + pods, notes


class Owners:
    """The owners of pods and of workloads in a dump."""

    def __init__(self, objects: list[Manifest]) -> None:
        self.uids = {owner for manifest in objects for owner in owner_uids(manifest)}
        self.names = {owner for manifest in objects for owner in owner_names(manifest)}
        self.names |= {owner for manifest in objects for owner in owning_deployment(manifest)}
        self.pods_of = Counter(
            owner for manifest in objects if manifest.get("kind") == "Pod" for owner in owner_names(manifest)
        )
        self.sets_of: dict[tuple[str, str, str], list[Manifest]] = {}
        for manifest in objects:
            if manifest.get("kind") == "ReplicaSet":
                for owner in owner_names(manifest):
                    self.sets_of.setdefault(owner, []).append(manifest)
        there = {(str(item.get("kind")), namespace_of(item), name_of(item)) for item in objects}
        self.of_absent_sets = {  # Deployments
            owner
            for manifest in objects
            if not there.issuperset(owner_names(manifest))
            for owner in owning_deployment(manifest)
        }

    def has(self, manifest: Manifest) -> bool:
        """Return whether the object owns another one."""
        uid = part(manifest, "metadata").get("uid")
        return (isinstance(uid, str) and uid in self.uids) or (
            (str(manifest.get("kind")), namespace_of(manifest), name_of(manifest)) in self.names
        )

    def keeps_alive(self, manifest: Manifest) -> bool:
        """Return whether the workload's controller can continue with the pods in the text, without creating any twice.

        A Deployment finds its pods by their ReplicaSets, which must all be in the text, and all its pods must be there
        too. Return False for a Deployment without ReplicaSets, and for a workload that an API server would not have
        stored, such as one whose selector does not match its template.
        """
        kind = str(manifest.get("kind"))
        if kind not in MAKERS or (kind, namespace_of(manifest), name_of(manifest)) in self.of_absent_sets:
            return False
        if kind == "Deployment" and not self.has(manifest):  # its new ReplicaSet stands for it
            return False
        if self.has(manifest) and not self._is_complete(manifest):
            return False
        problems = Problems()
        built = build(KINDS[kind], manifest, problems, Admission())
        return isinstance(built, Workload) and built.spec is not None and not problems.errors()

    def _is_complete(self, manifest: Manifest) -> bool:
        """Return whether the dump contains all pods of the controller, so that it creates none again."""
        key = str(manifest.get("kind")), namespace_of(manifest), name_of(manifest)
        if key[0] == "Deployment":
            return all(self.keeps_alive(replica_set) for replica_set in self.sets_of.get(key, ()))
        return key[0] not in SELECTORS or self.pods_of[key] >= count(part(manifest, "spec"), "replicas")


def as_selector(manifest: Manifest) -> Manifest:
    """Return a workload without the fields from which pods are created: default topology spreading reads its
    selector.
    """
    kind = str(manifest.get("kind"))
    wanted = ("replicas", "selector", "template") if kind == "ReplicationController" else ("replicas", "selector")
    known = reading_table()["types"][f"{kind}Spec"]
    spec = part(manifest, "spec")
    return {**manifest, "spec": {name: spec[name] for name in spec if name in wanted or name not in known}}


def owning_deployment(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield the Deployment of an object that a ReplicaSet owns, from the ReplicaSet's name without its hash."""
    hashed = part(part(manifest, "metadata"), "labels").get("pod-template-hash")
    for kind, namespace, name in owner_names(manifest):
        if kind == "ReplicaSet" and isinstance(hashed, str) and name.endswith(f"-{hashed}"):
            yield "Deployment", namespace, name.removesuffix(f"-{hashed}")


def made_of(manifest: Manifest, nodes: list[str], budget: PodBudget, admission: PodAdmission) -> Iterator[Manifest]:
    """Yield the objects that a workload's controller creates. Raises TooManyPods."""
    pods = count_pods(manifest, nodes)
    budget.require(manifest, pods)
    for created in MAKERS[manifest["kind"]](manifest, nodes, pods):
        if created["kind"] == "Pod":
            admission.admit(created)
        budget.count(created)
        yield created


def count_pods(manifest: Manifest, nodes: list[str]) -> int:
    """Return the number of pods that a workload's controller creates."""
    spec = part(manifest, "spec")
    if manifest["kind"] == "DaemonSet":
        return len(nodes)
    if manifest["kind"] != "Job":
        return count(spec, "replicas")
    at_once = count(spec, "parallelism")
    stopped = spec.get("suspend") is True or part(manifest, "status").get("completionTime")
    return 0 if stopped else min(at_once, count(spec, "completions", at_once))


def name_of(manifest: Manifest) -> str:
    """Return the name, "" if there is none or it is not a text."""
    name = part(manifest, "metadata").get("name")
    return name if isinstance(name, str) else ""


def namespace_of(manifest: Manifest) -> str:
    """Return the namespace that the object is in."""
    return str(part(manifest, "metadata").get("namespace") or "default")


def is_whole(manifest: Manifest) -> bool:
    """Return whether the workload has a name and a pod template with fields of the right types.

    The parser checks the pods themselves.
    """
    spec = part(manifest, "spec")
    template = part(spec, "template")
    pod = part(template, "spec")
    mappings = [(spec, "selector"), (pod, "affinity"), (part(template, "metadata"), "labels")]
    lists = [(pod, "containers"), (pod, "tolerations"), (pod, "volumes"), (spec, "volumeClaimTemplates")]
    return (
        bool(name_of(manifest) and pod)
        and all(isinstance(holder.get(name) or {}, dict) for holder, name in mappings)
        and all(isinstance(holder.get(name) or [], list) for holder, name in lists)
    )


def describe_skipping(kind: str, name: str) -> Message:
    """Return a sentence about a workload that is not whole (`is_whole`)."""
    if not name:
        return Message("Skipped {kind}: it has no name.", kind=kind)
    return Message(
        "Skipped {kind} {name}: its pod template has no spec, or a field of another type.",
        kind=kind,
        name=name,
    )


def describe_expansion(kind: str, name: str, pods: int) -> Message:
    """Return a sentence about the pods created from a workload."""
    if pods == 1:
        return Message("Expanded {kind} {name} to 1 pod.", kind=kind, name=name)
    return Message("Expanded {kind} {name} to {pods} pods.", kind=kind, name=name, pods=pods)


def owner_uids(manifest: Manifest) -> Iterator[str]:
    """Yield the uids of the object's owners."""
    for owner in references(manifest):
        if isinstance(owner.get("uid"), str):
            yield owner["uid"]


def owner_names(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, namespace, name) of the object's owners."""
    for owner in references(manifest):
        yield str(owner.get("kind")), namespace_of(manifest), str(owner.get("name"))


def references(manifest: Manifest) -> list[Manifest]:
    """Return the object's owner references."""
    owners = part(manifest, "metadata").get("ownerReferences")
    return [reference for reference in owners if isinstance(reference, dict)] if isinstance(owners, list) else []


def deployment(manifest: Manifest, nodes: list[str], pods: int) -> Iterator[Manifest]:
    """Yield the ReplicaSet of a Deployment and its pods."""
    spec, metadata = part(manifest, "spec"), part(manifest, "metadata")
    hashed = suffix(f"{metadata.get('name')}", 10)
    template = copy.deepcopy(part(spec, "template"))
    labels = {**part(part(template, "metadata"), "labels"), "pod-template-hash": hashed}
    template["metadata"] = {**part(template, "metadata"), "labels": labels}
    selector = copy.deepcopy(part(spec, "selector"))
    selector["matchLabels"] = {**part(selector, "matchLabels"), "pod-template-hash": hashed}
    replica_set = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            **place(metadata),
            "name": f"{metadata.get('name')}-{hashed}",
            "labels": labels,
        },
        "spec": {"replicas": count(spec, "replicas"), "selector": selector, "template": template},
    }
    yield replica_set
    yield from replicas(replica_set, nodes, pods)


def replicas(manifest: Manifest, nodes: list[str], pods: int) -> Iterator[Manifest]:
    """Yield a ReplicaSet's or ReplicationController's pods."""
    name = part(manifest, "metadata").get("name")
    for i in range(pods):
        yield pod_of(manifest, f"{name}-{suffix(f'{name}/{i}', 5)}")


def stateful_set(manifest: Manifest, nodes: list[str], pods: int) -> Iterator[Manifest]:
    """Yield the pods 0, 1, 2 ..., each with a claim for each claim template."""
    spec, metadata = part(manifest, "spec"), part(manifest, "metadata")
    templates = spec.get("volumeClaimTemplates")
    claims = [claim for claim in templates if isinstance(claim, dict)] if isinstance(templates, list) else []
    for i in range(pods):
        name = f"{metadata.get('name')}-{i}"
        labels = {"apps.kubernetes.io/pod-index": str(i), "statefulset.kubernetes.io/pod-name": name}
        pod = pod_of(manifest, name, labels)
        volumes = list(pod["spec"].get("volumes") or ())
        for template in claims:
            volume = part(template, "metadata").get("name")
            claim = {**place(metadata), "name": f"{volume}-{name}"}
            volumes.append({"name": volume, "persistentVolumeClaim": {"claimName": claim["name"]}})
            claim_spec = copy.deepcopy(part(template, "spec"))
            yield {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": claim, "spec": claim_spec}
        if volumes:
            pod["spec"]["volumes"] = volumes
        yield pod


def daemon_set(manifest: Manifest, nodes: list[str], pods: int) -> Iterator[Manifest]:
    """Yield one pod per node, pinned to it as the DaemonSet controller does: by a field selector on metadata.name."""
    name = part(manifest, "metadata").get("name")
    for node in nodes:
        pod = pod_of(manifest, f"{name}-{suffix(f'{name}/{node}', 5)}")
        pinned = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]
        affinity = copy.deepcopy(part(pod["spec"], "affinity"))
        on_nodes = {**part(affinity, "nodeAffinity")}
        on_nodes["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": pinned}
        pod["spec"]["affinity"] = {**affinity, "nodeAffinity": on_nodes}
        pod["spec"]["tolerations"] = [*(pod["spec"].get("tolerations") or ()), *DAEMON_TOLERATIONS]
        yield pod


def job(manifest: Manifest, nodes: list[str], pods: int) -> Iterator[Manifest]:
    """Yield as many pods as may run in parallel."""
    name = part(manifest, "metadata").get("name")
    for i in range(pods):
        yield pod_of(manifest, f"{name}-{suffix(f'{name}/{i}', 5)}", {"batch.kubernetes.io/job-name": str(name)})


MAKERS = {
    "Deployment": deployment,
    "ReplicaSet": replicas,
    "ReplicationController": replicas,
    "StatefulSet": stateful_set,
    "DaemonSet": daemon_set,
    "Job": job,
}


def pod_of(owner: Manifest, name: str, labels: Manifest | None = None) -> Manifest:
    """Return a pod created from the owner's template."""
    template = part(part(owner, "spec"), "template")
    owned = part(owner, "metadata")
    metadata = {**copy.deepcopy(part(template, "metadata")), **place(owned), "name": name}
    metadata["labels"] = {**part(metadata, "labels"), **(labels or {})}
    metadata["ownerReferences"] = [reference_to(owner)]
    spec: dict[str, Any] = copy.deepcopy(part(template, "spec"))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def reference_to(owner: Manifest) -> Manifest:
    """Return the reference to a controller, by its name."""
    name = part(owner, "metadata").get("name")
    return {"apiVersion": owner.get("apiVersion"), "kind": owner.get("kind"), "name": name, "controller": True}


def place(metadata: Manifest) -> Manifest:
    """Return metadata with the object's namespace, or {} if it has none."""
    return {"namespace": metadata["namespace"]} if metadata.get("namespace") else {}


def count(spec: Manifest, name: str, default: int = 1) -> int:
    """Return a number of pods from a spec: the default if it is missing, 1 if it is not an integer, 0 if negative."""
    value = spec.get(name, default)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 1


def suffix(text: str, length: int) -> str:
    """Return a suffix like the API server's random ones; the same text always gets the same one."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:length])
