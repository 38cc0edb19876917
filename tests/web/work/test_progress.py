"""The progress of reading a large text increases in small steps from the beginning to the end, for any text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kschedui.web.api import jobs
from kschedui.work import progress
from tests.builders import node, pod, scenario
from tests.dumps import Cluster, as_json, as_yaml, listed

TEXT = scenario(*(node(f"n{i}") for i in range(50)), *(pod(f"p{i}") for i in range(200)))
DUMP = listed(Cluster(40, 200, fields=2).objects())


def convert(text: str, folder: Path) -> None:
    file = folder / "dump"
    file.write_text(text)
    assert jobs.convert(str(file), 10**9).digest


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("work", "write"),
    [
        (lambda text, _: jobs.check(text), lambda: TEXT),
        (lambda text, _: jobs.digest(text), lambda: TEXT),
        (lambda text, _: jobs.digest(text), lambda: as_yaml({**DUMP, "kind": "List"})),
        (convert, lambda: as_yaml(DUMP)),
        (convert, lambda: as_json(DUMP)),
    ],
    ids=["check", "save", "save a dump", "import YAML", "import JSON"],
)
def test_it_goes_on_in_small_steps(
    work: Callable[[str, Path], object], write: Callable[[], str], tmp_path: Path
) -> None:
    heard = [0.0]
    with progress.listen(heard.append):
        work(write(), tmp_path)
    steps = [after - before for before, after in zip(heard, [*heard[1:], 1.0], strict=True)]
    assert min(steps) >= 0, "it went back"
    assert max(steps) < 0.25, heard
