"""A run under wandb's methods."""

from __future__ import annotations

import json
import os
import re
import threading
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from .._errors import RunLost
from .._lines import encode_line
from .._media import Media
from .._media_lines import media_in
from .._tables import Histogram, Table
from .._run import Run as HubRun
from ._artifact import Artifact
from ._places import Folder, OnlyHere, recalled, remember
from ._said import CommError, Harmless, say_once
from ._values import Config, Summary
from ._words import Words

_PLAIN = frozenset((int, float, str, bool, type(None)))
#: A longer array is counted instead of listed, as wandb does.
_LISTED = 32


class Run(Words):
    """What ``wandb.init`` returns. ``disabled`` ones, and those of other ranks, take everything and keep nothing."""

    def __init__(self, *, id: str, place: Union[HubRun, OnlyHere, None], folder: Optional[Folder], given: Mapping[str, Any], config: Mapping[str, Any]) -> None:
        super().__init__(id, given, _folder_of(place, folder))
        self._place = place
        self._folder = folder
        self.entity: str = given.get("entity") or ""
        self.resumed = bool(given.get("resumed"))
        self.settings = given.get("settings")
        self.config = Config(self._config_changed)
        self.config._values.update(config)
        self.summary = Summary()
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._is_finished = False
        self._waiting: Dict[str, Any] = {}
        self._step: int = place.step if place is not None and self.resumed else 0

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
            return given or (self._place.url or "").replace("/v1/runs/", "/runs/") or None
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
                step = int(step)
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
        except (ValueError, OSError) as error:
            say_once(f"log.{type(error).__name__}", f"A line of wandb.log is left out: {error}")

    def _flatten(self, prefix: str, data: Mapping[str, Any], line: Dict[str, Any]) -> None:
        assert self._place is not None
        for key, value in data.items():
            name = f"{prefix}{key}"
            if type(value) in _PLAIN:
                line[name] = value
            elif isinstance(value, Mapping):
                self._flatten(f"{name}/", value, line)
            elif isinstance(value, (Harmless, Artifact)):
                say_once(f"log.{type(value).__name__}", f"wandb.log of {value!r} is left out.")
            elif media := media_in(value) or _as_media(value):
                self._place.log_media(name, self._step, media)
            else:
                line[name] = value

    # Files

    def _send_file(self, file: Path, name: str, what: str) -> None:
        if _is_tracked():
            say_once(f"tracked.{what}", f"{what}: hub track does not send it yet; it is kept in {self.dir}.")
        elif isinstance(self._place, HubRun):
            self._place.log_file(file, name)

    def save(self, glob_str: Any = None, base_path: Any = None, policy: str = "live", **_: Any) -> List[str]:
        """Keeps the files that match now. What is written to them later is not followed."""
        if self._place is None or glob_str is None:
            return []
        base = Path(base_path or os.path.dirname(os.path.abspath(str(glob_str))))
        import glob

        found = [Path(one) for one in glob.glob(str(glob_str)) if os.path.isfile(one)]
        for file in found:
            try:
                self._send_file(file, file.resolve().relative_to(base.resolve()).as_posix(), "wandb.save")
            except (OSError, ValueError, RuntimeError) as error:
                say_once("save", f"wandb.save leaves {file} out: {error}")
        return [str(file) for file in found]

    def log_artifact(self, artifact_or_path: Any, name: Optional[str] = None, type: Optional[str] = None, aliases: Optional[List[str]] = None, **_: Any) -> Artifact:
        """Makes the files the next version, ``artifacts/NAME/vN/``. Under ``hub track`` a model is the checkpoint of its step."""
        if isinstance(artifact_or_path, Artifact):
            artifact = artifact_or_path
        else:
            source = Path(artifact_or_path)
            artifact = Artifact(name or f"run-{self.id}-{source.name}", type or "unspecified")
            (artifact.add_dir if source.is_dir() else artifact.add_file)(source)
        if self._place is None:
            return artifact
        try:
            self._keep_artifact(artifact, aliases or ["latest"])
        except Exception as error:
            say_once(f"artifact.{artifact.name}", f"wandb.Artifact {artifact.name} is left out: {error}")
        return artifact

    log_model = lambda self, path, name=None, aliases=None: self.log_artifact(path, name, "model", aliases)

    def _keep_artifact(self, artifact: Artifact, aliases: List[str]) -> None:
        if _is_tracked():
            return self._checkpoint(artifact)
        versions = recalled(self.id).get("versions", {})
        number = versions.get(artifact.name, -1) + 1
        remember(self.id, versions={**versions, artifact.name: number})
        artifact.version, artifact.aliases = f"v{number}", [*aliases]
        if not isinstance(self._place, HubRun):
            return self._copy_here(artifact)
        folder = f"artifacts/{re.sub(r'[^A-Za-z0-9._-]', '_', artifact.name)}"
        for path, file in artifact.files_here.items():
            self._place.log_file(file, f"{folder}/{artifact.version}/{path}")
        facts = {"name": artifact.name, "type": artifact.type, "version": artifact.version, "aliases": artifact.aliases,
                 "description": artifact.description, "metadata": artifact.metadata}
        self._send_text(f"{folder}/{artifact.version}.json", json.dumps(facts, default=str, indent=2) + "\n")

    def _checkpoint(self, artifact: Artifact) -> None:
        """What hub track publishes today are checkpoints; a name that ends in a number, as LeRobot's, says of which step."""
        if artifact.type != "model":
            say_once(f"tracked.artifact.{artifact.type}", f"wandb.Artifact of type {artifact.type}: hub track does not send it yet; it stays where it is.")
            return
        found = re.search(r"[-_](\d{1,12})$", artifact.name)
        target = Path(os.environ["HUB_RUN_DIR"], "checkpoints", f"step_{int(found[1]) if found else self._step}")
        making = Path(os.environ["HUB_RUN_DIR"], f".making-{uuid.uuid4().hex}")
        if target.exists():
            say_once("artifact.step", f"wandb.Artifact {artifact.name}: there is a checkpoint of this step already; it is left out.")
            return
        _copy(artifact, making)
        target.parent.mkdir(exist_ok=True)
        os.replace(making, target)

    def _copy_here(self, artifact: Artifact) -> None:
        assert self._folder is not None
        _copy(artifact, self._folder.files / "artifacts" / artifact.name.replace("/", "_") / str(artifact.version))

    def _send_text(self, name: str, text: str) -> None:
        assert self._folder is not None
        file = self._folder.files / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        self._send_file(file, name, name)

    def use_artifact(self, artifact_or_name: Any, *_: Any, **__: Any) -> Artifact:
        """Only one of this process: the hub does not look up names of wandb."""
        if isinstance(artifact_or_name, Artifact):
            return artifact_or_name
        raise CommError(f"wandb.use_artifact({artifact_or_name!r}): download it from its repo with hub.snapshot_download instead.")

    # What it is known by

    def _config_changed(self) -> None:
        if self._place is None or self._is_finished:
            return
        # JSON is YAML.
        self._place.keep_config(json.dumps(json.loads(encode_line(self.config.as_dict())), indent=2) + "\n")

    def define_metric(self, name: str, *_: Any, **__: Any) -> Harmless:
        """Nothing to define: the page shows each metric over its step, and offers the others as an axis."""
        return Harmless(f"wandb.define_metric({name!r})")

    def watch(self, *_: Any, **__: Any) -> None:
        """Gradients are not followed."""
        say_once("watch", "wandb.watch does nothing: the hub does not follow gradients.")

    def unwatch(self, *_: Any, **__: Any) -> None:
        """Nothing is watched."""

    def alert(self, title: str, text: str = "", *_: Any, **__: Any) -> None:
        """A line of the run's log."""
        if self._place is not None:
            print(f"ALERT {title}: {text}" if text else f"ALERT {title}", flush=True)

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
        """Writes what waits for a commit, and what the script has set in ``summary`` as one last line."""
        self._flush()
        own = {f"summary/{key}": self.summary[key] for key in self.summary.set_keys if key in self.summary}
        self.summary.set_keys.clear()
        if own:
            line: Dict[str, Any] = {}
            self._flatten("", own, line)
            self._write(line)

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
    return Path(os.environ["HUB_RUN_DIR"]) if place is not None and _is_tracked() else None


def _is_tracked() -> bool:
    return bool(os.environ.get("HUB_RUN_DIR") and os.environ.get("HUB_RUN_ID"))


def _as_media(value: Any) -> List[Media]:
    """An array is counted, a data frame is a table, as with wandb."""
    if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "columns"):
        return [Table(dataframe=value)]
    return [Histogram(value)] if _size(value) > _LISTED else []


def _size(value: Any) -> int:
    shape = getattr(value, "shape", None)
    size = 1
    for one in shape if isinstance(shape, tuple) else ():
        size *= one
    return size


def _copy(artifact: Artifact, folder: Path) -> None:
    from .._artifacts import copy_to

    for path, file in artifact.files_here.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        copy_to(file, folder / path)
