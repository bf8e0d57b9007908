"""wandb's errors, where it has them."""

from ._said import CommError, Error, UsageError

__all__ = ["CommError", "Error", "UsageError"]
