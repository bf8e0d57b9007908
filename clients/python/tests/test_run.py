"""Runs against a hub that fails on request: each line arrives once."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict
from unittest import mock

import hub
from hub import _sender
from hub._spool import left_spools
from tests import fake_hub
from tests.fake_hub import PATIENCE, FakeHub

PROBLEM: Dict[str, Any] = {"title": "x", "detail": "later"}
#: For programs of their own, wherever they are executed.
SOURCE = str(Path(hub.__file__).resolve().parent.parent)


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = FakeHub()
        self.folder = tempfile.TemporaryDirectory()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HUB_")}
        self.env = mock.patch.dict(os.environ, {**kept, "PYTHONPATH": SOURCE, "HUB_STATE_DIR": self.folder.name, "HUB_TOKEN": "t", "HUB_URL": self.hub.url, "HUB_EXIT_SECONDS": PATIENCE}, clear=True)
        self.env.start()
        self.said: "list[str]" = []
        self.warn = mock.patch.object(_sender, "warn", self.said.append)
        self.warn.start()

    def tearDown(self) -> None:
        self.warn.stop()
        self.env.stop()
        self.hub.close()
        self.folder.cleanup()

    def init(self, project: str = "test", **more: Any) -> hub.Run:
        return hub.init(project, interval_s=0.02, capture_output=False, **more)

    def only(self) -> Dict[str, Any]:
        (run,) = self.hub.runs.values()
        return run

    def until(self, test: Callable[[], Any]) -> None:
        end = time.monotonic() + 100
        while not test():
            self.assertLess(time.monotonic(), end, "nothing came of it")
            time.sleep(0.01)

    def steps(self, run: Dict[str, Any]) -> "list[int]":
        return [line["step"] for line in run["metrics"]]

    def left(self) -> int:
        found = list(left_spools(Path(self.folder.name, "runs")))
        for spool in found:
            spool.release()
        return len(found)

    def test_lines_config_and_end_arrive_and_nothing_stays_behind(self) -> None:
        with self.init(config={"lr": 0.1, "steps": 5}, name="first") as run:
            run.scorecard({"cells": [{"name": "a", "status": "FAIL"}]})
            for _ in range(5):
                run.log({"loss": 1.0})
            run.log(loss=2, iteration=9)
        stored = self.only()
        self.assertEqual(run.url, f"{self.hub.url}/runs/{stored['id']}")
        self.assertEqual([line.get("step") for line in stored["metrics"]], [0, 1, 2, 3, 4, None])
        self.assertEqual((stored["status"], stored["recipe"]), ("succeeded", {"template": "test", "hyperparams": {"lr": 0.1, "steps": 5, "run_name": "first"}}))
        self.assertEqual(sum("config_yaml" in report for report in self.hub.reports), 1)
        cards = [report["scorecard_json"] for report in self.hub.reports if "scorecard_json" in report]
        self.assertEqual(cards, [{"cells": [{"name": "a", "status": "FAIL"}]}])
        self.assertEqual(os.listdir(Path(self.folder.name, "runs")), [])

    def test_an_answer_that_is_lost_repeats_the_report_under_its_number(self) -> None:
        run = self.init()
        for step in range(200):
            if step % 50 == 0:
                self.hub.swallow = 1
            run.log(step=step)
            if step % 20 == 0:
                time.sleep(0.01)
        self.assertTrue(run.finish())
        self.assertEqual(self.steps(self.only()), list(range(200)))

    def test_a_hub_that_is_away_at_the_start_gets_the_run_later(self) -> None:
        self.hub.faults = [("/start", 503, PROBLEM)] * 3
        run = self.init()
        self.assertIsNone(run.id)
        run.log(a=1)
        self.assertTrue(run.finish())
        self.assertEqual((self.steps(self.only()), len(self.hub.starts)), ([0], 1))

    def test_a_refusal_at_the_start_is_raised_and_leaves_nothing(self) -> None:
        self.hub.faults = [("/start", 403, {"type": "/problems/forbidden.scope", "detail": "no", "request_id": "req_9"})]
        with self.assertRaises(hub.HubError) as caught:
            self.init()
        error = caught.exception
        self.assertEqual((error.type, error.status, error.detail, error.request_id), ("forbidden.scope", 403, "no", "req_9"))
        self.assertEqual(self.left(), 0)

    def test_a_lost_lease_is_claimed_again_with_all_lines(self) -> None:
        run = self.init()
        run.log_text("hello\n")
        for step in range(10):
            run.log(step=step)
        self.until(lambda: len(self.only()["metrics"]) == 10 and self.only()["log"])
        self.hub.lose(str(run.id))
        for step in range(10, 20):
            run.log(step=step)
        self.assertTrue(run.finish())
        self.assertEqual((self.only()["attempt"], self.steps(self.only()), self.only()["log"]), (2, list(range(20)), "hello\n"))
        self.assertTrue(any("attempt 2" in said for said in self.said))

    def test_a_short_lease_is_renewed_in_time(self) -> None:
        with mock.patch.dict(fake_hub.LEASE, lease_expires_at="2026-01-01T00:00:00.300Z"):
            run = hub.init("short", interval_s=60, capture_output=False)
            self.until(lambda: len(self.hub.reports) >= 5)
            run.finish()
        self.assertEqual(self.only()["status"], "succeeded")

    def test_a_run_that_ended_without_its_trainer_goes_on_as_a_new_one(self) -> None:
        run = self.init()
        run.log(step=0)
        self.until(lambda: self.only()["metrics"])
        first = str(run.id)
        self.hub.runs[first]["status"] = "failed"
        run.log(step=1)
        self.assertTrue(run.finish())
        other = self.hub.runs[str(list(self.hub.runs)[1])]
        self.assertEqual((self.steps(other), other["parent_run_id"], other["status"]), ([0, 1], first, "succeeded"))

    def test_a_cancel_raises_in_log_and_ends_the_run_as_canceled(self) -> None:
        with self.assertRaises(hub.RunCanceled):
            with self.init() as run:
                self.hub.runs[str(run.id)]["cancel_requested_at"] = "2026-01-01T00:00:00Z"
                self.until(lambda: run.log(a=1) or run.canceled)
        self.assertEqual(self.only()["status"], "canceled")
        quiet = self.init("quiet", raise_on_cancel=False)
        self.hub.runs[str(quiet.id)]["cancel_requested_at"] = "2026-01-01T00:00:00Z"
        self.until(lambda: quiet.canceled)
        quiet.log(a=1)
        quiet.finish("canceled")

    def test_an_exception_fails_the_run_with_its_traceback(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            with self.init():
                1 / 0
        self.assertEqual(self.only()["status"], "failed")
        self.assertIn("ZeroDivisionError", self.only()["error"])

    def test_an_error_is_cut_to_what_the_hub_takes(self) -> None:
        self.init().finish("failed", "x" * 70_000 + "\0\ud800 end")
        self.assertEqual((len(self.only()["error"]), self.only()["error"][-7:]), (59_999, "xx? end"))

    def test_lines_that_the_hub_refuses_are_dropped_alone_and_named(self) -> None:
        run = self.init()
        entry = {"type": "validation.value", "detail": "bad", "loc": ["body", "metrics", 1]}
        self.hub.faults = [("/report", 422, {"type": "/problems/validation.failed", "detail": "bad", "errors": [entry]})]
        for step in range(3):
            run.log(step=step)
        self.assertTrue(run.finish())
        self.assertEqual(self.steps(self.only()), [0, 2])
        self.assertTrue(any("dropped" in said for said in self.said))

    def test_a_report_keeps_the_limits_of_the_hub(self) -> None:
        run = self.init()
        with mock.patch.object(_sender, "MAX_LINES", 7):
            for step in range(40):
                run.log(step=step, text="x" * 10)
            run.log_text("é" * 300_000)
            self.assertTrue(run.finish())
        stored = self.only()
        self.assertEqual((self.steps(stored), stored["log"]), (list(range(40)), "é" * 300_000))
        self.assertLessEqual(max(len(report.get("log_chunk", "").encode()) for report in self.hub.reports), 256 * 1024)

    def test_what_a_finish_could_not_send_is_sent_by_sync(self) -> None:
        run = self.init()
        self.hub.faults = [("/report", 503, PROBLEM)] * 1000
        run.log(step=0)
        self.assertFalse(run.finish(timeout_s=0.2))
        self.assertEqual(self.left(), 1)
        self.hub.faults = []
        self.assertEqual(hub.sync(), ([self.only()["id"]], []))
        self.assertEqual((self.steps(self.only()), self.only()["status"], self.left()), ([0], "succeeded", 0))

    def test_a_killed_trainer_goes_on_with_its_run(self) -> None:
        program = "\n".join(
            (
                "import hub, os, sys",
                "run = hub.init('killed', interval_s=0.05, capture_output=False)",
                "for step in range(run.step, 60):",
                "    run.log(step=step)",
                "    if step in (20, 40) and run.last['step'] == step and not os.path.exists(f'{sys.argv[1]}-{step}'):",
                "        open(f'{sys.argv[1]}-{step}', 'w').close()",
                "        os.kill(os.getpid(), 9)",
            )
        )
        script = Path(self.folder.name, "train.py")
        script.write_text(program)
        codes = [subprocess.run([sys.executable, str(script), str(script)], check=False).returncode for _ in range(3)]
        self.assertEqual((codes, self.steps(self.only()), self.only()["status"]), ([-9, -9, 0], list(range(60)), "succeeded"))

    def test_sys_exit_with_an_error_fails_the_run(self) -> None:
        program = "import hub, sys; run = hub.init('exits', capture_output=False); run.log(a=1); sys.exit(3)"
        done = subprocess.run([sys.executable, "-c", program], check=False)
        self.assertEqual((done.returncode, self.only()["status"], self.only()["error"]), (3, "failed", "The trainer called sys.exit(3)."))

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_forked_child_does_not_log(self) -> None:
        run = self.init()
        child = os.fork()
        if child == 0:
            try:
                run.log(a=1)
            except RuntimeError:
                os._exit(7)
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1] >> 8, 7)
        run.finish()

    def test_prints_are_the_log(self) -> None:
        program = "\n".join(
            (
                "import hub, os, sys",
                "run = hub.init('prints')",
                "print('out', flush=True)",
                "if os.fork() == 0: print('child', flush=True); os._exit(0)",
                "os.wait()",
                "print('err', file=sys.stderr)",
            )
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout, done.stderr, self.only()["log"]), ("out\nchild\n", "err\n", "out\nerr\n"))


class UnderRunner(unittest.TestCase):
    def test_lines_config_and_checkpoints_are_files_of_the_run_folder(self) -> None:
        program = "\n".join(
            (
                "import hub, os",
                "run = hub.init('x', config={'lr': 1})",
                "run.log(loss=1.5)",
                "os.mkdir('w'); open('w/a.bin', 'w').write('a')",
                "run.checkpoint('w', 3)",
                "run.checkpoint('w/a.bin', 4)",
                "print(run.id)",
            )
        )
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "PYTHONPATH": SOURCE, "HUB_RUN_ID": "run_1", "HUB_RUN_DIR": folder, "HUB_URL": "http://127.0.0.1:9"}
            done = subprocess.run([sys.executable, "-c", program], cwd=folder, env=env, capture_output=True, text=True, check=True)
            files = {str(f.relative_to(folder)): f.read_text() for f in Path(folder).rglob("*") if f.is_file()}
        self.assertEqual(done.stdout, "run_1\n")
        self.assertEqual(files["metrics.jsonl"], '{"step":0,"loss":1.5}\n')
        self.assertEqual((files["config.yaml"], files["checkpoints/step_3/a.bin"], files["checkpoints/step_4/a.bin"]), ('{\n  "lr": 1\n}\n', "a", "a"))

    def test_a_failed_finish_is_an_exit_code(self) -> None:
        program = "import hub; hub.init('x').finish('failed', 'no data')"
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "PYTHONPATH": SOURCE, "HUB_RUN_ID": "run_1", "HUB_RUN_DIR": folder}
            done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "no data\n"))
