"""The files of a folder that an upload sends."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

from ._files import sha256_of
from ._globs import PathRules
from ._left_out import Leaving, LeftOut
from ._paths import new_path_fault, quoted

_MOST_FAULTS = 20


@dataclass(frozen=True)
class Local:
    """A file as it was when the folder was listed."""

    #: In the repo.
    path: str
    file: Path
    size: int
    mtime_ns: int
    sha256: str = ""


def walk(folder: Path, prefix: str, rules: PathRules, leaving: Leaving) -> List[Local]:
    """The files to send, below ``prefix``. What is excluded or left out by its name is neither opened nor followed. ``ValueError`` names every path that cannot be sent."""
    root = folder.resolve()
    if not root.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder.")
    found = _Walk(root, prefix, rules, leaving)
    found.enter(root, "", (root,))
    if found.faults:
        more = len(found.faults) - _MOST_FAULTS
        named = found.faults[:_MOST_FAULTS] + ([f"and {more} more"] if more > 0 else [])
        raise ValueError(f"{folder} has paths that cannot be sent; nothing was sent: {'; '.join(named)}.")
    return list(found.files.values())


class _Walk:
    def __init__(self, root: Path, prefix: str, rules: PathRules, leaving: Leaving) -> None:
        self.files: Dict[str, Local] = {}
        self.faults: List[str] = []
        self._root = root
        self._prefix = prefix
        self._rules = rules
        self._leaving = leaving

    def enter(self, directory: Path, above: str, trail: Tuple[Path, ...]) -> None:
        """``trail`` has the real paths of all folders from the root; a repeated one is a cycle."""
        self._leaving.enter(above, directory)
        for entry in sorted(os.scandir(directory), key=lambda each: each.name):
            self._look(entry, above + unicodedata.normalize("NFC", entry.name), trail)

    def _look(self, entry: "os.DirEntry[str]", path: str, trail: Tuple[Path, ...]) -> None:
        """Whether an entry is wanted is decided by its path, before it is opened."""
        rules, leaving = self._rules, self._leaving
        if leaving.never(path.rpartition("/")[2]) or rules.excludes(path):
            return
        is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
        may_be_folder = is_folder or is_link
        # A link may be either, and is not followed to find out.
        left = leaving.folder(path, is_link) if may_be_folder else None
        if left is None and not is_folder:
            left = leaving.file(path)
        is_wanted = rules.matches(path) or (may_be_folder and rules.may_hold(path))
        if left is not None:
            self._leave(left, is_wanted)
        elif is_folder and is_wanted:
            self.enter(Path(entry.path), f"{path}/", trail + (Path(entry.path).resolve(),))
        elif is_link and is_wanted:
            self._follow(Path(entry.path), path, trail)
        elif is_wanted:
            self._take(path, Path(entry.path))

    def _leave(self, left: LeftOut, is_wanted: bool) -> None:
        if is_wanted:
            self._leaving.left.append(left)

    def _follow(self, link: Path, path: str, trail: Tuple[Path, ...]) -> None:
        try:
            real = link.resolve(strict=True)
        except (OSError, RuntimeError):
            return self._fault(path, "is a broken symbolic link")
        is_inside = real == self._root or self._root in real.parents
        if not real.is_dir() and not self._rules.matches(path):
            return None
        if not is_inside:
            return self._fault(path, "is a symbolic link that leaves the folder")
        if not real.is_dir():
            return self._take(path, real)
        if real in trail:
            return self._fault(path, "is a symbolic link to a folder that contains it")
        return self.enter(link, f"{path}/", trail + (real,))

    def _take(self, path: str, real: Path) -> None:
        name = f"{self._prefix}/{path}" if self._prefix else path
        why = new_path_fault(name)
        if why is None and not real.is_file():
            why = "is neither a file nor a folder"
        if why is not None:
            return self._fault(name, why)
        secret = self._leaving.secret(path, real)
        if secret is not None:
            return self._leave(secret, True)
        if name in self.files:
            return self._fault(name, "is the name of two files that differ only in their Unicode form")
        stat = real.stat()
        self.files[name] = Local(name, real, stat.st_size, stat.st_mtime_ns)
        return None

    def _fault(self, path: str, why: str) -> None:
        self.faults.append(f"{quoted(path)} {why}")


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
