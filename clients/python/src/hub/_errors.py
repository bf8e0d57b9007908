"""What this client raises."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from ._warn import visible


class HubError(Exception):
    """The hub refused a request: a Problem of RFC 9457.

    ``type`` is the last segment of the Problem's type (``conflict.terminal``), ``request_id`` finds the request in the hub's log, ``errors`` are its entries, each
    with ``type``, ``detail`` and ``loc``, the place in the request.
    """

    def __init__(
        self,
        detail: str,
        *,
        type: str = "",
        status: int = 0,
        title: str = "",
        request_id: Optional[str] = None,
        errors: Sequence[Mapping[str, Any]] = (),
        retry_after_s: Optional[float] = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.type = type
        self.status = status
        self.title = title
        self.request_id = request_id
        self.errors = tuple(errors)
        self.retry_after_s = retry_after_s

    def __str__(self) -> str:
        request = f" (request {self.request_id})" if self.request_id else ""
        # The hub speaks of a header, which nobody who calls this client writes.
        how = " Set HUB_TOKEN to a key of this hub, or run `hub login`." if self.status == 401 else ""
        return visible(f"{self.detail}{how}{request}")

    def refused_items(self, member: str) -> frozenset[int]:
        """Which items of the body's list ``member`` were refused, by index."""
        found = set()
        for entry in self.errors:
            loc = entry.get("loc") or []
            if member in loc:
                after = loc[loc.index(member) + 1 :]
                if after and isinstance(after[0], int):
                    found.add(after[0])
        return frozenset(found)


class HubConnectionError(HubError):
    """No usable answer: the hub cannot be reached, or the connection was cut. Trying again later may help."""


class RunCanceled(Exception):
    """The hub asked the run to stop: someone canceled it, or a limit or tripwire of its recipe was reached."""


class RunLost(Exception):
    """Another worker holds the claimed run now, or it has ended: what is logged from here on would be lost."""
