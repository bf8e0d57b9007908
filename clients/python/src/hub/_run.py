"""A training run, logged from the process that trains."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import traceback
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Set, Type, Union

from ._capture import Capture
from ._errors import RunCanceled, RunLost
from ._http import Client
from ._lines import encode_line
from ._media import Media
from ._media_lines import split_media
from ._report_values import STEP_KEYS
from ._sender import INTERVAL_S, worker_name
from ._settings import connect, exit_s, state_dir
from ._spool import Spool, identity_of, left_spools, new_spool
from ._ways import Spooled, UnderRunner, how

PathLike = Union[str, "os.PathLike[str]"]


def init(
    project: Optional[str] = None,
    *,
    name: Optional[str] = None,
    config: Optional[Mapping[str, Any]] = None,
    owner: Optional[str] = None,
    template: Optional[str] = None,
    robot: Optional[str] = None,
    dataset: Sequence[str] = (),
    max_hours: Optional[float] = None,
    parent_run_id: Optional[str] = None,
    tags: Sequence[str] = (),
    notes: Optional[str] = None,
    group: Optional[str] = None,
    job_type: Optional[str] = None,
    resume: bool = True,
    capture_output: bool = True,
    raise_on_cancel: bool = True,
    interval_s: float = INTERVAL_S,
    client: Optional[Client] = None,
) -> Run:
    """Starts a run, or goes on with the one that a killed start of the same script left.

    ``project`` (or ``template``, the hub's own word) says what trains, in 1 to 64 characters; the script's name by default. ``name`` is shown for the run;
    ``tags``, ``notes``, ``group`` and ``job_type`` are kept with it.
    ``config`` becomes the run's hyperparameters and its ``config.yaml``. ``owner`` is the account that the run belongs to; the key's own by default. ``resume=False``
    always starts a new run. ``capture_output`` copies what Python prints to the run's log. With ``raise_on_cancel=False``, ``log`` does not raise ``RunCanceled``
    when the hub asks the run to stop; ask ``run.canceled`` instead.

    An unreachable hub does not stop the training: lines are kept on disk and sent once it answers. A refusal (a bad token, an unknown owner) raises ``HubError``.
    Under ``hub runner`` the run is the runner's own, and nothing is reported twice.
    """
    folder = os.environ.get("HUB_RUN_DIR")
    if folder and os.environ.get("HUB_RUN_ID"):
        return Run(UnderRunner(Path(folder), dict(config or {})), capture_output=False, raise_on_cancel=raise_on_cancel)
    client = client or connect()
    exit_s()  # A wrong setting is worth knowing before hours of training.
    what = project or template or os.path.basename(sys.argv[0] or "") or "python"
    recipe: Dict[str, Any] = {"template": what[:64], "hyperparams": {**(config or {}), **({"run_name": name} if name else {})}}
    for member, value in (("robot", robot), ("dataset", list(dataset)), ("max_hours", max_hours)):
        if value:
            recipe[member] = value
    recipe = json.loads(encode_line(recipe))
    body = {"recipe": recipe, "worker": worker_name()}
    kept = {"project": project, "name": name, "tags": list(tags), "notes": notes, "group": group, "job_type": job_type}
    body.update({k: v for k, v in {"owner": owner, "parent_run_id": parent_run_id, **kept}.items() if v})
    identity = identity_of(client.url, owner, recipe, parent_run_id, os.path.abspath(sys.argv[0] or ""), os.getcwd())
    spool = _left(identity) if resume else None
    resumed = spool is not None
    if spool is None:
        spool = new_spool(
            state_dir() / "runs",
            identity,
            url=client.url,
            start={"key": str(uuid.uuid4()), "body": body},
            config=json.dumps(recipe["hyperparams"], indent=2) + "\n" if config else None,
            config_values=recipe["hyperparams"],
        )
    held = Spooled(client, spool, interval_s, resumed)
    return Run(held, capture_output=capture_output, raise_on_cancel=raise_on_cancel)


def log(metrics: Optional[Mapping[str, Any]] = None, step: Optional[int] = None, **more: Any) -> None:
    """``log`` of the one run of this process. With none, or several, call ``log`` of a run instead."""
    runs = list(_open_runs)
    if len(runs) != 1:
        raise RuntimeError(f"hub.log is for a process of one run, and this one has {len(runs)}: call hub.init first, or log of a run.")
    runs[0].log(metrics, step, **more)


def _left(identity: str) -> Optional[Spool]:
    """What a killed start of the same work left; one that had ended is only to be sent."""
    for spool in left_spools(state_dir() / "runs", identity):
        if not spool.state.get("ending") and not spool.state.get("gave_up"):
            return spool
        spool.release()
    return None


class Run:
    """A run that this process trains. Its methods may be called from any thread of the process, but not from a forked child."""

    def __init__(self, way: Union[Spooled, UnderRunner], *, capture_output: bool, raise_on_cancel: bool) -> None:
        self._way = way
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._raise_on_cancel = raise_on_cancel
        self._finished = False
        self._next_step = way.first_step
        self._capture: Optional[Capture] = None
        _open_runs.add(self)
        _install_hooks()
        if capture_output and sys.stdout is not None and sys.stderr is not None:
            self._capture = Capture(way.write_log)

    def __repr__(self) -> str:
        return f"<hub.Run {self.id or 'not started yet'}>"

    @property
    def id(self) -> Optional[str]:
        """The run's id; None until the hub has answered for the first time."""
        return self._way.run_id

    @property
    def url(self) -> Optional[str]:
        """The address of the run's page; None until the hub has answered for the first time."""
        return f"{self._way.hub_url}/runs/{self.id}" if self.id else None

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The recipe that is trained; of a claimed run, what its submitter asked for."""
        return self._way.recipe

    @property
    def resumed(self) -> bool:
        """This start goes on with the run of a killed one."""
        return self._way.resumed

    @property
    def step(self) -> int:
        """The step that ``log`` gives to the next line without one: after a resume, the one after the last line."""
        return self._next_step

    @property
    def last(self) -> Optional[Mapping[str, Any]]:
        """The last line that was logged, also by a killed start; None without one."""
        return self._way.last_line()

    @property
    def canceled(self) -> bool:
        """The hub asked the run to stop."""
        return self._way.canceled

    def log(self, metrics: Optional[Mapping[str, Any]] = None, step: Optional[int] = None, **more: Any) -> None:
        """Adds a line of metrics. When this returns the line is on disk, and reaches the hub exactly once.

        The line gets ``step``, unless it has ``iteration``, ``step``, ``global_step`` or ``_step`` itself. NaN and the infinities become null; scalars and arrays
        of NumPy, PyTorch and the like become numbers and lists. ``hub.Image``, ``Video``, ``Audio``, ``Table``, ``Histogram`` and ``Html``, and lists of them, are
        kept as media of this step: a file is whole on this disk when this returns. A line has at most 1 MiB. Raises ``RunCanceled`` once the hub asks the run to stop (after the
        line is kept), and ``OSError`` if the disk is full.
        """
        line, media = split_media({**metrics, **more} if metrics else more)
        with self._lock:
            self._assert_open()
            if step is not None or not any(key in line for key in STEP_KEYS):
                line = {"step": self._next_step if step is None else step, **{k: v for k, v in line.items() if k != "step"}}
            if media:
                here = next((line[key] for key in STEP_KEYS if isinstance(line.get(key), int)), self._next_step)
                for key, values in media.items():
                    self._way.media.keep(key, here, values)
            # Of media alone no line is left.
            if len(line) > 1 or not media:
                self._way.metrics.append(encode_line(line))
            at = line.get("step")
            self._next_step = at + 1 if isinstance(at, int) else self._next_step + 1
        if self._way.lost:
            raise RunLost(f"{self.id} is not this worker's any more.")
        if self._raise_on_cancel and self._way.canceled:
            raise RunCanceled(f"{self.id} was asked to stop.")

    def log_media(self, key: str, step: int, values: Sequence[Media], first: int = 0) -> None:
        """Keeps pictures and the like of one key and step, numbered from ``first``, without a line of metrics."""
        with self._lock:
            self._assert_open()
            self._way.media.keep(key, step, values, first)

    def log_text(self, text: str) -> None:
        """Adds text to the run's log; complete lines are shown as they come."""
        with self._lock:
            self._assert_open()
        self._way.write_log(text)

    def log_file(self, path: PathLike, name: Optional[str] = None) -> None:
        """Uploads a file or a folder to the run's model repo, as ``name`` (by default its own). It is copied first, so it may change right after."""
        source = Path(path)
        self._keep(source, name or source.name)

    def checkpoint(self, path: PathLike, step: int) -> None:
        """Publishes a file or a folder as the checkpoint of ``step``: ``checkpoints/step_<step>/`` of the run's model repo. It is copied first."""
        source = Path(path)
        self._keep(source, f"checkpoints/step_{int(step)}" + ("" if source.is_dir() else f"/{source.name}"))

    def scorecard(self, card: Mapping[str, Any]) -> None:
        """Reports the acceptance scorecard: any object; rows with a ``status`` (``PASS``, ``FAIL``, ...) in ``cells``, ``gates`` or ``rows`` are counted. The last one stays."""
        with self._lock:
            self._assert_open()
            self._way.keep_scorecard(json.loads(encode_line(card)))

    def keep_config(self, text: str) -> None:
        """Puts another ``config.yaml`` in place of the run's."""
        with self._lock:
            self._assert_open()
            self._way.keep_config(text)

    def keep_words(self, words: Mapping[str, Any]) -> None:
        """Keeps the run by another ``name``, ``group``, ``notes`` or ``tags``."""
        with self._lock:
            self._assert_open()
            self._way.keep_words(json.loads(encode_line(words)))

    def _keep(self, source: Path, dest: str) -> None:
        if not source.exists():
            raise FileNotFoundError(f"{source} does not exist.")
        with self._lock:
            self._assert_open()
            self._way.keep_file(source, dest)

    def finish(self, status: str = "succeeded", error: Optional[str] = None, timeout_s: Optional[float] = None) -> bool:
        """Ends the run as ``succeeded``, ``failed`` or ``canceled``, and waits until the hub has everything; whether it has.

        It waits ``timeout_s``; by default 300 seconds, and 10 (``HUB_EXIT_SECONDS``) where the hub does not answer. What is left then stays on this machine: one
        message says what, where and why, and ``python -m hub sync`` sends it. Further calls do nothing.
        """
        if status not in ("succeeded", "failed", "canceled"):
            raise ValueError(f"A run ends as succeeded, failed or canceled, not as {status!r}.")
        return self._way.wait(timeout_s) if self._end(status, error) else True

    def _end(self, status: str, error: Optional[str]) -> bool:
        """Takes no more, and begins to send the rest; whether this call did."""
        with self._lock:
            if self._finished or os.getpid() != self._pid:
                return False
            self._finished = True
            _open_runs.discard(self)
            if self._capture is not None:
                self._capture.end()
            self._way.end(status, error)
        return True

    def _assert_open(self) -> None:
        if os.getpid() != self._pid:
            raise RuntimeError("A forked process cannot log to its parent's run; log from the process that called hub.init.")
        if self._finished:
            raise RuntimeError("The run is finished.")

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.finish(*ending_of(error, self.canceled))


def ending_of(error: Optional[BaseException], canceled: bool) -> "tuple[str, Optional[str]]":
    """How a run ends that this exception left, or none: its status, and the text of the error."""
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return "succeeded", None
    if isinstance(error, RunCanceled) or (canceled and isinstance(error, KeyboardInterrupt)):
        return "canceled", None
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return "failed", text


# How the process ends

_open_runs: Set[Run] = set()


def _install_hooks() -> None:
    if how["installed"]:
        return
    how["installed"] = True
    before = sys.excepthook
    leave: Callable[[Any], Any] = sys.exit

    def excepthook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
        how["error"] = error
        before(kind, error, trace)

    def exit_noted(code: Any = None) -> Any:
        how["exit_code"] = code
        return leave(code)

    sys.excepthook = excepthook
    sys.exit = exit_noted
    atexit.register(_end_all)


def _exit_of(run: Run) -> "tuple[str, Optional[str]]":
    error, code = how["error"], how["exit_code"]
    if error is not None:
        return ending_of(error, run.canceled)
    if code not in (None, 0):
        return "failed", f"The trainer called sys.exit({code!r})."
    return ("canceled" if run.canceled else "succeeded"), None


def _end_all() -> None:
    """An exception that ended the process, and a ``sys.exit`` with an error, are failures of its runs."""
    # All at once, so that several runs without a hub take no longer than one.
    ended = [run for run in list(_open_runs) if run._end(*_exit_of(run))]
    for run in ended:
        run._way.wait(None)
    # A runner goes by the exit code.
    if how["must_fail"] and how["error"] is None and how["exit_code"] in (None, 0):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


__all__ = ["Run", "init", "log"]
