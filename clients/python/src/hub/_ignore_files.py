"""``.gitignore`` and ``.hubignore`` of a folder and the folders in it, as Git reads them."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Pattern

from ._globs import bracket

#: A later one wins over an earlier one in the same folder.
_NAMES = (".gitignore", ".hubignore")


class _Rule(NamedTuple):
    regex: Pattern[str]
    takes_back: bool
    folders_only: bool
    #: ``<file>: <pattern>``
    text: str


class IgnoreFiles:
    """The rules of deeper folders win over those of the folders around them; in one folder the last match wins."""

    def __init__(self) -> None:
        self._levels: Dict[str, List[_Rule]] = {}

    def read(self, prefix: str, directory: Path) -> None:
        """Reads the ignore files of a folder, before anything in it is asked for. ``prefix`` is ``''`` or ends in ``/``."""
        rules = [rule for name in _NAMES for rule in _rules_of(directory / name, prefix + name)]
        if rules:
            self._levels[prefix] = rules

    def rule_for(self, path: str, is_folder: bool) -> Optional[str]:
        """The rule that leaves out a path whose folders are not left out; None: it stays."""
        prefix = path
        while prefix:
            cut = prefix.rstrip("/").rfind("/")
            prefix = prefix[: cut + 1]
            for rule in reversed(self._levels.get(prefix, ())):
                if (is_folder or not rule.folders_only) and rule.regex.match(path[len(prefix) :]):
                    return None if rule.takes_back else rule.text
        return None


def _rules_of(file: Path, mark: str) -> List[_Rule]:
    """Like Git, follows no link."""
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return []
        text = file.read_text("utf-8-sig", errors="replace")
    except OSError:
        return []
    rules = (_rule(line, mark) for line in unicodedata.normalize("NFC", text).split("\n"))
    return [rule for rule in rules if rule is not None]


def _rule(line: str, mark: str) -> Optional[_Rule]:
    line = line.rstrip("\r")
    pattern = re.sub(r"(?<!\\)((?:\\\\)*) +\Z", r"\1", line)
    if pattern == "" or pattern.startswith("#"):
        return None
    takes_back = pattern.startswith("!")
    if takes_back:
        pattern = pattern[1:]
    folders_only = pattern.endswith("/")
    bare = pattern.rstrip("/") if folders_only else pattern
    return _Rule(_regex(bare), takes_back, folders_only, f"{mark}: {line}") if bare.strip("/") else None


def _regex(pattern: str) -> Pattern[str]:
    """Of a path below the folder of the file. A pattern with a ``/`` before its end is of that folder alone."""
    parts = ["" if "/" in pattern else "(?:.*/)?"]
    pattern = pattern[1:] if pattern.startswith("/") else pattern
    at = 0
    while at < len(pattern):
        begins = at == 0 or pattern[at - 1] == "/"
        if begins and pattern.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
        elif begins and pattern[at:] == "**":
            parts.append(".+")
            at += 2
        elif pattern[at] == "*":
            parts.append("[^/]*")
            while at < len(pattern) and pattern[at] == "*":
                at += 1
        elif pattern[at] == "?":
            parts.append("[^/]")
            at += 1
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            parts.append(re.escape(pattern[at + 1]))
            at += 2
        elif pattern[at] == "[":
            chosen = bracket(pattern, at)
            if chosen is None:
                return re.compile(r"(?!)")
            parts.append(chosen[0])
            at = chosen[1]
        else:
            parts.append(re.escape(pattern[at]))
            at += 1
    try:
        return re.compile("".join(parts) + r"\Z", re.DOTALL)
    except re.error:
        # Such as a range that runs backwards, which matches nothing.
        return re.compile(r"(?!)")
