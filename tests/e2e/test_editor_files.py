"""Importing files into the editor, the picture of the cluster after a run, and the messages about both."""

import gzip
import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from kschedui.supervisor.stack import Stack
from tests.builders import node, pod, scenario
from tests.dumps import SECRET, Cluster, as_yaml, listed
from tests.e2e.player_page import until


def damaged(content: bytes) -> bytes:
    """Return the gzip file with a wrong checksum."""
    return content[:-6] + bytes([content[-6] ^ 0x55]) + content[-5:]


NODES = scenario(node("from-a-file"))
REFUSED = {
    "bytes.yaml": (b"\x00\xff\xfe" * 1000, "not a text in UTF-8 or UTF-16"),
    "latin-1.yaml": ("kind: Pod\nmetadata: {name: caf\xe9}\n".encode("latin-1"), "not a text in UTF-8 or UTF-16"),
    "control.yaml": (b"kind: \x01Pod\n", "characters that YAML and JSON do not allow"),
    "empty.yaml": (b" \n", "The file is empty."),
    "dump.zip": (b"PK\x03\x04" + bytes(60), "This is a zip file. Unpack it"),
    "damaged.yaml.gz": (damaged(gzip.compress(NODES.encode() * 9)), "compressed with gzip and damaged"),
    "deep.yaml": (b"[" * 100_000, "nested deeper than 100 levels"),
    "secret.yaml": (
        b"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
        "contains no object that the scheduler reads",
    ),
}


RECORD_REQUESTS = """() => {
  window.sent = [];
  const send = window.fetch;
  const unpacked = (blob) => new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  window.fetch = (address, options = {}) => {
    window.sent.push(options.body instanceof Blob ? unpacked(options.body) : Promise.resolve(options.body ?? ""));
    return send(address, options);
  };
}"""


@pytest.fixture
def page(browser: Browser, live_stack: Stack) -> Iterator[Page]:
    """Yield the page of a new scenario with 2 nodes and 3 pods, with the import dialog open.

    Errors on the console do not fail the test, because a refused import is one.
    """
    context = browser.new_context(base_url=live_stack.url, viewport={"width": 1360, "height": 850})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/new/?import")
    expect(page.locator("#editor[data-ready]")).to_be_visible()
    expect(status(page)).to_contain_text("No problems. 2 nodes, 3 pods.")
    yield page
    context.close()


def status(page: Page) -> Locator:
    return page.locator("#status")


def import_file(page: Page, name: str, content: bytes) -> None:
    page.locator("#import-file").set_input_files({"name": name, "mimeType": "text/yaml", "buffer": content})


@pytest.mark.quick
def test_a_file_that_cannot_be_read_gives_one_sentence_and_changes_nothing(page: Page) -> None:
    for name, (content, sentence) in REFUSED.items():
        import_file(page, name, content)
        expect(page.get_by_role("alert")).to_contain_text(sentence)
        expect(status(page)).to_contain_text("No problems. 2 nodes, 3 pods.")
    page.locator("#editor").evaluate("editor => editor.dataset.mostImport = '1000000'")
    import_file(page, "huge.yaml", b"# " + b"x" * 1_000_000)
    expect(page.get_by_role("alert")).to_contain_text("This file has 1,000,002 bytes; the limit is 1,000,000.")
    import_file(page, "utf-16.yaml", NODES.encode("utf-16"))
    expect(page.locator("#import")).not_to_be_visible()
    expect(status(page)).to_contain_text("No problems. 1 node, 0 pods.")


