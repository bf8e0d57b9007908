"""Which paths of a repo or folder are meant: the rules of ``--include`` and ``--exclude`` of the command line, without its braces."""

from __future__ import annotations

import re
import unicodedata
from typing import List, Optional, Pattern, Sequence, Tuple, Union

from ._paths import folders_of

Patterns = Union[str, Sequence[str], None]

_BRACKET = re.compile(r"\[([!^]?)((?:\[:[a-z]+:\]|\\.|(?<=\[)\]|(?<=\[[!^])\]|[^\]\\])+)\]", re.DOTALL)
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "digit": "0-9", "lower": "a-z", "space": "\\s",
    "upper": "A-Z", "xdigit": "0-9a-fA-F", "punct": r"!-/:-@\[-`{-~", "cntrl": "\\x00-\\x1f\\x7f", "graph": "!-~", "print": " -~",
}  # fmt: skip


class PathRules:
    """Decides by paths alone. Made by ``path_rules``."""

    def __init__(self, allow: Patterns, ignore: Patterns) -> None:
        allowed, ignored = _listed(allow), _listed(ignore)
        self._allowed = [_regex(pattern) for pattern in allowed]
        self._ignored = [_regex(pattern) for pattern in ignored]
        self._naming = [_regex(pattern) for pattern in allowed if pattern.rpartition("/")[2].strip("*?")]
        self._bases = [_base(pattern) for pattern in allowed]
        self._takes_all = allow is None

    def matches(self, path: str) -> bool:
        """Whether the file at this path is meant."""
        if not self._takes_all and not any(test.match(path) for test in self._allowed):
            return False
        return not self.excludes(path) and not any(self.excludes(folder) for folder in folders_of(path))

    def excludes(self, path: str) -> bool:
        """Whether a pattern excludes this path itself: of a folder, also everything below it."""
        return any(test.match(path) for test in self._ignored)

    def may_hold(self, folder: str) -> bool:
        """Whether a file that is meant may be below this folder."""
        return self._takes_all or any(_is_along(folder, base) for base in self._bases)

    def names(self, path: str) -> bool:
        """Whether an allowing pattern names the path itself, and not only everything around it: ``.env``, ``keys/*.pem``, but not ``keys/**``."""
        return any(test.match(path) for test in self._naming)


def path_rules(allow: Patterns, ignore: Patterns) -> PathRules:
    """A path is meant if it matches one of ``allow`` (all do, if None), and neither it nor a folder above it matches one of ``ignore``.

    ``*`` and ``?`` match within a segment, ``[…]`` one character, ``**`` any number of segments. A pattern without ``/`` matches names at any depth, one that ends
    in ``/`` all below a folder, and any other the whole path.
    """
    return PathRules(allow, ignore)


def bracket(pattern: str, at: int) -> Optional[Tuple[str, int]]:
    """The regular expression of the ``[…]`` that begins at ``at``, and where it ends; None if it has no end."""
    found = _BRACKET.match(pattern, at)
    return found and (f"(?!/)[{'^' if found[1] else ''}{_members(found[2])}]", found.end())


def _members(text: str) -> str:
    def member(found: "re.Match[str]") -> str:
        if found[1]:
            return _CLASSES.get(found[1], "")
        return re.escape(found[2]) if found[2] else "\\" + found[0]

    return re.sub(r"\[:([a-z]+):\]|\\(.)|[\[\]^&~|]", member, text, flags=re.DOTALL)


def _listed(patterns: Patterns) -> List[str]:
    return [] if patterns is None else [patterns] if isinstance(patterns, str) else list(patterns)


def _plain(pattern: str) -> str:
    return unicodedata.normalize("NFC", pattern[1:] if pattern.startswith("/") else pattern)


def _regex(pattern: str) -> Pattern[str]:
    whole = pattern + "**" if pattern.endswith("/") else pattern
    segments = _plain(whole).split("/")
    text = "" if "/" in whole else "(?:.*/)?"
    for number, segment in enumerate(segments, 1):
        is_last = number == len(segments)
        if segment != "**":
            text += _segment(segment) + ("" if is_last else "/")
        elif not is_last:
            text += "(?:.*/)?"
        else:
            # All below a folder, and what has the folder's name.
            text = f"{text[:-1]}(?:/.*)?" if text.endswith("/") else f"{text}.*"
    try:
        return re.compile(text + r"\Z", re.DOTALL)
    except re.error:
        # Such as a range that runs backwards, which matches nothing.
        return re.compile(r"(?!)")


def _segment(text: str) -> str:
    parts: List[str] = []
    at = 0
    while at < len(text):
        chosen = bracket(text, at) if text[at] == "[" else None
        if chosen is not None:
            parts.append(chosen[0])
            at = chosen[1]
        elif text[at] == "\\" and at + 1 < len(text):
            parts.append(re.escape(text[at + 1]))
            at += 2
        else:
            parts.append("[^/]*" if text[at] == "*" else "[^/]" if text[at] == "?" else re.escape(text[at]))
            at += 1
    return "".join(parts)


def _base(pattern: str) -> str:
    """The folder that everything which a pattern matches is in; empty if it may be anywhere."""
    if "/" not in pattern:
        return ""
    segments = _plain(pattern).split("/")
    fixed = next((n for n, segment in enumerate(segments) if re.search(r"[*?\[\\]", segment)), len(segments) - 1)
    return "/".join(segments[:fixed])


def _is_along(folder: str, base: str) -> bool:
    """Whether one of the two folders is in the other, or is it."""
    return base == "" or f"{base}/".startswith(f"{folder}/") or folder.startswith(f"{base}/")
