"""Saving and sharing: versions, forks, comparisons, lists, deletion, previews."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from kschedui.models import Run, Scenario, Version
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.scenarios import engine
from kschedui.scenarios import store as scenarios
from tests.builders import node, pod, scenario
from tests.web.conftest import OTHER, SMALL, Browser, private, sign_up


def test_saving_gives_a_short_link_that_shows_the_player(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    assert re.fullmatch(r"/s/[0-9A-Za-z]{12}/", saved["url"])
    page = stranger.get(saved["url"])
    assert page.status_code == 200
    assert page.context["boot"]["run"] == saved["run"]
    assert page.context["boot"]["scenario"]["title"] == "Small"
    assert not page.context["may_edit"]


def test_a_version_stays_what_it_was(author: Browser) -> None:
    saved = author.save()
    again = author.save(OTHER, parent=saved["id"], base=1)
    assert (again["id"], again["version"]) == (saved["id"], 2)
    first = author.get(f"/s/{saved['id']}/v/1/scenario.yaml")
    assert first.content.decode() == SMALL
    assert author.get(saved["url"]).context["version"].number == 2


def test_saving_the_same_text_makes_no_version(author: Browser) -> None:
    saved = author.save()
    assert author.save(SMALL, parent=saved["id"], base=1)["version"] == 1
    assert Version.objects.count() == 1


def test_saving_again_after_a_lost_answer_is_no_conflict(author: Browser) -> None:
    saved = author.save()
    first = author.save(OTHER, parent=saved["id"], base=1)
    assert author.save(OTHER, parent=saved["id"], base=1) == first
    assert Version.objects.count() == 2


@pytest.mark.parametrize(("quicker", "status"), [(OTHER, 201), (SMALL + "\n# theirs\n", 409)], ids=["same", "other"])
def test_of_two_saves_at_once_one_makes_the_version(
    author: Browser, monkeypatch: pytest.MonkeyPatch, quicker: str, status: int
) -> None:
    saved = author.save()
    read = engine.read

    def slowly(*args: Any) -> Any:
        monkeypatch.setattr(engine, "read", read)
        author.save(quicker, parent=saved["id"])
        return read(*args)

    monkeypatch.setattr(engine, "read", slowly)
    answer = author.post_json(f"/api/v1/scenarios/{saved['id']}/versions", text=OTHER, base=1)
    assert answer.status_code == status
    assert answer.json()["version"] == 2
    assert list(Version.objects.values_list("number", flat=True)) == [1, 2]


def test_who_asks_too_often_has_saved_nothing(author: Browser, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "run": 0}
    assert author.post_json("/api/v1/scenarios", text=SMALL).status_code == 429
    assert Scenario.objects.count() == 0


def test_a_browser_stays_the_author_as_long_as_it_saves(author: Browser) -> None:
    saved = author.save()
    given = author.cookies["kschedui_editor"].value
    answer = author.post_json(f"/api/v1/scenarios/{saved['id']}/versions", text=OTHER)
    assert answer.cookies["kschedui_editor"]["max-age"] == 400 * 24 * 3600
    assert answer.cookies["kschedui_editor"].value.split(":")[0] == given.split(":")[0]


def test_a_page_does_not_read_a_text_that_it_does_not_show(author: Browser, django_assert_max_num_queries: Any) -> None:
    saved = author.save()
    author.save(OTHER, parent=saved["id"])
    with django_assert_max_num_queries(8) as player:
        author.get(saved["url"])
    with django_assert_max_num_queries(8) as settings_page:
        author.get(f"/s/{saved['id']}/settings")
    for query in (*player, *settings_page):
        assert '"kschedui_version"."text"' not in query["sql"], query["sql"]


def test_the_list_of_versions_costs_the_same_for_any_number(author: Browser) -> None:
    saved = author.save()
    costs = []
    for number in (1, 4):
        for extra in range(number):
            author.save(SMALL + f"# {number} {extra}\n", parent=saved["id"])
        with CaptureQueriesContext(connection) as queries:
            author.get(f"/s/{saved['id']}/settings")
        costs.append(len(queries))
    assert costs[0] == costs[1]


def test_a_save_on_top_of_an_older_version_is_a_conflict(author: Browser) -> None:
    saved = author.save()
    author.save(OTHER, parent=saved["id"], base=1)
    answer = author.post_json(f"/api/v1/scenarios/{saved['id']}/versions", text=SMALL + "\n# mine\n", base=1)
    assert answer.status_code == 409
    assert answer.json()["version"] == 2
    assert "Version 2" in answer.json()["detail"]
    assert Version.objects.count() == 2


def test_only_the_browser_that_made_it_may_edit(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    assert author.get(f"/s/{saved['id']}/edit/").status_code == 200
    refused = stranger.post_json(f"/api/v1/scenarios/{saved['id']}/versions", text=OTHER, base=1)
    assert refused.status_code == 403
    assert "fork" in refused.json()["detail"]
    assert stranger.get(f"/s/{saved['id']}/edit/")["Location"] == f"/new/?from={saved['id']}"
    assert stranger.get(f"/s/{saved['id']}/settings").status_code == 403
    assert stranger.post(f"/s/{saved['id']}/delete").status_code == 403


def test_a_forged_cookie_is_nobody(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    name, morsel = next((name, morsel) for name, morsel in author.cookies.items() if "editor" in name)
    stranger.cookies[name] = morsel.value[:-3] + "abc"
    assert stranger.get(f"/s/{saved['id']}/settings").status_code == 403
    stranger.cookies[name] = morsel.value
    assert stranger.get(f"/s/{saved['id']}/settings").status_code == 200


def test_a_fork_names_its_origin_and_is_ones_own(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    answer = stranger.post(f"/s/{saved['id']}/fork/")
    fork = Scenario.objects.get(fork_of__scenario__public_id=saved["id"])
    assert answer["Location"] == f"/s/{fork.public_id}/edit/"
    assert stranger.get(answer["Location"]).status_code == 200
    page = stranger.get(f"/s/{fork.public_id}/")
    assert page.context["fork_of"].scenario.public_id == saved["id"]
    by_editor = stranger.save(OTHER, fork_of=saved["id"])
    assert Scenario.objects.get(public_id=by_editor["id"]).fork_of.scenario.public_id == saved["id"]


@pytest.mark.parametrize("hide", ["private", "deleted"])
def test_a_fork_does_not_tell_of_an_origin_that_was_hidden_since(author: Browser, stranger: Browser, hide: str) -> None:
    saved = author.save()
    fork = stranger.save(OTHER, fork_of=saved["id"])
    sign_up(author, "ada")
    author.post(f"/s/{saved['id']}/settings", {"title": "Secret plans", "visibility": "private"})
    if hide == "deleted":
        author.post(f"/s/{saved['id']}/settings", {"title": "Secret plans", "visibility": "unlisted"})
        author.post(f"/s/{saved['id']}/delete")
    for path in (fork["url"], "/accounts/mine/"):
        assert b"Secret plans" not in stranger.get(path).content


def test_without_an_account_a_scenario_is_for_the_browser_that_made_it(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    author.post(f"/s/{saved['id']}/settings", {"title": "", "visibility": "private"})
    assert author.get(saved["url"]).status_code == 200
    assert stranger.get(saved["url"]).status_code == 403


def test_only_public_scenarios_are_listed_on_the_first_page(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    assert stranger.get("/").context["recent"] == []
    author.post(f"/s/{saved['id']}/settings", {"title": "Look here", "visibility": "public"})
    recent = stranger.get("/").context["recent"]
    assert [card["title"] for card in recent] == ["Look here"]
    assert recent[0]["nodes"] == 2


def test_a_name_given_by_hand_outlives_new_versions(author: Browser) -> None:
    saved = author.save()
    author.post(f"/s/{saved['id']}/settings", {"title": "My name", "visibility": "unlisted"})
    author.save(OTHER, parent=saved["id"], base=1)
    assert Scenario.objects.get().title == "My name"
    author.post(f"/s/{saved['id']}/settings", {"title": "", "visibility": "unlisted"})
    assert Scenario.objects.get().title == "Other"


def test_a_deleted_scenario_comes_back(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    author.post(f"/s/{saved['id']}/delete")
    assert stranger.get(saved["url"]).status_code == 410
    assert author.get(saved["url"]).status_code == 410
    mine = author.get("/accounts/mine/")
    assert mine.context["scenarios"] == []
    assert [row["id"] for row in mine.context["deleted"]] == [saved["id"]]
    assert stranger.post(f"/s/{saved['id']}/restore").status_code == 403
    author.post(f"/s/{saved['id']}/restore")
    assert stranger.get(saved["url"]).status_code == 200


def test_purging_takes_only_what_was_deleted_long_ago(author: Browser) -> None:
    kept, fresh, old = author.save(), author.save(OTHER), author.save(OTHER)
    for saved in (fresh, old):
        scenarios.delete(scenarios.by_id(saved["id"]))
    long_ago = scenarios.by_id(old["id"]).deleted_at - 2 * scenarios.KEPT_AFTER_DELETE
    Scenario.objects.filter(public_id=old["id"]).update(deleted_at=long_ago)
    assert scenarios.purge() == 1
    assert set(Scenario.objects.values_list("public_id", flat=True)) == {kept["id"], fresh["id"]}


def test_versions_are_compared_line_by_line(author: Browser) -> None:
    one = scenario(node("n1"), pod("a", cpu=1))
    saved = author.save(one)
    author.save(one.replace('"a"', '"b"') if '"a"' in one else one.replace("name: a", "name: b"), parent=saved["id"])
    rows = author.get(f"/s/{saved['id']}/diff/1/2/").context["rows"]
    marks = [row["mark"] for row in rows]
    assert "+" in marks
    assert "-" in marks
    assert author.get(f"/s/{saved['id']}/diff/1/1/").context["rows"] == []


def test_an_unsaved_text_is_compared_with_a_saved_version(author: Browser, stranger: Browser) -> None:
    saved = author.save("# theirs\n" + SMALL)
    compare = f"/api/v1/scenarios/{saved['id']}/versions/1/compare"
    found = author.post_json(compare, text="# mine\n" + SMALL).json()
    assert found["text"] == "# theirs\n" + SMALL
    first, second = found["rows"][1:3]
    assert first == {"mark": "-", "old": 1, "new": None, "text": "# theirs"}
    assert second == {"mark": "+", "old": None, "new": 1, "text": "# mine"}
    long = author.post_json(compare, text=SMALL + "\n#" * 40_000).json()
    assert (long["text"], long["rows"]) == (found["text"], None)
    for wrong in (
        compare.replace("/1/", "/2/"),
        compare.replace("/1/", f"/{10**30}/"),
        compare.replace(saved["id"], "no"),
    ):
        assert author.post_json(wrong, text=SMALL).status_code == 404
    assert stranger.post_json(compare, text=SMALL).status_code == 200
    author.post(f"/s/{saved['id']}/delete")
    assert stranger.post_json(compare, text=SMALL).status_code == 410


def test_a_private_version_is_compared_by_nobody_else(author: Browser, stranger: Browser) -> None:
    compare = f"/api/v1/scenarios/{private(author)['id']}/versions/1/compare"
    assert author.post_json(compare, text=OTHER).status_code == 200
    answer = stranger.post_json(compare, text=OTHER)
    assert answer.status_code == 403
    assert b"Small" not in answer.content


def test_texts_too_long_to_compare_are_refused_in_a_sentence(author: Browser) -> None:
    saved = author.save(SMALL + "\n#" * 20_000)
    author.save(SMALL + "\n##" * 20_000, parent=saved["id"])
    answer = author.get(f"/s/{saved['id']}/diff/1/2/")
    assert answer.status_code == 422
    assert "too long" in answer.context["sentence"]


def test_pages_are_not_kept_for_the_next_visitor(author: Browser) -> None:
    saved = author.save()
    assert "private" in author.get(saved["url"])["Cache-Control"]


def test_an_old_engines_trace_stays_and_the_new_one_is_offered(author: Browser) -> None:
    saved = author.save()
    worker.execute(saved["run"])
    Run.objects.update(engine_version="0.0.1")
    page = author.get(saved["url"])
    assert page.context["engine_is_old"]
    assert page.context["boot"]["run"] == saved["run"]
    answer = author.post(f"/s/{saved['id']}/v/1/run/")
    by_new = author.get(answer["Location"])
    assert not by_new.context["engine_is_old"]
    assert by_new.context["boot"]["run"] != saved["run"]
    assert author.get(f"/s/{saved['id']}/v/1/").context["boot"]["run"] == saved["run"]


def test_a_preview_is_not_listed_and_is_run_once(author: Browser, stranger: Browser) -> None:
    first = author.post_json("/api/v1/preview", text=SMALL).json()["run"]
    assert author.post_json("/api/v1/preview", text=SMALL).json()["run"] == first
    assert author.post_json("/api/v1/preview", text=OTHER).json()["run"] != first
    assert author.get(f"/api/v1/runs/{first}").status_code == 200
    assert stranger.get(f"/api/v1/runs/{first}").status_code == 403
    assert author.get("/accounts/mine/").context["scenarios"] == []
    Scenario.objects.update(updated=timezone.now() - 2 * scenarios.KEPT_PREVIEW)
    assert scenarios.purge() == 2


def test_a_same_scenario_is_not_simulated_twice(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    for _ in range(2):
        assert stranger.get(saved["url"]).context["boot"]["run"] == saved["run"]
    version = Version.objects.get()
    assert runs.start_run(version) == runs.start_run(version)
    assert Run.objects.count() == 1
