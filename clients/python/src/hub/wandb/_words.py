"""What a run is kept by: name, project, group, tags and notes, and the run its id was before, as ``wandb.json`` in its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple

from .._lines import encode_json
from .._ways import write_whole
from ._said import say_once


class Words:
    """The words of a run. Setting one writes the file again."""

    def __init__(self, run_id: str, given: Mapping[str, Any], folder: Optional[Path]) -> None:
        self.id = run_id
        self._words_folder = folder
        self._given: Dict[str, Any] = {name: given.get(name) for name in ("project", "name", "group", "job_type", "notes", "parent_run_id")}
        self._given["tags"] = list(given.get("tags") or ())
        self._write_words()

    def _write_words(self) -> None:
        if self._words_folder is None:
            return
        text = json.dumps({"id": self.id, **{name: value for name, value in self._given.items() if value}}, default=str)
        try:
            write_whole(self._words_folder / "wandb.json", text + "\n")
        except OSError as error:
            say_once("words", f"name, project, group, tags and notes of the run are not kept: {error}")

    def _set(self, member: str, value: Any) -> None:
        if self._given[member] != value:
            self._given[member] = value
            self._write_words()
            self._word_changed(member, value)

    def _word_changed(self, member: str, value: Any) -> None:
        """Another value of one."""

    @property
    def project(self) -> str:
        """The project."""
        return self._given["project"] or "uncategorized"

    @property
    def job_type(self) -> Optional[str]:
        """The part of the run in its group."""
        found: Optional[str] = self._given["job_type"]
        return found

    @property
    def name(self) -> Optional[str]:
        """What people call the run; its id by default."""
        return self._given["name"] or self.id

    @name.setter
    def name(self, value: Optional[str]) -> None:
        self._set("name", value)

    @property
    def group(self) -> Optional[str]:
        """The group of runs that belong together."""
        found: Optional[str] = self._given["group"]
        return found

    @group.setter
    def group(self, value: Optional[str]) -> None:
        self._set("group", value)

    @property
    def notes(self) -> Optional[str]:
        """What is noted about the run."""
        found: Optional[str] = self._given["notes"]
        return found

    @notes.setter
    def notes(self, value: Optional[str]) -> None:
        self._set("notes", value)

    @property
    def tags(self) -> Tuple[str, ...]:
        """The tags."""
        return tuple(self._given["tags"])

    @tags.setter
    def tags(self, value: Iterable[Any]) -> None:
        self._set("tags", [str(tag) for tag in value or ()])


def write_summary(folder: Path, values: Mapping[str, Any]) -> None:
    """Writes ``summary.json``. What a run before in this folder has set stays."""
    file = folder / "summary.json"
    try:
        before = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        before = {}
    write_whole(file, encode_json({**before, **values}) + "\n")
