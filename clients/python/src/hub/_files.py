"""Files of a repo: listings, single downloads and snapshots, each verified by its SHA-256."""

from __future__ import annotations

import hashlib
import os
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from ._crew import bind, crew
from ._errors import HubConnectionError, HubError
from ._globs import Patterns, path_rules
from ._http import RESPONSE_TIMEOUT_S, Client, open_url, segment, shown, with_retry
from ._paths import case_collisions, is_git_name, listing_faults, quoted
from ._settings import connect
from ._warn import warn

CHUNK_BYTES = 1024 * 1024
#: How the name of an unfinished download begins.
PARTIAL = ".hub-part-"
#: Named in one message.
_MOST_FAULTS = 20

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class _At:
    """A repo in one of its versions; the newest without one."""

    repo: str
    revision: Optional[str]


@dataclass(frozen=True)
class DownloadedFile:
    """A file on this machine, as the repo has it. ``sha256`` is None while the hub has not hashed it; then only its size was compared."""

    path: str
    local_path: Path
    size: int
    sha256: Optional[str]
    #: It was here already.
    was_current: bool


def download(
    repo: str, path: str, local_dir: PathLike = ".", *, revision: Optional[str] = None, client: Optional[Client] = None
) -> Path:
    """Downloads one file of ``owner/slug`` to the same path below ``local_dir``, and returns where it is. A file that is current is not sent again;
    one with other content is replaced. ``revision`` is a version of the repo: the name of a snapshot, a commit id, a change number, a time or a run's id;
    the newest by default."""
    client = client or connect()
    entry = find(client, repo, path, revision)
    return _land_all(client, _At(repo, revision), [entry], local_dir, jobs=1)[0].local_path


def snapshot_download(
    repo: str,
    local_dir: PathLike,
    *,
    allow_patterns: Patterns = None,
    ignore_patterns: Patterns = None,
    revision: Optional[str] = None,
    jobs: int = 4,
    client: Optional[Client] = None,
) -> List[DownloadedFile]:
    """Downloads the files of ``owner/slug`` that the patterns mean into ``local_dir``. Files that are current are kept, those with other
    content are replaced, and files of an interrupted download go on. `hub pull` keeps what was edited here. ``revision`` as in ``download``."""
    client = client or connect()
    meant = path_rules(allow_patterns, ignore_patterns).matches
    entries = [entry for entry in tree(client, repo, revision=revision) if meant(entry["path"])]
    return _land_all(client, _At(repo, revision), entries, local_dir, jobs)


# Listings


def repo_url(repo: str) -> str:
    owner, _, slug = repo.partition("/")
    if not owner or not slug or "/" in slug:
        raise ValueError(f"{repo!r} is not a repo: write owner/slug.")
    return f"/v1/repos/{segment(owner)}/{segment(slug)}"


def tree(
    client: Client, repo: str, prefix: Optional[str] = None, limit: int = 1000, *, revision: Optional[str] = None
) -> Iterator[Dict[str, Any]]:
    cursor = None
    query = {"prefix": prefix, "limit": limit, "at": revision}
    while True:
        page = client.call("GET", f"{repo_url(repo)}/tree", query={**query, "cursor": cursor})
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


def find(client: Client, repo: str, path: str, revision: Optional[str]) -> Dict[str, Any]:
    """One file of a listing; ``HubError`` where there is none of that path."""
    # A path is the first of those that begin with it.
    entry = next(tree(client, repo, prefix=path, limit=1, revision=revision), None)
    if entry is None or entry["path"] != path:
        raise HubError(f"{repo} has no file {path}{f' in {revision}' if revision else ''}.", type="not_found", status=404)
    return entry


# Downloads


def _land_all(
    client: Client, source: _At, entries: Sequence[Mapping[str, Any]], local_dir: PathLike, jobs: int
) -> List[DownloadedFile]:
    _assert_safe([entry["path"] for entry in entries])
    root = Path(local_dir)
    root.mkdir(parents=True, exist_ok=True)
    root = root.resolve()
    with crew(jobs) as pool:
        return pool.all([bind(_land, client, source, entry, root) for entry in entries])


