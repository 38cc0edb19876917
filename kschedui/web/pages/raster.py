"""Rectangles on a canvas, written as PNG: enough for a picture of a cluster, without an imaging library."""

import struct
import zlib

import numpy as np


class Canvas:
    """uint8[height, width, 3], filled with one colour "#RRGGBB"."""

    def __init__(self, width: int, height: int, colour: str) -> None:
        self.pixels = np.empty((height, width, 3), np.uint8)
        self.pixels[:] = rgb(colour)

    def fill(self, x: float, y: float, width: float, height: float, colour: str, strength: float = 1.0) -> None:
        """Blend a rectangle in; what lies outside the canvas is cut off."""
        rows, columns = self.pixels.shape[:2]
        top, bottom = (min(max(round(edge), 0), rows) for edge in (y, y + height))
        left, right = (min(max(round(edge), 0), columns) for edge in (x, x + width))
        area = self.pixels[top:bottom, left:right]
        area[:] = (area * (1 - strength) + rgb(colour) * strength).astype(np.uint8)

    def png(self) -> bytes:
        """The file: 8 bits a channel, no filter."""
        height, width = self.pixels.shape[:2]
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        lines = np.zeros((height, 1 + width * 3), np.uint8)
        lines[:, 1:] = self.pixels.reshape(height, -1)
        parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(block(name, data) for name, data in parts)


def rgb(colour: str) -> np.ndarray:
    """A colour "#RRGGBB" as float[3]."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)


def block(name: bytes, data: bytes) -> bytes:
    """A PNG chunk: length, name, data, checksum."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
