"""The picture of a run: the queue at the left, then the nodes with the pods as they end (`ending.py` has the data).

One layout, three ways out: `inline` goes into a page, where CSS classes give each shape the colours of the theme; `svg`
and `png` stand alone in the light colours, for links that are shown elsewhere. `strip` draws the attempts one by one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from kschedui.runs.ending import EVICTED, PLACED
from kschedui.web.pages import raster

WIDTH, HEIGHT = 320, 84
LARGE = (1200, 630)  # what link previews ask for
QUEUE = 52  # width of the queue and the arrow after it
WIDEST_NODE = 42
STRIP = (132, 16)
RAMP = ((2_000_000_000, "psys"), (1000, "p1000"), (500, "p500"), (100, "p100"))
ATTEMPTS = {"S": ("bound", 1.0), "N": ("nominated", 0.62), "U": ("no-fit", 0.34), "E": ("no-fit", 0.34)}
CELLS = {"0": "running", "1": "placed", "2": "evicted"}

PAPER, INK, LINE, SUNK, HERO, EDGE, NO = "#FFFFFF", "#141C28", "#8B97A8", "#E9EDF3", "#FFC533", "#8A5A00", "#B8321A"
FILLS = {
    "p10": "#DCE3F2", "p100": "#A9B9DC", "p500": "#566CA6", "p1000": "#2F4379", "psys": "#141E3C",
    "node": SUNK, "cell": SUNK, "running": "#A9B9DC", "placed": HERO, "gone": PAPER, "evicted": NO,
}  # fmt: skip
STROKES = {"node": LINE, "placed": EDGE, "gone": NO, "pending": NO, "pod": PAPER}


class Shape(NamedTuple):
    """A rectangle and the classes that say what it is."""

    x: float
    y: float
    width: float
    height: float
    what: str


def ramp(priority: int) -> str:
    """The priority ramp's class: more ink, more important."""
    return next((name for least, name in RAMP if priority >= least), "p10")


def shapes(drawing: dict[str, Any], width: float = WIDTH, height: float = HEIGHT) -> list[Shape]:
    """Everything in the picture but the arrow and words."""
    queue = drawing["queue"]
    left = QUEUE if queue else 0.0
    cells = drawing["cells"]
    field = cell_shapes(cells, left, width, height) if cells else node_shapes(drawing["nodes"], left, width, height)
    return [*queue_shapes(queue, height), *field]


