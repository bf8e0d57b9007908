"""What an upload leaves out of a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, List
from unittest import mock

from hub._globs import path_rules
from hub._left_out import Leaving
from hub._walk import walk

PATHS = [
    "a.log", "keep.log", "top.txt", "d/top.txt", "build/x", "d/build/y", "only", "d/only", "d/e/f.bin", "d/e/g.txt", "x y ", "x y", "#hash",
    "!bang", "a[1].txt", "a1.txt", "ab.txt", "A.txt", "deep/a/b/c/end", "deep/end", "deep/c", "back\\slash", "star*", "caret^", "dash-", "n0", "nx",
]  # fmt: skip
IGNORES = [
    "*.log\n!keep.log\n", "/top.txt\n", "build/\n", "d/only\n", "**/only\n", "deep/**/end\n", "deep/**\n!deep/c\n", "d/**/\n", "x y\\ \n", "x y   \n",
    "\\#hash\n# a comment\n", "\\!bang\n", "a[0-9]*.txt\n", "a\\[1].txt\n", "a[!b].txt\n", "a[^b].txt\n", "[a-z].txt\n", "[[:upper:]].txt\n", "n[[:digit:]]\n",
    "star\\*\n", "caret[\\^]\n", "dash[-a]\n", "a[].txt\n", "a[]1].txt\n", "a[\n", "[z-a]*\n", "back\\\\slash\n", "/*\n!/d\n", "d/*\n!d/e\nd/e/*\n!d/e/f.bin\n",
    "*\n!*.txt\n", "d/e\n", "**\n!a.log\n", "/**/f.bin\n", "a**.txt\n", "top.txt\r\n*.log\r\n", "\ufeffonly\n", "/\n", "deep/*/b\n", "?.log\n", "d?only\n",
]  # fmt: skip


class Ignored(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, path: str, text: str = "") -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text or path, "utf-8")

    def walked(self, allow: Any = None, ignore_files: bool = True, include_secrets: bool = False) -> Any:
        leaving = Leaving(allow, ignore_files, include_secrets)
        files = walk(self.folder, "", path_rules(allow, None), leaving)
        return [file.path for file in files], [f"{left.reason} {left.path}" for left in leaving.left]

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_ignore_files_are_read_as_git_reads_them(self) -> None:
        for path in PATHS:
            self.put(path)
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)
        listing = ["git", "-c", "core.excludesFile=/dev/null", "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]
        for rules in IGNORES:
            with self.subTest(rules=rules):
                (self.folder / ".gitignore").write_bytes(rules.encode())
                of_git = subprocess.run(listing, cwd=self.folder, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
                # Git has a name that no repo has, with a backslash.
                with mock.patch("hub._walk.new_path_fault", return_value=None):
                    self.assertEqual(sorted(self.walked()[0]), sorted(filter(None, of_git)))

    def test_deeper_rules_win_and_those_of_the_hub_over_those_of_git(self) -> None:
        self.put(".gitignore", "checkpoints/\n*.bin\nbuild/\n")
        self.put(".hubignore", "!checkpoints/\n")
        self.put("a/.gitignore", "!build/\n")
        for path in ("checkpoints/a.pt", "b.bin", "build/x", "a/build/y"):
            self.put(path)
        files, left = self.walked()
        self.assertEqual(files, [".gitignore", ".hubignore", "a/.gitignore", "a/build/y", "checkpoints/a.pt"])
        self.assertEqual(left, ["ignored b.bin", "ignored build/"])

    def test_a_file_is_sent_if_a_pattern_names_it_but_not_by_a_pattern_for_everything(self) -> None:
        for path in (".env", "keys/a.pem", "keys/b.txt"):
            self.put(path)
        self.assertEqual(self.walked([".env", "keys/*.pem"]), ([".env", "keys/a.pem"], []))
        self.assertEqual(self.walked(["**", "keys/*"]), (["keys/b.txt"], ["secret .env", "secret keys/a.pem"]))

    def test_what_is_left_out_is_neither_opened_nor_followed(self) -> None:
        self.put(".gitignore", "mnt\n*.fifo\n")
        os.mkfifo(self.folder / "x.fifo")
        for link in ("mnt", "node_modules"):
            (self.folder / link).symlink_to("/nonexistent/mount")
        self.put(".env")
        (self.folder / "settings").symlink_to(".env")
        expected: List[str] = ["secret .env", "ignored mnt", "built node_modules", "secret settings", "ignored x.fifo"]
        self.assertEqual(self.walked(), ([".gitignore"], expected))

    def test_git_and_hub_data_are_never_sent(self) -> None:
        for path in (".git/config", ".hub/data", "a/.DS_Store", "b"):
            self.put(path)
        self.assertEqual(self.walked(ignore_files=False, include_secrets=True), (["b"], []))
