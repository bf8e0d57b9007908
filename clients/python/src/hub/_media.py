"""Pictures, video, sound and pages that ``log`` takes: each knows how it becomes a file."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Union

from ._arrays import array_of, is_array
from ._once import say_once
from ._png import pixels_of, png, size_of_file
from ._sound import seconds_of_wav, wav_of
from ._video import MOVING_PICTURES, write_video


class Media:
    """What ``log`` takes besides numbers and text. ``kind`` is the hub's name for it."""

    kind = "file"

    def __init__(self, data: Any = None, caption: Optional[str] = None, suffix: str = "") -> None:
        self.data = data
        self.caption = caption
        is_path = isinstance(data, (str, os.PathLike)) and _is_file(data)
        self._path = Path(data) if is_path else None
        self.suffix = (self._path.suffix.lower() or suffix) if self._path is not None else suffix

    def value(self) -> Any:
        """What stands in the line itself instead of a file; None for what is a file."""
        return None

    def write(self, target: Path) -> Optional[Path]:
        """Writes the file, under this name or one with another suffix, and returns which; None, once said, where the data cannot become one."""
        if self._path is not None:
            shutil.copyfile(self._path, target)
            return target
        data = self.content()
        if data is None:
            name = type(self).__name__
            say_once(f"{name}.data", f"{name} of {type(self.data).__name__} cannot be kept and is left out.")
            return None
        target.write_bytes(data)
        return target

    def content(self) -> Optional[bytes]:
        """The bytes of the file; None where they cannot be made."""
        return None

    def facts(self, file: Path) -> Dict[str, Any]:
        """Width, height and seconds, as far as they are known."""
        return {}


class Image(Media):
    """A file, a picture of Pillow, a figure of Matplotlib, or an array (height, width[, 1, 3 or 4])."""

    kind = "image"

    def __init__(self, data_or_path: Any, mode: Optional[str] = None, caption: Optional[str] = None, **more: Any) -> None:
        if isinstance(data_or_path, Image):
            caption = caption if caption is not None else data_or_path.caption
            data_or_path = data_or_path.data
        super().__init__(data_or_path, caption, ".png")
        for name in ("boxes", "masks"):
            if more.get(name):
                say_once(f"Image.{name}", f"{name} of an Image are not supported by the hub and are left out.")

    def content(self) -> Optional[bytes]:
        for method in ("savefig", "save"):
            write = getattr(self.data, method, None)
            if write is not None:
                out = io.BytesIO()
                write(out, format="png")
                return out.getvalue()
        # Axes and artists of Matplotlib know their figure.
        figure = getattr(self.data, "figure", None) or getattr(self.data, "get_figure", lambda: None)()
        if figure is not None and hasattr(figure, "savefig"):
            return Image(figure).content()
        pixels = pixels_of(self.data)
        return png(pixels) if pixels is not None else None

    def facts(self, file: Path) -> Dict[str, Any]:
        size = size_of_file(file)
        return {"width": size[0], "height": size[1]} if size is not None else {}


class Video(Media):
    """A file, bytes, or frames of an array (time, channel, height, width), also several side by side with one dimension more.

    Frames are encoded by moviepy or imageio if one of them is installed, else as an animated PNG.
    """

    kind = "video"

    def __init__(self, data_or_path: Any, caption: Optional[str] = None, fps: Optional[float] = None, format: Optional[str] = None, **_: Any) -> None:
        super().__init__(data_or_path, caption, f".{(format or 'gif').lower()}")
        self._fps = float(fps or 4)
        self._seconds: Optional[float] = None
        self._shape: Optional[Mapping[str, int]] = None
        self._set_kind(self.suffix)

    def _set_kind(self, suffix: str) -> None:
        # A page shows these as pictures.
        self.kind = "image" if suffix in MOVING_PICTURES else "video"

    def write(self, target: Path) -> Optional[Path]:
        frames = array_of(self.data) if self._path is None else None
        if frames is None or not is_array(frames):
            return super().write(target)
        made = write_video(frames, self._fps, target)
        if made is None:
            return super().write(target)
        self._seconds, self._shape = made.seconds, {"width": made.width, "height": made.height}
        self.suffix = made.file.suffix
        self._set_kind(self.suffix)
        return made.file

    def content(self) -> Optional[bytes]:
        if isinstance(self.data, (bytes, bytearray)):
            return bytes(self.data)
        read = getattr(self.data, "getvalue", None) or getattr(self.data, "read", None)
        found = read() if read is not None else None
        return found if isinstance(found, bytes) else None

    def facts(self, file: Path) -> Dict[str, Any]:
        if self._shape is not None:
            return {**self._shape, "seconds": self._seconds}
        size = size_of_file(file) if self.kind == "image" else None
        return {"width": size[0], "height": size[1]} if size is not None else {}


class Audio(Media):
    """A file, or samples: numbers from -1 to 1 or whole ones of 16 bits; a list for each time with several channels."""

    kind = "audio"

    def __init__(self, data_or_path: Any, sample_rate: Optional[int] = None, caption: Optional[str] = None) -> None:
        super().__init__(data_or_path, caption, ".wav")
        self.sample_rate = int(sample_rate or 44_100)

    def content(self) -> Optional[bytes]:
        return wav_of(self.data, self.sample_rate)

    def facts(self, file: Path) -> Dict[str, Any]:
        seconds = seconds_of_wav(file)
        return {"seconds": seconds} if seconds is not None else {}


class Html(Media):
    """A file, text, what has ``read``, or a figure that has ``to_html`` (Plotly)."""

    kind = "html"

    def __init__(self, data: Any, inject: bool = True, data_is_not_path: bool = False, **_: Any) -> None:
        super().__init__(data, None, ".html")
        if data_is_not_path:
            self._path = None
        self.suffix = ".html"

    def content(self) -> Optional[bytes]:
        read: Optional[Callable[[], Any]] = getattr(self.data, "read", None) or getattr(self.data, "to_html", None)
        text: Union[str, bytes, Any] = read() if read is not None else self.data
        if isinstance(text, str):
            return text.encode("utf-8", "backslashreplace")
        return text if isinstance(text, bytes) else None


def media_of(value: Any) -> Optional[Media]:
    """The value as media: itself, or what stands for a figure of Matplotlib or Plotly or a picture of Pillow; None for anything else."""
    if isinstance(value, Media):
        return value
    home = type(value).__module__.partition(".")[0]
    if home == "plotly" and hasattr(value, "to_html"):
        return Html(value)
    if home == "matplotlib" or getattr(value, "__name__", "") == "matplotlib.pyplot":
        return Image(value)
    return Image(value) if home == "PIL" else None


def _is_file(path: Any) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:
        # Text with a zero byte.
        return False
