"""Streams of Server-Sent Events, read as they come and taken up again where they were cut."""

from __future__ import annotations

import http.client
import time
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional

from ._errors import HubConnectionError, HubError
from ._http import Client, backoff_s, is_transient

# A metrics line has at most 8 MiB, what a report takes.
_MAX_LINE_BYTES = 16 * 1024 * 1024
#: Attempts without one event between them.
_ATTEMPTS = 6


class Event(NamedTuple):
    kind: str
    data: str


def events(client: Client, path: str, query: Mapping[str, Any]) -> Iterator[Event]:
    """The events of a stream until its ``end``. One that is cut goes on after the last event that came; memory holds one."""
    last_id: Optional[str] = None
    failures = 0
    while True:
        try:
            with client.stream(path, query, last_id=last_id) as answer:
                for place, event in _events_of(answer):
                    last_id, failures = place or last_id, 0
                    yield event
                    if event.kind == "end":
                        return
            raise HubConnectionError(f"The stream {path} ended before its end.")
        except HubError as error:
            failures += 1
            if failures >= _ATTEMPTS or not is_transient(error):
                raise
            time.sleep(max(error.retry_after_s or 0.0, backoff_s(failures)))


def _events_of(answer: Any) -> "Iterator[tuple[Optional[str], Event]]":
    place: Optional[str] = None
    kind = "message"
    data: List[str] = []
    while True:
        line = _line_of(answer)
        if line is None:
            return
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if not line and data:
            yield place, Event(kind, "\n".join(data))
        if not line:
            kind, data = "message", []
        elif name == "id":
            place = value
        elif name == "event":
            kind = value
        elif name == "data":
            data.append(value)


def _line_of(answer: Any) -> Optional[str]:
    try:
        line: bytes = answer.readline(_MAX_LINE_BYTES + 1)
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise HubConnectionError(f"A stream of the hub was cut off: {error}") from None
    if len(line) > _MAX_LINE_BYTES:
        raise HubError(f"A stream of the hub has a line of more than {_MAX_LINE_BYTES} bytes. Is this a hub?")
    return line.decode("utf-8", "replace").rstrip("\r\n") if line.endswith(b"\n") else None
