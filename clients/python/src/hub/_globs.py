"""Which paths of a repo or folder are meant."""

from __future__ import annotations

import re
from typing import Callable, List, Optional, Pattern, Sequence, Union

Patterns = Union[str, Sequence[str], None]


def path_test(allow: Patterns, ignore: Patterns) -> Callable[[str], bool]:
    """Whether a path is meant: it matches one of ``allow`` (all paths, if None) and none of ``ignore``.

    ``*`` and ``?`` match within a segment, ``**`` across segments. A pattern without ``/`` matches names at any depth, one that ends in ``/`` all below a folder.
    """
    allowed, ignored = _compiled(allow), _compiled(ignore) or []
    return lambda path: (allowed is None or any(p.match(path) for p in allowed)) and not any(p.match(path) for p in ignored)


def naming_test(allow: Patterns) -> Callable[[str], bool]:
    """Whether one of ``allow`` names the path itself, and not only everything around it: ``.env``, ``keys/*.pem``, but not ``keys/**``."""
    patterns = [] if allow is None else [allow] if isinstance(allow, str) else allow
    naming = [_regex(pattern) for pattern in patterns if pattern.rpartition("/")[2].strip("*?")]
    return lambda path: any(test.match(path) for test in naming)


def _compiled(patterns: Patterns) -> Optional[List[Pattern[str]]]:
    if patterns is None:
        return None
    return [_regex(pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns)]


def _regex(pattern: str) -> Pattern[str]:
    whole = pattern.lstrip("/") + ("**" if pattern.endswith("/") else "")
    parts = ["" if "/" in whole else "(?:.*/)?"]
    at = 0
    while at < len(whole):
        if whole.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
        elif whole.startswith("**", at):
            parts.append(".*")
            at += 2
        elif whole[at] == "*":
            parts.append("[^/]*")
            at += 1
        elif whole[at] == "?":
            parts.append("[^/]")
            at += 1
        elif whole[at] == "[" and "]" in whole[at + 2 :]:
            end = whole.index("]", at + 2)
            chosen = whole[at + 1 : end].replace("\\", "\\\\")
            parts.append(f"(?!/)[{'^' + chosen[1:] if chosen[0] == '!' else chosen}]")
            at = end + 1
        else:
            parts.append(re.escape(whole[at]))
            at += 1
    return re.compile("".join(parts) + r"\Z", re.DOTALL)
