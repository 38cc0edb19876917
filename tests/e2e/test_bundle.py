"""Production serves bundled modules, under names that depend on their content."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import ROOT, StackMaker, manage, serve
from tests.e2e.player_page import open_player, steps_of, until, wait_until_drawn


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    node = shutil.which("node")
    if node is None or not (ROOT / "node_modules/esbuild").exists():
        message = "no Node.js, or no esbuild: npm ci"
        pytest.fail(message) if os.environ.get("KSCHEDUI_REQUIRE_NODE") else pytest.skip(message)
    folder = tmp_path_factory.mktemp("bundle")
    subprocess.run([node, "scripts/bundle.mjs", str(folder)], cwd=ROOT, check=True)
    return folder


def test_a_lesson_its_dialogs_and_the_editor_run_from_the_bundle(
    bundle: Path, make_stack: StackMaker, browser: Browser, tmp_path: Path
) -> None:
    stack = make_stack(
        KSCHEDUI_ENV="production",
        KSCHEDUI_HTTPS="0",
        SECRET_KEY="only-for-this-test-" * 4,
        ALLOWED_HOSTS="127.0.0.1",
        KSCHEDUI_BUNDLE=str(bundle),
        KSCHEDUI_STATIC_ROOT=str(tmp_path / "collected"),
    )
    manage(stack, "collectstatic", "--noinput", "--verbosity", "0")
    stack.start_workers(runs=2)
    serve(stack)
    page = browser.new_context(base_url=stack.url).new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    scripts: list[str] = []
    page.on("request", lambda asked: scripts.append(asked.url) if asked.url.endswith(".js") else None)

    open_player(page, "high-preempts-low")
    assert len(scripts) <= 12, "a bundle has few files"
    assert all(re.search(r"[.-][0-9A-Za-z]{8,}\.js$", url) for url in scripts), scripts
    for step in range(page.evaluate("kschedui.store.steps")):
        page.evaluate("step => kschedui.player.seek(step, 1e6)", step)
        wait_until_drawn(page)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.evaluate("step => kschedui.player.seek(step)", steps_of(page, "NodesFiltered")[0])
    wait_until_drawn(page)
    page.keyboard.press("w")
    page.get_by_role("complementary", name="What if").wait_for()

    page.goto("/new/")
    until(page, "'checked' in document.getElementById('editor').dataset")
    assert errors == []
