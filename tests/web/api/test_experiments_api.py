"""Experiments over the API and on their pages: start, follow, cancel, the table, opened runs, and access."""

import csv
import io
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from kschedui.experiments import store, worker
from kschedui.models import Batch, Experiment, Result, Run, Scenario
from kschedui.runs import worker as runs_worker
from kschedui.scenarios import engine
from scheduler_core.ask.measures import measure_run
from scheduler_core.experiments.table import COLUMNS, values_of
from scheduler_core.releases import DEFAULT_RELEASE
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser, body_of, sign_up
from tests.web.experiments import FACTORS, SIZE, TEXT, finish

FEW = [{"seeds": [1, 2]}]
RELEASES = [{"releases": ["1.30", DEFAULT_RELEASE.version]}, {"strategy": ["LeastAllocated", "MostAllocated"]}]


@pytest.fixture
def saved(author: Browser) -> dict[str, Any]:
    return author.save(TEXT)


def begin(browser: Browser, saved: dict[str, Any], factors: Any = None, **more: Any) -> Any:
    return browser.post_json("/api/v1/experiments", scenario=saved["id"], factors=factors or FACTORS, **more)


def begin_experiment(browser: Browser, saved: dict[str, Any], factors: Any = None) -> str:
    answer = begin(browser, saved, factors)
    assert answer.status_code == 201, answer.content
    found: str = answer.json()["id"]
    return found


def table(browser: Browser, eid: str) -> list[dict[str, str]]:
    answer = browser.get(f"/api/v1/experiments/{eid}/results.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(body_of(answer).decode())))


def test_an_experiment_is_begun_followed_and_read(author: Browser, saved: dict[str, Any]) -> None:
    made = begin(author, saved).json()
    assert (made["state"], made["size"], made["done"]) == ("running", SIZE, 0)
    assert [one["name"] for one in made["levels"]] == ["priority", "seed"]
    address = f"/api/v1/experiments/{made['id']}"
    assert worker.serve()
    partial = author.get(f"{address}/results").json()
    assert 0 < len(partial["results"]) == partial["done"] < SIZE
    finish()
    rest = author.get(f"{address}/results?after={partial['next']}").json()
    assert (rest["state"], rest["done"], rest["failed"]) == ("done", SIZE, 0)
    found = [*partial["results"], *rest["results"]]
    assert sorted(one["run"] for one in found) == list(range(1, SIZE + 1))
    rows = table(author, made["id"])
    assert [row["run"] for row in rows] == [str(number) for number in range(1, SIZE + 1)]
    assert (rows[59]["priority"], rows[59]["seed"]) == ("1000", "20")
    assert int(rows[59]["evicted"]) > int(rows[0]["evicted"]) == 0


def test_results_that_were_stored_before_a_measure_was_added_have_none_of_it(
    author: Browser, saved: dict[str, Any]
) -> None:
    eid = begin_experiment(author, saved, FEW)
    finish()
    result = Result.objects.get(experiment__public_id=eid, number=1)
    Result.objects.filter(pk=result.pk).update(measures=result.measures[:-1])
    rows = {row["run"]: row["measures"] for row in author.get(f"/api/v1/experiments/{eid}/results").json()["results"]}
    assert (len(rows[1]), rows[1][-1], rows[2][-1] is None) == (len(COLUMNS), None, False)
    first, second = table(author, eid)
    assert (first[COLUMNS[-1]], first["error"], second["error"]) == ("", "", "")


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ([{"sedes": [1]}], "unknown field"),
        ([{"seeds": {"count": 30_000}}], "from 1 to 20,000"),
        ([{"disable": ["NodeAfinity"]}], "plugin off, NodeAfinity: there is no plugin NodeAfinity; did you mean"),
        ([{"nodes": {"like": "n9", "add": [1]}}], "nodes added, 1: there is no Node n9"),
        ([], "at least one factor"),
    ],
)
def test_bad_factors_begin_nothing_and_get_a_sentence(
    author: Browser, saved: dict[str, Any], factors: Any, said: str
) -> None:
    answer = author.post_json("/api/v1/experiments", scenario=saved["id"], factors=factors)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert not Experiment.objects.exists()


def test_what_is_not_there_is_not_found(author: Browser, saved: dict[str, Any]) -> None:
    eid = begin_experiment(author, saved, FEW)
    assert author.get("/api/v1/experiments/nothing").status_code == 404
    assert author.post_json(f"/api/v1/experiments/{eid}/runs/3").status_code == 404
    assert begin(author, saved, kubernetes="1.2").status_code == 422
    assert begin(author, {"id": "nothing"}).status_code == 404
    assert author.get("/experiments/nothing/").status_code == 404


