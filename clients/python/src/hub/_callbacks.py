"""What the callbacks of training frameworks share."""

from __future__ import annotations

import json
import sys
from typing import Any, Dict, Mapping

from ._lines import encode_json
from ._run import Run, ending_of


def config_text(values: Mapping[str, Any]) -> str:
    """A configuration as a ``config.yaml``: JSON is YAML. What JSON does not have is its text."""
    return json.dumps(json.loads(encode_json(_by_text(values))), indent=2) + "\n"


def _by_text(value: Any) -> Any:
    """Keys of JSON are texts."""
    if isinstance(value, Mapping):
        return {str(key): _by_text(member) for key, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_by_text(member) for member in value]
    return value


def members_of(values: Any) -> Dict[str, Any]:
    """Of a namespace, a mapping, or nothing."""
    if values is None:
        return {}
    return dict(values) if isinstance(values, Mapping) else dict(vars(values))


def fail(run: Run) -> None:
    """Ends the run with the exception that is handled now."""
    error = sys.exc_info()[1]
    if error is not None:
        run.finish(*ending_of(error, run.canceled))
    elif run.canceled:
        run.finish("canceled")
    else:
        run.finish("failed", "The trainer says that it failed.")
