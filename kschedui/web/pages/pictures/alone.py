"""Pictures as files, in light colours: the preview of a link to a run, or to a step of it."""

import re
import textwrap
import unicodedata
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import resvg_py

from kschedui.web.pages.pictures.inline import cross
from kschedui.web.pages.pictures.shapes import QUEUE, SHARE, WIDTH, Shape, node_pitch, shapes

SIZE = (1200, 630)  # what link previews ask for
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, production 2
MARGIN = 60
FIELD = (250, 540)  # top and bottom of the cluster
NAMED_NODES = 12
SCALE = (SIZE[0] - 2 * MARGIN) / WIDTH
IDEOGRAPHS = "'PingFang SC', 'Noto Sans CJK SC', 'Microsoft YaHei', 'WenQuanYi Micro Hei', "
FONTS = "Inter, Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif"  # the first that is there

PAPER, INK, DIM, LINE, SUNK, ACCENT = "#FFFFFF", "#141C28", "#566074", "#8B97A8", "#E9EDF3", "#FFC533"
EDGE, NO = "#8A5A00", "#B8321A"
FILLS = {
    "p10": "#DCE3F2", "p100": "#A9B9DC", "p500": "#566CA6", "p1000": "#2F4379", "psys": "#141E3C", "subject": ACCENT,
    "node": SUNK, "cell": SUNK, "running": "#A9B9DC", "placed": ACCENT, "gone": PAPER, "evicted": NO,
}  # fmt: skip
STROKES = {"node": LINE, "placed": EDGE, "subject": EDGE, "gone": NO, "pending": NO, "pod": PAPER}


class PictureWords(NamedTuple):
    """The texts around the cluster; each may be "". `sentence` is broken into at most two lines."""

    title: str
    sentence: str = ""
    foot: str = ""


def svg(drawing: dict[str, Any], words: PictureWords) -> str:
    """Return the picture: the words above the cluster, and a line below it."""
    width, height = SIZE
    top, bottom = FIELD
    drawn = "".join(colour_shape(shape) for shape in shapes(drawing, WIDTH, (bottom - top) / SCALE))
    tspans = "".join(line(text, 152 + 42 * row, 32) for row, text in enumerate(lines(words.sentence)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="{attribute(words.title)}" font-family="{FONTS}">'
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/><rect width="{width}" height="14" fill="{ACCENT}"/>'
        f"{line(next(iter(lines(words.title)), ''), 96, 48, weight=600)}{tspans}"
        f'<g transform="translate({MARGIN} {top}) scale({SCALE:.3f})">{drawn}</g>'
        f"{names(drawing)}{line(words.foot, 608, 22, DIM)}</svg>"
    )


def bare(drawing: dict[str, Any]) -> str:
    """Return the cluster without texts, for a page that has them."""
    top, bottom = FIELD
    drawn = "".join(colour_shape(shape) for shape in shapes(drawing, WIDTH, (bottom - top) / SCALE))
    left = QUEUE if drawing["queue"] else 0.0
    count = len(drawing["nodes"])
    field = WIDTH if drawing["cells"] or not count else left + count * node_pitch(count, left, WIDTH)
    box = f"{MARGIN - 8} {top - 8} {field * SCALE + 16:.0f} {bottom - top + 48}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="{FONTS}">'
        f'<g transform="translate({MARGIN} {top}) scale({SCALE:.3f})">{drawn}</g>{names(drawing)}</svg>'
    )


def png(drawing: dict[str, Any], words: PictureWords) -> bytes:
    """Return the picture as PNG for sites that show no SVG. Without any of FONTS, texts are left out."""
    return resvg_py.svg_to_bytes(svg_string=svg(drawing, words), width=SIZE[0])


def lines(text: str) -> list[str]:
    """Break a text into at most two lines that fit; an ideograph counts as two letters."""
    return textwrap.wrap(text, 32 if has_ideographs(text) else 62, max_lines=2, placeholder="…")


def has_ideographs(text: str) -> bool:
    return any(unicodedata.east_asian_width(letter) in "WF" for letter in text)


def line(text: str, y: float, size: int, colour: str = INK, weight: int = 400) -> str:
    """Return a line of text at the margin; "" without text."""
    fonts = f' font-family="{IDEOGRAPHS}{FONTS}"' if has_ideographs(text) else ""
    look = f'font-size="{size}" font-weight="{weight}" fill="{colour}"{fonts}'
    return f'<text x="{MARGIN}" y="{y}" {look}>{xml(text)}</text>' if text else ""


def names(drawing: dict[str, Any]) -> str:
    """Return the names under the nodes; "" if there are more than NAMED_NODES.

    They are shortened in the middle, since the names of a pool have the same beginning.
    """
    nodes = drawing["nodes"]
    if not 0 < len(nodes) <= NAMED_NODES:
        return ""
    left = QUEUE if drawing["queue"] else 0.0
    pitch = node_pitch(len(nodes), left, WIDTH)
    width = int(pitch * SCALE / 11)
    look = f'y="{FIELD[1] + 26}" font-size="20" fill="{DIM}" text-anchor="middle"'
    middles = (MARGIN + (left + i * pitch + pitch * SHARE / 2) * SCALE for i in range(len(nodes)))
    return "".join(
        f'<text x="{x:.0f}" {look}>{xml(shorten(node.get("name", ""), width))}</text>'
        for x, node in zip(middles, nodes, strict=True)
    )


def shorten(text: str, length: int) -> str:
    """Return the text, with its middle replaced by "…" if it is longer than `length`."""
    if len(text) <= length:
        return text
    end = max(length // 2, 2)
    return f"{text[: max(length - end - 1, 1)]}…{text[-end:]}"


def colour_shape(shape: Shape) -> str:
    """Return one shape as SVG with inline colours."""
    fill, stroke, dashed = colours(shape.classes)
    dashes = ' stroke-dasharray="2.4 1.6"' if dashed else ""
    edge = f' stroke="{stroke}"{dashes}' if stroke else ""
    place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" rx="1.2"'
    return f'<rect {place} fill="{fill}"{edge}/>{cross(shape, NO)}'


def colours(class_names: str) -> tuple[str, str, bool]:
    """Return (fill, stroke or "", dashed) of a shape with these CSS classes."""
    classes = class_names.split()
    filling = [name for name in classes if name in FILLS and (name != "placed" or "cell" in classes)]
    fill = FILLS[filling[-1]] if filling else SUNK
    stroke = next((STROKES[name] for name in reversed(classes) if name in STROKES), "")
    return fill, stroke, any(name in ("gone", "pending", "joined") for name in classes)


def attribute(text: str) -> str:
    """Escape text for an attribute in double quotes."""
    return escape(NO_XML.sub("", text), {'"': "&quot;"})


def xml(text: str) -> str:
    """Escape text for an element; characters that XML does not allow are removed."""
    return escape(NO_XML.sub("", text))
