"""What a training may hand to wandb, and where it may run, without being stopped by it."""

from __future__ import annotations

import json
import os
from collections import UserDict
from pathlib import Path
from typing import Any, Dict
from unittest import mock

import hub.wandb as wandb
from hub.wandb import _places
from tests.fake_hub import PATIENCE, FakeHub
from tests.wandb_case import WandbCase


class Array:
    """As NumPy's of texts: it has many, and none is a number."""

    shape = (40,)

    def __iter__(self) -> Any:
        raise TypeError("no numbers")


class Endless:
    """Its item has an item, and so on."""

    def item(self) -> Endless:
        return Endless()


class Long:
    """As NumPy's long double."""

    def item(self) -> Long:
        return self

    def __float__(self) -> float:
        return 1.5


class OddValues(WandbCase):
    def test_a_value_that_cannot_be_kept_leaves_the_others_of_its_line(self) -> None:
        self.init()
        endless: Dict[str, Any] = {}
        endless["again"] = endless
        wandb.log({"loss": 1, "names": Array(), "circle": endless, ("a", 1): 2, "long": Long()})
        self.assertEqual(self.lines(), [{"step": 0, "loss": 1, "('a', 1)": 2, "long": 1.5}])
        self.assertEqual([one.partition(":")[0] for one in self.said if "left out" in one],
                         ["names of wandb.log is left out", "circle of wandb.log is left out"])

    def test_a_value_that_json_has_not_is_left_out_and_the_line_kept(self) -> None:
        self.init()
        wandb.log({"loss": 1, "deep": Endless()})
        wandb.log({"loss": 2, "huge": 10**5000, "flag": True})
        wandb.log({"loss": 3, "nested": {"rows": [{(1, 2): float("nan")}]}}, step=float("nan"))  # type: ignore[arg-type]
        self.assertEqual(self.lines(), [
            {"step": 0, "loss": 1},
            {"step": 1, "loss": 2, "huge": hex(10**5000), "flag": True},
            {"step": 2, "loss": 3, "nested/rows": [{"(1, 2)": None}]},
        ])
        self.assertEqual(len([one for one in self.said if "deep of wandb.log is left out" in one]), 1)
        self.assertEqual(len([one for one in self.said if "not a whole number" in one]), 1)

    def test_a_config_that_cannot_be_kept_is_said(self) -> None:
        self.init(config={"wide": "x" * 2_000_000})
        wandb.config.deep = Endless()
        wandb.log({"loss": 1})
        self.assertEqual(self.lines(), [{"step": 0, "loss": 1}])
        self.assertEqual(len([one for one in self.said if "wandb.config is not kept" in one]), 1)


    def test_a_config_is_of_many_kinds(self) -> None:
        class Settings:
            def __init__(self) -> None:
                self.lr = 0.1

        for given, kept in ((Settings(), {"lr": 0.1}), ({"model": UserDict(width=2)}, {"model": {"width": 2}}), ("config.yaml", {}), (7, {})):
            self.init(config=given)
            self.assertEqual(wandb.config.as_dict() if kept.get("model") is None else json.loads((self.reported / "config.yaml").read_text()), kept)
            wandb.finish()
        self.assertEqual(len([one for one in self.said if "is left out: give a mapping" in one]), 1)

    def test_what_stands_in_for_a_part_that_is_not_there_is_an_empty_mapping_too(self) -> None:
        self.init()
        runs = wandb.Api().runs("ada/walk")
        runs["a"] = 1
        self.assertEqual((len(runs), "a" in runs, list(runs), bool(runs["a"]["b"].c)), (0, False, [], False))


class OddPlaces(WandbCase):
    def test_a_run_that_is_not_begun_has_no_address_and_nothing_remembers_one(self) -> None:
        del os.environ["HUB_RUN_URL"]
        os.environ.update(HUB_RUN_ID="not-begun-yet", HUB_URL="http://hub")
        run = self.init(id="mine")
        wandb.log({"loss": 1})
        self.assertEqual((run.url, _places.recalled("mine"), self.lines()), (None, {}, [{"step": 0, "loss": 1}]))
        self.assertIn("wandb goes to the hub: the run starts when the hub answers", self.said)

    def test_a_process_on_another_machine_than_the_run_folder_goes_on_there_alone(self) -> None:
        away = str(self.folder / "not-here")
        os.environ["HUB_RUN_DIR"] = away
        run = self.init(id="mine", config={"lr": 1})
        wandb.log({"loss": 1})
        wandb.finish()
        self.assertEqual((run.url, os.path.exists(away), self.said[:1]), (None, False, [
            f"{away}, the folder of the tracked run, is not on this machine: wandb stays here (mode offline)."]))
        kept = [file for file in (self.folder / "wandb").rglob("*.jsonl") if "loss" in file.read_text()]
        self.assertEqual(len(kept), 1)

    def test_folders_that_are_not_to_be_written_are_replaced_or_said(self) -> None:
        closed = self.folder / "closed"
        closed.write_text("a file is in the place of the folder")
        os.environ["HUB_STATE_DIR"] = str(closed / "kept")
        run = wandb.init(dir=closed, id="mine")
        wandb.log({"loss": 1})
        self.assertEqual(self.lines(), [{"step": 0, "loss": 1}])
        self.assertTrue(Path(run.dir).is_dir())
        self.assertEqual([one.partition("(")[0].partition(":")[0] for one in self.said][:2],
                         ["wandb's folder cannot be made ", "wandb run mine will not be known on this machine"])

    def test_words_and_summary_that_do_not_fit_on_the_disk_are_said(self) -> None:
        run = self.init()
        full = mock.Mock(side_effect=OSError(28, "No space left on device"))
        with mock.patch("hub.wandb._words.write_whole", full), mock.patch.object(run._place, "keep_config", full):
            run.name = "other"
            wandb.summary["best"] = 1
            wandb.config.lr = 1
        self.assertEqual(len([one for one in self.said if "not kept: [Errno 28]" in one]), 3)

    def test_an_id_that_is_no_name_of_a_file_is_refused_as_by_wandb(self) -> None:
        for id in ("a/b", "../up", "x" * 129, "nul\0"):
            with self.assertRaises(wandb.UsageError):
                self.init(id=id)
        self.assertFalse((self.folder / "wandb").exists())

    def test_a_parent_that_this_hub_does_not_have_is_left_out(self) -> None:
        fake = FakeHub()
        self.addCleanup(fake.close)
        del os.environ["HUB_RUN_DIR"], os.environ["HUB_RUN_ID"], os.environ["HUB_RUN_URL"]
        os.environ.update(HUB_URL=fake.url, HUB_TOKEN="t", HUB_EXIT_SECONDS=PATIENCE)
        _places.remember("mine", run="run_elsewhere")
        fake.faults.append(("/start", 404, {"type": "/problems/not_found", "status": 404, "detail": "There is no run run_elsewhere."}))
        self.init(id="mine", resume="allow")
        wandb.finish()
        (run,) = fake.runs.values()
        self.assertEqual((run["status"], run.get("parent_run_id")), ("succeeded", None))
        self.assertEqual(json.loads(_places._record("mine").read_text())["run"], run["id"])
