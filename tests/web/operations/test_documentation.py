"""What the README and the architecture promise, held to the code."""

import re
from pathlib import Path

from tests.conftest import ROOT


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
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs/architecture.md", ROOT / "docs/fidelity.md"]
    named = {
        (document.name, path)
        for document in documents
        for path in re.findall(
            r"`((?:scheduler_core|kschedui|static|tests|templates|locale|docs)/[\w./-]*)`", document.read_text()
        )
    }
    assert len(named) > 20
    assert not sorted((name, path) for name, path in named if not (ROOT / path).exists())


def anchors(document: Path) -> set[str]:
    """The headings, as GitHub makes anchors of them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
