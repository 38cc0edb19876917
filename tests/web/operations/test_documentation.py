"""The README and the documentation agree with the code."""

import re
import subprocess
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

ROOTS = ("scheduler_core/", "kschedui/", "static/", "tests/", "templates/", "locale/", "docs/")
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


def test_each_environment_variable_is_documented() -> None:
    code = "".join(path.read_text() for path in (ROOT / "kschedui").rglob("*.py"))
    names = set(re.findall(r"""(?:environ\.get|flag|number|words)\(\s*"([A-Z_]+)\"""", code))
    assert "KSCHEDUI_ENV" in names
    documented = (ROOT / "docs/architecture.md").read_text()
    missing = {n for n in names if not n.startswith(("KSCHEDUI_MAX_", "KSCHEDUI_RATE_")) and f"`{n}`" not in documented}
    assert not missing


def test_decisions_are_at_most_thirty_lines() -> None:
    for path in (ROOT / "docs/adr").glob("*.md"):
        assert len(path.read_text().splitlines()) <= 30, path.name


def test_links_between_documents_lead_somewhere() -> None:
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target, anchor in re.findall(r"\[[^\]]*\]\((?!https?:)([^)#]*)#?([^)]*)\)", document.read_text()):
            path = document.parent / target if target else document
            assert path.exists(), f"{document.name}: {target}"
            assert not anchor or anchor in anchors(path), f"{document.name}: {target}#{anchor}"


def test_files_that_the_documents_name_are_there() -> None:
    named, paths = set(), ["", *tracked_paths()]
    for document in DOCUMENTS:
        for path in re.findall(r"`([\w.-]+/[\w./-]*)`", document.read_text()):
            if path.split(".")[-1] in ("py", "js", "html", "md", "yaml") or path.startswith(ROOTS):
                named.add((document.name, path.rstrip("/")))
    assert len(named) > 100
    gone = [(name, path) for name, path in named if not any(f"/{path}/" in f"/{known}/" for known in paths)]
    assert not sorted(gone)


def test_files_named_in_backticks_are_there() -> None:
    """Names of Python and JavaScript files in documents, docstrings and comments."""
    parted = [path.split("/") for path in tracked_paths()]
    tails = {"/".join(parts[start:]) for parts in parted for start in range(len(parts))}
    named = {
        (path, name)
        for path in tracked_paths()
        if path.endswith((".py", ".js", ".md")) and not path.startswith("static/vendor/")
        for name in re.findall(r"`([\w./-]+\.(?:py|js))`", (ROOT / path).read_text(encoding="utf-8"))
    }
    assert len(named) > 200
    assert not sorted((path, name) for path, name in named if name not in tails | {"client.py"})


def test_rows_of_tables_have_as_many_cells_as_their_heading() -> None:
    for path in (path for path in tracked_paths() if path.endswith(".md")):
        cells = 0
        for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
            row = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert not row or not cells or row == cells, f"{path}: {line[:100]}"
            cells = row


def test_architecture_names_every_directory_and_none_that_is_gone() -> None:
    tree = (ROOT / "docs/architecture.md").read_text().partition("## Directories")[2].partition("## Processes")[0]
    for top in ("scheduler_core/", "kschedui/", "static/js/"):
        named = set()
        section = re.split(r"\n {4}(?=\w)", tree.partition(f"\n    {top}")[2])[0]
        for row in re.split(r"\n {6}(?=\w)", section)[1:]:
            names, _, text = row.partition("  ")
            named |= set(names.split(", "))
            inside = [
                path for path in tracked_paths() if path.startswith(tuple(top + name for name in names.split(", ")))
            ]
            for name in re.findall(r"\w+/(?=[ ,;)])|\w+\.(?:py|js)\b", text):
                assert any(f"/{name}" in path for path in inside) or (ROOT / name).exists(), f"{names}: {name}"
        inside = [path.removeprefix(top) for path in tracked_paths() if path.startswith(top)]
        assert {path.split("/")[0] + "/" for path in inside if "/" in path} == {
            name for name in named if "." not in name
        }


def anchors(document: Path) -> set[str]:
    """Return the anchors that GitHub makes of the headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@cache
def tracked_paths() -> list[str]:
    """Return the repository's files."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return files.stdout.splitlines()
