"""What ``import wandb`` finds where this folder is first on the path: ``hub.wandb``, under its own name."""

import importlib
import sys
from pathlib import Path

_NAME = "hub.wandb"
#: What other packages import of it, so that each module is there once, under both names.
_PARTS = ("", ".errors", ".integration", ".sdk", ".sdk.lib", ".sdk.lib.config_util", ".sdk.lib.runid", ".sdk.wandb_run", ".util",
          ".wandb_run")

_source = str(Path(__file__).resolve().parent.parent.parent)
sys.path.insert(0, _source)
try:
    for _part in _PARTS:
        sys.modules[__name__ + _part] = importlib.import_module(_NAME + _part)
    importlib.import_module(f"{_NAME}._missing").install()
finally:
    sys.path.remove(_source)
