"""A loop that claims queued runs and hands each to a function."""

from __future__ import annotations

import os
import threading
import traceback
import uuid
from typing import Any, Callable, Optional

from ._errors import HubError, RunCanceled, RunLost
from ._http import Client, backoff_s, is_transient
from ._run import Run
from ._sender import INTERVAL_S, worker_name
from ._settings import connect, state_dir
from ._spool import Spool, identity_of, left_spools, new_spool
from ._warn import warn
from ._ways import Spooled


def work(
    handle: Callable[[Run], Any],
    *,
    owner: Optional[str] = None,
    once: bool = False,
    wait_s: int = 20,
    stop: Optional[threading.Event] = None,
    capture_output: bool = False,
    interval_s: float = INTERVAL_S,
    client: Optional[Client] = None,
) -> None:
    """Claims the queued worker runs of ``owner`` (by default of all accounts of the key), one after the other, and calls ``handle(run)`` for each.

    ``run.recipe`` says what to train. When ``handle`` returns the run has succeeded; an exception fails it with its traceback, and ``RunCanceled``, which ``run.log``
    raises once the hub asks for it, cancels it. The lease is renewed meanwhile. ``RunLost`` says that the run is another worker's now: it is left alone. A worker
    that was killed and is started again in the same folder first goes on with its run (``run.resumed``). ``once`` returns after one run; ``stop`` ends the loop
    between two.
    """
    client = client or connect()
    root = state_dir() / "work"
    identity = identity_of(client.url, owner, os.getcwd())
    stop = stop or threading.Event()
    while not stop.is_set():
        found = _left_or_new(root, identity, owner, client)
        resumed = found.state.get("run") is not None
        try:
            claimed = resumed or _claim(client, found, wait_s, stop)
        except BaseException:
            found.release()
            raise
        if not claimed:
            found.remove()
            return
        _execute(handle, client, found, interval_s, resumed, capture_output)
        if once:
            return


def _left_or_new(root: Any, identity: str, owner: Optional[str], client: Client) -> Spool:
    for spool in left_spools(root, identity):
        if not spool.state.get("gave_up"):
            return spool
        spool.release()
    # The key is kept before the claim is sent: after a kill, the claim is answered again.
    return new_spool(root, identity, url=client.url, claim={"key": str(uuid.uuid4()), "owner": owner})


def _claim(client: Client, spool: Spool, wait_s: int, stop: threading.Event) -> bool:
    claim = spool.state["claim"]
    body = {"worker": worker_name(), "wait_s": wait_s, **({"owner": claim["owner"]} if claim["owner"] else {})}
    body = claim.get("body") or body
    spool.put(claim={**claim, "body": body})
    failures = 0
    while not stop.is_set():
        try:
            run = client.call("POST", "/v1/runs/claim-next", body, key=claim["key"], attempts=1, timeout_s=wait_s + 60.0)
            failures = 0
        except HubError as error:
            if error.type in ("conflict.not_claimer", "conflict.terminal"):
                # The run that the last start claimed is lost meanwhile.
                claim = {**claim, "key": str(uuid.uuid4())}
                spool.put(claim=claim)
                continue
            if not is_transient(error):
                raise
            failures += 1
            if failures == 3:
                warn(f"{error.detail.rstrip('.')}. Trying again until it answers.")
            stop.wait(max(error.retry_after_s or 0.0, backoff_s(failures)))
            continue
        if run is not None:
            config = (run["recipe"] or {}).get("hyperparams")
            spool.put(recipe=run["recipe"], config_values=config if isinstance(config, dict) else {}, claimed=run)
            return True
    return False


def _execute(
    handle: Callable[[Run], Any], client: Client, spool: Spool, interval_s: float, resumed: bool, capture_output: bool
) -> None:
    way = Spooled(client, spool, interval_s, resumed)
    run = Run(way, capture_output=capture_output, raise_on_cancel=True)
    ending = spool.state.get("ending")
    if ending:
        # Its work was done: only the end is still to be told.
        run.finish(ending["status"], ending.get("error"))
        return
    try:
        handle(run)
    except RunCanceled:
        run.finish("canceled")
    except RunLost:
        run.finish("failed", "Lost to another worker.")
    except Exception:
        run.finish("failed", traceback.format_exc())
    except BaseException as error:
        run.finish("failed", f"The worker was stopped: {type(error).__name__}.")
        raise
    else:
        run.finish()
