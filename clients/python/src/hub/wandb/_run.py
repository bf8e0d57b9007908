"""A run under wandb's methods."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from .._errors import RunCanceled, RunLost
from .._lines import encode_json, encode_line
from .._media import Media
from .._media_lines import media_in
from .._run import Run as HubRun
from .._tables import Histogram, Table
from ._artifact import Artifact
from ._outputs import Outputs, is_tracked
from ._places import Folder, OnlyHere
from ._said import Harmless, say_once
from ._values import Config, Summary
from ._words import Words, write_summary

_PLAIN = frozenset((int, float, str, bool, type(None)))
#: A longer array is counted instead of listed, as wandb does.
_LISTED = 32


class Run(Words):
    """What ``wandb.init`` returns. ``disabled`` ones, and those of other ranks, take everything and keep nothing."""

    def __init__(self, *, id: str, place: Union[HubRun, OnlyHere, None], folder: Optional[Folder], given: Mapping[str, Any], config: Mapping[str, Any]) -> None:
        super().__init__(id, given, _folder_of(place, folder))
        self._place = place
        self._folder = folder
        self._outputs = Outputs(id, place, folder.files if folder else None)
        self.entity: str = given.get("entity") or ""
        self.resumed = bool(given.get("resumed"))
        self.settings = given.get("settings")
        self.config = Config(self._config_changed)
        self.config._values.update(config)
        self.summary = Summary(self._summary_changed)
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._has_own_log = given.get("console") == "off" and isinstance(place, HubRun) and not is_tracked()
        self.start_time = time.time()
        self._is_finished = False
        self._waiting: Dict[str, Any] = {}
        self._step: int = place.step if place is not None and self.resumed else 0
        self.starting_step = self._step

    # What it is

    @property
    def step(self) -> int:
        """The step that the next ``log`` without one gets."""
        return self._step

    @property
    def disabled(self) -> bool:
        """Nothing is kept."""
        return self._place is None

    @property
    def offline(self) -> bool:
        """It stays on this machine."""
        return isinstance(self._place, OnlyHere)

    @property
    def dir(self) -> str:
        """The folder of its files on this machine."""
        return str(self._folder.files) if self._folder else os.getcwd()

    @property
    def path(self) -> str:
        """Entity, project and id."""
        return "/".join(part for part in (self.entity, self.project, self.id) if part)

    @property
    def url(self) -> Optional[str]:
        """The address of the run's page; None where there is none yet."""
        given = os.environ.get("HUB_RUN_URL")
        if isinstance(self._place, HubRun):
            return given or self._place.url or None
        return None

    def get_url(self) -> Optional[str]:
        """As ``url``."""
        return self.url

    get_project_url = project_name = lambda self: self.project

    # Lines

    def log(self, data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None, **_: Any) -> None:
        """Keeps values at a step. On return they are in a file of this machine, but for ``commit=False``: those wait for the next call."""
        if self._place is None or self._is_finished or os.getpid() != self._pid:
            if self._place is not None:
                say_once("log.closed", "wandb.log after the run's end, or in a forked process, is left out.")
            return
        with self._lock:
            if step is not None:
                step = _whole(step)
            if step is not None:
                if step < self._step:
                    say_once("log.back", f"wandb.log with step {step} after step {self._step}: steps only go up. Such values are left out.")
                    return
                if step > self._step:
                    self._flush()
                    self._step = step
            line: Dict[str, Any] = {}
            self._flatten("", data, line)
            if self._waiting:
                line = {**self._waiting, **line}
            if commit is False:
                self._waiting = line
                return
            self._waiting = {}
            # Of pictures alone no line is left.
            if line:
                self._write(line)
            if step is None or commit:
                self._step += 1

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        if waiting:
            self._write(waiting)

    def _write(self, line: Dict[str, Any]) -> None:
        assert self._place is not None
        self.summary.logged(line)
        if "step" in line:
            # The hub's own word for where on the axis a line is.
            line["logged_step"] = line.pop("step")
        try:
            self._place.log(line, self._step)
        except RunLost as error:
            say_once("log.lost", f"{error} What is logged from here on stays behind.")
        except RunCanceled:
            raise
        except Exception as error:
            kept = {name: value for name, value in line.items() if _is_json(value)}
            if kept and len(kept) < len(line):
                left = ", ".join(name for name in line if name not in kept)
                say_once(f"log.{left}", f"{left} of wandb.log is left out: {error}")
                self._write(kept)
            else:
                say_once(f"log.{type(error).__name__}", f"A line of wandb.log is left out: {error}")

    def _flatten(self, prefix: str, data: Mapping[str, Any], line: Dict[str, Any]) -> None:
        assert self._place is not None
        if not prefix and _PLAIN.issuperset(map(type, data.values())):
            line.update(data)
            return
        for key, value in data.items():
            name = f"{prefix}{key}"
            if type(value) in _PLAIN:
                line[name] = value
                continue
            try:
                self._flatten_one(name, value, line)
            except Exception as error:
                if prefix:
                    raise
                say_once(f"log.{name}", f"{name} of wandb.log is left out: {type(error).__name__}: {error}")

    def _flatten_one(self, name: str, value: Any, line: Dict[str, Any]) -> None:
        assert self._place is not None
        if isinstance(value, Mapping):
            self._flatten(f"{name}/", value, line)
        elif isinstance(value, (Harmless, Artifact)):
            say_once(f"log.{type(value).__name__}", f"wandb.log of {value!r} is left out.")
        elif media := media_in(value) or _as_media(value):
            self._place.log_media(name, self._step, media)
        else:
            line[name] = value

    # Files

    def save(self, glob_str: Any = None, base_path: Any = None, policy: str = "live", **_: Any) -> List[str]:
        """Keeps the files that match; with ``live`` and ``end`` also as they are at the end of the run."""
        if self._place is None or glob_str is None:
            return []
        with self._lock:
            return self._outputs.save(glob_str, base_path, policy, self._step)

    def log_artifact(self, artifact_or_path: Any, name: Optional[str] = None, type: Optional[str] = None, aliases: Optional[List[str]] = None, **_: Any) -> Artifact:
        """Makes the files the next version, ``artifacts/NAME/vN/``. Under ``hub track`` a model is the checkpoint of its step as well."""
        artifact = artifact_or_path if isinstance(artifact_or_path, Artifact) else self._artifact_of(Path(artifact_or_path), name, type)
        if self._place is None:
            return artifact
        try:
            with self._lock:
                self._outputs.log_artifact(artifact, [*(aliases if aliases is not None else ["latest"])], self._step)
        except Exception as error:
            say_once(f"artifact.{artifact.base_name}", f"wandb.Artifact {artifact.base_name} is left out: {error.__class__.__name__}: {error}")
        return artifact

    def _artifact_of(self, source: Path, name: Optional[str], kind: Optional[str]) -> Artifact:
        artifact = Artifact(name or f"run-{self.id}-{source.name}", kind or "unspecified")
        (artifact.add_dir if source.is_dir() else artifact.add_file)(source)
        return artifact

    upsert_artifact = finish_artifact = log_artifact

    def log_model(self, path: Any, name: Optional[str] = None, aliases: Optional[List[str]] = None) -> Artifact:
        """``log_artifact`` of a model."""
        return self.log_artifact(path, name, "model", aliases)

    def use_artifact(self, artifact_or_name: Any, *_: Any, **__: Any) -> Artifact:
        """``NAME:v0``, ``NAME:ALIAS`` of this run or those that it goes on from, or ``OWNER/REPO/NAME:v0`` of any output repo. Raises ``CommError``."""
        return self._outputs.use_artifact(artifact_or_name)

    def use_model(self, name: str) -> str:
        """Downloads a model that was logged, and returns where it is."""
        return self.use_artifact(name).download()

    # What it is known by

    def _word_changed(self, member: str, value: Any) -> None:
        # Under hub track the file is enough. The hub has no word for a name that is none.
        if isinstance(self._place, HubRun) and not is_tracked() and not self._is_finished and (value or member in ("notes", "tags")):
            self._place.keep_words({member: value or ("" if member == "notes" else [])})

    def _config_changed(self) -> None:
        if self._place is None or self._is_finished:
            return
        try:
            # JSON is YAML.
            self._place.keep_config(json.dumps(json.loads(encode_line(self.config.as_dict())), indent=2) + "\n")
        except (ValueError, OSError, RuntimeError) as error:
            say_once("config", f"wandb.config is not kept: {error}")

    def define_metric(self, name: str, *_: Any, **__: Any) -> Harmless:
        """Nothing to define: the page shows each metric over its step, and offers the others as an axis."""
        return Harmless(f"wandb.define_metric({name!r})")

    def watch(self, *_: Any, **__: Any) -> None:
        """Gradients are not followed."""
        say_once("watch", "wandb.watch does nothing: the hub does not follow gradients.")

    def unwatch(self, *_: Any, **__: Any) -> None:
        """Nothing is watched."""

    def alert(self, title: str, text: str = "", *_: Any, **__: Any) -> None:
        """A line of the run's log, and of standard error."""
        if self._place is None:
            return
        line = f"ALERT {title}: {text}" if text else f"ALERT {title}"
        print(line, file=sys.stderr, flush=True)
        # Where nobody copies standard error to the log.
        if self._has_own_log and isinstance(self._place, HubRun):
            self._place.log_text(f"{line}\n")

    def _label(self, *_: Any, **__: Any) -> None:
        """transformers tells wandb that it is the one that calls."""

    def mark_preempting(self) -> None:
        """The hub sees by itself that a process is gone."""

    # Its end

    def finish(self, exit_code: Optional[int] = None, quiet: Optional[bool] = None) -> None:
        """Ends the run: as failed with an exit code other than 0."""
        if self._place is None or self._is_finished or os.getpid() != self._pid:
            return
        with self._lock:
            self.flush_values()
            self._is_finished = True
        status = "failed" if exit_code else "succeeded"
        self._place.finish(status, f"wandb.finish(exit_code={exit_code})" if exit_code else None)

    def flush_values(self) -> None:
        """Writes what waits for a commit, what has changed of saved files, and what the script has set in ``summary``: as one last line, but for ``hub track``,
        which reads ``summary.json``."""
        self._flush()
        self._outputs.save_again(self._step)
        own = {f"summary/{key}": self.summary[key] for key in self.summary.set_keys if key in self.summary}
        if _is_summary_read() or not own:
            return
        self.summary.set_keys.clear()
        line: Dict[str, Any] = {}
        self._flatten("", own, line)
        if line:
            self._write(line)

    def _summary_changed(self) -> None:
        """Writes ``summary.json`` of what the script has set; members of an earlier run in this folder stay."""
        if self._place is None or not _is_summary_read() or self._is_finished:
            return
        own: Dict[str, Any] = {}
        self._flatten("", {key: self.summary[key] for key in self.summary.set_keys if key in self.summary}, own)
        try:
            write_summary(Path(os.environ["HUB_RUN_DIR"]), own)
        except (ValueError, OSError) as error:
            say_once("summary", f"wandb.summary is not kept: {error}")

    join = finish

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.finish(exit_code=0 if error is None else 1)

    def __getattr__(self, name: str) -> Harmless:
        if name.startswith("_"):
            raise AttributeError(name)
        return Harmless(f"wandb.run.{name}")


