"""The package is built without a network, has all of the module, and is the same each time."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any, Dict

import hub

ROOT = Path(__file__).resolve().parent.parent
ABOUT = f"hub_client-{hub.__version__}.dist-info"


def backend() -> Any:
    spec = importlib.util.spec_from_file_location("hub_wheel", ROOT / "packaging" / "hub_wheel.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files_of(wheel: Path) -> Dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class Wheel(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.base = Path(self.folder.name)

    def built(self, to: str) -> Path:
        (self.base / to).mkdir()
        return self.base / to / str(backend().build_wheel(str(self.base / to)))

    def test_it_has_every_file_of_the_module_with_its_digest_and_is_the_same_each_time(self) -> None:
        wheel = self.built("one")
        self.assertEqual(wheel.name, f"hub_client-{hub.__version__}-py3-none-any.whl")
        self.assertEqual(wheel.read_bytes(), self.built("two").read_bytes())
        files = files_of(wheel)
        module = [file for file in (ROOT / "src").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        names = {file.relative_to(ROOT / "src").as_posix() for file in module}
        self.assertEqual(set(files), names | {f"{ABOUT}/{name}" for name in ("METADATA", "WHEEL", "RECORD")})
        # So that programs which look for wandb's version find one.
        self.assertLessEqual({"hub/py.typed", "hub/wandb/__init__.py", "hub/_as_wandb/wandb-0.26.0.dist-info/METADATA"}, names)
        recorded = {name: (digest, size) for name, digest, size in csv.reader(files[f"{ABOUT}/RECORD"].decode().splitlines())}
        self.assertEqual(recorded.pop(f"{ABOUT}/RECORD"), ("", ""))
        for name, (digest, size) in recorded.items():
            made = urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, size), (f"sha256={made}", str(len(files[name]))), name)
        self.assertEqual(set(recorded), set(files) - {f"{ABOUT}/RECORD"})

    def test_an_archive_of_the_sources_has_what_a_wheel_is_built_of(self) -> None:
        archive = self.base / str(backend().build_sdist(str(self.base)))
        with tarfile.open(archive) as packed:
            packed.extractall(self.base)
        top = self.base / archive.name[: -len(".tar.gz")]
        program = "import sys; sys.path.insert(0, 'packaging'); import hub_wheel; hub_wheel.build_wheel('.')"
        subprocess.run([sys.executable, "-c", program], cwd=top, check=True)
        wheel = self.built("here")
        self.assertEqual((top / wheel.name).read_bytes(), wheel.read_bytes())

    @unittest.skipUnless(importlib.util.find_spec("pip"), "this Python has no pip")
    def test_pip_installs_the_folder_without_a_network(self) -> None:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--no-deps"]
        subprocess.run([*pip, "--target", str(self.base / "site"), str(ROOT)], check=True, cwd=self.base)
        env = {**os.environ, "PYTHONPATH": str(self.base / "site")}
        program = "import hub, importlib.metadata as m; print(hub.__file__, m.version('hub-client'), m.metadata('hub-client')['Requires-Python'])"
        done = subprocess.run([sys.executable, "-c", program], check=True, cwd=self.base, env=env, capture_output=True, text=True)
        where = (self.base / "site" / "hub" / "__init__.py").resolve()
        self.assertEqual(done.stdout, f"{where} {hub.__version__} >=3.9\n")


if __name__ == "__main__":
    unittest.main()
