"""Sends what ended processes left on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

from ._http import Client
from ._kept import kept_of
from ._sender import Sender
from ._settings import connect, state_dir
from ._spool import Spool, left_spools


@dataclass(frozen=True)
class NotSent:
    """What stays on this machine, and why."""

    folder: str
    #: What the hub does not have: lines, log, files.
    kept: str
    #: A sentence without its full stop.
    reason: str

    def __str__(self) -> str:
        return f"{self.folder} ({self.kept}): {self.reason}."


def sync(
    *, killed: bool = False, timeout_s: Optional[float] = None, client: Optional[Client] = None
) -> Tuple[List[str], List[NotSent]]:
    """Sends the lines of runs that finished while the hub was away. Returns the runs that are complete now, and what is not sent, with its reason.

    ``killed`` also ends, as failed, the runs whose trainers were killed. Without it these wait for their trainers to be started again. ``timeout_s`` is the time for
    each run, as in ``Run.finish``. Once the hub does not answer, no other run is tried.
    """
    client = client or connect()
    done: List[str] = []
    left: List[NotSent] = []
    away: Optional[str] = None
    for root in (state_dir() / "runs", state_dir() / "work"):
        for spool in left_spools(root):
            state = spool.state
            if "start" not in state and not state.get("run"):
                # A worker that was waiting for a run.
                spool.release()
                continue
            reason = _refusal(spool, client, killed) or away
            if reason is not None:
                left.append(NotSent(str(spool.folder), kept_of(spool), reason))
                spool.release()
                continue
            if not state.get("ending"):
                spool.put(ending={"status": "failed", "error": "The trainer was killed."})
            sender = Sender(client, spool, interval_s=0.5)
            sender.start()
            sender.hurry()
            complete = sender.wait(timeout_s)
            run = spool.state.get("run") or {}
            ended = sender.stop()
            if complete:
                done.append(str(run.get("id")))
                spool.remove()
                continue
            left.append(NotSent(str(spool.folder), kept_of(spool), sender.why()))
            away = sender.why() if sender.is_away() else None
            if ended:
                spool.release()
    return done, left


def _refusal(spool: Spool, client: Client, killed: bool) -> Optional[str]:
    """Why a run is not even tried."""
    state = spool.state
    if state.get("url") != client.url:
        return f"it belongs to {state.get('url')}; set HUB_URL to that"
    if state.get("gave_up"):
        return str(state.get("gave_up_because") or f"the hub takes no more of it ({state['gave_up']})").rstrip(".")
    if not killed and not state.get("ending"):
        return "its trainer was killed: start it again, or send this with --killed"
    return None
