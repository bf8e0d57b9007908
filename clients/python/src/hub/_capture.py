"""The output of the process as the run's log."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Optional, TextIO, cast


class _Tee:
    """A text stream that also goes to the log. What is not about writing is the stream's own."""

    def __init__(self, stream: TextIO, keep: Callable[[str], None]) -> None:
        self._stream = stream
        self._keep = keep

    def write(self, text: str) -> int:
        written = self._stream.write(text)
        self._keep(text)
        return written

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Capture:
    """Copies what Python writes to ``sys.stdout`` and ``sys.stderr``; what other processes and libraries write to the descriptors stays out."""

    def __init__(self, keep: Callable[[str], None]) -> None:
        self._keep: Optional[Callable[[str], None]] = keep
        self._pid = os.getpid()
        self._before = (sys.stdout, sys.stderr)
        self._own = (_Tee(sys.stdout, self._take), _Tee(sys.stderr, self._take))
        sys.stdout, sys.stderr = (cast(TextIO, tee) for tee in self._own)

    def _take(self, text: str) -> None:
        """A print never fails for the copy: not on a full disk, nor after the end, in a handler that has kept the stream."""
        # A forked child has the stream too; the log has one writer.
        if self._keep is None or os.getpid() != self._pid:
            return
        try:
            self._keep(text)
        except (OSError, ValueError):
            self._keep = None

    def end(self) -> None:
        """Puts the streams back, unless someone has replaced them since."""
        self._keep = None
        if sys.stdout is cast(TextIO, self._own[0]):
            sys.stdout = self._before[0]
        if sys.stderr is cast(TextIO, self._own[1]):
            sys.stderr = self._before[1]
