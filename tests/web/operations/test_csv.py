"""Every CSV download is written by one function, which makes it safe to open in a spreadsheet."""

import csv
import io

import pytest

from kschedui.csv_rows import csv_row
from tests.conftest import ROOT


def test_nothing_else_writes_csv() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "kschedui").rglob("*.py")}
    assert [path.name for path, text in sources.items() if "import csv\n" in text] == ["csv_rows.py"]
    serving = {path.name: text for path, text in sources.items() if "text/csv" in text or "write_csv(" in text}
    assert {"experiments.py", "classes.py", "experiment.py"} <= set(serving)
    assert [name for name, text in serving.items() if "csv_row" not in text] == []


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", " =", "  @"])
def test_no_text_is_a_formula(begin: str) -> None:
    (row,) = csv.reader(io.StringIO(csv_row([f'{begin}cmd|"/c calc"!A1', "plain", -1.5, "-1.5"])))
    assert row[0].startswith("'")
    assert row[1:] == ["plain", "-1.5", "-1.5"]
