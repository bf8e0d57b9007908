"""Where lines and files go: to the hub, or to a folder of this machine."""

from __future__ import annotations

import json
import os
import re
import secrets
import string
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Sequence

from .._lines import LineFile, encode_line
from .._media import Media
from .._media_lines import MediaLines
from .._once import say_once
from .._settings import state_dir

_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "LOCAL_RANK")


def is_first_process() -> bool:
    """Whether it is rank 0 of a training of several processes, or the only one. The first variable that is set decides."""
    return next((os.environ[name] for name in _RANKS if os.environ.get(name)), "0") == "0"


def mode_of(asked: Optional[str]) -> str:
    """``online``, ``offline`` or ``disabled``."""
    if os.environ.get("WANDB_DISABLED", "").lower() in ("true", "1", "yes"):
        return "disabled"
    found = asked or os.environ.get("WANDB_MODE") or "online"
    if found in ("disabled", "dryrun", "offline"):
        return "offline" if found == "dryrun" else found
    return "online"


def new_id() -> str:
    """An id as wandb makes them."""
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(8))


def latest_id(parent: Path) -> Optional[str]:
    """The id of the run that was last in this folder, by ``wandb/latest-run``."""
    found = [file.name[len("run-") : -len(".wandb")] for file in (parent / "wandb" / "latest-run").glob("run-*.wandb")]
    return found[0] if len(found) == 1 else None


class Folder:
    """``wandb/run-TIME-ID`` below the script's folder, with the files by which others find the run's id, and ``latest-run``."""

    def __init__(self, parent: Path, run_id: str, is_offline: bool) -> None:
        name = f"{'offline-run' if is_offline else 'run'}-{time.strftime('%Y%m%d_%H%M%S')}-{run_id}"
        try:
            (parent / "wandb" / name / "files").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            # As wandb does: a container's folder is often not to be written.
            parent = Path(tempfile.mkdtemp(prefix="hub-wandb-"))
            say_once("folder", f"wandb's folder cannot be made ({error}): it is in {parent}.")
            (parent / "wandb" / name / "files").mkdir(parents=True)
        self.path = parent / "wandb" / name
        self.files = self.path / "files"
        (self.path / f"run-{run_id}.wandb").touch()
        new = parent / "wandb" / f".latest-{os.getpid()}"
        try:
            new.symlink_to(self.path.name)
            os.replace(new, parent / "wandb" / "latest-run")
        except OSError:
            # A system without links, or a folder of that name.
            pass


class OnlyHere:
    """A run that stays on this machine: lines and files are below its folder."""

    url: Optional[str] = None
    step = 0

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._metrics = LineFile(folder.files / "metrics.jsonl")
        self._media = MediaLines(folder.files)

    def log(self, line: Mapping[str, Any], step: int) -> None:
        self._metrics.append(encode_line({"step": step, **line}))

    def log_media(self, key: str, step: int, values: Sequence[Media], first: int = 0) -> None:
        self._media.keep(key, step, values, first)

    def keep_config(self, text: str) -> None:
        (self._folder.files / "config.yaml").write_text(text, "utf-8")

    def log_file(self, path: Path, name: str) -> None:
        """It is in the folder already."""

    def finish(self, status: str = "succeeded", error: Optional[str] = None) -> bool:
        self._metrics.sync()
        self._metrics.close()
        self._media.close()
        return True


def remember(run_id: str, **facts: Any) -> None:
    """Keeps which run of the hub a wandb id stands for, on this machine."""
    file = _record(run_id)
    new = file.with_suffix(f".{os.getpid()}.new")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new.write_text(json.dumps({**recalled(run_id), **facts}), "utf-8")
        os.replace(new, file)
    except OSError as error:
        say_once("remember", f"wandb run {run_id} will not be known on this machine: {error}")


def recalled(run_id: str) -> Dict[str, Any]:
    """What ``remember`` was given."""
    try:
        found = json.loads(_record(run_id).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _record(run_id: str) -> Path:
    return state_dir() / "wandb" / f"{re.sub(r'[^A-Za-z0-9_-]', '_', run_id)[:128]}.json"
