"""``config`` and ``summary``: mappings whose keys are attributes as well."""

from __future__ import annotations

import argparse
from typing import Any, Callable, Dict, Iterator, Mapping, MutableMapping, Optional

from ._said import Error, say_once


def as_mapping(given: Any) -> Dict[str, Any]:
    """The members of a mapping, of what a parser of arguments made, or of an object; none, once said, of anything else."""
    if given is None:
        return {}
    if isinstance(given, argparse.Namespace):
        return vars(given)
    try:
        return dict(given)
    except (TypeError, ValueError):
        if hasattr(given, "__dict__") and not isinstance(given, type):
            return dict(vars(given))
    say_once("mapping", f"wandb.config of {type(given).__name__} is left out: give a mapping, a namespace or an object.")
    return {}


class Values(MutableMapping[str, Any]):
    """Keys are read and set as attributes or by subscript."""

    def __init__(self, changed: Optional[Callable[[], None]] = None) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_changed", changed or (lambda: None))

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._values[key] = value
        self._changed()

    def __delitem__(self, key: str) -> None:
        del self._values[key]
        self._changed()

    def __getattr__(self, key: str) -> Any:
        try:
            return self.__dict__["_values"][key]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no key {key!r}.") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def as_dict(self) -> Dict[str, Any]:
        """A copy."""
        return dict(self._values)


class Config(Values):
    """The run's hyperparameters. As with wandb, a key that has a value takes another one only with ``allow_val_change``."""

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, given: Any = None, allow_val_change: Optional[bool] = None, **more: Any) -> None:  # type: ignore[override]
        values: Mapping[str, Any] = {**as_mapping(given), **more}
        if not allow_val_change:
            for key, value in values.items():
                if key in self._values and not _is_same(self._values[key], value):
                    raise Error(
                        f"config.{key} is {self._values[key]!r} already; config.update(..., allow_val_change=True) sets {value!r}."
                    )
        self._values.update(values)
        self._changed()

    def setdefaults(self, given: Any) -> None:
        """Sets the keys that have no value yet."""
        self.update({key: value for key, value in as_mapping(given).items() if key not in self._values})


class Summary(Values):
    """The last value of each metric, and what the script sets itself; ``set_keys`` has the latter."""

    def __init__(self, changed: Optional[Callable[[], None]] = None) -> None:
        super().__init__(changed)
        object.__setattr__(self, "set_keys", set())

    def __setitem__(self, key: str, value: Any) -> None:
        self.set_keys.add(key)
        super().__setitem__(key, value)

    def update(self, given: Any = None, **more: Any) -> None:  # type: ignore[override]
        values = {**as_mapping(given), **more}
        self.set_keys.update(values)
        self._values.update(values)
        self._changed()

    def logged(self, line: Mapping[str, Any]) -> None:
        """Takes the values of a line, without those that the script has set."""
        if not self.set_keys:
            self._values.update(line)
            return
        self._values.update({key: value for key, value in line.items() if key not in self.set_keys})


def _is_same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (ValueError, TypeError):
        return False
