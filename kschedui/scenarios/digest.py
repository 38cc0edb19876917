"""What is kept of a text beside it: read once, as plain data, so that it may be read in another process."""

from typing import Any, NamedTuple

from kschedui.scenarios import engine, importers
from kschedui.scenarios.importers.reading import raw_text
from kschedui.scenarios.prose import clean_title


class Digest(NamedTuple):
    """A text that was read. `text` is without what scheduling does not read of a cluster's print."""

    text: str
    title: str  # "" when it has none
    hidden: bool  # a cluster printed it: it is private
    summary: dict[str, Any]  # engine.summary
    pods: int  # at the start


def digest_of(text: str) -> Digest:
    """Raises ScenarioErrors."""
    printed = raw_text.was_printed(text)
    if raw_text.is_export(text):
        text = importers.convert(text, engine.limits()).text
    text = raw_text.reduced(text, engine.limits())
    parsed = engine.read(text)
    title = clean_title(parsed.title or parsed.name)
    hidden = printed or importers.IMPORTED in parsed.annotations
    return Digest(text, title, hidden, engine.summary(parsed), len(engine.nodes_and_pods(parsed)[1]))
