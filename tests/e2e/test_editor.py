"""Write, run, share, fork and save scenarios in a browser, with the running stack."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from kschedui.supervisor.stack import Stack
from tests.builders import device, device_claim, device_class, device_request, node, pod, resource_slice, scenario
from tests.conftest import PATIENCE_MS
from tests.core.controllers.worlds import workload
from tests.dumps import as_yaml

DUMP = """\
apiVersion: v1
kind: List
metadata: {resourceVersion: ""}
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: n1
    uid: 3c0f
    managedFields: [{manager: kubelet}]
    labels: {kubernetes.io/hostname: n1}
  status:
    allocatable: {cpu: "2", memory: 8Gi, pods: "110"}
    nodeInfo: {kubeletVersion: v1.34.1}
- apiVersion: scheduling.k8s.io/v1
  kind: PriorityClass
  metadata: {name: high}
  value: 1000
- apiVersion: v1
  kind: Pod
  metadata: {name: low-1, namespace: default, uid: 77ab}
  spec:
    nodeName: n1
    containers:
    - name: main
      image: registry.k8s.io/pause:3.9
      resources:
        requests: {cpu: 1500m, memory: 128Mi}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: high-1, namespace: default}
  spec:
    priorityClassName: high
    containers:
    - name: main
      image: registry.k8s.io/pause:3.9
      resources:
        requests:
          cpu: 18OOm
          memory: 128Mi
"""
TYPO = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: pause, resources: {request: {cpu: 500m}}}
"""


@pytest.fixture
def profile(browser: Browser, live_stack: Stack) -> Iterator[Callable[[], Page]]:
    """Yield a function that opens a page in a browser profile of its own."""
    contexts = []

    def make() -> Page:
        contexts.append(browser.new_context(base_url=live_stack.url, viewport={"width": 1360, "height": 850}))
        contexts[-1].set_default_timeout(PATIENCE_MS)
        return contexts[-1].new_page()

    yield make
    for context in contexts:
        context.close()


def open_editor(page: Page, address: str) -> Page:
    """Open the editor, wait until it is ready for keys and its text is checked, and return the page."""
    page.goto(address)
    expect(page.locator("#editor[data-ready]")).to_be_visible()
    wait_until_checked(page)
    return page


def wait_until_checked(page: Page) -> None:
    """Wait until the page shows the result of the server's check of the current text."""
    expect(page.locator("#editor")).to_have_attribute("data-checked", "")


def outcome(page: Page) -> Locator:
    return page.locator(".outcome")


def type_text(page: Page, text: str) -> None:
    """Replace the editor's text as a person would: select everything, and paste."""
    content = page.locator("#yaml .cm-content")
    content.click()
    page.keyboard.press("Control+a")
    content.evaluate(
        """(editor, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        }""",
        text,
    )


