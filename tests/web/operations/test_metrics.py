"""Monitoring: metrics for Prometheus, a dashboard that uses them, log lines with ids."""

import asyncio
import io
import json
import logging
import logging.config
import re
from typing import Any

import pytest
from django.conf import settings as site
from prometheus_client.parser import text_string_to_metric_families

from kschedui.logs import request_id, run_id
from kschedui.models import Run
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.web.http.request_ids import RequestIds
from tests.conftest import ROOT
from tests.web.conftest import Browser

TOKEN = {"Authorization": "Bearer for-prometheus"}
UPSTREAM = {"scheduler_schedule_attempts_total"}  # pkg/scheduler/metrics/metrics.go


@pytest.fixture(autouse=True)
def _with_a_token(settings: Any) -> None:
    settings.METRICS_TOKEN = "for-prometheus"


def figures(browser: Browser) -> dict[tuple[str, str], float]:
    """Return the values of the metrics by (name, label values)."""
    answer = browser.get("/metrics", headers=TOKEN)
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {(one.name, "".join(one.labels.values())): one.value for family in families for one in family.samples}


def test_metrics_need_the_token(author: Browser, settings: Any) -> None:
    assert author.get("/metrics").status_code == 404
    assert author.get("/metrics", headers={"Authorization": "Bearer else"}).status_code == 404
    settings.METRICS_TOKEN = ""
    assert author.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_a_run_counts_attempts_by_kube_schedulers_results_chunks_and_its_wait(author: Browser) -> None:
    saved = author.save()
    before = figures(author)
    assert before["kschedui_runs", "queued"] == 1
    worker.execute(saved["run"])
    after = figures(author)
    assert after["scheduler_schedule_attempts_total", "scheduled"] == 2
    assert after["scheduler_schedule_attempts_total", "unschedulable"] >= 1
    run = Run.objects.get(public_id=saved["run"])
    assert after["kschedui_chunks_total", ""] == run.chunks
    assert after["kschedui_chunk_bytes_total", ""] == run.bytes
    assert after["kschedui_queue_wait_seconds_count", ""] == 1
    assert after["kschedui_runs_ended_total", "done"] == 1
    assert after["kschedui_runs", "queued"] == 0


def test_a_cancelled_run_is_counted_once(author: Browser) -> None:
    run = Run.objects.get(public_id=author.save()["run"])
    assert [runs.cancel(run), runs.cancel(run)] == [True, False]
    assert figures(author)["kschedui_runs_ended_total", "cancelled"] == 1


def test_a_refusal_is_counted_by_its_code(author: Browser) -> None:
    name = "kschedui_refusals_total", "not_found"
    before = figures(author).get(name, 0)
    author.get("/api/v1/runs/nothing")
    assert figures(author)[name] == before + 1


def test_the_dashboard_asks_for_figures_that_are_there(author: Browser) -> None:
    author.get("/api/v1/runs/nothing")
    known = {name for name, _ in figures(author)} | {"kschedui_free_disk_bytes", "kschedui_work_total"}
    dashboard = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    names = {name for expression in asked for name in re.findall(r"\b(?:kschedui|scheduler)_\w+", expression)}
    assert names <= known
    ours = {name for name in known if not name.endswith("_created")}
    assert ours - names == set(), "figures that the dashboard leaves out"
    assert {name for name in names if name.startswith("scheduler_")} == UPSTREAM


def test_log_lines_are_json_with_the_ids_of_request_and_run() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    configured = logging.config.DictConfigurator(site.LOGGING)
    handler.setFormatter(configured.configure_formatter(dict(site.LOGGING["formatters"]["json"])))
    handler.addFilter(configured.configure_filter(dict(site.LOGGING["filters"]["context"])))
    request_id.set("abc")
    run_id.set("xyz")
    record = logging.makeLogRecord({"name": "kschedui", "msg": "two\nlines %s", "args": ("here",), "levelname": "INFO"})
    handler.handle(record)
    (line,) = out.getvalue().splitlines()
    found = json.loads(line)
    assert (found["message"], found["request"], found["run"]) == ("two\nlines here", "abc", "xyz")
    assert (found["level"], found["logger"]) == ("INFO", "kschedui")


@pytest.mark.parametrize(("sent", "kept"), [(b"proxy-0123456789", True), (b"a\r\nb", False), (b"", False)])
def test_an_answer_names_its_request_by_the_proxys_id_if_that_is_one(sent: bytes, kept: bool) -> None:
    answers: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        answers.append(message)

    asyncio.run(RequestIds(application)({"headers": [(b"x-request-id", sent)]}, None, send))  # type: ignore[arg-type]
    found = dict(answers[0]["headers"])[b"x-request-id"]
    assert (found == sent) is kept
    assert len(found) >= 8
