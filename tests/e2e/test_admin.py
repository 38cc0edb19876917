"""The admin pages work under the Content-Security-Policy: `browser_page` fails a test on any refused file or style."""

import subprocess
import sys

from playwright.sync_api import Page, expect

from kschedui.supervisor.stack import Stack
from tests.conftest import ROOT

PASSWORD = "a long enough password"


def test_the_operator_logs_in_and_finds_the_runs(browser_page: Page, live_stack: Stack) -> None:
    command = [
        sys.executable,
        "manage.py",
        "createsuperuser",
        "--noinput",
        "--username",
        "root",
        "--email",
        "root@example.com",
    ]
    env = {**live_stack.env, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    browser_page.goto("/admin/")
    browser_page.get_by_label("Username").fill("root")
    browser_page.get_by_label("Password").fill(PASSWORD)
    browser_page.locator("main").get_by_role("button", name="Log in").click()
    browser_page.get_by_role("link", name="Runs", exact=True).click()
    expect(browser_page.get_by_role("columnheader", name="Attempt")).to_be_visible()
    sheets = browser_page.evaluate("[...document.styleSheets].filter(sheet => sheet.cssRules.length).length")
    assert sheets >= 1
