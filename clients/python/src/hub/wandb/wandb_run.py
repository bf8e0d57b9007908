"""The run's class, where loggers of other packages look for it."""

from ._run import Run

__all__ = ["Run"]
