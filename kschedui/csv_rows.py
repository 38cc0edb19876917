"""CSV rows. Spreadsheets interpret a text that begins with = as a formula, so such texts are escaped."""

import csv
from collections.abc import Iterable
from io import StringIO

FORMULAS = tuple("=+-@\t\r\n＝＋－＠")  # what Excel, LibreOffice and Sheets begin a formula with, or skip before one


def csv_row(values: Iterable[object]) -> str:
    """Return a line including its end."""
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow([safe(value) for value in values])
    return line.getvalue()


def safe(value: object) -> object:
    """Return the value, with an apostrophe before a text that could be a formula; numbers are unchanged."""
    if not isinstance(value, str) or not value.lstrip(" ").startswith(FORMULAS):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
