"""Metrics of a run as rows, and the files of runs and repos."""

from __future__ import annotations

import sys
import tempfile
import threading
import types
import unittest
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, List, Optional
from unittest import mock

import hub
from hub import _events, _files
from hub._history import exact
from tests.test_api import Asked, page


class Streaming(BaseHTTPRequestHandler):
    """Sends the next of its answers; each but the last is cut off."""

    answers: List[str] = []
    asked: List["tuple[str, Optional[str]]"] = []

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Last-Event-ID"]))
        text = self.answers.pop(0)
        if text == "503":
            self.send_error(503)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(text.encode())


def metric(number: int, line: str) -> str:
    return f"event: metric\nid: 0.0-{number}\ndata: {line}\n\n"


END = 'event: end\nid: 0.0-9\ndata: {"status":"succeeded"}\n\n'


class Lines(unittest.TestCase):
    def scan(self, *answers: str, keys: Optional[List[str]] = None) -> List[Dict[str, Any]]:
        Streaming.answers, Streaming.asked = list(answers), []
        server = ThreadingHTTPServer(("127.0.0.1", 0), Streaming)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        client = hub.Client(f"http://127.0.0.1:{server.server_address[1]}", "t")
        with mock.patch.object(_events, "backoff_s", lambda _: 0.0):
            return list(hub.RunRecord(client, {"id": "run_1"}).scan_history(keys))

    def test_every_line_is_exact(self) -> None:
        lines = ['{"step":0,"a":1152921504606846977,"b":0.1,"c":1e400,"d":2.50,"e":null,"f":"ü","g":0.12345678901234567890123}', '{"step":1,"a":-0.0}']
        rows = self.scan(": hello\nretry: 2000\n\n" + metric(1, lines[0]) + 'event: log\nid: 1.1-1\ndata: {"line":"x"}\n\n' + metric(2, lines[1]) + END)
        self.assertEqual(
            rows,
            [
                {"step": 0, "a": 2**60 + 1, "b": 0.1, "c": Decimal("1e400"), "d": 2.5, "e": None, "f": "ü", "g": Decimal("0.12345678901234567890123")},
                {"step": 1, "a": 0.0},
            ],
        )
        self.assertEqual([type(value) for value in rows[0].values()], [int, int, float, Decimal, float, type(None), str, Decimal])
        self.assertEqual(Streaming.asked, [("/v1/runs/run_1/logs?tail=0&follow=false", None)])

    def test_a_stream_that_is_cut_goes_on_after_its_last_whole_event(self) -> None:
        rows = self.scan(metric(1, '{"step":1}') + 'event: metric\nid: 0.0-2\ndata: {"st', "503", metric(2, '{"step":2}') + "event: metric\nid: 0.0-3\n", metric(3, '{"step":3}') + END)
        self.assertEqual([row["step"] for row in rows], [1, 2, 3])
        self.assertEqual([place for _, place in Streaming.asked], [None, "0.0-1", "0.0-1", "0.0-2"])

    def test_a_stream_that_never_ends_is_an_error(self) -> None:
        with self.assertRaisesRegex(hub.HubConnectionError, "ended before its end"):
            self.scan(*[""] * 6)

    def test_keys_are_those_of_the_lines_that_have_all_of_them(self) -> None:
        text = metric(1, '{"step":0,"a":1,"b":2,"c":3}') + metric(2, '{"step":1,"a":1}') + metric(3, '{"iteration":2,"b":0,"a":1}') + END
        self.assertEqual(self.scan(text, keys=["a", "b"]), [{"step": 0, "a": 1, "b": 2}, {"a": 1, "b": 0}])

    def test_a_float_that_is_not_the_number_is_a_decimal(self) -> None:
        for text in ("0.1", "1e-7", "1.50", "2.2250738585072014E-308", "100000000000000000.0"):
            self.assertIs(type(exact(text)), float, text)
        for text in ("1e400", "-1e400", "1e-400", "0.1000000000000000055511151231257827", "9007199254740993.0"):
            self.assertEqual(exact(text), Decimal(text))


def series(key: str, *points: "tuple[float, float]") -> Dict[str, Any]:
    return {"key": key, "count": len(points), "points": [list(point) for point in points]}


