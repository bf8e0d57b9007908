"""What a hub has, read: runs, their metrics as rows, and repos."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from ._files import repo_url
from ._http import Client, segment
from ._settings import connect

#: The most that the hub puts on one page.
_PAGE = 100


class Api:
    """Reads runs and repos. Lists are iterators that ask for a page at a time, so a long one costs what is taken of it.

        for run in hub.Api().runs(status="succeeded"):
            print(run["id"], run["display_name"])
    """

    def __init__(self, client: Optional[Client] = None) -> None:
        self._client = client or connect()

    def runs(self, **filters: Any) -> Iterator[Dict[str, Any]]:
        """Runs that the key can see, those of ``filters`` alone: the parameters of ``GET /v1/runs``."""
        return self._pages("/v1/runs", filters)

    def run(self, run_id: str) -> Dict[str, Any]:
        """One run."""
        found: Dict[str, Any] = self._client.call("GET", f"/v1/runs/{segment(run_id)}")
        return found

    def repos(self, **filters: Any) -> Iterator[Dict[str, Any]]:
        """Repos that the key can see, those of ``filters`` alone: the parameters of ``GET /v1/repos``."""
        return self._pages("/v1/repos", filters)

    def repo(self, repo: str) -> Dict[str, Any]:
        """The repo ``owner/slug``."""
        found: Dict[str, Any] = self._client.call("GET", repo_url(repo))
        return found

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
