"""The metrics of a run as rows: every line as it was logged, or series that the hub has thinned out."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

from ._events import events
from ._http import Client, segment

Row = Dict[str, Any]

#: What a request to ``/v1`` takes.
_MAX_KEYS = 100
_MAX_SAMPLES = 5000
_MAX_POINTS = 100_000


def scan(client: Client, run_id: str, keys: Optional[Sequence[str]] = None) -> Iterator[Row]:
    """Every line of a run so far, in order and exactly; ``keys``: only these members, of the lines that have all of them."""
    for kind, data in events(client, f"/v1/runs/{segment(run_id)}/logs", {"tail": 0, "follow": False}):
        if kind != "metric":
            continue
        line: Row = json.loads(data, parse_float=exact)
        if keys is None:
            yield line
        elif all(key in line for key in keys):
            yield {key: line[key] for key in ("step", *keys) if key in line}


def sampled(client: Client, run_id: str, keys: Optional[Sequence[str]], samples: int) -> List[Row]:
    """Rows by step: of each key at most ``samples`` points, with the least and the greatest value of each stretch."""
    if not 2 <= samples <= _MAX_SAMPLES:
        raise ValueError(f"samples is {samples}; the hub gives 2 to {_MAX_SAMPLES} points of a key. samples=None gives every line.")
    path = f"/v1/runs/{segment(run_id)}/metrics"
    most = min(_MAX_KEYS, _MAX_POINTS // samples)
    asked = list(keys) if keys is not None else None
    series: List[Dict[str, Any]] = []
    if asked is None:
        page = client.call("GET", path, query={"max_points": samples})
        series, named = page["series"], page["keys"]
        # What a comma is in cannot be named in a request.
        asked = [key for key in named[len(series) :] if "," not in key]
    for start in range(0, len(asked), most):
        query = {"keys": asked[start : start + most], "max_points": samples}
        series += client.call("GET", path, query=query)["series"]
    return _merged(series, has_step=keys is not None and "step" in keys)


def _merged(series: Sequence[Dict[str, Any]], has_step: bool) -> List[Row]:
    """One row for each step; a key that has several points at a step has more rows there."""
    rows: Dict[float, List[Row]] = {}
    for each in series:
        key = each["key"]
        if key == "step" and not has_step:
            continue
        seen: Dict[float, int] = {}
        for step, value in each["points"]:
            at = rows.setdefault(step, [])
            number = seen.get(step, 0)
            seen[step] = number + 1
            if number == len(at):
                at.append({"step": step})
            at[number][key] = value
    return [row for step in sorted(rows) for row in rows[step]]


def exact(text: str) -> Union[float, Decimal]:
    """A number with a point or an exponent: a float where that is the same number, else a ``Decimal``."""
    number = float(text)
    shortest = repr(number)
    if shortest == text or (math.isfinite(number) and Decimal(shortest) == Decimal(text)):
        return number
    return Decimal(text)


def as_frame(rows: Sequence[Row]) -> Any:
    """A DataFrame of pandas, which is imported only here."""
    try:
        import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise ImportError("pandas=True needs pandas, which is not installed here: pip install pandas") from None
    return pandas.DataFrame.from_records(list(rows))
