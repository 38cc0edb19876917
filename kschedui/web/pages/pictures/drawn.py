"""A picture of a run or of a step in a format, as work (`kschedui.work`): plain data as input and output."""

from collections.abc import Callable
from typing import Any

from kschedui.web.pages.pictures import alone
from kschedui.web.pages.pictures.moment import moment_of


def draw_picture(
    form: str, at: tuple[str, int] | None, at_step: str, drawing: dict[str, Any], words: alone.PictureWords
) -> str | bytes:
    """Draw a picture in a format (FORMS).

    `at`: a run and a step; `at_step`: the line below its picture. `drawing` and `words`: the picture without a step,
    also used for a run whose stored keyframes are too old.
    """
    moment = moment_of(*at) if at else None
    if moment is None:
        return FORMS[form](drawing, words)
    return FORMS[form](moment.drawing, words._replace(sentence=moment.sentence, foot=at_step))


FORMS: dict[str, Callable[[dict[str, Any], alone.PictureWords], str | bytes]] = {
    "svg": alone.svg,
    "png": alone.png,
    "bare": lambda drawing, words: alone.bare(drawing),
}
