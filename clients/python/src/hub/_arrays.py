"""Arrays of NumPy, PyTorch and the like, and lists, without a need for any of them."""

from __future__ import annotations

import sys
from typing import Any, List, Tuple


def array_of(data: Any) -> Any:
    """An array of NumPy where the data is one or turns into one; else the data itself."""
    if is_tensor(data):
        data = data.detach().cpu()
        # NumPy does not know this kind of number.
        data = (data.float() if "bfloat16" in str(data.dtype) else data).numpy()
    if not is_array(data) and hasattr(data, "__array__") and "numpy" in sys.modules:
        data = sys.modules["numpy"].asarray(data)
    return data


def is_array(data: Any) -> bool:
    """An array of NumPy, by what is used of it here."""
    return all(hasattr(data, name) for name in ("dtype", "shape", "astype", "tobytes", "transpose"))


def is_tensor(data: Any) -> bool:
    """One of PyTorch: its pictures have their channels first."""
    return type(data).__module__.partition(".")[0] == "torch"


def without_nan(array: Any) -> Any:
    """What is not a number as 0."""
    return sys.modules["numpy"].nan_to_num(array)


def listed(data: Any) -> Any:
    """Lists, where the data knows how to become them."""
    data = array_of(data)
    convert = getattr(data, "tolist", None)
    return convert() if convert is not None else list(data) if isinstance(data, tuple) else data


def numbers(data: Any) -> List[float]:
    """All finite numbers of nested lists."""
    if isinstance(data, (list, tuple)):
        return [value for one in data for value in numbers(one)]
    if not isinstance(data, (int, float)):
        data = getattr(data, "item", lambda: None)()
    return [data] if isinstance(data, (int, float)) and data == data and abs(data) != float("inf") else []


def counted(data: Any, bins: int) -> Tuple[List[int], List[float]]:
    """As NumPy counts: equal bins from the least to the greatest, the last one with its end. Numbers alone that are finite."""
    data = array_of(data)
    if is_array(data):
        numpy = sys.modules["numpy"]
        flat = data.ravel()
        counts, edges = numpy.histogram(flat[numpy.isfinite(flat)], bins=bins)
        return counts.tolist(), edges.tolist()
    values = numbers(data if isinstance(data, (list, tuple)) else list(data))
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts_here = [0] * bins
    for value in values:
        counts_here[min(bins - 1, int((value - low) / (high - low) * bins))] += 1
    return counts_here, [low + (high - low) * at / bins for at in range(bins)] + [high]
