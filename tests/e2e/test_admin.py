"""The admin pages work under the Content-Security-Policy: `browser_page` fails a test on any refused file or style."""

from playwright.sync_api import Page, expect


def test_the_admin_login_page_is_styled_and_says_so_to_the_browser(browser_page: Page) -> None:
    browser_page.goto("/admin/")
    expect(browser_page.get_by_label("Password")).to_be_visible()
    sheets = browser_page.evaluate("[...document.styleSheets].filter(sheet => sheet.cssRules.length).length")
    assert sheets >= 1
