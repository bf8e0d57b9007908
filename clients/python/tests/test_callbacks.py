"""Loggers of training frameworks, on stand-ins that have the interface of Lightning's ``Logger`` and of transformers' ``TrainerCallback``."""

from __future__ import annotations

import copy
import importlib
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from abc import ABC, abstractmethod
from argparse import Namespace
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

import hub
from tests.fake_hub import PATIENCE, FakeHub
from tests.test_run import SOURCE

#: The first names of their modules; None in their place is one that is not installed.
FRAMEWORKS = ("lightning", "pytorch_lightning", "transformers")


def modules_of(base: str) -> Dict[str, types.ModuleType]:
    """A package as Lightning lays it out."""

    class Logger(ABC):
        @property
        @abstractmethod
        def name(self) -> Any: ...

        @property
        @abstractmethod
        def version(self) -> Any: ...

        @abstractmethod
        def log_metrics(self, metrics: Any, step: Any = None) -> None: ...

        @abstractmethod
        def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None: ...

        def save(self) -> None: ...

    found = {name: types.ModuleType(name) for name in (base, f"{base}.loggers", f"{base}.loggers.logger", f"{base}.utilities", f"{base}.utilities.rank_zero")}
    if "." in base:
        found[base.partition(".")[0]] = types.ModuleType(base.partition(".")[0])
    found[f"{base}.loggers.logger"].Logger = Logger  # type: ignore[attr-defined]
    found[f"{base}.utilities.rank_zero"].rank_zero_only = Namespace(rank=0)  # type: ignore[attr-defined]
    return found


