"""Scenarios that are stored parsed: unpacking is equal to parsing the text, and damaged ones are not used."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from isal import isal_zlib

from kschedui.models import ParsedText, Run, Version
from kschedui.runs import frames, storage_limits, worker
from kschedui.runs import store as runs
from kschedui.scenarios import engine, parsed
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from kschedui.scenarios.digest import Digest, digest_of
from scheduler_core import RunEnded, chunked
from scheduler_core.plugins.dynamic_resources import allocator
from scheduler_core.releases import DEFAULT_RELEASE
from scheduler_core.scenario.parse import Scenario, ScenarioErrors
from scheduler_core.trace.events import AnyEvent
from tests.builders import node, pod, scenario
from tests.conformance.records import scenario_of
from tests.conformance.test_conformance import CASES
from tests.reference.scenarios.scenario import scenario_text
from tests.web.conftest import Browser

SITE = Path(engine.__file__).parent
OF_THE_SITE = sorted(SITE.glob("*/*.yaml"))
RECORDED = sorted({case: release for release, case in CASES}.items())
EACH = 12  # the traces of one recorded scenario in so many are compared
LONG = scenario(node("n1", cpu=4), *(pod(f"p{number}", cpu=1) for number in range(6)), title="Long")


@pytest.fixture(autouse=True)
def _every_text_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "LONG", 0)


@pytest.fixture(autouse=True)
def _device_searches_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator, "MAX_STEPS", 2_000)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every text that is parsed is appended."""
    texts: list[str] = []
    parse = engine.parse_scenario

    def note(text: str, *rest: object) -> object:
        texts.append(text)
        return parse(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "parse_scenario", note)
    return texts


def unpacked(read: Scenario) -> Scenario:
    """Return the scenario after packing and unpacking, which must not change it."""
    packed = parsed.pack(read, engine.mark())
    assert packed
    found = parsed.unpack(packed, read.text, engine.mark())
    assert found == read
    assert found.release is read.release
    assert [warning.message.as_data() for warning in found.warnings] == [
        warning.message.as_data() for warning in read.warnings
    ]
    return found


def trace(read: Scenario) -> list[bytes]:
    """Return the frames of the scenario's run."""

    def events() -> Iterator[AnyEvent]:
        try:
            yield from engine.simulate(read)
        except RunEnded:
            return

    return [frames.pack(chunk) for chunk in chunked(events())]


