"""Pictures, videos and the like: each knows how it becomes a file."""

from __future__ import annotations

import json
import os
import shutil
import struct
import wave
import zlib
from pathlib import Path
from typing import Any, List, Optional, Sequence

from .._lines import encode_line
from ._said import say_once


class Media:
    """What ``log`` takes besides numbers and text. ``kind`` is the hub's name for it."""

    kind = "file"

    def __init__(self, data: Any = None, caption: Optional[str] = None, suffix: str = "") -> None:
        self.data = data
        self.caption = caption
        is_path = isinstance(data, (str, os.PathLike)) and os.path.isfile(data)
        self._path = Path(data) if is_path else None
        self.suffix = self._path.suffix if self._path is not None else suffix

    def write(self, target: Path) -> bool:
        """Writes the file; False, once said, where the data is of a kind that is not known here."""
        if self._path is not None:
            shutil.copyfile(self._path, target)
            return True
        data = self.content()
        if data is None:
            name = type(self).__name__
            say_once(f"{name}.data", f"wandb.{name} of {type(self.data).__name__} cannot be kept and is left out.")
            return False
        target.write_bytes(data)
        return True

    def content(self) -> Optional[bytes]:
        """The bytes of the file; None where they cannot be made."""
        return None


class Image(Media):
    """A file, a picture of Pillow, a figure of Matplotlib, or an array (height, width[, 1, 3 or 4])."""

    kind = "image"

    def __init__(self, data_or_path: Any, mode: Optional[str] = None, caption: Optional[str] = None, **_: Any) -> None:
        super().__init__(data_or_path, caption, ".png")

    def content(self) -> Optional[bytes]:
        import io

        for method in ("savefig", "save"):
            write = getattr(self.data, method, None)
            if write is not None:
                out = io.BytesIO()
                write(out, format="png")
                return out.getvalue()
        return png_of(self.data)


class Video(Media):
    """A file or bytes. Frames of an array need an encoder and are left out."""

    kind = "video"

    def __init__(self, data_or_path: Any, caption: Optional[str] = None, fps: Optional[int] = None, format: Optional[str] = None, **_: Any) -> None:
        super().__init__(data_or_path, caption, f".{format or 'gif'}")

    def content(self) -> Optional[bytes]:
        read = getattr(self.data, "getvalue", None)
        return read() if read is not None else None


class Audio(Media):
    """A file, or samples from -1 to 1 (a list for each time with several channels)."""

    kind = "audio"

    def __init__(self, data_or_path: Any, sample_rate: Optional[int] = None, caption: Optional[str] = None) -> None:
        super().__init__(data_or_path, caption, ".wav")
        self.sample_rate = sample_rate or 44_100

    def content(self) -> Optional[bytes]:
        import io

        samples = _listed(self.data)
        if not isinstance(samples, list):
            return None
        channels = len(samples[0]) if samples and isinstance(samples[0], list) else 1
        flat = [value for sample in samples for value in sample] if channels > 1 else [s[0] if isinstance(s, list) else s for s in samples]
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(2)
            file.setframerate(self.sample_rate)
            file.writeframes(struct.pack(f"<{len(flat)}h", *(round(max(-1.0, min(1.0, float(value))) * 32767) for value in flat)))
        return out.getvalue()


class Html(Media):
    """A file, text, or what has ``read``."""

    kind = "html"

    def __init__(self, data: Any, inject: bool = True, **_: Any) -> None:
        super().__init__(data, None, ".html")

    def content(self) -> Optional[bytes]:
        read = getattr(self.data, "read", None)
        text = read() if read is not None else self.data
        return text.encode("utf-8", "backslashreplace") if isinstance(text, str) else None


class Histogram(Media):
    """Values to count, or ``np_histogram=(counts, edges)``."""

    kind = "histogram"

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        super().__init__(None, None, ".json")
        if np_histogram is not None:
            self.histogram, self.bins = _listed(np_histogram[0]), _listed(np_histogram[1])
        else:
            self.histogram, self.bins = _counted(_flat(_listed(sequence)), max(1, min(512, num_bins)))

    def content(self) -> Optional[bytes]:
        return encode_line({"edges": self.bins, "counts": self.histogram})


