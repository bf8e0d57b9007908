"""Artifacts, saved files and the summary of the hub's wandb."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, List, Tuple
from unittest import mock

import hub.wandb as wandb
from hub.wandb import _artifact_store
from tests.fake_hub import PATIENCE, FakeHub
from tests.wandb_case import WandbCase


def artifact(name: str, text: str, kind: str = "dataset", **more: Any) -> wandb.Artifact:
    made = wandb.Artifact(name, type=kind, **more)
    with made.new_file("data/one.txt", "w") as file:
        file.write(text)
    return made


class Artifacts(WandbCase):
    def test_each_content_is_a_version_with_a_whole_folder_and_a_line(self) -> None:
        self.init(id="w")
        first = wandb.log_artifact(artifact("grasps", "1", description="all", metadata={"n": 2**60}))
        self.assertEqual((first.wait().version, first.name, first.aliases), ("v0", "grasps:v0", ["latest"]))
        wandb.finish()
        self.init(id="w", resume="must")
        again = wandb.log_artifact(artifact("grasps", "1"), aliases=["best"])
        other = wandb.log_artifact(artifact("grasps", "2"))
        self.assertEqual((again.version, again.digest, other.version), ("v0", first.digest, "v1"))
        lines = self.lines("artifacts")
        self.assertEqual([(line["version"], line["aliases"], line["path"]) for line in lines], [
            ("v0", ["latest"], "artifacts/grasps/v0"), ("v0", ["best", "latest"], "artifacts/grasps/v0"), ("v1", ["latest"], "artifacts/grasps/v1")])
        self.assertEqual((lines[0]["type"], lines[0]["description"], lines[0]["metadata"]), ("dataset", "all", {"n": 2**60}))
        self.assertEqual([(self.reported / line["path"] / "data/one.txt").read_text() for line in lines], ["1", "1", "2"])
        self.assertEqual(sorted(os.listdir(self.reported / "artifacts")), ["grasps"])

    def test_it_is_found_again_by_version_and_alias_also_by_another_process(self) -> None:
        self.init(id="w")
        for text, alias in (("1", "first"), ("2", "best"), ("3", "last")):
            wandb.log_artifact(artifact("grasps", text), aliases=[alias])
        wandb.finish()
        run = self.init(id="w", resume="must")
        for mark, text in ((":v0", "1"), (":best", "2"), (":latest", "3"), ("", "3")):
            found = run.use_artifact(f"grasps{mark}")
            folder = found.download(self.folder / f"copy{mark[1:]}")
            self.assertEqual(Path(folder, "data/one.txt").read_text(), text)
        wandb.log_artifact(artifact("policy", "p"))
        self.assertEqual(self.lines("artifacts")[-1]["used"], ["grasps:v0", "grasps:v1", "grasps:v2", "grasps:v2"])

    def test_a_model_is_a_checkpoint_as_well(self) -> None:
        self.init()
        wandb.log_artifact(artifact("act-seed_1-005000", "w", "model"))
        self.assertEqual((self.reported / "checkpoints/step_5000/data/one.txt").read_bytes(), b"w")
        self.assertEqual([line["path"] for line in self.lines("artifacts")], ["artifacts/act-seed_1-005000/v0"])

    def test_it_is_made_of_files_folders_and_tables_and_of_no_path_that_leads_out(self) -> None:
        source = self.folder / "source"
        (source / "deep").mkdir(parents=True)
        (source / "deep/a.txt").write_text("a")
        made = wandb.Artifact("all", "any")
        made.add_dir(source, name="in")
        made.add_file(source / "deep/a.txt")
        made.add(wandb.Table(columns=["n"], data=[[2**60]]), "rows")
        made.add_reference("s3://bucket/file")
        self.assertEqual(sorted(made.files_here), ["a.txt", "in/deep/a.txt", "rows.json"])
        self.assertEqual(json.loads(made.files_here["rows.json"].read_text()), {"columns": ["n"], "rows": [[2**60]]})
        for path in ("../out", "/out", "a//b"):
            with self.assertRaises(ValueError):
                made.add_file(__file__, path)
        self.assertFalse(made.logged_by())
        self.assertEqual([one.split(" is ")[0] for one in self.said], ["wandb.Artifact.add_reference", "wandb.Artifact.logged_by"])

    def test_one_that_cannot_be_kept_is_said_and_the_training_goes_on(self) -> None:
        self.init()
        made = wandb.Artifact("gone", "any")
        file = self.folder / "gone.txt"
        file.write_text("x")
        made.add_file(file)
        file.unlink()
        self.assertIsNone(wandb.log_artifact(made).version)
        self.assertIn("wandb.Artifact gone is left out: FileNotFoundError", self.said[-1])
        with self.assertRaises(wandb.CommError):
            wandb.use_artifact("gone:latest")

    def test_alone_it_goes_to_the_runs_output_repo_with_its_facts(self) -> None:
        fake = FakeHub()
        self.addCleanup(fake.close)
        del os.environ["HUB_RUN_DIR"], os.environ["HUB_RUN_ID"], os.environ["HUB_RUN_URL"]
        os.environ.update(HUB_URL=fake.url, HUB_TOKEN="t", HUB_EXIT_SECONDS=PATIENCE)
        run = self.init(id="w")
        sent: List[Tuple[str, str]] = []
        with mock.patch.object(run._place, "log_file", lambda source, name: sent.append((name, (source / "data/one.txt" if source.is_dir() else source).read_text()))):
            wandb.log_artifact(artifact("grasps", "1", metadata={"n": 1}))
        wandb.finish()
        self.assertEqual([name for name, _ in sent], ["artifacts/grasps/v0", "artifacts/grasps/v0.json"])
        self.assertEqual(sent[0][1], "1")
        facts = json.loads(sent[1][1])
        self.assertEqual((facts["version"], facts["aliases"], facts["metadata"]), ("v0", ["latest"], {"n": 1}))

    def test_names_of_other_runs_name_their_output_repo(self) -> None:
        self.assertEqual([_artifact_store.parsed(one) for one in ("a", "a:v1", "ada/walk/a:best", "project/a:v0")], [
            (None, "a", "latest"), (None, "a", "v1"), ("ada/walk", "a", "best"), (None, "a", "v0")])
        versions = [{"version": f"v{at}", "aliases": ["same"] if at != 2 else []} for at in (10, 9, 2)]
        self.assertEqual([(_artifact_store.chosen(versions, mark) or {}).get("version") for mark in ("latest", "same", "v2", "none")], ["v10", "v10", "v2", None])


class Saved(WandbCase):
    def test_saved_files_are_media_and_again_where_they_have_changed(self) -> None:
        self.init()
        folder = self.folder / "out"
        (folder / "deep").mkdir(parents=True)
        for name in ("a.txt", "deep/b.txt"):
            (folder / name).write_text(name)
        saved = wandb.save(str(folder / "**"), base_path=self.folder)
        self.assertEqual(len(saved), 2)
        wandb.save(str(self.folder / "late.txt"), policy="end")
        (folder / "a.txt").write_text("changed")
        (self.folder / "late.txt").write_text("late")
        wandb.log({"loss": 1}, step=9)
        wandb.finish()
        lines = self.lines("media")
        self.assertEqual([(line["key"], line["step"], line["index"], line["kind"], line["caption"]) for line in lines], [
            ("files", 0, 0, "file", "out/a.txt"), ("files", 0, 1, "file", "out/deep/b.txt"), ("files", 9, 0, "file", "out/a.txt"), ("files", 9, 2, "file", "late.txt")])
        self.assertEqual([(self.reported / line["path"]).read_text() for line in lines], ["a.txt", "deep/b.txt", "changed", "late"])

    def test_the_summary_is_a_file_of_what_the_script_has_set(self) -> None:
        run = self.init()
        wandb.log({"loss": 1, "best": 2})
        run.summary.update({"best": 2**60, "eval": {"reward": float("nan")}})
        wandb.summary["note"] = "good"
        wandb.log({"best": 0})
        self.assertEqual((run.summary["best"], run.summary["loss"]), (2**60, 1))
        self.assertEqual(json.loads((self.reported / "summary.json").read_text()), {"best": 2**60, "eval/reward": None, "note": "good"})
        wandb.finish()
        self.init().summary["later"] = 1
        self.assertEqual(sorted(json.loads((self.reported / "summary.json").read_text())), ["best", "eval/reward", "later", "note"])
