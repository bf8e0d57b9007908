"""Requests to one hub with one credential."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.request
import uuid
from typing import IO, Any, Dict, Mapping, Optional, Union
from urllib.parse import quote, urlencode, urlsplit

from ._errors import HubConnectionError, HubError

# Completing an upload hashes the file before the hub answers.
RESPONSE_TIMEOUT_S = 280.0
_ATTEMPTS = 6
_BASE_S = 0.25
_MAX_S = 15.0
_MAX_RETRY_AFTER_S = 120.0
# Work of a twin request is waited for this long: the claim of a killed hub ends after a minute.
_IN_PROGRESS_S = 90.0
# The hub's own answers have at most 32 MiB.
_MAX_ANSWER_BYTES = 64 * 1024 * 1024
_TRANSIENT = frozenset((408, 425, 429, 500, 502, 503, 504))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the credential to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def open_url(request: urllib.request.Request, timeout_s: float) -> Any:
    """The answer as a file. Raises ``HubError`` for a status of 300 and above, and ``HubConnectionError``; no message contains a query, which may be a signature."""
    where = shown(request.full_url)
    # A hub names the URLs of its files: of other schemes, Python would open files of this machine.
    if request.type not in ("http", "https"):
        raise HubError(f"{where} is not an http(s) URL.")
    try:
        return _opener.open(request, timeout=timeout_s)
    except urllib.error.HTTPError as error:
        with error:
            raise _problem(error) from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        # Without the number of the error, which says nothing to a person.
        plain = getattr(reason, "strerror", None) or reason or type(error).__name__
        raise HubConnectionError(f"{where} did not answer: {plain}") from None


def shown(url: str) -> str:
    """The URL without its query, which may be a signature, and without a credential."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def backoff_s(failures: int) -> float:
    """Exponential, with jitter over the upper half, so that clients that failed together do not return together."""
    window = min(_MAX_S, _BASE_S * 2.0 ** min(failures - 1, 10))
    return window / 2 + random.random() * window / 2


def is_transient(error: HubError) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, HubConnectionError):
        return True
    if error.type.startswith("not_configured") or error.type == "quota.uploads":
        return False
    return error.status in _TRANSIENT or _in_progress(error)


def _in_progress(error: HubError) -> bool:
    return error.type in ("conflict.in_progress", "idempotency.in_flight")


def _is_stored(error: HubError) -> bool:
    """Whether a repeat under the same Idempotency-Key would get this refusal again."""
    return 0 < error.status < 500 and error.status != 429 and not error.type.startswith("idempotency.")


def with_retry(work: Any, attempts: int = _ATTEMPTS, stop: Optional[threading.Event] = None) -> Any:
    """Calls ``work`` until it succeeds, fails for good, or has failed ``attempts`` times."""
    twin_until = time.monotonic() + _IN_PROGRESS_S
    failures = 0
    while True:
        try:
            return work()
        except HubError as error:
            failures += 1
            spent = failures >= attempts and not (_in_progress(error) and time.monotonic() < twin_until)
            wait_s = error.retry_after_s or 0.0
            if spent or not is_transient(error) or wait_s > _MAX_RETRY_AFTER_S:
                raise
            wait_s = max(wait_s, backoff_s(failures))
            if stop is None:
                time.sleep(wait_s)
            elif stop.wait(wait_s):
                raise