def _land(client: Client, source: _At, entry: Mapping[str, Any], root: Path) -> DownloadedFile:
    repo = source.repo
    path, size, sha256 = entry["path"], entry["size"], entry["sha256"]
    target = _landing(root, path)
    if sha256 and target.is_file() and target.stat().st_size == size and sha256_of(target) == sha256:
        return DownloadedFile(path, target, size, sha256, True)
    # Its name says which bytes it has the beginning of.
    version = hashlib.sha256(f"{path}\n{sha256 or entry.get('updated_at')}\n{size}".encode()).hexdigest()[:24]
    partial = target.with_name(PARTIAL + version)

    def attempt() -> None:
        asked = {"paths": [path], **({"at": source.revision} if source.revision else {})}
        url = client.call("POST", f"{repo_url(repo)}/files/presign-download", asked, attempts=1)["files"][0]["url"]
        _fetch(url, partial, size)

    with_retry(attempt)
    if sha256 and sha256_of(partial) != sha256:
        partial.unlink()
        raise HubError(f"{path} of {repo} arrived with other bytes than the hub has; it was not kept. Download it again.")
    os.replace(partial, target)
    return DownloadedFile(path, target, size, sha256, False)


def _fetch(url: str, partial: Path, size: int) -> None:
    if partial.is_symlink():
        partial.unlink()
    have = partial.stat().st_size if partial.exists() else 0
    if have > size:
        partial.unlink()
        have = 0
    if have == size and partial.exists():
        return
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    with open_url(request, RESPONSE_TIMEOUT_S) as response, _open_partial(partial, response.status == 206) as file:
        # One byte more than there are shows a server that does not end.
        left = size + 1 - (have if response.status == 206 else 0)
        try:
            while left > 0:
                chunk = response.read(min(CHUNK_BYTES, left))
                if not chunk:
                    break
                file.write(chunk)
                left -= len(chunk)
        except (OSError, ValueError) as error:
            raise HubConnectionError(f"The download of {shown(url)} was cut off: {error}") from None
    arrived = partial.stat().st_size
    if arrived > size:
        partial.unlink()
    if arrived != size:
        raise HubConnectionError(f"{shown(url)} sent {arrived} bytes of {size}.")


def _open_partial(partial: Path, goes_on: bool) -> IO[bytes]:
    """Never through a symbolic link, which something else than this client has put there."""
    how = os.O_APPEND if goes_on else os.O_TRUNC
    flags = os.O_WRONLY | os.O_CREAT | how | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(partial, flags, 0o666), "ab" if goes_on else "wb")


def _assert_safe(paths: Sequence[str]) -> None:
    """A listing decides where bytes are written: only below the folder, and nowhere that Git or Windows reads otherwise."""
    faults = listing_faults(paths)
    if faults:
        named = [f"{quoted(path)} {why}" for path, why in faults[:_MOST_FAULTS]]
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        raise HubError(f"The repo has paths that cannot be written safely; nothing was written: {'; '.join(named + more)}.")
    for group in case_collisions(paths):
        warn(f"{', '.join(group)} differ only in letter case; a case-insensitive file system keeps only one of them.")


def _landing(root: Path, path: str) -> Path:
    target = root.joinpath(*path.split("/"))
    folder = root
    # Each folder before the next one is made in it: a link may lead out.
    for name in path.split("/")[:-1]:
        folder = folder / name
        with suppress(FileExistsError):
            folder.mkdir()
        real = folder.resolve()
        if real != root and root not in real.parents:
            raise HubError(f"{folder} is a symbolic link that leaves {root}.")
        if any(is_git_name(part) for part in real.relative_to(root).parts):
            raise HubError(f"{folder} is a symbolic link into Git's own files.")
        if not real.is_dir():
            raise HubError(f"{folder} is not a folder.")
    # A link is replaced, never written through.
    if target.is_dir() and not target.is_symlink():
        raise HubError(f"A folder is in the place of {target}.")
    return target


def sha256_of(file: Path) -> str:
    digest = hashlib.sha256()
    with open(file, "rb") as source:
        while True:
            chunk = source.read(CHUNK_BYTES)
            if not chunk:
                return digest.hexdigest()
            digest.update(chunk)
