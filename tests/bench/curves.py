"""Draw curves as SVG for the documentation. Both axes are logarithmic, so that a power law is a straight line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 136, 34, 44
COLOURS = ("#2f6fb0", "#b45309", "#3f7d3f", "#8a4b9e")
STEPS = (1, 2, 5)
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.grid{stroke:#ddd}.back{fill:#fff}.title{font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.back{fill:#161b22}}"
)
Curve = Sequence[tuple[float, float]]


def draw(title: str, across: str, up: str, curves: Mapping[str, Curve]) -> str:
    """Return the drawing: `across` and `up` are the titles of the axes; each curve is labelled at its last point."""
    points = [point for curve in curves.values() for point in curve]
    x = _Scale([point[0] for point in points], LEFT, WIDTH - RIGHT)
    y = _Scale([point[1] for point in points], HEIGHT - BOTTOM, TOP)
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
        f"<title>{escape(title)}</title>",
        f'<style>{STYLE}</style><rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
        _text(LEFT, 18, title, kind="title"),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across, anchor="middle"),
        f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{escape(up)}</text>',
        *_grid(x, y),
    ]
    names = _spread([(y.at(curve[-1][1]), name) for name, curve in curves.items()])
    for (name, curve), colour in zip(curves.items(), COLOURS, strict=False):
        path = " ".join(f"{x.at(one):.1f},{y.at(other):.1f}" for one, other in curve)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="3" fill="{colour}"/>' for a, b in curve]
        parts.append(f'<rect x="{WIDTH - RIGHT + 8}" y="{names[name] - 4:.0f}" width="8" height="8" fill="{colour}"/>')
        parts.append(_text(WIDTH - RIGHT + 21, names[name] + 4, name))
    return "\n".join([*parts, "</svg>\n"])


class _Scale:
    """A logarithmic axis between the round numbers below and above all values."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        marks = [step * 10.0**power for power in range(-6, 9) for step in STEPS]
        self.low = max(mark for mark in marks if mark <= min(values))
        self.high = min(mark for mark in marks if mark >= max(values) and mark > self.low)
        self.marks = [mark for mark in marks if self.low <= mark <= self.high]
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + part * (self.end - self.start)


def _grid(x: _Scale, y: _Scale) -> Iterator[str]:
    for mark in x.marks:
        at = x.at(mark)
        yield f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield _text(at, HEIGHT - BOTTOM + 16, f"{mark:,g}", anchor="middle")
    for mark in y.marks:
        at = y.at(mark)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield _text(LEFT - 6, at + 4, f"{mark:,g}", anchor="end")


def _spread(names: list[tuple[float, str]]) -> dict[str, float]:
    """Return a height for each label, near the end of its curve, at least a line apart."""
    heights: dict[str, float] = {}
    last = 0.0
    for height, name in sorted(names):
        last = heights[name] = max(height, last + 15)
    return heights


def _text(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{name}>{escape(text)}</text>'
