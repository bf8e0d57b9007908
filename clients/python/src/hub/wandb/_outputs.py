"""Files and artifacts of a run."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import uuid
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from .._artifacts import copy_to
from .._lines import encode_json
from .._media import Media
from .._run import Run as HubRun
from ._artifact import Artifact
from ._artifact_store import ArtifactStore, folder_name
from ._places import OnlyHere
from ._said import say_once

#: Files of one ``save``.
_MAX_SAVED = 1000
#: What saved files are logged under; the caption is the path.
_SAVED_KEY = "files"


def is_tracked() -> bool:
    """Another process, ``hub track``, reports what is written to its folder."""
    return bool(os.environ.get("HUB_RUN_DIR") and os.environ.get("HUB_RUN_ID"))


class Outputs:
    """What a run puts out besides numbers."""

    def __init__(self, wandb_id: str, place: Union[HubRun, OnlyHere, None], files: Optional[Path]) -> None:
        self._to = place
        own = Path(os.environ["HUB_RUN_DIR"]) if is_tracked() else files
        self._run_folder = own
        self._store = ArtifactStore(wandb_id, own) if own is not None else None
        #: What is saved again at the end if it has changed.
        self._live: List[Tuple[str, Path]] = []
        #: Number and last known version of each saved file, by path.
        self._saved: Dict[str, Tuple[int, Tuple[int, int]]] = {}

    # Files

    def save(self, glob_str: Any, base_path: Any, policy: str, step: int) -> List[str]:
        """Keeps the files that match; those of the policies ``live`` and ``end`` again at the end, if they have changed."""
        pattern = os.fspath(glob_str)
        if isinstance(pattern, bytes):
            pattern = os.fsdecode(pattern)
        base = Path(base_path) if base_path else Path(os.path.dirname(pattern)) if os.path.isabs(pattern) else Path()
        if policy in ("live", "end"):
            self._live.append((pattern, base))
        return self._save(pattern, base, step) if policy != "end" else []

    def save_again(self, step: int) -> None:
        """What has changed, or has come, since ``save``."""
        for pattern, base in self._live:
            self._save(pattern, base, step)

    def _save(self, pattern: str, base: Path, step: int) -> List[str]:
        found = sorted(one for one in glob.glob(pattern, recursive=True) if os.path.isfile(one))
        if len(found) > _MAX_SAVED:
            say_once("save.many", f"wandb.save of {pattern}: {_MAX_SAVED} of {len(found)} files are kept.")
        for file in found[:_MAX_SAVED]:
            try:
                self._save_one(Path(file), base, step)
            except (OSError, ValueError) as error:
                say_once("save", f"wandb.save leaves {file} out: {error}")
        return found[:_MAX_SAVED]

    def _save_one(self, file: Path, base: Path, step: int) -> None:
        assert self._to is not None
        name = file.resolve().relative_to(base.resolve()).as_posix()
        facts = file.stat()
        version = (facts.st_mtime_ns, facts.st_size)
        index, before = self._saved.get(name, (len(self._saved), None))
        if version != before:
            self._saved[name] = (index, version)
            self._to.log_media(_SAVED_KEY, step, [Media(file, caption=name)], index)

    # Artifacts

    def log_artifact(self, artifact: Artifact, aliases: List[str], step: int) -> None:
        """Makes it the next version."""
        assert self._store is not None
        folder = self._store.keep(artifact, aliases)
        if is_tracked():
            if folder is not None and artifact.type == "model":
                self._checkpoint(artifact, folder, step)
        elif isinstance(self._to, HubRun):
            self._upload(self._to, artifact, folder)

    def _checkpoint(self, artifact: Artifact, folder: Path, step: int) -> None:
        """A model is a checkpoint as well; a name that ends in a number, as LeRobot's, says of which step."""
        assert self._run_folder is not None
        found = re.search(r"[-_](\d{1,12})$", artifact.base_name)
        target = self._run_folder / "checkpoints" / f"step_{int(found[1]) if found else step}"
        if target.exists():
            say_once("artifact.step", f"wandb.Artifact {artifact.base_name}: there is a checkpoint of this step already; it is an artifact only.")
            return
        making = self._run_folder / f".making-{uuid.uuid4().hex}"
        # Both are copies of ours, which nobody writes to.
        shutil.copytree(folder, making, copy_function=_link_or_copy)
        target.parent.mkdir(exist_ok=True)
        os.replace(making, target)

    def _upload(self, place: HubRun, artifact: Artifact, folder: Optional[Path]) -> None:
        assert self._run_folder is not None and self._store is not None
        name = f"artifacts/{folder_name(artifact.base_name)}/{artifact.version}"
        if folder is not None and artifact.files_here:
            place.log_file(folder, name)
            # The client has its own copy until it is sent.
            shutil.rmtree(folder)
        facts = {"name": artifact.base_name, "type": artifact.type, "version": artifact.version, "aliases": artifact.aliases,
                 "description": artifact.description, "metadata": artifact.metadata, "digest": artifact.digest, "run": place.id, "used": self._store.used}
        file = self._run_folder / f".{uuid.uuid4().hex}.json"
        try:
            file.write_text(json.dumps(json.loads(encode_json(facts)), indent=2) + "\n", "utf-8")
            place.log_file(file, f"{name}.json")
        finally:
            file.unlink(missing_ok=True)

    def use_artifact(self, wanted: Any) -> Artifact:
        """One that was logged, by name and version or alias. Raises ``CommError``."""
        if isinstance(wanted, Artifact):
            return wanted
        return (self._store or ArtifactStore("", Path())).find(str(wanted))


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        copy_to(Path(source), Path(target))
