"""Which paths a repo can have, and which of them can be written to a disk: the rules of ``hub push`` and ``hub pull``, held equal by ``test/clients/path-cases.json``."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

ON_WINDOWS = os.name == "nt"
_MAX_PATH_BYTES = 1024
_MAX_SEGMENT_BYTES = 255

#: C0, DEL and C1.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
#: Invisible characters that file systems ignore in names: Default_Ignorable_Code_Point and the category Cf. As a table, because it depends on no version of Python.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
#: 8.3 names of ``.git``: numbered, or hashed if the numbered ones are taken.
_GIT = re.compile(r"\.git|git~[0-9]+|gi[0-9a-f]{4}~[0-9]+")
_STRANGE = re.compile(r'[<>:"|?*]')
#: With any extension.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³]|conin\$|conout\$) *(?:\.|\Z)", re.IGNORECASE | re.ASCII)


def listing_faults(paths: Iterable[str], on_windows: Optional[bool] = None) -> List[Tuple[str, str]]:
    """What keeps a listing from being written: each path at fault, and why. ``on_windows``: by default whether this machine is."""
    found: List[Tuple[str, str]] = []
    listed = dict.fromkeys(paths)
    for path in listed:
        why = new_path_fault(path)
        if why is None and (ON_WINDOWS if on_windows is None else on_windows):
            why = _windows_fault(path)
        if why is not None:
            found.append((path, why))
        found += [(folder, "is a file and a folder") for folder in folders_of(path) if folder in listed]
    return found


def case_collisions(paths: Iterable[str]) -> List[List[str]]:
    """Groups of paths that a case-insensitive file system takes for one."""
    groups: Dict[str, List[str]] = {}
    for path in paths:
        groups.setdefault(path.lower(), []).append(path)
    return [group for group in groups.values() if len(group) > 1]


def new_path_fault(path: str) -> Optional[str]:
    """Why a file cannot be created at ``path``, as a clause after "The path …"; None if it can."""
    why = _path_fault(path)
    if why is not None:
        return why
    git = next((name for name in path.split("/") if is_git_name(name)), None)
    return None if git is None else f"has the segment {quoted(git)}, which a file system may treat as .git"


def _path_fault(path: str) -> Optional[str]:
    if path == "":
        return "is empty"
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if size > _MAX_PATH_BYTES:
        return f"is longer than {_MAX_PATH_BYTES} bytes of UTF-8"
    if _CONTROL.search(path):
        return "contains a control character"
    if "\\" in path:
        return "contains a backslash; segments are separated by /"
    if path != unicodedata.normalize("NFC", path):
        return "is not in Unicode normal form C (NFC)"
    if path.startswith("/"):
        return "starts with /"
    if path.endswith("/"):
        return "ends with /"
    for name in path.split("/"):
        if name == "":
            return "has an empty segment"
        if name in (".", ".."):
            return f"has the segment {name}"
        if len(name.encode()) > _MAX_SEGMENT_BYTES:
            return f"has a segment longer than {_MAX_SEGMENT_BYTES} bytes"
    return None


def is_git_name(name: str) -> bool:
    """Whether one segment of a path is ``.git`` to Git or to some file system: checking out such a file lets its author run commands."""
    plain = _IGNORABLE.sub("", unicodedata.normalize("NFKC", name)).lower()
    return _GIT.fullmatch(plain.split(":")[0].rstrip(". ")) is not None


def _windows_fault(path: str) -> Optional[str]:
    """Device names, alternate data streams, and names that Windows silently shortens."""
    for name in path.split("/"):
        if _STRANGE.search(name):
            return "contains a character that Windows does not allow in file names"
        if name[-1] in ". ":
            return "has a segment that ends in a dot or space, which Windows strips"
        if _DEVICE.match(name):
            return f"has the segment {quoted(name)}, which is a Windows device name"
    return None


def folders_of(path: str) -> Iterator[str]:
    """The folders above a path, the outermost first."""
    at = path.find("/")
    while at > 0:
        yield path[:at]
        at = path.find("/", at + 1)


def clashes_between(paths: Iterable[str], others: Iterable[str]) -> List[Tuple[str, str]]:
    """Each of ``paths`` that is a folder above one of ``others``, or below one of them, with the first such other: no repo and no disk holds both."""
    files = dict.fromkeys(others)
    first_in: Dict[str, str] = {}
    for other in files:
        for folder in folders_of(other):
            first_in.setdefault(folder, other)
    found: List[Tuple[str, str]] = []
    for path in paths:
        clash = next((folder for folder in folders_of(path) if folder in files), first_in.get(path))
        if clash is not None:
            found.append((path, clash))
    return found


def quoted(path: str) -> str:
    """A path for a message, as JSON. Letters stay as they are; what UTF-8 cannot have is escaped."""
    return json.dumps(path, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
