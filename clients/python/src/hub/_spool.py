"""The folder of one run on this machine: its lines, what of them the hub has, and who can send the rest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import uuid
from pathlib import Path
from typing import IO, Any, Dict, Iterator, Optional, Set

from ._lines import LineFile

_held: Set[Path] = set()
_held_lock = threading.Lock()


class Spool:
    """A locked folder. The lock belongs to this process: it ends with it, however it ends, and a forked child does not have it."""

    def __init__(self, folder: Path, lock: IO[bytes]) -> None:
        self.folder = folder
        self._lock_file = lock
        #: Held by the thread that decides on the state what to put.
        self.changing = threading.RLock()
        self.state: Dict[str, Any] = _read_json(folder / "journal.json") or {}
        self.metrics = LineFile(folder / "metrics.jsonl")
        self.log = LineFile(folder / "output.log")
        self.metrics.drop_torn_tail()
        self.uploads = folder / "uploads"
        self.uploads.mkdir(mode=0o700, exist_ok=True)

    def put(self, **changes: Any) -> None:
        """Records state, all of it or none."""
        with self.changing:
            self.state = {**self.state, **changes}
            new = self.folder / "journal.json.new"
            with open(new, "w", encoding="utf-8") as file:
                json.dump(self.state, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self.folder / "journal.json")

    def release(self) -> None:
        """Leaves the folder to the process that opens it next."""
        self.metrics.close()
        self.log.close()
        self._lock_file.close()
        with _held_lock:
            _held.discard(self.folder)

    def remove(self) -> None:
        """Deletes the folder: the hub has everything."""
        self.metrics.close()
        self.log.close()
        # While it is locked, so that no process opens half of it; the journal first, so that what is left of it is not a run.
        (self.folder / "journal.json").unlink()
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self.folder.parent.rmdir()
        except OSError:
            # Others are in it.
            pass
        self._lock_file.close()
        with _held_lock:
            _held.discard(self.folder)


def new_spool(root: Path, identity: str, **state: Any) -> Spool:
    """A spool of its own for a run that is about to start."""
    folder = root / identity / uuid.uuid4().hex
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileNotFoundError:
        # The run that ended just now took the folder above with it.
        folder.mkdir(mode=0o700, parents=True)
    lock = _lock(folder)
    if lock is None:
        raise RuntimeError(f"{folder} is locked by another process.")
    spool = Spool(folder, lock)
    spool.put(**state)
    return spool


def left_spools(root: Path, identity: Optional[str] = None) -> Iterator[Spool]:
    """Opens what dead processes left, the oldest first: of this identity, or all. The caller releases what it does not keep."""
    folders = [root / identity] if identity is not None else sorted(_folders(root))
    for parent in folders:
        for folder in sorted(_folders(parent), key=_made):
            if not (folder / "journal.json").exists():
                continue
            lock = _lock(folder)
            if lock is None:
                continue
            # Its owner may have finished and removed it meanwhile.
            if not (folder / "journal.json").exists():
                _unlock(folder, lock)
                continue
            yield Spool(folder, lock)


def identity_of(*parts: Any) -> str:
    """Names what a process is doing, so that its next start is recognised."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _folders(parent: Path) -> "list[Path]":
    try:
        return [entry for entry in parent.iterdir() if entry.is_dir()]
    except FileNotFoundError:
        return []


def _made(folder: Path) -> float:
    try:
        return folder.stat().st_ctime
    except FileNotFoundError:
        return 0.0


def _read_json(file: Path) -> Optional[Dict[str, Any]]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return None
    return found if isinstance(found, dict) else None


def _lock(folder: Path) -> Optional[IO[bytes]]:
    """The lock, or None while another process, or another run of this one, has it. Locks of POSIX do not tell runs of one process apart."""
    with _held_lock:
        if folder in _held:
            return None
        try:
            file = open(folder / "lock", "ab")
        except FileNotFoundError:
            return None
        if not _take(file):
            file.close()
            return None
        _held.add(folder)
        return file


def _unlock(folder: Path, lock: IO[bytes]) -> None:
    lock.close()
    with _held_lock:
        _held.discard(folder)


if os.name == "nt":
    import msvcrt

    def _take(file: IO[bytes]) -> bool:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: IO[bytes]) -> bool:
        try:
            fcntl.lockf(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
