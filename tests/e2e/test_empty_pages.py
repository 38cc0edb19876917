"""Empty pages offer an example to try, and the example works."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.e2e.player_page import wait_until_drawn

DESCRIBED = """Name:               n1
Labels:             kubernetes.io/hostname=n1
Taints:             <none>
Unschedulable:      false
Allocatable:
  cpu:     2
  memory:  8Gi
  pods:    110
Non-terminated Pods:          (1 in total)
  Namespace                   Name    CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------                   ----    ------------  ----------  ---------------  -------------  ---
  default                     old     1 (50%)       0 (0%)      0 (0%)           0 (0%)         1s


Name:           web
Namespace:      default
Node:           <none>
Status:         Pending
Containers:
  main:
    Image:      app
    Requests:
      cpu:  3
    Environment:
      TOKEN:  secret
Node-Selectors:   <none>
Events:           <none>
"""


def test_a_list_without_scenarios_leads_to_an_example_and_to_a_course(browser_page: Page) -> None:
    page = browser_page
    page.goto("/accounts/mine/")
    page.get_by_role("link", name="Begin with the example").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A pod finds a node")
    page.goto("/accounts/mine/")
    page.get_by_role("link", name="Try the example").click()
    wait_until_drawn(page)
    expect(page.locator(".scenario-title")).to_have_text("A pod is scheduled")


def test_a_search_without_a_hit_offers_words_that_hit(browser_page: Page) -> None:
    page = browser_page
    page.goto("/?q=no+such+thing")
    page.locator("#none [data-try]").first.click()
    expect(page.locator("#none")).to_be_hidden()
    expect(page.locator("#cards > .scenario-card:visible").first).to_be_visible()


def test_the_decoder_offers_an_example_message(browser_page: Page) -> None:
    page = browser_page
    page.goto("/decode/")
    page.get_by_role("button", name="Try an example").click()
    expect(page.get_by_role("heading", name="5 nodes were checked")).to_be_visible()


@pytest.mark.quick
def test_a_message_on_the_clipboard_is_pasted_with_one_press(browser_page: Page) -> None:
    page = browser_page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/decode/")
    page.evaluate("text => navigator.clipboard.writeText(text)", "0/3 nodes are available: 3 Too many pods.")
    page.get_by_role("button", name="Paste from the clipboard").click()
    expect(page.get_by_role("heading", name="3 nodes were checked")).to_be_visible()


@pytest.mark.quick
def test_a_manifest_in_the_decoder_opens_in_the_editor_without_being_pasted_again(browser_page: Page) -> None:
    page = browser_page
    page.goto("/decode/")
    page.locator("#message").fill(scenario(node("n1", cpu=1), pod("web", cpu=2)))
    page.get_by_role("button", name="Explain").click()
    page.get_by_role("link", name="Open in the editor").click()
    expect(page.locator("#status")).to_contain_text("1 node, 1 pod.")


@pytest.mark.quick
def test_the_output_of_kubectl_describe_reaches_the_editor_from_either_box(browser_page: Page) -> None:
    page = browser_page
    page.goto("/decode/")
    page.locator("#message").fill(DESCRIBED)
    page.get_by_role("button", name="Explain").click()
    page.get_by_role("link", name="Open in the editor").click()
    expect(page.locator("#status")).to_contain_text("1 node, 2 pods.")
    page.goto("/new/?import")
    page.locator("#import-text").fill(DESCRIBED)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#status")).to_contain_text("1 node, 2 pods.")


@pytest.mark.quick
def test_messages_in_the_box_for_clusters_are_explained_with_one_press(browser: Browser, live_stack: Stack) -> None:
    page = browser.new_context(base_url=live_stack.url).new_page()  # a refusal is an error on the console
    page.goto("/new/?import")
    page.locator("#import-text").fill("  Warning  FailedScheduling  0/3 nodes are available: 3 Too many pods.")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#import-problem")).to_contain_text("messages of a scheduler or an autoscaler")
    page.get_by_role("button", name="Explain the messages").click()
    expect(page.get_by_role("heading", name="3 nodes were checked")).to_be_visible()


def test_a_run_without_pending_pods_leads_to_one_with_some(browser_page: Page) -> None:
    page = browser_page
    page.goto("/library/first-pod/")
    wait_until_drawn(page)
    page.goto(page.evaluate("location.pathname") + "v/1/pending/")
    page.get_by_role("link", name="Try an example").click()
    expect(page.locator(".waiting-group").first).to_be_visible()


def test_an_experiment_begins_with_a_question(browser_page: Page) -> None:
    page = browser_page
    page.goto("/experiments/")
    page.get_by_role("button", name="How many nodes are enough?").click()
    expect(page.locator("#product")).to_have_text("5 runs")
    page.get_by_role("button", name="What does the next release change?").click()
    expect(page.locator("#product")).to_have_text("2 runs")
    expect(page.locator("[data-factor=releases]")).to_be_hidden()
    page.get_by_role("button", name="Spread or pack?").click()
    expect(page.get_by_role("button", name="Spread or pack?")).to_have_attribute("aria-pressed", "true")
