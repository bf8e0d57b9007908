"""Sends what ended processes left on this machine."""

from __future__ import annotations

from typing import List, Optional, Tuple

from ._http import Client
from ._sender import Sender
from ._settings import connect, state_dir
from ._spool import left_spools


def sync(*, killed: bool = False, timeout_s: float = 300.0, client: Optional[Client] = None) -> Tuple[List[str], List[str]]:
    """Sends the lines of runs that finished while the hub was away. Returns the runs that are complete now, and the folders that are not.

    ``killed`` also ends, as failed, the runs whose trainers were killed. Without it these wait for their trainers to be started again.
    """
    client = client or connect()
    done: List[str] = []
    left: List[str] = []
    for root in (state_dir() / "runs", state_dir() / "work"):
        for spool in left_spools(root):
            state = spool.state
            if "start" not in state and not state.get("run"):
                # A worker that was waiting for a run.
                spool.release()
                continue
            is_ours = state.get("url") == client.url and not state.get("gave_up")
            if not is_ours or not (killed or state.get("ending")):
                left.append(str(spool.folder))
                spool.release()
                continue
            if not state.get("ending"):
                spool.put(ending={"status": "failed", "error": "The trainer was killed."})
            sender = Sender(client, spool, interval_s=0.5)
            sender.start()
            complete = sender.wait(timeout_s)
            run = spool.state.get("run") or {}
            ended = sender.stop()
            if complete:
                done.append(str(run.get("id")))
                spool.remove()
            else:
                left.append(str(spool.folder))
                if ended:
                    spool.release()
    return done, left
