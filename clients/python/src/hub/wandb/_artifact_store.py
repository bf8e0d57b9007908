"""Versions of artifacts: their folders ``artifacts/NAME/vN/`` in a run's folder, a line for each, and how one is found again."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .._artifacts import copy_to
from .._errors import HubError
from .._files import download, snapshot_download, tree
from .._http import Client, segment
from .._lines import LineFile, encode_line
from .._settings import connect
from .._ways import run_id_here
from ._artifact import Artifact
from ._places import recalled, remember
from ._said import CommError

#: A run, its parent, the parent of that, and so on.
_MAX_ANCESTORS = 50


class ArtifactStore:
    """The artifacts of one wandb run."""

    def __init__(self, wandb_id: str, folder: Path) -> None:
        self._wandb_id = wandb_id
        #: Has ``artifacts/`` and ``artifacts.jsonl``.
        self._folder = folder
        self._logged: List[Artifact] = []
        self.used: List[str] = []

    def keep(self, artifact: Artifact, aliases: List[str]) -> Optional[Path]:
        """Makes it the next version, and returns the folder of that. The content of the newest version again is that version: None."""
        name = folder_name(artifact.base_name)
        before: List[Dict[str, Any]] = recalled(self._wandb_id).get("artifacts", {}).get(name, [])
        digest = artifact.digest
        is_same = bool(before) and before[-1]["digest"] == digest
        version = before[-1]["version"] if is_same else self._next_version(name, before)
        artifact.version = version
        artifact.aliases = sorted({*aliases, *(before[-1]["aliases"] if is_same else ())})
        facts = {"name": artifact.base_name, "type": artifact.type, "version": version, "aliases": artifact.aliases,
                 "description": artifact.description, "metadata": artifact.metadata, "digest": digest}
        target = self._folder / "artifacts" / name / version
        if not is_same:
            self._copy(artifact, target)
        self._say({**facts, "path": target.relative_to(self._folder).as_posix(), **({"used": self.used} if self.used else {})})
        kept = [*before[:-1], facts] if is_same else [*before, facts]
        others = recalled(self._wandb_id).get("artifacts", {})
        remember(self._wandb_id, artifacts={**others, name: json.loads(encode_line({"all": kept}))["all"]})
        self._logged.append(artifact)
        return None if is_same else target

    def _next_version(self, name: str, before: List[Dict[str, Any]]) -> str:
        number = int(before[-1]["version"][1:]) + 1 if before else 0
        # A killed process may have made the folder, and perhaps said so, without a record.
        while (self._folder / "artifacts" / name / f"v{number}").exists():
            number += 1
        return f"v{number}"

    def _copy(self, artifact: Artifact, target: Path) -> None:
        making = self._folder / "artifacts" / f".making-{uuid.uuid4().hex}"
        making.mkdir(mode=0o700, parents=True)
        try:
            for path, file in artifact.files_here.items():
                copy_to(file, making / path)
            target.parent.mkdir(exist_ok=True)
            os.replace(making, target)
        finally:
            shutil.rmtree(making, ignore_errors=True)

    def _say(self, facts: Mapping[str, Any]) -> None:
        lines = LineFile(self._folder / "artifacts.jsonl")
        try:
            lines.drop_torn_tail()
            lines.append(encode_line(facts))
            lines.sync()
        finally:
            lines.close()

    def find(self, wanted: str) -> Artifact:
        """``[OWNER/REPO/]NAME[:VERSION or ALIAS]``: of this process, of this run on this machine, or of the hub. Raises ``CommError``."""
        where, name, mark = parsed(wanted)
        found = self._here(name, mark) or _at_hub(self._wandb_id, where, name, mark, wanted)
        self.used.append(f"{found.base_name}:{found.version}")
        return found

    def _here(self, name: str, mark: str) -> Optional[Artifact]:
        for one in reversed(self._logged):
            if one.base_name == name and (mark in ("latest", one.version) or mark in one.aliases):
                return one
        records: List[Dict[str, Any]] = recalled(self._wandb_id).get("artifacts", {}).get(folder_name(name), [])
        facts = chosen(records, mark)
        folder = self._folder / "artifacts" / folder_name(name) / facts["version"] if facts else None
        if facts is None or folder is None or not folder.is_dir():
            return None
        artifact = _from(facts)
        artifact.add_dir(folder)
        return artifact


def folder_name(name: str) -> str:
    """The name as one of a folder."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name).strip(".")[:128] or "artifact"


