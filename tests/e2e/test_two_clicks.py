"""Common questions about a scheduling decision are answered within two clicks of the step."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.builders import budget, node, pod, priority_class, scenario, spread
from tests.e2e.player_page import link_to, open_player, save, seek, steps_of, until, wait_until_drawn

MAX_CLICKS = 2


class Reader:
    """A reader of a run, who may click MAX_CLICKS times."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def opens(self, text: str) -> None:
        self.page.goto(save(self.page, text)["url"])
        wait_until_drawn(self.page)
        until(self.page, "kschedui.store.complete")

    def at(self, kind: str) -> None:
        seek(self.page, link_to(self.page, steps_of(self.page, kind)[0]))

    def click(self, selector: str, text: str | re.Pattern[str] = "") -> None:
        self.clicks += 1
        assert self.clicks <= MAX_CLICKS
        found = self.page.locator(selector, has_text=text) if text else self.page.locator(selector)
        found.first.click()

    def reads(self, *texts: str | re.Pattern[str], where: str = "#margin") -> None:
        for text in texts:
            expect(self.page.locator(where)).to_contain_text(text)


@pytest.fixture
def reader(browser_page: Page) -> Reader:
    return Reader(browser_page)


def crowded() -> str:
    """Return a scenario with a pod that fits on none of five nodes.

    Two have too little cpu and memory, one too little cpu, and two are tainted, one of them with too little cpu.
    """
    taints = ["gpu=yes:NoSchedule"]
    small = [node(f"small-{i}", cpu=1, memory="1Gi") for i in (1, 2)]
    tainted = [node("tainted", cpu=8, taints=taints), node("tainted-small", cpu=1, taints=taints)]
    return scenario(*small, *tainted, node("full", cpu=1), pod("big", cpu=2, memory="2Gi"))


@pytest.mark.quick
def test_3_which_reason_to_fix_first(reader: Reader) -> None:
    reader.opens(crowded())
    reader.at("SchedulingFailed")
    reader.click("#caption .number")
    reader.reads(
        "What to fix first",
        "is the only obstacle on small-1, small-2, full",
        "Taints? is the only obstacle",
        "tainted.",
    )
    expect(reader.page.get_by_text("is the only obstacle").last).to_be_in_viewport()


def test_4_why_the_counts_do_not_add_up(reader: Reader) -> None:
    reader.opens(crowded())
    reader.at("SchedulingFailed")
    reader.click("#caption .number")
    reader.reads(
        "0/5 nodes are available", "too little memory", "sum, of 5 nodes7", "small-1, small-2 count for more than one"
    )


@pytest.mark.quick
def test_7_when_the_next_try_is(reader: Reader) -> None:
    open_player(reader.page, "backoff")
    backoff = next(
        step
        for step in steps_of(reader.page, "PodEnqueued")
        if reader.page.evaluate("s => kschedui.store.event(s).queue", step) == "backoff"
    )
    seek(reader.page, str(backoff))
    reader.click(".queue-section.backoff .queue-pod")
    reader.reads("Next try", re.compile(r"At 2\.0 s: its backoff ends at 1\.0 s"))


def test_7_when_the_next_try_is_of_a_pod_that_no_event_has_requeued(reader: Reader) -> None:
    reader.opens(scenario(node("n1", cpu=1), pod("big", cpu=2), events=[{"at": 400, "create": pod("late")}]))
    reader.at("AttemptFinished")
    reader.click(".queue-section.unschedulable .queue-pod")
    reader.reads("No time is set: it is retried after one of the events below, or at 330.0 s")
    flushed = next(
        step
        for step in steps_of(reader.page, "PodEnqueued")
        if reader.page.evaluate("s => kschedui.store.event(s).event", step) == "UnschedulableTimeout"
    )
    assert reader.page.evaluate("s => kschedui.store.stateAfter(s).time", flushed) == 330


def test_8_which_events_may_requeue_a_pod(reader: Reader) -> None:
    reader.opens(crowded())
    reader.at("AttemptFinished")
    reader.click(".queue-section.unschedulable .queue-pod")
    reader.reads(
        "Events that may requeue it",
        "NodeResourcesFit",
        "Node/UpdateNodeAllocatable a node’s allocatable resources changed",
    )
    reader.reads("TaintToleration", "Node/UpdateNodeTaint")


