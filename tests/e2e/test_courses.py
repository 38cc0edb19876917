"""A teacher creates a course of four lessons; a student follows it in another browser, which remembers the progress."""

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.e2e.player_page import wait_until_drawn

LESSONS = ("first-pod", "cordoned-node", "image-locality", "high-preempts-low")


def create_course(page: Page) -> str:
    """Create a course of the four lessons on the page, and return its address."""
    page.goto("/accounts/mine/")
    page.get_by_role("link", name="New course").click()
    page.get_by_label("Title").fill("An afternoon")
    page.get_by_label("About").fill("From the first pod to preemption.")
    page.get_by_label("Scenarios").fill("\n".join(f"https://example.com/library/{slug}/" for slug in LESSONS))
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#course li")).to_have_count(4)
    return page.url


@pytest.mark.quick
def test_a_course_of_four_lessons_is_made_shared_followed_changed_and_deleted(
    browser_page: Page, browser: Browser, live_stack: Stack
) -> None:
    teacher = browser_page
    address = create_course(teacher)
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 390, "height": 844})
    student = context.new_page()
    student.goto(address)
    expect(student.get_by_role("link", name="Edit")).to_have_count(0)
    student.get_by_role("link", name="Start: A pod is scheduled").click()
    wait_until_drawn(student)
    assert "course=" in student.url
    expect(student.locator(".place")).to_contain_text("1 of 4")
    student.keyboard.press("End")
    student.locator(".end-card").get_by_role("link", name="Continue learning").click()
    wait_until_drawn(student)
    expect(student.locator(".place")).to_contain_text("2 of 4")
    student.locator(".place").get_by_role("link", name="2 of 4").click()
    expect(student.locator("#course-done")).to_have_text("1 of 4 done")
    expect(student.locator("#course li").first).to_contain_text("✓ done")
    expect(student.locator("#continue")).to_contain_text("Continue")
    assert student.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
    teacher.get_by_role("link", name="Edit").click()
    lines = teacher.get_by_label("Scenarios")
    lines.fill("\n".join(reversed(lines.input_value().split("\n"))))
    teacher.get_by_role("button", name="Save").click()
    expect(teacher.locator("#course li").first).to_contain_text("preempts")
    teacher.get_by_role("button", name="Delete this course").click()
    expect(teacher.locator(".messages")).to_contain_text("Its scenarios still exist")
