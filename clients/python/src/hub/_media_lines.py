"""Media of a run on this machine: files below ``media/``, and a line for each in ``media.jsonl``."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._lines import LineFile, encode_json, encode_line
from ._media import Media, media_of
from ._once import say_once

#: The hub's limit of a value in a line; a larger one is a file.
MAX_VALUE_BYTES = 64 * 1024
#: As many of one key and step as wandb takes.
MAX_OF_ONE_STEP = 108
#: The hub's limit of a caption, in UTF-16.
_MAX_CAPTION_UNITS = 1024
_PLAIN = {int, float, str, bool, type(None)}


class MediaLines:
    """The media of one run's folder. A file is whole, and on the disk, before its line is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._file: Optional[LineFile] = None

    def keep(self, key: str, step: int, values: Sequence[Media], first: int = 0) -> None:
        """Keeps several of one key and step, numbered from ``first``. What cannot be kept is said once and left out: a training goes on."""
        if len(values) > MAX_OF_ONE_STEP:
            say_once(f"media.{key}", f"{key}: {MAX_OF_ONE_STEP} of {len(values)} are kept.")
        for index, one in enumerate(values[:MAX_OF_ONE_STEP], first):
            try:
                self._keep(key, step, index, one)
            except Exception as error:
                name = type(one).__name__
                say_once(f"media.{name}", f"{name} of {key} is left out: {type(error).__name__}: {error}")

    def close(self) -> None:
        """Makes what was kept survive a power failure."""
        with self._lock:
            if self._file is not None:
                self._file.sync()
                self._file.close()
                self._file = None

    def _keep(self, key: str, step: int, index: int, one: Media) -> None:
        line: Dict[str, Any] = {"key": key, "step": step, "index": index, "kind": one.kind}
        value = one.value()
        text = encode_json(value).encode("ascii") if value is not None else b""
        if value is not None and len(text) <= MAX_VALUE_BYTES:
            line["value"] = json.loads(text)
        else:
            file = self._put(one, text, f"{_file_name(key)}_{step}_{index}")
            if file is None:
                return
            # Frames may have become a picture that moves.
            line.update(kind=one.kind, path=file.relative_to(self._folder).as_posix(), **one.facts(file))
        if one.caption is not None:
            line["caption"] = _caption(str(one.caption))
        line["ts"] = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._append(encode_line(line))

    def _put(self, one: Media, text: bytes, name: str) -> Optional[Path]:
        folder = self._folder / "media"
        folder.mkdir(mode=0o700, exist_ok=True)
        making = folder / f".making-{uuid.uuid4().hex}{one.suffix}"
        made: Optional[Path] = making
        try:
            if text:
                making.write_bytes(text)
            else:
                made = one.write(making)
            if made is None:
                return None
            digest = _synced_digest(made)
            # By content: what is logged again at the same step does not change a file that is being sent.
            target = folder / f"{name}_{digest[:12]}{made.suffix}"
            os.replace(made, target)
            return target
        finally:
            for left in (making, made):
                if left is not None:
                    left.unlink(missing_ok=True)

    def _append(self, line: bytes) -> None:
        with self._lock:
            if self._file is None:
                self._file = LineFile(self._folder / "media.jsonl")
                self._file.drop_torn_tail()
            self._file.append(line)


def split_media(line: Mapping[str, Any]) -> Tuple[Mapping[str, Any], Dict[str, List[Media]]]:
    """The line without its media, and these by key; those of nested values have the key ``a/b``."""
    if _PLAIN.issuperset(map(type, line.values())):
        return line, {}
    rest: Dict[str, Any] = {}
    found: Dict[str, List[Media]] = {}
    for key, value in line.items():
        if isinstance(value, Mapping):
            inner, below = split_media(value)
            found.update({f"{key}/{name}": one for name, one in below.items()})
            if inner or not below:
                rest[key] = inner
            continue
        media = media_in(value)
        if media:
            found[key] = media
        else:
            rest[key] = value
    return rest, found


def media_in(value: Any) -> List[Media]:
    """The media that a value is, or is a list of; empty for any other value."""
    many = value if isinstance(value, (list, tuple)) else [value]
    if not many or not isinstance(value, (list, tuple)) and type(value) in _PLAIN:
        return []
    found = [media_of(one) for one in many[:1]]
    if found == [None]:
        return []
    return [one for one in map(media_of, many) if one is not None]


def _caption(text: str) -> str:
    """As the hub takes it: well-formed, without NUL, not too long."""
    units = text.replace("\0", "").encode("utf-16-le", "ignore")
    return units[: 2 * _MAX_CAPTION_UNITS].decode("utf-16-le", "ignore")


def _file_name(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", key).strip("._")[:80] or "media"


def _synced_digest(file: Path) -> str:
    digest = hashlib.sha256()
    with open(file, "rb+") as opened:
        for part in iter(lambda: opened.read(1024 * 1024), b""):
            digest.update(part)
        os.fsync(opened.fileno())
    return digest.hexdigest()
