"""A logger for Lightning, of the package ``lightning`` or ``pytorch_lightning``, which is imported here and nowhere else.

    from hub.lightning import HubLogger

    trainer = Trainer(logger=HubLogger("pendulum", tags=["baseline"]))
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

from ._callbacks import config_text, fail, members_of
from ._run import Run, init


def _framework() -> "tuple[Any, Any]":
    """The base class of loggers, and the mark of rank 0; of the package that the program uses, if both are installed."""
    names = ["lightning.pytorch", "pytorch_lightning"]
    if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
        names.reverse()
    for name in names:
        try:
            base = __import__(f"{name}.loggers.logger", fromlist=["Logger"]).Logger
            return base, __import__(f"{name}.utilities.rank_zero", fromlist=["rank_zero_only"]).rank_zero_only
        except ModuleNotFoundError as error:
            # A module that it needs itself and that is missing is another fault.
            if not f"{name}.loggers.logger".startswith(error.name or " "):
                raise
    raise ImportError("hub.lightning needs Lightning 2, which is not installed here: pip install lightning")


_Logger, _rank_zero = _framework()


class HubLogger(_Logger):  # type: ignore[misc,valid-type,unused-ignore]
    """Logs what a ``Trainer`` logs to a run of the hub.

    ``project`` and all other arguments are those of ``hub.init``. The run starts when the trainer does, in the process of rank 0, and ends with this process, so that
    ``fit`` and then ``test`` are one run; ``logger.experiment.finish()`` ends it earlier. A training that fails ends it as failed. ``checkpoints=True`` publishes what
    ``ModelCheckpoint`` saves.
    """

    def __init__(
        self, project: Optional[str] = None, *, save_dir: Optional[str] = None, prefix: str = "", checkpoints: bool = False, run: Optional[Run] = None, **how: Any
    ) -> None:
        super().__init__()
        self._project = project
        self._save_dir = save_dir
        self._prefix = prefix
        self._checkpoints = checkpoints
        self._how = how
        self._run = run
        self._config: Dict[str, Any] = members_of(how.get("config"))
        self._last_step = 0
        self._published: Dict[str, float] = {}

    @property
    def experiment(self) -> Any:
        """The ``hub.Run``, which this starts; on other ranks something that takes any call and does nothing."""
        if _rank() > 0:
            return _Nothing()
        if self._run is None:
            self._run = init(self._project, **self._how)
        return self._run

    @property
    def name(self) -> str:
        """The project."""
        return self._project or "hub"

    @property
    def version(self) -> Optional[str]:
        """The run's id; None where it has not started, or where the hub has not answered yet."""
        return self._run.id if self._run is not None else None

    @property
    def save_dir(self) -> Optional[str]:
        """Where the trainer puts its files, if it was given here."""
        return self._save_dir

    def log_hyperparams(self, params: Any = None, *_: Any, **more: Any) -> None:
        """Adds to the run's ``config.yaml``."""
        if _rank() == 0:
            self._config.update({**members_of(params), **more})
            self.experiment.keep_config(config_text(self._config))

    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> None:
        """One line of metrics. Raises ``hub.RunCanceled`` once the hub asks the run to stop."""
        if _rank() == 0:
            self._last_step = self._last_step if step is None else step
            self.experiment.log({f"{self._prefix}{key}": value for key, value in metrics.items()}, step=step)

    def after_save_checkpoint(self, checkpoint_callback: Any) -> None:
        """Publishes the files of ``ModelCheckpoint`` that are new, each as the checkpoint of the step in its name, or else of the last step."""
        if not self._checkpoints or _rank() > 0:
            return
        paths = [getattr(checkpoint_callback, name, "") for name in ("best_model_path", "last_model_path")]
        for path in dict.fromkeys([*paths, *getattr(checkpoint_callback, "best_k_models", {})]):
            file = Path(path)
            if path and file.exists() and self._published.get(path) != file.stat().st_mtime:
                self._published[path] = file.stat().st_mtime
                found = re.search(r"step=(\d+)", file.name)
                self.experiment.checkpoint(file, int(found[1]) if found else self._last_step)

    def finalize(self, status: str) -> None:
        """The trainer says this after each of ``fit``, ``test`` and so on; only a failure ends the run. What logs after it is a new run."""
        if status in ("failed", "aborted") and _rank() == 0 and self._run is not None:
            fail(self._run)
            self._run = None

    def __getstate__(self) -> Dict[str, Any]:
        """A process that the trainer starts has its own run: this one's is locked."""
        return {**self.__dict__, "_run": None}


def _rank() -> int:
    return int(getattr(_rank_zero, "rank", None) or 0)


class _Nothing:
    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


__all__ = ["HubLogger"]
