"""A callback for the ``Trainer`` of the package ``transformers``, which is imported here and nowhere else.

    from hub.transformers import HubCallback

    trainer = Trainer(..., callbacks=[HubCallback("finetune", tags=["baseline"])])
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Optional

from ._callbacks import config_text, members_of
from ._run import Run, init

try:
    from transformers import TrainerCallback  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ModuleNotFoundError as error:
    if error.name != "transformers":
        raise
    raise ImportError("hub.transformers needs transformers, which is not installed here: pip install transformers") from None


class HubCallback(TrainerCallback):  # type: ignore[misc,unused-ignore]
    """Logs what a ``Trainer`` logs to a run of the hub, from the process of rank 0.

    ``project`` and all other arguments are those of ``hub.init``. The run starts with the training and ends with this process, so that an evaluation after it belongs to
    it; another training, or ``callback.run.finish()``, ends it earlier. Once the hub asks the run to stop, the training stops after its step. ``checkpoints=True``
    publishes each folder that the trainer saves.
    """

    def __init__(self, project: Optional[str] = None, *, checkpoints: bool = False, run: Optional[Run] = None, **how: Any) -> None:
        super().__init__()
        self._project = project
        self._checkpoints = checkpoints
        self._how = how
        self._has_trained = False
        #: None before the training has begun, and on other ranks.
        self.run: Optional[Run] = run

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        """Starts the run, with the arguments of the training and the model's configuration as its ``config.yaml``."""
        if not state.is_world_process_zero:
            return
        if self._has_trained and self.run is not None:
            self.run.finish()
            self.run = None
        self._has_trained = False
        if self.run is None:
            name = getattr(args, "run_name", None)
            how: Dict[str, Any] = {"raise_on_cancel": False, **self._how}
            if name and name != getattr(args, "output_dir", None):
                how.setdefault("name", name)
            self.run = init(self._project, **how)
        described: Any = getattr(model, "config", None)
        config = {
            **members_of(self._how.get("config")),
            # Tokens are left out there.
            **(args.to_dict() if hasattr(args, "to_dict") else members_of(args)),
            **({"model": described.to_dict()} if hasattr(described, "to_dict") else {}),
        }
        self.run.keep_config(config_text(config))

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """One line of metrics, under the trainer's own names."""
        if self.run is not None and logs:
            self.run.log(dict(logs), step=state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        """Ends the training of a run that was asked to stop."""
        if self.run is not None and self.run.canceled:
            control.should_training_stop = True
        return control

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Publishes the folder as the checkpoint of its step."""
        folder = Path(args.output_dir, f"checkpoint-{state.global_step}")
        if self.run is not None and self._checkpoints and folder.is_dir():
            self.run.checkpoint(folder, state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Ends the run if it was canceled; else it stays open for an evaluation."""
        self._has_trained = True
        if self.run is not None and self.run.canceled:
            self.run.finish("canceled")
            self.run = None


__all__ = ["HubCallback"]
