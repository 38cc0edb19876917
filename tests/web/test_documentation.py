"""What the README and the architecture promise, held to the code."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_environment_variable_is_documented() -> None:
    settings = (ROOT / "kschedui/settings.py").read_text()
    names = set(re.findall(r"""(?:environ\.get|flag|number|words)\(\s*"([A-Z_]+)\"""", settings))
    assert "KSCHEDUI_ENV" in names
    documented = (ROOT / "docs/architecture.md").read_text()
    missing = {n for n in names if not n.startswith(("KSCHEDUI_MAX_", "KSCHEDUI_RATE_")) and f"`{n}`" not in documented}
    assert missing <= {"KSCHEDUI_STATIC_ROOT"}


def test_decisions_are_at_most_thirty_lines() -> None:
    for path in (ROOT / "docs/adr").glob("*.md"):
        assert len(path.read_text().splitlines()) <= 30, path.name


def test_links_between_documents_lead_somewhere() -> None:
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"(?<!!)\[[^\]]*\]\((?!https?:|#)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
