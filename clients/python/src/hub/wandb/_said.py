"""What is said once, and what stands in for the parts of wandb that the hub does not have."""

from __future__ import annotations

import os
from typing import Any, Iterator

from .._once import say_once
from .._warn import warn


class Error(Exception):
    """An error of this module, under wandb's name."""


class UsageError(Error):
    """A call that cannot work."""


class CommError(Error):
    """The hub refused, or does not have what was asked for."""


def say(message: str) -> None:
    """Says it, unless WANDB_SILENT asks for silence."""
    if os.environ.get("WANDB_SILENT", "").lower() not in ("true", "1"):
        warn(message)


class Harmless:
    """Takes any call and any attribute, and does nothing: a training goes on without what the hub does not have."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> Harmless:
        say_once(self._name, f"{self._name} is not supported by the hub and does nothing.")
        return self

    def __getattr__(self, name: str) -> Harmless:
        if name.startswith("__"):
            raise AttributeError(name)
        say_once(self._name, f"{self._name} is not supported by the hub and does nothing.")
        return Harmless(f"{self._name}.{name}")

    def __enter__(self) -> Harmless:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __bool__(self) -> bool:
        return False

    def __getitem__(self, key: Any) -> Harmless:
        return Harmless(f"{self._name}[{key!r}]")

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __contains__(self, key: Any) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __repr__(self) -> str:
        return f"<{self._name}: not supported by the hub>"


__all__ = ["CommError", "Error", "Harmless", "UsageError", "say", "say_once"]