class Client:
    """Calls of ``/v1``, retried with backoff. A POST carries an Idempotency-Key, so that a repeat does not act twice."""

    def __init__(self, url: str, token: Optional[str] = None) -> None:
        self.url = url.rstrip("/")
        self._token = token

    def __repr__(self) -> str:
        return f"Client({self.url!r}, token={'***' if self._token else None})"

    def call(
        self,
        method: str,
        path: str,
        body: Union[Mapping[str, Any], bytes, None] = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        key: Optional[str] = None,
        attempts: int = _ATTEMPTS,
        timeout_s: float = RESPONSE_TIMEOUT_S,
    ) -> Any:
        """The parsed answer; None for a 204. ``body``: an object, or its JSON. ``key``: the Idempotency-Key of a POST, else a new one."""
        key = key or str(uuid.uuid4())
        data = body if body is None or isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode()
        url = self._address(path, query)

        def send() -> Any:
            nonlocal key
            headers = self._headers("application/json")
            if data is not None:
                headers["Content-Type"] = "application/json"
            if method == "POST":
                headers["Idempotency-Key"] = str(key)
            request = urllib.request.Request(url, data=data, headers=headers, method=method)
            try:
                return self._answer(request, timeout_s)
            except HubError as error:
                if _is_stored(error):
                    key = str(uuid.uuid4())
                raise

        return with_retry(send, attempts)

    def stream(self, path: str, query: Optional[Mapping[str, Any]] = None, *, last_id: Optional[str] = None, timeout_s: float = 60.0) -> Any:
        """The answer of a stream of events, as a file. ``last_id``: the event after which it goes on. The time is that of silence."""
        headers = self._headers("text/event-stream")
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        return open_url(urllib.request.Request(self._address(path, query), headers=headers), timeout_s)

    def _address(self, path: str, query: Optional[Mapping[str, Any]]) -> str:
        given = {name: _query_text(value) for name, value in (query or {}).items() if value is not None}
        return f"{self.url}{path}{'?' + urlencode(given) if given else ''}"

    def _headers(self, accept: str) -> Dict[str, str]:
        headers = {"Accept": accept, "User-Agent": "hub-client-python"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers

    def _answer(self, request: urllib.request.Request, timeout_s: float) -> Any:
        with open_url(request, timeout_s) as response:
            try:
                text = response.read(_MAX_ANSWER_BYTES + 1)
            except (http.client.HTTPException, OSError) as error:
                raise HubConnectionError(f"The answer of {shown(request.full_url)} was cut off: {error}") from None
            if response.status == 204:
                return None
            if len(text) > _MAX_ANSWER_BYTES:
                raise HubError(f"{shown(request.full_url)} answered more than {_MAX_ANSWER_BYTES} bytes. Is this a hub?")
            try:
                return json.loads(text)
            except ValueError:
                raise HubError(f"{shown(request.full_url)} answered {response.status} without JSON. Is this a hub?") from None


def _query_text(value: Any) -> Any:
    """As ``/v1`` reads it: lists with commas, truth in lower case."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple, set, frozenset)) else value


def segment(text: str) -> str:
    """A value as one segment of a path."""
    return quote(text, safe="")


def _problem(error: urllib.error.HTTPError) -> HubError:
    try:
        body: Any = json.loads(error.read(1 << 20))
    except (ValueError, OSError, http.client.HTTPException):
        body = None
    problem: Dict[str, Any] = body if isinstance(body, dict) else {}
    kind = str(problem.get("type") or "")
    return HubError(
        str(problem.get("detail") or problem.get("title") or f"The server answered {error.code}."),
        type=kind.rsplit("/", 1)[-1],
        status=error.code,
        title=str(problem.get("title") or ""),
        request_id=problem.get("request_id") or error.headers.get("X-Request-Id"),
        errors=[entry for entry in problem.get("errors") or [] if isinstance(entry, dict)],
        retry_after_s=_seconds(error.headers.get("Retry-After")),
    )


def _seconds(header: Optional[str]) -> Optional[float]:
    return float(header) if header and header.strip().isdigit() else None


def put_bytes(url: str, source: IO[bytes], size: int, timeout_s: float = RESPONSE_TIMEOUT_S) -> str:
    """Sends ``size`` bytes of ``source`` to a signed URL; the ETag of the part."""
    headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
    data: Any = source if size else b""
    with open_url(urllib.request.Request(url, data=data, headers=headers, method="PUT"), timeout_s) as response:
        response.read()
        etag = response.headers.get("ETag")
    if not etag:
        raise HubConnectionError(f"{shown(url)} took a part and named no ETag.")
    return str(etag)
