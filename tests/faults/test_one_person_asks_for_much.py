"""While one visitor requests as much work as possible, another visitor's small run is done."""

from kschedui.supervisor.ports import wait_until
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker
from tests.faults.stacks import ONE_POD, breakable
from tests.web.visitor import LONG, Visitor

FAR = [{"at": 1_000_000, "create": pod("late")}]
PREVIEWS = 10


def endless(number: int) -> str:
    """Return a scenario with 1000 nodes, and 200 pods that fit none and are retried for a million seconds."""
    never = [pod(f"never-{i}", cpu=1000 + number) for i in range(200)]
    return scenario(*(node(f"n{i}", cpu=1) for i in range(1000)), *never, events=FAR)


def test_a_one_pod_run_is_done_while_ten_endless_previews_go_on(make_stack: StackMaker) -> None:
    stack = breakable(make_stack, processes=2)
    greedy, other = Visitor(stack.url), Visitor(stack.url)
    asked = [greedy.post("/api/v1/preview", text=endless(number)) for number in range(PREVIEWS)]
    assert all(status == 200 for status, _ in asked), asked
    previews = [answer["run"] for _, answer in asked]
    assert wait_until(lambda: any(greedy.run(run)["state"] == "running" for run in previews), LONG)
    run = other.save(ONE_POD)
    assert other.wait_for(run, "done", "failed")["state"] == "done"
    assert any(greedy.run(run)["state"] in ("running", "queued") for run in previews), (
        "all previews had ended before the run"
    )
    for preview in previews:  # they end, because nobody watches them
        greedy.wait_for(preview, "cancelled", "failed")
