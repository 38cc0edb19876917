"""Pictures of a run inside a page: CSS classes give each shape the colours of the theme."""

from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from kschedui.web.pages.pictures.shapes import HEIGHT, WIDTH, Shape, shapes

STRIP = (132, 16)
ATTEMPTS = {"S": ("bound", 1.0), "N": ("nominated", 0.62), "U": ("no-fit", 0.34), "E": ("no-fit", 0.34)}


def inline(drawing: dict[str, Any]) -> SafeString:
    """Return the SVG for a page, with classes instead of colours. It has no text alternative: `cards.words` says the
    same.
    """
    if not drawing["total"]:
        place = f'x="{WIDTH / 2}" y="{HEIGHT / 2 + 5}" text-anchor="middle"'
        nothing = _("no nodes")
        words = f'<text class="no-nodes" {place}>{escape(nothing)}</text>'
    else:
        words = arrow() if drawing["queue"] else ""
    drawn = "".join(rectangle(shape) for shape in shapes(drawing))
    return mark_safe(  # noqa: S308 - numbers, our own class names and a translated word
        f'<svg viewBox="-1 -1 {WIDTH + 2} {HEIGHT + 2}" preserveAspectRatio="xMinYMid meet">{drawn}{words}</svg>'
    )


def arrow() -> str:
    """Return the arrow from the queue to the nodes."""
    return f'<path class="arrow" d="M36 {HEIGHT / 2}h8m-3.5 -3.5l3.5 3.5l-3.5 3.5"/>'


def rectangle(shape: Shape) -> str:
    """Return one shape as SVG, coloured by its classes."""
    place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" rx="1.5"'
    return f'<rect class="{shape.classes}" {place}/>{cross(shape)}'


def cross(shape: Shape, colour: str = "") -> str:
    """Return the ✕ on an evicted pod; "" for other shapes and small ones."""
    if shape.classes != "gone" or min(shape.width, shape.height) < 5:
        return ""
    size = min(shape.width, shape.height, 11) * 0.28
    left, top, both = shape.x + shape.width / 2 - size, shape.y + shape.height / 2 - size, 2 * size
    look = f'stroke="{colour}" stroke-width="1.4" fill="none"' if colour else 'class="cross"'
    lines = f"M{left:.1f} {top:.1f}l{both:.1f} {both:.1f}m0 {-both:.1f}l{-both:.1f} {both:.1f}"
    return f'<path {look} d="{lines}"/>'


def strip(attempts: str) -> SafeString:
    """Return a strip with a bar for each attempt: tall if bound, medium if nominated, low if it failed."""
    width, height = STRIP
    pitch = min(6.0, width / max(len(attempts), 1))
    bars = []
    for i, letter in enumerate(attempts):
        css_class, share = ATTEMPTS.get(letter, ATTEMPTS["E"])
        bars.append(rectangle(Shape(i * pitch, height * (1 - share), pitch * 0.75, height * share, css_class)))
    wide = max(len(attempts) * pitch, 1)
    return mark_safe(  # noqa: S308 - numbers and our own class names
        f'<svg class="strip" width="{wide:.0f}" height="{height}" viewBox="0 0 {wide:.1f} {height}" aria-hidden="true">'
        f"{''.join(bars)}</svg>"
    )
