"""Files of a run: copied into its spool at once, uploaded to its output repo by a thread of their own."""

from __future__ import annotations

import os
import re
import shutil
import threading
from pathlib import Path
from typing import Any, List, Mapping, Optional

from ._errors import HubError
from ._http import Client, backoff_s, is_transient, segment
from ._media_sender import MediaSender
from ._once import say_once
from ._spool import Spool
from ._uploads import upload_folder
from ._warn import warn

#: After an error of this machine's disk.
_PATIENCE_S = 30.0


class Artifacts:
    """Uploads what lies in the spool's ``uploads``, in the order in which it was put there."""

    def __init__(self, client: Client, spool: Spool) -> None:
        self._client = client
        self._spool = spool
        self.media = MediaSender(spool)
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None
        #: Why the upload that is next has not succeeded.
        self.error: Optional[HubError] = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._loop, name="hub-uploads", daemon=True)
        self._thread.start()

    def stop(self, within_s: float) -> bool:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(within_s)
            return not self._thread.is_alive()
        return True

    def idle(self) -> bool:
        """Nothing is left to upload, and of media nothing to report."""
        return not self._waiting() and self.media.is_done()

    def _waiting(self) -> List[Path]:
        return sorted(entry for entry in self._spool.uploads.iterdir() if re.fullmatch(r"\d{8}", entry.name))

    def _loop(self) -> None:
        failures = 0
        while not self._stop.is_set():
            if self._spool.state.get("run") is None:
                self._stop.wait(0.5)
                continue
            try:
                # They are small next to checkpoints, and someone waits to see them.
                has_sent = self.media.upload(self._push)
                has_sent = self._upload_next() or has_sent
                failures, self.error = 0, None
                if not has_sent:
                    self._stop.wait(0.5)
            except HubError as error:
                failures, self.error = failures + 1, error
                self._stop.wait(max(error.retry_after_s or 0.0, backoff_s(failures)))
            except Exception as error:  # A defect or a full disk must not end the thread: the media stay in the spool.
                say_once(f"media.{error}", f"media of the run wait: {type(error).__name__}: {error}. They are kept in {self._spool.folder}.")
                self._stop.wait(_PATIENCE_S)

    def _upload_next(self) -> bool:
        """Uploads what is next; False where nothing is. Raises what another try may change."""
        waiting = self._waiting()
        if not waiting:
            return False
        try:
            self._push(waiting[0] / "data")
            shutil.rmtree(waiting[0])
        except HubError as error:
            if is_transient(error):
                raise
            self._set_aside(waiting[0], error)
        except Exception as error:  # One bad file must not stop the others.
            self._set_aside(waiting[0], error)
        return True

    def _set_aside(self, item: Path, error: Exception) -> None:
        # Outside of the spool, which goes when the run is complete.
        kept = self._spool.folder.parent.parent.parent / "refused" / f"{self._spool.state['run']['id']}-{item.name}"
        kept.parent.mkdir(mode=0o700, exist_ok=True)
        shutil.rmtree(kept, ignore_errors=True)
        os.replace(item, kept)
        warn(f"files of the run were not uploaded: {error}. They are kept in {kept}.")

    def _push(self, folder: Path) -> None:
        repo = self._spool.state.get("output_repo") or self._make_repo()
        # One at a time: at the end of the interpreter no thread can be started.
        upload_folder(repo, folder, jobs=1, ignore_files=False, include_secrets=True, client=self._client)
        if self._spool.state.get("output_repo") != repo:
            self._spool.put(output_repo=repo, output_repo_sent=False)

    def _make_repo(self) -> str:
        """The private model repo that the run publishes to."""
        run: Mapping[str, Any] = self._spool.state["run"]
        slug = output_slug(run)
        try:
            self._client.call("GET", f"/v1/repos/{segment(run['owner'])}/{slug}")
        except HubError as error:
            if error.status != 404:
                raise
            body = {"kind": "model", "owner": run["owner"], "slug": slug, "visibility": "private"}
            self._client.call("POST", "/v1/repos", body)
        return f"{run['owner']}/{slug}"


def output_slug(run: Mapping[str, Any]) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", str(run.get("display_name") or "run").lower())[:40]
    return f"{words}-{run['id'][-8:]}".lstrip("-").replace("--", "-")


def enqueue(spool: Spool, source: Path, dest: str) -> None:
    """Copies a file or a folder; it is uploaded under ``dest`` even if this process is killed right after."""
    taken = [int(entry.name[-8:]) for entry in spool.uploads.iterdir() if entry.name[-8:].isdigit()]
    name = f"{max(taken, default=0) + 1:08d}"
    making = spool.uploads / f"making-{name}"
    shutil.rmtree(making, ignore_errors=True)
    copy_to(source, making / "data" / Path(*dest.split("/")))
    os.replace(making, spool.uploads / name)


def copy_to(source: Path, target: Path) -> None:
    """Copies a file, or a folder with all files in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
