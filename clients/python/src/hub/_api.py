"""What a hub has, read: runs with their metrics as rows, repos with their files."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from ._files import repo_url
from ._http import Client, segment
from ._records import RepoRecord, RunRecord
from ._settings import connect

#: The most that the hub puts on one page.
_PAGE = 100


class Api:
    """Reads runs and repos. Lists are iterators that ask for a page at a time, so a long one costs what is taken of it.

        for run in hub.Api().runs(project="arms", status="succeeded"):
            print(run["display_name"], run.summary.get("loss"))
    """

    def __init__(self, client: Optional[Client] = None) -> None:
        self._client = client or connect()

    def runs(self, **filters: Any) -> Iterator[RunRecord]:
        """Runs that the key can see, those of ``filters`` alone: the parameters of ``GET /v1/runs`` (``status``, ``owner``, ``project``, ``group``, ``template``,
        ``tag``, ``q``, ``sort_metric``, …). A list stands for several values."""
        return (RunRecord(self._client, fields) for fields in self._pages("/v1/runs", filters))

    def run(self, run_id: str) -> RunRecord:
        """One run."""
        return RunRecord(self._client, self._client.call("GET", f"/v1/runs/{segment(run_id)}"))

    def repos(self, **filters: Any) -> Iterator[RepoRecord]:
        """Repos that the key can see, those of ``filters`` alone: the parameters of ``GET /v1/repos`` (``kind``, ``owner``, ``tag``, ``license``, ``q``, …)."""
        return (RepoRecord(self._client, fields) for fields in self._pages("/v1/repos", filters))

    def repo(self, repo: str) -> RepoRecord:
        """The repo ``owner/slug``."""
        return RepoRecord(self._client, self._client.call("GET", repo_url(repo)))

    def _pages(self, path: str, filters: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
        cursor = filters.pop("cursor", None)
        query = {"limit": _PAGE, **filters}
        while True:
            page = self._client.call("GET", path, query={**query, "cursor": cursor})
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return


__all__ = ["Api"]