@pytest.mark.parametrize("path", OF_THE_SITE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_scenario_of_the_site_is_unpacked_as_it_was(path: Path) -> None:
    try:
        read = engine.read(path.read_text(encoding="utf-8"))
    except ScenarioErrors:  # a starter is a part of one
        pytest.skip("no scenario")
    assert trace(unpacked(read)) == trace(read)


@pytest.mark.parametrize("first", range(EACH))
def test_recorded_scenarios_are_unpacked_as_they_were(first: int) -> None:
    for number, (case, release) in enumerate(RECORDED[first::EACH]):
        read = engine.read(scenario_of(case), release)
        found = unpacked(read)
        if number % EACH == 0:
            assert trace(found) == trace(read)


@examples(max_examples=60, deadline=None, database=None, phases=[Phase.generate])
@given(st.integers(0, 2**64))
def test_a_random_scenario_is_unpacked_as_it_was(seed: int) -> None:
    read = engine.read(scenario_text(Random(seed)))
    assert parsed.unpack(parsed.pack(read, b"mark"), read.text, b"mark") == read


def test_a_saved_text_is_parsed_once_for_its_run_and_all_questions(author: Browser, reads: list[str]) -> None:
    saved = author.save(LONG)
    engine.forget()
    worker.execute(saved["run"])
    attempt = f"/api/v1/runs/{saved['run']}/attempts/6"
    assert author.post_json(f"{attempt}/what-if", edits=[]).status_code == 200
    engine.forget()
    assert author.get(f"/api/v1/runs/{saved['run']}/explain/6").status_code == 200
    assert reads == [LONG]


def test_a_run_of_an_unpacked_scenario_has_the_same_bytes(keep: Callable[..., Version], reads: list[str]) -> None:
    version = keep(LONG)
    reads.clear()
    run = runs.start_run(version)
    worker.execute(run.public_id)
    run.refresh_from_db()
    assert (run.state, reads) == (Run.State.DONE, [])
    assert list(runs.all_frames(run)) == trace(engine.read(LONG))


def test_what_an_import_keeps_has_its_scenario(db: None) -> None:
    digest = msgspec.msgpack.decode(msgspec.msgpack.encode(digest_of(LONG)), type=Digest)
    assert parsed.unpack(digest.packed, digest.text, engine.mark()) == engine.read(LONG)


def test_another_release_is_parsed(keep: Callable[..., Version], reads: list[str]) -> None:
    keep(LONG)
    reads.clear()
    assert engine.read_stored(LONG).release is DEFAULT_RELEASE
    assert engine.read_stored(LONG, "1.30").release.version == "1.30"
    assert reads == [LONG]


def test_a_short_text_is_parsed(keep: Callable[..., Version], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "LONG", len(LONG) + 1)
    keep(LONG)
    assert not ParsedText.objects.exists()


def test_what_another_engine_stored_is_parsed(
    keep: Callable[..., Version], reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(LONG)
    monkeypatch.setattr("scheduler_core.ENGINE_VERSION", "9.9.9")
    reads.clear()
    assert engine.read_stored(LONG) == engine.read(LONG)
    assert reads == [LONG, LONG]


def test_a_text_that_is_over_a_limit_by_now_is_refused(keep: Callable[..., Version], settings: Any) -> None:
    keep(LONG)
    settings.LIMITS = {**settings.LIMITS, "pods": 5}
    with pytest.raises(ScenarioErrors, match="the limit is 5"):
        engine.read_stored(LONG)


def test_damaged_bytes_are_noticed(keep: Callable[..., Version], reads: list[str]) -> None:
    keep(LONG)
    packed, mark = bytes(ParsedText.objects.get().packed), engine.mark()
    flipped = [packed[:at] + bytes([packed[at] ^ 0x41]) + packed[at + 1 :] for at in range(0, len(packed), 7)]
    shorter = [packed[:length] for length in range(0, len(packed), 7)]
    other = [mark + isal_zlib.compress(raw) for raw in (b"", b"[", b"{}", b'{"version": "1.36", "objects": [{}]}')]
    for damaged in (*flipped, *shorter, *other):
        ParsedText.objects.update(packed=damaged)
        reads.clear()
        assert engine.read_stored(LONG).text == LONG
        assert reads == [LONG], damaged


def test_a_challenge_is_kept_from_who_opens_the_text(keep: Callable[..., Version]) -> None:
    version = keep((SITE / "challenges" / "challenge-gpu.yaml").read_text(encoding="utf-8"))
    assert version.challenge
    assert not ParsedText.objects.exists()


def test_it_counts_as_its_authors_and_goes_with_the_version(author: Browser) -> None:
    author.save(LONG)
    version, run = Version.objects.get(), Run.objects.get()
    size = len(LONG.encode()) + len(ParsedText.objects.get().packed) + run.bytes
    assert storage_limits.kept_by(Visitor(kept_hash=version.scenario.editor_hash)) == size
    assert storage_limits.kept_today(run.address) == size
    version.scenario.delete()
    assert not ParsedText.objects.exists()


def test_a_copy_of_a_text_is_not_parsed_again(keep: Callable[..., Version], reads: list[str]) -> None:
    version = keep(LONG)
    engine.forget()
    scenarios.fork(Visitor(editor="somebody else"), version)
    assert reads == [LONG]
    assert ParsedText.objects.count() == 2