def test_any_run_opens_as_a_scenario_of_ones_own_with_the_same_outcome(author: Browser, saved: dict[str, Any]) -> None:
    eid = begin_experiment(author, saved)
    finish()
    answer = author.post_json(f"/api/v1/experiments/{eid}/runs/27")
    url = answer.json()["url"]
    made = Scenario.objects.get(fork_of__scenario__public_id=saved["id"])
    assert url == f"/s/{made.public_id}/v/1/"
    assert made.title == "Preemption: priority 45, seed 7"
    run = Run.objects.get(version__scenario=made)
    runs_worker.execute(run.public_id)
    run.refresh_from_db()
    measures = values_of(measure_run(engine.simulate(engine.read(run.version.text))))
    assert Result.objects.get(number=27).measures == measures
    assert (run.outcome["evicted"], run.outcome["bound"]) == (
        measures[COLUMNS.index("evicted")], measures[COLUMNS.index("placed")]
    )  # fmt: skip
    assert author.post_json(f"/api/v1/experiments/{eid}/runs/27").json()["url"] == url, "opened again it is the same"


def test_a_run_on_another_release_opens_on_it_and_one_that_changes_nothing_is_the_scenario(
    author: Browser, saved: dict[str, Any]
) -> None:
    eid = begin_experiment(author, saved, [*RELEASES[:1], {"variants": [{"edits": []}]}])
    urls = [author.post_json(f"/api/v1/experiments/{eid}/runs/{number}").json()["url"] for number in (1, 2)]
    assert urls == [f"/s/{saved['id']}/v/1/?kubernetes=1.30", f"/s/{saved['id']}/v/1/"]
    assert Run.objects.filter(kubernetes_version="1.30").count() == 1


