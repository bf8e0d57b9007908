"""PNG, and its animated kind, written with zlib alone."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple

from ._arrays import array_of, is_array, is_tensor, without_nan

_HEAD = b"\x89PNG\r\n\x1a\n"
#: Color types of PNG by channels: gray, gray and alpha, color, color and alpha.
_COLORS = {1: 0, 2: 4, 3: 2, 4: 6}


@dataclass(frozen=True)
class Pixels:
    """Bytes of a picture, row by row."""

    width: int
    height: int
    channels: int
    data: bytes


def pixels_of(data: Any) -> Optional[Pixels]:
    """The picture of an array (height, width[, channels]), or of a tensor of PyTorch (channels first); None if it is none.

    As wandb reads them: values below 0 are stretched to 0 to 1, those up to 1 times 255, others cut off at 255.
    """
    has_channels_first = is_tensor(data)
    array = array_of(data)
    return _of_array(array, has_channels_first) if is_array(array) else _of_lists(array)


def _of_array(array: Any, has_channels_first: bool) -> Optional[Pixels]:
    while array.ndim > 3 and array.shape[0] == 1:
        array = array[0]
    if array.ndim == 4 and has_channels_first:
        # Several pictures side by side.
        many, channels, high, wide = array.shape
        array = array.transpose(1, 2, 0, 3).reshape(channels, high, many * wide)
    if array.ndim == 3 and (has_channels_first or array.shape[2] > 4) and array.shape[0] in (1, 3, 4):
        array = array.transpose(1, 2, 0)
    channels = array.shape[2] if array.ndim == 3 else 1
    if array.ndim not in (2, 3) or channels not in _COLORS or array.size == 0:
        return None
    if str(array.dtype) != "uint8" or array.max() <= 1:
        array = without_nan(array.astype("float64"))
        if array.min() < 0:
            array = (array - array.min()) / ((array.max() - array.min()) or 1)
        array = array * 255 if array.max() <= 1 else array
        array = array.clip(0, 255).astype("uint8")
    return Pixels(array.shape[1], array.shape[0], channels, array.tobytes())


def _of_lists(rows: Any) -> Optional[Pixels]:
    if not isinstance(rows, (list, tuple)) or not rows or not isinstance(rows[0], (list, tuple)) or not rows[0]:
        return None
    pixel = rows[0][0]
    channels = len(pixel) if isinstance(pixel, (list, tuple)) else 1
    if channels not in _COLORS:
        return None
    flat = [float(value) for row in rows for one in row for value in (one if isinstance(one, (list, tuple)) else (one,))]
    if len(flat) != len(rows) * len(rows[0]) * channels:
        return None
    flat = [value if value == value else 0.0 for value in flat]
    low, high = min(flat), max(flat)
    if low < 0:
        flat, high = [(value - low) / ((high - low) or 1) for value in flat], 1.0
    scale = 255 if high <= 1 else 1
    data = bytes(int(max(0.0, min(255.0, value * scale))) for value in flat)
    return Pixels(len(rows[0]), len(rows), channels, data)


def png(picture: Pixels) -> bytes:
    """A PNG file."""
    return _HEAD + _header(picture) + _chunk(b"IDAT", _packed(picture, 6)) + _chunk(b"IEND", b"")


def animated_png(frames: Sequence[Pixels], fps: float) -> bytes:
    """An animated PNG that goes on from its beginning; a viewer that does not know of them shows the first frame."""
    first = frames[0]
    parts: List[bytes] = [_HEAD, _header(first), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    number = 0
    for at, frame in enumerate(frames):
        delay = max(1, min(65_535, round(1000 / fps)))
        parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, frame.width, frame.height, 0, 0, delay, 1000, 0, 0)))
        number += 1
        packed = _packed(frame, 1)
        if at == 0:
            parts.append(_chunk(b"IDAT", packed))
        else:
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + packed))
            number += 1
    return b"".join([*parts, _chunk(b"IEND", b"")])


def _header(picture: Pixels) -> bytes:
    values = (picture.width, picture.height, 8, _COLORS[picture.channels], 0, 0, 0)
    return _chunk(b"IHDR", struct.pack(">IIBBBBB", *values))


def _packed(picture: Pixels, level: int) -> bytes:
    size = picture.width * picture.channels
    rows = (picture.data[at : at + size] for at in range(0, len(picture.data), size))
    return zlib.compress(b"".join(b"\0" + row for row in rows), level)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def size_of_file(file: Path) -> Optional[Tuple[int, int]]:
    """Width and height of a PNG, a GIF or a JPEG, from its first bytes."""
    with open(file, "rb") as opened:
        head = opened.read(65_536)
    if head.startswith(_HEAD) and len(head) >= 24:
        wide, high = struct.unpack(">II", head[16:24])
        return wide, high
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        wide, high = struct.unpack("<HH", head[6:10])
        return wide, high
    return _size_of_jpeg(head) if head.startswith(b"\xff\xd8") else None


def _size_of_jpeg(head: bytes) -> Optional[Tuple[int, int]]:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker, length = head[at + 1], struct.unpack(">H", head[at + 2 : at + 4])[0]
        # The frames, but for the tables of Huffman (C4), the reserved one (C8) and the arithmetic ones (CC).
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            high, wide = struct.unpack(">HH", head[at + 5 : at + 9])
            return wide, high
        at += 2 + length
    return None
