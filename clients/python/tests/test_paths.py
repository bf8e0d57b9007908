"""Paths are judged as ``hub pull`` and ``hub push`` judge them: both clients are tried with the cases of ``test/clients/path-cases.json``."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from hub._errors import HubError
from hub._files import _land_all, _landing
from hub._globs import path_rules
from hub._http import Client
from hub._left_out import Leaving
from hub._paths import case_collisions, clashes_between, listing_faults
from hub._walk import walk
from hub._warn import visible, warn

CASES = json.loads((Path(__file__).parents[3] / "test" / "clients" / "path-cases.json").read_text("utf-8"))


class Shared(unittest.TestCase):
    def test_a_path_of_a_repo_is_written_or_refused(self) -> None:
        for case in CASES["paths"]:
            path = case["path"] * case.get("times", 1)
            for on_windows, why in ((False, case["fault"]), (True, case["windows"])):
                with self.subTest(path=path[:40].encode("utf-8", "backslashreplace"), on_windows=on_windows):
                    self.assertEqual([fault for _, fault in listing_faults([path], on_windows)], [] if why is None else [why])

    def test_a_listing_has_the_faults_of_its_paths_together(self) -> None:
        for case in CASES["listings"]:
            faults = [f'"{path}" {fault}' for path, fault in listing_faults(case["paths"], False)]
            self.assertEqual(faults, case["faults"])
        for case in CASES["collisions"]:
            self.assertEqual(case_collisions(case["paths"]), case["groups"])

    def test_a_path_is_a_file_or_a_folder(self) -> None:
        for case in CASES["clashes"]:
            with self.subTest(paths=case["paths"], others=case["others"]):
                self.assertEqual([list(found) for found in clashes_between(case["paths"], case["others"])], case["found"])

    def test_a_path_of_a_folder_is_left_out(self) -> None:
        for case in CASES["leftOut"]:
            leaving, path = Leaving(None, True, False), case["path"].rstrip("/")
            left = leaving.folder(path, False) if case["path"].endswith("/") else leaving.file(path)
            with self.subTest(path=path):
                never = leaving.never(path.rpartition("/")[2])
                self.assertEqual("never" if never else left and left.reason, case["reason"])

    def test_patterns_match(self) -> None:
        for case in CASES["patterns"]:
            rules = path_rules(case["include"] or None, case["exclude"])
            with self.subTest(include=case["include"], exclude=case["exclude"]):
                self.assertEqual([path for path in case["matches"] + case["others"] if rules.matches(path)], case["matches"])
        for case in CASES["folders"]:
            rules = path_rules(case["include"] or None, None)
            with self.subTest(include=case["include"]):
                self.assertEqual([path for path in case["mayHold"] + case["others"] if rules.may_hold(path)], case["mayHold"])
        for case in CASES["named"]:
            rules = path_rules(case["pattern"], None)
            with self.subTest(pattern=case["pattern"]):
                self.assertEqual([path for path in case["names"] + case["others"] if rules.names(path)], case["names"])

    def test_hidden_characters_are_shown(self) -> None:
        for text, shown in CASES["hidden"]:
            self.assertEqual(visible(text), shown)


class Landings(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name).resolve()
        self.root = self.base / "copy"

    def land(self, *paths: str) -> None:
        entries = [{"path": path, "size": 0, "sha256": None, "updated_at": ""} for path in paths]
        _land_all(Client("http://127.0.0.1:9"), "o/s", entries, self.root, 1)

    def test_nothing_is_written_of_a_listing_with_a_path_that_is_refused(self) -> None:
        for paths in (["a", "b/CONIN$.txt"], ["a", "COM\u00b9"], ["a", "x:y"], ["a", "y."]):
            with mock.patch("hub._paths.ON_WINDOWS", True), self.assertRaisesRegex(HubError, "nothing was written"):
                self.land(*paths)
        for paths in (["a", "a/b"], ["ok", "cafe\u0301"], ["ok", "a\u0085"], ["ok", "\ud800"]):
            with self.assertRaisesRegex(HubError, "nothing was written") as caught:
                self.land(*paths)
            str(caught.exception).encode("utf-8")
        self.assertFalse(self.root.exists())

    def test_names_that_differ_in_letter_case_alone_are_warned_of(self) -> None:
        said = io.StringIO()
        with mock.patch.object(sys, "__stderr__", said), mock.patch("hub._files._land"):
            self.land("Read.me", "other", "read.me")
        self.assertIn("Read.me, read.me differ only in letter case", said.getvalue())

    def test_what_is_in_the_place_of_a_folder_is_not_written_through(self) -> None:
        self.root.mkdir()
        (self.root / "file").write_text("x")
        (self.root / "gone").symlink_to("nothing")
        (self.root / "away").symlink_to(self.base / "nothing")
        (self.root / ".git").mkdir()
        (self.root / "docs").symlink_to(".git")
        for path, why in (("file/a", "not a folder"), ("gone/a", "not a folder"), ("away/a", "leaves"), ("docs/a", "Git")):
            self.assertRaisesRegex(HubError, why, _landing, self.root, path)
        self.assertEqual([entry.name for entry in (self.root / ".git").iterdir()], [])

    def test_a_link_in_the_place_of_a_file_is_replaced_and_a_folder_is_not(self) -> None:
        (self.root / "folder").mkdir(parents=True)
        (self.root / "link").symlink_to("folder")
        self.assertEqual(_landing(self.root, "link"), self.root / "link")
        self.assertRaisesRegex(HubError, "folder is in the place", _landing, self.root, "folder")


class Walks(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def put(self, *paths: str) -> None:
        for path in paths:
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(path, "utf-8")

    def walked(self, allow: object = None, ignore: object = None, prefix: str = "") -> object:
        leaving = Leaving(allow, True, False)  # type: ignore[arg-type]
        files = walk(self.folder, prefix, path_rules(allow, ignore), leaving)  # type: ignore[arg-type]
        return [file.path for file in files], [left.path for left in leaving.left]

    def test_nothing_is_sent_of_a_folder_with_paths_that_the_hub_refuses_and_all_of_them_are_named(self) -> None:
        self.put("good", "a\\b", "sub/git~1/x", "new\nline")
        with self.assertRaisesRegex(ValueError, "nothing was sent") as caught:
            self.walked()
        for part in ('"a\\\\b" contains a backslash', '"sub/git~1/x" has the segment "git~1"', '"new\\nline" contains a control'):
            self.assertIn(part, str(caught.exception))
        self.assertEqual(self.walked(["good"]), (["good"], []))
        with self.assertRaisesRegex(ValueError, r'"\.\./x/good" has the segment \.\.'):
            self.walked(["good"], prefix="../x")

    def test_what_is_excluded_is_a_whole_folder_and_is_neither_opened_nor_followed(self) -> None:
        self.put("raw/a", "raw/deep/b", "c/raw/d", "e")
        (self.folder / "nfs").symlink_to("/nonexistent/mount")
        self.assertEqual(self.walked(None, ["raw", "nfs"]), (["e"], []))
        self.assertEqual(self.walked(None, ["raw/", "nfs/"]), (["c/raw/d", "e"], []))
        self.assertEqual(self.walked(["c/**"]), (["c/raw/d"], []))
        with self.assertRaisesRegex(ValueError, "nfs.* is a broken symbolic link"):
            self.walked()

    def test_a_link_that_leaves_is_refused_and_one_inside_is_followed(self) -> None:
        self.put("sub/a")
        (self.folder / "same").symlink_to("sub")
        self.assertEqual(self.walked(), (["same/a", "sub/a"], []))
        (self.folder / "sub" / "up").symlink_to("..")
        with self.assertRaisesRegex(ValueError, "a folder that contains it"):
            self.walked()
        (self.folder / "sub" / "up").unlink()
        with tempfile.TemporaryDirectory() as other:
            (self.folder / "out").symlink_to(other)
            with self.assertRaisesRegex(ValueError, "leaves the folder"):
                self.walked()

    def test_only_what_was_asked_for_is_listed_as_left_out(self) -> None:
        self.put(".env", "keys/.env", "keys/a")
        self.assertEqual(self.walked(["keys/**"]), (["keys/a"], ["keys/.env"]))


class Words(unittest.TestCase):
    def test_what_a_hub_says_moves_no_cursor_and_hides_nothing(self) -> None:
        said = io.StringIO()
        with mock.patch.object(sys, "__stderr__", said), contextlib.suppress(ValueError):
            warn("no \u001b[2Ksuch\u202e run")
        self.assertEqual(said.getvalue(), "hub: no \\u001b[2Ksuch\\u202e run\n")
        self.assertEqual(str(HubError("no \u001b[2J", request_id="a\u009b")), "no \\u001b[2J (request a\\u009b)")