def test_from_a_kubectl_dump_to_a_private_scenario(profile: Callable[[], Page]) -> None:
    author, reader = profile(), profile()

    open_editor(author, "/new/?import")
    author.get_by_label("Output of kubectl").fill(DUMP)
    author.get_by_role("button", name="Import").click()
    status = author.locator("#status")
    expect(status).to_contain_text("1 problem")
    expect(status).to_contain_text("18OOm")
    expect(author.locator("#side")).to_contain_text("The cluster is drawn once the text has no errors.")
    status.get_by_role("button").click()
    expect(author.locator("#yaml .cm-activeLine")).to_contain_text("18OOm")
    author.keyboard.insert_text("1800m")  # the wrong value is selected
    expect(status).to_contain_text("No problems. 1 node, 2 pods.")

    author.locator("#run").click()
    preemption = outcome(author).get_by_role("button", name="high-1 evicts low-1 to get room on n1.")
    expect(outcome(author)).to_contain_text("1 pod evicted")
    preemption.click()
    author.wait_for_url(re.compile(r"/s/\w+/(v/\d+/)?#\d+"))
    expect(author.locator("#player[data-ready]")).to_be_visible()
    author.get_by_role("button", name="Share").click()
    link = author.get_by_label("Link to this step")
    expect(link).to_have_value(re.compile(r"/s/\w+/v/1/\?step=\d+"))
    address = link.input_value()
    author.get_by_role("link", name="Choose who may see it").click()  # imported objects are private at first
    author.get_by_label("Visibility").select_option("unlisted")
    author.get_by_role("button", name="Save").click()
    expect(author.get_by_text("Saved.")).to_be_visible()

    reader.goto(address)
    expect(reader.locator("#player")).to_contain_text("high-1")
    reader.locator(".menu-button").click()
    reader.get_by_role("button", name="Fork").click()
    reader.wait_for_url(re.compile(r"/s/\w+/edit/"))
    wait_until_checked(reader)
    reader.get_by_role("tab", name="Builder").click()
    request = reader.get_by_label("high-1 CPU")
    request.fill("500m")
    request.press("Tab")
    reader.locator("#run").click()
    expect(outcome(reader)).to_contain_text("high-1 runs on n1.")
    expect(outcome(reader)).to_contain_text("0 pods evicted")
    reader.get_by_role("button", name="Save and run").click()
    reader.wait_for_url(re.compile(r"/s/\w+/$"))

    author.goto("/accounts/signup/")
    author.get_by_label("Username").fill("ada")
    author.locator("[name=password1]").fill("a long secret of hers")
    author.locator("[name=password2]").fill("a long secret of hers")
    author.get_by_role("button", name="Create an account").click()
    expect(author.locator("tbody tr")).to_have_count(1)
    reader.goto("/accounts/login/?next=/accounts/mine/")
    reader.get_by_label("Username").fill("ada")
    reader.get_by_label("Password").fill("a long secret of hers")
    reader.get_by_role("button", name="Log in").click()
    expect(reader.locator("tbody tr")).to_have_count(2)

    reader.locator("tbody tr").first.get_by_role("link", name="Settings").click()
    reader.get_by_label("Visibility").select_option("private")
    reader.get_by_role("button", name="Save").click()
    expect(reader.get_by_text("Saved.")).to_be_visible()
    private = re.sub(r"settings.*", "", reader.url)
    stranger = profile()
    assert stranger.goto(private).status == 403
    expect(stranger.get_by_role("heading", name="No access")).to_be_visible()
    assert reader.goto(private).status == 200


