"""Score: nodes on which earlier subrequests were chosen score higher (dynamicresources.go: computeScore)."""

from __future__ import annotations

from scheduler_core.apis.devices import FIRST_AVAILABLE_MAX_SIZE, ResourceClaim
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import MAX_NODE_SCORE, Scores
from scheduler_core.plugins.dynamic_resources.allocator import Solution
from scheduler_core.plugins.dynamic_resources.state import State


def score(state: State, solution: Solution) -> int:
    """Return the raw score of a node with this solution."""
    return sum(points for _, _, points in _selected_subrequests(state, solution))


def explain(state: State, node_name: str, raw: Scores, index: int) -> ScoreExplanation:
    """Return a line for each chosen subrequest and, if a node scores above 0, one for the normalization.

    Without chosen subrequests and such a node, a single line says that no claim has a prioritized list.
    """
    on_node = state.nodes.get(node_name)
    subrequests = _selected_subrequests(state, on_node.solution) if on_node is not None else ()
    lines = [f"{claim} gets {name}: {points}" for claim, name, points in subrequests]
    best = int(raw.max(initial=0))
    total = f"{int(raw[index])}"
    if best:
        lines.append(f"{total} of at most {best}: {MAX_NODE_SCORE * int(raw[index]) // best}")
    return ScoreExplanation(lines or ["no claim has a prioritized list: 0"])


def _selected_subrequests(state: State, solution: Solution) -> list[tuple[str, str, int]]:
    """Return (claim, request/subrequest, points) of each chosen subrequest."""
    subrequests = []
    solved = iter(solution.chosen)
    for number, claim in enumerate(state.claims):
        if claim.allocation is not None:
            names = {result.request for result in claim.allocation.results}
        elif number in state.pending:
            names = {result.request for result in state.pending[number].results}
        else:
            names = {device.request.name for device in next(solved, ())}
        subrequests += _points(claim, names)
    return subrequests


def _points(claim: ResourceClaim, names: set[str]) -> list[tuple[str, str, int]]:
    return [
        (claim.name, f"{request.name}/{subrequest.name}", FIRST_AVAILABLE_MAX_SIZE - position)
        for request in claim.spec.requests
        for position, subrequest in enumerate(request.first_available)
        if f"{request.name}/{subrequest.name}" in names
    ]
