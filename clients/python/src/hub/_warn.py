"""What the client says to the person who runs it."""

from __future__ import annotations

import sys


def warn(message: str) -> None:
    """To the terminal of the process, also while its output is captured."""
    stream = sys.__stderr__
    if stream is not None:
        try:
            stream.write(f"hub: {message}\n")
            stream.flush()
        except (OSError, ValueError):
            pass