@pytest.mark.quick
def test_a_misspelt_field_is_fixed_by_one_press(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    type_text(page, TYPO)
    problem = page.locator("#yaml .problem-line")
    expect(problem).to_contain_text("did you mean")
    problem.get_by_role("button", name="Fix: requests").click()
    expect(problem).to_have_count(0)
    expect(page.locator("#yaml .cm-content")).to_contain_text("resources: {requests: {cpu: 500m}}")


@pytest.mark.quick
def test_a_draft_is_kept_after_a_reload_and_can_be_discarded(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    type_text(page, TYPO.replace("name: web}", "name: kept-pod}"))
    expect(page.locator("#status")).to_contain_text("Draft kept")
    open_editor(page, "/new/")
    expect(page.locator("#yaml .cm-content")).to_contain_text("kept-pod")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.locator("#yaml .cm-content")).not_to_contain_text("kept-pod")


def test_saving_over_somebody_elses_version_is_a_conflict_and_loses_nothing(profile: Callable[[], Page]) -> None:
    page = open_editor(profile(), "/new/")
    page.get_by_role("button", name="Save and run").click()
    page.wait_for_url(re.compile(r"/s/\w+/$"))
    edit = page.url + "edit/"
    other = page.context.new_page()
    open_editor(page, edit)
    open_editor(other, edit)
    type_text(other, TYPO.replace("request:", "requests:"))
    expect(other.locator("#status")).to_contain_text("No problems. 1 node, 1 pod.")
    other.get_by_role("button", name="Save and run").click()
    other.wait_for_url(re.compile(r"/s/\w+/$"))
    type_text(page, TYPO.replace("request:", "requests:").replace("name: web}", "name: mine}"))
    expect(page.locator("#status")).to_contain_text("No problems. 1 node, 1 pod.")
    page.get_by_role("button", name="Save and run").click()
    difference = page.get_by_role("dialog", name="Version 2 was saved meanwhile")
    expect(difference.locator(".removed")).to_have_text(re.compile("−metadata: {name: web}$"))
    expect(difference.locator(".added")).to_have_text(re.compile(r"\+metadata: {name: mine}$"))
    expect(difference.get_by_role("region", name="Differences")).to_be_focused()
    page.keyboard.press("Escape")
    status, content = page.locator("#status"), page.locator("#yaml .cm-content")
    expect(status).to_contain_text("Somebody saved version 2 meanwhile")
    expect(content).to_contain_text("name: mine")
    status.get_by_role("button", name="Compare with version 2").click()
    difference.get_by_role("button", name="Take version 2").click()
    expect(content).to_contain_text("name: web}")
    status.get_by_role("button", name="Bring mine back").click()
    expect(content).to_contain_text("name: mine")
    wait_until_checked(page)
    page.get_by_role("button", name="Save and run").click()
    page.wait_for_url(re.compile(r"/s/\w+/$"))
    open_editor(page, edit)
    expect(page.locator("#restored")).to_be_hidden()
    expect(content).to_contain_text("name: mine")


def test_after_a_conflict_my_text_can_be_saved_as_the_newest(profile: Callable[[], Page]) -> None:
    page = open_editor(profile(), "/new/")
    page.get_by_role("button", name="Save and run").click()
    page.wait_for_url(re.compile(r"/s/\w+/$"))
    edit = page.url + "edit/"
    other = page.context.new_page()
    for one in (other, page):
        open_editor(one, edit)
    for one, name in ((other, "theirs"), (page, "mine")):
        type_text(one, TYPO.replace("request:", "requests:").replace("name: web}", f"name: {name}}}"))
        wait_until_checked(one)
        one.get_by_role("button", name="Save and run").click()
        if one is other:
            one.wait_for_url(re.compile(r"/s/\w+/$"))
    page.get_by_role("button", name="Save mine as the newest").click()
    page.wait_for_url(re.compile(r"/s/\w+/$"))
    open_editor(page, edit)
    expect(page.locator("#editor[data-version='3'] .cm-content")).to_contain_text("name: mine")


@pytest.mark.quick
def test_the_builder_works_by_keyboard_and_is_undone_with_ctrl_z(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    page.get_by_role("tab", name="YAML").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="+ Add node").focus()
    page.keyboard.press("Enter")
    nodes = page.get_by_role("button", name=re.compile("Remove n"))
    expect(nodes).to_have_count(3)
    page.keyboard.press("Control+z")
    expect(nodes).to_have_count(2)
    page.keyboard.press("Control+y")
    expect(nodes).to_have_count(3)
    request = page.get_by_label("web-1 CPU")
    request.fill("750m")
    request.press("Enter")
    page.get_by_label("web-1 memory").focus()
    page.keyboard.press("Control+z")
    expect(request).to_have_value("500m")
    request.fill("600m")
    request.press("Control+Enter")
    expect(outcome(page)).to_contain_text("3 attempts")
    page.get_by_role("tab", name="YAML").click()
    expect(page.locator("#yaml .cm-content")).to_contain_text("cpu: 600m")


def test_the_builder_adds_rules_to_a_pod_and_removes_them(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/?builder")
    page.get_by_label("web-1 CPU").focus()
    for name in ("+ Spread", "+ Anti-affinity", "+ Toleration"):
        page.get_by_role("button", name=name, exact=True).click()
    rules = page.locator("#builder .rule")
    expect(rules).to_have_text([re.compile("Spread zone ≤ 1"), re.compile("Anti-affinity hostname"), re.compile("gpu")])
    expect(page.get_by_role("button", name="+ Anti-affinity", exact=True)).to_have_count(0)
    page.get_by_label("web-2 CPU").focus()
    expect(rules).to_have_count(3)
    page.get_by_role("button", name="Remove web-1 Anti-affinity hostname, app=web").click()
    expect(rules).to_have_count(2)
    page.get_by_role("tab", name="YAML").click()
    expect(page.locator("#yaml .cm-content")).to_contain_text("maxSkew: 1")
    expect(page.locator("#yaml .cm-content")).not_to_contain_text("podAntiAffinity")


VERBS = """
  events:
  - {at: 1, create: {apiVersion: v1, kind: Pod, metadata: {name: late}, spec: {containers: [{name: c, image: i}]}}}
  - {at: 2, delete: {kind: Pod, name: late}}
  - {at: 3, deleteFirst: Pod}
  - {at: 4, patch: {kind: Node, name: n1, patch: {metadata: {labels: {a: b}}}}}
  - {at: 5, scale: {kind: Deployment, name: web, replicas: 4}}
  - {at: 6, rollout: {kind: Deployment, name: web, action: restart}}
  - {at: 7, cordon: n1}
  - {at: 8, uncordon: [n1]}
  - {at: 9, drain: {node: n1}}
  - {at: 10, evict: web@1/0}
  - {at: 11, evict: {owner: web, index: 0}}
  - {at: 12, taint: {node: n1, key: a, effect: NoSchedule}}
  - {at: 13, untaint: {node: n1, key: a}}
  - {at: 14, failNode: n1}
  - {at: 15, recoverNode: n1}
  - {at: 16, ready: {pod: web@1/0, value: false}}
  - {at: 17, finish: web@1/0}
  - {at: 18, pressure: {node: n1, resource: memory}}
  - {at: 19, load: {kind: Deployment, name: web, usage: {cpu: 1}}}
"""


def test_the_builder_shows_events_of_every_verb_and_edits_some(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    own = "apiVersion: kschedui.io/v1alpha1\nkind: Scenario\nmetadata: {name: every}\nspec:" + VERBS
    type_text(page, "---\n".join([as_yaml(node("n1")), as_yaml(workload("Deployment", "web", replicas=2)), own]))
    wait_until_checked(page)
    expect(page.locator("#status")).to_contain_text("No problems. 1 node, 0 pods.")
    page.get_by_role("tab", name="Builder").click()
    expect(page.get_by_label(re.compile("event .* at second"))).to_have_count(VERBS.count("at:"))
    page.get_by_label("event 5 how many").fill("7")
    page.get_by_label("event 7 what happens").select_option("drain")
    page.get_by_role("tab", name="YAML").click()
    expect(page.locator("#yaml .cm-content")).to_contain_text("replicas: 7")
    expect(page.locator("#yaml .cm-content")).to_contain_text("{at: 7, drain: n1}")


def test_workloads_added_in_the_builder_have_no_problems(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/?builder")
    for kind in ("Add Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Add autoscaler"):
        page.get_by_role("button", name=f"+ {kind}", exact=True).click()
    page.get_by_label("seconds to start").fill("2")
    page.get_by_label("seconds to start").press("Tab")
    expect(page.locator("#status")).to_contain_text("No problems")


@pytest.mark.quick
def test_a_plugin_is_turned_off_in_the_builder(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/?builder")
    page.get_by_label("NodeResourcesFit").and_(page.locator("[type=checkbox]")).uncheck()
    expect(page.locator("#status")).to_contain_text("No problems")
    page.locator("#run").click()
    expect(outcome(page)).to_contain_text(re.compile("large-1 runs on node-"))
    page.get_by_role("tab", name="YAML").click()
    expect(page.locator("#yaml .cm-content")).to_contain_text("disabled: [{name: NodeResourcesFit}]")


def test_every_template_is_inserted_without_an_error(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    menu = page.get_by_label("Insert a template")
    labels = page.locator("select[data-templates] option").all_inner_texts()[1:]
    assert labels
    for label in labels:
        type_text(page, "apiVersion: v1\nkind: Node\nmetadata: {name: alone}\nstatus: {allocatable: {cpu: 1}}\n")
        menu.select_option(label=label)
        wait_until_checked(page)
        expect(page.locator("#status")).to_contain_text(re.compile("No problems|warning"))
        expect(page.locator("#yaml .problem-line.error")).to_have_count(0)


@pytest.mark.quick
def test_a_dropped_file_is_imported(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    transfer = page.evaluate_handle(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'dump.yaml')); return data; }",
        DUMP.replace("18OOm", "1800m"),
    )
    page.dispatch_event("#editor", "drop", {"dataTransfer": transfer})
    expect(page.locator("#status")).to_contain_text("No problems. 1 node, 2 pods.")
    expect(page.locator("#yaml .cm-content")).not_to_contain_text("managedFields")


@pytest.mark.parametrize("tab", ["", "?builder"])
def test_the_editor_fits_a_phone(browser_page: Page, tab: str) -> None:
    browser_page.set_viewport_size({"width": 390, "height": 844})
    page = open_editor(browser_page, f"/new/{tab}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_rate_limit_is_not_a_problem_of_the_text(profile: Callable[[], Page]) -> None:
    page = open_editor(profile(), "/new/")
    expect(page.locator("#status")).to_contain_text("No problems")
    refusal = '{"detail": "Too many requests from your address."}'
    page.route(
        "**/api/v1/check",
        lambda route: route.fulfill(status=429, content_type="application/problem+json", body=refusal),
    )
    page.route(
        "**/api/v1/preview",
        lambda route: route.fulfill(status=429, content_type="application/problem+json", body=refusal),
    )
    type_text(page, TYPO)
    expect(page.locator("#status")).to_contain_text("Too many requests")
    expect(page.locator("#run")).to_be_enabled()
    expect(page.locator("#yaml .problem-line")).to_have_count(0)


@pytest.mark.quick
def test_without_the_server_the_editor_says_so_and_saves_when_it_is_back(profile: Callable[[], Page]) -> None:
    page = open_editor(profile(), "/new/")
    status, content = page.locator("#status"), page.locator("#yaml .cm-content")
    type_text(page, TYPO.replace("request:", "requests:"))
    wait_until_checked(page)
    page.route("**/api/v1/**", lambda route: route.abort())
    for button in ("#run", "#save"):
        type_text(page, TYPO.replace("request:", "requests:").replace("name: web}", f"name: {button[1:]}-pod}}"))
        page.locator(button).click()
        expect(status).to_contain_text("The server does not respond. Your text is kept in this browser.")
    expect(content).to_contain_text("name: save-pod}")
    page.unroute("**/api/v1/**")
    page.locator("#save").click()
    page.wait_for_url(re.compile(r"/s/\w+/$"))


@pytest.mark.quick
def test_the_chosen_release_is_in_the_text_and_lists_what_it_lacks(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    page.get_by_label("Kubernetes").select_option("1.26")
    wait_until_checked(page)
    assert 'kubernetesVersion: "1.26"' in page.evaluate("localStorage.getItem(Object.keys(localStorage)[0])").replace(
        '\\"', '"'
    )
    page.locator(".lacks summary").click()
    expect(page.locator(".lacks")).to_contain_text("Pod spec.schedulingGates")
    type_text(page, 'apiVersion: kschedui.io/v1alpha1\nkind: Scenario\nspec: {kubernetesVersion: "1.30"}\n')
    wait_until_checked(page)
    expect(page.get_by_label("Kubernetes")).to_have_value("1.30")
    page.get_by_label("Kubernetes").select_option("")
    wait_until_checked(page)
    expect(page.locator("#yaml .cm-content")).not_to_contain_text("kubernetesVersion")
    expect(page.locator(".lacks")).to_have_count(0)


def test_a_pod_in_the_editors_picture_is_as_wide_as_its_share(browser_page: Page) -> None:
    page = open_editor(browser_page, "/new/")
    small = [pod(f"small-{i}", cpu="50m", node="n1") for i in range(40)]
    type_text(page, scenario(node("n1", cpu=8), *small))
    expect(page.locator(".node-bar .pod-block")).to_have_count(40)
    bar, filled = page.evaluate(
        "[document.querySelector('.node-bar').getBoundingClientRect().width,"
        " [...document.querySelectorAll('.node-bar .pod-block')]"
        ".reduce((sum, one) => sum + one.getBoundingClientRect().width, 0)]"
    )
    assert abs(filled - bar / 4) < 3


def test_a_selector_says_how_many_devices_it_matches_while_it_is_typed(browser_page: Page) -> None:
    open_editor(browser_page, "/new/")
    devices = [device(f"gpu-{number}", memory="80Gi" if number else "40Gi") for number in range(3)]
    of_class, lines = "3 of 3 devices match: n1/gpu-0, n1/gpu-1, n1/gpu-2", browser_page.locator("#yaml .match-line")
    for memory, words in (
        ("80Gi", "2 of 3 devices match: n1/gpu-1, n1/gpu-2"),
        ("90Gi", "None of the 3 devices matches."),
    ):
        large = f'device.capacity["gpu.example.com"].memory.compareTo(quantity("{memory}")) >= 0'
        claim = device_claim("c", device_request("gpu", "gpu", large))
        objects = [node("n1"), device_class(), resource_slice("n1", devices), claim]
        type_text(browser_page, "---\n".join(as_yaml(one) for one in objects))
        expect(lines).to_have_text([of_class, words])
