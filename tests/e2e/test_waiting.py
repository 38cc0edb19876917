"""The player of a queued run shows its place in the queue, and its author can cancel it."""

import pytest
from playwright.sync_api import Browser, expect

from tests.builders import node, pod, scenario
from tests.conftest import StackMaker, serve
from tests.web.visitor import Visitor

SAVE = """async (text) => {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]").value;
  const headers = { "X-CSRFToken": token, "Content-Type": "application/json" };
  return (await fetch("/api/v1/scenarios", { method: "POST", headers, body: JSON.stringify({ text }) })).json();
}"""


@pytest.mark.quick
def test_a_queued_run_shows_its_place_and_only_its_author_can_cancel_it(
    browser: Browser, make_stack: StackMaker
) -> None:
    stack = make_stack(library=False)
    serve(stack)  # without a worker
    for number in range(2):
        Visitor(stack.url).save(scenario(node("n1"), pod(f"before-{number}")))
    author, other = (browser.new_context(base_url=stack.url).new_page() for _ in range(2))
    author.goto("/new/")
    saved = author.evaluate(SAVE, scenario(node("n1"), pod("mine")))
    for page in (author, other):
        page.goto(saved["url"])
        expect(page.locator(".notice")).to_contain_text("2 runs come before this one.")
        expect(page.locator("#caption")).to_have_text("The run waits for its turn.")
        expect(page.locator("#notices progress")).to_have_count(0)
    expect(other.locator(".notice button")).to_have_count(0)
    author.get_by_role("button", name="Cancel").click()
    for page in (author, other):
        expect(page.locator(".notice")).to_contain_text("cancelled")
