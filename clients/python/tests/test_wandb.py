"""The hub's wandb: alone with a hub, under hub track, offline and disabled."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any
from unittest import mock

import hub
import hub.wandb as wandb
from tests.fake_hub import PATIENCE, FakeHub
from tests.wandb_case import WandbCase

SOURCE = Path(hub.__file__).resolve().parent


class Wandb(WandbCase):
    def test_each_line_is_there_when_log_returns_and_uncommitted_values_join_the_next(self) -> None:
        self.init()
        wandb.log({"loss": 0.1, "eval": {"a": {"b": 2**60}}})
        self.assertEqual(self.lines(), [{"step": 0, "loss": 0.1, "eval/a/b": 2**60}])
        wandb.log({"x": 1}, commit=False)
        wandb.log({"y": float("nan"), "step": 5})
        wandb.log({"z": 1}, step=7)
        wandb.log({"w": "text"}, step=7)
        wandb.log({"gone": 1}, step=3)
        wandb.log({"gone": 1}, step=3)
        wandb.log({"last": True}, commit=False)
        wandb.summary["best"] = 9
        wandb.finish()
        self.assertEqual(self.lines()[1:], [
            {"step": 1, "x": 1, "y": None, "logged_step": 5}, {"step": 7, "z": 1}, {"step": 7, "w": "text"}, {"step": 7, "last": True},
        ])
        self.assertEqual(json.loads((self.reported / "summary.json").read_text()), {"best": 9})
        self.assertEqual(len([one for one in self.said if "steps only go up" in one]), 1)

    def test_a_run_tells_where_it_is_and_leaves_the_files_by_which_its_id_is_found(self) -> None:
        run = self.init(id="abc12345", project="p", name="n", resume="must")
        self.assertEqual((run.id, run.name, run.project, run.get_url(), wandb.run), ("abc12345", "n", "p", "http://hub/runs/run_1", run))
        found = list(self.folder.glob("wandb/latest-run/run-*"))
        self.assertEqual([file.name for file in found], ["run-abc12345.wandb"])
        self.assertIn("wandb goes to the hub: http://hub/runs/run_1", self.said)

    def test_an_id_is_taken_up_again_by_the_folder_or_refused(self) -> None:
        first = self.init()
        wandb.finish()
        self.assertNotEqual(self.init().id, first.id)
        wandb.finish()
        last = self.init(id="given")
        wandb.finish()
        for resume in (True, "auto", "allow", "must"):
            run = self.init(resume=resume)
            self.assertEqual((run.id, run.resumed), (last.id, True))
            wandb.finish()
        with self.assertRaises(wandb.UsageError):
            self.init(id="given", resume="never")
        self.assertEqual(self.init(id="new", resume="never").id, "new")

    def test_what_the_run_is_kept_by_is_a_file_that_follows_its_changes(self) -> None:
        def kept() -> Any:
            return json.loads((self.reported / "wandb.json").read_text())

        run = self.init(id="abc", project="p", name="n", tags=["one"], group="g", job_type="train", notes="so")
        self.assertEqual(kept(), {"id": "abc", "project": "p", "name": "n", "tags": ["one"], "group": "g", "job_type": "train", "notes": "so"})
        run.tags += ("two",)
        run.name, run.notes, run.group = "other", "later", None
        self.assertEqual(kept(), {"id": "abc", "project": "p", "name": "other", "tags": ["one", "two"], "job_type": "train", "notes": "later"})
        wandb.finish()
        self.init(id="plain")
        self.assertEqual(kept(), {"id": "plain"})

    def test_config_is_read_by_attribute_and_changes_only_when_allowed(self) -> None:
        self.init(config={"lr": 0.1})
        wandb.config.update({"steps": 5})
        wandb.config.seed = 3
        with self.assertRaises(wandb.Error):
            wandb.config.lr = 0.2
        wandb.config.update({"lr": 0.2}, allow_val_change=True)
        self.assertEqual((wandb.config.lr, wandb.config["seed"], list(wandb.config.items())), (0.2, 3, [("lr", 0.2), ("steps", 5), ("seed", 3)]))
        self.assertEqual(json.loads((self.reported / "config.yaml").read_text()), {"lr": 0.2, "steps": 5, "seed": 3})

    def test_media_of_a_tracked_run_are_files_and_lines_at_their_step(self) -> None:
        self.init()
        wandb.log({"a picture": wandb.Image([[0, 255]], caption="two"), "loss": 1, "eval": {"h": [wandb.Histogram([1, 2, 2], num_bins=2)] * 2}}, step=4)
        wandb.log({"weights": wandb.Table(columns=["n", "x"], data=[[2**60, 0.1], ["a", float("nan")]])}, step=5)
        self.assertEqual(self.lines(), [{"step": 4, "loss": 1}])
        picture, one, two, table = (json.loads(line) for line in (self.reported / "media.jsonl").read_text().splitlines())
        self.assertRegex(picture.pop("path"), r"^media/a_picture_4_0_[0-9a-f]{12}\.png$")
        self.assertRegex(picture.pop("ts"), r"^\d{4}-\d\d-\d\dT[\d:.]{12}Z$")
        self.assertEqual(picture, {"key": "a picture", "step": 4, "index": 0, "kind": "image", "width": 2, "height": 1, "caption": "two"})
        self.assertEqual([(each["key"], each["index"], each["value"]) for each in (one, two)],
                         [("eval/h", at, {"edges": [1.0, 1.5, 2.0], "counts": [1, 2]}) for at in (0, 1)])
        self.assertEqual((table["step"], table["value"]), (5, {"columns": ["n", "x"], "rows": [[2**60, 0.1], ["a", None]]}))
        self.assertEqual(len(os.listdir(self.reported / "media")), 1)

    def test_what_the_hub_does_not_have_is_said_once_and_breaks_nothing(self) -> None:
        self.init()
        for _ in range(3):
            wandb.plot.line(wandb.Table(columns=["a"], data=[[1]]), "a")
            wandb.log({"loss": 1, "lidar": wandb.Object3D([1])})
        wandb.log({"wide": "x" * 2_000_000})
        self.assertEqual([line for line in self.lines()], [{"step": step, "loss": 1} for step in range(3)])
        self.assertEqual(len([one for one in self.said if "wandb.Object3D is not supported" in one]), 1)

    def test_other_ranks_and_disabled_ones_keep_nothing(self) -> None:
        for more in ({"RANK": "1"}, {"WANDB_MODE": "disabled"}, {"WANDB_DISABLED": "true"}):
            with mock.patch.dict(os.environ, more):
                run = self.init()
                wandb.log({"loss": 1, "i": wandb.Image([[1]])})
                self.assertTrue(run.disabled)
                wandb.finish()
        self.assertEqual((os.listdir(self.reported), (self.folder / "wandb").exists()), ([], False))

    def test_a_tracked_run_is_the_child_of_the_run_that_its_id_was_before(self) -> None:
        def parent() -> Any:
            return json.loads((self.reported / "wandb.json").read_text()).get("parent_run_id")

        self.init(id="mine", resume="allow")
        self.assertIsNone(parent())
        wandb.finish()
        # The same run of the hub, whose command was started again.
        self.init(id="mine", resume="allow")
        self.assertIsNone(parent())
        wandb.finish()
        os.environ["HUB_RUN_ID"] = "run_2"
        self.init(id="mine")
        self.assertIsNone(parent())
        wandb.finish()
        os.environ["HUB_RUN_ID"] = "run_3"
        self.init(id="mine", resume="must")
        self.assertEqual(parent(), "run_2")

    def test_offline_stays_in_its_folder(self) -> None:
        del os.environ["HUB_RUN_DIR"]
        run = self.init(mode="offline", config={"lr": 1})
        wandb.log({"loss": 1, "i": wandb.Image([[1]])})
        wandb.finish()
        self.assertEqual(json.loads(Path(run.dir, "metrics.jsonl").read_text()), {"step": 0, "loss": 1})
        self.assertEqual(json.loads(Path(run.dir, "config.yaml").read_text()), {"lr": 1})

    def test_alone_the_run_is_of_the_hub_and_a_resumed_one_is_its_child(self) -> None:
        fake = FakeHub()
        self.addCleanup(fake.close)
        del os.environ["HUB_RUN_DIR"], os.environ["HUB_RUN_ID"], os.environ["HUB_RUN_URL"]
        os.environ.update(HUB_URL=fake.url, HUB_TOKEN="t", HUB_EXIT_SECONDS=PATIENCE)
        self.init(project="p", id="mine", tags=["a"], config={"lr": 1})
        wandb.log({"loss": 1}, step=3)
        wandb.config.update({"late": 2})
        assert wandb.run is not None
        wandb.run.tags += ("b",)
        wandb.run.notes = "good"
        wandb.log({"h": wandb.Histogram([1, 2], num_bins=1)}, step=4)
        wandb.finish()
        self.init(project="p", id="mine", resume="must")
        wandb.finish(exit_code=1)
        first, second = fake.runs.values()
        self.assertEqual((first["status"], first["metrics"]), ("succeeded", [{"step": 3, "loss": 1}]))
        self.assertEqual((second["status"], second["parent_run_id"]), ("failed", first["id"]))
        self.assertEqual(first["words"], {"tags": ["a", "b"], "notes": "good"})
        self.assertEqual([(one["key"], one["step"], one["value"]) for one in first["media"]], [("h", 4, {"edges": [1.0, 2.0], "counts": [2]})])
        sent = [json.loads(report["config_yaml"]) for report in fake.reports if "config_yaml" in report]
        self.assertEqual(sent[-1], {"lr": 1, "late": 2})

    def test_import_wandb_finds_it_with_its_version(self) -> None:
        code = """
