"""wandb's module over the hub: ``import hub.wandb as wandb``, or ``import wandb`` under ``hub track``.

What wandb has and this module has not is a harmless object that says so once.
"""

from __future__ import annotations

import atexit
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, Mapping, Optional, Union

from .. import _run as _hub_run
from .._errors import HubError
from .._lines import encode_line
from .._media import Audio, Html, Image, Media, Video
from .._tables import Histogram, Table
from . import errors as errors, util as util
from ._artifact import Artifact
from ._places import Folder, OnlyHere, is_first_process, latest_id, mode_of, new_id, recalled, remember
from ._run import Run
from ._said import CommError, Error, Harmless, UsageError, say, say_once
from ._values import Values, as_mapping

__version__ = "0.26.0"
#: The run of this process; None before ``init`` and after ``finish``.
run: Optional[Run] = None


class Settings(SimpleNamespace):
    """Settings by name. ``mode``, ``run_id``, ``project``, ``entity``, ``run_name``, ``run_group``, ``run_notes``, ``run_tags``, ``run_job_type``, ``resume``, ``root_dir`` and ``console`` count."""


class Plotly(Html):
    """A figure of Plotly, as a page."""

    def __init__(self, val: Any, **_: Any) -> None:
        super().__init__(val)


_NAMES = {"id": "run_id", "name": "run_name", "group": "run_group", "notes": "run_notes", "tags": "run_tags", "job_type": "run_job_type", "dir": "root_dir"}
_VARIABLES = {"id": "RUN_ID", "group": "RUN_GROUP", "tags": "TAGS"}


def init(
    entity: Optional[str] = None,
    project: Optional[str] = None,
    dir: Any = None,
    id: Optional[str] = None,
    name: Optional[str] = None,
    notes: Optional[str] = None,
    tags: Any = None,
    config: Any = None,
    config_exclude_keys: Any = None,
    config_include_keys: Any = None,
    allow_val_change: Optional[bool] = None,
    group: Optional[str] = None,
    job_type: Optional[str] = None,
    mode: Optional[str] = None,
    reinit: Any = None,
    resume: Any = None,
    settings: Any = None,
    **_: Any,
) -> Run:
    """Starts the run of this process; while there is one, that is returned unless ``reinit`` asks for another."""
    global run
    if run is not None and not run._is_finished:
        if reinit not in (True, "finish_previous", "create_new"):
            run.config.update(config, allow_val_change=True)
            return run
        run.finish()
    asked = {"entity": entity, "project": project, "dir": dir, "id": id, "name": name, "notes": notes, "tags": tags,
             "group": group, "job_type": job_type, "mode": mode, "resume": resume}
    given = _given(asked, settings)
    values = {key: value for key, value in as_mapping(config).items()
              if (not config_include_keys or key in config_include_keys) and key not in (config_exclude_keys or ())}
    run = _started(given, values)
    return run


def _given(asked: Mapping[str, Any], settings: Any) -> Dict[str, Any]:
    """The arguments first, then the settings, then the environment."""
    of_settings = settings if isinstance(settings, dict) else vars(settings) if settings is not None else {}
    given: Dict[str, Any] = {}
    for name, value in asked.items():
        if value is None:
            value = of_settings.get(_NAMES.get(name, name))
        if value is None:
            value = os.environ.get(f"WANDB_{_VARIABLES.get(name, name.upper())}") or None
        given[name] = value
    if isinstance(given["tags"], str):
        given["tags"] = [tag.strip() for tag in given["tags"].split(",") if tag.strip()]
    given["tags"] = [str(tag) for tag in given["tags"] or ()]
    given["settings"] = settings if settings is not None else Settings()
    given["console"] = of_settings.get("console") or os.environ.get("WANDB_CONSOLE")
    return given


def _started(given: Dict[str, Any], values: Dict[str, Any]) -> Run:
    asked_mode = mode_of(given["mode"])
    wants = given["resume"] in (True, "allow", "must", "auto", "true", "True")
    run_id = str(given["id"] or (latest_id(Path(given["dir"] or os.getcwd())) if wants else None) or new_id())
    if not re.fullmatch(r"[^/\\#?%:\0]{1,128}", run_id):
        raise UsageError(f"wandb id {run_id!r} is none: it has 1 to 128 characters, without any of / \\ # ? % :")
    if given["resume"] in ("never", "False") and recalled(run_id):
        raise UsageError(f"wandb run {run_id} is known on this machine, and resume is 'never'. Use another id, or resume='allow'.")
    if asked_mode == "disabled" or not is_first_process():
        return Run(id=run_id, place=None, folder=None, given=given, config=values)
    given["resumed"] = wants
    parent = Path(given["dir"] or os.getcwd())
    tracked_folder = os.environ.get("HUB_RUN_DIR")
    if tracked_folder and not os.path.isdir(tracked_folder):
        # What starts a command on another machine hands on the variables, not the folder.
        say_once("elsewhere", f"{tracked_folder}, the folder of the tracked run, is not on this machine: wandb stays here (mode offline).")
        del os.environ["HUB_RUN_DIR"]
        asked_mode = "offline"
    is_tracked = bool(os.environ.get("HUB_RUN_DIR") and os.environ.get("HUB_RUN_ID"))
    before = recalled(run_id).get("run") if wants and is_tracked else None
    if before and before != os.environ["HUB_RUN_ID"]:
        # The tracked run has begun already: it is named as the parent's child afterwards.
        given["parent_run_id"] = before
    is_offline = asked_mode == "offline" and not is_tracked
    folder = Folder(parent, run_id, is_offline)
    if is_offline:
        made = Run(id=run_id, place=OnlyHere(folder), folder=folder, given=given, config=values)
        made._config_changed()
        say(f"wandb goes to {folder.path} only (mode offline).")
        return made
    place = _at_hub(given, values, run_id, wants)
    made = Run(id=run_id, place=place, folder=folder, given=given, config=values)
    if is_tracked and values:
        made._config_changed()
    if place.id:
        remember(run_id, run=place.id)
    say(f"wandb goes to the hub: {made.url or 'the run starts when the hub answers'}")
    return made


