"""What ``hub.Api`` gives: entries of ``/v1`` as dictionaries that know what belongs to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from ._errors import HubError
from ._files import DownloadedFile, PathLike, download, find, snapshot_download, tree
from ._globs import Patterns
from ._history import Row, as_frame, exact, sampled, scan
from ._http import Client, segment

# Before the keys that a script sets in its summary: the hub keeps them as one last line of metrics.
_SET = "summary/"


class _Record(Dict[str, Any]):
    """The answer of ``/v1``, with what it takes to ask for more."""

    def __init__(self, client: Client, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self._client = client


class RepoFile(_Record):
    """A file of a repo: ``path``, ``size``, ``sha256``, ``updated_at``."""

    def __init__(self, client: Client, repo: str, revision: Optional[str], fields: Mapping[str, Any]) -> None:
        super().__init__(client, fields)
        self._repo = repo
        self._revision = revision

    def download(self, local_dir: PathLike = ".", *, revision: Optional[str] = None) -> Path:
        """Downloads it to its path below ``local_dir``, of the version it was listed in or of ``revision``; where it is."""
        at = revision or self._revision
        return download(self._repo, self["path"], local_dir, revision=at, client=self._client)


class RepoRecord(_Record):
    """A repo, as ``GET /v1/repos/{owner}/{repo}`` answers."""

    @property
    def full_name(self) -> str:
        """``owner/slug``."""
        return str(self["full_name"])

    def files(self, prefix: Optional[str] = None, *, revision: Optional[str] = None) -> Iterator[RepoFile]:
        """Its files, those below ``prefix`` alone, in a version; a page at a time."""
        return files_of(self._client, self.full_name, prefix, revision)

    def file(self, path: str, *, revision: Optional[str] = None) -> RepoFile:
        """One file. ``HubError`` if the version has none of that path."""
        return file_of(self._client, self.full_name, path, revision)

    def download(
        self, local_dir: PathLike, *, allow_patterns: Patterns = None, ignore_patterns: Patterns = None, revision: Optional[str] = None
    ) -> List[DownloadedFile]:
        """``hub.snapshot_download`` of this repo."""
        return snapshot_download(
            self.full_name, local_dir, allow_patterns=allow_patterns, ignore_patterns=ignore_patterns, revision=revision, client=self._client
        )


class RunRecord(_Record):
    """A run, as ``GET /v1/runs/{run_id}`` answers. What is asked for beyond that is asked each time; ``api.run`` gives a newer one."""

    @property
    def id(self) -> str:
        """``run_…``."""
        return str(self["id"])

    @property
    def config(self) -> Dict[str, Any]:
        """What it was configured with: the hyperparameters of its recipe; of a run that has none, the values of its ``config.yaml`` by their paths
        (``optimizer.lr``), as the hub shows them: at most 200 characters of each."""
        recipe = self["recipe"] or {}
        given = {name: value for name, value in (recipe.get("hyperparams") or {}).items() if name != "run_name"}
        if given:
            return given
        found = self._client.call("GET", f"/v1/runs/{segment(self.id)}/config")
        return {entry["path"]: _value(entry["value"]) for entry in found["keys"]}

    @property
    def summary(self) -> Dict[str, Any]:
        """The last value of each metric. What the script set itself (``wandb.summary["best"] = 9``) has its own name, and comes before a metric of that name."""
        last = {key: entry["last"] for key, entry in self.aggregates.items()}
        logged = {key: value for key, value in last.items() if not key.startswith(_SET)}
        return {**logged, **{key[len(_SET) :]: value for key, value in last.items() if key.startswith(_SET)}}

    @property
    def aggregates(self) -> Dict[str, Dict[str, Any]]:
        """Of each metric ``count``, ``last``, ``min``, ``max``, ``mean``, ``best`` and the steps of these, as ``GET /v1/runs/{run_id}/summary`` has them."""
        found = self._client.call("GET", f"/v1/runs/{segment(self.id)}/summary")["summary"]
        return {entry["key"]: entry for entry in found}

    def history(self, keys: Optional[Sequence[str]] = None, *, samples: Optional[int] = 500, pandas: bool = False) -> Any:
        """Its metrics as a list of rows by step, each with ``step`` and the numbers there; a DataFrame with ``pandas=True``.

        The hub thins out each key to ``samples`` points (2 to 5000), and keeps the least and the greatest value of each stretch, so rows have not always the same
        keys. These numbers are floats of 64 bits, whole ones as ints. ``samples=None`` is every line, as ``scan_history`` has it.
        """
        rows = list(self.scan_history(keys)) if samples is None else sampled(self._client, self.id, keys, samples)
        return as_frame(rows) if pandas else rows

    def scan_history(self, keys: Optional[Sequence[str]] = None) -> Iterator[Row]:
        """Every line that it logged so far, one after the other, as they come from the hub; a connection that is cut goes on where it was.

        With ``keys`` only these members, of the lines that have all of them. Numbers are exact: ints of any size, and a ``decimal.Decimal`` where a float is not
        the number that was logged (``1e400``).
        """
        return scan(self._client, self.id, keys)

    def files(self, prefix: Optional[str] = None, *, revision: Optional[str] = None) -> Iterator[RepoFile]:
        """The files of its output repo; none where it published nothing."""
        repo = self.get("output_model_repo")
        return files_of(self._client, repo["full_name"], prefix, revision) if repo else iter(())

    def file(self, path: str, *, revision: Optional[str] = None) -> RepoFile:
        """One file of its output repo, such as ``checkpoints/step_200/model.pt``."""
        repo = self.get("output_model_repo")
        if not repo:
            raise HubError(f"{self.id} has published no file.", type="not_found", status=404)
        return file_of(self._client, repo["full_name"], path, revision)


def files_of(client: Client, repo: str, prefix: Optional[str], revision: Optional[str]) -> Iterator[RepoFile]:
    for entry in tree(client, repo, prefix, revision=revision):
        yield RepoFile(client, repo, revision, entry)


def file_of(client: Client, repo: str, path: str, revision: Optional[str]) -> RepoFile:
    return RepoFile(client, repo, revision, find(client, repo, path, revision))


def _value(text: str) -> Any:
    """The hub shows texts as they are, and all else as JSON."""
    try:
        return json.loads(text, parse_float=exact)
    except ValueError:
        return text


__all__ = ["RepoFile", "RepoRecord", "RunRecord"]