class Table(Media):
    """Rows under named columns; also a data frame of pandas."""

    kind = "table"

    def __init__(self, columns: Optional[Sequence[Any]] = None, data: Any = None, rows: Any = None, dataframe: Any = None, **_: Any) -> None:
        super().__init__(None, None, ".json")
        frame = dataframe if dataframe is not None else data if hasattr(data, "columns") else None
        if frame is not None:
            self.columns, self.data = [str(one) for one in frame.columns], frame.values.tolist()
            return
        self.data = [list(row) for row in _listed(data if data is not None else rows) or []]
        self.columns = list(columns) if columns is not None else ["Input", "Output", "Expected"]

    def add_data(self, *row: Any) -> None:
        """Adds a row."""
        if len(row) != len(self.columns):
            raise ValueError(f"The table has {len(self.columns)} columns; the row has {len(row)} values.")
        self.data.append(list(row))

    def add_column(self, name: str, data: Any) -> None:
        """Adds a column with a value for each row."""
        values = _listed(data)
        if self.data and len(values) != len(self.data):
            raise ValueError(f"The table has {len(self.data)} rows; the column has {len(values)} values.")
        self.columns.append(name)
        self.data = [[*row, value] for row, value in zip(self.data or [[] for _ in values], values)]

    def get_column(self, name: str, convert_to: Optional[str] = None) -> List[Any]:
        """The values of a column."""
        at = self.columns.index(name)
        return [row[at] for row in self.data]

    def content(self) -> Optional[bytes]:
        if any(isinstance(cell, Media) for row in self.data for cell in row):
            say_once("Table.media", "Pictures and other media within a wandb.Table are kept by their caption only.")
        rows = [[cell.caption or type(cell).__name__ if isinstance(cell, Media) else cell for cell in row] for row in self.data]
        return json.dumps({"columns": self.columns, "data": rows}, default=str).encode() + b"\n"


def png_of(array: Any) -> Optional[bytes]:
    """A PNG of an array (height, width[, channels]): integers from 0 to 255, or other numbers from 0 to 1. None if it is none."""
    rows = _listed(array)
    try:
        if len(rows[0][0]) not in (1, 2, 3, 4):
            return None
    except TypeError:
        rows = [[[pixel] for pixel in row] for row in rows] if isinstance(rows, list) and rows and isinstance(rows[0], list) else None
    except IndexError:
        return None
    if not rows:
        return None
    channels, width = len(rows[0][0]), len(rows[0])
    flat = [value for row in rows for pixel in row for value in pixel]
    if any(isinstance(value, float) for value in flat):
        scale = 255 if max(flat) <= 1 else 1
        flat = [round(value * scale) if value == value else 0 for value in flat]
    size = width * channels
    data = bytes(max(0, min(255, int(value))) for value in flat)
    lines = b"".join(b"\0" + data[at : at + size] for at in range(0, len(data), size))
    header = struct.pack(">IIBBBBB", width, len(rows), 8, (0, 4, 2, 6)[channels - 1], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _listed(data: Any) -> Any:
    """Lists of an array of NumPy, PyTorch and the like."""
    for method in ("detach", "cpu"):
        data = getattr(data, method, lambda same=data: same)()
    convert = getattr(data, "tolist", None)
    return convert() if convert is not None else list(data) if isinstance(data, tuple) else data


def _flat(data: Any) -> List[float]:
    if isinstance(data, (list, tuple)):
        return [value for one in data for value in _flat(one)]
    return [data] if isinstance(data, (int, float)) and abs(data) != float("inf") and data == data else []


def _counted(values: List[float], bins: int) -> "tuple[List[int], List[float]]":
    """As NumPy counts: equal bins from the least to the greatest, the last one with its end."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int((value - low) / (high - low) * bins))] += 1
    return counts, [low + (high - low) * at / bins for at in range(bins)] + [high]
