"""Real trainings with Lightning and transformers, where they are installed: the run has what their own loggers have, value by value."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

import hub
from tests.test_callbacks import WithHub


def has(name: str) -> bool:
    return all(importlib.util.find_spec(each) is not None for each in (name, "torch"))


class Frameworks(WithHub):
    def setUp(self) -> None:
        super().setUp()
        self.taken: List[Any] = []
        patch = mock.patch.object(hub.Run, "checkpoint", lambda _, path, step: self.taken.append((Path(path).name, step)))
        patch.start()
        self.addCleanup(patch.stop)

    def lightning(self, package: str) -> None:
        pl: Any = importlib.import_module(package)
        torch: Any = importlib.import_module("torch")
        data: Any = importlib.import_module("torch.utils.data")
        sys.modules.pop("hub.lightning", None)
        module = importlib.import_module("hub.lightning")

        class Model(pl.LightningModule):  # type: ignore[misc]
            def __init__(self, lr: float = 0.1) -> None:
                super().__init__()
                self.save_hyperparameters()
                self.layer = torch.nn.Linear(4, 1)

            def training_step(self, batch: Any, _: int) -> Any:
                loss = self.layer(batch[0]).pow(2).mean()
                self.log_dict({"train/loss": loss, "lr": self.hparams["lr"]})
                return loss

            def test_step(self, batch: Any, _: int) -> None:
                self.log("test_loss", self.layer(batch[0]).abs().mean())

            def configure_optimizers(self) -> Any:
                return torch.optim.SGD(self.parameters(), lr=self.hparams["lr"])

        loader = data.DataLoader(data.TensorDataset(torch.randn(40, 4)), batch_size=4)
        ours = module.HubLogger("real", checkpoints=True, **self.how)
        theirs = pl.loggers.CSVLogger(str(self.base), flush_logs_every_n_steps=1)
        saver = pl.callbacks.ModelCheckpoint(every_n_train_steps=5, save_top_k=-1)
        quiet = {"enable_progress_bar": False, "enable_model_summary": False, "default_root_dir": str(self.base), "accelerator": "cpu"}
        trainer = pl.Trainer(max_epochs=1, logger=[ours, theirs], log_every_n_steps=1, callbacks=[saver], **quiet)
        model = Model()
        trainer.fit(model, loader)
        trainer.test(model, loader, verbose=False)
        self.assertIsInstance(ours, pl.loggers.Logger)
        self.assertTrue(ours.experiment.finish())
        (run,) = self.runs()
        with open(Path(theirs.log_dir, "metrics.csv"), newline="") as file:
            rows = [{key: float(value) for key, value in row.items() if value} for row in csv.DictReader(file)]
        self.assertEqual(self.values(run["metrics"]), self.values(rows))
        self.assertEqual((run["status"], self.configs()[-1]), ("succeeded", {"lr": 0.1}))
        self.assertEqual(self.taken, [("epoch=0-step=5.ckpt", 5), ("epoch=0-step=10.ckpt", 10)])

    def values(self, rows: List[Dict[str, Any]]) -> "list[tuple[float, str, float]]":
        return sorted((row["step"], key, float(value)) for row in rows for key, value in row.items() if key != "step")

    @unittest.skipUnless(has("lightning"), "lightning is not installed")
    def test_lightning(self) -> None:
        self.lightning("lightning.pytorch")

    @unittest.skipUnless(has("pytorch_lightning"), "pytorch_lightning is not installed")
    def test_pytorch_lightning(self) -> None:
        with mock.patch.dict(sys.modules):
            for name in [each for each in sys.modules if each.partition(".")[0] == "lightning"]:
                del sys.modules[name]
            self.lightning("pytorch_lightning")

    @unittest.skipUnless(has("transformers") and has("accelerate"), "transformers or accelerate is not installed")
    def test_transformers(self) -> None:
        torch: Any = importlib.import_module("torch")
        hf: Any = importlib.import_module("transformers")
        module = importlib.import_module("hub.transformers")
        shape = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
        model = hf.BertForSequenceClassification(hf.BertConfig(**shape))
        data = [{"input_ids": torch.randint(0, 20, (6,)), "labels": torch.tensor(each % 2)} for each in range(16)]
        often = {"max_steps": 6, "logging_steps": 1, "save_steps": 3, "per_device_train_batch_size": 4}
        args = hf.TrainingArguments(output_dir=str(self.base / "out"), report_to=[], disable_tqdm=True, use_cpu=True, **often)
        callback = module.HubCallback("real", checkpoints=True, **self.how)
        trainer = hf.Trainer(model=model, args=args, train_dataset=data, eval_dataset=data, callbacks=[callback])
        trainer.train()
        trainer.evaluate()
        self.assertTrue(callback.run.finish())
        (run,) = self.runs()
        self.assertEqual(run["metrics"], trainer.state.log_history)
        self.assertEqual(self.taken, [("checkpoint-3", 3), ("checkpoint-6", 6)])
        self.assertEqual(self.configs()[-1]["model"]["hidden_size"], 8)


if __name__ == "__main__":
    unittest.main()