import wandb, importlib.metadata as m
import wandb.errors, wandb.util
from wandb.sdk.lib import RunDisabled
from wandb.sdk.lib.config_util import ConfigError
from wandb.wandb_run import Run
assert wandb.errors.CommError is wandb.CommError and ConfigError is wandb.Error and Run is wandb.Run and len(wandb.util.generate_id()) == 8
wandb.init(mode="disabled").define_metric("*", step_metric="trainer/global_step", step_sync=True)
wandb.run._label(code="transformers_trainer")
from wandb.sdk.lib import telemetry
import wandb.sdk.data_types.video as video
with telemetry.context(run=wandb.run) as tel:
    tel.feature.sb3 = True
video.anything(1).more
for name in ("wandb._nothing", "hub.nothing", "nothing"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(name)
print(wandb.__name__, m.version('wandb') == wandb.__version__)
"""
        env = {**os.environ, "PYTHONPATH": str(SOURCE / "_as_wandb")}
        done = subprocess.run([sys.executable, "-c", code], env=env, cwd=self.folder, text=True, capture_output=True)
        self.assertEqual((done.stdout, done.returncode), ("hub.wandb True\n", 0), done.stderr)
        self.assertEqual(done.stderr.count("wandb.sdk.lib.telemetry is not supported by the hub"), 1)

    def test_the_callback_of_stable_baselines_keeps_settings_and_the_model(self) -> None:
        class BaseCallback:
            n_calls = 0

            def __init__(self, verbose: int) -> None:
                self.verbose = verbose

        callbacks = types.ModuleType("stable_baselines3.common.callbacks")
        setattr(callbacks, "BaseCallback", BaseCallback)
        with mock.patch.dict(sys.modules, {"stable_baselines3": types.ModuleType("s"), "stable_baselines3.common": types.ModuleType("c"), callbacks.__name__: callbacks}):
            made = importlib.import_module("hub.wandb.integration.sb3")
        self.init()
        callback = made.WandbCallback(model_save_path=str(self.folder / "models"), model_save_freq=2)
        callback.model = types.SimpleNamespace(gamma=0.9, policy=object(), save=lambda path: Path(path).write_text("model"))
        callback._init_callback()
        for calls in (1, 2):
            callback.n_calls = calls
            self.assertTrue(callback._on_step())
        callback._on_training_end()
        self.assertEqual(json.loads((self.reported / "config.yaml").read_text()), {"algo": "SimpleNamespace", "gamma": 0.9})
        self.assertEqual({line["caption"] for line in self.lines("media")}, {"model.zip"})
