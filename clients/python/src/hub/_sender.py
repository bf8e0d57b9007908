"""Brings a spool to the hub: one thread that reports, renews the lease, and starts over where a claim was lost."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
import uuid
from typing import Any, Dict, List, Mapping, Optional

from ._artifacts import Artifacts
from ._errors import HubConnectionError, HubError
from ._http import Client, backoff_s, is_transient, segment
from ._report_values import cuts_character, derived, error_text, seconds_between
from ._settings import exit_s
from ._spool import Spool
from ._warn import warn

# The hub takes 10,000 lines, 256 KiB of log and 8 MiB of JSON in a report.
MAX_LINES = 10_000
MAX_METRICS_BYTES = 4 * 1024 * 1024
MAX_LOG_BYTES = 256 * 1024
INTERVAL_S = 2.0
# The most time without a report, in intervals: it bounds how late a cancel is seen.
_HEARTBEAT_INTERVALS = 2.5
# An answer that does not come in this time is asked for again: reports are numbered.
_TIMEOUT_S = 60.0
# The most that an end waits for a hub that answers.
_FINISH_S = 300.0
# Of the time of an end without the hub, what its threads may take to stop.
_STOP_SHARE = 0.2
_STOP_S = 3.0
# After a refusal that only a person can change.
_PATIENCE_S = 30.0


def worker_name() -> str:
    return f"{socket.gethostname()[:100]} pid {os.getpid()}"


class Sender:
    """Sends what the spool has and the hub has not, each line once, in order."""

    def __init__(self, client: Client, spool: Spool, interval_s: float = INTERVAL_S) -> None:
        self._client = client
        self._spool = spool
        self._interval_s = interval_s
        self._wake = threading.Event()
        self._stopping = False
        self._failures = 0
        self._exit_s = exit_s()
        #: When something last got through; a heartbeat does not count while lines are refused.
        self._through_at = 0.0
        self._ending_since = 0.0
        self._warned: Optional[str] = None
        self._reported_at = 0.0
        self._reported_to: Optional[Mapping[str, Any]] = None
        self._lease_s = 300.0
        self._thread: Optional[threading.Thread] = None
        self._artifacts = Artifacts(client, spool)
        #: The hub asked the run to stop.
        self.cancel_requested = threading.Event()
        #: Why nothing more is sent; None while something may be.
        self.over: Optional[str] = None
        self._error: Optional[Exception] = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._loop, name="hub-sender", daemon=True)
        self._thread.start()
        self._artifacts.start()

    def hurry(self) -> None:
        """The spool's ``ending`` was put: the time of ``wait`` begins."""
        self._ending_since = time.monotonic()
        self._wake.set()

    def wait(self, timeout_s: Optional[float] = None) -> bool:
        """After ``hurry``: whether the hub has everything, within this time.

        Without one, at most 300 seconds, and no longer than ``HUB_EXIT_SECONDS`` (with what ``stop`` takes) after anything got through.
        """
        since = self._ending_since
        while self._thread is not None and self._thread.is_alive():
            if timeout_s is not None:
                until = since + timeout_s
            else:
                until = min(since + _FINISH_S, max(since, self._through_at) + self._exit_s - self._stop_s())
            left = until - time.monotonic()
            if left <= 0:
                break
            self._thread.join(min(left, threading.TIMEOUT_MAX))
        return self.over == "done"

    def _stop_s(self) -> float:
        return min(_STOP_S, _STOP_SHARE * self._exit_s)

    def why(self) -> str:
        """Why the hub does not have everything: the last error, without a full stop at its end."""
        given_up = self._spool.state.get("gave_up_because")
        error = self._error or self._artifacts.error
        said = given_up or (str(error) if isinstance(error, HubError) else f"{type(error).__name__}: {error}" if error else "")
        return (said or f"{self._client.url} did not take it in time").rstrip(".")

    def is_away(self) -> bool:
        """The last try got no answer."""
        return isinstance(self._error, HubConnectionError)

    def stop(self) -> bool:
        """Ends both threads; whether they have ended. One that waits for a silent hub ends with the process."""
        self._stopping = True
        self._wake.set()
        until = time.monotonic() + self._stop_s()
        ended = self._artifacts.stop(self._stop_s())
        if self._thread is not None:
            self._thread.join(max(0.0, until - time.monotonic()))
            ended = ended and not self._thread.is_alive()
        return ended

    def _loop(self) -> None:
        while self.over is None and not self._stopping:
            try:
                self.step()
                pause_s = min(self._interval_s, self._heartbeat_s())
                if self._failures > 0 and self._warned:
                    warn("the hub answers again.")
                self._failures, self._warned, self._error = 0, None, None
                self._through_at = max(self._through_at, self._reported_at)
                if self._spool.state.get("ending") and self.over is None:
                    pause_s = min(pause_s, 0.2)
            except HubError as error:
                self._failures += 1
                self._error = error
                pause_s = self._pause_after(error)
            except Exception as error:  # A defect must not take the lines with it: they stay in the spool.
                self._failures += 1
                self._error = error
                pause_s = _PATIENCE_S
                self._say(f"cannot report: {type(error).__name__}: {error}. The lines are kept in {self._spool.folder}.")
            if self.over is None and not self._stopping:
                self._wake.wait(pause_s)
                self._wake.clear()

    def _pause_after(self, error: HubError) -> float:
        if is_transient(error):
            if self._failures >= 3:
                self._say(f"{error.detail.rstrip('.')}. Lines are kept in {self._spool.folder} and sent when it answers.")
            return max(error.retry_after_s or 0.0, backoff_s(self._failures))
        self._say(f"the hub refuses reports: {error}. Lines are kept in {self._spool.folder}.")
        return max(error.retry_after_s or 0.0, min(_PATIENCE_S, backoff_s(self._failures) * 4))

    def _say(self, message: str) -> None:
        if message != self._warned:
            self._warned = message
            warn(message)

    def step(self) -> None:
        """One round: starts the run if need be, sends what is there, ends it when it is over. Raises ``HubError``."""
        if self._spool.state.get("run") is None:
            self.open_run()
        self._spool.metrics.sync()
        self._spool.log.sync()
        self._send_once_per_attempt()
        is_final = bool(self._spool.state.get("ending"))
        while self.over is None and self._send_batch(is_final):
            if self._stopping:
                return
        while self.over is None and not self._stopping and self._artifacts.media.report(self._post_media):
            pass
        if self.over is not None or self._stopping:
            return
        if is_final and self._artifacts.idle():
            self._send_once_per_attempt()
            self._end()
        elif time.monotonic() - self._reported_at >= self._heartbeat_s():
            self._report({})

    # Beginning

    def open_run(self) -> None:
        """Starts the run under the key that the spool has kept since before the first try; one that a worker has claimed is its own already."""
        claimed = self._spool.state.get("claimed")
        if claimed is not None:
            return self._take(claimed)
        start = self._spool.state["start"]
        try:
            run = self._client.call("POST", "/v1/runs/start", start["body"], key=start["key"], attempts=1, timeout_s=_TIMEOUT_S)
        except HubError as error:
            if 400 <= error.status < 500 and error.status != 401 and not is_transient(error):
                # A stored refusal would only be repeated under the same key.
                self._spool.put(start={**start, "key": str(uuid.uuid4())})
            raise
        for warning in run.get("warnings") or []:
            warn(warning)
        self._take(run)

    def _take(self, run: Mapping[str, Any]) -> None:
        """A new attempt: the hub has none of its metrics, and counts its reports from the start."""
        if not re.fullmatch(r"run_[0-9a-z]{1,64}", str(run["id"])):
            # It becomes part of paths.
            raise HubError(f"The hub started a run with the id {run['id']!r}, which is none.")
        log_at = self._spool.state.get("log_at", 0)
        self._spool.put(
            run={"id": run["id"], "attempt": run["attempt"], "owner": run["owner"]["handle"], "display_name": run.get("display_name")},
            claim_key=None,
            metrics_at=0,
            metrics_seq=0,
            log_at=log_at,
            log_seq=0,
            sending=None,
            config_sent=False,
            output_repo_sent=False,
            scorecard_sent=False,
            words_sent=False,
            media_at=0,
        )
        self._note(run)

    def _note(self, run: Mapping[str, Any]) -> None:
        self._reported_at = time.monotonic()
        lease_s = seconds_between(run.get("heartbeat_at"), run.get("lease_expires_at"))
        if lease_s is not None and lease_s > 0:
            self._lease_s = lease_s
        if run.get("cancel_requested_at"):
            self.cancel_requested.set()

    def _heartbeat_s(self) -> float:
        longest = min(_HEARTBEAT_INTERVALS * self._interval_s, self._lease_s / 3)
        # At the end, often enough to see that the hub is away.
        return min(longest, self._exit_s / 4) if self._spool.state.get("ending") else longest

    # Reports

    def _send_once_per_attempt(self) -> None:
        state = self._spool.state
        if state.get("config") is not None and not state.get("config_sent"):
            self._report({"config_yaml": state["config"]}, drop="config.yaml")
            self._sent("config", state["config"])
        state = self._spool.state
        if state.get("scorecard") is not None and not state.get("scorecard_sent"):
            self._report({"scorecard_json": state["scorecard"]}, drop="the scorecard")
            self._sent("scorecard", state["scorecard"])
        state = self._spool.state
        if state.get("output_repo") and not state.get("output_repo_sent"):
            self._report({"output_model_repo": state["output_repo"]}, drop="the output repo")
            self._sent("output_repo", state["output_repo"])

        state = self._spool.state
        if state.get("words") and not state.get("words_sent"):
            self._reported_to = state["run"]
            try:
                self._client.call("PATCH", f"/v1/runs/{segment(state['run']['id'])}", state["words"], attempts=1, timeout_s=_TIMEOUT_S)
            except HubError as error:
                if is_transient(error):
                    raise
                warn(f"the hub refused {', '.join(state['words'])} of the run: {error}")
            self._sent("words", state["words"])

    def _post_media(self, entries: List[Mapping[str, Any]]) -> None:
        """Reports media. A hub that does not know them is told of none."""
        run = self._spool.state["run"]
        path = f"/v1/runs/{segment(run['id'])}/media"
        try:
            self._note(self._client.call("POST", path, {"attempt": run["attempt"], "media": entries}, attempts=1, timeout_s=_TIMEOUT_S))
            self._through_at = self._reported_at
        except HubError as error:
            if error.type == "quota.storage":
                # They wait for room; the claim must not end meanwhile.
                self._report({})
            if error.type in ("conflict.not_claimer", "conflict.terminal"):
                return self._recover(error)
            if error.status not in (404, 405):
                raise
            # The run answers, but not this route: a hub of an earlier version.
            self._report({})
            if self._spool.state.get("run") == run:
                self._say(f"the hub takes no media of a run: {error}. They are left out.")

    def _sent(self, name: str, value: Any) -> None:
        """Notes what was reported, unless another attempt began meanwhile or there is a newer one."""
        with self._spool.changing:
            now = self._spool.state
            if now.get("run") == self._reported_to and now.get(name) == value:
                self._spool.put(**{f"{name}_sent": True})

    def _send_batch(self, is_final: bool) -> bool:
        """One report of what is there; False where nothing is."""
        state = self._spool.state
        sending = state.get("sending")
        if sending is None:
            sending = {"metrics": self._next_metrics(state["metrics_at"]), "log": self._next_log(state["log_at"], is_final)}
            if sending == {"metrics": None, "log": None}:
                return False
            # Kept before it is sent: after a crash the same bytes go out under the same numbers.
            self._spool.put(sending=sending)
        lines = self._lines(sending["metrics"])
        try:
            self._post_parts(self._log_part(sending["log"]), lines)
        except HubError as error:
            if error.type == "quota.storage":
                # The lines wait for room; the claim must not end meanwhile.
                self._report({})
            raise
        if self.over is not None or self._spool.state.get("sending") is None:
            return self.over is None
        changes: Dict[str, Any] = {"sending": None}
        if sending["metrics"]:
            changes.update(metrics_at=sending["metrics"][1], metrics_seq=state["metrics_seq"] + 1)
        if sending["log"]:
            changes.update(log_at=sending["log"][1], log_seq=state["log_seq"] + 1)
        self._spool.put(**changes)
        return True

    def _next_metrics(self, start: int) -> Optional[List[int]]:
        size = self._spool.metrics.size
        if size <= start:
            return None
        window = self._spool.metrics.read(start, min(MAX_METRICS_BYTES, size - start))
        end, lines = 0, 0
        while lines < MAX_LINES:
            at = window.find(b"\n", end)
            if at < 0:
                break
            end, lines = at + 1, lines + 1
        return [start, start + end] if end else None

    def _next_log(self, start: int, is_final: bool) -> Optional[List[int]]:
        size = self._spool.log.size
        if size <= start:
            return None
        window = self._spool.log.read(start, min(MAX_LOG_BYTES, size - start))
        end = window.rfind(b"\n") + 1
        if end == 0 and (is_final or len(window) == MAX_LOG_BYTES):
            end = len(window)
            # Never inside a character.
            while end > 1 and end < size - start and window[end - 1] & 0x80 and cuts_character(window[:end]):
                end -= 1
        elif is_final and start + len(window) == size:
            end = len(window)
        return [start, start + end] if end else None

    def _lines(self, span: Optional[List[int]]) -> List[bytes]:
        return self._spool.metrics.read(span[0], span[1] - span[0]).splitlines() if span else []

    def _log_part(self, span: Optional[List[int]]) -> Dict[str, Any]:
        if not span:
            return {}
        text = self._spool.log.read(span[0], span[1] - span[0]).decode("utf-8", "replace")
        return {"log_chunk": text, "log_seq": self._spool.state["log_seq"]}

    def _post_parts(self, log: Dict[str, Any], lines: List[bytes]) -> None:
        """Drops a part that the hub refuses, line by line where it names them, and says so; the rest is sent."""
        if not log and not lines:
            return
        try:
            self._report(log, lines)
        except HubError as error:
            if error.status not in (400, 413, 422) or error.type == "quota.storage":
                raise
            if log and lines:
                self._post_parts(log, [])
                # Unless another attempt began: it sends all lines again.
                if self._spool.state.get("sending") is not None:
                    self._post_parts({}, lines)
                return
            refused = error.refused_items("metrics")
            for index in sorted(refused)[:5]:
                warn(f"the hub refused a line, which is dropped: {lines[index][:200]!r}: {error.detail}")
            if not refused:
                warn(f"the hub refused {'lines of metrics' if lines else 'log text'}, dropped: {error}")
            self._post_parts({}, [line for index, line in enumerate(lines) if index not in refused] if refused else [])

    def _report(self, part: Mapping[str, Any], lines: Optional[List[bytes]] = None, drop: Optional[str] = None) -> None:
        """One report. A lost claim is taken again, or a new run started; ``drop``: what a refusal loses."""
        run = self._spool.state["run"]
        self._reported_to = run
        body: Dict[str, Any] = {"attempt": run["attempt"], **part}
        if lines:
            body["metrics_seq"] = self._spool.state["metrics_seq"]
            body.update(derived(lines[-1], self._spool.state.get("config_values") or {}))
        text = json.dumps(body, allow_nan=False).encode()
        if lines:
            # As they were written: a number is not read and written again.
            text = text[:-1] + b',"metrics":[' + b",".join(lines) + b"]}"
        try:
            path = f"/v1/runs/{segment(run['id'])}/report"
            self._note(self._client.call("POST", path, text, attempts=1, timeout_s=_TIMEOUT_S))
            if part or lines:
                self._through_at = self._reported_at
        except HubError as error:
            if drop is not None and error.status in (400, 403, 404, 413, 422):
                warn(f"the hub refused {drop}: {error}")
            elif error.type in ("conflict.not_claimer", "conflict.terminal") or error.status == 404:
                self._recover(error)
            else:
                raise

    # A lost claim

    def _recover(self, refusal: HubError) -> None:
        """The claim is gone. The same run again where the hub allows it, with all its lines; else a new run, or none."""
        state = self._spool.state
        run_id, attempt = state["run"]["id"], state["run"]["attempt"]
        try:
            run = self._client.call("GET", f"/v1/runs/{segment(run_id)}", attempts=1, timeout_s=_TIMEOUT_S)
        except HubError as error:
            if error.status != 404:
                raise
            return self._start_over(f"{run_id} is not there any more", parent=None)
        ending, status = state.get("ending"), run["status"]
        if ending and status == ending["status"] and run["attempt"] == attempt:
            self.over = "done"
        elif status == "running" and run["attempt"] == attempt:
            # Held, but by another key: once its lease has run out, this one can claim it.
            raise refusal
        elif status in ("succeeded", "failed", "canceled"):
            if status == "canceled" or run.get("cancel_requested_at"):
                self.cancel_requested.set()
                self._give_up("canceled", f"{run_id} is {status}; it takes no more lines.")
            else:
                self._start_over(f"{run_id} has ended as {status}", parent=run_id)
        else:
            self._claim_again(run_id)

    def _claim_again(self, run_id: str) -> None:
        key = self._spool.state.get("claim_key") or str(uuid.uuid4())
        self._spool.put(claim_key=key)
        try:
            path = f"/v1/runs/{segment(run_id)}/claim"
            run = self._client.call("POST", path, {"worker": worker_name()}, key=key, attempts=1, timeout_s=_TIMEOUT_S)
        except HubError as error:
            if is_transient(error):
                raise
            self._spool.put(claim_key=None)
            if error.type not in ("conflict.already_claimed", "conflict.terminal", "conflict.not_claimer"):
                raise
            return self._start_over(f"{run_id} is held by another process", parent=run_id)
        warn(f"{run_id} lost its lease and is claimed again (attempt {run['attempt']}); all its metrics are sent again.")
        self._take(run)

    def _start_over(self, why: str, parent: Optional[str]) -> None:
        """A started run goes on as a new one with all lines; of a claimed one the work is another's now."""
        start = self._spool.state.get("start")
        if start is None:
            return self._give_up("lost", f"{why}; this worker stops.")
        warn(f"{why}: its lines go to a new run.")
        body = {**start["body"], **({"parent_run_id": parent} if parent else {})}
        self._spool.put(run=None, log_at=0, sending=None, claim_key=None, start={"key": str(uuid.uuid4()), "body": body})
        self.open_run()

    def _give_up(self, why: str, message: str) -> None:
        warn(f"{message} What it did not take stays in {self._spool.folder}.")
        self._spool.put(gave_up=why, gave_up_because=message)
        self.over = why

    # The end

    def _end(self) -> None:
        ending = self._spool.state["ending"]
        run = self._spool.state["run"]
        self._report_end(ending)
        # `_recover` may have begun another attempt instead; the next round then sends its lines.
        if self.over is None and self._spool.state.get("run") == run:
            self.over = "done"

    def _report_end(self, ending: Mapping[str, Any]) -> None:
        part = {"status": ending["status"], **({"error": error_text(ending["error"])} if ending.get("error") else {})}
        try:
            self._report(part)
        except HubError as error:
            # `canceled` without a request: the run that was asked to stop is another one now.
            if error.status != 422 or ending["status"] != "canceled":
                raise
            self._spool.put(ending={"status": "failed", "error": ending.get("error") or "The trainer was canceled."})
            self._report_end(self._spool.state["ending"])
