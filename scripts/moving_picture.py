"""The moving picture that README opens with, and the picture of links to the first page, made from the product.

With `make run` running: `.venv/bin/python scripts/moving_picture.py http://127.0.0.1:8000`
"""

from __future__ import annotations

import os
import shutil
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
MOVING = ROOT / "docs" / "images" / "player-moving.png"
STILL = ROOT / "static" / "preview.png"
LESSON = "/library/flash-sale/"
STEPS = ("45.0", "45.2", "45.5", "46.0", "46.3", "46.7", "48", "116.0", "116.1", "116.4", "116.6", "116.8", "116.11")
SECONDS = 1.6
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def main(site: str) -> None:
    with sync_playwright() as playwright:
        path = os.environ.get("KSCHEDUI_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-gpu"])
        look = {"reduced_motion": "reduce", "locale": "en"}
        page = browser.new_page(viewport={"width": 1280, "height": 720}, device_scale_factor=0.75, **look)
        page.goto(f"{site}{LESSON}?theme=light")
        MOVING.write_bytes(animated([picture(page, step) for step in STEPS]))
        page = browser.new_page(viewport={"width": 1200, "height": 630}, **look)
        page.goto(f"{site}{LESSON}?theme=light")
        STILL.write_bytes(picture(page, STEPS[-1]))
        browser.close()


def picture(page: Page, step: str) -> bytes:
    """Return the page at a step, once it is completely drawn."""
    page.locator("#player[data-ready]").wait_for()
    link = step.removesuffix(".0")
    page.evaluate("link => { location.hash = link }", link)
    page.locator(f"#player[data-ready='#{link}']").wait_for()
    page.wait_for_load_state("networkidle")
    return page.screenshot()


def animated(pictures: list[bytes]) -> bytes:
    """Return PNGs of one size as one animated PNG; programs without animation show its first picture."""
    first = dict(chunks(pictures[0]))
    size = first[b"IHDR"][:8]
    out = [SIGNATURE, chunk(b"IHDR", first[b"IHDR"]), chunk(b"acTL", struct.pack(">II", len(pictures), 0))]
    number = 0
    for at, one in enumerate(pictures):
        delay = struct.pack(">HH", int(SECONDS * 100), 100)
        out.append(chunk(b"fcTL", struct.pack(">I", number) + size + bytes(8) + delay + bytes(2)))
        number += 1
        for kind, data in chunks(one):
            if kind == b"IDAT" and at:
                out.append(chunk(b"fdAT", struct.pack(">I", number) + data))
                number += 1
            elif kind == b"IDAT":
                out.append(chunk(kind, data))
    return b"".join([*out, chunk(b"IEND", b"")])


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and content of each chunk of a PNG."""
    at = len(SIGNATURE)
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += size + 12


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
