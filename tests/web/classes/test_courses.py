"""Courses are lists of links that everyone with the address sees and only the author changes.

They reveal no private scenarios.
"""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from kschedui.models import Course
from kschedui.runs import worker
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser

SECRET = "Unheard-of title"


def save(browser: Browser, title: str, **more: Any) -> str:
    saved: str = browser.save(scenario(node("n1"), pod("a"), title=title), **more)["id"]
    return saved


def make(browser: Browser, *names: str, title: str = "Monday") -> Any:
    return browser.post("/courses/new/", {"title": title, "about": "Bring tea.", "scenarios": "\n".join(names)})


def call(browser: Browser, method: str, path: str, **body: Any) -> Any:
    return browser.generic(method, f"/api/v1/courses{path}", json.dumps(body), "application/json")


def test_a_course_is_made_of_links_ids_and_addresses_and_kept_in_order(author: Browser) -> None:
    first, second = save(author, "One"), save(author, "Two")
    made = make(author, f"https://example.com/s/{second}/v/1/#7", "", first, f"/s/{second}/")
    assert made.status_code == 302
    page = author.get(made["Location"])
    assert [entry["title"] for entry in page.context["entries"]] == ["Two", "One", "Two"]
    assert page.context["mine"]
    assert "Bring tea." in page.content.decode()
    assert "Monday" in author.get("/accounts/mine/").content.decode()


@pytest.mark.parametrize("line", ["nothing", "/s/nothing/", "/library/nothing/", "https://example.com/", "<b>"])
def test_a_line_that_is_no_scenario_is_named(author: Browser, line: str) -> None:
    page = make(author, save(author, "One"), line)
    assert page.status_code == 422
    assert "Line 2 is not a link to a scenario that you can view." in page.content.decode()
    assert not Course.objects.exists()


def test_a_scenario_leads_on_in_its_course(author: Browser) -> None:
    ids = [save(author, title) for title in ("One", "Two", "Three")]
    cid = make(author, *ids)["Location"].split("/")[2]
    place = author.get(f"/s/{ids[1]}/?course={cid}&predict=1").context["boot"]["place"]
    assert (place["title"], place["number"], place["of"], place["url"]) == ("Monday", 2, 3, f"/courses/{cid}/")
    assert place["back"] == f"/s/{ids[0]}/?course={cid}&predict=1"
    assert place["on"] == f"/s/{ids[2]}/?course={cid}&predict=1"
    for wrong in ("nothing", "\x00", "x" * 99):
        assert author.get(f"/s/{ids[1]}/", {"course": wrong}).context["boot"]["place"] is None


def test_a_private_scenario_in_a_course_is_hidden_from_others(author: Browser) -> None:
    account = Browser()
    account.force_login(User.objects.create_user("teacher"))
    hidden, shown = save(account, SECRET, visibility="private"), save(account, "Open")
    url = make(account, hidden, shown)["Location"]
    cid = url.split("/")[2]
    assert SECRET in account.get(url).content.decode()
    for address in (url, f"/api/v1/courses/{cid}", f"/s/{shown}/?course={cid}"):
        content = author.get(address).content.decode()
        assert SECRET not in content
        assert hidden not in content
    assert author.get(f"/api/v1/courses/{cid}").json()["scenarios"] == [None, {"id": shown, "title": "Open"}]
    assert make(author, hidden).status_code == 422
    assert author.get(f"/s/{shown}/?course={cid}").context["boot"]["place"]["back"] == ""


def test_only_the_author_changes_or_deletes_a_course(author: Browser) -> None:
    one = save(author, "One")
    url = make(author, one)["Location"]
    cid, other = url.split("/")[2], Browser()
    assert other.get(url).status_code == 200
    assert other.get(f"{url}edit/").status_code == 403
    assert other.post(f"{url}edit/", {"title": "x", "scenarios": one}).status_code == 403
    assert other.post(f"{url}delete").status_code == 403
    assert call(other, "PATCH", f"/{cid}", title="x").status_code == 403
    assert call(other, "DELETE", f"/{cid}").status_code == 403
    assert Course.objects.get().title == "Monday"
    changed = author.post(f"{url}edit/", {"title": "Tuesday", "about": "", "scenarios": f"/s/{one}/"})
    assert changed["Location"] == url
    assert Course.objects.get().title == "Tuesday"
    assert author.post(f"{url}delete").status_code == 302
    assert author.get(url).status_code == 404
    assert author.get(f"/s/{one}/").status_code == 200


def test_the_api_makes_lists_changes_and_deletes(author: Browser) -> None:
    one, two = save(author, "One"), save(author, "Two")
    made = call(author, "POST", "", title="Course", scenarios=[one])
    assert made.status_code == 201
    cid = made.json()["id"]
    assert [row["id"] for row in author.get("/api/v1/courses").json()] == [cid]
    changed = call(author, "PATCH", f"/{cid}", scenarios=[two, one]).json()
    assert [row["title"] for row in changed["scenarios"]] == ["Two", "One"]
    assert changed["title"] == "Course"
    assert call(author, "PATCH", f"/{cid}", scenarios=[]).status_code == 422
    assert call(author, "PATCH", f"/{cid}", scenarios=[one] * 101).status_code == 422
    assert call(author, "PATCH", f"/{cid}", colour="red").status_code == 422
    assert Browser().get("/api/v1/courses").json() == []
    assert call(author, "DELETE", f"/{cid}").status_code == 204
    assert author.get(f"/api/v1/courses/{cid}").status_code == 404


def test_an_account_takes_over_the_courses_that_its_browser_made(author: Browser) -> None:
    make(author, save(author, "One"))
    author.post(
        "/accounts/signup/", {"username": "new", "password1": "quite-a-secret-9", "password2": "quite-a-secret-9"}
    )
    assert Course.objects.get().owner == User.objects.get(username="new")


def test_a_course_is_put_together_from_a_list_and_taught_as_one(author: Browser) -> None:
    made = author.save()
    worker.execute(made["run"])
    form = {"title": "Mine", "about": "", "scenarios": "", "add": "1", "lesson": made["id"]}
    page = author.post("/courses/new/", form)
    assert page.status_code == 200
    shown = page.context["form"].initial
    assert (shown["title"], shown["scenarios"]) == ("Mine", f"http://testserver/s/{made['id']}/")
    course = author.post("/courses/new/", {"title": "Mine", "scenarios": made["id"]}).headers["Location"]
    page = author.get(course)
    assert f"http://testserver{course}" in page.content.decode(), "its link to copy"
    started = author.post(page.context["teach"])
    assert started.status_code == 302
    assert started.headers["Location"].endswith(f"?course={course.split('/')[2]}")
