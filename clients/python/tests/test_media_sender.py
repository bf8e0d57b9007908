"""What a run's own client sends of its media: files first, each line once, and again where an attempt was lost."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional
from unittest import mock

import hub
from hub import _media_sender
from hub._errors import HubError
from hub._media_lines import MediaLines
from hub._media_sender import MediaSender
from hub._spool import new_spool
from tests.fake_hub import PATIENCE, FakeHub


class Media(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.spool = new_spool(Path(made.name), "i", run={"id": "run_1", "attempt": 1}, media_at=0)
        self.addCleanup(self.spool.release)
        self.lines = MediaLines(self.spool.folder)
        self.addCleanup(self.lines.close)
        self.sender = MediaSender(self.spool)
        self.pushed: List[str] = []
        self.posted: List[Mapping[str, Any]] = []
        self.said: List[str] = []
        warn = mock.patch.object(_media_sender, "warn", self.said.append)
        warn.start()
        self.addCleanup(warn.stop)

    def push(self, folder: Path) -> None:
        paths = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        if any("bad" in path for path in paths):
            raise HubError("No such name.", type="validation", status=422)
        self.pushed += paths

    def post(self, entries: List[Mapping[str, Any]]) -> None:
        if any(entry["key"] == "bad" for entry in entries):
            at = [index for index, entry in enumerate(entries) if entry["key"] == "bad"]
            raise HubError("Not so.", type="validation", status=422, errors=[{"loc": ["media", index, "path"]} for index in at] if len(entries) < 5 else [])
        self.posted += entries

    def test_lines_wait_for_their_files_and_the_name_of_the_repo(self) -> None:
        self.lines.keep("a/b", 1, [hub.Image([[1]]), hub.Histogram([1])])
        self.assertFalse(self.sender.report(self.post))
        self.assertTrue(self.sender.upload(self.push))
        self.assertFalse(self.sender.upload(self.push))
        self.assertRegex(self.pushed[0], r"^runs/run_1/media/a_b_1_0_[0-9a-f]{12}\.png$")
        self.assertFalse(self.sender.report(self.post))
        self.spool.put(output_repo_sent=True)
        self.assertEqual((self.sender.count(), self.sender.is_done()), (2, False))
        self.assertTrue(self.sender.report(self.post))
        self.assertEqual((self.sender.count(), self.sender.is_done()), (0, True))
        self.assertEqual([(one["key"], one["index"], one.get("path")) for one in self.posted], [("a/b", 0, self.pushed[0]), ("a/b", 1, None)])
        self.assertTrue(all("at" in one and "ts" not in one for one in self.posted))

    def test_another_attempt_gets_the_lines_again_and_another_run_the_files_too(self) -> None:
        self.lines.keep("a", 1, [hub.Image([[1]])])
        self.spool.put(output_repo_sent=True)
        for run, uploads in ((("run_1", 1), True), (("run_1", 2), False), (("run_2", 1), True)):
            self.spool.put(run={"id": run[0], "attempt": run[1]}, media_at=0)
            self.assertEqual(self.sender.upload(self.push), uploads)
            self.assertTrue(self.sender.report(self.post))
        self.assertEqual([path.split("/")[1] for path in self.pushed], ["run_1", "run_2"])
        self.assertEqual([str(one["path"]).split("/")[1] for one in self.posted], ["run_1", "run_1", "run_2"])

    def test_one_that_is_refused_does_not_take_the_others_with_it(self) -> None:
        for key in ("a", "bad", "b", "c", "d", "e"):
            self.lines.keep(key, 1, [hub.Image([[1]])])
        self.sender.upload(self.push)
        self.spool.put(output_repo_sent=True)
        self.assertTrue(self.sender.report(self.post))
        self.assertEqual([path.split("/")[-1].split("_")[0] for path in sorted(self.pushed)], ["a", "b", "c", "d", "e"])
        self.assertEqual([one["key"] for one in self.posted], ["a", "b", "c", "d", "e"])
        self.assertEqual(len(self.said), 2)

    def test_a_full_quota_waits(self) -> None:
        def full(_: Any) -> None:
            raise HubError("Full.", type="quota.storage", status=413)

        self.lines.keep("a", 1, [hub.Image([[1]])])
        for _ in range(2):
            with self.assertRaises(HubError):
                self.sender.upload(full)
        self.assertTrue(self.sender.upload(self.push))
        self.spool.put(output_repo_sent=True)
        with self.assertRaises(HubError):
            self.sender.report(full)
        self.assertTrue(self.sender.report(self.post))

    def test_requests_are_bounded_and_half_a_line_waits(self) -> None:
        self.lines.keep("a", 1, [hub.Histogram([1]) for _ in range(105)])
        with open(self.spool.folder / "media.jsonl", "ab") as file:
            file.write(b'{"key":"torn')
        while self.sender.upload(self.push) or self.sender.report(lambda entries: self.posted.append({"entries": len(entries)})):
            pass
        self.assertEqual([one["entries"] for one in self.posted], [100, 5])
        with open(self.spool.folder / "media.jsonl", "ab") as file:
            file.write(b"\n\0\0\n[]\n")
        self.assertTrue(self.sender.upload(self.push))
        self.assertTrue(self.sender.report(self.post))
        self.assertTrue(self.sender.is_done())


class InARun(unittest.TestCase):
    def run_with(self, fake: FakeHub, fault: Optional[int] = None) -> Dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"HUB_STATE_DIR": folder, "HUB_EXIT_SECONDS": PATIENCE}):
            if fault is not None:
                fake.faults.append(("/media", fault, {"type": "/problems/not_found", "status": fault, "detail": "There is no such route."}))
            run = hub.init("p", client=hub.Client(fake.url, "t"), interval_s=0.05, capture_output=False)
            run.log({"h": hub.Histogram([1])}, step=3)
            self.assertTrue(run.finish())
        [one] = fake.runs.values()
        return one

    def test_the_end_comes_after_the_media(self) -> None:
        fake = FakeHub()
        self.addCleanup(fake.close)
        run = self.run_with(fake)
        self.assertEqual((run["status"], [one["step"] for one in run["media"]]), ("succeeded", [3]))

    def test_a_hub_that_knows_no_media_gets_the_rest(self) -> None:
        fake = FakeHub()
        self.addCleanup(fake.close)
        said: List[str] = []
        with mock.patch("hub._sender.warn", said.append):
            run = self.run_with(fake, 404)
        self.assertEqual((run["status"], run.get("media")), ("succeeded", None))
        self.assertIn("the hub takes no media of a run", said[0])
