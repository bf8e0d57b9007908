"""Secrets in the texts of files that an upload is about to send. Fewer kinds than ``hub push`` knows: the credentials of a hub, private keys, and tokens of
GitHub, Hugging Face and AWS."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, List, Pattern, Tuple

#: Larger files are data.
_LARGEST_BYTES = 4 * 1024 * 1024
#: As Git tells text from binary: a NUL near the beginning.
_HEAD_BYTES = 8192
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MOST_SHOWN = 20


@dataclass(frozen=True)
class FoundSecret:
    """Where a secret is, and of which kind: never the secret."""

    #: Of the folder.
    path: str
    #: From 1.
    line: int
    kind: str


class SecretsFound(ValueError):
    """Files to send hold secrets; nothing was sent."""

    def __init__(self, secrets: List[FoundSecret]) -> None:
        shown = [f"{one.path}:{one.line}: {one.kind}" for one in secrets[:_MOST_SHOWN]]
        if len(secrets) > _MOST_SHOWN:
            shown.append(f"and {len(secrets) - _MOST_SHOWN} more")
        super().__init__("Files to send hold secrets; nothing was sent. allow_secrets sends what matches. " + "; ".join(shown))
        self.secrets = secrets


def _is_hub_key(text: bytes) -> bool:
    rest, digits = zlib.crc32(text[8:38]), ""
    for _ in range(6):
        rest, place = divmod(rest, len(_ALPHABET))
        digits = _ALPHABET[place] + digits
    return text[38:] == digits.encode()


def _is_hub_token(text: bytes) -> bool:
    head = text.partition(b".")[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + b"=" * (-len(head) % 4)))
    except ValueError:
        return False
    return isinstance(header, dict) and header.get("typ") in ("hub-session+jwt", "svc-approval+jwt", "svc-session+jwt")


def _any(_text: bytes) -> bool:
    return True


_RULES: List[Tuple[str, Pattern[bytes], Callable[[bytes], bool]]] = [
    ("API key of a hub", re.compile(rb"hub_key_[0-9A-Za-z]{36}(?![0-9A-Za-z])"), _is_hub_key),
    (
        "session or approval of a hub",
        re.compile(rb"\beyJ[\w-]{10,1000}\.[\w-]{10,8000}\.[\w-]{86}(?![\w-])"),
        _is_hub_token,
    ),
    (
        "private key",
        re.compile(
            rb"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s\"'+,])*(?:[\w-]{1,40}: [^\n]{0,200}\n\s*){0,4}"
            rb"(?:M[A-P]|b3BlbnNzaC1rZXkt|[lx][A-Za-z])[A-Za-z0-9+/]{38}"
        ),
        _any,
    ),
    ("GitHub Token", re.compile(rb"(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{82})(?!\w)"), _any),
    ("Hugging Face User Access Token", re.compile(rb"(?<![A-Za-z])hf_[A-Za-z]{34}(?![A-Za-z])"), _any),
    (
        "AWS Secret Access Key",
        re.compile(rb"(?i:secret_?access_?key)[\"']?\s{0,20}(?::|=>?)\s{0,20}[\"']?[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])"),
        _any,
    ),
]


def assert_no_secrets(files: Iterable[Tuple[str, Path, int]]) -> None:
    """``SecretsFound`` for the text files, as path, place and size, of at most 4 MiB that hold one."""
    found = [secret for path, file, size in files if 0 < size <= _LARGEST_BYTES for secret in secrets_in(path, _text_of(file))]
    if found:
        raise SecretsFound(sorted(found, key=lambda one: (one.path, one.line)))


def secrets_in(path: str, text: bytes) -> List[FoundSecret]:
    """One of each kind a line; none where a comment of Secretlint says so."""
    found = {}
    for kind, pattern, is_real in _RULES:
        for match in pattern.finditer(text):
            if is_real(match.group()) and not _is_marked(text, match.start()):
                one = FoundSecret(path, text.count(b"\n", 0, match.start()) + 1, kind)
                found[one] = one
    return list(found)


def _is_marked(text: bytes, at: int) -> bool:
    start = text.rfind(b"\n", 0, at) + 1
    end = text.find(b"\n", at)
    before = text[text.rfind(b"\n", 0, max(0, start - 1)) + 1 : start]
    return b"secretlint-disable-line" in text[start : len(text) if end < 0 else end] or b"secretlint-disable-next-line" in before


def _text_of(file: Path) -> bytes:
    try:
        with open(file, "rb") as opened:
            text = opened.read(_LARGEST_BYTES + 1)
    except OSError:
        # Sending it reports that.
        return b""
    return b"" if b"\0" in text[:_HEAD_BYTES] else text
