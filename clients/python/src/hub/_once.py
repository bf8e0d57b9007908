"""What is said once in a process."""

from __future__ import annotations

from typing import Set

from . import _warn

_said: Set[str] = set()


def say_once(about: str, message: str) -> None:
    """Says it on stderr, the first time that ``about`` comes up in this process."""
    if about not in _said:
        _said.add(about)
        _warn.warn(message)
