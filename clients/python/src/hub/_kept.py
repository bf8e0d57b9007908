"""What of a run only this machine has, in words."""

from __future__ import annotations

from typing import List

from ._media_sender import MediaSender
from ._spool import Spool

_CHUNK_BYTES = 1024 * 1024


def kept_of(spool: Spool) -> str:
    """Lines, log and files that the hub has not confirmed; at least the end of the run."""
    state = spool.state
    found: List[str] = []
    lines = _lines(spool, state.get("metrics_at", 0))
    if lines:
        found.append(_count(lines, "line of metrics", "lines of metrics"))
    log = spool.log.size - state.get("log_at", 0)
    if log > 0:
        found.append(f"{_size(log)} of log")
    media = MediaSender(spool).count()
    if media:
        found.append(_count(media, "picture or the like", "pictures and the like"))
    files = [file for file in spool.uploads.rglob("*") if file.is_file()]
    if files:
        found.append(f"{_count(len(files), 'file', 'files')} ({_size(sum(file.stat().st_size for file in files))})")
    if state.get("run") is None:
        found.insert(0, "the run itself")
    elif not found:
        found.append("the end of the run")
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


def _lines(spool: Spool, start: int) -> int:
    """Counted by piece: a run may have gigabytes of them."""
    count = 0
    while start < spool.metrics.size:
        piece = spool.metrics.read(start, _CHUNK_BYTES)
        if not piece:
            break
        count += piece.count(b"\n")
        start += len(piece)
    return count


def _count(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def _size(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    if unit == "bytes":
        return _count(int(count), "byte", "bytes")
    return f"{count:.1f} {unit}"
