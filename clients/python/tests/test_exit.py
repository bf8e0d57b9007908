"""The end of a run whose hub does not answer: quick, and with words that say what is kept, where, why, and how it is sent."""

from __future__ import annotations

import io
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from typing import List
from unittest import mock

import hub
from hub import __main__ as command
from hub._sender import Sender
from hub._settings import exit_s
from hub._spool import new_spool
from tests.fake_hub import PATIENCE, FakeHub
from tests.test_run import PROBLEM, SOURCE

#: Seconds that a busy machine may take to start Python and end it, besides.
_SLACK_S = 100
#: Of 3 s each, one after the other: a minute.
_AT_ONCE = 20


class Ends(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = FakeHub()
        self.folder = tempfile.TemporaryDirectory()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HUB_")}
        around = {"PYTHONPATH": SOURCE, "HUB_STATE_DIR": self.folder.name, "HUB_TOKEN": "t", "HUB_URL": self.hub.url, "HUB_EXIT_SECONDS": "1"}
        self.env = mock.patch.dict(os.environ, {**kept, **around}, clear=True)
        self.env.start()

    def tearDown(self) -> None:
        self.env.stop()
        self.hub.close()
        self.folder.cleanup()

    def program(self, *lines: str) -> "subprocess.CompletedProcess[str]":
        began = time.monotonic()
        done = subprocess.run([sys.executable, "-c", "\n".join(("import hub, os", *lines))], capture_output=True, text=True, check=True)
        self.assertLess(time.monotonic() - began, _SLACK_S)
        return done

    def sync(self, *options: str) -> "tuple[int, List[str]]":
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["hub", "sync", *options]), redirect_stdout(out):
            code = command.main()
        return code, out.getvalue().splitlines()

    def test_an_end_without_the_hub_says_what_is_kept_and_where_and_sync_sends_it(self) -> None:
        done = self.program(
            "client = hub.connect()",
            "run = hub.init('away', interval_s=0.02, client=client)",
            # The hub goes away.
            "client.call = lambda *_, **__: hub._http.open_url(__import__('urllib.request').request.Request('http://127.0.0.1:9/v1'), 5)",
            "for step in range(1200): run.log(step=step)",
            "open('notes.txt', 'w').write('n' * 2048)",
            "run.log_file('notes.txt')",
            "os.remove('notes.txt')",
        )
        said = [line for line in done.stderr.splitlines() if "does not have everything" in line]
        kept = r"hub: the hub does not have everything: http://127.0.0.1:9/v1 did not answer: Connection refused\. Kept on this machine: "
        self.assertRegex("\n".join(said), rf"^{kept}[\d,]+ lines of metrics and 1 file \(2\.0 KiB\), in (\S+)\. Send it with: python -m hub sync$")
        folder = re.findall(r", in (\S+)\. Send", said[0])[0]
        self.assertEqual(len(Path(folder, "metrics.jsonl").read_bytes().splitlines()), 1200)
        for upload in Path(folder, "uploads").iterdir():
            # The hub of these tests takes no files.
            for file in sorted(upload.rglob("*"), reverse=True):
                file.unlink() if file.is_file() else file.rmdir()
            upload.rmdir()
        (run,) = self.hub.runs.values()
        self.assertEqual(self.sync(), (0, [f"{run['id']}: complete"]))
        self.assertEqual([line["step"] for line in run["metrics"]], list(range(1200)))

    def test_several_runs_and_a_hub_that_takes_connections_and_says_nothing_end_in_the_time_of_one(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            done = self.program(
                "import time; os.environ['HUB_EXIT_SECONDS'] = '3'",
                "from hub import _run",
                "client = hub.connect()",
                f"runs = [hub.init(f'run {{n}}', interval_s=0.02, capture_output=False, client=client) for n in range({_AT_ONCE})]",
                f"client.url = '{url}'",
                "for run in runs: run.log(loss=1.0)",
                "began = time.monotonic(); _run._end_all()",
                "print(time.monotonic() - began)",
            )
        self.assertEqual(done.stderr.count(f"{url} did not take it in time. Kept on this machine: 1 line of metrics, in "), _AT_ONCE, done.stderr)
        self.assertLess(float(done.stdout), 30)

    def test_a_refusal_is_the_reason(self) -> None:
        run = hub.init("refused", interval_s=0.02, capture_output=False)
        self.hub.faults = [("/report", 401, {"title": "x", "detail": "This key is revoked.", "request_id": "req_7"})] * 1000
        run.log(step=0)
        with mock.patch("hub._ways.warn") as warn:
            self.assertFalse(run.finish())
        self.assertIn("everything: This key is revoked. Set HUB_TOKEN to a key of this hub, or run `hub login`. (request req_7). Kept on this machine: 1 line of metrics, in ", warn.call_args[0][0])
        code, (said,) = self.sync()
        self.assertEqual(code, 1)
        self.assertRegex(said, r"^not sent: \S+ \(1 line of metrics\): This key is revoked\. Set HUB_TOKEN to .* `hub login`\. \(request req_7\)\.$")

    def test_a_hub_that_answers_is_waited_for(self) -> None:
        with mock.patch.dict(os.environ, HUB_EXIT_SECONDS=PATIENCE):
            run = hub.init("slow", interval_s=0.02, capture_output=False)
        self.hub.faults = [("/report", 503, PROBLEM)] * 2
        run.log(step=0)
        self.assertTrue(run.finish())

    def test_what_is_not_sent_says_why(self) -> None:
        root = Path(self.folder.name, "runs")
        start = {"key": "k", "body": {"recipe": {"template": "t"}}}
        ending = {"status": "succeeded", "error": None}
        facts = {"start": start, "log_at": 0, "metrics_at": 0}
        new_spool(root, "a", url="http://other.test", ending=ending, **facts).release()
        new_spool(root, "b", url=self.hub.url, **facts).release()
        run = {"id": "run_1"}
        new_spool(root, "c", url=self.hub.url, run=run, ending=ending, gave_up="canceled", gave_up_because="run_1 is canceled; it takes no more lines.", **facts).release()
        code, said = self.sync()
        reasons = sorted(re.sub(r"^not sent: \S+ ", "", line) for line in said)
        self.assertEqual(code, 1)
        self.assertEqual(
            reasons,
            [
                "(the end of the run): run_1 is canceled; it takes no more lines.",
                "(the run itself): it belongs to http://other.test; set HUB_URL to that.",
                "(the run itself): its trainer was killed: start it again, or send this with --killed.",
            ],
        )

    def test_sync_without_the_hub_asks_for_one_run_and_says_why_of_all(self) -> None:
        self.hub.close()
        for name in "abc":
            new_spool(Path(self.folder.name, "runs"), name, url=self.hub.url, start={"key": "k", "body": {}}, log_at=0, metrics_at=0, ending={"status": "failed", "error": None}).release()
        with mock.patch.object(Sender, "start", autospec=True, side_effect=Sender.start) as start:
            code, said = self.sync()
        self.assertEqual([code, len(said), start.call_count], [1, 3, 1])
        for line in said:
            self.assertTrue(line.endswith(f"(the run itself): {self.hub.url}/v1/runs/start did not answer: Connection refused."), line)

    def test_the_time_is_a_setting(self) -> None:
        for text, seconds in (("", 10.0), ("2.5", 2.5), ("86400", 86_400.0)):
            with mock.patch.dict(os.environ, HUB_EXIT_SECONDS=text):
                self.assertEqual(exit_s(), seconds)
        for text in ("0", "soon", "nan", "86401"):
            with mock.patch.dict(os.environ, HUB_EXIT_SECONDS=text):
                with self.assertRaisesRegex(ValueError, f"HUB_EXIT_SECONDS is '{text}'; set a number of seconds from 1 to 86400"):
                    hub.init("x")
        self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    unittest.main()
