"""Values of a report that follow from what was logged."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Dict, Mapping, Optional

_MAX_ERROR_CHARS = 60_000
STEP_KEYS = ("iteration", "step", "global_step", "_step")
_TOTAL_KEYS = ("total_iterations", "iterations", "max_iterations", "num_iterations", "steps", "max_steps")


def error_text(error: str) -> str:
    """The end of an error, in characters that the hub can store."""
    return error[-_MAX_ERROR_CHARS:].replace("\0", "").encode("utf-8", "replace").decode()


def cuts_character(head: bytes) -> bool:
    """Whether the last character goes on after these bytes."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def derived(line: bytes, config: Mapping[str, Any]) -> Dict[str, Any]:
    """Progress and measurements that the hub shows, from the newest line."""
    values: Mapping[str, Any] = json.loads(line)
    found: Dict[str, Any] = {}
    for key in ("peak_vram_gb", "samples_per_s"):
        value = values.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
            found[key] = value
    step_key = next((key for key in STEP_KEYS if _is_count(values.get(key))), None)
    if step_key is not None:
        total = values.get("total_iterations")
        totals = [total] + [config.get(key) for key in _TOTAL_KEYS]
        found["progress"] = {
            "iteration": values[step_key],
            "step_key": step_key,
            "total_iterations": next((each for each in totals if _is_count(each)), None),
        }
    return found


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def seconds_between(start: Optional[str], end: Optional[str]) -> Optional[float]:
    """From one time of the hub to another; None where one is missing."""
    if not start or not end:
        return None
    return _timestamp(end) - _timestamp(start)


def _timestamp(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()