def queue_shapes(queue: list[list[int]], height: float) -> Iterator[Shape]:
    """The pods that arrived, in order, as equal squares; those that still wait at the end have a dashed edge."""
    columns = 2 if len(queue) <= 12 else 3
    pitch = min(30 / columns, height / -(-len(queue) // columns)) if queue else 0
    for i, (priority, waits) in enumerate(queue):
        x, y = i % columns * pitch, i // columns * pitch
        yield Shape(x, y, pitch - 2.5, pitch - 2.5, f"queued {ramp(priority)}{' pending' if waits else ''}")


def node_shapes(nodes: list[dict[str, Any]], left: float, width: float, height: float) -> Iterator[Shape]:
    """Nodes as columns, as tall as their cpu; pods stand on each other, evicted ones on top, even above the rim."""
    if not nodes:
        return
    pitch = min((width - left) / len(nodes), WIDEST_NODE * 1.3)
    wide = pitch * 0.77
    tallest = max(max(node["cpu"], sum(pod[0] for pod in node["pods"])) for node in nodes) or 1
    for i, node in enumerate(nodes):
        x, tall = left + i * pitch, max(height * node["cpu"] / tallest, 3)
        yield Shape(x, height - tall, wide, tall, "node joined" if node["joined"] else "node")
        yield from pod_shapes(node["pods"], x, height, wide, height / tallest)


def pod_shapes(pods: list[list[int]], x: float, floor: float, width: float, scale: float) -> Iterator[Shape]:
    """The pods of a node from the floor up; one without a cpu request is a thin mark."""
    for cpu, priority, state in pods:
        tall = max(cpu * scale, 2.5)
        floor -= tall
        if floor < -3:
            return
        kind = "gone" if state == EVICTED else f"pod {ramp(priority)}{' placed' if state == PLACED else ''}"
        yield Shape(x + 1, floor + 0.5, width - 2, max(tall - 1, 1.5), kind)


def cell_shapes(cells: str, left: float, width: float, height: float) -> Iterator[Shape]:
    """A large cluster: a square for each node, or for each few neighbours."""
    pitch = max((size for size in range(4, 15) if fits(size, len(cells), width - left, height)), default=4)
    columns = int((width - left) / pitch)
    for i, state in enumerate(cells):
        what = f"cell {CELLS.get(state, '')}".strip()
        yield Shape(left + i % columns * pitch, i // columns * pitch, pitch - 1.2, pitch - 1.2, what)


def fits(pitch: float, count: int, width: float, height: float) -> bool:
    """Whether so many squares of this pitch have room."""
    return -(-count // int(width / pitch)) * pitch <= height


def inline(drawing: dict[str, Any]) -> SafeString:
    """For a page: classes only, no colours. Decoration; `cards.words` says the same."""
    if not drawing["total"]:
        place = f'x="{WIDTH / 2}" y="{HEIGHT / 2 + 5}" text-anchor="middle"'
        said = _("no nodes")
        words = f'<text class="no-nodes" {place}>{escape(said)}</text>'
    else:
        words = arrow() if drawing["queue"] else ""
    drawn = "".join(rectangle(shape) for shape in shapes(drawing))
    return mark_safe(  # noqa: S308 - numbers, our own class names and a translated word
        f'<svg viewBox="-1 -1 {WIDTH + 2} {HEIGHT + 2}" preserveAspectRatio="xMinYMid meet">{drawn}{words}</svg>'
    )


def arrow() -> str:
    """From the queue to the nodes."""
    return f'<path class="arrow" d="M36 {HEIGHT / 2}h8m-3.5 -3.5l3.5 3.5l-3.5 3.5"/>'


def rectangle(shape: Shape) -> str:
    """One shape as SVG, coloured by its classes."""
    place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" rx="1.5"'
    return f'<rect class="{shape.what}" {place}/>{cross(shape)}'


def cross(shape: Shape, colour: str = "") -> str:
    """The ✕ on an evicted pod, where it has room."""
    if shape.what != "gone" or min(shape.width, shape.height) < 5:
        return ""
    size = min(shape.width, shape.height, 11) * 0.28
    left, top, both = shape.x + shape.width / 2 - size, shape.y + shape.height / 2 - size, 2 * size
    look = f'stroke="{colour}" stroke-width="1.4" fill="none"' if colour else 'class="cross"'
    lines = f"M{left:.1f} {top:.1f}l{both:.1f} {both:.1f}m0 {-both:.1f}l{-both:.1f} {both:.1f}"
    return f'<path {look} d="{lines}"/>'


def strip(attempts: str) -> SafeString:
    """A bar for each attempt: tall is bound, middle nominated, low no fit."""
    width, height = STRIP
    pitch = min(6.0, width / max(len(attempts), 1))
    bars = []
    for i, letter in enumerate(attempts):
        what, share = ATTEMPTS.get(letter, ATTEMPTS["E"])
        bars.append(rectangle(Shape(i * pitch, height * (1 - share), pitch * 0.75, height * share, what)))
    wide = max(len(attempts) * pitch, 1)
    return mark_safe(  # noqa: S308 - numbers and our own class names
        f'<svg class="strip" width="{wide:.0f}" height="{height}" viewBox="0 0 {wide:.1f} {height}" aria-hidden="true">'
        f"{''.join(bars)}</svg>"
    )


def colours(what: str) -> tuple[str, str, bool]:
    """(fill, stroke or "", dashed) of a shape in a picture that stands alone."""
    names = what.split()
    filling = [name for name in names if name in FILLS and (name != "placed" or "cell" in names)]
    fill = FILLS[filling[-1]] if filling else SUNK
    stroke = next((STROKES[name] for name in reversed(names) if name in STROKES), "")
    return fill, stroke, any(name in ("gone", "pending", "joined") for name in names)


def svg(drawing: dict[str, Any], title: str) -> str:
    """A picture that stands alone, with the title above the cluster."""
    width, height = LARGE
    scale = (width - 120) / WIDTH
    drawn = "".join(coloured(shape) for shape in shapes(drawing, WIDTH, (height - 230) / scale))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="{attribute(title)}">'
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/><rect width="{width}" height="14" fill="{HERO}"/>'
        f'<text x="60" y="112" font-family="system-ui, sans-serif" font-size="52" font-weight="600" fill="{INK}">'
        f'{escape(shortened(title))}</text><g transform="translate(60 170) scale({scale:.3f})">{drawn}</g></svg>'
    )


def coloured(shape: Shape) -> str:
    """One shape as SVG with its colours in it."""
    fill, stroke, dashed = colours(shape.what)
    dashes = ' stroke-dasharray="2.4 1.6"' if dashed else ""
    line = f' stroke="{stroke}"{dashes}' if stroke else ""
    place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" rx="1.2"'
    return f'<rect {place} fill="{fill}"{line}/>{cross(shape, NO)}'


def png(drawing: dict[str, Any]) -> bytes:
    """The same without words, for sites that show no SVG; edges are solid."""
    width, height = LARGE
    canvas = raster.Canvas(width, height, PAPER)
    canvas.fill(0, 0, width, 14, HERO)
    scale = (width - 120) / WIDTH
    for x, y, wide, tall, what in shapes(drawing, WIDTH, (height - 130) / scale):
        fill, stroke, _dashed = colours(what)
        left, top, across, down = 60 + x * scale, 70 + y * scale, wide * scale, tall * scale
        canvas.fill(left, top, across, down, stroke or fill)
        canvas.fill(left + 3, top + 3, across - 6, down - 6, fill)
    return canvas.png()


def shortened(title: str, length: int = 42) -> str:
    """What fits on one line."""
    return title if len(title) <= length else title[: length - 1] + "…"


def attribute(text: str) -> str:
    """Text inside double quotes of an attribute."""
    return escape(text, {'"': "&quot;"})
