"""The hub's wandb: alone with a hub, under hub track, offline and disabled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

import hub
import hub.wandb as wandb
from hub.wandb import _said
from hub.wandb._media import Histogram, png_of
from tests.fake_hub import FakeHub

SOURCE = Path(hub.__file__).resolve().parent


class Wandb(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.reported = self.folder / "run"
        self.reported.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HUB_", "WANDB_", "SLURM", "RANK", "LOCAL_RANK"))}
        tracked = {"HUB_RUN_DIR": str(self.reported), "HUB_RUN_ID": "run_1", "HUB_RUN_URL": "http://hub/runs/run_1", "HUB_STATE_DIR": str(self.folder / "kept")}
        env = mock.patch.dict(os.environ, {**kept, **tracked}, clear=True)
        env.start()
        self.addCleanup(env.stop)
        self.said: List[str] = []
        warn = mock.patch.object(_said, "warn", self.said.append)
        warn.start()
        self.addCleanup(warn.stop)
        _said._said.clear()
        self.addCleanup(wandb.finish)

    def init(self, **more: Any) -> wandb.Run:
        return wandb.init(dir=self.folder, **{"settings": wandb.Settings(console="off"), **more})

    def lines(self) -> "List[Dict[str, Any]]":
        return [json.loads(line) for line in (self.reported / "metrics.jsonl").read_text().splitlines()]

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
            {"step": 1, "x": 1, "y": None, "logged_step": 5}, {"step": 7, "z": 1}, {"step": 7, "w": "text"}, {"step": 7, "last": True}, {"step": 7, "summary/best": 9},
        ])
        self.assertEqual(len([one for one in self.said if "steps only go up" in one]), 1)

    def test_a_run_tells_where_it_is_and_leaves_the_files_by_which_its_id_is_found(self) -> None:
        run = self.init(id="abc12345", project="p", name="n", resume="must")
        self.assertEqual((run.id, run.name, run.project, run.get_url(), wandb.run), ("abc12345", "n", "p", "http://hub/runs/run_1", run))
        found = list(self.folder.glob("wandb/latest-run/run-*"))
        self.assertEqual([file.name for file in found], ["run-abc12345.wandb"])
        self.assertIn("wandb goes to the hub: http://hub/runs/run_1", self.said)

    def test_config_is_read_by_attribute_and_changes_only_when_allowed(self) -> None:
        self.init(config={"lr": 0.1})
        wandb.config.update({"steps": 5})
        wandb.config.seed = 3
        with self.assertRaises(wandb.Error):
            wandb.config.lr = 0.2
        wandb.config.update({"lr": 0.2}, allow_val_change=True)
        self.assertEqual((wandb.config.lr, wandb.config["seed"], list(wandb.config.items())), (0.2, 3, [("lr", 0.2), ("steps", 5), ("seed", 3)]))
        self.assertEqual(json.loads((self.reported / "config.yaml").read_text()), {"lr": 0.2, "steps": 5, "seed": 3})

    def test_media_that_hub_track_does_not_send_stay_and_are_said_once(self) -> None:
        run = self.init()
        for _ in range(2):
            wandb.log({"a picture": wandb.Image([[0, 255]]), "loss": 1, "h": [wandb.Histogram([1, 2, 2])] * 2})
        self.assertEqual([line["loss"] for line in self.lines()], [1, 1])
        kept = sorted(file.name for file in Path(run.dir, "media").iterdir())
        self.assertEqual(kept, ["a_picture_0_0.png", "a_picture_1_0.png", "h_0_0.json", "h_0_1.json", "h_1_0.json", "h_1_1.json"])
        self.assertEqual(len([one for one in self.said if one.startswith("wandb.Image: hub track does not send it yet")]), 1)

    def test_a_model_is_a_checkpoint_of_the_tracked_run(self) -> None:
        self.init()
        artifact = wandb.Artifact("act-seed_1-005000", type="model")
        with artifact.new_file("weights.bin", "wb") as file:
            file.write(b"w")
        wandb.log_artifact(artifact)
        self.assertEqual((self.reported / "checkpoints/step_5000/weights.bin").read_bytes(), b"w")
        with self.assertRaises(ValueError):
            artifact.add_file(__file__, "../out")

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
        os.environ.update(HUB_URL=fake.url, HUB_TOKEN="t")
        self.init(project="p", id="mine", tags=["a"], config={"lr": 1})
        wandb.log({"loss": 1}, step=3)
        wandb.config.update({"late": 2})
        wandb.finish()
        self.init(project="p", id="mine", resume="must")
        wandb.finish(exit_code=1)
        first, second = fake.runs.values()
        self.assertEqual((first["status"], first["metrics"]), ("succeeded", [{"step": 3, "loss": 1}]))
        self.assertEqual((second["status"], second["parent_run_id"]), ("failed", first["id"]))
        sent = [json.loads(report["config_yaml"]) for report in fake.reports if "config_yaml" in report]
        self.assertEqual(sent[-1], {"lr": 1, "late": 2})

    def test_import_wandb_finds_it_with_its_version(self) -> None:
        code = "import wandb, importlib.metadata as m; print(wandb.__name__, m.version('wandb') == wandb.__version__)"
        env = {**os.environ, "PYTHONPATH": str(SOURCE / "_as_wandb")}
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], env=env, cwd=self.folder, text=True), "hub.wandb True\n")

    def test_arrays_become_pictures_and_counts(self) -> None:
        data = png_of([[[1, 2, 3], [4, 5, 6]]])
        assert data is not None
        at = data.index(b"IDAT")
        self.assertEqual(zlib.decompress(data[at + 4 : at + 4 + int.from_bytes(data[at - 4 : at], "big")]), b"\0\1\2\3\4\5\6")
        self.assertIsNone(png_of([[[1, 2, 3, 4, 5]]]))
        counted = Histogram([0, 1, 1, 4], num_bins=4)
        self.assertEqual((counted.histogram, counted.bins), ([1, 2, 0, 1], [0.0, 1.0, 2.0, 3.0, 4.0]))