def parsed(wanted: str) -> Tuple[Optional[str], str, str]:
    """The repo ``owner/slug`` if it is named, the artifact's name, and its version or alias."""
    above, _, last = wanted.rpartition("/")
    name, _, mark = last.partition(":")
    return above if above.count("/") == 1 else None, name, mark or "latest"


def chosen(records: List[Dict[str, Any]], mark: str) -> Optional[Dict[str, Any]]:
    """The version that an alias means: the newest of those that have it."""
    ordered = sorted(records, key=lambda one: int(str(one["version"])[1:]))
    if mark == "latest":
        return ordered[-1] if ordered else None
    return next((one for one in reversed(ordered) if mark == one["version"] or mark in one.get("aliases", ())), None)


def _from(facts: Mapping[str, Any]) -> Artifact:
    artifact = Artifact(str(facts["name"]), str(facts.get("type") or "unspecified"), facts.get("description"), facts.get("metadata") or {})
    artifact.version, artifact.aliases = str(facts["version"]), [str(one) for one in facts.get("aliases") or ()]
    return artifact


# At the hub


def _at_hub(wandb_id: str, where: Optional[str], name: str, mark: str, wanted: str) -> Artifact:
    try:
        client = connect()
        repos = [where] if where else _output_repos(client, run_id_here() or recalled(wandb_id).get("run"))
        for repo in repos:
            found = _in_repo(client, repo, folder_name(name), mark)
            if found is not None:
                return found
    except (HubError, ValueError) as error:
        raise CommError(f"wandb.use_artifact({wanted!r}): {error}") from error
    looked = ", ".join(repos) or "this run, which has no output repo yet"
    raise CommError(f"wandb.use_artifact({wanted!r}): there is none in {looked}. An artifact of another run is OWNER/REPO/{name}:{mark}, with the output repo of that run.")


def _output_repos(client: Client, run_id: Optional[str]) -> List[str]:
    """The output repos of a run and of those that it goes on from."""
    found: List[str] = []
    for _ in range(_MAX_ANCESTORS):
        if not run_id:
            break
        run = client.call("GET", f"/v1/runs/{segment(run_id)}")
        repo = (run.get("output_model_repo") or {}).get("full_name")
        if repo and repo not in found:
            found.append(repo)
        run_id = run.get("parent_run_id")
    return found


def _in_repo(client: Client, repo: str, name: str, mark: str) -> Optional[Artifact]:
    prefix = f"artifacts/{name}/"
    paths = [entry["path"][len(prefix):] for entry in tree(client, repo, prefix=prefix)]
    versions = {found[0] for found in (re.match(r"v\d+(?=/)", path) for path in paths) if found}
    ordered = sorted(versions, key=lambda one: int(one[1:]))
    # The file of facts is asked for only where the version alone does not decide.
    asked = [mark] if mark in versions else ordered[-1:] if mark == "latest" else ordered
    facts = chosen([_facts_of(client, repo, prefix, one, f"{one}.json" in paths) for one in asked], mark)
    if facts is None:
        return None
    artifact = _from(facts)
    below = f"{prefix}{artifact.version}/"

    def fetch(target: Path) -> None:
        made = target / f".hub-{uuid.uuid4().hex}"
        try:
            for file in snapshot_download(repo, made, allow_patterns=below, client=client):
                to = target / file.path[len(below):]
                to.parent.mkdir(parents=True, exist_ok=True)
                os.replace(file.local_path, to)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    artifact.fetch = fetch
    return artifact


def _facts_of(client: Client, repo: str, prefix: str, version: str, has_file: bool) -> Dict[str, Any]:
    if not has_file:
        return {"name": prefix.split("/")[1], "version": version}
    with tempfile.TemporaryDirectory() as folder:
        found: Dict[str, Any] = json.loads(download(repo, f"{prefix}{version}.json", folder, client=client).read_text("utf-8"))
    return {**found, "version": version}
