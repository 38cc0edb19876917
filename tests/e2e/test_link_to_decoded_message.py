"""A link to a decoded message opens the same answer, and the message is in no request line."""

from playwright.sync_api import Browser, expect

from kschedui.supervisor.stack import Stack

MESSAGE = "0/5 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}, 4 Insufficient cpu."


def test_a_copied_link_opens_the_same_answer(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(base_url=live_stack.url, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/decode/")
    page.locator("#message").fill(MESSAGE)
    page.locator("#explain").click()
    page.locator("#copy-link").click()
    expect(page.locator("#copy-link")).to_have_text("Copied")
    link = page.evaluate("navigator.clipboard.readText()")

    other = context.new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(link)
    expect(other.locator("#parts")).to_have_text("5 nodes were checked, and the pod fits on none")
    expect(other.locator("#message")).to_have_value(MESSAGE)
    context.close()
    assert not any("Insufficient" in url.split("#")[0] for url in asked), asked


def test_a_link_that_was_cut_off_opens_the_empty_page(browser: Browser, live_stack: Stack) -> None:
    context = browser.new_context(base_url=live_stack.url)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/decode/#message=0%2F5%20nodes%2")
    expect(page.locator("#message")).to_have_value("")
    context.close()
    assert not errors
