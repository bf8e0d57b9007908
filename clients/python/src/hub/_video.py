"""Frames as a file that a page plays."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, List, Optional

from ._arrays import without_nan
from ._once import say_once
from ._png import Pixels, animated_png

#: Suffixes of what a page shows as a picture, though it moves.
MOVING_PICTURES = (".gif", ".png", ".apng", ".webp")
#: Bytes of frames that are made an animated PNG: the training waits for it, some seconds for so many.
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Written:
    """A file of frames."""

    file: Path
    width: int
    height: int
    seconds: float


def write_video(data: Any, fps: float, target: Path) -> Optional[Written]:
    """Writes an array (time, channel, height, width), or several with one dimension more; None where it is not a video."""
    frames = _frames_of(data)
    if frames is None:
        return None
    count, height, width, channels = frames.shape
    found = Written(target, width, height, count / fps)
    for encode in (_by_moviepy, _by_imageio):
        try:
            if encode(frames, fps, target):
                return found
        except Exception as error:  # An encoder without its program, or one of another version.
            say_once(f"Video.{encode.__name__}", f"Video: {encode.__name__[4:]} does not encode it: {type(error).__name__}: {error}")
            target.unlink(missing_ok=True)
    every = -(-frames.size // MAX_BYTES)
    if every > 1:
        say_once("Video.long", f"Video: without moviepy or imageio every {every}th frame of {count} is kept.")
    pixels: List[Pixels] = [Pixels(width, height, channels, frame.tobytes()) for frame in frames[::every]]
    file = target.with_suffix(".png")
    file.write_bytes(animated_png(pixels, fps / every))
    return Written(file, width, height, count / fps)


def _frames_of(data: Any) -> Any:
    """Bytes as (time, height, width, channel); several videos side by side."""
    if data.ndim == 4:
        data = data.reshape(1, *data.shape)
    if data.ndim != 5 or data.size == 0:
        return None
    many, count, channels, height, width = data.shape
    if channels not in (1, 2, 3, 4):
        return None
    frames = data.transpose(1, 3, 0, 4, 2).reshape(count, height, many * width, channels)
    if frames.dtype.kind == "f":
        frames = without_nan(frames)
        frames = frames * 255 if frames.max() <= 1 else frames
    return frames.clip(0, 255).astype("uint8") if str(frames.dtype) != "uint8" else frames


def _module(*names: str) -> Any:
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _colored(frames: Any) -> Any:
    """Three channels, which every encoder takes."""
    return frames.repeat(3, axis=3) if frames.shape[3] == 1 else frames[..., :3]


def _by_moviepy(frames: Any, fps: float, target: Path) -> bool:
    found = _module("moviepy", "moviepy.editor")
    clip_of: Optional[Callable[..., Any]] = getattr(found, "ImageSequenceClip", None)
    if clip_of is None:
        clip_of = getattr(_module("moviepy.editor"), "ImageSequenceClip", None)
    if clip_of is None:
        return False
    clip = clip_of(list(_colored(frames)), fps=fps)
    if target.suffix == ".gif":
        clip.write_gif(str(target), logger=None)
    else:
        clip.write_videofile(str(target), logger=None, audio=False)
    return True


def _by_imageio(frames: Any, fps: float, target: Path) -> bool:
    found = _module("imageio.v2", "imageio")
    if found is None:
        return False
    found.mimwrite(str(target), list(_colored(frames)), fps=fps)
    return True
