"""Lists by page, and files of a version of a repo."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional
from unittest import mock

import hub
from hub import _files


class Asked(hub.Client):
    """Answers from a list, and keeps what it was asked."""

    def __init__(self, answers: List[Any]) -> None:
        super().__init__("http://hub.test")
        self.answers = answers
        self.asked: List[Any] = []

    def call(self, method: str, path: str, body: Any = None, *, query: Optional[Mapping[str, Any]] = None, **_: Any) -> Any:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        self.asked.append((method, path, body or given))
        return self.answers.pop(0)


def page(items: List[Dict[str, Any]], cursor: Optional[str] = None) -> Dict[str, Any]:
    return {"items": items, "next_cursor": cursor}


class Reads(unittest.TestCase):
    def test_a_list_asks_for_the_next_page_only_when_it_is_wanted(self) -> None:
        client = Asked([page([{"id": "a"}, {"id": "b"}], "2"), page([{"id": "c"}])])
        runs = hub.Api(client).runs(status="failed")
        self.assertEqual([next(runs)["id"], next(runs)["id"]], ["a", "b"])
        self.assertEqual(len(client.asked), 1)
        self.assertEqual([run["id"] for run in runs], ["c"])
        self.assertEqual(client.asked[1], ("GET", "/v1/runs", {"limit": 100, "status": "failed", "cursor": "2"}))

    def test_one_run_and_one_repo_are_named_in_the_path(self) -> None:
        client = Asked([{"id": "r/1"}, {"slug": "b"}])
        api = hub.Api(client)
        self.assertEqual((api.run("r/1"), api.repo("a/b")), ({"id": "r/1"}, {"slug": "b"}))
        self.assertEqual([path for _, path, _ in client.asked], ["/v1/runs/r%2F1", "/v1/repos/a/b"])

    def fetched(self, revision: Optional[str]) -> Asked:
        client = Asked([page([{"path": "x.txt", "size": 2, "sha256": None}]), {"files": [{"url": "http://store.test/x"}]}])
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(_files, "_fetch", lambda _url, to, _size: to.write_bytes(b"ok")):
            path = hub.download("a/b", "x.txt", folder, revision=revision, client=client)
            self.assertEqual((path, path.read_bytes()), (Path(folder).resolve() / "x.txt", b"ok"))
        return client

    def test_a_revision_is_asked_for_in_the_listing_and_in_the_address(self) -> None:
        listing, address = self.fetched("v1").asked
        self.assertEqual((listing[2]["at"], address[2]), ("v1", {"paths": ["x.txt"], "at": "v1"}))
        listing, address = self.fetched(None).asked
        self.assertEqual(("at" in listing[2], address[2]), (False, {"paths": ["x.txt"]}))

    def test_a_file_that_the_version_lacks_is_named_with_it(self) -> None:
        with self.assertRaisesRegex(hub.HubError, "a/b has no file x.txt in v1"):
            hub.download("a/b", "x.txt", revision="v1", client=Asked([page([])]))


if __name__ == "__main__":
    unittest.main()
