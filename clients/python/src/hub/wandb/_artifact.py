"""Versioned folders of a run."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional


class Artifact:
    """Files under a name. ``run.log_artifact`` makes them the next version of it."""

    def __init__(self, name: str, type: str, description: Optional[str] = None, metadata: Optional[Mapping[str, Any]] = None, **_: Any) -> None:
        self.name = name
        self.type = type
        self.description = description
        self.metadata: Dict[str, Any] = dict(metadata or {})
        self.aliases: List[str] = []
        self.version: Optional[str] = None
        #: Path in the artifact to the file of this machine.
        self.files_here: Dict[str, Path] = {}
        self._made: Optional[Path] = None

    def add_file(self, local_path: "str | os.PathLike[str]", name: Optional[str] = None, **_: Any) -> None:
        """Adds a file, as ``name`` or under its own name."""
        source = Path(local_path)
        if not source.is_file():
            raise ValueError(f"{source} is not a file.")
        self.files_here[_inside(name or source.name)] = source

    def add_dir(self, local_path: "str | os.PathLike[str]", name: Optional[str] = None, **_: Any) -> None:
        """Adds all files of a folder, below ``name``."""
        folder = Path(local_path)
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder.")
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                path = file.relative_to(folder).as_posix()
                self.files_here[_inside(f"{name}/{path}" if name else path)] = file

    @contextmanager
    def new_file(self, name: str, mode: str = "x", encoding: Optional[str] = None) -> Iterator[IO[Any]]:
        """A new file to write, which is added when it is closed."""
        if self._made is None:
            self._made = Path(tempfile.mkdtemp(prefix="hub-artifact-"))
            atexit.register(shutil.rmtree, self._made, True)
        file = self._made / _inside(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, mode, encoding=encoding) as opened:
            yield opened
        self.files_here[_inside(name)] = file

    def wait(self, timeout: Optional[float] = None) -> Artifact:
        """Itself: its files are copied when ``log_artifact`` returns."""
        return self


def _inside(path: str) -> str:
    parts = path.replace(os.sep, "/").split("/")
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{path!r} is not a path within an artifact.")
    return path
