"""The API's answers, which the editor and the player use."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from kschedui.models import Run, Version
from kschedui.runs import frames, perfetto, worker
from kschedui.runs import store as runs
from kschedui.web.api import streams
from scheduler_core import ENGINE_VERSION, chunked, decisions, encode, parse_scenario, simulate
from tests.builders import device, device_class, node, pod, resource_slice, scenario
from tests.web.conftest import SMALL, Browser, body_of


def url(run: Run, name: str = "") -> str:
    return f"/api/v1/runs/{run.public_id}/{name}".rstrip("/")


def page(run: Run, name: str = "") -> str:
    return f"/s/{run.version.scenario.public_id}/v/{run.version.number}/{name}"


def test_check_sums_up_a_good_text(author: Browser) -> None:
    text = scenario(
        node("n1", taints=["gpu=yes:NoSchedule"]), pod("a", cpu="500m"), pod("b", node="n1", podSubject="x")
    )
    answer = author.post_json("/api/v1/check", text=text).json()
    assert answer["errors"] == []
    assert [found["name"] for found in answer["summary"]["nodes"]] == ["n1"]
    assert answer["summary"]["nodes"][0]["taints"] == [["gpu", "yes", "NoSchedule"]]
    pods = {found["pod"]: found for found in answer["summary"]["pods"]}
    assert pods["default/a"]["requests"]["cpu"] == 500
    assert pods["default/b"]["node"] == "n1"
    assert answer["warnings"][0]["document"] == 3
    assert "podSubject" in answer["warnings"][0]["message"] + answer["warnings"][0]["path"]


def test_a_check_warns_of_unknown_fields_beside_errors(author: Browser) -> None:
    text = scenario(node("n1"), pod("a", cpu="5OOm", tolerationz=[]), pod("b", nodeSelectr={}))
    answer = author.post_json("/api/v1/check", text=text).json()
    assert [(found["document"], found["path"]) for found in answer["errors"]] == [
        (2, "spec.containers[0].resources.requests.cpu")
    ]
    assert [found["document"] for found in answer["warnings"]] == [2, 3]
    for found, field in zip(answer["warnings"], ("tolerationz", "nodeSelectr"), strict=True):
        assert field in found["message"] + found["path"]


def test_a_check_has_the_values_of_rules_for_the_pod_that_is_asked_about(author: Browser) -> None:
    rule = 'apiVersion: kschedui.io/v1alpha1\nkind: SchedulerPlugin\nmetadata: {name: Mine}\nspec: {score: "%s"}\n'
    rest = "---\napiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n"
    pods = "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, image: i}}]}}\n"
        for name in ("a", "bb")
    )
    text = rule % "size(pod.metadata.name)" + rest + pods
    for name, value in (("", "1"), ("default/bb", "2"), ("default/nobody", "1")):
        answer = author.post_json("/api/v1/check", text=text, pod=name).json()
        assert answer["errors"] == []
        assert answer["rules"]["rules"][0]["points"] == [{"point": "score", "values": [[value, ""]]}]
    assert "rules" not in author.post_json("/api/v1/check", text=rest.removeprefix("---\n")).json()


def test_a_check_counts_the_devices_that_each_selector_matches(author: Browser) -> None:
    gpus = [device("gpu-0", memory="40Gi"), device("gpu-1", memory="80Gi")]
    answer = author.post_json("/api/v1/check", text=scenario(device_class(), resource_slice("n1", gpus))).json()
    assert answer["selectors"] == [
        {
            "expression": 'device.driver == "gpu.example.com"',
            "matching": 2,
            "devices": 2,
            "names": ["n1/gpu-0", "n1/gpu-1"],
            "error": "",
        }
    ]


def test_check_places_an_error(author: Browser) -> None:
    answer = author.post_json("/api/v1/check", text="apiVersion: v1\nkind: Node\nmetadata:\n  name: UPPER\n").json()
    error = answer["errors"][0]
    assert (error["document"], error["line"], error["path"]) == (1, 4, "metadata.name")


def test_the_catalogue_knows_kinds_fields_and_plugins(author: Browser) -> None:
    found = author.get("/api/v1/catalogue").json()
    assert {"kind", "apiVersion", "type"} <= set(found["kinds"][0])
    assert "NodeResourcesFit" in found["plugins"]


def test_the_state_of_a_run_is_returned(author: Browser, finished: Run) -> None:
    found = author.get(url(finished)).json()
    assert found["state"] == "done"
    assert found["engine"] == ENGINE_VERSION
    assert found["chunks"] == finished.chunks > 0
    assert found["outcome"]["pending"] == 1
    assert found["scenario"] == {"id": finished.version.scenario.public_id, "version": 1, "title": "Small"}


def test_a_chunk_is_the_stored_frame_and_may_be_kept_for_ever(author: Browser, finished: Run) -> None:
    answer = author.get(url(finished, "chunks/0"))
    assert answer.content == runs.frame(finished.public_id, 0)
    assert "immutable" in answer["Cache-Control"]
    again = author.get(url(finished, "chunks/0"), headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert author.get(url(finished, f"chunks/{finished.chunks}")).status_code == 404


def test_a_private_chunk_is_asked_for_each_time(author: Browser) -> None:
    saved = author.post_json("/api/v1/preview", text=SMALL).json()
    worker.execute(saved["run"])
    answer = author.get(f"/api/v1/runs/{saved['run']}/chunks/0")
    assert "max-age=0" in answer["Cache-Control"]
    assert "immutable" not in answer["Cache-Control"]


def test_an_attempt_is_explained(author: Browser, finished: Run) -> None:
    found = author.get(url(finished, "explain/1"), {"nodes": "n1,n2"}).json()
    assert found["attempt"] == 1
    assert [one["node"] for one in found["nodes"]] == ["n1", "n2"]
    plugins = [one["plugin"] for one in found["nodes"][0]["filters"]]
    assert "NodeResourcesFit" in plugins


def test_an_explanation_that_would_take_too_long_is_refused(author: Browser, finished: Run, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "explain_work": 3}
    assert author.get(url(finished, "explain/1"), {"nodes": "n1"}).status_code == 200
    answer = author.get(url(finished, "explain/2"), {"nodes": "n1"})
    assert answer.status_code == 422
    assert "too late" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("pod/default/a/", "name: a"), ("Pod/default/big/", "cpu: '9'"), ("node/_/n1/", "kind: Node")],
)
def test_an_object_is_shown_as_it_was_written(author: Browser, finished: Run, path: str, expected: str) -> None:
    text = author.get(url(finished, f"objects/{path}")).json()["yaml"]
    assert expected in text


def test_the_text_is_downloaded_as_saved(author: Browser, finished: Run) -> None:
    answer = author.get(page(finished, "scenario.yaml"))
    assert answer.content.decode() == finished.version.text
    assert "attachment" in answer["Content-Disposition"]


def test_events_and_decisions_are_json_lines_of_the_engine(author: Browser, finished: Run) -> None:
    parsed = parse_scenario(SMALL)
    lines = body_of(author.get(page(finished, "events.jsonl"))).splitlines()
    assert lines == [encode(event) for event in simulate(parsed)]
    found = [json.loads(line) for line in body_of(author.get(page(finished, "decisions.jsonl"))).splitlines()]
    assert found == [json.loads(json.dumps(record)) for record in decisions(simulate(parsed))]


def test_a_download_is_made_piece_by_piece(db: None) -> None:
    made: list[int] = []

    def parts() -> Iterator[bytes]:
        for number in range(100):
            made.append(number)
            yield b"x" * streams.PIECE

    async def first_of_many() -> bytes:
        return await anext(streams.in_pieces(parts()))

    assert async_to_sync(first_of_many)() == b"x" * streams.PIECE
    assert made == [0]


def test_a_perfetto_trace_has_every_attempt_and_every_placement(author: Browser, finished: Run) -> None:
    rows = json.loads(body_of(author.get(page(finished, "trace.json"))))["traceEvents"]
    slices = [row for row in rows if row["ph"] == "X"]
    attempts = [row for row in slices if row["pid"] == perfetto.SCHEDULER]
    assert [row["args"]["attempt"] for row in attempts] == list(range(1, len(attempts) + 1))
    placed = {row["name"] for row in slices if row["pid"] != perfetto.SCHEDULER}
    assert placed == {"default/a", "default/b"}
    assert all(row["dur"] > 0 for row in slices)


def test_a_run_that_goes_on_cannot_be_downloaded_yet(author: Browser) -> None:
    saved = author.save()
    answer = author.get(f"/s/{saved['id']}/v/1/events.jsonl")
    assert answer.status_code == 409
    assert "not complete" in answer.context["sentence"]


@pytest.mark.parametrize("state", [Run.State.FAILED, Run.State.CANCELLED])
def test_nobody_is_told_to_wait_for_a_run_that_has_ended(author: Browser, state: str) -> None:
    saved = author.save()
    run, page = f"/api/v1/runs/{saved['run']}", f"/s/{saved['id']}/v/1"
    addresses = [f"{run}/decisions", f"{run}/times?pods=default/a", f"{page}/events.jsonl", f"{page}/pending/"]
    for sentence in ("The run is not complete yet.", "The run did not finish."):
        for address in addresses:
            answer = author.get(address)
            assert answer.status_code == 409, address
            assert sentence in body_of(answer).decode(), address
        Run.objects.update(state=state)


def test_pictures_and_codes_are_what_they_say(author: Browser, finished: Run) -> None:
    svg = author.get(page(finished, "picture.svg"))
    assert svg["Content-Type"] == "image/svg+xml"
    assert b"Small" in svg.content
    png = author.get(page(finished, "picture.png")).content
    assert png.startswith(b"\x89PNG")
    code = author.get(page(finished, "qr.svg"), {"step": "7.1"})
    assert code.content.startswith(b"<svg")
    assert code.content != author.get(page(finished, "qr.svg")).content


def test_a_link_unfurls_with_title_description_and_picture(author: Browser) -> None:
    saved = author.save(scenario(node("n1"), title="A title", description="Some *words* about it."))
    html = author.get(saved["url"]).content.decode()
    properties = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', html))
    assert properties["title"] == "A title"
    assert properties["description"] == "Some words about it."
    assert properties["image"] == f"http://testserver/s/{saved['id']}/v/1/picture.png"
    assert properties["url"] == f"http://testserver/s/{saved['id']}/v/1/"
    assert "noindex" in html, "unlisted scenarios are not for search engines"


def test_only_embedded_pages_may_be_framed(author: Browser, finished: Run) -> None:
    sid = finished.version.scenario.public_id
    embedded = author.get(f"/embed/{sid}/v/1/")
    assert "frame-ancestors *" in embedded["Content-Security-Policy"]
    assert embedded.context["boot"]["embed"] is True
    assert embedded.context["boot"]["page"] == f"/s/{sid}/v/1/"
    assert b'id="open-outside"' in embedded.content
    for path in (f"/s/{sid}/", "/", "/new/"):
        answer = author.get(path)
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"


def test_frames_of_a_run_fold_into_one_another(finished: Run) -> None:
    chunks = [frames.body_of(frame) for frame in runs.all_frames(finished)]
    assert chunks == [encode(chunk) for chunk in chunked(simulate(parse_scenario(SMALL)))]


def test_too_large_a_preview_is_refused_with_the_way_on(author: Browser, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "preview_pods": 2}
    answer = author.post_json("/api/v1/preview", text=SMALL)
    assert answer.status_code == 422
    assert "Save the scenario" in answer.json()["detail"]


GRACEFUL = scenario(
    node("n1", cpu="1"),
    pod("old", cpu="1", node="n1", annotations={"kschedui.io/termination-seconds": "20"}),
    pod("new", cpu="1", priority=10),
)


def test_the_time_of_pods_adds_up_and_is_another_one_without_its_cause(
    author: Browser, keep: Callable[..., Version]
) -> None:
    run = runs.start_run(keep(GRACEFUL))
    assert author.get(url(run, "times"), {"pods": "default/new"}).status_code == 409
    worker.execute(run.public_id)
    (found,) = author.get(url(run, "times"), {"pods": "default/new,default/old,default/none"}).json()
    assert found["pod"] == "default/new"
    assert [part["cause"] for part in found["parts"]] == ["victims"]
    assert sum(part["end"] - part["start"] for part in found["parts"]) == found["end"] - found["begin"] == 20
    answer = author.get(url(run, "times/without"), {"pod": "default/new", "cause": "victims"}).json()
    assert answer["before"] == found
    assert answer["after"]["end"] - answer["after"]["begin"] == 0


def test_a_cause_that_cannot_be_removed_and_a_pod_that_is_not_there_are_refused(author: Browser, finished: Run) -> None:
    assert author.get(url(finished, "times/without"), {"pod": "default/a", "cause": "activeQ"}).status_code == 422
    answer = author.get(url(finished, "times/without"), {"pod": "default/none", "cause": "gated"})
    assert answer.status_code == 404
    assert "default/none" in answer.json()["detail"]
