"""Uploads of folders: bytes that the hub has are not sent, and an interrupted upload goes on."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._crew import Crew, batches, bind, crew
from ._errors import HubConnectionError, HubError
from ._files import PathLike, repo_url, tree
from ._globs import Patterns, path_rules
from ._http import Client, is_transient, put_bytes, with_retry
from ._left_out import LeftOut, Leaving
from ._paths import clashes_between, quoted
from ._secrets import assert_no_secrets
from ._settings import connect
from ._walk import Local, assert_unchanged, hashed_file, walk

# Limits of one request: part URLs, and bytes that the hub hashes before it answers.
_PARTS_PER_PRESIGN = 2000
_COMPLETE_BYTES = 512 * 1024 * 1024
_MIB = 1024 * 1024
#: What an interruption makes an upload send again.
_PART_BYTES = 8 * _MIB
# From this size on, larger parts halve the number of URLs.
_LARGE_FILE_BYTES = 8192 * _MIB
_LARGE_PART_BYTES = 16 * _MIB
#: The most parts that a store takes.
_MAX_PARTS = 10_000
#: Named in one message.
_MOST_FAULTS = 20


@dataclass(frozen=True)
class UploadReport:
    """What an upload did, as paths of the repo."""

    repo: str
    sent: List[str] = field(default_factory=list)
    #: The repo has these bytes already.
    skipped: List[str] = field(default_factory=list)
    sent_bytes: int = 0
    #: Not sent, because the hub has these bytes in another file that the credential can read.
    linked: List[str] = field(default_factory=list)
    #: Not sent, because ignore files name it, tools make it again, or it may hold a credential; as paths of the folder.
    left_out: List[LeftOut] = field(default_factory=list)


def upload_folder(
    repo: str,
    folder: PathLike,
    *,
    path_in_repo: str = "",
    allow_patterns: Patterns = None,
    ignore_patterns: Patterns = None,
    kind: Optional[str] = None,
    private: bool = True,
    jobs: int = 4,
    ignore_files: bool = True,
    include_secrets: bool = False,
    allow_secrets: Patterns = None,
    client: Optional[Client] = None,
) -> UploadReport:
    """Uploads the files of ``folder`` that the patterns mean to ``owner/slug``, below ``path_in_repo``.

    Files that the repo has are skipped, bytes that the hub has in another file are linked, and parts that an interrupted upload left at the hub are not sent
    again: an interruption loses at most a part of 8 MiB for each job (16 MiB of files over 8 GiB). ``kind`` (``dataset``, ``model``, ``robot``)
    creates the repo if it is missing. Nothing is deleted.

    Left out, as by ``hub push``: what ``.gitignore`` and ``.hubignore`` of the folder and the folders in it name, and build and cache folders, unless ``ignore_files`` is
    False; files that may hold credentials (``.env``, ``*.pem``, ``id_rsa``, …) unless ``include_secrets``. ``left_out`` of the report names them. A pattern of
    ``allow_patterns`` that names a file sends it anyway; ``.git``, ``.hub`` and ``.DS_Store`` are never sent.

    ``HubError`` (``conflict.path``), before anything is sent, if the repo has a file where the folder has a folder, or the reverse: a path is one or the other.

    ``SecretsFound``, before anything is sent, if a text file of at most 4 MiB holds a key, session or approval of a hub, a private key, or a token of GitHub, Hugging Face or
    AWS, and no pattern of ``allow_secrets`` matches it. ``include_secrets`` looks into no file. ``hub push`` knows more kinds.
    """
    client = client or connect()
    prefix = path_in_repo.strip("/")
    leaving = Leaving(allow_patterns, ignore_files, include_secrets)
    local = walk(Path(folder), prefix, path_rules(allow_patterns, ignore_patterns), leaving)
    remote = _remote_files(client, repo, kind is not None)
    with crew(jobs) as pool:
        hashed = pool.all([bind(hashed_file, file) for file in local])
        todo = [file for file in hashed if (remote or {}).get(file.path) != (file.size, file.sha256)]
        _assert_room(repo, [file.path for file in todo], remote or {})
        if not include_secrets:
            is_meant = path_rules(allow_secrets, None).matches if allow_secrets else lambda _path: False
            within = [(file.path[len(prefix) + 1 :] if prefix else file.path, file) for file in todo]
            looked = [(path, file.file, file.size) for path, file in within if path not in leaving.included and not is_meant(path)]
            assert_no_secrets(looked)
        if remote is None:
            _create(client, repo, str(kind), private)
        link = _Linker(client, repo)
        for batch in batches(todo, _part_count, _PARTS_PER_PRESIGN):
            sent = _send_batch(client, repo, link(batch), pool)
            for group in batches(sent, lambda each: each[0].size, _COMPLETE_BYTES):
                client.call("POST", f"{repo_url(repo)}/files/complete", {"uploads": [upload for _, upload in group]})
    asked = {file.path for file in todo}
    linked = set(link.linked)
    sent_files = [file for file in todo if file.path not in linked]
    skipped = [file.path for file in hashed if file.path not in asked]
    return UploadReport(repo, [f.path for f in sent_files], skipped, sum(f.size for f in sent_files), link.linked, leaving.left)


def _assert_room(repo: str, paths: Sequence[str], remote: Mapping[str, Any]) -> None:
    """A path is a file or a folder: the hub would refuse these files after some of the others were sent."""
    clashes = clashes_between(paths, remote)
    if not clashes:
        return
    named = [
        f"{quoted(there)} is a file in the repo, and a folder here, with {quoted(here)}"
        if here.startswith(f"{there}/")
        else f"{quoted(here)} is a file here, and a folder in the repo, with {quoted(there)}"
        for here, there in clashes[:_MOST_FAULTS]
    ]
    more = [f"and {len(clashes) - _MOST_FAULTS} more"] if len(clashes) > _MOST_FAULTS else []
    detail = f"{repo} has files in the way of what would be sent; nothing was sent: {'; '.join(named + more)}. Delete them in the repo first, or exclude what is here."
    raise HubError(detail, type="conflict.path", status=409)


def _remote_files(client: Client, repo: str, may_lack: bool) -> Optional[Dict[str, Tuple[int, Optional[str]]]]:
    """Size and SHA-256 by path; None for a repo that does not exist and may be created."""
    try:
        # A change of nothing needs the right to write and writes nothing: else an upload with nothing to send would succeed without it.
        client.call("PATCH", repo_url(repo), {})
        return {entry["path"]: (entry["size"], entry["sha256"]) for entry in tree(client, repo)}
    except HubError as error:
        if error.status != 404 or not may_lack:
            raise
        return None


def _create(client: Client, repo: str, kind: str, private: bool) -> None:
    owner, _, slug = repo.partition("/")
    body = {"kind": kind, "owner": owner, "slug": slug, "visibility": "private" if private else "public"}
    try:
        client.call("POST", "/v1/repos", body)
    except HubError as error:
        # Another process made it in the meantime.
        if error.status != 409:
            raise


_Sent = Tuple[Local, Dict[str, Any]]


class _Linker:
    """Asks for bytes that the hub has in another file; returns the files to send. A hub without this operation is asked once."""

    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo
        self._is_offered = True
        self.linked: List[str] = []

    def __call__(self, batch: Sequence[Local]) -> List[Local]:
        if not self._is_offered:
            return list(batch)
        files = [{"path": local.path, "size": local.size, "sha256": local.sha256} for local in batch]
        try:
            answer = self._client.call("POST", f"{repo_url(self._repo)}/files/link", {"files": files})
        except HubError as error:
            if isinstance(error, HubConnectionError):
                raise
            # Whatever is wrong with a file, sending it says so by its name.
            self._is_offered = error.status not in (403, 404, 405)
            return list(batch)
        found = {entry["path"] for entry in answer["files"]}
        self.linked += [local.path for local in batch if local.path in found]
        return [local for local in batch if local.path not in found]


def _part_size(size: int) -> Optional[int]:
    """The part size to ask for; None for a file of one part."""
    if size <= _PART_BYTES:
        return None
    fitting = -(-size // (_MAX_PARTS * _MIB)) * _MIB
    return max(_LARGE_PART_BYTES if size > _LARGE_FILE_BYTES else _PART_BYTES, fitting)


def _part_count(file: Local) -> int:
    return -(-file.size // (_part_size(file.size) or _PART_BYTES)) or 1


def _send_batch(client: Client, repo: str, batch: Sequence[Local], pool: Crew) -> List[_Sent]:
    if not batch:
        return []
    targets = [_Target(client, repo, local, each) for local, each in zip(batch, _presign(client, repo, batch))]
    work = [(target, number) for target in targets for number in target.numbers()]
    etags = pool.all([bind(target.etag_of, number) for target, number in work])
    parts: Dict[int, List[Dict[str, Any]]] = {}
    for (target, number), etag in zip(work, etags):
        parts.setdefault(id(target), []).append({"part_number": number, "etag": etag})
    return [(t.local, {"path": t.local.path, "upload_id": t.upload_id, "parts": parts[id(t)]}) for t in targets]


def _presign(client: Client, repo: str, batch: Sequence[Local]) -> List[Dict[str, Any]]:
    """Asks for small parts; a hub that does not know ``part_size`` is asked without it."""

    def ask(with_size: bool) -> List[Dict[str, Any]]:
        files: List[Dict[str, Any]] = []
        for local in batch:
            size = _part_size(local.size) if with_size else None
            file = {"path": local.path, "size": local.size, "sha256": local.sha256}
            files.append(file if size is None else {**file, "part_size": size})
        uploads: List[Dict[str, Any]] = client.call("POST", f"{repo_url(repo)}/files/presign-upload", {"files": files})["uploads"]
        return uploads

    try:
        return ask(True)
    except HubError as error:
        if not any("part_size" in (entry.get("loc") or ()) for entry in error.errors):
            raise
        return ask(False)


class _Target:
    """The upload of one file. Its URLs are shared by its parts, so that one renewal serves all."""

    def __init__(self, client: Client, repo: str, local: Local, upload: Mapping[str, Any]) -> None:
        self._client = client
        self._repo = repo
        self.local = local
        self.upload_id = str(upload["upload_id"])
        self._part_size = int(upload["part_size"])
        self._lock = threading.Lock()
        self._urls = self._urls_of(upload)
        self._stored = dict(zip(upload["uploaded"], upload["uploaded_etags"]))

    @staticmethod
    def _urls_of(upload: Mapping[str, Any]) -> Dict[int, str]:
        return {part["part_number"]: part["url"] for part in upload["parts"]}

    def numbers(self) -> List[int]:
        return sorted(set(self._urls) | set(self._stored))

    def etag_of(self, number: int) -> str:
        """The ETag of a part, sent unless the hub has it. A 403 of the store means that the URL is too old."""
        if number in self._stored:
            return str(self._stored[number])
        assert_unchanged(self.local)
        start = (number - 1) * self._part_size
        size = min(self._part_size, self.local.size - start)

        def attempt() -> str:
            url = self._urls[number]
            try:
                with open(self.local.file, "rb") as file:
                    file.seek(start)
                    return put_bytes(url, _Slice(file, size), size)  # type: ignore[arg-type]
            except HubError as error:
                if error.status != 403 and not is_transient(error):
                    raise
                self._renew(url, number)
                raise HubConnectionError(error.detail) from None

        return str(with_retry(attempt))

    def _renew(self, used: str, number: int) -> None:
        with self._lock:
            if self._urls[number] != used:
                return
            upload = _presign(self._client, self._repo, [self.local])[0]
            if upload["upload_id"] != self.upload_id:
                raise HubError(f"The hub has ended the upload of {self.local.path}; upload again.")
            self._urls.update(self._urls_of(upload))


class _Slice:
    """The next ``size`` bytes of an open file, read as they are sent."""

    def __init__(self, file: Any, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, length: int = -1) -> bytes:
        take = self._left if length < 0 else min(length, self._left)
        chunk: bytes = self._file.read(take)
        self._left -= len(chunk)
        return chunk
