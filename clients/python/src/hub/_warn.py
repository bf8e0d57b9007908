"""What the client says to the person who runs it."""

from __future__ import annotations

import json
import re
import sys

#: Control characters, bidirectional controls and line separators: they move a cursor, hide text or show it in another order. Half a surrogate pair is not text at all.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Untrusted text with its hidden characters escaped, as JSON does it."""
    return _HIDDEN.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    text = json.dumps(character)[1:-1]
    return f"\\u{ord(character):04x}" if text == character else text


def warn(message: str) -> None:
    """To the terminal of the process, also while its output is captured."""
    stream = sys.__stderr__
    if stream is not None:
        try:
            stream.write(f"hub: {visible(message)}\n")
            stream.flush()
        except (OSError, ValueError):
            pass
