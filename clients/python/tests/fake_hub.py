"""A hub of one run, in this process: what the sender relies on, and faults on request."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional, Tuple

#: ``HUB_EXIT_SECONDS`` of runs that end whole: a machine that stands still is no hub that does not answer.
PATIENCE = "300"

LEASE = {"heartbeat_at": "2026-01-01T00:00:00.000Z", "lease_expires_at": "2026-01-01T00:05:00.000Z"}


class FakeHub:
    """Stores reports as the hub does: by attempt, each number once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.runs: Dict[str, Dict[str, Any]] = {}
        self.reports: List[Dict[str, Any]] = []
        self.starts: Dict[str, str] = {}
        #: Answers to give instead, to the next requests whose path ends so.
        self.faults: List[Tuple[str, int, Dict[str, Any]]] = []
        #: Stores the next report, and cuts the connection instead of answering.
        self.swallow = 0
        handler = type("Handler", (_Handler,), {"hub": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def start(self, key: str, body: Dict[str, Any]) -> Dict[str, Any]:
        if key not in self.starts:
            run_id = f"run_{len(self.runs):026d}"
            self.starts[key] = run_id
            self.runs[run_id] = {"id": run_id, "attempt": 1, "status": "running", "owner": {"handle": "ada"}, "recipe": body["recipe"],
                                 "parent_run_id": body.get("parent_run_id"), "display_name": "x", "cancel_requested_at": None,
                                 "metrics": [], "log": "", "seen": set(), "error": None, **LEASE}
        return self.runs[self.starts[key]]

    def report(self, run: Dict[str, Any], body: Dict[str, Any]) -> Optional[Tuple[int, str]]:
        if run["status"] != "running":
            return 409, "conflict.terminal" if run["status"] != "queued" else "conflict.not_claimer"
        if body["attempt"] != run["attempt"]:
            return 409, "conflict.not_claimer"
        self.reports.append(body)
        for part, number in (("metrics", "metrics_seq"), ("log_chunk", "log_seq")):
            if part in body and (number, body[number]) not in run["seen"]:
                run["seen"].add((number, body[number]))
                if part == "metrics":
                    run["metrics"] += body[part]
                else:
                    run["log"] += body[part]
        if body.get("status"):
            run.update(status=body["status"], error=body.get("error"))
        return None

    def lose(self, run_id: str) -> None:
        """Its lease runs out."""
        with self.lock:
            self.runs[run_id].update(status="queued", metrics=[], media=[], seen=set())


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        run = self.hub.runs.get(self.path.split("/")[-1])
        self._send(200, run) if run else self._refuse(404, "not_found")

    def do_PATCH(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        run = self.hub.runs[self.path.split("/")[3]]
        run.setdefault("words", {}).update(body)
        self._send(200, run)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.hub.lock:
            for fault in self.hub.faults:
                if self.path.endswith(fault[0]):
                    self.hub.faults.remove(fault)
                    return self._send(fault[1], fault[2], "application/problem+json")
            if self.path.endswith("/start"):
                return self._send(201, self.hub.start(self.headers["Idempotency-Key"], body))
            run = self.hub.runs[self.path.split("/")[3]]
            if self.path.endswith("/claim"):
                if run["status"] != "queued":
                    return self._refuse(409, "conflict.already_claimed")
                run.update(status="running", attempt=run["attempt"] + 1)
                return self._send(200, run)
            if self.path.endswith("/media"):
                run.setdefault("media", []).extend(body["media"])
                return self._send(200, run)
            refused = self.hub.report(run, body)
            if refused:
                return self._refuse(*refused)
            if self.hub.swallow > 0:
                self.hub.swallow -= 1
                self.close_connection = True
                return None
            self._send(200, run)

    def _refuse(self, status: int, kind: str) -> None:
        self._send(status, {"type": f"/problems/{kind}", "title": kind, "status": status, "detail": f"refused: {kind}", "request_id": "req_1"})

    def _send(self, status: int, body: Any, kind: str = "application/json") -> None:
        data = json.dumps(body, default=str).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