def test_another_visitor_reads_opens_and_may_not_cancel(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    eid = begin_experiment(author, saved, FEW)
    assert stranger.get(f"/api/v1/experiments/{eid}").json()["may_change"] is False
    assert stranger.post_json(f"/api/v1/experiments/{eid}/cancel").status_code == 403
    assert stranger.delete(f"/api/v1/experiments/{eid}").status_code == 403
    finish()
    assert stranger.post_json(f"/api/v1/experiments/{eid}/runs/1").status_code == 200
    own = begin_experiment(stranger, saved, FEW)
    assert author.post_json(f"/api/v1/experiments/{own}/cancel").json() == {"cancelled": True}, "of the scenario"
    assert stranger.delete(f"/api/v1/experiments/{own}").status_code == 204


def test_cancel_begin_again_and_remove(author: Browser, saved: dict[str, Any]) -> None:
    eid = begin_experiment(author, saved)
    assert worker.serve()
    assert author.post_json(f"/api/v1/experiments/{eid}/cancel").json() == {"cancelled": True}
    assert author.post_json(f"/api/v1/experiments/{eid}/cancel").json() == {"cancelled": False}
    kept = len(table(author, eid))
    assert 0 < kept < SIZE
    assert author.post_json(f"/api/v1/experiments/{eid}/again").json() == {"begun": True}
    finish()
    assert len(table(author, eid)) == SIZE
    assert author.delete(f"/api/v1/experiments/{eid}").status_code == 204
    assert author.get(f"/api/v1/experiments/{eid}").status_code == 404


def test_a_scenario_that_is_deleted_ends_its_experiments(author: Browser, saved: dict[str, Any]) -> None:
    eid = begin_experiment(author, saved)
    assert author.delete(f"/api/v1/scenarios/{saved['id']}").status_code == 204
    assert Experiment.objects.get().state == Run.State.CANCELLED
    assert author.get(f"/experiments/{eid}/").status_code == 410
    assert not worker.serve()


def test_who_signs_up_keeps_their_experiments(author: Browser, saved: dict[str, Any]) -> None:
    eid = begin_experiment(author, saved, FEW)
    sign_up(author, "ada")
    assert author.get(f"/api/v1/experiments/{eid}").json()["may_change"] is True
    assert Experiment.objects.get().owner is not None


def test_the_pages_offer_what_the_scenario_has_and_list_what_was_begun(author: Browser, saved: dict[str, Any]) -> None:
    eid = begin_experiment(author, saved, FEW)
    page = author.get(f"/s/{saved['id']}/v/1/experiments/")
    boot = page.context["boot"]
    assert (boot["nodes"], boot["classes"]) == (["n0", "n1", "n2"], [["high", 1000]])
    assert "default/high-0" in boot["pods"]
    assert "NodeResourcesFit" in boot["plugins"]
    assert f"/experiments/{eid}/" in page.content.decode()
    shown = author.get(f"/experiments/{eid}/").content.decode()
    assert "2 runs" in shown
    assert "Preemption" in shown


@pytest.mark.parametrize(("release", "drawn"), [("1.34", True), ("1.35", False)])
def test_the_form_says_whether_a_seed_changes_anything(author: Browser, release: str, drawn: bool) -> None:
    saved = author.save(scenario(node("n1"), pod("a"), kubernetesVersion=release))
    page = author.get(f"/s/{saved['id']}/v/1/experiments/")
    assert page.context["boot"]["drawn"] is drawn
    assert ("Seeds have no effect" in page.content.decode()) is not drawn


def test_a_stranger_does_not_see_what_others_began(author: Browser, stranger: Browser, saved: dict[str, Any]) -> None:
    eid = begin_experiment(author, saved, FEW)
    assert eid not in stranger.get(f"/s/{saved['id']}/v/1/experiments/").content.decode()


def test_a_scenario_without_nodes_or_classes_has_a_form_all_the_same(author: Browser) -> None:
    saved = author.save(scenario(pod("a")))
    assert author.get(f"/s/{saved['id']}/v/1/experiments/").status_code == 200
    assert begin_experiment(author, saved, FEW)
    finish()
    assert Experiment.objects.get().state == Run.State.DONE


def test_prune_forgets_old_results_and_the_page_offers_them_again(
    author: Browser, saved: dict[str, Any], capsys: Any
) -> None:
    eid = begin_experiment(author, saved, FEW)
    finish()
    call_command("prune")
    assert len(table(author, eid)) == 2, "fresh ones stay"
    Experiment.objects.update(finished=timezone.now() - timezone.timedelta(days=100))
    call_command("prune", "--dry-run")
    assert "results of 1 experiments would be forgotten" in capsys.readouterr().out
    assert len(table(author, eid)) == 2
    call_command("prune")
    assert table(author, eid) == []
    assert author.get(f"/api/v1/experiments/{eid}").json()["forgotten"] is True
    assert store.restart(Experiment.objects.get())
    finish()
    assert len(table(author, eid)) == 2


def test_a_private_scenarios_fork_is_private_too(author: Browser) -> None:
    saved = author.save(TEXT, visibility="private")
    eid = begin_experiment(author, saved, FEW)
    author.post_json(f"/api/v1/experiments/{eid}/runs/1")
    assert {one.visibility for one in Scenario.objects.all()} == {Scenario.Visibility.PRIVATE}


def test_figures_tell_of_cells_and_of_batches_that_wait(author: Browser, saved: dict[str, Any], settings: Any) -> None:
    settings.METRICS_TOKEN = "for-prometheus"
    begin_experiment(author, saved)
    assert worker.serve()
    said = author.get("/metrics", headers={"Authorization": "Bearer for-prometheus"}).content.decode()
    done, waiting = Result.objects.count(), Batch.objects.filter(state=Run.State.QUEUED).count()
    assert done
    assert waiting
    assert f'kschedui_experiment_runs_total{{result="done"}} {done}.0' in said
    assert f'kschedui_experiment_batches{{state="queued"}} {waiting}.0' in said


def test_room_counts_what_results_take(author: Browser, saved: dict[str, Any], settings: Any) -> None:
    begin_experiment(author, saved)
    finish()
    settings.LIMITS = {**settings.LIMITS, "browser_bytes": Experiment.objects.get().bytes}
    assert begin(author, saved).json()["code"] == "no_room"


def test_nobody_begins_one_with_a_scenario_that_they_may_not_see(author: Browser, stranger: Browser) -> None:
    saved = author.save(TEXT, visibility="private")
    assert begin(stranger, saved).status_code == 403
    assert not Experiment.objects.exists()


def test_a_node_more_than_the_limit_is_refused_before_anything_begins(
    author: Browser, saved: dict[str, Any], settings: Any
) -> None:
    settings.LIMITS = {**settings.LIMITS, "experiment_nodes": 4}
    answer = begin(author, saved, [{"nodes": {"like": "n1", "add": [0, 2]}}])
    assert (answer.status_code, "nodes added, 2" in answer.json()["detail"]) == (422, True)
    large = author.save(scenario(*(node(f"n{i}") for i in range(5))))
    assert "at most 4 nodes" in begin(author, large).json()["detail"]
