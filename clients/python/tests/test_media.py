"""Pictures, video, sound, tables and histograms: their bytes, and their lines in a run's folder."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import wave
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, List
from unittest import mock

import hub
from hub import _once, _png, _video, _warn
from hub._media_lines import MediaLines, split_media

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


def chunks(data: bytes) -> "List[tuple[str, bytes]]":
    """The parts of a PNG, each with a checksum that holds."""
    at, found = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        found.append((kind.decode(), body))
        at += 12 + size
    return found


class Kept(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.said: List[str] = []
        warn = mock.patch.object(_warn, "warn", self.said.append)
        warn.start()
        self.addCleanup(warn.stop)
        _once._said.clear()

    def keep(self, *values: Any) -> List[Dict[str, Any]]:
        """Keeps them under one key, and gives their lines."""
        lines = MediaLines(self.folder)
        lines.keep("k", 7, values)
        lines.close()
        file = self.folder / "media.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def bytes_of(self, line: Dict[str, Any]) -> bytes:
        return (self.folder / line["path"]).read_bytes()


class Pictures(Kept):
    def pixels(self, data: Any) -> "tuple[int, int, int, List[int]]":
        found = _png.pixels_of(data)
        assert found is not None
        return found.width, found.height, found.channels, list(found.data)

    def test_lists_become_pixels(self) -> None:
        self.assertEqual(self.pixels([[[1, 2, 3], [4, 5, 600]]]), (2, 1, 3, [1, 2, 3, 4, 5, 255]))
        self.assertEqual(self.pixels([[0.5, 1.0]]), (2, 1, 1, [127, 255]))
        self.assertEqual(self.pixels([[-1.0, 1.0]]), (2, 1, 1, [0, 255]))
        for no_picture in ([], [[]], [[[1] * 5]], [[1, 2], [3]], "text", None):
            self.assertIsNone(_png.pixels_of(no_picture))

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_arrays_become_the_pixels_of_their_lists(self) -> None:
        for data in ([[[1, 2, 3], [4, 5, 200]]], [[0.5, 1.0]], [[-1.0, 1.0]], [[1, 0]]):
            self.assertEqual(self.pixels(numpy.array(data)), self.pixels(data))
        channels_first = numpy.arange(3 * 5 * 6, dtype="uint8").reshape(3, 5, 6)
        self.assertEqual(self.pixels(channels_first)[:3], (6, 5, 3))
        self.assertEqual(self.pixels(numpy.array([[numpy.nan, 2.0]])), (2, 1, 1, [0, 2]))
        self.assertIsNone(_png.pixels_of(numpy.zeros((2, 2, 5))))

    def test_captions_are_cut_where_the_hub_would_refuse_them(self) -> None:
        lines = self.keep(*(hub.Image([[1]], caption=text) for text in ("\U0001f600" * 600, "a\0b\ud800c", 7)))
        self.assertEqual([line["caption"] for line in lines], ["\U0001f600" * 512, "abc", "7"])

    def test_a_png_has_its_rows(self) -> None:
        [line] = self.keep(hub.Image([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]))
        (_, header), (_, data), _ = chunks(self.bytes_of(line))
        self.assertEqual(struct.unpack(">IIBBBBB", header), (2, 2, 8, 2, 0, 0, 0))
        self.assertEqual(zlib.decompress(data), bytes([0, 1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11, 12]))
        self.assertEqual((line["width"], line["height"]), (2, 2))

    def test_files_keep_their_bytes_and_tell_their_size(self) -> None:
        files = {"a.GIF": b"GIF89a\x03\0\x02\0", "b.jpg": b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\0\x05\0\x06", "c.bmp": b"BM"}
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        lines = self.keep(*(hub.Image(str(self.folder / name)) for name in files))
        self.assertEqual([self.bytes_of(line) for line in lines], list(files.values()))
        self.assertEqual([(line.get("width"), line.get("height")) for line in lines], [(3, 2), (6, 5), (None, None)])
        self.assertEqual([Path(line["path"]).suffix for line in lines], [".gif", ".jpg", ".bmp"])

    def test_figures_and_pictures_of_others_save_themselves(self) -> None:
        class Figure:
            def savefig(self, out: io.BytesIO, format: str) -> None:
                out.write(format.encode())

        Figure.__module__ = "matplotlib.figure"
        rest, media = split_media({"loss": 1, "eval": {"curve": Figure()}})
        self.assertEqual((rest, list(media)), ({"loss": 1}, ["eval/curve"]))
        [line] = self.keep(*media["eval/curve"])
        self.assertEqual((line["kind"], self.bytes_of(line)), ("image", b"png"))

    def test_what_cannot_be_kept_is_said_once_and_the_others_are_kept(self) -> None:
        class Broken:
            def save(self, *_: Any, **__: Any) -> None:
                raise RuntimeError("no disk")

        lines = self.keep(hub.Image(object()), hub.Image(object()), hub.Image(Broken()), hub.Image([[1]], boxes={"a": 1}, masks={"b": 2}))
        self.assertEqual([line["index"] for line in lines], [3])
        self.assertEqual([one.split(":")[0] for one in self.said], [
            "boxes of an Image are not supported by the hub and are left out.", "masks of an Image are not supported by the hub and are left out.",
            "Image of object cannot be kept and is left out.", "Image of k is left out",
        ])
        self.assertEqual([name for name in os.listdir(self.folder / "media") if name.startswith(".")], [])

    def test_the_same_place_with_another_picture_is_another_file(self) -> None:
        paths = [self.keep(hub.Image([[value, 255]]))[-1]["path"] for value in (1, 2, 1)]
        self.assertEqual((paths[0], len(set(paths))), (paths[2], 2))
        self.assertEqual(self.bytes_of({"path": paths[0]}), _png.png(_png.Pixels(2, 1, 1, b"\1\xff")))


@unittest.skipIf(numpy is None, "NumPy is not installed")
class Frames(Kept):
    def setUp(self) -> None:
        super().setUp()
        hidden = mock.patch.dict(sys.modules, {"moviepy": None, "moviepy.editor": None, "imageio": None, "imageio.v2": None})
        hidden.start()
        self.addCleanup(hidden.stop)

    def test_frames_are_an_animated_png_without_an_encoder(self) -> None:
        frames = numpy.arange(3 * 3 * 2 * 4, dtype="uint8").reshape(3, 3, 2, 4)
        [line] = self.keep(hub.Video(frames, fps=10, format="mp4", caption="walk"))
        self.assertEqual([line[name] for name in ("kind", "width", "height", "seconds", "caption")], ["image", 4, 2, 0.3, "walk"])
        found = chunks(self.bytes_of(line))
        self.assertEqual([kind for kind, _ in found], ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"])
        self.assertEqual(struct.unpack(">II", found[1][1]), (3, 0))
        numbers = [struct.unpack(">I", body[:4])[0] for kind, body in found if kind in ("fcTL", "fdAT")]
        self.assertEqual(numbers, [0, 1, 2, 3, 4])
        self.assertEqual(struct.unpack(">HH", found[2][1][20:24]), (100, 1000))
        second = zlib.decompress(found[5][1][4:])
        self.assertEqual(second[1:13], frames[1].transpose(1, 2, 0)[0].tobytes())

    def test_a_long_video_keeps_some_of_its_frames(self) -> None:
        with mock.patch.object(_video, "MAX_BYTES", 50):
            [line] = self.keep(hub.Video(numpy.zeros((10, 3, 2, 2), dtype="uint8"), fps=5))
        self.assertEqual(struct.unpack(">II", chunks(self.bytes_of(line))[1][1])[0], 4)
        self.assertEqual((line["seconds"], len(self.said)), (2.0, 1))

    def test_several_videos_stand_side_by_side(self) -> None:
        [line] = self.keep(hub.Video(numpy.zeros((2, 4, 1, 3, 5))))
        self.assertEqual((line["width"], line["height"]), (10, 3))

    def test_an_encoder_that_is_installed_writes_the_video(self) -> None:
        encoder = ModuleType("imageio.v2")
        setattr(encoder, "mimwrite", lambda path, frames, fps: Path(path).write_bytes(f"{len(frames)} {frames[0].shape} {fps}".encode()))
        with mock.patch.dict(sys.modules, {"imageio.v2": encoder}):
            [line] = self.keep(hub.Video(numpy.zeros((2, 1, 3, 5)), fps=8, format="mp4"))
        self.assertEqual((line["kind"], Path(line["path"]).suffix, self.bytes_of(line)), ("video", ".mp4", b"2 (3, 5, 3) 8.0"))


class Others(Kept):
    def wav(self, line: Dict[str, Any]) -> "tuple[int, int, tuple[int, ...]]":
        with wave.open(io.BytesIO(self.bytes_of(line))) as file:
            data = file.readframes(file.getnframes())
            return file.getnchannels(), file.getframerate(), struct.unpack(f"<{len(data) // 2}h", data)

    def test_samples_are_sound(self) -> None:
        lines = self.keep(hub.Audio([0.0, 1.0, -2.0], sample_rate=8000), hub.Audio([[1000, -1000], [2000, 40000]], sample_rate=2))
        self.assertEqual([self.wav(line) for line in lines], [(1, 8000, (0, 32767, -32768)), (2, 2, (1000, -1000, 2000, 32767))])
        self.assertEqual([line["seconds"] for line in lines], [3 / 8000, 1.0])

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_samples_of_arrays_are_sound(self) -> None:
        lines = self.keep(hub.Audio(numpy.array([0, 0.5, -1], "float32")), hub.Audio(numpy.array([[1, -2]], "int16")))
        self.assertEqual([self.wav(line)[2] for line in lines], [(0, 16384, -32767), (1, -2)])

    def test_video_and_html_are_files_and_what_they_hold(self) -> None:
        (self.folder / "v.mp4").write_bytes(b"video")
        figure = type("Figure", (), {"to_html": lambda self: "<b>plot</b>", "__module__": "plotly.graph_objs"})()
        found = split_media({"figure": figure})[1]["figure"]
        lines = self.keep(hub.Video(str(self.folder / "v.mp4")), hub.Video(io.BytesIO(b"bytes"), format="webm"), hub.Html("<p>\u00e9"), hub.Html(io.StringIO("<i>")), *found)
        self.assertEqual([(line["kind"], self.bytes_of(line)) for line in lines], [
            ("video", b"video"), ("video", b"bytes"), ("html", "<p>\u00e9".encode()), ("html", b"<i>"), ("html", b"<b>plot</b>")])

    def test_a_table_keeps_its_numbers_and_grows(self) -> None:
        table = hub.Table(columns=["n"], data=[[2**63 + 1], [0.1]])
        table.add_data("text")
        table.add_column("m", [True, None, hub.Image([[1]], caption="seen")])
        with self.assertRaises(ValueError):
            table.add_data(1)
        self.assertEqual(table.get_column("n"), [2**63 + 1, 0.1, "text"])
        [line] = self.keep(table)
        self.assertEqual(line["value"], {"columns": ["n", "m"], "rows": [[2**63 + 1, True], [0.1, None], ["text", "seen"]]})
        self.assertEqual(len(self.said), 1)

    def test_a_large_table_is_a_file_of_the_same_form(self) -> None:
        [line] = self.keep(hub.Table(columns=["text"], data=[["x" * 70_000]]))
        self.assertNotIn("value", line)
        self.assertEqual(json.loads(self.bytes_of(line)), {"columns": ["text"], "rows": [["x" * 70_000]]})

    def test_histograms_count_as_numpy_does(self) -> None:
        values = [0, 1, 1, 4, float("nan"), float("inf")]
        counted = hub.Histogram(values, num_bins=4)
        self.assertEqual((counted.histogram, counted.bins), ([1, 2, 0, 1], [0.0, 1.0, 2.0, 3.0, 4.0]))
        if numpy is not None:
            other = hub.Histogram(numpy.array(values), num_bins=4)
            self.assertEqual((other.histogram, other.bins), (counted.histogram, counted.bins))
        given = hub.Histogram(np_histogram=((1, 2), (0, 0.5, 1)))
        self.assertEqual(given.value(), {"edges": [0, 0.5, 1], "counts": [1, 2]})
        with self.assertRaises(ValueError):
            hub.Histogram(np_histogram=([1], [0]))


class InARun(Kept):
    def test_log_of_the_hubs_own_client_takes_them_too(self) -> None:
        with mock.patch.dict(os.environ, {"HUB_RUN_DIR": str(self.folder), "HUB_RUN_ID": "run_1"}):
            run = hub.init("p")
        run.log({"loss": 1, "eval": {"reward": 2, "view": hub.Image([[1]])}}, step=3)
        hub.log({"many": [hub.Image([[1]]), hub.Image([[2]])]})
        run.log({"iteration": 9, "h": hub.Histogram([1])})
        run.finish()
        with self.assertRaises(RuntimeError):
            hub.log({"late": 1})
        self.assertEqual((self.folder / "metrics.jsonl").read_text(), '{"step":3,"loss":1,"eval":{"reward":2}}\n')
        lines = [json.loads(line) for line in (self.folder / "media.jsonl").read_text().splitlines()]
        self.assertEqual([(line["key"], line["step"], line["index"]) for line in lines], [("eval/view", 3, 0), ("many", 4, 0), ("many", 4, 1), ("h", 9, 0)])

    def test_a_killed_process_leaves_whole_files_and_a_line_for_each_log_that_returned(self) -> None:
        code = """
import hub, itertools
run = hub.init()
for step in itertools.count():
    run.log({"view": hub.Image([[step % 256] * 200] * 50), "h": hub.Histogram(range(step + 2))}, step=step)
    print(step, flush=True)
"""
        env = {**os.environ, "HUB_RUN_DIR": str(self.folder), "HUB_RUN_ID": "run_1", "PYTHONPATH": str(Path(hub.__file__).parent.parent)}
        child = subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        for line in child.stdout:
            if int(line) >= 20:
                break
        child.kill()
        returned = max([20, *(int(line) for line in child.stdout if line.endswith("\n"))])
        child.wait()
        child.stdout.close()
        text = (self.folder / "media.jsonl").read_bytes()
        lines = [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]
        kept = {(line["key"], line["step"]) for line in lines}
        self.assertTrue({(key, step) for key in ("view", "h") for step in range(returned + 1)} <= kept)
        self.assertEqual(len(kept), len(lines))
        for line in lines:
            if line["key"] == "view":
                self.assertEqual(chunks(self.bytes_of(line))[-1][0], "IEND")
