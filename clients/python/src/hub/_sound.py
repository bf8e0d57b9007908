"""Sound as a WAV file."""

from __future__ import annotations

import io
import struct
import wave
from contextlib import closing
from pathlib import Path
from typing import Any, List, Optional, Tuple

from ._arrays import array_of, is_array, listed, without_nan


def wav_of(data: Any, rate: int) -> Optional[bytes]:
    """A WAV file of 16 bits a sample; None where the data are not samples."""
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    array = array_of(data)
    made = _of_array(array) if is_array(array) else _of_lists(listed(array))
    if made is None:
        return None
    channels, samples = made
    out = io.BytesIO()
    with closing(wave.open(out, "wb")) as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples)
    return out.getvalue()


def _of_array(array: Any) -> Optional[Tuple[int, bytes]]:
    if array.ndim not in (1, 2) or array.size == 0:
        return None
    kind, bits = array.dtype.kind, array.dtype.itemsize * 8
    if kind == "f":
        array = (without_nan(array).clip(-1, 1) * 32_767).round()
    elif kind == "u" and bits == 8:
        array = (array.astype("int32") - 128) * 256
    elif kind in "iu" and bits > 16 and abs(array.astype("float64")).max() > 32_767:
        # Samples of 32 bits: the upper half is kept.
        array = array.astype("int64") >> 16
    elif kind not in "iu":
        return None
    return array.shape[1] if array.ndim == 2 else 1, array.clip(-32_768, 32_767).astype("<i2").tobytes()


def _of_lists(samples: Any) -> Optional[Tuple[int, bytes]]:
    if not isinstance(samples, list) or not samples:
        return None
    channels = len(samples[0]) if isinstance(samples[0], (list, tuple)) else 1
    flat: List[Any] = [value for one in samples for value in (one if isinstance(one, (list, tuple)) else (one,))]
    if channels == 0 or len(flat) != len(samples) * channels:
        return None
    scale = 1 if all(isinstance(value, int) for value in flat) and any(abs(value) > 1 for value in flat) else 32_767
    whole = (round(value * scale) if value == value else 0 for value in (max(-32_768.0 / scale, min(32_767.0 / scale, float(v))) for v in flat))
    return channels, struct.pack(f"<{len(flat)}h", *whole)


def seconds_of_wav(file: Path) -> Optional[float]:
    """How long it takes; None where it is not a WAV file that Python reads."""
    try:
        with closing(wave.open(str(file), "rb")) as opened:
            return opened.getnframes() / opened.getframerate()
    except (wave.Error, EOFError, ZeroDivisionError):
        return None
