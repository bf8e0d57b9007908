"""Modules of wandb that the hub does not have: an import of one does not end a training."""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Optional

from ._said import Harmless, say_once

_OF = ("wandb.", "hub.wandb.")


class _Missing(MetaPathFinder, Loader):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        is_public = name.startswith(_OF) and not any(part.startswith("_") for part in name.split("."))
        return ModuleSpec(name, self, is_package=True) if is_public else None

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.replace("hub.wandb", "wandb", 1)
        say_once(name, f"{name} is not supported by the hub: what is imported of it does nothing.")

        def harmless(member: str) -> Harmless:
            if member.startswith("__"):
                raise AttributeError(member)
            return Harmless(f"{name}.{member}")

        setattr(module, "__getattr__", harmless)


def install() -> None:
    """Comes after all that find real modules."""
    if not any(isinstance(one, _Missing) for one in sys.meta_path):
        sys.meta_path.append(_Missing())
