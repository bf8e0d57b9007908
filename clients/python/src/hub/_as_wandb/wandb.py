"""What ``import wandb`` finds where this folder is first on the path: ``hub.wandb``, under its own name."""

import sys
from pathlib import Path

_source = str(Path(__file__).resolve().parent.parent.parent)
sys.path.insert(0, _source)
try:
    import hub.wandb as _hub_wandb
finally:
    sys.path.remove(_source)

sys.modules[__name__] = _hub_wandb
