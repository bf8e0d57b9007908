"""Append-only files: what ``log`` was given is in one of them before it returns."""

from __future__ import annotations

import json
import math
import os
import threading
from pathlib import Path
from typing import Any, Mapping

# A report holds 8 MiB; a line that filled one alone would starve the rest.
MAX_LINE_BYTES = 1024 * 1024
_MAX_DEPTH = 100


class LineFile:
    """A file that grows by whole writes. A write that did not fit on the disk leaves no trace."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        self.size = os.fstat(self._fd).st_size
        self._synced = self.size

    def append(self, data: bytes) -> None:
        """Returns when the kernel has the bytes: they survive this process. ``sync`` makes them survive the machine."""
        with self._lock:
            if self._fd < 0:
                raise ValueError(f"{self.path} is closed.")
            written = os.write(self._fd, data)
            if written != len(data):
                # Another process may write to the file too: only what is ours and last goes.
                end = os.lseek(self._fd, 0, os.SEEK_CUR)
                if os.fstat(self._fd).st_size == end:
                    os.ftruncate(self._fd, end - written)
                raise OSError(f"{self.path} cannot grow: the disk is full.")
            self.size += written

    def read(self, start: int, length: int) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read(length)

    def sync(self) -> None:
        """Makes what was appended survive a power failure."""
        size = self.size
        if size > self._synced:
            with self._lock:
                copy = os.dup(self._fd)
            try:
                os.fsync(copy)
            finally:
                os.close(copy)
            self._synced = size

    def drop_torn_tail(self) -> None:
        """Removes a last line without its end: its ``append`` never returned."""
        with self._lock:
            end = self.size
            while end > 0:
                start = max(0, end - 65536)
                at = self.read(start, end - start).rfind(b"\n")
                if at >= 0:
                    end = start + at + 1
                    break
                end = start
            if end != self.size:
                os.ftruncate(self._fd, end)
                self.size = end

    def last_line(self) -> bytes:
        """The last whole line, without its end; empty where there is none."""
        end = self.size
        length = min(end, MAX_LINE_BYTES + 2)
        tail = self.read(end - length, length).rstrip(b"\n")
        return tail[tail.rfind(b"\n") + 1 :]

    def close(self) -> None:
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
            self._fd = -1


def _plain(value: Any) -> Any:
    """Scalars and arrays of numeric libraries, which all know one of these; mappings that are no ``dict``, as of OmegaConf."""
    if isinstance(value, Mapping):
        return {key if isinstance(key, (str, int)) else str(key): value[key] for key in value}
    for method in ("item", "tolist"):
        convert = getattr(value, method, None)
        if convert is not None:
            try:
                found = convert()
            except Exception:  # Of whatever library: the text is left.
                continue
            # NumPy's long double is its own item.
            return float(found) if type(found) is type(value) and hasattr(value, "__float__") else found
    return str(value)


_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=_plain).encode


def encode_json(value: Any) -> str:
    """JSON in ASCII. NaN and the infinities, which JSON does not have, become null, keys text, and an integer that Python does not write in decimal its hexadecimal text. Raises ``ValueError`` for what contains itself."""
    try:
        return _encode(value)
    except (ValueError, TypeError, RecursionError):
        return _encode(_finite(value))


def encode_line(metrics: Mapping[str, Any]) -> bytes:
    """The line of ``metrics``, as ``encode_json`` writes it, with its end."""
    text = encode_json(metrics)
    if len(text) >= MAX_LINE_BYTES:
        raise ValueError(f"One line of metrics has at most {MAX_LINE_BYTES} bytes; this one has {len(text)}.")
    return text.encode("ascii") + b"\n"


def _is_decimal(value: int) -> bool:
    """Whether Python writes it in decimal: of more than 4,300 digits it does not, unless the process has set another limit."""
    try:
        int.__repr__(value)
    except ValueError:
        return False
    return True


def _finite(value: Any, depth: int = 0) -> Any:
    if depth > _MAX_DEPTH:
        raise ValueError(f"A value contains itself, or is nested more than {_MAX_DEPTH} deep.")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key if isinstance(key, (str, int)) else str(key): _finite(member, depth + 1) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(member, depth + 1) for member in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if _is_decimal(value) else hex(value)
    plain = _plain(value)
    return plain if isinstance(plain, str) else _finite(plain, depth + 1)
