"""Versioned folders of a run."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, Optional

from .._lines import encode_json
from .._media import Media
from ._said import Harmless, say_once


class Artifact:
    """Files under a name. ``run.log_artifact`` makes them the next version of it."""

    def __init__(self, name: str, type: str, description: Optional[str] = None, metadata: Optional[Mapping[str, Any]] = None, **_: Any) -> None:
        self.base_name = name
        self.type = type
        self.description = description
        self.metadata: Dict[str, Any] = dict(metadata or {})
        self.aliases: List[str] = []
        self.version: Optional[str] = None
        #: Path in the artifact to the file of this machine.
        self.files_here: Dict[str, Path] = {}
        #: Brings the files of one that a hub has; None for one of this machine.
        self.fetch: Optional[Callable[[Path], None]] = None
        self._digest: Optional[str] = None
        self._made: Optional[Path] = None

    @property
    def name(self) -> str:
        """The name; once it is logged with its version, ``NAME:v0``."""
        return f"{self.base_name}:{self.version}" if self.version else self.base_name

    @property
    def digest(self) -> str:
        """Names the content: paths and bytes."""
        if self._digest is None:
            self._digest = _digest_of(self.files_here)
        return self._digest

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.stat().st_size for file in self.files_here.values())

    @property
    def file_count(self) -> int:
        """Number of its files."""
        return len(self.files_here)

    def add_file(self, local_path: "str | os.PathLike[str]", name: Optional[str] = None, **_: Any) -> None:
        """Adds a file, as ``name`` or under its own name."""
        source = Path(local_path)
        if not source.is_file():
            raise ValueError(f"{source} is not a file.")
        self._put(name or source.name, source)

    def add_dir(self, local_path: "str | os.PathLike[str]", name: Optional[str] = None, **_: Any) -> None:
        """Adds all files of a folder, below ``name``."""
        folder = Path(local_path)
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder.")
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                path = file.relative_to(folder).as_posix()
                self._put(f"{name}/{path}" if name else path, file)

    def add(self, obj: Any, name: str, **_: Any) -> None:
        """Adds a table, a picture or the like as a file."""
        if not isinstance(obj, Media):
            return say_once("Artifact.add", f"wandb.Artifact.add of {type(obj).__name__} is left out.")
        target = self._folder() / _inside(name if name.endswith(obj.suffix) else f"{name}{obj.suffix}")
        target.parent.mkdir(parents=True, exist_ok=True)
        value = obj.value()
        if value is not None:
            target.write_text(encode_json(value), "utf-8")
            made: Optional[Path] = target
        else:
            made = obj.write(target)
        if made is not None:
            self._put(made.relative_to(self._folder()).as_posix(), made)

    def add_reference(self, uri: Any, *_: Any, **__: Any) -> None:
        """Only files of this machine are kept."""
        say_once("Artifact.add_reference", f"wandb.Artifact.add_reference is not supported by the hub: {uri} is left out. Download it and use add_file.")

    @contextmanager
    def new_file(self, name: str, mode: str = "x", encoding: Optional[str] = None) -> Iterator[IO[Any]]:
        """A new file to write, which is added when it is closed."""
        file = self._folder() / _inside(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, mode, encoding=encoding) as opened:
            yield opened
        self._put(name, file)

    def wait(self, timeout: Optional[float] = None) -> Artifact:
        """Itself: its files are copied when ``log_artifact`` returns."""
        return self

    def download(self, root: "str | os.PathLike[str] | None" = None, **_: Any) -> str:
        """Puts its files below ``root``, by default ``artifacts/NAME:VERSION``, and returns where that is."""
        target = Path(root) if root is not None else Path("artifacts", self.name.replace("/", "_"))
        target.mkdir(parents=True, exist_ok=True)
        if self.fetch is not None:
            self.fetch(target)
        for path, file in self.files_here.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            if not (target / path).exists() or not os.path.samefile(file, target / path):
                shutil.copyfile(file, target / path)
        return str(target)

    def file(self, root: "str | os.PathLike[str] | None" = None) -> str:
        """Downloads an artifact of one file, and returns where it is."""
        folder = Path(self.download(root))
        found = [one for one in folder.rglob("*") if one.is_file()]
        if len(found) != 1:
            raise ValueError(f"{self.name} has {len(found)} files; use download().")
        return str(found[0])

    def _folder(self) -> Path:
        if self._made is None:
            self._made = Path(tempfile.mkdtemp(prefix="hub-artifact-"))
            atexit.register(shutil.rmtree, self._made, True)
        return self._made

    def _put(self, path: str, file: Path) -> None:
        self.files_here[_inside(path)] = file
        self._digest = None

    def __getattr__(self, name: str) -> Harmless:
        if name.startswith("_"):
            raise AttributeError(name)
        return Harmless(f"wandb.Artifact.{name}")


def _digest_of(files: Mapping[str, Path]) -> str:
    whole = hashlib.sha256()
    for path, file in sorted(files.items()):
        one = hashlib.sha256()
        with open(file, "rb") as opened:
            for part in iter(lambda: opened.read(1024 * 1024), b""):
                one.update(part)
        whole.update(f"{path}\0{one.hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def _inside(path: str) -> str:
    parts = path.replace(os.sep, "/").split("/")
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{path!r} is not a path within an artifact.")
    return "/".join(parts)
