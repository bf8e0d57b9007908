"""The two ways in which a run's lines and files reach the hub: by this process, or by the one that runs it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import uuid
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

from ._artifacts import copy_to, enqueue
from ._errors import HubError
from ._http import Client, is_transient
from ._kept import kept_of
from ._lines import LineFile, encode_line
from ._media_lines import MediaLines
from ._sender import Sender
from ._spool import Spool
from ._warn import warn

#: How this process ends, as far as it is known.
how: Dict[str, Any] = {"installed": False, "error": None, "exit_code": None, "must_fail": False}


#: ``HUB_RUN_ID`` under ``hub track`` where the hub had not answered when the command began.
_NOT_BEGUN = "not-begun-yet"


def run_id_here() -> Optional[str]:
    """The run that ``hub track`` or ``hub runner`` makes of this process; None without one, and where nobody knows its id yet."""
    found = os.environ.get("HUB_RUN_ID")
    return found if found and found != _NOT_BEGUN else None


class Spooled:
    """A run of this process: lines go to its spool, and a thread brings them to the hub."""

    def __init__(self, client: Client, spool: Spool, interval_s: float, resumed: bool) -> None:
        self._client = client
        self._spool = spool
        self.resumed = resumed
        self.metrics: LineFile = spool.metrics
        self.media = MediaLines(spool.folder)
        self.sender = Sender(client, spool, interval_s)
        self._begin()
        self.first_step = _step_after(self.last_line())
        self.sender.start()

    def _begin(self) -> None:
        """Starts the run now if the hub answers: a refusal is worth knowing before hours of training."""
        try:
            if self._spool.state.get("run") is None:
                self.sender.open_run()
        except HubError as error:
            if not is_transient(error):
                if self._spool.metrics.size == 0:
                    self._spool.remove()
                else:
                    self._spool.release()
                raise
            warn(f"{error.detail.rstrip('.')}. The run starts when the hub answers; its lines are kept in {self._spool.folder}.")

    @property
    def hub_url(self) -> str:
        return self._client.url

    @property
    def run_id(self) -> Optional[str]:
        run = self._spool.state.get("run")
        return run["id"] if run else None

    @property
    def recipe(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._spool.state.get("recipe") or self._spool.state["start"]["body"]["recipe"]
        return found

    @property
    def canceled(self) -> bool:
        return self.sender.cancel_requested.is_set()

    @property
    def lost(self) -> bool:
        return self.sender.over == "lost"

    def last_line(self) -> Optional[Mapping[str, Any]]:
        line = self._spool.metrics.last_line()
        return json.loads(line) if line else None

    def write_log(self, text: str) -> None:
        if self.sender.over is None:
            self._spool.log.append(text.encode("utf-8", "backslashreplace"))

    def keep_file(self, source: Path, dest: str) -> None:
        enqueue(self._spool, source, dest)

    def keep_scorecard(self, card: Mapping[str, Any]) -> None:
        self._spool.put(scorecard=card, scorecard_sent=False)

    def keep_config(self, text: str) -> None:
        self._spool.put(config=text, config_sent=False)

    def keep_words(self, words: Mapping[str, Any]) -> None:
        with self._spool.changing:
            self._spool.put(words={**(self._spool.state.get("words") or {}), **words}, words_sent=False)

    def end(self, status: str, error: Optional[str]) -> None:
        self.media.close()
        self._spool.put(ending={"status": status, "error": error})
        self.sender.hurry()

    def wait(self, timeout_s: Optional[float]) -> bool:
        done = self.sender.wait(timeout_s)
        ended = self.sender.stop()
        if done or (self.lost and ended):
            self._spool.remove()
        else:
            if self.sender.over is None:
                warn(
                    f"the hub does not have everything: {self.sender.why()}. "
                    f"Kept on this machine: {kept_of(self._spool)}, in {self._spool.folder}. Send it with: python -m hub sync"
                )
            if ended:
                self._spool.release()
        return done


class UnderRunner:
    """A run that ``hub runner`` executes: it reports the files of this folder, and this process's output and exit code."""

    resumed = False
    lost = False
    canceled = False

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        self._folder = folder
        self.metrics = LineFile(folder / "metrics.jsonl")
        self.metrics.drop_torn_tail()
        self.media = MediaLines(folder)
        self.first_step = _step_after(self.last_line())
        self.recipe: Mapping[str, Any] = {"hyperparams": config}
        if config and not (folder / "config.yaml").exists():
            # JSON is YAML.
            write_whole(folder / "config.yaml", json.dumps(json.loads(encode_line(config)), indent=2) + "\n")

    @property
    def hub_url(self) -> str:
        return os.environ.get("HUB_URL", "")

    @property
    def run_id(self) -> Optional[str]:
        return run_id_here()

    def last_line(self) -> Optional[Mapping[str, Any]]:
        line = self.metrics.last_line()
        return json.loads(line) if line else None

    def write_log(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def keep_file(self, source: Path, dest: str) -> None:
        """A checkpoint appears whole: under another name first, then renamed."""
        if dest.startswith("checkpoints/"):
            folder = "/".join(dest.split("/")[:2])
            making = self._folder / f".making-{uuid.uuid4().hex}"
            copy_to(source, making / dest[len(folder) + 1 :] if dest != folder else making)
            target = self._folder / folder
            target.parent.mkdir(exist_ok=True)
            if target.exists():
                shutil.rmtree(target)
            os.replace(making, target)
        elif dest in ("config.yaml", "scorecard.json"):
            write_whole(self._folder / dest, source.read_text("utf-8"))
        else:
            raise RuntimeError("Under hub runner only checkpoints, config.yaml and scorecard.json are taken; write other files into a checkpoint.")

    def keep_config(self, text: str) -> None:
        write_whole(self._folder / "config.yaml", text)

    def keep_words(self, words: Mapping[str, Any]) -> None:
        """``hub track`` reads them from ``wandb.json``."""
        try:
            before = json.loads((self._folder / "wandb.json").read_text("utf-8"))
        except (OSError, ValueError):
            before = {}
        write_whole(self._folder / "wandb.json", json.dumps({**before, **words}) + "\n")

    def keep_scorecard(self, card: Mapping[str, Any]) -> None:
        write_whole(self._folder / "scorecard.json", json.dumps(card) + "\n")

    def end(self, status: str, error: Optional[str]) -> None:
        self.metrics.sync()
        self.metrics.close()
        self.media.close()
        if status != "succeeded":
            # Python shows an exception by itself.
            if error and not error.startswith("Traceback"):
                sys.stderr.write(f"{error}\n")
            how["must_fail"] = True

    def wait(self, timeout_s: Optional[float]) -> bool:
        """What is in the files is the runner's to report."""
        return True


def write_whole(file: Path, text: str) -> None:
    """Puts a text in the place of the file's, all of it or none."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, "utf-8")
    os.replace(new, file)


def _step_after(line: Optional[Mapping[str, Any]]) -> int:
    step = (line or {}).get("step")
    return step + 1 if isinstance(step, int) else 0