class WithHub(unittest.TestCase):
    def setUp(self) -> None:
        self.hub = FakeHub()
        self.addCleanup(self.hub.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HUB_")}
        env = mock.patch.dict(os.environ, {**kept, "HUB_STATE_DIR": str(self.base / "state"), "HUB_TOKEN": "t", "HUB_URL": self.hub.url, "HUB_EXIT_SECONDS": PATIENCE}, clear=True)
        env.start()
        self.addCleanup(env.stop)
        self.how: Dict[str, Any] = {"interval_s": 0.02, "capture_output": False}

    def imported(self, name: str, modules: Dict[str, Any]) -> Any:
        """The module imported again, where these are all frameworks that are installed."""
        patch = mock.patch.dict(sys.modules)
        patch.start()
        self.addCleanup(patch.stop)
        for other in list(sys.modules):
            if other == name or other.partition(".")[0] in FRAMEWORKS:
                del sys.modules[other]
        sys.modules.update({**dict.fromkeys(FRAMEWORKS), **modules})  # type: ignore[arg-type]
        return importlib.import_module(name)

    def runs(self) -> List[Dict[str, Any]]:
        return list(self.hub.runs.values())

    def configs(self) -> List[Any]:
        return [json.loads(report["config_yaml"]) for report in self.hub.reports if "config_yaml" in report]


class Lightning(WithHub):
    def logger(self, *args: Any, base: str = "lightning.pytorch", **more: Any) -> Any:
        modules = modules_of(base)
        self.module = self.imported("hub.lightning", modules)
        self.rank = modules[f"{base}.utilities.rank_zero"].rank_zero_only  # type: ignore[attr-defined]
        self.Logger = modules[f"{base}.loggers.logger"].Logger  # type: ignore[attr-defined]
        return self.module.HubLogger(*args, **self.how, **more)

    def test_it_is_a_logger_of_the_package_that_is_there(self) -> None:
        for base in ("lightning.pytorch", "pytorch_lightning"):
            self.assertIsInstance(self.logger("x", base=base), self.Logger)

    def test_it_takes_the_package_that_the_program_uses(self) -> None:
        both = {**modules_of("pytorch_lightning"), **modules_of("lightning.pytorch")}
        module = self.imported("hub.lightning", both)
        self.assertTrue(issubclass(module.HubLogger, both["lightning.pytorch.loggers.logger"].Logger))
        # Installed, and not imported: the program uses the other.
        del both["lightning.pytorch"], both["lightning"]
        module = self.imported("hub.lightning", both)
        self.assertTrue(issubclass(module.HubLogger, both["pytorch_lightning.loggers.logger"].Logger))

    def test_without_lightning_it_says_what_to_install(self) -> None:
        with self.assertRaisesRegex(ImportError, "pip install lightning"):
            self.imported("hub.lightning", {})

    def test_fit_and_test_are_one_run_with_metrics_and_hyperparameters(self) -> None:
        logger = self.logger("arms", prefix="p/", tags=["a"], config={"seed": 1})
        self.assertEqual((logger.name, logger.version, logger.save_dir, self.runs()), ("arms", None, None, []))
        run = logger.experiment
        self.assertEqual((logger.version, logger.experiment), (run.id, run))
        logger.log_hyperparams(Namespace(lr=0.5, nan=float("nan"), path=Path("p"), inner={1: [2]}))
        logger.log_hyperparams({"steps": 3}, {"hp_metric": -1})
        logger.log_metrics({"loss": 1.5, "epoch": 0}, step=7)
        logger.save()
        logger.finalize("success")
        logger.log_metrics({"test_acc": 1.0}, step=8)
        self.assertTrue(run.finish())
        (stored,) = self.runs()
        self.assertEqual(stored["metrics"], [{"step": 7, "p/loss": 1.5, "p/epoch": 0}, {"step": 8, "p/test_acc": 1.0}])
        self.assertEqual(self.configs()[-1], {"seed": 1, "lr": 0.5, "nan": None, "path": "p", "inner": {"1": [2]}, "steps": 3})

    def test_a_failure_ends_the_run_with_its_traceback_and_the_next_fit_is_another_run(self) -> None:
        logger = self.logger("fails")
        logger.log_metrics({"loss": 1}, step=0)
        try:
            raise ZeroDivisionError("no")
        except ZeroDivisionError:
            logger.finalize("failed")
        logger.log_metrics({"loss": 2}, step=0)
        logger.experiment.finish()
        first, second = self.runs()
        self.assertEqual((first["status"], second["status"]), ("failed", "succeeded"))
        self.assertIn("ZeroDivisionError: no", first["error"])

    def test_other_ranks_log_nothing_and_a_copy_has_no_run(self) -> None:
        logger = self.logger("ranks")
        self.rank.rank = 1
        logger.log_metrics({"loss": 1}, step=0)
        logger.log_hyperparams({"lr": 1})
        logger.experiment.log({"loss": 1})
        logger.finalize("failed")
        self.assertEqual(self.runs(), [])
        self.rank.rank = 0
        logger.log_metrics({"loss": 1}, step=0)
        self.assertIsNone(copy.copy(logger).version)
        logger.experiment.finish()
        self.assertEqual(len(self.runs()), 1)

    def test_checkpoints_are_published_once_for_each_save(self) -> None:
        logger = self.logger("saves", checkpoints=True)
        taken: List[Any] = []
        logger._run = mock.Mock(checkpoint=lambda path, step: taken.append((path.name, step)))
        best, last = self.base / "epoch=1-step=40.ckpt", self.base / "last.ckpt"
        for file in (best, last):
            file.write_text("x")
        saver = Namespace(best_model_path=str(best), last_model_path=str(last), best_k_models={str(best): 0.1, "gone.ckpt": 0.2})
        logger._last_step = 50
        logger.after_save_checkpoint(saver)
        logger.after_save_checkpoint(saver)
        self.assertEqual(taken, [(best.name, 40), ("last.ckpt", 50)])
        os.utime(last, (1, 1))
        logger.after_save_checkpoint(saver)
        self.assertEqual(taken[2:], [("last.ckpt", 50)])


class Transformers(WithHub):
    def setUp(self) -> None:
        super().setUp()
        stand_in = types.ModuleType("transformers")
        stand_in.TrainerCallback = type("TrainerCallback", (), {})  # type: ignore[attr-defined]
        self.module = self.imported("hub.transformers", {"transformers": stand_in})
        self.args = Namespace(output_dir=str(self.base), run_name="first", learning_rate=0.1, hub_token="secret")
        self.args.to_dict = lambda: {"learning_rate": 0.1, "hub_token": "<HUB_TOKEN>"}
        self.state = Namespace(global_step=0, is_world_process_zero=True)
        self.control = Namespace(should_training_stop=False)

    def call(self, callback: Any, event: str, **more: Any) -> Any:
        return getattr(callback, event)(self.args, self.state, self.control, **more)

    def test_a_training_is_a_run_and_another_one_is_another(self) -> None:
        callback = self.module.HubCallback("finetune", **self.how)
        model = Namespace(config=Namespace(to_dict=lambda: {"layers": 2}))
        self.call(callback, "on_train_begin", model=model)
        for step in (1, 2):
            self.state.global_step = step
            self.call(callback, "on_log", logs={"loss": 0.5, "epoch": 0.1 * step})
            self.call(callback, "on_step_end")
        self.call(callback, "on_train_end")
        self.call(callback, "on_log", logs={"eval_loss": 0.25})
        self.call(callback, "on_train_begin")
        self.assertTrue(callback.run.finish())
        first, second = self.runs()
        self.assertEqual([(line["step"], line.get("loss"), line.get("eval_loss")) for line in first["metrics"]], [(1, 0.5, None), (2, 0.5, None), (2, None, 0.25)])
        self.assertEqual((first["status"], second["status"], second["metrics"]), ("succeeded", "succeeded", []))
        self.assertEqual(first["recipe"]["hyperparams"], {"run_name": "first"})
        self.assertEqual(self.configs()[0], {"learning_rate": 0.1, "hub_token": "<HUB_TOKEN>", "model": {"layers": 2}})
        self.assertFalse(self.control.should_training_stop)

    def test_a_canceled_run_stops_the_training_after_its_step(self) -> None:
        callback = self.module.HubCallback("canceled", **self.how)
        self.call(callback, "on_train_begin")
        callback.run._way.sender.cancel_requested.set()
        self.hub.runs[callback.run.id]["cancel_requested_at"] = "2026-01-01T00:00:00Z"
        self.call(callback, "on_log", logs={"loss": 1.0})
        self.assertTrue(self.call(callback, "on_step_end").should_training_stop)
        self.call(callback, "on_train_end")
        self.assertEqual(self.runs()[0]["status"], "canceled")

    def test_folders_that_are_saved_are_published_where_that_is_asked_for(self) -> None:
        (self.base / "checkpoint-5").mkdir()
        self.state.global_step = 5
        for wanted, calls in ((True, [mock.call(self.base / "checkpoint-5", 5)]), (False, [])):
            run = mock.Mock()
            self.call(self.module.HubCallback(run=run, checkpoints=wanted), "on_save")
            self.assertEqual(run.checkpoint.mock_calls, calls)

    def test_other_processes_log_nothing(self) -> None:
        self.state.is_world_process_zero = False
        callback = self.module.HubCallback("x", **self.how)
        for event in ("on_train_begin", "on_log", "on_step_end", "on_save", "on_train_end"):
            self.call(callback, event)
        self.assertEqual(self.runs(), [])


class Imports(unittest.TestCase):
    def test_the_package_itself_imports_no_framework(self) -> None:
        program = "import hub, sys; print(sorted({'lightning', 'transformers', 'pytorch_lightning', 'torch', 'pandas', 'hub.wandb'} & set(sys.modules)), hub.wandb.__name__)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": SOURCE})
        self.assertEqual(done.stdout, "[] hub.wandb\n")
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            hub.nothing


if __name__ == "__main__":
    unittest.main()
