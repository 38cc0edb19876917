"""The stage for pod groups in a browser: the lessons about gangs are played, and the group is shown as a unit."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.player_page import open_player, seek, sentence, steps_of, wait_until_drawn

FRAME = ".scene:not([hidden]) .gang-frame"


def quorum_text(page: Page) -> str:
    """Return the text about the quorum in the group's frame."""
    return page.inner_text(f"{FRAME} .gang-words").strip()


def members(page: Page) -> list[str]:
    """Return the text of each member in the group's frame."""
    return [" ".join(text.split()) for text in page.locator(f"{FRAME} .gang-slot").all_inner_texts()]


def on_nodes(page: Page, kind: str = ".block") -> list[str]:
    """Return "namespace/pod node" for each pod of this kind on the stage."""
    blocks = page.locator(f".scene:not([hidden]) .gang-node {kind}")
    return [
        f"{block.get_attribute('data-pod')} {block.locator('xpath=ancestor::article').get_attribute('data-node')}"
        for block in blocks.all()
    ]


def test_a_gang_is_shown_as_a_unit_from_the_queue_to_its_nodes(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "gang-fits")
    seek(page, str(steps_of(page, "PodGroupCycleStarted")[0] - 1))
    expect(page.locator(".queue-section.active .gang-item")).to_have_count(1)
    seen = []
    while page.evaluate("!kschedui.player.state.group?.decided"):
        page.keyboard.press("ArrowRight")
        wait_until_drawn(page)
        if page.locator(FRAME).count() and (not seen or seen[-1] != quorum_text(page)):
            seen.append(quorum_text(page))
    assert seen == [f"{have} of 3 (minCount) have a node" for have in range(4)]
    assert "train" in page.inner_text("#subject")
    assert members(page) == ["→ train-0 goes to n1", "→ train-1 goes to n1", "→ train-2 goes to n2"]
    assert on_nodes(page, ".block.held") == ["default/train-0 n1", "default/train-1 n1", "default/train-2 n2"]
    seek(page, str(steps_of(page, "PodGroupCycleFinished")[0]))
    assert members(page) == ["✓ train-0 bound to n1", "✓ train-1 bound to n1", "✓ train-2 bound to n2"]


@pytest.mark.quick
def test_a_gang_that_does_not_fit_frees_its_nodes_and_returns_to_the_queue_as_a_unit(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "gang-too-big")
    evaluated = steps_of(page, "PodGroupEvaluated")[0]
    seek(page, str(evaluated))
    assert quorum_text(page) == "✕ only 2 of 3 (minCount) have a node"
    assert on_nodes(page) == ["default/train-0 n1", "default/train-1 n2"]
    seek(page, str(evaluated + 1))
    assert on_nodes(page) == ["default/train-0 n1"]
    assert "2 of 3 are too few" in page.inner_text("#caption .why")
    seek(page, str(steps_of(page, "PodGroupDecided")[0]))
    assert on_nodes(page) == []
    assert "as one" not in page.inner_text("#queue")
    seek(page, str(steps_of(page, "PodGroupCycleFinished")[0]))
    expect(page.locator(".queue-section.backoff .gang-item")).to_have_count(1)
    expect(page.locator(".queue-section.backoff .gang-item .queue-pod")).to_have_count(3)


def test_placements_are_side_by_side_and_the_best_is_chosen(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "gang-one-zone")
    seek(page, str(steps_of(page, "PlacementsScored")[0]))
    columns = [text.split("\n") for text in page.locator(".placement h3").all_inner_texts()]
    texts = [" ".join(" ".join(column).split()) for column in columns]
    assert texts == ["a ✕ 2 of 3 fit", "★ b ✓ 3 of 3 fit", "c ✓ 3 of 3 fit"]
    assert page.locator(".placement.chosen .placement-score b").inner_text() == "139 points"
    assert sentence(page).startswith("b is the best placement")


@pytest.mark.quick
def test_the_victims_of_a_group_are_one_set_across_nodes(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "gang-preempts")
    seek(page, str(steps_of(page, "PodGroupPreemptionEvaluated")[0]))
    assert page.locator(".victim-set.go .unit-pod").all_inner_texts() == ["old-0 · n1", "old-1 · n2"]
    assert page.locator(".victim-set.given .unit-pod").all_inner_texts() == ["web · n3"]
    assert on_nodes(page, ".block.leaving") == ["default/old-0 n1", "default/old-1 n2"]
    assert "train" in page.inner_text("#subject")


def test_a_waiting_gang_has_a_slot_for_the_missing_member(browser_page: Page) -> None:
    page = browser_page
    open_player(page, "gang-waits")
    seek(page, str(steps_of(page, "PodGated")[1]))
    assert quorum_text(page) == "2 of 3 (minCount) are in the queue"
    expect(page.locator(f"{FRAME} .gang-slot.absent")).to_have_count(1)
    page.click(f"{FRAME} .gang-name")
    expect(page.locator("#margin h2")).to_have_text("train")