def _at_hub(given: Mapping[str, Any], values: Mapping[str, Any], run_id: str, wants: bool) -> _hub_run.Run:
    before = recalled(run_id).get("run") if wants else None
    if given["resume"] == "must" and before is None and not os.environ.get("HUB_RUN_DIR"):
        say_once("resume", f"wandb run {run_id} is not known on this machine; it goes on as a new run of the hub.")
    kept = dict(values)
    try:
        encode_line(kept)
    except ValueError as error:
        say_once("config", f"wandb.config is not kept: {error}")
        kept = {}

    def start(parent: Optional[str]) -> _hub_run.Run:
        return _hub_run.init(
            given["project"], name=given["name"], config=kept, tags=given["tags"], notes=given["notes"], group=given["group"],
            job_type=given["job_type"], parent_run_id=parent, resume=wants, capture_output=given["console"] != "off",
        )

    try:
        try:
            return start(before)
        except HubError as error:
            if before is None or error.status not in (404, 422):
                raise
            say_once("resume", f"{before}, which wandb run {run_id} was, is not at this hub: it goes on as a run without a parent.")
            return start(None)
    except HubError as error:
        raise CommError(f"The hub refused the run: {error}") from error


def _current(what: str) -> Run:
    if run is None:
        raise Error(f"You must call wandb.init() before wandb.{what}.")
    return run


def log(data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None, **more: Any) -> None:
    """``run.log``."""
    _current("log()").log(data, step, commit, **more)


def finish(exit_code: Optional[int] = None, quiet: Optional[bool] = None) -> None:
    """Ends the run, if there is one."""
    global run
    if run is not None:
        run.finish(exit_code)
        run = None


join = finish


def define_metric(name: str, *args: Any, **more: Any) -> Harmless:
    """``run.define_metric``."""
    return _current("define_metric()").define_metric(name, *args, **more)


def watch(*args: Any, **more: Any) -> None:
    """Gradients are not followed."""
    _current("watch()").watch(*args, **more)


def unwatch(*_: Any, **__: Any) -> None:
    """Nothing is watched."""


def save(glob_str: Any = None, *args: Any, **more: Any) -> Any:
    """``run.save``."""
    return _current("save()").save(glob_str, *args, **more)


def alert(title: str, text: str = "", *args: Any, **more: Any) -> None:
    """``run.alert``."""
    _current("alert()").alert(title, text, *args, **more)


def log_artifact(*args: Any, **more: Any) -> Artifact:
    """``run.log_artifact``."""
    return _current("log_artifact()").log_artifact(*args, **more)


def use_artifact(*args: Any, **more: Any) -> Artifact:
    """``run.use_artifact``."""
    return _current("use_artifact()").use_artifact(*args, **more)


def login(*_: Any, **__: Any) -> bool:
    """True: the hub's key is that of ``hub login`` or HUB_TOKEN."""
    return True


def setup(*_: Any, **__: Any) -> None:
    """Nothing to set up."""


def _at_exit() -> None:
    # Registered after the client's own, so it is called before that one ends the run with the process's exit code.
    if run is not None and run._place is not None and not run._is_finished and os.getpid() == run._pid:
        run.flush_values()
        if run.offline:
            run.finish()


_hub_run._install_hooks()
atexit.register(_at_exit)


def __getattr__(name: str) -> Union[Harmless, Values]:
    if name in ("config", "summary"):
        found: Values = getattr(_current(name), name)
        return found
    if name.startswith("__"):
        raise AttributeError(name)
    return Harmless(f"wandb.{name}")


__all__ = ["Artifact", "Audio", "CommError", "Error", "Histogram", "Html", "Image", "Media", "Plotly", "Run", "Settings", "Table", "UsageError", "Video",
           "alert", "define_metric", "finish", "init", "log", "log_artifact", "login", "save", "use_artifact", "watch"]