def _folder_of(place: Union[HubRun, OnlyHere, None], folder: Optional[Folder]) -> Optional[Path]:
    """Where the run's words are written: hub track reads them there."""
    if isinstance(place, OnlyHere):
        return folder.files if folder else None
    return Path(os.environ["HUB_RUN_DIR"]) if place is not None and is_tracked() else None


def _is_summary_read() -> bool:
    """By ``hub track``, which names the run's page, not by ``hub runner``."""
    return is_tracked() and bool(os.environ.get("HUB_RUN_URL"))


def _as_media(value: Any) -> List[Media]:
    """An array is counted, a data frame is a table, as with wandb."""
    if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "columns"):
        return [Table(dataframe=value)]
    return [Histogram(value)] if _size(value) > _LISTED else []


def _is_json(value: Any) -> bool:
    try:
        encode_json(value)
    except Exception:  # Of whatever library.
        return False
    return True


def _whole(step: Any) -> Optional[int]:
    """The step as a whole number; None, once said, for what is none."""
    try:
        return int(step)
    except (TypeError, ValueError, OverflowError):
        say_once("log.step", f"wandb.log with step {step!r}, which is not a whole number: the values are kept at the next step.")
        return None


def _size(value: Any) -> int:
    shape = getattr(value, "shape", None)
    size = 1
    for one in shape if isinstance(shape, tuple) else ():
        size *= one
    return size
