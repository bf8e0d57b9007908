"""Builds the package: a backend of pip (PEP 517 and 660) that needs nothing but Python, so that an installation needs no network.

The same sources give the same bytes. A hub builds the wheel that it serves by ``scripts/install/wheel.ts``; a test compares the two.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

_ROOT = Path(__file__).resolve().parent.parent
#: The first time that a zip file can name.
_TIME = (1980, 1, 1, 0, 0, 0)
_WHEEL = "Wheel-Version: 1.0\nGenerator: hub_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def get_requires_for_build_wheel(config_settings: Any = None) -> List[str]:
    """What must be installed to build: nothing."""
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """Writes the wheel into a folder; its name."""
    return _write_wheel(Path(wheel_directory), _sources())


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """A wheel that has Python import the sources where they are (``pip install --editable``)."""
    return _write_wheel(Path(wheel_directory), {"hub_client.pth": f"{_ROOT / 'src'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Writes an archive of all that a wheel is built of; its name."""
    project = _project()
    top = f"hub_client-{project['version']}"
    files = {f"src/{name}": data for name, data in _sources().items()}
    for name in ("README.md", "pyproject.toml", "packaging/hub_wheel.py"):
        files[name] = (_ROOT / name).read_bytes()
    files["PKG-INFO"] = _metadata(project).encode()
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(files[name])
            archive.addfile(entry, io.BytesIO(files[name]))
    (Path(sdist_directory) / f"{top}.tar.gz").write_bytes(made.getvalue())
    return f"{top}.tar.gz"


def _write_wheel(folder: Path, content: Mapping[str, bytes]) -> str:
    project = _project()
    about = f"hub_client-{project['version']}.dist-info"
    files = {**content, f"{about}/METADATA": _metadata(project).encode(), f"{about}/WHEEL": _WHEEL.encode()}
    record = "".join(f"{name},sha256={_digest(files[name])},{len(files[name])}\n" for name in sorted(files))
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    name = f"hub_client-{project['version']}-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, files[path])
    return name


def _sources() -> Dict[str, bytes]:
    """All files of the module, by their path in it."""
    found: Dict[str, bytes] = {}
    for folder, folders, names in os.walk(_ROOT / "src" / "hub"):
        folders[:] = [each for each in folders if each != "__pycache__"]
        for file in (Path(folder, name) for name in names):
            found[file.relative_to(_ROOT / "src").as_posix()] = file.read_bytes()
    return found


def _project() -> Mapping[str, Any]:
    """The table ``project`` of pyproject.toml, whose values are JSON too: Python has a reader of TOML from 3.11 on."""
    table = (_ROOT / "pyproject.toml").read_text("utf-8").split("\n[project]\n")[1].split("\n[")[0]
    lines = (line.split(" = ", 1) for line in table.splitlines() if line.strip())
    return {name: json.loads(value) for name, value in lines}


def _metadata(project: Mapping[str, Any]) -> str:
    head = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {each}" for each in project["classifiers"]),
        "Description-Content-Type: text/markdown",
    ]
    readme = _ROOT / str(project["readme"])
    return "\n".join(head) + "\n\n" + readme.read_text("utf-8")


def _digest(data: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
