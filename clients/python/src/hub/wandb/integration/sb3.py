"""The callback for Stable-Baselines3, whose numbers come by its TensorBoard files: ``sync_tensorboard`` is what ``hub track`` does anyway."""

from __future__ import annotations

import os
from typing import Any, Optional

from stable_baselines3.common.callbacks import BaseCallback  # type: ignore[import-not-found,unused-ignore]

# By this name, so that it is the module that runs have.
import hub.wandb as wandb


class WandbCallback(BaseCallback):  # type: ignore[misc,unused-ignore]
    """Keeps the settings of the model, and the model itself every so many steps and at the end. Gradients are not followed."""

    def __init__(self, verbose: int = 0, model_save_path: Optional[str] = None, model_save_freq: int = 0, gradient_save_freq: int = 0, **_: Any) -> None:
        super().__init__(verbose)
        if wandb.run is None:
            raise wandb.Error("You must call wandb.init() before WandbCallback().")
        self._every = model_save_freq
        self._path = os.path.join(model_save_path, "model.zip") if model_save_path is not None else None
        if self._path is not None:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)

    def _init_callback(self) -> None:
        kept = {name: value for name, value in vars(self.model).items() if type(value) in (int, float, str, bool)}
        assert wandb.run is not None
        wandb.run.config.setdefaults({"algo": type(self.model).__name__, **kept})

    def _on_step(self) -> bool:
        if self._path is not None and self._every > 0 and self.n_calls % self._every == 0:
            self._save()
        return True

    def _on_training_end(self) -> None:
        if self._path is not None:
            self._save()

    def _save(self) -> None:
        assert self._path is not None
        self.model.save(self._path)
        wandb.save(self._path, base_path=os.path.dirname(self._path), policy="now")