def test_while_a_dump_is_sent_the_dialog_shows_progress_and_can_be_cancelled(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/v1/import", lambda route: held.append(route))
    import_file(page, "nodes.yaml", NODES.encode())
    expect(page.locator("#import-doing")).to_contain_text("Sending")
    expect(page.locator("#import-progress")).to_be_visible()
    for control in ("#import-go", "#import-file", "#import-text"):
        expect(page.locator(control)).to_be_disabled()
    page.locator("#import-stop").click()
    expect(page.locator("#import-go")).to_be_enabled()
    expect(page.locator("#import-progress")).not_to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(status(page)).to_contain_text("No problems. 2 nodes, 3 pods.")
    page.unroute("**/api/v1/import")
    import_file(page, "nodes.yaml", NODES.encode())
    expect(status(page)).to_contain_text("1 node, 0 pods")
    assert held


def test_nothing_secret_of_a_dump_is_sent(page: Page) -> None:
    page.evaluate(RECORD_REQUESTS)
    objects = Cluster(nodes=3, pods=12, images=2).objects()
    dump = as_yaml(listed(objects))
    halves = [gzip.compress(as_yaml(listed(half)).encode()) for half in (objects[:9], objects[9:])]
    import_file(page, "cluster.yaml.gz", b"".join(halves))
    expect(page.locator("#import-notes")).to_contain_text("2 Secret")
    expect(status(page)).to_contain_text("3 nodes, 12 pods")
    page.get_by_role("button", name="Close").click()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.evaluate("text => navigator.clipboard.writeText(text)", dump)
    page.keyboard.press("Control+v")
    expect(page.locator("#import-notes")).to_contain_text("2 Secret")
    expect(status(page)).to_contain_text("3 nodes, 12 pods")
    both = """Promise.all(window.sent).then(bodies => bodies.filter(body => body.includes('"LeftOut"')).length === 2)"""
    until(page, both)  # the texts on the page are the same after both imports
    sent = page.evaluate("Promise.all(window.sent)")
    assert not any(SECRET in body for body in sent)


@pytest.mark.quick
def test_names_may_be_replaced_before_anything_is_sent(page: Page) -> None:
    page.evaluate(RECORD_REQUESTS)
    page.get_by_label("Replace all names with generated ones").check()
    dump = as_yaml(listed(Cluster(nodes=3, pods=12, images=2).objects()))
    import_file(page, "cluster.yaml", dump.encode())
    expect(status(page)).to_contain_text("3 nodes, 12 pods")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the names").click()
    names = json.loads(download.value.path().read_text())["names"]
    assert names["node-000"] == "node-1"
    assert names["shop"].startswith("team-")
    sent = "".join(page.evaluate("Promise.all(window.sent)"))
    assert '"LeftOut"' in sent
    for name in ("node-00", "shop", "registry.example.com/shop", "eu-west", "app-", "m5.4xlarge", "Widget"):
        assert name not in sent


def test_a_file_dropped_on_the_home_page_opens_in_the_editor(page: Page) -> None:
    page.goto("/")
    dropped = page.evaluate_handle(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "nodes.yaml"));
          return data;
        }""",
        NODES,
    )
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    expect(status(page)).to_contain_text("1 node, 0 pods")


def test_a_file_with_a_mistake_is_imported_to_be_corrected(page: Page) -> None:
    import_file(page, "twice.yaml", b"apiVersion: v1\nkind: Pod\nkind: Node\n")
    expect(page.locator("#import")).not_to_be_visible()
    expect(status(page)).to_contain_text('document 1, line 3: the key "kind" occurs twice in one mapping')
    expect(page.locator("#yaml .problem-line")).to_contain_text("occurs twice")


def test_after_a_run_the_picture_shows_reserved_room_and_where_a_pod_does_not_fit(page: Page) -> None:
    low = pod("low-1", cpu="1500m", node="n1", priority=10)
    low["metadata"]["annotations"] = {"kschedui.io/termination-seconds": "500"}
    objects = [
        node("n1", cpu=2),
        low,
        pod("high-1", cpu="1800m", priority=1000),
        pod("wide-1", cpu="1500m", priority=900),
    ]
    import_file(page, "held.yaml", scenario(*objects, untilSeconds=20).encode())
    expect(status(page)).to_contain_text("No problems. 1 node, 3 pods.")
    side = page.locator("#side")
    expect(side.get_by_role("group", name="Moment that the picture shows")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Run$")).click()

    expect(side.get_by_role("button", name="As the run ends")).to_have_attribute("aria-pressed", "true")
    expect(side).to_contain_text("Still pending: 2 pods")
    expect(side.locator(".node-overlay.held")).to_contain_text("room held for high-1")
    expect(side.locator(".pod-block.leaving")).to_contain_text("low-1")
    expect(side.locator(".node-overlay.misfit")).to_have_count(0)  # the room is held for high-1 itself
    side.locator(".waiting").get_by_role("button", name="wide-1").click()
    expect(side.locator(".node-overlay.misfit")).to_contain_text("does not fit: wide-1")

    side.get_by_role("button", name="As it starts").click()
    expect(side).to_contain_text("To place: 2 pods")
    expect(side.locator(".node-overlay")).to_have_count(0)
    page.get_by_role("tab", name="Builder").click()
    page.get_by_role("button", name="+ Add node").click()
    expect(side).to_contain_text("This result is for the text before your last change.")
    expect(side.get_by_role("group", name="Moment that the picture shows")).to_have_count(0)


def test_a_draft_of_an_older_version_comes_back_and_saving_it_is_a_conflict(page: Page) -> None:
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("tab", name="Builder").click()
    page.get_by_label("Title", exact=True).fill("Mine")
    page.get_by_label("Title", exact=True).press("Tab")
    page.get_by_role("button", name="Save and run").click()
    page.wait_for_url(re.compile(r"/s/\w+/$"))
    expect(page.locator("#player[data-ready]")).to_be_visible()
    address = f"{page.url}edit/?builder"
    page.goto(address)
    expect(page.get_by_role("heading", name="Mine")).to_be_visible()
    expect(page.locator("#editor[data-ready]")).to_be_visible()
    page.get_by_label("web-1 CPU").fill("700m")
    page.get_by_label("web-1 CPU").press("Tab")
    expect(status(page)).to_contain_text("Draft kept")

    other = page.context.new_page()
    other.add_init_script("localStorage.clear()")  # another person's browser does not have the draft
    drafts = page.evaluate("JSON.stringify(localStorage)")
    other.goto(address)
    expect(other.locator("#editor[data-ready]")).to_be_visible()
    other.get_by_label("web-2 CPU").fill("900m")
    other.get_by_label("web-2 CPU").press("Tab")
    expect(status(other)).to_contain_text("No problems")
    other.get_by_role("button", name="Save and run").click()
    other.wait_for_url(re.compile(r"/s/\w+/$"))
    other.close()

    page.evaluate("drafts => Object.assign(localStorage, JSON.parse(drafts))", drafts)
    page.reload()
    expect(page.locator("#editor[data-ready][data-version='2']")).to_be_visible()
    expect(page.locator("#restored")).to_be_visible()
    expect(page.get_by_label("web-1 CPU")).to_have_value("700m")
    expect(page.locator("#restored")).to_contain_text("Version 2 was saved after you started this draft.")
    page.get_by_role("button", name="Compare", exact=True).click()
    difference = page.get_by_role("dialog", name="Version 2 was saved meanwhile")
    expect(difference).to_contain_text("700m")
    expect(difference.get_by_role("button", name="Keep mine")).to_be_visible()
    difference.get_by_role("button", name="Go on writing").click()
    page.get_by_role("button", name="Save and run").click()
    expect(difference).to_be_visible()
    page.keyboard.press("Escape")
    expect(status(page)).to_contain_text("Somebody saved version 2 meanwhile")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.get_by_label("web-1 CPU")).to_have_value("500m")
    expect(page.get_by_label("web-2 CPU")).to_have_value("900m")


def test_a_pod_that_arrives_later_gets_its_name_and_size_in_the_builder(page: Page) -> None:
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("tab", name="Builder").click()
    page.get_by_role("button", name="+ Add event").click()
    for field, value in (("event 1 name", "early-1"), ("event 1 CPU", "1500m")):
        page.get_by_label(field).fill(value)
        page.get_by_label(field).press("Tab")
    expect(status(page)).to_contain_text("No problems")
    page.locator("#run").click()
    expect(page.locator(".outcome")).to_contain_text("early-1 runs on node-")
    expect(page.locator("#side .node-row").filter(has_text="early-1")).to_contain_text("cpu free")
    page.get_by_role("tab", name="YAML").click()
    expect(page.locator("#yaml .cm-content")).to_contain_text("cpu: 1500m")


@pytest.mark.quick
def test_a_problem_is_shown_and_fixed_in_chinese(page: Page) -> None:
    page.context.set_extra_http_headers({"Accept-Language": "zh-Hans"})
    page.goto("/new/?import")
    expect(page.locator("#editor[data-ready]")).to_be_visible()
    mistaken = scenario(node("n1"), pod("a")).replace('"Pod"', '"Pood"')
    import_file(page, "mistaken.yaml", f"# as it was written\n{mistaken}\n---\nkind: [".encode())
    expect(status(page)).to_contain_text('"v1" 中没有已知的 kind "Pood"；是否想写 "Pod"？')
    expect(page.locator("#yaml .problem-line").last).to_contain_text("不是有效的 YAML")
    page.get_by_role("button", name="粘贴 kubectl 输出").click()
    import_file(page, "secret.yaml", REFUSED["secret.yaml"][0])
    expect(page.get_by_role("alert")).to_contain_text("文本中没有调度器读取的对象，只有 Secret")
    page.locator("#import-text").fill(
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {taint: []}\nstatus: {allocatable: {cpu: 2, memory: 4Gi, pods: 110}}\n"
    )
    page.locator("#import-go").click()
    problem = page.locator("#yaml .problem-line")
    expect(problem).to_have_count(1)
    expect(problem).to_contain_text('未知字段 "taint"；是否想写 "taints"？')
    problem.get_by_role("button", name="taints").click()
    expect(problem).to_have_count(0)
    expect(status(page)).to_contain_text("没有问题。1 个节点，0 个 Pod。")
