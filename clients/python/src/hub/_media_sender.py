"""Brings a run's media to the hub: their files to its output repo, then their lines."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Tuple

from ._errors import HubError
from ._spool import Spool
from ._warn import warn

#: The hub takes so many entries in a request, and 8 MiB of JSON.
MAX_ENTRIES = 100
_WINDOW_BYTES = 2 * 1024 * 1024
#: What a refusal of the file or of the line itself looks like; room in a quota may come.
_REFUSED = (400, 413, 422)


class MediaSender:
    """The lines of ``media.jsonl``. Files are uploaded by one thread, which notes how far it is; lines that far are reported by another."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._file = spool.folder / "media.jsonl"

    def is_done(self) -> bool:
        """Nothing is left to send."""
        return not self._lines(self._spool.state.get("media_at", 0))[0]

    def count(self) -> int:
        """Lines that the hub has not confirmed."""
        at, count = self._spool.state.get("media_at", 0), 0
        while True:
            lines, at = self._lines(at)
            if not lines:
                return count
            count += len(lines)

    def _lines(self, start: int, end: "int | None" = None) -> Tuple[List[bytes], int]:
        """Whole lines from an offset, and where they end."""
        try:
            with open(self._file, "rb") as file:
                file.seek(start)
                window = file.read(_WINDOW_BYTES if end is None else min(end - start, _WINDOW_BYTES))
        except FileNotFoundError:
            return [], start
        lines = window.split(b"\n")[:-1][:MAX_ENTRIES]
        return lines, start + sum(len(line) + 1 for line in lines)

    # Files

    def _uploaded(self) -> int:
        """How far the files are in the output repo, under the id of the run that it is now."""
        state = self._spool.state
        at: Mapping[str, Any] = state.get("media_uploaded") or {}
        return int(at["at"]) if state.get("run") and at.get("run") == state["run"]["id"] else 0

    def upload(self, push: Callable[[Path], None]) -> bool:
        """Uploads the next files with ``push``, which takes a folder whose paths are those of the repo; False where there are none."""
        run = self._spool.state["run"]["id"]
        lines, end = self._lines(self._uploaded())
        if not lines:
            return False
        files = [self._spool.folder / line["path"] for line in map(_read, lines) if line.get("path")]
        self._push(run, [file for file in files if file.is_file()], push)
        with self._spool.changing:
            if (self._spool.state.get("run") or {}).get("id") == run:
                self._spool.put(media_uploaded={"run": run, "at": end})
        return True

    def _push(self, run: str, files: List[Path], push: Callable[[Path], None]) -> None:
        if not files:
            return
        staging = self._spool.folder / "sending-media"
        shutil.rmtree(staging, ignore_errors=True)
        below = staging / "runs" / run / "media"
        below.mkdir(mode=0o700, parents=True)
        for file in set(files):
            try:
                os.link(file, below / file.name)
            except OSError:
                shutil.copyfile(file, below / file.name)
        try:
            push(staging)
        except HubError as error:
            if error.status not in _REFUSED or error.type.startswith("quota."):
                raise
            if len(files) == 1:
                return warn(f"the hub refused {files[0].name}, which is left out: {error}")
            # The halves tell which one, so that it does not take the others with it.
            half = len(files) // 2
            self._push(run, files[:half], push)
            self._push(run, files[half:], push)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    # Lines

    def report(self, post: Callable[[List[Mapping[str, Any]]], None]) -> bool:
        """Reports the next lines whose files are there; False where there are none."""
        state = self._spool.state
        run, start = state["run"], state.get("media_at", 0)
        lines, end = self._lines(start, self._uploaded())
        if not lines:
            return False
        entries = [_entry(line, run["id"]) for line in map(_read, lines) if line]
        if any("path" in entry for entry in entries) and not state.get("output_repo_sent"):
            return False
        if entries:
            self._post(entries, post)
        # A new attempt has nothing of it.
        if self._spool.state.get("run") != run:
            return False
        self._spool.put(media_at=end)
        return True

    def _post(self, entries: List[Mapping[str, Any]], post: Callable[[List[Mapping[str, Any]]], None]) -> None:
        try:
            post(entries)
        except HubError as error:
            if error.status not in _REFUSED or error.type.startswith("quota."):
                raise
            refused = error.refused_items("media") or (frozenset([0]) if len(entries) == 1 else frozenset())
            for index in sorted(refused)[:5]:
                warn(f"the hub refused {entries[index]['key']} of step {entries[index]['step']}, which is left out: {error.detail}")
            rest = [entry for index, entry in enumerate(entries) if index not in refused]
            parts = [rest] if refused else [rest[: len(rest) // 2], rest[len(rest) // 2 :]]
            for part in parts:
                if part:
                    self._post(part, post)


def _read(line: bytes) -> Dict[str, Any]:
    """A line's members; none of one that a power failure left in pieces."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _entry(line: Dict[str, Any], run: str) -> Mapping[str, Any]:
    entry = {name: value for name, value in line.items() if name != "ts"}
    if line.get("path"):
        entry["path"] = f"runs/{run}/{line['path']}"
    return {**entry, "at": line["ts"]} if line.get("ts") else entry
