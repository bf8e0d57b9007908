"""The files of a folder that an upload sends."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Tuple

from ._files import sha256_of
from ._left_out import Leaving


@dataclass(frozen=True)
class Local:
    """A file as it was when the folder was listed."""

    #: In the repo.
    path: str
    file: Path
    size: int
    mtime_ns: int
    sha256: str = ""


def walk(folder: Path, prefix: str, meant: Callable[[str], bool], leaving: Leaving) -> List[Local]:
    """The files to send, below ``prefix``. What is left out by its name is neither opened nor followed; ``ValueError`` for what cannot be sent."""
    root = folder.resolve()
    if not root.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder.")
    found: Dict[str, Local] = {}

    def enter(directory: Path, above: str, trail: Tuple[Path, ...]) -> None:
        leaving.enter(above, directory)
        for entry in sorted(os.scandir(directory), key=lambda each: each.name):
            path = above + unicodedata.normalize("NFC", entry.name)
            is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
            if leaving.never(entry.name) or ((is_folder or is_link) and leaving.folder(path, is_link)):
                continue
            if not is_folder and (not meant(path) and not is_link or leaving.file(path)):
                continue
            real = Path(entry.path).resolve()
            if is_link and real != root and root not in real.parents:
                raise ValueError(f"{path} is a symbolic link that leaves the folder; nothing was sent.")
            if real.is_dir():
                if real in trail:
                    raise ValueError(f"{path} is a symbolic link to a folder that contains it; nothing was sent.")
                enter(Path(entry.path), f"{path}/", trail + (real,))
            elif meant(path):
                take(path, real)

    def take(path: str, real: Path) -> None:
        if not real.is_file():
            raise ValueError(f"{path} is neither a file nor a folder; nothing was sent.")
        if leaving.holds_secret(path, real):
            return
        stat = real.stat()
        name = f"{prefix}/{path}" if prefix else path
        if name in found:
            raise ValueError(f"{path} is the name of two files that differ only in their Unicode form; nothing was sent.")
        found[name] = Local(name, real, stat.st_size, stat.st_mtime_ns)

    enter(root, "", (root,))
    return list(found.values())


def hashed_file(local: Local) -> Local:
    """The file with its SHA-256. ``RuntimeError`` if it has changed since it was listed."""
    digest = sha256_of(local.file)
    assert_unchanged(local)
    return Local(local.path, local.file, local.size, local.mtime_ns, digest)


def assert_unchanged(local: Local) -> None:
    """``RuntimeError`` if the file has changed since it was listed."""
    stat = local.file.stat()
    if (stat.st_size, stat.st_mtime_ns) != (local.size, local.mtime_ns):
        raise RuntimeError(f"{local.path} changed while it was being sent; upload again.")
