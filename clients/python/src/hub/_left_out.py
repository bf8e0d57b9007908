"""What an upload leaves out of a folder, and why: the rules of ``hub push``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional, Set

from ._files import PARTIAL
from ._globs import Patterns, path_rules
from ._ignore_files import IgnoreFiles

#: Git's and the hub's own data, and the marks of a file manager: never sent.
_NEVER = frozenset((".git", ".hub", ".DS_Store"))
#: Folders that tools make again.
_BUILT = frozenset((
    "__pycache__", ".cache", ".eggs", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".tox", ".venv",
    "node_modules", "venv", "wandb",
))  # fmt: skip

_EXAMPLES = re.compile(r"\.env\.(?:example|sample|template|dist|defaults?)\Z", re.I | re.A)
_SECRET_NAMES = [
    re.compile(r"\.env(?:\..*|rc)?\Z", re.I | re.A),
    re.compile(r".*\.(?:pem|p12|pfx|ppk|jks|keystore|kdbx)\Z", re.I | re.A | re.S),
    re.compile(r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?\Z"),
    re.compile(r"[._]netrc\Z"),
    re.compile(r"\.(?:git-credentials|pgpass|htpasswd|s3cfg|boto)\Z"),
    re.compile(r"credentials(?:\.(?:json|ya?ml|toml|ini|csv))?\Z", re.I | re.A),
    re.compile(r"(?:application_default_credentials|client_secrets?.*|service[-_]account.*)\.json\Z", re.I | re.A),
]
#: In these folders, files of these names are credentials.
_SECRET_PATHS = [
    re.compile(r"(?:.*/)?\.ssh/(?!.*\.pub\Z|known_hosts|config\Z)[^/]+\Z", re.S),
    re.compile(r"(?:.*/)?\.docker/config\.json\Z", re.S),
    re.compile(r"(?:.*/)?\.kube/config\Z", re.S),
]
#: Names that hold a credential only if their content matches.
_SECRET_CONTENTS = [
    (re.compile(r"\.npmrc\Z"), re.compile(rb"_(?:authToken|auth|password)\s*=")),
    (re.compile(r"\.yarnrc\.yml\Z"), re.compile(rb"npmAuth(?:Token|Ident)\s*:")),
    (re.compile(r"(?:\.pypirc|pip\.conf)\Z"), re.compile(rb"^\s*password\s*[:=]|://[^/\s:]+:[^/\s@]+@", re.M)),
    # What `hub login` stores.
    (re.compile(r"client\.json\Z"), re.compile(rb'"token"\s*:\s*"(?:hub_key_|eyJ)')),
    (re.compile(r".*\.key\Z", re.I | re.A | re.S), re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
]
#: A credential further down is not looked for.
_LOOK_BYTES = 65_536


@dataclass(frozen=True)
class LeftOut:
    """A path that was not sent. A folder ends in ``/``."""

    path: str
    #: ``secret``: it may hold a credential; ``ignored``: an ignore file says so; ``built``: tools make it again.
    reason: str
    #: ``<file>: <pattern>`` of an ignore file.
    rule: Optional[str] = None


class Leaving:
    """Decides by names, before anything is opened or followed; only ``secret`` reads a file. Paths are those in the folder."""

    def __init__(self, allow: Patterns, ignore_files: bool, include_secrets: bool) -> None:
        #: What was left out so far.
        self.left: List[LeftOut] = []
        #: Hold a credential, and a pattern names them all the same.
        self.included: Set[str] = set()
        self._is_named = path_rules(allow, None).names
        self._ignore_files = ignore_files
        self._include_secrets = include_secrets
        self._files = IgnoreFiles()

    def never(self, name: str) -> bool:
        return name in _NEVER or name.startswith(PARTIAL)

    def enter(self, prefix: str, directory: Path) -> None:
        """Before the entries of a folder are asked for."""
        if self._ignore_files:
            self._files.read(prefix, directory)

    def folder(self, path: str, is_link: bool) -> Optional[LeftOut]:
        """Why a folder, or a link that may lead to one, is left out."""
        if not self._ignore_files or self._is_named(path):
            return None
        shown = path if is_link else f"{path}/"
        if _name(path) in _BUILT:
            return LeftOut(shown, "built")
        rule = self._files.rule_for(path, True)
        return None if rule is None else LeftOut(shown, "ignored", rule)

    def file(self, path: str) -> Optional[LeftOut]:
        """Why a file is left out, by its name."""
        if self._is_named(path):
            return None
        if not self._include_secrets and is_secret_name(path):
            return LeftOut(path, "secret")
        rule = self._files.rule_for(path, False) if self._ignore_files else None
        return None if rule is None else LeftOut(path, "ignored", rule)

    def secret(self, path: str, file: Path) -> Optional[LeftOut]:
        """Whether a file holds a credential, by its content too, or by the name that a link to it leads to."""
        if self._include_secrets:
            return None
        if not is_secret_name(file.name) and not is_secret_name(path) and not _shows_secret(path, file):
            return None
        if self._is_named(path):
            self.included.add(path)
            return None
        return LeftOut(path, "secret")


def is_secret_name(path: str) -> bool:
    """Whether the name alone says that the file holds a credential."""
    name = _name(path)
    if _EXAMPLES.match(name):
        return False
    return any(known.match(name) for known in _SECRET_NAMES) or any(known.match(path) for known in _SECRET_PATHS)


def _shows_secret(path: str, file: Path) -> bool:
    contents = [content for known, content in _SECRET_CONTENTS if known.match(_name(path))]
    if not contents:
        return False
    try:
        with open(file, "rb") as opened:
            text = opened.read(_LOOK_BYTES)
    except OSError:
        # Sending it reports that.
        return False
    return any(content.search(text) for content in contents)


def _name(path: str) -> str:
    return path.rpartition("/")[2]
