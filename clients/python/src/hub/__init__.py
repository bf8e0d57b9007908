"""Client of a hub: training runs, files of repos, and workers. Standard library only, Python 3.9 or later.

    import hub

    run = hub.init("pendulum", config={"lr": 1e-3})
    for step in range(1000):
        run.log({"reward": reward}, step=step)

Whatever ``log`` was given is on disk when it returns, and reaches the hub exactly once: through pauses of the hub, and through a
killed trainer that is started again.
"""

import importlib as _importlib
from typing import Any as _Any

from ._api import Api
from ._errors import HubConnectionError, HubError, RunCanceled, RunLost
from ._files import DownloadedFile, download, snapshot_download
from ._http import Client
from ._left_out import LeftOut
from ._media import Audio, Html, Image, Video
from ._records import RepoFile, RepoRecord, RunRecord
from ._run import Run, init, log
from ._secrets import FoundSecret, SecretsFound
from ._settings import connect
from ._sync import NotSent, sync
from ._tables import Histogram, Table
from ._uploads import UploadReport, upload_folder
from ._worker import work


def __getattr__(name: str) -> _Any:
    """The modules that need another package, or pose as one, are imported where they are used."""
    if name in ("lightning", "transformers", "wandb"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.1.0"

__all__ = [
    "Api",
    "Audio",
    "Client",
    "DownloadedFile",
    "FoundSecret",
    "Histogram",
    "Html",
    "HubConnectionError",
    "HubError",
    "Image",
    "LeftOut",
    "NotSent",
    "RepoFile",
    "RepoRecord",
    "Run",
    "RunCanceled",
    "RunLost",
    "RunRecord",
    "SecretsFound",
    "Table",
    "UploadReport",
    "Video",
    "connect",
    "download",
    "init",
    "log",
    "snapshot_download",
    "sync",
    "upload_folder",
    "work",
]