def test_15_why_all_pods_go_to_one_node(reader: Reader) -> None:
    pods = [pod(f"web-{i}", cpu=1) for i in range(4)]
    reader.opens(scenario(node("large", cpu=32, memory="64Gi"), node("small", cpu=8), *pods))
    seek(reader.page, str(steps_of(reader.page, "RunFinished")[0]))
    reader.click(".node-card[data-node=large] .node-name")
    reader.reads(
        "Why pods were placed here", "4 of 4 choices so far fell on this node.", "Room 2×, Balance 2×", "web-3"
    )


@pytest.mark.quick
def test_16_how_spreading_counts_each_zone(reader: Reader) -> None:
    web = {"app": "web"}
    running = [pod(f"web-{i}", node=name, labels=web) for i, name in enumerate(["a1", "a1", "b1"])]
    new = pod("web-new", cpu=1, labels=web, topologySpreadConstraints=[spread(web)])
    zones = [node("a1", zone="a"), node("b1", zone="b"), node("b2", zone="b")]
    reader.opens(scenario(*zones, *running, new))
    reader.at("NodesFiltered")
    reader.click(".lane[data-node=a1] .stop")
    reader.reads("Matching pods by zone", re.compile(r"a232 > 1b121 ≤ 1"), "The domain with the fewest pods has 1")


def test_17_what_a_pod_without_requests_counts_as(reader: Reader) -> None:
    reader.opens(scenario(node("n1"), node("n2"), pod("nothing")))
    reader.at("ScoresComputed")
    reader.click(".lane[data-node=n1] .total")
    reader.click("#margin table .link", "Room")
    reader.reads("It requests no cpu: for scoring it counts as 0.1 cpu.", "counts as 200 MiB")


def test_18_how_a_tie_is_broken(reader: Reader) -> None:
    reader.opens(scenario(node("n1"), node("n2"), pod("a", cpu=1)))
    reader.at("HostSelected")
    reader.reads(
        "Tied: n1 and n2.",
        "at the top of the scheduler’s heap of scores is selected; this is not random",
        where="#caption .why",
    )


def test_20_why_a_new_node_requeues_no_pod(reader: Reader) -> None:
    events = [{"at": 2, "create": node("late", cpu=1)}]
    reader.opens(scenario(node("n1", cpu=1), pod("big", cpu=2), events=events))
    kept = steps_of(reader.page, "PodsKeptWaiting")[0]
    seek(reader.page, str(kept + 1))
    reader.click(".queue-section.unschedulable .queue-pod")
    reader.reads("The last event: NodeAdd.", "NodeResourcesFit returned QueueSkip: it does not help this pod.")


def nominated_elsewhere() -> str:
    """Return a scenario in which `high` is nominated to n1, and n2 is added before the victim has terminated."""
    victim = pod("low", cpu=4, node="n1", annotations={"kschedui.io/termination-seconds": "30"})
    events = [{"at": 5, "create": node("n2", cpu=4)}]
    return scenario(
        node("n1", cpu=4), priority_class("high", 10), victim, pod("high", cpu=4, priority_class="high"), events=events
    )


def test_23_why_a_pod_is_bound_elsewhere_than_it_was_nominated(reader: Reader) -> None:
    reader.opens(nominated_elsewhere())
    reader.at("PodBound")
    reader.click("#subject .subject")
    reader.reads("n1 is nominated: room is reserved there", "bound to n2, not where it was nominated")
    reader.reads("A nomination reserves room but guarantees nothing")


def test_25_the_arithmetic_of_a_budget(reader: Reader) -> None:
    web = {"app": "web"}
    guard = budget("guard", web, minAvailable=1)
    running = pod("web", cpu=4, node="n1", labels=web)
    reader.opens(
        scenario(node("n1"), priority_class("high", 10), guard, running, pod("high", cpu=4, priority_class="high"))
    )
    reader.at("PreemptionEvaluated")
    reader.reads("PodDisruptionBudget guard", "minAvailable 1", "1 healthy − 1 required = 0 disruptions allowed")
    reader.reads("Evicting web exceeds it: 1 violation.")


@pytest.mark.quick
def test_28_how_pods_move_between_the_queues(reader: Reader) -> None:
    open_player(reader.page, "backoff")
    seek(reader.page, str(steps_of(reader.page, "RunFinished")[0]))
    reader.click(".queue-section.active h2 button")
    reader.reads("How pods move between the queues", "no node fits, or one is nominated")
    moved = (
        reader.page.locator("#margin tr", has_text="an event may help, but its backoff still runs").locator("td").last
    )
    expect(moved).to_have_text(re.compile(r"[1-9]"))
