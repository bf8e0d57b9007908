"""A wandb of the hub in a folder that hub track reads."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

import hub.wandb as wandb
from hub import _once, _warn
from hub.wandb import _said


class WandbCase(unittest.TestCase):
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
        for module in (_said, _warn):
            warn = mock.patch.object(module, "warn", self.said.append)
            warn.start()
            self.addCleanup(warn.stop)
        _once._said.clear()
        self.addCleanup(wandb.finish)

    def init(self, **more: Any) -> wandb.Run:
        return wandb.init(dir=self.folder, **{"settings": wandb.Settings(console="off"), **more})

    def lines(self, name: str = "metrics") -> "List[Dict[str, Any]]":
        return [json.loads(line) for line in (self.reported / f"{name}.jsonl").read_text().splitlines()]
