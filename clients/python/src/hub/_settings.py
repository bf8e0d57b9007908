"""Where the hub is and who asks: arguments, then the environment, then what ``hub login`` stored."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Optional
from urllib.parse import urlsplit

from ._http import Client

DEFAULT_URL = "http://127.0.0.1:4000"


def connect(url: Optional[str] = None, token: Optional[str] = None) -> Client:
    """A client of the hub at ``url`` (``HUB_URL``, the stored login, else this machine) with ``token`` (``HUB_TOKEN``, the stored login, else anonymous).

    A stored token is sent only to the hub that it was stored for.
    """
    saved = _stored()
    chosen = _checked(url or os.environ.get("HUB_URL") or saved.get("url") or DEFAULT_URL)
    own = saved.get("token") if _checked(saved.get("url") or DEFAULT_URL) == chosen else None
    return Client(chosen, token or os.environ.get("HUB_TOKEN") or own)


def state_dir() -> Path:
    """The folder of this client's own files: ``HUB_STATE_DIR``, else below the user's state folder."""
    chosen = os.environ.get("HUB_STATE_DIR")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(home) / "hub"


def exit_s() -> float:
    """``HUB_EXIT_SECONDS``: how long the end of a run waits for a hub that does not answer; 10 by default."""
    text = os.environ.get("HUB_EXIT_SECONDS") or "10"
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 86_400:
        raise ValueError(f"HUB_EXIT_SECONDS is {text!r}; set a number of seconds from 1 to 86400.")
    return seconds


def _stored() -> Dict[str, str]:
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    file = Path(home) / "hub" / "client.json"
    try:
        text = file.read_text("utf-8")
    except OSError:
        return {}
    try:
        found: Any = json.loads(text)
        return {name: found[name] for name in ("url", "token") if isinstance(found.get(name), str)}
    except (ValueError, AttributeError):
        raise ValueError(f"{file} is not a valid login file; run `hub login` again or delete it.") from None


def _checked(url: str) -> str:
    """The URL of a hub in one spelling, so that a stored token is sent to no other scheme, host or port, and to every spelling of its own."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{url!r} is not an http(s) URL.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"{url!r} is not an http(s) URL.")
    if parts.username or parts.password:
        raise ValueError("The hub's URL must not contain a credential; use HUB_TOKEN.")
    own = "" if port in (None, {"http": 80, "https": 443}[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{own}{parts.path.rstrip('/')}"
