"""The pieces: lines, spools, patterns, settings."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path
from unittest import mock

from hub._files import _fetch, _landing
from hub._http import Client, open_url
from hub._errors import HubError
from hub._lines import MAX_LINE_BYTES, LineFile, encode_line
from hub._report_values import derived
from hub._sender import Sender
from hub._settings import connect
from hub._spool import left_spools, new_spool


class Scalar:
    """As of a numeric library."""

    def __init__(self, value: object) -> None:
        self.value = value

    def item(self) -> object:
        return self.value


class Lines(unittest.TestCase):
    def test_a_line_is_json_with_null_for_what_json_does_not_have(self) -> None:
        line = encode_line({"a": float("nan"), "b": [float("inf"), 1], "c": {"d": float("-inf")}, "e": "é", "f": 2**70, "g": True})
        self.assertEqual(json.loads(line), {"a": None, "b": [None, 1], "c": {"d": None}, "e": "é", "f": 2**70, "g": True})
        self.assertTrue(line.endswith(b"\n") and line.count(b"\n") == 1)

    def test_scalars_of_numeric_libraries_are_numbers(self) -> None:
        self.assertEqual(encode_line({"x": Scalar(1.5)}), b'{"x":1.5}\n')
        self.assertEqual(encode_line({"x": Scalar(float("nan")), "y": Path("p")}), b'{"x":null,"y":"p"}\n')

    def test_a_line_is_shorter_than_a_mebibyte(self) -> None:
        frame = len(encode_line({"x": ""})) - 1
        self.assertEqual(len(encode_line({"x": "y" * (MAX_LINE_BYTES - frame - 1)})), MAX_LINE_BYTES)
        with self.assertRaisesRegex(ValueError, "at most 1048576 bytes"):
            encode_line({"x": "y" * (MAX_LINE_BYTES - frame)})

    def test_a_torn_last_line_is_dropped_and_whole_ones_stay(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for before, after in ((b"", b""), (b"torn", b""), (b'{"a":1}\n{"b"', b'{"a":1}\n'), (b"x\n" + b"y" * 200_000, b"x\n")):
                path = Path(folder, "m.jsonl")
                path.write_bytes(before)
                file = LineFile(path)
                file.drop_torn_tail()
                file.append(b"end\n")
                self.assertEqual((path.read_bytes(), file.size), (after + b"end\n", len(after) + 4))
                self.assertEqual(file.last_line(), b"end")
                file.close()

    def test_a_full_disk_takes_back_its_own_bytes_alone(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.jsonl")
            file = LineFile(path)
            file.append(b"one\n")
            # As hub track adds to media.jsonl.
            path.write_bytes(path.read_bytes() + b"of another\n")
            write = os.write
            with mock.patch("os.write", lambda fd, data: write(fd, data[:2])):
                self.assertRaises(OSError, file.append, b"two\n")
            self.assertEqual(path.read_bytes(), b"one\nof another\n")
            file.close()

    def test_a_closed_file_takes_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = LineFile(Path(folder, "m"))
            file.close()
            file.close()
            self.assertRaises(ValueError, file.append, b"x\n")

    def test_progress_and_measurements_follow_from_the_newest_line(self) -> None:
        self.assertEqual(derived(b'{"iteration":3,"samples_per_s":2.5,"peak_vram_gb":null}', {"max_steps": 9}),
                         {"samples_per_s": 2.5, "progress": {"iteration": 3, "step_key": "iteration", "total_iterations": 9}})
        self.assertEqual(derived(b'{"step":-1,"loss":2}', {}), {})


class Spools(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)

    def tearDown(self) -> None:
        self.folder.cleanup()

    def test_a_held_spool_is_not_left_to_this_process_or_another(self) -> None:
        spool = new_spool(self.root, "a", n=1)
        self.assertEqual(list(left_spools(self.root)), [])
        self.assertEqual(self.opened_elsewhere(), "0")
        spool.release()
        self.assertEqual(self.opened_elsewhere(), "1")
        found = list(left_spools(self.root, "a"))
        self.assertEqual([each.state for each in found], [{"n": 1}])
        self.assertEqual(list(left_spools(self.root, "b")), [])
        found[0].remove()
        self.assertEqual(list(left_spools(self.root)), [])

    def opened_elsewhere(self) -> str:
        code = "import sys, pathlib; from hub._spool import left_spools; print(len(list(left_spools(pathlib.Path(sys.argv[1])))))"
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", code, str(self.root)], env=env, capture_output=True, text=True, check=True)
        return done.stdout.strip()


class HostileHubs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name).resolve()
        self.root = self.base / "copy"
        self.root.mkdir()
        self.mine = self.base / "mine"
        self.mine.write_bytes(b"secret")

    def serve(self, answer: bytes) -> str:
        """The URL of a server that answers each request so, and does not end."""

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                with contextlib.suppress(OSError):
                    while True:
                        self.wfile.write(answer)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    def test_a_url_of_a_hub_opens_no_file_of_this_machine(self) -> None:
        for url in (self.mine.as_uri(), f"ftp://127.0.0.1{self.mine}", "data:text/plain,secret"):
            with self.assertRaisesRegex(HubError, "is not an http"):
                _fetch(url, self.root / "part", 6)
            self.assertRaises(HubError, open_url, urllib.request.Request(url), 1.0)
        self.assertEqual(os.listdir(self.root), [])

    def test_a_download_is_written_through_no_link_and_ends_with_its_size(self) -> None:
        url = self.serve(b"x" * 65536)
        (self.root / "part").symlink_to(self.mine)
        with self.assertRaisesRegex(HubError, "sent 101 bytes of 100"):
            _fetch(url, self.root / "part", 100)
        self.assertEqual(self.mine.read_bytes(), b"secret")
        self.assertEqual(os.listdir(self.root), [])

    def test_no_folder_is_made_behind_a_link_that_leaves(self) -> None:
        (self.base / "out").mkdir()
        (self.root / "link").symlink_to(self.base / "out")
        self.assertRaisesRegex(HubError, "leaves", _landing, self.root, "link/a/b/c")
        self.assertEqual(os.listdir(self.base / "out"), [])
        self.assertEqual(_landing(self.root, "a/b/c"), self.root / "a" / "b" / "c")

    def test_an_answer_without_end_is_not_kept_in_memory(self) -> None:
        with mock.patch("hub._http._MAX_ANSWER_BYTES", 1 << 20), self.assertRaisesRegex(HubError, "more than"):
            Client(self.serve(b" " * 65536)).call("GET", "/v1/x", attempts=1)

    def test_an_id_that_is_a_path_starts_nothing(self) -> None:
        spool = new_spool(self.base, "a")
        self.addCleanup(spool.release)
        sender = Sender(Client("http://127.0.0.1:9"), spool)
        for given in ("../../x", "run_../x", "run_A", "", 7):
            with self.assertRaisesRegex(HubError, "which is none"):
                sender._take({"id": given, "attempt": 1, "owner": {"handle": "ada"}})


class Settings(unittest.TestCase):
    def test_a_stored_token_goes_only_to_its_hub_and_no_repr_shows_one(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            Path(home, "hub").mkdir()
            Path(home, "hub", "client.json").write_text('{"url": "https://one.example", "token": "secret-1"}')
            with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": home}, clear=True):
                self.assertEqual((connect().url, connect()._token), ("https://one.example", "secret-1"))
                self.assertIsNone(connect("https://two.example")._token)
                os.environ["HUB_TOKEN"] = "secret-2"
                self.assertEqual(connect("https://two.example/")._token, "secret-2")
                self.assertNotIn("secret", repr(connect()))
                for url in ("ftp://x", "https://user:pw@x", "nonsense", "http://x:port", "http://[::1"):
                    self.assertRaises(ValueError, connect, url)

    def test_another_spelling_of_a_hub_is_the_hub_and_another_scheme_or_port_is_not(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            Path(home, "hub").mkdir()
            Path(home, "hub", "client.json").write_text('{"url": "https://one.example", "token": "secret-1"}')
            with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": home}, clear=True):
                for url in ("https://one.example/", "HTTPS://One.example", "https://one.example:443"):
                    self.assertEqual((connect(url).url, connect(url)._token), ("https://one.example", "secret-1"))
                for url in ("http://one.example", "https://one.example:8443", "https://one.example/hub", "http://one.example:443"):
                    self.assertIsNone(connect(url)._token)
                self.assertEqual(connect("http://[::1]:4000/").url, "http://[::1]:4000")

    def test_no_message_shows_the_credential_of_an_address(self) -> None:
        with self.assertRaisesRegex(HubError, r"http://127\.0\.0\.1:9/x did not answer") as caught:
            open_url(urllib.request.Request("http://ada:secret@127.0.0.1:9/x?sign=secret"), 1.0)
        self.assertNotIn("secret", str(caught.exception))

    def test_an_unreachable_hub_is_an_error_without_the_query(self) -> None:
        with self.assertRaisesRegex(HubError, r"http://127\.0\.0\.1:9/v1/x did not answer") as caught:
            Client("http://127.0.0.1:9", "secret").call("GET", "/v1/x", query={"q": "hidden"}, attempts=1)
        self.assertNotIn("hidden", str(caught.exception))
