"""One scheduling attempt, from PreFilter to the binding or the nomination, and its decision record."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_core.apis.config import Profile
from scheduler_core.apis.core import Node
from tests.reference.framework.interface import UNRESOLVABLE, ExtenderFailed, Rejection
from tests.reference.plugins import PLUGINS
from tests.reference.plugins.default_preemption import Preemption, fit_error, preempt
from tests.reference.scheduler.cluster import ReferenceCluster
from tests.reference.scheduler.extenders import Extenders
from tests.reference.scheduler.filters import Filters
from tests.reference.scheduler.scores import prioritize, top_of_heap

NO_NODES = "no nodes available to schedule pods"


@dataclass
class Attempt:
    """The result of an attempt, in the shape of a decision record (see `record`)."""

    pre_filter: dict[str, object]
    statuses: dict[str, Rejection] = field(default_factory=dict)
    feasible: list[str] = field(default_factory=list)
    scores: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    node: str | None = None
    preemption: Preemption | None = None
    message: str | None = None
    error: bool = False  # neither scheduled nor rejected
    rejectors: set[str] = field(default_factory=set)  # UnschedulablePlugins

    def record(self) -> dict[str, object]:
        """Return the fields of a decision record that depend on the cycle alone; an error has only outcome and
        message."""
        if self.error:
            return {"outcome": self.outcome, "message": self.message}
        return {
            "outcome": self.outcome,
            "node": self.node,
            "preFilter": self.pre_filter,
            "filter": {
                name: {"plugin": r.plugin, "code": r.code, "reasons": list(r.reasons)}
                for name, r in self.statuses.items()
            },
            "feasible": self.feasible,
            "scores": self.scores,
            "totals": self.totals,
            "message": self.message,
            "preemption": self.preemption.record() if self.preemption else None,
        }

    @property
    def outcome(self) -> str:
        if self.node:
            return "Scheduled"
        if self.preemption is not None and self.preemption.chosen is not None:
            return "Nominated"
        return "Error" if self.error else "Unschedulable"


def schedule_one(
    cluster: ReferenceCluster,
    key: str,
    profile: Profile,
    now: float,
    percentage: int = 0,
    extenders: Extenders | None = None,
) -> Attempt:
    """Schedule the pending pod, and apply the result to the cluster.

    `percentage` is the configuration's percentageOfNodesToScore.
    """
    attempt = Attempt({"rejectedBy": None, "code": None, "reasons": [], "nodes": None})
    snapshot = cluster.snapshot()
    if not snapshot:
        cluster.nominated.pop(key, None)
        attempt.message = NO_NODES
        return attempt
    search = Search(Filters(cluster.pending[key], profile, cluster, snapshot), extenders or Extenders(()), percentage)
    try:
        search.run(attempt, now)
    except ExtenderFailed as failed:
        cluster.nominated.pop(key, None)
        attempt.message, attempt.error = str(failed), True
    return attempt


@dataclass
class Search:
    """The search for a node for one pod (findNodesThatFitPod and the steps after it)."""

    filters: Filters
    extenders: Extenders
    percentage: int
    absent: Rejection = field(default_factory=lambda: Rejection("", UNRESOLVABLE, ()))  # status of the other nodes
    names: set[str] | None = None  # the nodes that PreFilter selected

    def run(self, attempt: Attempt, now: float) -> None:
        """Run the whole attempt."""
        cluster, pod = self.filters.cluster, self.filters.pod
        rejection = self._pre_filter()
        attempt.pre_filter["nodes"] = sorted(self.names) if self.names is not None else None
        attempt.rejectors = {"NodeAffinity"} if self.names is not None else set()
        if rejection is not None:
            attempt.pre_filter |= {"rejectedBy": rejection.plugin, "code": rejection.code}
            attempt.pre_filter["reasons"] = list(rejection.reasons)
            attempt.rejectors.add(rejection.plugin)
            self.absent = rejection
        else:
            self._find_feasible(attempt)
        if not attempt.feasible:
            self._post_filter(attempt, now)
            return
        attempt.node = attempt.feasible[0]
        if len(attempt.feasible) > 1:
            self._score(attempt)
        cluster.bind(pod, attempt.node, now)

    def _pre_filter(self) -> Rejection | None:
        """Run PreFilter (RunPreFilterPlugins). Return the rejection, or None if the pod passes.

        A rejection discards the nodes that plugins have selected.
        """
        cycle = self.filters.cycle
        self.seen = set()
        for ref in self.filters.profile.plugins["pre_filter"]:
            self.seen.add(ref.name)
            plugin = PLUGINS[ref.name]
            code, reasons = plugin.pre_filter(cycle)
            if code not in ("Success", "Skip"):
                self.names = None
                return Rejection(ref.name, code, reasons)
            if code == "Skip":
                self.filters.skipped.add(ref.name)
            nodes = plugin.pre_filter_nodes(cycle)
            self.names = self.names if nodes is None else nodes
        return None

    def _find_feasible(self, attempt: Attempt) -> None:
        """Try the nominated node first, then the selected nodes from nextStartNodeIndex on."""
        cluster, by_name = self.filters.cluster, {node.name: node for node, _ in self.filters.snapshot}
        nominated = self.filters.pod.nominated_node_name or cluster.nominated.get(self.filters.pod.key, "")
        if nominated in by_name:
            try:
                self._filter(attempt, [by_name[nominated]])
                self._call_extenders(attempt)
            except ExtenderFailed:
                attempt.feasible = []
            if attempt.feasible:
                return
        if self.names is not None:
            listed = " ".join(sorted(attempt.rejectors))  # with the plugin that rejected the nominated node
            self.absent = Rejection("", UNRESOLVABLE, (f"node(s) didn't satisfy plugin(s) [{listed}]",))
        nodes = [node for node, _ in self.filters.snapshot if self.names is None or node.name in self.names]
        start = cluster.next_start_node_index % len(nodes) if nodes else 0
        self._filter(attempt, nodes[start:] + nodes[:start])
        processed = len(attempt.feasible) + len(attempt.statuses)
        cluster.next_start_node_index = (cluster.next_start_node_index + processed) % len(self.filters.snapshot)
        if self._call_extenders(attempt):
            attempt.rejectors.add("Extender")

    def _filter(self, attempt: Attempt, nodes: list[Node]) -> None:
        """Filter the nodes in turn, up to the first feasible node beyond the wanted number, which is not used."""
        wanted = self._wanted(len(nodes))
        for node in nodes:
            rejection = self.filters.rejection(node)
            if rejection is not None:
                attempt.statuses[node.name] = rejection
                attempt.rejectors.add(rejection.plugin)
            elif len(attempt.feasible) == wanted:
                return
            else:
                attempt.feasible.append(node.name)

    def _wanted(self, nodes: int) -> int:
        """Return numFeasibleNodesToFind, or 1 without Score plugins and without extenders that filter or prioritize."""
        profile = self.filters.profile
        if not profile.plugins["score"] and not self.extenders.filter_or_prioritize:
            return 1
        if nodes < 100:
            return nodes
        own = profile.percentage_of_nodes_to_score
        percentage = self.percentage if own is None else own
        return max(100, nodes * (percentage or max(5, 50 - nodes // 125)) // 100)

    def _call_extenders(self, attempt: Attempt) -> bool:
        """Run the extenders' filters on the feasible nodes. Return whether they reject any.

        The status of a node that they reject names no plugin.
        """
        by_name = {node.name: node for node, _ in self.filters.snapshot}
        rejected = self.extenders.filter(self.filters.pod, [by_name[name] for name in attempt.feasible])
        attempt.statuses |= rejected
        attempt.feasible = [name for name in attempt.feasible if name not in rejected]
        return bool(rejected)

    def _score(self, attempt: Attempt) -> None:
        filters = self.filters
        by_name = {node.name: node for node, _ in filters.snapshot}
        attempt.scores = prioritize(filters.cycle, attempt.feasible, filters.profile, bare=self.extenders.bare)
        given = self.extenders.scores(filters.pod, [by_name[name] for name in attempt.feasible])
        totals = {n: sum(s[n][2] for s in attempt.scores.values()) + given.get(n, 0) for n in attempt.feasible}
        attempt.node = top_of_heap(attempt.feasible, totals)
        if filters.profile.plugins["score"] or self.extenders:
            attempt.totals = totals

    def _post_filter(self, attempt: Attempt, now: float) -> None:
        """Run PostFilter: evict the victims, update the nomination, and set the attempt's message."""
        texts: list[str] = []
        cluster, key = self.filters.cluster, self.filters.pod.key
        for ref in self.filters.profile.plugins["post_filter"]:
            if ref.name == "DynamicResources":
                if "DynamicResources" not in self.seen:
                    attempt.preemption = Preemption(eligible=False, reason="not found")
                    texts = ["not found"]
                    break
                texts.append("no new claims to deallocate")
                attempt.preemption = attempt.preemption or Preemption(eligible=False, reason=texts[-1])
            elif ref.name == "DefaultPreemption":
                attempt.preemption = preempt(self.filters, attempt.statuses, self.absent.code, self.extenders)
                if attempt.preemption.failed:
                    texts = []
                if attempt.preemption.message:
                    texts.append(attempt.preemption.message)
        if attempt.preemption is not None and attempt.preemption.chosen is not None:
            texts = []
            for victim in attempt.preemption.chosen.victims:
                cluster.evict(victim, now)
        if attempt.preemption is not None and attempt.preemption.nominate is not None:
            cluster.nominated.pop(key, None)
            if attempt.preemption.nominate:
                cluster.nominated[key] = attempt.preemption.nominate
        attempt.message = self._message(attempt) + (" " + ", ".join(texts) if texts else "")

    def _message(self, attempt: Attempt) -> str:
        nodes = len(self.filters.snapshot)
        if attempt.pre_filter["rejectedBy"]:
            return f"0/{nodes} nodes are available: {', '.join(self.absent.reasons)}."
        counts: dict[str, int] = {}
        for rejection in attempt.statuses.values():
            for reason in rejection.reasons:
                counts[reason] = counts.get(reason, 0) + 1
        for reason in self.absent.reasons:
            counts[reason] = counts.get(reason, 0) + nodes - len(attempt.statuses)
        return fit_error(nodes, counts)
