"""Removes or replaces nodes: empty, drifted or underutilised ones.

karpenter: pkg/controllers/disruption. A round tries its methods in order and ends with the first command. Most commands
are checked again after 15 s. The wait is part of the round, which is a generator that yields the seconds to wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

import msgspec

from scheduler_core.apis.core import Pod
from scheduler_core.apis.karpenter import DisruptionReason, InstanceType, NodePool
from scheduler_core.apis.requirements import CAPACITY_TYPE, INSTANCE_TYPE, NODE_POOL, ZONE, get, merge, one_of
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.autoscaling.karpenter.evaluation import evaluated_claims, evaluated_scale_down
from scheduler_core.autoscaling.karpenter.events import Recorder
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue
from scheduler_core.autoscaling.karpenter.lifecycle import REACTION, Lifecycle
from scheduler_core.autoscaling.karpenter.provisioning import Provisioner
from scheduler_core.autoscaling.karpenter.solver import NewClaim, Results
from scheduler_core.autoscaling.karpenter.state import DISRUPTED, DO_NOT_DISRUPT, ClusterState, StateNode
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.cronjob import next_time
from scheduler_core.controllers.node_lifecycle import with_taints
from scheduler_core.trace.autoscaling_events import ScaleDownEvaluated

POLL = 10.0  # after a round without a command
SYNC_RETRY = 1.0
FIRST_RETRY, LONGEST_RETRY = 0.005, 1000.0  # after a round that ended with an error
VALIDATION = 15.0  # between a command and the check that it is still valid
QUEUE_POLL = 1.0
COMMAND_TIMEOUT = 600.0
STATE_HOLDS = 300.0  # a method without a command is not tried again for this time if nothing has changed
MOST_AT_ONCE = 100  # candidates of a multi-node consolidation
MIN_TYPES_SPOT_TO_SPOT = 15
UNCONSOLIDATABLE_REPEAT = 900.0
BUDGET_REPEAT = 60.0
BLOCKED_BY_BUDGET = "No allowed disruptions for disruption reason {reason} due to blocking budget"
NOT_YET = "consolidateAfter has not passed since a pod came or went"
NO_LIMIT = 2**31 - 1
MOST_ERRORS = 5
Waits = Generator[float, None, "Command | None"]
Later = Callable[[float, Callable[[], None]], None]


class Candidate(msgspec.Struct, frozen=True, eq=False):
    """A node that may be disrupted. `cost`: the disruption cost; `moving`: the pods that need another node."""

    node: StateNode
    pool: NodePool
    instance_type: InstanceType | None
    moving: Sequence[Pod]
    cost: float
    price: float | None  # per hour; None: unknown

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def claim_name(self) -> str:
        assert self.node.claim is not None
        return self.node.claim.name


class Command(msgspec.Struct):
    """Nodes to remove, and the claims that replace them."""

    reason: DisruptionReason
    candidates: list[Candidate]
    replacements: list[NewClaim]
    results: Results | None = None
    created: float = 0.0
    names: list[str] = []  # of the replacements, once they are created
    savings: float = 0.0

    @property
    def decision(self) -> str:
        return "replace" if self.replacements else "delete"

    def text_for(self, candidate: Candidate) -> str:
        """Return the text of the command in events about a candidate (StringForNode)."""
        if len(self.candidates) > 1:
            return f"{self.decision}: [{candidate.name}] (part of {len(self.candidates)}-node consolidation)"
        if not self.replacements:
            return f"{self.decision}: [{candidate.name}]"
        plural = "replacement" if len(self.replacements) == 1 else "replacements"
        return f"{self.decision}: [{candidate.name}] -> [{len(self.replacements)} {plural}]"


class Rejected(Exception):
    """A command is no longer valid; the text is the kind of reason: churn, budget or scheduling."""


class Disruption:
    """Finds nodes to remove or replace, in rounds, and executes the commands for them."""

    def __init__(
        self,
        api: Api,
        state: ClusterState,
        catalogue: Catalogue,
        flags: Mapping[str, Any],
        recorder: Recorder,
        later: Later,
        provisioner: Provisioner,
        lifecycle: Lifecycle,
    ) -> None:
        self._api = api
        self._state = state
        self._catalogue = catalogue
        self._spot_to_spot = bool(flags["feature-gates"]["SpotToSpotConsolidation"])
        self._recorder = recorder
        self._later = later
        self._provisioner = provisioner
        self._lifecycle = lifecycle
        self._consolidated: dict[str, int] = {}  # by method: the number of changes when it found no command
        self._commands: list[Command] = []
        self._failures = 0  # rounds in succession whose command could not be started
        self._messages: dict[str, str] = {}  # by node: why it stays, as it was last found
        self._last_evaluation: ScaleDownEvaluated | None = None  # of the last round

    # Plans, for questions

    def explain(self, node: StateNode) -> tuple[Command | None, str]:
        """Return the command that would remove or replace a node alone, or None and why the node stays."""
        if self._is_under_way(node):
            return None, "Node is deleting or marked for deletion"
        candidate = self._candidate(node, eventual=True)
        if candidate is not None and self._has_drifted(candidate):
            if self._budgets("Drifted")[candidate.pool.name] == 0:
                return None, BLOCKED_BY_BUDGET.format(reason="Drifted")
            replacement = self._replace_drifted(candidate)
            return replacement, "" if replacement else self._messages[node.name]
        candidate = self._candidate(node, eventual=False)
        if candidate is None:
            return None, self._messages.get(node.name, "Node isn't managed by karpenter")
        if not candidate.moving and candidate.pool.consolidate_after is not None:
            reason: DisruptionReason = "Empty"
            command: Command | None = Command("Empty", [candidate], [], savings=candidate.price or 0.0)
        elif not self._may_consolidate(candidate):
            return None, self._messages[node.name]
        else:
            reason, command = "Underutilized", self._consolidation([candidate])
        if command is None:
            return None, self._messages[node.name]
        if self._budgets(reason)[candidate.pool.name] == 0:
            return None, BLOCKED_BY_BUDGET.format(reason=reason)
        assert node.claim is not None
        return (command, "") if node.claim.is_true("Consolidatable") else (None, NOT_YET)

    # Rounds

    def run(self) -> None:
        """Start a round, which schedules the next one (Controller.Reconcile)."""
        if not self._state.is_synced():
            self._later(SYNC_RETRY, self.run)
            return
        self._remove_taints()
        self._step(self._round())

    def _step(self, round_: Waits) -> None:
        try:
            seconds = next(round_)
        except StopIteration as end:
            self._emit_round(end.value)
            if end.value is not None and not self._start(end.value):
                self._later(min(FIRST_RETRY * 2**self._failures, LONGEST_RETRY), self.run)
                self._failures += 1
                return
            self._failures = 0
            self._later(POLL if end.value is None else 0.0, self.run)
            return
        self._later(seconds, lambda: self._step(round_))

    def _emit_round(self, command: Command | None) -> None:
        """Emit the results of a round, unless they equal those of the previous one."""
        stays = {name: words for name, words in self._messages.items() if self._api.cluster.node(name) is not None}
        going = {candidate.name: candidate.moving for candidate in command.candidates} if command else {}
        outcome: Literal["delete", "replace"] = "replace" if command and command.replacements else "delete"
        claims = evaluated_claims(command.replacements, self._catalogue) if command else []
        results = command.results if command else None
        event = evaluated_scale_down(going, outcome, command.reason if command else "", results, stays, claims)
        if event is not None and event != self._last_evaluation:
            self._last_evaluation = event
            self._api.emit(event)

    def _round(self) -> Waits:
        command = yield from self._emptiness()
        if command is None:
            command = self._drift()
        if command is None:
            command = yield from self._multi_node()
        if command is None:
            command = yield from self._single_node()
        return command

    def _remove_taints(self) -> None:
        """Remove the disruption taint from nodes without a command (RequireNoScheduleTaint)."""
        busy = {candidate.name for command in self._commands for candidate in command.candidates}
        for node in self._state.nodes():
            if node.node is None or node.claim is None or node.deleting or node.name in busy:
                continue
            if DISRUPTED in node.node.taints:
                taints = [taint for taint in node.node.taints if taint != DISRUPTED]
                self._api.apply_object(with_taints(node.node, taints), "update", because("node-needed", node=node.name))
            self._lifecycle.clear_condition(node.claim.name, "DisruptionReason")

    # Methods

    def _emptiness(self) -> Waits:
        """Find a command that deletes as many empty nodes as the budgets allow (emptiness.go)."""
        candidates = self._candidates(self._is_empty)
        if not candidates:
            return None
        budgets, empty, constrained = self._budgets("Empty"), [], False
        if self._is_consolidated("empty"):
            return None
        for candidate in _by_cost(candidates):
            if budgets[candidate.pool.name] == 0:
                constrained = True
                continue
            empty.append(candidate)
            budgets[candidate.pool.name] -= 1
        if not empty:
            if not constrained:
                self._mark_consolidated("empty")
            return None
        yield VALIDATION
        valid = _still_proposed(empty, self._candidates(self._is_empty))
        budgets = self._budgets("Empty")
        kept = []
        for candidate in valid:
            if not self._state.is_nominated(candidate.name) and budgets[candidate.pool.name] > 0:
                budgets[candidate.pool.name] -= 1
                kept.append(candidate)
        return Command("Empty", kept, []) if kept else None

    def _drift(self) -> Command | None:
        """Return a command that replaces one drifted node at any cost, None if there is none (drift.go)."""
        candidates = self._candidates(self._has_drifted, eventual=True)
        if not candidates:
            return None
        budgets = self._budgets("Drifted")
        candidates.sort(key=lambda candidate: _drifted_since(candidate))
        for candidate in sorted(candidates, key=lambda candidate: bool(candidate.moving)):
            if budgets[candidate.pool.name] > 0 and (command := self._replace_drifted(candidate)):
                return command
        return None

    def _replace_drifted(self, candidate: Candidate) -> Command | None:
        """Return the command that replaces a drifted node; None if its pods would not all fit, which is recorded."""
        results = self._simulate([candidate])
        errors = self._scheduling_errors(results)
        if errors:
            self._block(candidate.node, errors)
            return None
        return Command("Drifted", [candidate], list(results.claims), results)

    def _multi_node(self) -> Waits:
        """Find a command that removes the n nodes of the lowest cost, for the largest n (multinodeconsolidation.go)."""
        candidates = self._candidates(self._should_consolidate)
        if not candidates:
            return None
        budgets, disruptable, constrained = self._budgets("Underutilized"), [], False
        if self._is_consolidated("multi"):
            return None
        for candidate in _by_cost(candidates):
            if budgets[candidate.pool.name] == 0:
                constrained = True
                continue
            if not candidate.moving:
                continue
            disruptable.append(candidate)
            budgets[candidate.pool.name] -= 1
        command = self._first_n(disruptable)
        if command is None:
            if not constrained:
                self._mark_consolidated("multi")
            return None
        return (yield from self._validated(command))

    def _single_node(self) -> Waits:
        """Find a command that removes or replaces one node (singlenodeconsolidation.go).

        Pools are tried in turn, each starting with the node of the lowest disruption cost.
        """
        candidates = self._candidates(self._should_consolidate)
        if not candidates:
            return None
        budgets, constrained = self._budgets("Underutilized"), False
        if self._is_consolidated("single"):
            return None
        for candidate in _alternate_pools(_by_cost(candidates)):
            if budgets[candidate.pool.name] == 0:
                constrained = True
                continue
            if not candidate.moving:
                continue
            command = self._consolidation([candidate])
            if command is not None:
                return (yield from self._validated(command))
        if not constrained:
            self._mark_consolidated("single")
        return None

    def _validated(self, command: Command) -> Waits:
        """Wait, then return the command if it is still valid, else None.

        Why a single node stays is recorded; for several nodes, Karpenter's validator returns no candidates to record.
        """
        yield VALIDATION
        try:
            self._validate(command)
        except Rejected as reason:
            if len(command.candidates) == 1:
                (candidate,) = command.candidates
                text = command.text_for(candidate)
                message = f"Consolidation rejected: {text}, reason: {reason} (savings: ${command.savings:.2f})"
                self._recorder.on_node(candidate.node, "ConsolidationRejected", message, of=(text, str(reason)))
            return None
        return command

    # Candidates

    def _candidates(self, wanted: Callable[[Candidate], bool], *, eventual: bool = False) -> list[Candidate]:
        """Return the nodes that a method may disrupt (GetCandidates)."""
        candidates = (self._candidate(node, eventual=eventual) for node in self._state.nodes())
        return [candidate for candidate in candidates if candidate is not None and wanted(candidate)]

    def _is_under_way(self, node: StateNode) -> bool:
        """Return whether a command disrupts the node already."""
        return any(node.name == candidate.name for command in self._commands for candidate in command.candidates)

    def _candidate(self, node: StateNode, *, eventual: bool) -> Candidate | None:
        """Return the node as a candidate (NewCandidate).

        None: Karpenter did not create it, its disruption is under way, or it is blocked for a reason that is recorded.
        """
        if self._is_under_way(node):
            return None
        problem = self.problem_of_node(node)
        if problem:
            if node.claim is not None:
                self._block(node, problem)
            return None
        pool = self._api.cluster.get("NodePool", node.pool)
        if not isinstance(pool, NodePool):
            self._block(node, f"NodePool not found (NodePool={node.pool})")
            return None
        assert node.claim is not None
        blocked = self.problem_of_pods(node)
        if blocked and not (eventual and node.claim.termination_grace_period is not None):
            self._block(node, blocked)
            return None
        name = node.labels.get(INSTANCE_TYPE, "")
        number = self._catalogue.number.get(name)
        life = 1.0
        if node.claim.expire_after:
            left = node.claim.expire_after - (self._api.now - node.claim.created)
            life = min(max(left / node.claim.expire_after, 0.0), 1.0)
        return Candidate(
            node,
            pool,
            None if number is None else self._catalogue.types[number],
            [pod for pod, status in node.pods if self._state.is_reschedulable(pod, status)],
            sum(eviction_cost(pod) for pod, _ in node.pods) * life,
            self._catalogue.price_of(node.labels, name),
        )

    def problem_of_node(self, node: StateNode) -> str:
        """Return why a node must not be disrupted, "" if it may be (ValidateNodeDisruptable)."""
        if node.claim is None:
            return "Node isn't managed by karpenter"
        if node.node is None:
            return "Nodeclaim does not have an associated node"
        if not node.initialized:
            return "Node isn't initialized"
        if node.deleting:
            return "Node is deleting or marked for deletion"
        if self._state.is_nominated(node.name):
            return "Node is nominated for a pending pod"
        if node.annotations.get(DO_NOT_DISRUPT) == "true":
            return f'Disruption is blocked through the "{DO_NOT_DISRUPT}" annotation'
        if not node.pool:
            return f"Node doesn't have required label (label={NODE_POOL})"
        return ""

    def problem_of_pods(self, node: StateNode) -> str:
        """Return why a pod prevents the disruption of a node, "" if none does (ValidatePodsDisruptable)."""
        for pod, status in node.pods:
            active = status.phase not in ("Succeeded", "Failed") and status.deletion_requested is None
            if active and self._state.is_protected(pod):
                called = f"{pod.namespace}/{status.called}"
                return f'Pod has "{DO_NOT_DISRUPT}" annotation (Pod={called})'
        problem = self._state.blocking_budget(node.pods)
        return problem[:1].upper() + problem[1:]

    def _block(self, node: StateNode, message: str) -> None:
        self._messages[node.name] = message
        self._recorder.on_node(node, "DisruptionBlocked", message)

    def _is_empty(self, candidate: Candidate) -> bool:
        """Return whether a node is empty and may be consolidated now; record it if its pool rules that out."""
        if candidate.pool.consolidate_after is None:
            self._record(candidate, f'NodePool "{candidate.pool.name}" has consolidation disabled')
            return False
        assert candidate.node.claim is not None
        return not candidate.moving and candidate.node.claim.is_true("Consolidatable")

    def _has_drifted(self, candidate: Candidate) -> bool:
        assert candidate.node.claim is not None
        return candidate.node.claim.is_true("Drifted")

    def _should_consolidate(self, candidate: Candidate) -> bool:
        """Return whether a node may be consolidated now (consolidation.ShouldDisrupt)."""
        assert candidate.node.claim is not None
        return self._may_consolidate(candidate) and candidate.node.claim.is_true("Consolidatable")

    def _may_consolidate(self, candidate: Candidate) -> bool:
        """Return whether the pool and the labels of a node allow its consolidation; record the reason if not."""
        labels, pool = candidate.node.labels, candidate.pool
        if candidate.instance_type is None:
            self._record(candidate, f'Instance Type "{labels.get(INSTANCE_TYPE, "")}" not found')
            return False
        for key in (CAPACITY_TYPE, ZONE):
            if key not in labels:
                self._record(candidate, f'Node does not have label "{key}"')
                return False
        if pool.consolidate_after is None:
            self._record(candidate, f'NodePool "{pool.name}" has consolidation disabled')
            return False
        if not pool.consolidates_underutilized:
            self._record(candidate, f'NodePool "{pool.name}" has non-empty consolidation disabled')
            return False
        return True

    def _record(self, candidate: Candidate, message: str) -> None:
        self._messages[candidate.name] = message
        self._recorder.on_node(candidate.node, "Unconsolidatable", message, repeat=UNCONSOLIDATABLE_REPEAT)

    # Budgets

    def _budgets(self, reason: DisruptionReason) -> dict[str, int]:
        """Return how many more nodes of each pool may be disrupted (BuildDisruptionBudgetMapping).

        An event on a pool whose budgets allow no disruption is recorded.
        """
        counts: dict[str, int] = {}
        disrupting: dict[str, int] = {}
        for node in self._state.nodes():
            if node.claim is None or not node.initialized or node.claim.is_true("InstanceTerminating"):
                continue
            counts[node.pool] = counts.get(node.pool, 0) + 1
            if node.deleting or self._api.node_status(node.name).ready != "True":
                disrupting[node.pool] = disrupting.get(node.pool, 0) + 1
        budgets = {}
        for pool in self._state.pools():
            allowed = allowed_disruptions(pool, counts.get(pool.name, 0), reason, self._api.now)
            budgets[pool.name] = max(allowed - disrupting.get(pool.name, 0), 0)
            if counts.get(pool.name) and allowed == 0:
                message = BLOCKED_BY_BUDGET.format(reason=reason)
                self._recorder.on(
                    "NodePool", pool.name, "DisruptionBlocked", message, of=(reason,), repeat=BUDGET_REPEAT
                )
        return budgets

    # Consolidation

    def _simulate(self, candidates: Sequence[Candidate]) -> Results:
        """Return the result of scheduling the pods without the candidates (SimulateScheduling)."""
        nodes, names = self._state.nodes(), {candidate.name for candidate in candidates}
        moving = [
            pod
            for candidate in candidates
            for pod in candidate.moving
            if self._state.is_currently_reschedulable(pod, self._api.status(pod))
        ]
        leaving = self._provisioner.pods_of_deleting(nodes)
        pods = [*self._provisioner.pending_pods(), *moving, *leaving]
        staying = [node for node in nodes if not node.deleting and node.name not in names]
        results = self._provisioner.simulate(pods, staying)
        of_leaving = {pod.key for pod in leaving}
        for node in results.nodes:
            if not node.state.initialized:
                claim = f"nodeclaim/{node.state.claim.name}" if node.state.claim is not None else ""
                place = f"node/{node.state.node.name}" if node.state.node is not None else ""
                where = ", ".join(filter(None, (claim, place)))
                for pod in node.pods:
                    if pod.key not in of_leaving:
                        results.errors[pod.key] = pod, f"would schedule against uninitialized {where}"
        return results

    def _scheduling_errors(self, results: Results) -> str:
        """Return the error for running pods that would fit no node, "" if all fit; pending pods do not count."""
        errors = []
        for pod, reason in results.errors.values():
            stored = self._api.pod(pod.key)
            if stored is None or not self._state.is_provisionable(stored):
                errors.append(f"{pod.namespace}/{pod.name} => {reason} ")
        if not errors:
            return ""
        more = f" and {len(errors) - MOST_ERRORS} other(s)" if len(errors) >= MOST_ERRORS else ""
        return f"Not all pods would schedule, {''.join(errors[:MOST_ERRORS])}{more}"

    def _consolidation(self, candidates: Sequence[Candidate]) -> Command | None:
        """Return the command that removes the candidates together; None if there is none (computeConsolidation).

        The reason for None is recorded on a candidate that is consolidated by itself.
        """
        alone = candidates[0] if len(candidates) == 1 else None
        results = self._simulate(candidates)
        if errors := self._scheduling_errors(results):
            if alone is not None:
                self._record(alone, errors)
            return None
        price = sum(candidate.price or 0.0 for candidate in candidates)
        if any(candidate.price is None for candidate in candidates):
            price = 0.0
        if not results.claims:
            return Command("Underutilized", list(candidates), [], results, savings=price)
        if len(results.claims) > 1:
            if alone is not None:
                self._record(alone, f"Can't remove without creating {len(results.claims)} candidates")
            return None
        claim = results.claims[0]
        kinds = get(claim.requirements, CAPACITY_TYPE)
        order = self._catalogue.by_price(claim.types, claim.requirements)  # before a capacity type is chosen
        all_spot = all(candidate.node.labels.get(CAPACITY_TYPE) == "spot" for candidate in candidates)
        spot_to_spot = all_spot and kinds.has("spot")
        if spot_to_spot and not self._spot_to_spot:
            if alone is not None:
                self._record(alone, "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node")
            return None
        if spot_to_spot:
            claim.requirements = merge(claim.requirements, (one_of(CAPACITY_TYPE, "spot"),))
            claim.types &= self._catalogue.offered(claim.requirements)
        if not self._keep_cheaper(claim, price, alone):
            return None
        if spot_to_spot and alone is not None and not self._truncate_spot(claim, order, alone):
            return None
        if not spot_to_spot and kinds.has("spot") and kinds.has("on-demand"):
            claim.requirements = merge(claim.requirements, (one_of(CAPACITY_TYPE, "spot"),))
        return self._announce(Command("Underutilized", list(candidates), [claim], results), price, order)

    def _keep_cheaper(self, claim: NewClaim, price: float, alone: Candidate | None) -> bool:
        """Keep only the types that cost less than the price. Return whether enough are left; record if not.

        Without `alone`, a candidate that is consolidated by itself, nothing is recorded.
        """
        claim.types = self._catalogue.cheaper(claim.types, claim.requirements, price)
        short = self._catalogue.shortfall(claim.types, claim.requirements)
        if short and alone is not None:
            keys = " ".join(short)
            self._record(
                alone, f"Filtering by price: minValues requirement is not met for label(s) (label(s)=[{keys}])"
            )
        elif not claim.types and alone is not None:
            self._record(alone, "Can't replace with a cheaper node")
        return bool(claim.types) and not short

    def _truncate_spot(self, claim: NewClaim, order: Sequence[int], alone: Candidate) -> bool:
        """Limit the claim to its 15 cheapest types, or as many as minValues needs; `order`: the types by price.

        Return False, without a change, if it has fewer than 15.
        """
        count = claim.types.bit_count()
        if count < MIN_TYPES_SPOT_TO_SPOT:
            message = (
                f"SpotToSpotConsolidation requires {MIN_TYPES_SPOT_TO_SPOT} cheaper instance type options than the "
                f"current candidate to consolidate, got {count}"
            )
            self._record(alone, message)
            return False
        ordered = [number for number in order if claim.types >> number & 1]
        most = max(MIN_TYPES_SPOT_TO_SPOT, self._catalogue.needed(ordered, claim.requirements))
        claim.types = sum(1 << number for number in ordered[:most])
        return True

    def _announce(self, command: Command, price: float, order: Sequence[int]) -> Command:
        """Set the savings of the command, record an event on each candidate, and return it (EmitCandidateEvents).

        `price`: that of the candidates; `order`: the types of the replacement, and others, by price.
        """
        claim = command.replacements[0]
        first = [number for number in order if claim.types >> number & 1][:1]
        launched = [min(offering.price for offering in self._catalogue.types[number].offerings) for number in first]
        command.savings = price - sum(launched)
        for candidate in command.candidates:
            text = command.text_for(candidate)
            message = f"Consolidation candidate: {text} (savings: ${command.savings:.2f})"
            self._recorder.on_node(candidate.node, "ConsolidationCandidate", message, of=(text,))
        return command

    def _first_n(self, candidates: Sequence[Candidate]) -> Command | None:
        """Return the command for the largest number of first candidates, found by bisection.

        None: there is no command for at least two candidates (firstNConsolidationOption).
        """
        if len(candidates) < 2:
            return None
        low, high = 1, min(len(candidates) - 1, MOST_AT_ONCE)
        best: Command | None = None
        while low <= high:
            middle = (low + high) // 2
            chosen = candidates[: middle + 1]
            command = self._consolidation(chosen)
            if command is not None and (not command.replacements or self._keep_new_types(command)):
                best, low = command, middle + 1
            else:
                high = middle - 1
        return best

    def _keep_new_types(self, command: Command) -> bool:
        """Keep only types that are cheaper than every candidate whose type is among them (filterOutSameInstanceType).

        Otherwise it would be better to keep that candidate. Return whether enough types are left.
        """
        claim = command.replacements[0]
        names = set(self._catalogue.names(claim.types))
        prices = [
            candidate.price
            for candidate in command.candidates
            if candidate.instance_type is not None
            and candidate.instance_type.name in names
            and candidate.price is not None
        ]
        if prices:
            claim.types = self._catalogue.cheaper(claim.types, claim.requirements, min(prices))
        return bool(claim.types) and not self._catalogue.shortfall(claim.types, claim.requirements)

    def _validate(self, command: Command) -> None:
        """Check that a command still holds. Raises Rejected (validation.go)."""
        candidates = self._valid_candidates(command)
        results = self._simulate(candidates)
        if self._scheduling_errors(results) or len(results.claims) != len(command.replacements):
            raise Rejected("scheduling")
        if command.replacements and command.replacements[0].types & ~results.claims[0].types:
            raise Rejected("scheduling")
        self._valid_candidates(command)

    def _valid_candidates(self, command: Command) -> list[Candidate]:
        valid = _still_proposed(command.candidates, self._candidates(self._should_consolidate))
        if len(valid) != len(command.candidates):
            raise Rejected("churn")
        budgets = self._budgets("Underutilized")
        for candidate in valid:
            if self._state.is_nominated(candidate.name) or budgets[candidate.pool.name] == 0:
                raise Rejected("budget")
            budgets[candidate.pool.name] -= 1
        return valid

    def _is_consolidated(self, method: str) -> bool:
        """Return whether nothing has changed since a method found nothing to do (for up to `STATE_HOLDS` seconds)."""
        if self._api.now - self._state.changed >= STATE_HOLDS:
            self._state.note_change()
        return self._consolidated.get(method) == self._state.changes

    def _mark_consolidated(self, method: str) -> None:
        self._consolidated[method] = self._state.changes

    # Commands (queue.go)

    def _start(self, command: Command) -> bool:
        """Taint the candidates, create the replacements, and wait for them (StartCommand).

        Return False if the limits of a pool do not allow a replacement; the next round removes the taints.
        """
        command.created = self._api.now
        for candidate in command.candidates:
            node = self._api.cluster.node(candidate.name)
            if node is not None and DISRUPTED not in node.taints:
                cause = because("node-disrupted", node=node.name, reason=command.reason)
                self._api.apply_object(with_taints(node, (*node.taints, DISRUPTED)), "update", cause)
            self._lifecycle.set_condition(candidate.claim_name, "DisruptionReason", "True", command.reason)
        command.names = self._provisioner.create(command.replacements)
        if len(command.names) < len(command.replacements):
            return False
        for candidate in command.candidates:
            self._state.marked[candidate.claim_name] = None
        if command.results is not None:
            self._provisioner.record_nominations(command.results)
        self._commands.append(command)
        for candidate in command.candidates:
            self._provisioner.watch_node(candidate.name)
        self._later(REACTION, lambda: self._wait_or_terminate(command))  # after the next round has begun
        return True

    def _wait_or_terminate(self, command: Command) -> None:
        """Delete the candidates once all replacements are initialized (waitOrTerminate).

        Give up if one is gone, or after COMMAND_TIMEOUT.
        """
        waiting = False
        for name in command.names:
            claim = self._state.claim(name)
            if claim is None or self._api.now - command.created > COMMAND_TIMEOUT:
                self._give_up(command)
                return
            title = command.reason
            self._recorder.on("NodeClaim", name, "DisruptionLaunching", f"Launching NodeClaim: {title}", of=(title,))
            if not claim.is_true("Initialized"):
                message = "Waiting on readiness to continue disruption"
                self._recorder.on("NodeClaim", name, "DisruptionWaitingReadiness", message)
                waiting = True
        if waiting:
            self._later(QUEUE_POLL, lambda: self._wait_or_terminate(command))
            return
        for candidate in command.candidates:
            if self._state.claim(candidate.claim_name) is None:
                continue
            self._lifecycle.delete(candidate.claim_name)
            reason = command.reason
            if self._api.cluster.node(candidate.name) is not None:
                text = f"Disrupting Node: {reason}"
                self._recorder.on("Node", candidate.name, "DisruptionTerminating", text, of=(reason,))
            text = f"Disrupting NodeClaim: {reason}"
            self._recorder.on("NodeClaim", candidate.claim_name, "DisruptionTerminating", text, of=(reason,))
        self._commands.remove(command)

    def _give_up(self, command: Command) -> None:
        """Free the candidates, because a replacement failed."""
        for candidate in command.candidates:
            self._state.marked.pop(candidate.claim_name, None)
        self._commands.remove(command)
        self._remove_taints()


def eviction_cost(pod: Pod) -> float:
    """Return the cost of evicting a pod, from its deletion cost and priority (EvictionCost)."""
    cost = 1.0
    with suppress(ValueError):
        cost += float(pod.annotations.get("controller.kubernetes.io/pod-deletion-cost", "0")) / 2**27
    return min(max(cost + pod.priority / 2**25, -10.0), 10.0)


def allowed_disruptions(pool: NodePool, count: int, reason: DisruptionReason, now: float) -> int:
    """Return how many of `count` nodes the budgets allow Karpenter to disrupt (GetAllowedDisruptionsByReason).

    Without an active budget, it is `NO_LIMIT`.
    """
    allowed = NO_LIMIT
    for budget in pool.budgets:
        if budget.reasons and reason not in budget.reasons:
            continue
        if budget.schedule:
            hit = next_time(budget.schedule, now - budget.duration)
            if hit is None or hit > now:
                continue
        number = parse_int64(budget.nodes.removesuffix("%"))
        if number is None:  # more digits than an integer has; MustGetAllowedDisruptions then allows none
            return 0
        allowed = min(allowed, math.ceil(count * number / 100) if budget.nodes.endswith("%") else number)
    return allowed


def _by_cost(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: candidate.cost)


def _alternate_pools(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, one of each pool in turn (shuffleCandidates)."""
    by_pool: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_pool.setdefault(candidate.pool.name, []).append(candidate)
    longest = max(map(len, by_pool.values()), default=0)
    return [of_pool[index] for index in range(longest) for of_pool in by_pool.values() if index < len(of_pool)]


def _still_proposed(proposed: Sequence[Candidate], current: Sequence[Candidate]) -> list[Candidate]:
    names = {candidate.name for candidate in proposed}
    return [candidate for candidate in current if candidate.name in names]


def _drifted_since(candidate: Candidate) -> float:
    assert candidate.node.claim is not None
    return candidate.node.claim.conditions["Drifted"].since
