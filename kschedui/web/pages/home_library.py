"""The lessons on the home page, which take ten times as long to render as the rest of it."""

from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from kschedui.language import language
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.lessons import TOPICS, old_names, track
from kschedui.web.pages import cards

WORDS = 4


def render_library() -> SafeString:
    """Return home_library.html in the visitor's language; it is cached until a lesson or its run changes."""
    return _render(language(), tuple(scenarios.library_marks()))


@lru_cache(maxsize=4)
def _render(language_code: str, marks: tuple[tuple[Any, ...], ...]) -> SafeString:
    """Render home_library.html: `lessons` (cards.lesson_card), `chapters` (cards.chapters), `old_names`
    (old_names.former_names), `words` to search for, `teach` and `frame` (cards.class_url and frame_url of the first
    lesson).
    """
    library = track.in_order(scenarios.library())
    lessons = [cards.lesson_card(scenario) for scenario in library]
    used = {topic for lesson in lessons for topic, _ in lesson["topics"]}
    context = {
        "lessons": lessons,
        "chapters": cards.chapters(lessons),
        "old_names": old_names.former_names(),
        "words": [label for topic, label in TOPICS.items() if topic in used][:WORDS],
        "teach": cards.class_url(library[0]) if library else "",
        "frame": cards.frame_url(library[0]) if library else "",
    }
    return render_to_string("home_library.html", context)
