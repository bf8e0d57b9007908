"""What the callback of transformers imports."""

from ..._said import Error as ConfigError

__all__ = ["ConfigError"]
