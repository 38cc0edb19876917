"""Karpenter: the start and the triggers of its controllers (pkg/controllers/controllers.go)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scheduler_core.apis.autoscaling import KarpenterSettings
from scheduler_core.apis.core import Pod
from scheduler_core.apis.karpenter import NodeClaim
from scheduler_core.autoscaling.karpenter.disruption import Disruption
from scheduler_core.autoscaling.karpenter.events import NAME, Recorder
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue
from scheduler_core.autoscaling.karpenter.lifecycle import REACTION, Lifecycle
from scheduler_core.autoscaling.karpenter.provisioning import Provisioner
from scheduler_core.autoscaling.karpenter.solver import Offer, Results, Solver
from scheduler_core.autoscaling.karpenter.state import ClusterState, is_owned_by
from scheduler_core.controllers.api import Api, Change

# The rounds begin with the process, some seconds before its pools are ready; in recorded runs 5.6 to 7.9 s after that.
FIRST_ROUND = 7.7
Later = Callable[[float, Callable[[], None]], None]


class Karpenter:
    """Karpenter as an `Actor`. `later(seconds, action)` calls the action in that many seconds."""

    name = NAME

    def __init__(self, settings: KarpenterSettings, api: Api, later: Later) -> None:
        self._settings = settings
        self._api = api
        self._run_later = later
        self._started = False
        api.drains_claims = True
        self.state = ClusterState(api)
        self.catalogue = catalogue = Catalogue(settings.instance_types)
        recorder, flags = Recorder(api), settings.flags
        self.state.report = partial(_report, recorder)
        self._lifecycle = Lifecycle(api, self.state, catalogue, recorder, self._later, settings.ready_seconds)
        self.provisioner = Provisioner(api, self.state, catalogue, flags, recorder, self._later, self._lifecycle.launch)
        self._lifecycle.on_drain = self.provisioner.watch_node
        self.disruption = Disruption(
            api, self.state, catalogue, flags, recorder, self._later, self.provisioner, self._lifecycle
        )

    # Plans, for questions

    def plan_scale_up(self) -> tuple[list[Pod], Results]:
        """Return the pending pods, and the result of simulating what Karpenter would do for them now."""
        nodes = self.state.nodes()
        pods = self.provisioner.pending_pods()
        leaving = self.provisioner.pods_of_deleting(nodes)
        return pods, self.provisioner.simulate([*pods, *leaving], [node for node in nodes if not node.deleting])

    def offers(self, pod: Pod) -> tuple[Solver, list[Offer]]:
        """Return the solver, and the offer of each pool for a new node for the pod."""
        solver = self.provisioner.solver([pod], self.state.nodes())
        return solver, solver.offers(pod)

    def start(self) -> None:
        """Start at the time in the settings."""
        self._later(self._settings.start_seconds, self._begin)

    def _begin(self) -> None:
        self._started = True
        for claim in self.state.claims():
            self._lifecycle.adopt(claim)
            for pod, _ in self._api.pods_on(claim.node):
                if not is_owned_by(pod, "DaemonSet"):
                    self._lifecycle.note_pod_event(claim.node)
        for pod in list(self._api.cluster.pods.all()):
            self.provisioner.watch_pod(pod.key)
        self._later(FIRST_ROUND, self.disruption.run)

    def watch(self, change: Change) -> None:
        """React to a change of a pod, node, claim or pool, once Karpenter has started."""
        if not self._started:
            return
        if change.kind == "Pod":
            self._watch_pod(change)
        elif change.kind == "Node":
            self._watch_node(change)
        elif change.kind == "NodeClaim" and isinstance(change.object, NodeClaim):
            if change.what == "updated" and change.object.deleted is not None:
                if change.old.deleted is None and change.object.name not in self.state.marked:
                    self.state.note_change()
                self._later(REACTION, partial(self._lifecycle.terminate, change.object.name))
        elif change.kind == "NodePool":
            self.state.note_change()
            for claim in self.state.claims():
                if claim.pool != change.object.name:
                    continue
                if change.what == "deleted" and _is_owned_by_pool(claim):  # the garbage collector deletes it
                    self._later(REACTION, partial(self._lifecycle.delete, claim.name))
                else:
                    self._later(REACTION, partial(self._lifecycle.refresh, claim.name))

    def _watch_pod(self, change: Change) -> None:
        pod = change.object
        assert isinstance(pod, Pod)
        if change.what in ("added", "updated") and not pod.node_name:
            self.provisioner.watch_pod(pod.key)
        if change.what in ("bound", "deleted") or (change.what == "added" and pod.node_name):
            self.state.note_change()
        noted = change.what in ("added", "bound", "finished") or (change.what == "deletion" and change.old is None)
        if pod.node_name and noted and not is_owned_by(pod, "DaemonSet"):
            self._lifecycle.note_pod_event(pod.node_name)

    def _watch_node(self, change: Change) -> None:
        claim = self._lifecycle.claim_of(change.object.name)
        if change.what == "deleted" or (change.what == "added" and claim is None):
            self.state.note_change()
        elif claim is not None:
            self._later(REACTION, partial(self._lifecycle.watch_node, claim.name))

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        def act() -> None:
            self._api.actor = NAME
            action()

        self._run_later(seconds, act)


def _report(recorder: Recorder, pod: Pod, reason: str, message: str, level: str, of: str) -> None:
    recorder.on_pod(pod, reason, message, level, of=(pod.uid, of))


def _is_owned_by_pool(claim: NodeClaim) -> bool:
    """Return whether the claim's owner is its pool: always if Karpenter made it, otherwise if its manifest says so."""
    owners = (claim.manifest.get("metadata") or {}).get("ownerReferences") or ()
    return not claim.manifest or any(owner.get("kind") == "NodePool" for owner in owners)
