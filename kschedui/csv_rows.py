"""Every table that leaves as CSV. A spreadsheet takes a text that begins with = for a formula, so none does."""

import csv
from collections.abc import Iterable
from io import StringIO

FORMULAS = tuple("=+-@\t\r\n＝＋－＠")  # what Excel, LibreOffice and Sheets begin a formula with, or skip before one


def csv_row(values: Iterable[object]) -> str:
    """Return a line, with its end."""
    made = StringIO()
    csv.writer(made, lineterminator="\n").writerow([safe(value) for value in values])
    return made.getvalue()


def safe(value: object) -> object:
    """Return the value, a text behind an apostrophe if it could be a formula; a number stays one."""
    if not isinstance(value, str) or not value.lstrip(" ").startswith(FORMULAS):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