class Samples(unittest.TestCase):
    def test_series_are_rows_by_step(self) -> None:
        client = Asked([{"keys": ["step", "a", "b"], "series": [series("step", (0, 0), (9, 9)), series("a", (0, 1), (2, 3.5), (2, 4)), series("b", (2, 7), (1, 6))]}])
        rows = hub.RunRecord(client, {"id": "r/1"}).history()
        self.assertEqual(rows, [{"step": 0, "a": 1}, {"step": 1, "b": 6}, {"step": 2, "a": 3.5, "b": 7}, {"step": 2, "a": 4}])
        self.assertEqual(client.asked, [("GET", "/v1/runs/r%2F1/metrics", {"max_points": 500})])

    def test_all_keys_are_asked_for_a_hundred_at_a_time(self) -> None:
        names = [f"k{number}" for number in range(205)] + ["a,b"]
        one = lambda names: {"keys": names, "series": [series(name, (0, 1)) for name in names]}
        client = Asked([{"keys": names, "series": one(names[:100])["series"]}, one(names[100:200]), one(names[200:205])])
        self.assertEqual(hub.RunRecord(client, {"id": "r"}).history(samples=5), [{"step": 0, **{name: 1 for name in names[:-1]}}])
        self.assertEqual([query.get("keys") for _, _, query in client.asked], [None, names[100:200], names[200:205]])

    def test_keys_are_asked_for_alone_and_few_where_they_are_long(self) -> None:
        client = Asked([{"keys": ["a"], "series": [series("a", (0, 1))]}, {"keys": [], "series": []}])
        keys = ["a", *(f"k{number}" for number in range(20))]
        self.assertEqual(hub.RunRecord(client, {"id": "r"}).history(keys, samples=5000), [{"step": 0, "a": 1}])
        self.assertEqual([len(query["keys"]) for _, _, query in client.asked], [20, 1])
        with self.assertRaisesRegex(ValueError, "2 to 5000 points of a key"):
            hub.RunRecord(client, {"id": "r"}).history(samples=5001)

    def test_pandas_is_imported_where_it_is_asked_for(self) -> None:
        answer = {"keys": ["a"], "series": [series("a", (0, 1))]}
        module = types.ModuleType("pandas")
        module.DataFrame = types.SimpleNamespace(from_records=lambda rows: ("frame", rows))  # type: ignore[attr-defined]
        with mock.patch.dict(sys.modules, pandas=module):
            self.assertEqual(hub.RunRecord(Asked([answer]), {"id": "r"}).history(pandas=True), ("frame", [{"step": 0, "a": 1}]))
        with mock.patch.dict(sys.modules, pandas=None), self.assertRaisesRegex(ImportError, "pip install pandas"):
            hub.RunRecord(Asked([answer]), {"id": "r"}).history(pandas=True)

    def test_summary_is_the_last_values_and_config_the_hyperparameters(self) -> None:
        run = hub.RunRecord(Asked([{"summary": [{"key": "loss", "last": 0.5, "min": 0.1}]}] * 2), {"id": "r", "recipe": {"hyperparams": {"lr": 1, "run_name": "x"}}})
        self.assertEqual((run.summary, run.aggregates["loss"]["min"], run.config), ({"loss": 0.5}, 0.1, {"lr": 1}))
        logged = [{"key": key, "last": last} for key, last in (("loss", 0.5), ("summary/best/loss", 0.1), ("summary/loss", 0.2))]
        self.assertEqual(hub.RunRecord(Asked([{"summary": logged}]), {"id": "r"}).summary, {"loss": 0.2, "best/loss": 0.1})
        keys = [{"path": "a.b", "value": "0.5"}, {"path": "name", "value": "arm"}, {"path": "n", "value": "9007199254740993"}]
        self.assertEqual(hub.RunRecord(Asked([{"keys": keys}]), {"id": "r", "recipe": None}).config, {"a.b": 0.5, "name": "arm", "n": 2**53 + 1})


class Files(unittest.TestCase):
    def test_files_of_a_run_are_those_of_its_output_repo_and_are_downloaded_one_by_one(self) -> None:
        entry = {"path": "checkpoints/step_2/m.pt", "size": 2, "sha256": None}
        client = Asked([page([entry]), page([entry]), page([entry]), {"files": [{"url": "http://store.test/x"}]}])
        run = hub.RunRecord(client, {"id": "r", "output_model_repo": {"id": "repo_1", "full_name": "a/b"}})
        self.assertEqual([file["path"] for file in run.files("checkpoints/")], [entry["path"]])
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(_files, "_fetch", lambda _url, to, _size: to.write_bytes(b"ok")):
            path = run.file(str(entry["path"]), revision="v1").download(folder)
            self.assertEqual((path, path.read_bytes()), (Path(folder).resolve() / str(entry["path"]), b"ok"))
        self.assertEqual([query.get("at") for _, _, query in client.asked], [None, "v1", "v1", "v1"])

    def test_a_run_without_output_has_none(self) -> None:
        run = hub.RunRecord(Asked([]), {"id": "r", "output_model_repo": None})
        self.assertEqual(list(run.files()), [])
        with self.assertRaisesRegex(hub.HubError, "r has published no file"):
            run.file("x")

    def test_a_repo_lists_a_version_of_itself(self) -> None:
        client = Asked([{"full_name": "a/b"}, page([{"path": "x", "size": 1, "sha256": None}])])
        (file,) = hub.Api(client).repo("a/b").files(revision="v1")
        self.assertEqual((file["path"], client.asked[1][2]["at"]), ("x", "v1"))


class Filters(unittest.TestCase):
    def test_lists_and_truth_are_written_as_v1_reads_them(self) -> None:
        address = hub.Client("http://h")._address("/v1/runs", {"tag": ["a", "b"], "gated": True, "q": None, "limit": 5})
        self.assertEqual(address, "http://h/v1/runs?tag=a%2Cb&gated=true&limit=5")


if __name__ == "__main__":
    unittest.main()
